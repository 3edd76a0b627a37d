"""New levels: carve a room, take the boxes away from their targets, prove that it can be solved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ragen_envs.arguments import check_int
from ragen_envs.sokoban.board import Board
from ragen_envs.sokoban.level import Level, inner_cells
from ragen_envs.sokoban.solver import NodeBudgetExceeded, Plan, solve_optimal, solve_pushes
from ragen_envs.splits import draw_in_split

MIN_SIDE = 5
MAX_SIDE = 20
MAX_BOXES = 5
MAX_MOVES = 1_000

# Boards with one box and up to this many inner cells are searched exhaustively.
_SMALL = 16

# A level that takes more to prove is dropped, which keeps the slowest reset short.
_PROOF_NODES = 5_000
_MAX_PROOFS = 1_000
_MAX_ROOMS = 5_000

# Starts tried in a room before another is carved: most of them are left for another split.
_STARTS_PER_ROOM = 4

# Pulls tried on the way from the solved position, and how likely one goes on in its direction.
_PULLS_PER_BOX = 12
_KEEP_PULLING = 0.6

# What the carver cuts out at a time, as (row, column) offsets from where it stands; each shape is
# connected through that cell or its neighbour below, so that the room stays in one piece.
_SHAPES = (
    ((0, 0),),
    ((0, 0), (0, 1)),
    ((0, 0), (1, 0)),
    ((0, 0), (0, 1), (1, 0)),
    ((0, 0), (0, 1), (1, 0), (1, 1)),
)
_TURN = 0.4

_Uniform = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a new level must be like.

    Attributes:
        height: Rows, the outer walls included, in [5, 20].
        width: Columns, the outer walls included, in [5, 20].
        num_boxes: Boxes, and as many targets, in [1, 5] and below a third of the inner cells.
        max_moves: Moves within which the level's own plan must solve it.
        min_pushes: Pushes that any plan needs at least, in [1, `most_pushes`].

    Raises:
        TypeError: A field is not an int.
        ValueError: A field is out of its range.
    """

    height: int
    width: int
    num_boxes: int
    max_moves: int
    min_pushes: int

    def __post_init__(self) -> None:
        check_int("size rows", self.height, MIN_SIDE, MAX_SIDE)
        check_int("size columns", self.width, MIN_SIDE, MAX_SIDE)
        check_int("num_boxes", self.num_boxes, 1, MAX_BOXES)
        size = (self.height, self.width)
        room = (self.inner - 1) // 3
        if self.num_boxes > room:
            raise ValueError(
                f"num_boxes must be in [1, {room}] for size {size}, got {self.num_boxes}"
            )
        check_int("max_moves", self.max_moves, self.num_boxes, MAX_MOVES)
        check_int("min_pushes", self.min_pushes, 1)
        # Plans take two to three moves a push.
        within = max(1, self.max_moves // (2 if self.small else 3))
        if self.min_pushes > min(self.most_pushes, within):
            boxes = "1 box" if self.num_boxes == 1 else f"{self.num_boxes} boxes"
            limit = f" and max_moves {self.max_moves}" if within < self.most_pushes else ""
            raise ValueError(
                f"min_pushes must be in [1, {min(self.most_pushes, within)}] for size {size} "
                f"with {boxes}{limit}, got {self.min_pushes}"
            )

    @property
    def inner(self) -> int:
        """Number of cells inside the outer walls."""
        return (self.height - 2) * (self.width - 2)

    @property
    def small(self) -> bool:
        """Whether starts are searched exhaustively and plans have the fewest moves."""
        return self.num_boxes == 1 and self.inner <= _SMALL

    @property
    def most_pushes(self) -> int:
        """The largest `min_pushes` that levels of this size are found for."""
        if self.small:
            return 5 if min(self.height, self.width) >= 6 else 2
        # Fitted to what the generator finds in a hundred rooms: pushes grow with the sides of the
        # room up to a point, and boxes beyond one to eight inner cells only block each other.
        reach = min((self.height + self.width) // 2 - 3, 9)
        return reach * (min(self.num_boxes, self.inner // 8) + 2) // 2


def generate(rng: np.random.Generator, recipe: Recipe, split: str) -> tuple[Level, Plan]:
    """Make a level of a split, and the plan that proves it.

    The split is decided by the level's text before any solver runs, so that neither a budget nor
    `max_moves` ever moves a level from one split to another.

    Args:
        rng: The only source of randomness.
        recipe: What the level must be like.
        split: "train", "validation" or "test".

    Returns:
        The level, with no box on a target, and its plan: with the fewest moves where
        `recipe.small`, else with the fewest pushes and shortest walks between them.

    Raises:
        ValueError: No room of the many that were tried gave such a level.
    """
    uniform = _uniforms(rng).__next__
    candidates = _candidates(recipe, uniform)
    for _ in range(_MAX_PROOFS):
        level, board = draw_in_split(
            lambda: next(candidates), split, "size, num_boxes, max_moves and min_pushes"
        )
        plan = _prove(recipe, level, board)
        if plan is not None:
            return level, plan
    raise _refusal(recipe)


def plan_of(level: Level, max_nodes: int, *, board: Board | None = None) -> Plan | None:
    """The plan that a level of this kind carries; None where none was found in `max_nodes`.

    Small boards with one box are solved with the fewest moves, others with the fewest pushes.
    """
    area = (level.height - 2) * (level.width - 2)
    small = level.boxes.bit_count() == 1 and area <= _SMALL
    solve = solve_optimal if small else solve_pushes
    try:
        return solve(level, max_nodes=max_nodes, board=board)
    except NodeBudgetExceeded:
        return None


def _prove(recipe: Recipe, level: Level, board: Board) -> Plan | None:
    """The plan of a level that is as the recipe wants it, else None."""
    plan = plan_of(level, _PROOF_NODES, board=board)
    if plan is None or plan.moves > recipe.max_moves or plan.pushes < recipe.min_pushes:
        return None
    if recipe.small and recipe.min_pushes > 1:
        # A plan with the fewest moves may push more often than another has to.
        fewest = solve_pushes(level, max_nodes=_PROOF_NODES, board=board)
        if fewest is None or fewest.pushes < recipe.min_pushes:
            return None
    return plan


def _refusal(recipe: Recipe) -> ValueError:
    return ValueError(
        f"max_moves {recipe.max_moves} and min_pushes {recipe.min_pushes} leave no level of size "
        f"{(recipe.height, recipe.width)} with num_boxes {recipe.num_boxes}: relax one of them"
    )


def _candidates(recipe: Recipe, uniform: _Uniform) -> Iterator[tuple[str, tuple[Level, Board]]]:
    """Unproved levels, each after its text; raises after `_MAX_ROOMS` rooms."""
    place = _search_backwards if recipe.small else _pull_apart
    everything = (1 << recipe.height * recipe.width) - 1
    for _ in range(_MAX_ROOMS):
        floor = _carve(recipe, uniform)
        goals = 0
        for _ in range(recipe.num_boxes):
            goals |= _pick(floor & ~goals, uniform)
        board = Board(recipe.width, floor, goals)
        walls = everything ^ floor
        for boxes, player in place(recipe, board, uniform):
            level = Level(recipe.height, recipe.width, walls, goals, boxes, player)
            yield level.to_text(), (level, board)
    raise _refusal(recipe)


def _uniforms(rng: np.random.Generator) -> Iterator[float]:
    """Numbers in [0, 1), drawn in bulk: one call of the generator costs as much as 30 of them."""
    while True:
        yield from rng.random(96).tolist()


def _pick(cells: int, uniform: _Uniform) -> int:
    """One cell of a non-empty set, each equally likely, as a set of one."""
    for _ in range(int(uniform() * cells.bit_count())):
        cells &= cells - 1
    return cells & -cells


def _carve(recipe: Recipe, uniform: _Uniform) -> int:
    """A connected room: the trail of a wanderer who cuts out a small shape at every step."""
    height, width = recipe.height, recipe.width
    inner = inner_cells(height, width)
    shapes = [sum(1 << row * width + column for row, column in shape) for shape in _SHAPES]
    low, high = (0.6, 1.0) if recipe.small else (0.5, 0.85)
    # Room for boxes, targets and a player who can get round them.
    size = max(int(recipe.inner * (low + (high - low) * uniform())), 3 * recipe.num_boxes + 1)
    steps = (-width, width, -1, 1)
    step = steps[int(uniform() * 4)]
    cell = _pick(inner, uniform).bit_length() - 1
    floor = 0
    while floor.bit_count() < size:
        floor |= shapes[int(uniform() * len(shapes))] << cell & inner
        if uniform() < _TURN or not inner >> cell + step & 1:
            step = steps[int(uniform() * 4)]
        if inner >> cell + step & 1:
            cell += step
    return floor


def _search_backwards(recipe: Recipe, board: Board, uniform: _Uniform) -> Iterator[tuple[int, int]]:
    """Starts of one box, among all from which its target can be reached in `max_moves`."""
    starts = _starts(recipe, board)
    counts = [pushes for pushes in sorted(starts) if pushes >= recipe.min_pushes]
    if not counts:
        return
    for _ in range(_STARTS_PER_ROOM):
        # Most starts are a push or two away, hence the larger of two draws, and not of all starts
        # but of the numbers of pushes.
        choices = starts[counts[int(max(uniform(), uniform()) * len(counts))]]
        box, player = choices[int(uniform() * len(choices))]
        yield 1 << box, player


def _starts(recipe: Recipe, board: Board) -> dict[int, list[tuple[int, int]]]:
    """(box, player) cells within `max_moves` of solving, by the pushes of a shortest plan."""
    floor = board.floor
    goal = board.goals.bit_length() - 1
    steps = (-recipe.width, recipe.width, -1, 1)
    seen: set[tuple[int, int]] = set()
    starts: dict[int, list[tuple[int, int]]] = {}
    # The last move is a push, so the search goes back from the target by pulls alone at first.
    layer = [
        (goal - step, goal - 2 * step, 1)
        for step in steps
        if floor >> goal - step & 1 and floor >> goal - 2 * step & 1
    ]
    for _ in range(recipe.max_moves):
        earlier: list[tuple[int, int, int]] = []
        for box, player, pushes in layer:
            if box == goal or (box, player) in seen:
                continue
            seen.add((box, player))
            starts.setdefault(pushes, []).append((box, player))
            for step in steps:
                before = player - step
                if floor >> before & 1 and before != box:
                    earlier.append((box, before, pushes))
                    if player + step == box:
                        earlier.append((player, before, pushes + 1))
        layer = earlier
        if not layer:
            break
    return starts


def _pull_apart(recipe: Recipe, board: Board, uniform: _Uniform) -> Iterator[tuple[int, int]]:
    """Random pulls from the solved position; pushing the boxes back is then a plan.

    Of the positions on the way with no box on a target, the one that needs the most pushes is
    taken, but not more than `max_moves` would seem to allow, walks being twice as long as pushes.
    """
    boxes = board.goals
    region = board.region(_pick(board.floor & ~boxes, uniform), boxes)
    found = None
    farthest = recipe.min_pushes - 1
    ceiling = max(recipe.min_pushes, recipe.num_boxes, recipe.max_moves // 3)
    for _ in range(_PULLS_PER_BOX * recipe.num_boxes):
        pulled = _pull(board, boxes, region, uniform)
        if pulled is None:
            break
        boxes, player = pulled
        region = board.region(player, boxes)
        bound = None if boxes & board.goals else board.bound(boxes)
        if bound is not None and farthest < bound <= ceiling:
            farthest = bound
            found = boxes, region
    if found is None:
        return
    boxes, region = found
    for _ in range(_STARTS_PER_ROOM):
        yield boxes, _pick(region, uniform).bit_length() - 1


def _pull(board: Board, boxes: int, region: int, uniform: _Uniform) -> tuple[int, int] | None:
    """Pull a random box a random way one or more cells: the boxes, and the player as a cell set."""
    free = board.floor & ~boxes
    options = []
    for left, right in board.shifts:
        # The player stands beside the box, and behind him there is room to step back.
        movable = boxes & (region & free << right >> left) << right >> left
        if movable:
            options.append((movable, left, right))
    if not options:
        return None
    movable, left, right = options[int(uniform() * len(options))]
    box = _pick(movable, uniform)
    player = box << left >> right
    while True:
        boxes ^= box | player
        box, player = player, player << left >> right
        if not player << left >> right & free or uniform() > _KEEP_PULLING:
            return boxes, player
