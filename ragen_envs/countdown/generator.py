"""The generator: puzzles grown from their solution, so that none is ever unsolvable.

A target is drawn first and taken apart: it becomes `a operator b`, and each part is taken apart in
turn until there are as many numbers as wanted. A part that cannot become a number in the range ends
the try, and the next one starts from a new target.

Shares of the solutions so made, measured on 20,000 puzzles of Countdown-v0 and 6,000 of
CountdownHard-v0: with * 51% and 98%, with / 43% and 58%, with + and - alone 29% and 1%, through a
fraction 4% and 19%. Of all puzzles 2% turn out to need one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import isqrt
from typing import NamedTuple

import numpy as np

from ragen_envs.countdown.expressions import Node, Tree, label, leaves, render
from ragen_envs.countdown.solver import NEEDS, Needs, find
from ragen_envs.splits import MAX_DRAWS, draw_in_split

Range = tuple[int, int]

_MAX_TRIES = 10_000
_FRACTION_SHARE = 0.25
_MAX_DENOMINATOR = 12
# A part of k numbers is drawn up to 4^(k - 1) times the largest number: room for products, without
# values that no product of numbers in the range reaches.
_GROWTH = 4
_ORDERS = tuple(permutations("+-*/"))
# As many as one try can use: four for each of at most five nodes, the target and the count.
_UNIFORMS = 22


@dataclass(frozen=True, slots=True)
class Puzzle:
    """One instance.

    Attributes:
        numbers: The given numbers, in the order in which they are shown.
        target: The value to reach.
        solution: An expression that is correct.
        operations: The operators of that solution, each once, in the order `+-*/`.
        fractions: Whether that solution passes through a non-integer.
    """

    numbers: tuple[int, ...]
    target: int
    solution: str
    operations: str
    fractions: bool


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a generated puzzle keeps to; every range includes both ends.

    Attributes:
        count: How many numbers.
        number_range: Of each number.
        target_range: Of the target.
    """

    count: Range
    number_range: Range
    target_range: Range

    def __str__(self) -> str:
        return (
            f"count={self.count}, number_range={self.number_range}, "
            f"target_range={self.target_range}"
        )


def content(numbers: Sequence[int], target: int) -> str:
    """What makes a puzzle, whatever the order of its numbers; the split is decided by it."""
    return f"{sorted(numbers)} {target}"


class _Grown(NamedTuple):
    numbers: list[int]  # sorted
    target: int
    tree: Tree


def generate(
    rng: np.random.Generator, bounds: Bounds, split: str, wanted: Needs | None = None
) -> Puzzle:
    """A puzzle of a split that needs what is wanted, None for whatever comes.

    The split is decided by the sorted numbers and the target, before any solver runs.

    Raises:
        ValueError: The bounds leave no puzzle, none of the split or none that needs what is wanted,
            as far as a bounded number of draws can tell.
    """

    def draw() -> tuple[str, _Grown]:
        grown = _grow(rng, bounds)
        return content(grown.numbers, grown.target), grown

    for _ in range(MAX_DRAWS):
        grown = draw_in_split(draw, split, str(bounds))
        puzzle = _puzzle(grown, rng)
        if wanted is None or _proved(puzzle, wanted):
            return puzzle
    raise ValueError(f"no puzzle with needs={wanted!r} in {MAX_DRAWS} draws: {bounds} leaves none")


def _grow(rng: np.random.Generator, bounds: Bounds) -> _Grown:
    """A random solution within the bounds; the target itself is not among its numbers.

    Raises:
        ValueError: None was found in a bounded number of tries.
    """
    fewest, most = bounds.count
    lowest, highest = bounds.target_range
    for _ in range(_MAX_TRIES):
        uniforms = iter(rng.random(_UNIFORMS).tolist())
        target = _between(lowest, highest, uniforms)
        tree = _take_apart(target, _between(fewest, most, uniforms), bounds.number_range, uniforms)
        if tree is not None:
            numbers = sorted(leaves(tree))
            if target not in numbers:  # the others would only have to cancel out
                return _Grown(numbers, target, tree)
    raise ValueError(f"no puzzle in {_MAX_TRIES} tries: {bounds} leaves too few")


def _puzzle(grown: _Grown, rng: np.random.Generator) -> Puzzle:
    # From sorted to shuffled, so that the order shown says nothing about the solution.
    shown = tuple(grown.numbers[i] for i in rng.permutation(len(grown.numbers)).tolist())
    return Puzzle(shown, grown.target, render(grown.tree), *label(grown.tree))


def _proved(puzzle: Puzzle, wanted: Needs) -> bool:
    # The solution at hand bounds from above what is needed, which spares most proofs.
    at_most = 2 if puzzle.fractions else 1 if set(puzzle.operations) & {"*", "/"} else 0
    if at_most < NEEDS.index(wanted):
        return False
    found = find(puzzle.numbers, puzzle.target, wanted)
    return found is not None and found[0] == wanted


def _take_apart(value: int, count: int, numbers: Range, uniforms: Iterator[float]) -> Tree | None:
    """A random tree of `count` numbers in the range that is worth `value`, or None."""
    if count == 1:
        return value if numbers[0] <= value <= numbers[1] else None
    if count >= 4 and next(uniforms) < _FRACTION_SHARE:
        return _through_fraction(value, count, numbers, uniforms)
    left_count = _between(1, count - 1, uniforms)
    left_range = _range_of(left_count, numbers)
    right_range = _range_of(count - left_count, numbers)
    for operator in _ORDERS[int(next(uniforms) * len(_ORDERS))]:
        parts = _parts(operator, value, left_range, right_range, uniforms)
        if parts is not None:
            break
    else:
        return None
    left = _take_apart(parts[0], left_count, numbers, uniforms)
    if left is None:
        return None
    right = _take_apart(parts[1], count - left_count, numbers, uniforms)
    return None if right is None else Node(operator, left, right)


def _parts(
    operator: str, value: int, left: Range, right: Range, uniforms: Iterator[float]
) -> tuple[int, int] | None:
    """Random a and b in their ranges with `a operator b == value`, or None where there are none."""
    if operator == "*":
        factors = [
            b for b in _divisors(value) if 1 < b < value and _in(b, right) and _in(value // b, left)
        ]
        if not factors:
            return None
        b = factors[int(next(uniforms) * len(factors))]
        return value // b, b
    if operator == "+":
        low, high = max(right[0], value - left[1]), min(right[1], value - left[0])
    elif operator == "-":
        low, high = max(right[0], left[0] - value), min(right[1], left[1] - value)
    else:
        low, high = max(right[0], 2, -(-left[0] // value)), min(right[1], left[1] // value)
    if low > high:
        return None
    b = _between(low, high, uniforms)
    return {"+": value - b, "-": value + b, "/": value * b}[operator], b


def _through_fraction(
    value: int, count: int, numbers: Range, uniforms: Iterator[float]
) -> Tree | None:
    """A tree `m * (a + b / c)` or `m / (a + b / c)`, or with a minus; `b / c` is not an integer.

    With d = a * c + b, the first is worth m * d / c and the second m * c / d. So the first takes
    m = c * j and d = value / j for a divisor j of the value, and the second m = j * d for a divisor
    c = value / j.
    """
    divisors = _divisors(value)
    if next(uniforms) < 0.5:
        operator = "*"
        c = _between(2, _MAX_DENOMINATOR, uniforms)
        j = divisors[int(next(uniforms) * len(divisors))]
        d = value // j
        m = c * j
    else:
        operator = "/"
        c = divisors[int(next(uniforms) * len(divisors))]
        d = _between(1, _MAX_DENOMINATOR * c, uniforms)
        m = value // c * d
    if d % c == 0:
        return None
    a = d // c + int(next(uniforms) < 0.5)  # the integer below d / c, or the one above
    b = abs(d - a * c)
    if a == 0 or not (_in(b, numbers) and _in(c, numbers)):
        return None
    m_count = _between(1, count - 3, uniforms)
    left = _take_apart(m, m_count, numbers, uniforms)
    integer = _take_apart(a, count - 2 - m_count, numbers, uniforms)
    if left is None or integer is None:
        return None
    fraction = Node("+" if a * c < d else "-", integer, Node("/", b, c))
    return Node(operator, left, fraction)


@lru_cache(maxsize=1 << 14)
def _divisors(value: int) -> list[int]:
    """The divisors of a positive int, in no particular order."""
    small = [d for d in range(1, isqrt(value) + 1) if value % d == 0]
    return [*small, *(value // d for d in small if d * d != value)]


def _between(low: int, high: int, uniforms: Iterator[float]) -> int:
    return low + int(next(uniforms) * (high - low + 1))


def _in(value: int, bounds: Range) -> bool:
    return bounds[0] <= value <= bounds[1]


def _range_of(count: int, numbers: Range) -> Range:
    """What a part of `count` numbers may be worth when it is drawn."""
    return numbers if count == 1 else (1, numbers[1] * _GROWTH ** (count - 1))
