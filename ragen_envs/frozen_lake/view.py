"""What is seen of a lake: its text in three formats, and a picture."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ragen_envs.arguments import check_choice, checked_symbols
from ragen_envs.frozen_lake.lake import Lake

FORMATS = ("grid", "coordinates", "grid+coordinates")

SYMBOLS = {
    "player": "P",
    "frozen": "_",
    "hole": "O",
    "goal": "G",
    "player_in_hole": "X",
    "player_on_goal": "√",
}

_MEANINGS = {
    "player": "you, on the ice",
    "frozen": "frozen ice, safe to walk on",
    "hole": "a hole",
    "goal": "the goal",
    "player_in_hole": "you, in a hole",
    "player_on_goal": "you, on the goal",
}

# The player's symbol by the letter of the cell it stands on.
_PLAYER_ON = {"S": "player", "F": "player", "H": "player_in_hole", "G": "player_on_goal"}
_WHERE = {"S": "", "F": "", "H": ", in a hole", "G": ", on the goal"}

_PIXELS = 32
_COLOURS = {
    "S": (214, 234, 248),
    "F": (214, 234, 248),
    "H": (33, 62, 94),
    "G": (88, 178, 104),
}
_PLAYER_COLOUR = (214, 69, 65)
_LINE_COLOUR = (170, 200, 220)


class View:
    """How a lake is shown in text, the same for all maps.

    Args:
        observation_format: One of `FORMATS`.
        symbols: Characters by the names in `SYMBOLS`; those not named keep theirs.

    Raises:
        TypeError: `symbols` is not a mapping.
        ValueError: The format or a name is unknown, a symbol is not one visible character, or two
            are equal.
    """

    def __init__(self, observation_format: str, symbols: Mapping[str, str] | None) -> None:
        check_choice("observation_format", observation_format, FORMATS)
        self.observation_format = observation_format
        self.symbols = checked_symbols(symbols, SYMBOLS)
        # The start is ice like any other once the player has left it.
        names = {"S": "frozen", "F": "frozen", "H": "hole", "G": "goal"}
        self._paint = str.maketrans({letter: self.symbols[name] for letter, name in names.items()})
        self._lake: Lake | None = None
        self._painted = ""

    def text(self, lake: Lake, cell: int) -> str:
        """The observation: the lake with the player on `cell`."""
        if self.observation_format == "grid":
            return self._grid(lake, cell)
        if self.observation_format == "coordinates":
            return _coordinates(lake, cell)
        return f"{self._grid(lake, cell)}\n\n{_coordinates(lake, cell)}"

    def legend(self, rows: int, columns: int) -> list[str]:
        """How to read the observations of lakes of this size, in paragraphs."""
        size = f"{_count(rows, 'row')} and {_count(columns, 'column')}"
        paragraphs = []
        if "grid" in self.observation_format:
            lines = (f"{self.symbols[name]} {meaning}" for name, meaning in _MEANINGS.items())
            intro = f"You see the lake as a grid of {size}, one character per cell:"
            paragraphs.append("\n".join((intro, *lines)))
        if "coordinates" in self.observation_format:
            last = f"({rows - 1}, {columns - 1})"
            paragraphs.append(
                f"Coordinates are (row, column), counted from 0: on this lake of {size}, (0, 0) is "
                f"the top left cell and {last} the bottom right one. Cells that are not listed as "
                "goal or holes are frozen ice, safe to walk on."
            )
        return paragraphs

    def _grid(self, lake: Lake, cell: int) -> str:
        if lake is not self._lake:  # once an episode instead of once a step
            self._lake, self._painted = lake, lake.text.translate(self._paint)
        painted = self._painted
        position = lake.position(cell)
        player = self.symbols[_PLAYER_ON[lake.text[position]]]
        return f"{painted[:position]}{player}{painted[position + 1 :]}"


def picture(lake: Lake, cell: int) -> npt.NDArray[np.uint8]:
    """The same as an image: ice, holes and goals as squares, the player as a disc.

    Returns:
        RGB array of shape (32 * rows, 32 * columns, 3).
    """
    letters = lake.text.replace("\n", "")
    colours = np.array([_COLOURS[letter] for letter in letters], dtype=np.uint8)
    colours = colours.reshape(lake.rows, lake.columns, 3)
    image = colours.repeat(_PIXELS, axis=0).repeat(_PIXELS, axis=1)
    image[::_PIXELS] = image[:, ::_PIXELS] = _LINE_COLOUR
    row, column = divmod(cell, lake.columns)
    square = image[row * _PIXELS : (row + 1) * _PIXELS, column * _PIXELS : (column + 1) * _PIXELS]
    offset = np.arange(_PIXELS) - _PIXELS / 2
    square[offset[:, None] ** 2 + offset**2 < (_PIXELS / 3) ** 2] = _PLAYER_COLOUR
    return image


def _coordinates(lake: Lake, cell: int) -> str:
    return (
        f"Size: {_count(lake.rows, 'row')}, {_count(lake.columns, 'column')}\n"
        f"Player: {_pairs(lake, cell)}{_WHERE[lake.letter(cell)]}\n"
        f"Goal: {_pairs(lake, *lake.goals)}\n"
        f"Holes: {_pairs(lake, *lake.holes) or 'none'}"
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _pairs(lake: Lake, *cells: int) -> str:
    pairs = (divmod(cell, lake.columns) for cell in cells)
    return ", ".join(f"({row}, {column})" for row, column in pairs)
