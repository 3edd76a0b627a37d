"""Board: what the walls and targets of a level alone imply for any position of its boxes."""

from __future__ import annotations

from ragen_envs.sokoban.level import cells_of, flood

# A push of each action is a shift by (left, right); one of the two is 0. Order of level.ACTIONS.
Shift = tuple[int, int]

# The assignment looks at every subset of targets, so its cost doubles with each box.
_MAX_ASSIGNED = 8


class Board:
    """Pushes between cells, a lower bound on pushes, and walks.

    Args:
        width: Columns of the level.
        floor: Cells that are not wall, as bits.
        goals: Targets, as bits.

    Attributes:
        shifts: `(left, right)` of Up, Down, Left and Right: a set of cells moved by one is
            `cells << left >> right`, and moved back `cells << right >> left`.
        alive: Cells from which a box alone on the board can be pushed to some target.
        pushes_to_goal: For each such cell, pairs of (target as a bit number, fewest pushes).
    """

    def __init__(self, width: int, floor: int, goals: int) -> None:
        self.width = width
        self.floor = floor
        self.goals = goals
        self.shifts: tuple[Shift, ...] = ((0, width), (width, 0), (0, 1), (1, 0))
        self.pushes_to_goal: dict[int, list[tuple[int, int]]] = {}
        self.alive = 0
        self._bounds: dict[int, int | None] = {goals: 0}
        for number, goal in enumerate(cells_of(goals)):
            self._pull_from(1 << goal, 1 << number)

    def _pull_from(self, layer: int, goal_bit: int) -> None:
        """Breadth-first over pulls of a lone box, ignoring on which side the player is."""
        floor = self.floor
        # A box can be pulled onto a cell, against a push, if the player fits behind that cell.
        pulls = [(left, right, floor & floor << left >> right) for left, right in self.shifts]
        seen = 0
        pushes = 0
        while layer:
            seen |= layer
            for cell in cells_of(layer):
                self.pushes_to_goal.setdefault(cell, []).append((goal_bit, pushes))
            pulled = 0
            for left, right, possible in pulls:
                pulled |= layer << right >> left & possible
            layer = pulled & ~seen
            pushes += 1
        self.alive |= seen

    def bound(self, boxes: int) -> int | None:
        """Pushes that any plan needs at least; None where the boxes are stuck for good.

        It is the cheapest assignment of boxes to targets by pushes of a lone box, or with more than
        `_MAX_ASSIGNED` boxes each to its nearest target; hence consistent: a push lowers it by at
        most one.
        """
        try:
            return self._bounds[boxes]
        except KeyError:
            found = None if self._blocked(boxes) else self._cheapest_assignment(boxes)
            self._bounds[boxes] = found
            return found

    def _blocked(self, boxes: int) -> bool:
        """Whether a box off target stands in a square of four boxes and walls, so never moves."""
        width = self.width
        taken = boxes | ~self.floor
        pairs = taken & taken >> 1
        squares = pairs & pairs >> width  # each by its upper left cell
        pairs = squares | squares << 1
        return bool((pairs | pairs << width) & boxes & ~self.goals)

    def _cheapest_assignment(self, boxes: int) -> int | None:
        if boxes.bit_count() > _MAX_ASSIGNED:
            return self._nearest_targets(boxes)
        costs = {0: 0}  # by the set of targets in use
        for cell in cells_of(boxes):
            extended: dict[int, int] = {}
            for goal_bit, pushes in self.pushes_to_goal.get(cell, ()):
                for used, cost in costs.items():
                    if not used & goal_bit:
                        key = used | goal_bit
                        if key not in extended or cost + pushes < extended[key]:
                            extended[key] = cost + pushes
            costs = extended
        return min(costs.values(), default=None)

    def _nearest_targets(self, boxes: int) -> int | None:
        """Each box to its nearest target, whoever else goes there: a lower bound, and cheap."""
        total = 0
        for cell in cells_of(boxes):
            reachable = self.pushes_to_goal.get(cell)
            if not reachable:
                return None
            total += min(pushes for _, pushes in reachable)
        return total

    def region(self, player: int, boxes: int) -> int:
        """Cells that the player, given as a set of one cell, can walk to."""
        return flood(player, self.floor & ~boxes, self.width)

    def walk(self, start: int, end: int, boxes: int) -> list[int]:
        """A shortest walk between two cells, each a set of one, as indices into `ACTIONS`."""
        free = self.floor & ~boxes
        width = self.width
        layers = [start]
        seen = layer = start
        while not layer & end:
            layer = (layer << 1 | layer >> 1 | layer << width | layer >> width) & free & ~seen
            seen |= layer
            layers.append(layer)
        steps: list[int] = []
        for layer in reversed(layers[:-1]):
            for action, (left, right) in enumerate(self.shifts):
                before = end << right >> left
                if before & layer:
                    steps.append(action)
                    end = before
                    break
        return steps[::-1]
