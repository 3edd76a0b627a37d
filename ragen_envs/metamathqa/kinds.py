"""The kinds of answers, and when two answers are the same.

Kinds never mix: a list of two values is no value, a pair is no set, a time of day is no number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ragen_envs.metamathqa import units, values
from ragen_envs.metamathqa.expressions import letter_of
from ragen_envs.metamathqa.quantities import (
    Quantity,
    combine,
    difference,
    letter,
    proportional,
    same_quantity,
)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number or an expression, with its canonical unit ("" for none)."""

    quantity: Quantity
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Infinite:
    """Infinity, of either sign."""

    negative: bool


@dataclass(frozen=True, slots=True)
class Ordered:
    """A tuple, point or interval; `brackets` are its two ends, such as "[)"."""

    brackets: str
    items: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Interval:
    """What an inequality, a membership or a union says to be an interval; no point.

    `Ordered` may be a point: which of the two "(1, 2)" is, only the question says.
    """

    brackets: str
    items: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Unordered:
    """A list of solutions, a set, or a union of intervals: the order does not count."""

    items: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of entries."""

    rows: tuple[tuple[Answer, ...], ...]


@dataclass(frozen=True, slots=True)
class Numeral:
    """Digits in a named base: compared as written, for the base is what was asked for."""

    digits: str
    base: int


@dataclass(frozen=True, slots=True)
class Clock:
    """Numbers between colons, a ratio or a time of day on the 24-hour clock: as written."""

    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Equation:
    """An equation that is more than a name for a value: left side minus right side."""

    quantity: Quantity


@dataclass(frozen=True, slots=True)
class Words:
    """Text, letter case aside."""

    text: str


@dataclass(frozen=True, slots=True)
class Named:
    """What a variable is said to be: the value of "x = 5", the interval of "x > 5"."""

    name: str
    answer: Answer


Answer = (
    Measure
    | Infinite
    | Ordered
    | Interval
    | Unordered
    | Matrix
    | Numeral
    | Clock
    | Equation
    | Words
    | Named
)


def same(gold: Answer, response: Answer) -> bool:
    """Whether the response's answer is the gold answer.

    Symmetric but for three things. "50%" answers 50, for which the sign may be implied; it also is
    0.5; but "0.5%" does not answer 0.5. "(1, 2)" answers 1 < x < 2, but 1 < x < 2 does not answer
    "(1, 2)", which may be a point. "2, 3" answers "x = 2, y = 3", but not the other way round.
    """
    a, b = gold, response
    if isinstance(a, Named) or isinstance(b, Named):
        return _same_named(a, b)
    if isinstance(a, Unordered) != isinstance(b, Unordered):
        a, b = _lone(a), _lone(b)
    if isinstance(a, Measure) and isinstance(b, Measure):
        return _same_measure(a, b)
    if isinstance(a, (Ordered, Interval)) and isinstance(b, (Ordered, Interval)):
        return _same_pair(a, b)
    if isinstance(a, Unordered) and isinstance(b, Unordered):
        return _same_list(a, b)
    if isinstance(a, Matrix) and isinstance(b, Matrix):
        return len(a.rows) == len(b.rows) and all(map(_same_items, a.rows, b.rows))
    if isinstance(a, Equation) and isinstance(b, Equation):
        return proportional(a.quantity, b.quantity)
    return a == b


def _same_pair(a: Ordered | Interval, b: Ordered | Interval) -> bool:
    if isinstance(a, Ordered) and isinstance(b, Interval) and not _must_be_interval(a):
        return False
    return a.brackets == b.brackets and _same_items(a.items, b.items)


def _same_list(a: Unordered, b: Unordered) -> bool:
    if _names_differ(b) and not any(isinstance(item, Named) for item in a.items):
        return False
    if _names_differ(a) and not _names_differ(b):
        # Bare values for several variables are taken in the order of the variables.
        return _same_items(a.items, b.items)
    return _same_in_any_order(a.items, b.items)


def as_interval(answer: Answer) -> Answer:
    """A pair in brackets as the interval that it writes; other answers as they are."""
    if (
        isinstance(answer, Ordered)
        and len(answer.items) == 2
        and set(answer.brackets) <= set("()[]")
    ):
        return Interval(answer.brackets, answer.items)
    return answer


def _must_be_interval(answer: Ordered) -> bool:
    return answer.brackets != "()" or any(isinstance(item, Infinite) for item in answer.items)


def _lone(answer: Answer) -> Answer:
    """The value of a set or list of one."""
    if isinstance(answer, Unordered) and len(answer.items) == 1:
        return answer.items[0]
    return answer


def _same_named(a: Answer, b: Answer) -> bool:
    if isinstance(a, Named) and isinstance(b, Named) and a.name.casefold() == b.name.casefold():
        return same(a.answer, b.answer)
    x, y = _as_equation(a), _as_equation(b)
    if x and y:
        return proportional(x.quantity, y.quantity)
    if isinstance(a, Named) and isinstance(b, Named):
        return False
    return same(*(side.answer if isinstance(side, Named) else side for side in (a, b)))


def _as_equation(answer: Answer) -> Equation | None:
    if isinstance(answer, Equation):
        return answer
    if isinstance(answer, Named) and letter_of(answer.name) and isinstance(answer.answer, Measure):
        quantity = answer.answer.quantity
        if quantity.letters:
            return Equation(difference(letter(answer.name), quantity))
    return None


def _names_differ(answer: Unordered) -> bool:
    return len({item.name for item in answer.items if isinstance(item, Named)}) > 1


def _same_items(a: Sequence[Answer], b: Sequence[Answer]) -> bool:
    return len(a) == len(b) and all(map(same, a, b))


def _same_in_any_order(a: Sequence[Answer], b: Sequence[Answer]) -> bool:
    left = list(b)
    for item in a:
        at = next((i for i, other in enumerate(left) if same(item, other)), None)
        if at is None:
            return False
        del left[at]
    return not left


def _same_measure(gold: Measure, response: Measure) -> bool:
    a, b = gold.quantity, response.quantity
    if not units.agree(gold.unit, response.unit):
        return False
    if gold.unit != response.unit and units.PERCENT in (gold.unit, response.unit):
        if gold.unit:
            return same_quantity(a, b) or same_quantity(_hundredth(a), b)
        return same_quantity(a, _hundredth(b)) or (same_quantity(a, b) and not _is_small(a))
    return same_quantity(a, b)


def _hundredth(quantity: Quantity) -> Quantity:
    return combine(values.multiply, quantity, Quantity((Fraction(1, 100),)))


def _is_small(quantity: Quantity) -> bool:
    """Whether a value lies between -1 and 1 and so reads as a share rather than a percentage."""
    value = quantity.values[0]
    with values.arithmetic():
        return value is not None and 0 < abs(values.approximate(value).value) < 1
