"""Level: one Sokoban position as bitboards, read from and written to XSB text.

A set of cells is an int: bit `row * width + column` is set when the cell is in it. Every level has
walls all round, so a shift by one cell never carries a floor cell over the edge of the board.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

ACTIONS = ("Up", "Down", "Left", "Right")

# XSB symbol of (target here, what stands here).
_XSB = {
    (False, ""): "-",
    (True, ""): ".",
    (False, "box"): "$",
    (True, "box"): "*",
    (False, "player"): "@",
    (True, "player"): "+",
}


@dataclass(frozen=True, slots=True)
class Level:
    """A position: the room, its targets, and where the boxes and the player stand.

    Attributes:
        height: Rows, the outer walls included.
        width: Columns, the outer walls included.
        walls: Cells that are wall, as bits.
        goals: Cells that are targets, as bits; as many as there are boxes.
        boxes: Cells with a box, as bits.
        player: Cell index of the player, `row * width + column`.
    """

    height: int
    width: int
    walls: int
    goals: int
    boxes: int
    player: int

    @property
    def floor(self) -> int:
        """Cells that are not wall, as bits."""
        return ((1 << self.height * self.width) - 1) ^ self.walls

    @classmethod
    def from_text(cls, text: str) -> Level:
        """Read a level in XSB: `#` wall, `@` `+` player, `$` `*` box, `.` target, `-` or space.

        The second symbol of a pair stands on a target. Common indentation and blank lines around
        are dropped; whatever the player could never reach becomes wall.

        Raises:
            ValueError: The text is not a playable, unsolved level; the message says why.
        """
        rows = [row.rstrip() for row in textwrap.dedent(text).strip("\r\n").splitlines()]
        width = max(map(len, rows), default=0)
        found = dict.fromkeys("#@+$*.- ", 0)
        for number, row in enumerate(rows):
            for column, symbol in enumerate(row.ljust(width)):
                if symbol not in found:
                    raise ValueError(f"row {number} has the unknown symbol {symbol!r}")
                found[symbol] |= 1 << number * width + column
        players = found["@"] | found["+"]
        boxes = found["$"] | found["*"]
        goals = found["."] | found["*"] | found["+"]
        if players.bit_count() != 1:
            raise ValueError(f"it must have 1 player, got {players.bit_count()}")
        if not boxes or boxes.bit_count() != goals.bit_count():
            raise ValueError(
                "it must have at least 1 box and as many targets as boxes, "
                f"got {boxes.bit_count()} boxes and {goals.bit_count()} targets"
            )
        everything = (1 << len(rows) * width) - 1
        inside = flood(players, everything ^ found["#"], width)
        if inside & ~inner_cells(len(rows), width):
            raise ValueError("walls must enclose it, but the player could walk off the board")
        if (boxes | goals) & ~inside:
            raise ValueError("every box and target must be in the room of the player")
        if boxes == goals:
            raise ValueError("it must not be solved already")
        walls = everything ^ inside
        return cls(len(rows), width, walls, goals, boxes, players.bit_length() - 1)

    def to_text(self) -> str:
        """The level in XSB, `-` for floor, rows joined by newlines: equal for equal levels."""
        symbols = ["#"] * (self.height * self.width)
        for cell in cells_of(self.floor):
            symbols[cell] = "-"
        for cell in cells_of(self.goals):
            symbols[cell] = "."
        for cell in cells_of(self.boxes):
            symbols[cell] = _XSB[bool(self.goals >> cell & 1), "box"]
        symbols[self.player] = _XSB[bool(self.goals >> self.player & 1), "player"]
        text = "".join(symbols)
        return "\n".join(text[at : at + self.width] for at in range(0, len(text), self.width))


def cells_of(mask: int) -> Iterator[int]:
    """The cells of a set, in ascending order."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def inner_cells(height: int, width: int) -> int:
    """All cells of a board but those of its outermost rows and columns."""
    row = (1 << max(width - 2, 0)) - 1 << 1
    return sum(row << number * width for number in range(1, height - 1))


def flood(start: int, free: int, width: int) -> int:
    """The cells of `free` that can be reached from the set `start`, itself included."""
    region = start
    while True:
        grown = region | (region << 1 | region >> 1 | region << width | region >> width) & free
        if grown == region:
            return region
        region = grown
