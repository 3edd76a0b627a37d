"""Plans with the fewest pushes, and plans with the fewest moves, both by A* over pushes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragen_envs.sokoban.board import Board
from ragen_envs.sokoban.level import ACTIONS, Level

# Positions reached until a search gives up, by default: up to seconds on a large open board.
PUSH_NODES = 40_000
MOVE_NODES = 400_000

# A reached position: boxes, player (as a set of one cell), cost so far, the push that led there
# (as an index into ACTIONS) and the node it came from.
_Node = tuple[int, int, int, int, "_Node | None"]


class NodeBudgetExceeded(RuntimeError):
    """A search reached `max_nodes` positions and neither found a plan nor ruled one out."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A way to solve a level.

    Attributes:
        actions: Moves in order, each one of `ACTIONS`.
        pushes: How many of them push a box.
    """

    actions: tuple[str, ...]
    pushes: int

    @property
    def moves(self) -> int:
        """Number of actions, pushes included."""
        return len(self.actions)


def solve_pushes(
    level: Level, *, max_nodes: int = PUSH_NODES, board: Board | None = None
) -> Plan | None:
    """A plan with the fewest pushes, the walks between them as short as they can be.

    Args:
        level: The position to solve.
        max_nodes: Positions that the search may reach, repeated ones included.
        board: `Board` of the level's walls and targets, where the caller has it already.

    Returns:
        The plan, or None where there is none.

    Raises:
        NodeBudgetExceeded: The search ended at `max_nodes` without an answer.
    """
    board = board or Board(level.width, level.floor, level.goals)
    goals = level.goals
    closed: set[tuple[int, int]] = set()
    queue = _Queue(board, level, max_nodes)
    for node in queue:
        boxes, player, pushes = node[:3]
        if boxes == goals:
            return _plan(board, node)
        # Where the player stands in a region costs no push, so its lowest cell stands for it.
        region = board.region(player, boxes)
        key = (boxes, region & -region)
        if key in closed:
            continue
        closed.add(key)
        room = board.alive & ~boxes
        for action, (left, right) in enumerate(board.shifts):
            movable = boxes & region << left >> right & room << right >> left
            while movable:
                box = movable & -movable
                movable ^= box
                queue.add(boxes ^ box ^ box << left >> right, box, pushes + 1, action, node)
    return None


def solve_optimal(
    level: Level, *, max_nodes: int = MOVE_NODES, board: Board | None = None
) -> Plan | None:
    """A plan with the fewest moves.

    Args:
        level: The position to solve.
        max_nodes: Positions that the search may reach, repeated ones included.
        board: `Board` of the level's walls and targets, where the caller has it already.

    Returns:
        The plan, or None where there is none.

    Raises:
        NodeBudgetExceeded: The search ended at `max_nodes` without an answer.
    """
    board = board or Board(level.width, level.floor, level.goals)
    goals = level.goals
    width = level.width
    closed: set[tuple[int, int]] = set()
    queue = _Queue(board, level, max_nodes)
    for node in queue:
        boxes, player, moves = node[:3]
        if boxes == goals:
            return _plan(board, node)
        if (boxes, player) in closed:
            continue
        closed.add((boxes, player))
        free = board.floor & ~boxes
        room = board.alive & free
        seen = layer = player
        while layer:  # cells that the player reaches in 0, 1, 2, ... moves
            moves += 1
            for action, (left, right) in enumerate(board.shifts):
                movable = boxes & layer << left >> right & room << right >> left
                while movable:
                    box = movable & -movable
                    movable ^= box
                    queue.add(boxes ^ box ^ box << left >> right, box, moves, action, node)
            layer = (layer << 1 | layer >> 1 | layer << width | layer >> width) & free & ~seen
            seen |= layer
    return None


class _Queue:
    """Open positions by cost + bound; iterating pops them, the latest of the cheapest first.

    The bound is consistent, so costs never go down, positions may be added while iterating, and a
    position that is popped for the first time was reached at its least cost.
    """

    def __init__(self, board: Board, level: Level, max_nodes: int) -> None:
        self._board = board
        self._max_nodes = max_nodes
        self._left = max_nodes
        self._buckets: list[list[_Node]] = []
        self._first = board.bound(level.boxes) or 0
        self.add(level.boxes, 1 << level.player, 0, -1, None)

    def __iter__(self) -> Iterator[_Node]:
        for bucket in self._buckets:  # grows as it is read
            while bucket:
                yield bucket.pop()

    def add(self, boxes: int, player: int, cost: int, action: int, parent: _Node | None) -> None:
        """Queue a position, unless its boxes are stuck for good."""
        if self._left <= 0:
            raise NodeBudgetExceeded(f"no answer within {self._max_nodes} positions")
        self._left -= 1
        bound = self._board.bound(boxes)
        if bound is None:
            return
        at = cost + bound - self._first
        while at >= len(self._buckets):
            self._buckets.append([])
        self._buckets[at].append((boxes, player, cost, action, parent))


def _plan(board: Board, node: _Node) -> Plan:
    """The pushes that led to a node, with shortest walks between them."""
    steps: list[int] = []  # from the last to the first
    pushes = 0
    _, player, _, action, parent = node
    while parent is not None:
        boxes, before, _, previous, grandparent = parent
        left, right = board.shifts[action]
        steps.append(action)
        steps += reversed(board.walk(before, player << right >> left, boxes))
        pushes += 1
        player, action, parent = before, previous, grandparent
    return Plan(tuple(ACTIONS[step] for step in reversed(steps)), pushes)
