"""Maps of frozen lakes: reading them, drawing them at random, and how one moves on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from ragen_envs.arguments import check_choice
from ragen_envs.splits import draw_in_split

# In Gymnasium's order, which turns: the neighbours of a direction are perpendicular to it.
ACTIONS = ("Left", "Down", "Right", "Up")
_STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))

MAPS = {
    "4x4": ("SFFF", "FHFH", "FFFH", "HFFG"),
    "8x8": (
        "SFFFFFFF",
        "FFFFFFFF",
        "FFFHFFFF",
        "FFFFFHFF",
        "FFFHFFFF",
        "FHHFFFHF",
        "FHFFHFHF",
        "FFFHFFFG",
    ),
}

_START, _FROZEN, _HOLE, _GOAL = _LETTERS = "SFHG"
_IS_ICE = str.maketrans(f"{_LETTERS}\n", "11010")
_IS_GOAL = str.maketrans(f"{_LETTERS}\n", "00010")
_AS_LETTERS = bytes.maketrans(b"\x00\x01", b"HF")

# Maps are drawn a few at a time, which spreads the fixed cost of a NumPy call: about two are
# needed on the training split and four on the others.
_BATCH = 4
_MAX_LAKES = 10_000


@dataclass(frozen=True)
class Lake:
    """A map. Cells are numbered row by row from the top left, as Gymnasium's states are.

    Attributes:
        rows: Number of rows.
        columns: Number of columns.
        text: The rows, separated by newlines, in Gymnasium's letters: S start (one), F frozen,
            H hole, G goal (at least one).
    """

    rows: int
    columns: int
    text: str

    @property
    def start(self) -> int:
        """The cell where an episode begins."""
        position = self.text.index(_START)
        return position - position // (self.columns + 1)

    @property
    def goals(self) -> tuple[int, ...]:
        """The cells that end an episode with success, ascending."""
        return self._cells_with(_GOAL)

    @property
    def holes(self) -> tuple[int, ...]:
        """The cells that end an episode without success, ascending."""
        return self._cells_with(_HOLE)

    def position(self, cell: int) -> int:
        """Index of the cell in `text`, where each row but the last is followed by a newline."""
        return cell + cell // self.columns

    def letter(self, cell: int) -> str:
        """What is on the cell."""
        return self.text[self.position(cell)]

    def neighbour(self, cell: int, direction: int) -> int:
        """The cell next to this one in direction `ACTIONS[direction]`, itself at the edge."""
        row, column = divmod(cell, self.columns)
        down, right = _STEPS[direction]
        if 0 <= row + down < self.rows and 0 <= column + right < self.columns:
            return cell + down * self.columns + right
        return cell

    @cached_property
    def shortest_path(self) -> int | None:
        """Moves from the start to the nearest goal on ice that does not slip, None without path."""
        start = 1 << (len(self.text) - 1 - self.text.index(_START))
        for distance, wave in enumerate(self._waves()):
            if wave & start:
                return distance
        return None

    def distances(self) -> list[int]:
        """Moves from each cell to the nearest goal; the number of cells where there is no path."""
        size = len(self.text)
        distances = [self.rows * self.columns] * size
        for distance, wave in enumerate(self._waves()):
            for position, bit in enumerate(f"{wave:0{size}b}"):
                if bit == "1":
                    distances[position] = distance
        return [d for d, letter in zip(distances, self.text, strict=True) if letter != "\n"]

    def _cells_with(self, letter: str) -> tuple[int, ...]:
        letters = self.text.replace("\n", "")
        return tuple(cell for cell, found in enumerate(letters) if found == letter)

    def _waves(self) -> Iterator[int]:
        """The cells 0, 1, 2, ... moves from the nearest goal, each set as the bits of an int.

        The bits are the characters of `text`, first character highest. A newline is not ice, so
        that a shift by one never carries a cell from one row into the next.
        """
        unseen = int(self.text.translate(_IS_ICE), 2)
        wave = int(self.text.translate(_IS_GOAL), 2)
        width = self.columns + 1
        while wave:
            yield wave
            unseen &= ~wave
            wave = (wave << 1 | wave >> 1 | wave << width | wave >> width) & unseen


def executed_direction(intended: int, success_rate: float, draw: float) -> int:
    """The direction that a move takes.

    Args:
        intended: Index of the action in `ACTIONS`.
        success_rate: Probability of moving as intended.
        draw: A uniform draw from [0, 1).
    """
    if draw < success_rate:
        return intended
    before = draw < success_rate + slip_probability(success_rate)
    return (intended - 1 if before else intended + 1) % 4


def slip_probability(success_rate: float) -> float:
    """The probability of each of the two directions perpendicular to the intended one."""
    return (1.0 - success_rate) / 2.0


def transitions(
    lake: Lake, success_rate: float, cell: int, intended: int
) -> list[tuple[float, int, float, bool]]:
    """What may follow a move: the row of Gymnasium's `FrozenLakeEnv.P` for this cell and action.

    Returns:
        `(probability, next cell, reward, terminated)` for the direction before the intended one in
        `ACTIONS`, the intended one and the one after it; directions that cannot occur are left out,
        and two entries may share a cell. A hole or goal is never left.
    """
    if lake.letter(cell) in (_HOLE, _GOAL):
        return [(1.0, cell, 0.0, True)]
    slip = slip_probability(success_rate)
    possible = []
    for probability, turn in ((slip, -1), (success_rate, 0), (slip, 1)):
        if probability > 0:
            reached = lake.neighbour(cell, (intended + turn) % 4)
            letter = lake.letter(reached)
            over = letter in (_HOLE, _GOAL)
            possible.append((probability, reached, float(letter == _GOAL), over))
    return possible


def read_lake(desc: str | Sequence[str], max_moves: int) -> Lake:
    """The map that a user gives.

    Args:
        desc: Rows of equal length in the letters S, F, H and G, or a name in `MAPS`.
        max_moves: The goal must be reachable in this many moves.

    Raises:
        TypeError: `desc` is not a sequence of strings.
        ValueError: It is not a map; the message names the row, the rule and the value.
    """
    if isinstance(desc, str):
        check_choice("desc", desc, MAPS)
        desc = MAPS[desc]
    if not isinstance(desc, Sequence):
        raise TypeError(f"desc must be a sequence of row strings, got {desc!r}")
    rows = tuple(desc)
    if not rows:
        raise ValueError(f"desc must have at least one row, got {desc!r}")
    for number, row in enumerate(rows):
        _check_row(f"desc[{number}]", row, rows[0])
    text = "\n".join(rows)
    starts = [number for number, row in enumerate(rows) for letter in row if letter == _START]
    if len(starts) != 1:
        where = f"{len(starts)} in rows {starts}" if starts else f"none in {list(rows)}"
        raise ValueError(f"desc must have exactly one S (start), got {where}")
    if _GOAL not in text:
        raise ValueError(f"desc must have at least one G (goal), got none in {list(rows)}")
    lake = Lake(len(rows), len(rows[0]), text)
    shortest = lake.shortest_path
    if shortest is None:
        raise ValueError(f"desc must have a path from S to G, got none in {list(rows)}")
    if shortest > max_moves:
        raise ValueError(
            f"desc must have a path from S to G of at most max_moves={max_moves} moves, "
            f"got {shortest} in {list(rows)}"
        )
    return lake


def draw_lake(
    rng: np.random.Generator,
    *,
    size: tuple[int, int],
    frozen: float,
    min_distance: int,
    max_moves: int,
    split: str,
) -> Lake:
    """A random map of the split whose goal can be reached.

    Start and goal are uniform among the ordered pairs of cells at least `min_distance` apart, and
    each other cell is frozen with probability `frozen`; a map without a path of at most
    `max_moves` moves is drawn again.

    Args:
        rng: Source of randomness.
        size: `(rows, columns)`.
        frozen: Probability that a cell which is neither start nor goal is frozen.
        min_distance: Smallest distance in rows plus columns from start to goal.
        max_moves: Longest permitted shortest path.
        split: "train", "validation" or "test", decided by a hash of the text before the path is
            looked at.

    Raises:
        ValueError: None of 10,000 maps had such a path, or the split is empty.
    """
    rows, columns = size
    texts = _draw_texts(rng, size, frozen, min_distance)

    def draw() -> tuple[str, str]:
        text = next(texts)
        return text, text

    hint = f"size={size} with frozen={frozen} and min_distance={min_distance}"
    for _ in range(_MAX_LAKES):
        lake = Lake(rows, columns, draw_in_split(draw, split, hint))
        shortest = lake.shortest_path
        if shortest is not None and shortest <= max_moves:
            return lake
    raise ValueError(
        f"frozen must be larger or min_distance smaller for a path of at most "
        f"max_moves={max_moves} moves, got none in {_MAX_LAKES} maps of {hint}"
    )


def _check_row(name: str, row: object, first: str) -> None:
    if not isinstance(row, str):
        raise TypeError(f"{name} must be a str, got {row!r}")
    if not row:
        raise ValueError(f"{name} must have at least one letter, got {row!r}")
    if len(row) != len(first):
        raise ValueError(f"{name} must have {len(first)} letters as desc[0] has, got {row!r}")
    if not all(letter in _LETTERS for letter in row):
        raise ValueError(f"{name} must have only the letters S, F, H and G, got {row!r}")


def _draw_texts(
    rng: np.random.Generator, size: tuple[int, int], frozen: float, min_distance: int
) -> Iterator[str]:
    """An endless stream of maps, with or without a path."""
    rows, columns = size
    ends = _ends(rows, columns, min_distance)
    length = rows * (columns + 1)
    while True:
        # Per map a number that picks start and goal, and one for each character of the text.
        numbers = rng.random((_BATCH, 1 + length))
        choices = (numbers[:, 0] * len(ends)).astype(np.int64)
        letters = (numbers[:, 1:] < frozen).tobytes().translate(_AS_LETTERS)
        for index, (start, goal) in enumerate(ends[choices].tolist()):
            text = bytearray(letters[index * length : (index + 1) * length])
            text[columns :: columns + 1] = b"\n" * rows
            text[start], text[goal] = b"SG"
            yield text[:-1].decode("ascii")


@lru_cache(maxsize=8)
def _ends(rows: int, columns: int, min_distance: int) -> npt.NDArray[np.int64]:
    """Text positions of each (start, goal) at least `min_distance` apart, shape (pairs, 2)."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    apart = np.abs(row[:, None] - row) + np.abs(column[:, None] - column)
    cells = np.argwhere(apart >= min_distance)
    return cells + cells // columns
