"""A level as a model reads it (grid, coordinates) and as an image."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ragen_envs.sokoban.level import Level, cells_of, inner_cells

OBSERVATION_FORMATS = ("grid", "coordinates", "grid+coordinates")

SYMBOLS = {
    "wall": "#",
    "floor": "_",
    "target": "O",
    "box_on_target": "√",
    "box": "X",
    "player": "P",
    "player_on_target": "S",
}

_TILE = 16  # pixels
_COLOURS = {
    "wall": (70, 70, 80),
    "floor": (235, 230, 215),
    "target": (240, 160, 160),
    "box_on_target": (70, 160, 90),
    "box": (190, 130, 60),
    "player": (60, 110, 200),
    "player_on_target": (130, 80, 190),
}


class LevelText:
    """Text of a level, written again after each move from what never changes in it.

    Args:
        level: The level, of which walls and targets are used.
        symbols: One character for each name of `SYMBOLS`.
        observation_format: One of `OBSERVATION_FORMATS`.
    """

    def __init__(self, level: Level, symbols: Mapping[str, str], observation_format: str) -> None:
        self._width = level.width
        self._goals = level.goals
        self._grid = "grid" in observation_format
        self._coordinates = "coordinates" in observation_format
        # What stands on a cell, first off target and then on one.
        self._box = (symbols["box"], symbols["box_on_target"])
        self._player = (symbols["player"], symbols["player_on_target"])
        self._background = self._empty_room(level, symbols)
        self._fixed = (
            f"Targets: {self._places(level.goals)}\nWalls: {self._walls(level)}"
            if self._coordinates
            else ""
        )

    def __call__(self, boxes: int, player: int) -> str:
        """The observation with the boxes (a set of cells) and the player (a cell) there."""
        if not self._coordinates:
            return self._as_grid(boxes, player)
        coordinates = (
            f"Player: {self._places(1 << player)}\nBoxes: {self._places(boxes)}\n{self._fixed}"
        )
        return f"{self._as_grid(boxes, player)}\n\n{coordinates}" if self._grid else coordinates

    def _as_grid(self, boxes: int, player: int) -> str:
        characters = self._background.copy()
        goals, width = self._goals, self._width
        for cell in cells_of(boxes):
            characters[cell + cell // width] = self._box[goals >> cell & 1]
        characters[player + player // width] = self._player[goals >> player & 1]
        return "".join(characters)

    def _places(self, cells: int) -> str:
        return ", ".join(f"({c // self._width}, {c % self._width})" for c in cells_of(cells))

    def _walls(self, level: Level) -> str:
        last_row, last_column = level.height - 1, level.width - 1
        outer = f"all of rows 0 and {last_row} and of columns 0 and {last_column}"
        inside = self._places(level.walls & inner_cells(level.height, level.width))
        return f"{outer}, and {inside}" if inside else outer

    @staticmethod
    def _empty_room(level: Level, symbols: Mapping[str, str]) -> list[str]:
        """Characters of the room alone, with a newline after each row but the last."""
        characters = [symbols["wall"]] * (level.height * level.width)
        for cell in cells_of(level.floor):
            characters[cell] = symbols["target" if level.goals >> cell & 1 else "floor"]
        for row in range(level.height - 1, 0, -1):
            characters.insert(row * level.width, "\n")
        return characters


def image_of(level: Level, boxes: int, player: int) -> npt.NDArray[np.uint8]:
    """The position as RGB, shape `(16 * height, 16 * width, 3)`."""
    tiles: Any = np.zeros((level.height, level.width, 3), dtype=np.uint8)
    tiles[:] = _COLOURS["wall"]
    for cell in cells_of(level.floor):
        on_target = level.goals >> cell & 1
        if cell == player:
            name = ("player", "player_on_target")[on_target]
        elif boxes >> cell & 1:
            name = ("box", "box_on_target")[on_target]
        else:
            name = ("floor", "target")[on_target]
        tiles[divmod(cell, level.width)] = _COLOURS[name]
    return np.repeat(np.repeat(tiles, _TILE, axis=0), _TILE, axis=1)
