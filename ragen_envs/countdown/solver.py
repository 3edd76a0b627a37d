"""The solver: what a Countdown puzzle needs, proved by exhaustive search.

Signs can be left out. The judge allows a sign before any operand, so the values that a set of
numbers can reach are closed under negation, and it is enough to search absolute values. On those,
`c` comes from `a` and `b` by one operation exactly if one of the three is the sum of the other two,
or the product of the other two (zeros apart, see `reach`). That is symmetric: what `a` has to be
combined with to give the target are the values that `a` and the target combine to. So one function,
`combine`, drives both directions of the search: forwards from the numbers through all values of
every subset, and backwards from the target over the last two numbers, which spares the large
subsets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal

from ragen_envs.countdown.expressions import Node, Tree, render
from ragen_envs.countdown.judge import check_puzzle

Needs = Literal["additive", "multiplicative", "fractions"]
Value = int | Fraction

NEEDS: Final[tuple[Needs, ...]] = ("additive", "multiplicative", "fractions")
MAX_NUMBERS: Final = 6
# Three numbers never need a fraction: their last operation has to make an integer of an integer and
# a quotient b / c, so it is * or /, and (b / c) * a is b * a / c, a / (b / c) is a * c / b, and
# (b / c) / a is b / (c * a), with integers all the way.
MIN_NUMBERS_FOR_FRACTIONS: Final = 4

# How a and b combine: the operator, whether b is its left operand, the value (>= 0, as a and b).
Combination = tuple[str, bool, Value]


def needs(numbers: Sequence[int], target: int) -> Needs | None:
    """The least that any solution of a puzzle needs, proved by searching all of them.

    Args:
        numbers: 1 to 6 ints >= 0, each to be used exactly once.
        target: Any int.

    Returns:
        "additive" if + and - are enough; "multiplicative" if they are not, but some solution with *
        or / has only integers in between; "fractions" if every solution passes through a
        non-integer; None if there is no solution.

    Raises:
        ValueError: The numbers or the target are not as above.
    """
    found = find(numbers, target)
    return None if found is None else found[0]


def solve(numbers: Sequence[int], target: int) -> str | None:
    """A solution as text, of the least kind that `needs` names, or None if there is none.

    Args:
        numbers: 1 to 6 ints >= 0, each to be used exactly once.
        target: Any int.

    Raises:
        ValueError: The numbers or the target are not as above.
    """
    found = find(numbers, target)
    if found is None:
        return None
    return signed(found[1], target)


def find(
    numbers: Sequence[int], target: int, most: Needs = "fractions"
) -> tuple[Needs, Tree] | None:
    """What a puzzle needs and a tree worth `abs(target)`; None if it needs more than `most`."""
    check_puzzle(numbers, target)
    if len(numbers) > MAX_NUMBERS:
        raise ValueError(f"numbers must be at most {MAX_NUMBERS} here, got {len(numbers)}")
    for kind in NEEDS[: NEEDS.index(most) + 1]:
        if kind == "fractions" and len(numbers) < MIN_NUMBERS_FOR_FRACTIONS:
            continue
        tree = _Search(numbers, _COMBINE[kind]).reach((1 << len(numbers)) - 1, abs(target))
        if tree is not None:
            return kind, tree
    return None


def signed(tree: Tree, target: int) -> str:
    """The text of a tree worth `abs(target)`, made worth `target`."""
    text = render(tree)
    return f"-({text})" if target < 0 else text


def _additive(a: Value, b: Value) -> list[Combination]:
    return [("+", False, a + b), ("-", False, a - b) if a >= b else ("-", True, b - a)]


def _integral(a: Value, b: Value) -> list[Combination]:
    combinations = [*_additive(a, b), ("*", False, a * b)]
    if b and a % b == 0:
        combinations.append(("/", False, a // b))
    if a and b % a == 0:
        combinations.append(("/", True, b // a))
    return combinations


def _rational(a: Value, b: Value) -> list[Combination]:
    combinations = [*_additive(a, b), ("*", False, a * b)]
    if b:
        combinations.append(("/", False, _quotient(a, b)))
    if a:
        combinations.append(("/", True, _quotient(b, a)))
    return combinations


def _quotient(a: Value, b: Value) -> Value:
    # A Fraction of denominator 1 would be right too, but ints are several times faster.
    if isinstance(a, int) and isinstance(b, int):
        return Fraction(a, b) if a % b else a // b
    quotient = Fraction(a) / b
    return quotient.numerator if quotient.denominator == 1 else quotient


# Each reaches all that the one before it does.
_COMBINE: dict[Needs, Callable[[Value, Value], list[Combination]]] = {
    "additive": _additive,
    "multiplicative": _integral,
    "fractions": _rational,
}


class _Search:
    """All values of the subsets of up to n - 2 numbers; the rest is searched from the target."""

    def __init__(
        self, numbers: Sequence[int], combine: Callable[[Value, Value], list[Combination]]
    ) -> None:
        self._numbers = numbers
        self._combine = combine
        # By subset, as a bit mask: each value with one way to reach it.
        self._reached: dict[int, dict[Value, Tree]] = {}
        largest = max(1, len(numbers) - 2)
        # A subset comes after its own subsets because their masks are smaller.
        for subset in range(1, 1 << len(numbers)):
            if subset.bit_count() <= largest:
                self._reached[subset] = self._values(subset)

    def reach(self, subset: int, target: Value) -> Tree | None:
        """A tree of exactly the numbers of the subset that is worth the target."""
        if subset in self._reached:
            return self._reached[subset].get(target)
        for part, rest in _splits(subset):
            for value, tree in self._reached[part].items():
                for operator, swapped, partner in self._combine(target, value):
                    if value == 0 and operator in "*/":
                        # 0 times anything is 0, which no partner can be read from.
                        found = self._sum(rest) if operator == "*" and target == 0 else None
                    else:
                        found = self.reach(rest, partner)
                    if found is not None:
                        return _undo(operator, swapped, tree, found)
        return None

    def _values(self, subset: int) -> dict[Value, Tree]:
        if subset.bit_count() == 1:
            number = self._numbers[subset.bit_length() - 1]
            return {number: number}
        reached: dict[Value, Tree] = {}
        for part, rest in _splits(subset):
            for a, left in self._reached[part].items():
                for b, right in self._reached[rest].items():
                    for operator, swapped, value in self._combine(a, b):
                        if value not in reached:
                            node = (operator, right, left) if swapped else (operator, left, right)
                            reached[value] = Node(*node)
        return reached

    def _sum(self, subset: int) -> Tree:
        numbers = [number for i, number in enumerate(self._numbers) if subset >> i & 1]
        total: Tree = numbers[0]
        for number in numbers[1:]:
            total = Node("+", total, number)
        return total


def _undo(operator: str, swapped: bool, tree: Tree, partner: Tree) -> Tree:
    """The tree worth t, where `operator` combined t with `tree` to the value of `partner`."""
    if operator == "+":  # partner = t + tree
        return Node("-", partner, tree)
    if operator == "*":
        return Node("/", partner, tree)
    if swapped:  # partner = tree - t, or tree / t
        return Node(operator, tree, partner)
    return Node("+" if operator == "-" else "*", tree, partner)  # partner = t - tree, or t / tree


@lru_cache(maxsize=1 << MAX_NUMBERS)
def _splits(subset: int) -> list[tuple[int, int]]:
    """Every way to part a subset in two, once each, the smaller part first."""
    splits = []
    lowest = subset & -subset
    part = (subset - 1) & subset
    while part:
        if part & lowest:
            pair = (part, subset ^ part)
            splits.append(pair if pair[0].bit_count() <= pair[1].bit_count() else pair[::-1])
        part = (part - 1) & subset
    return splits
