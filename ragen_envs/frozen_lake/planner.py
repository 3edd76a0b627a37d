"""The oracle: value iteration over (cell, moves left)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ragen_envs.frozen_lake.lake import ACTIONS, Lake, slip_probability

# Equal values reach us along different sums, so they may differ in their last bits.
_SUCCESS_TOLERANCE = 1e-12
_MOVES_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do on one lake.

    Attributes:
        directions: Index in `ACTIONS` of the best action, shape (max_moves, cells); row n is for
            n + 1 moves left.
        success: Probability of reaching a goal within `max_moves` moves from each cell.
    """

    directions: npt.NDArray[np.int8]
    success: npt.NDArray[np.float64]

    def direction(self, cell: int, moves_left: int) -> int:
        """The best action; with no move left, or fewer, the best as if there were one."""
        return int(self.directions[max(moves_left, 1) - 1, cell])


@lru_cache(maxsize=256)
def plan(lake: Lake, success_rate: float, max_moves: int) -> Plan:
    """The best play within `max_moves` moves.

    It maximises the probability of reaching a goal in the moves left. Among actions that are equal
    in that, it takes the one with the fewest expected moves, where running out counts the distance
    still to go and a fall counts as many moves as there are cells: so it heads for the goal
    without detours, also when too few moves are left to get there. What is still equal is decided
    by the order of `ACTIONS`.

    Cached per process by its arguments.
    """
    cells = lake.rows * lake.columns
    onward = np.array([[lake.neighbour(c, d) for c in range(cells)] for d in range(len(ACTIONS))])
    chances = _chances(success_rate)
    over = np.zeros(cells, dtype=np.bool_)
    over[[*lake.goals, *lake.holes]] = True
    success = np.zeros(cells)
    success[list(lake.goals)] = 1.0
    moves = np.array(lake.distances(), dtype=np.float64)
    directions = np.empty((max_moves, cells), dtype=np.int8)
    for row in directions:
        succeeds = chances @ success[onward]
        best = succeeds.max(axis=0)
        takes = 1.0 + chances @ moves[onward]
        takes[succeeds < best - _SUCCESS_TOLERANCE] = np.inf
        fewest = takes.min(axis=0)
        row[:] = (takes <= fewest + _MOVES_TOLERANCE).argmax(axis=0)
        success = np.where(over, success, best)
        moves = np.where(over, moves, fewest)
    directions.setflags(write=False)
    success.setflags(write=False)
    return Plan(directions, success)


def _chances(success_rate: float) -> npt.NDArray[np.float64]:
    """Probability of each executed direction given the intended one, shape (intended, executed)."""
    slip = slip_probability(success_rate)
    intended = np.eye(len(ACTIONS))
    sides = np.roll(intended, 1, axis=1) + np.roll(intended, -1, axis=1)
    return success_rate * intended + slip * sides
