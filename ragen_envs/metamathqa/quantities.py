"""What expressions are worth, with letters or without, and when two are worth the same.

Letters are given fixed rational values at three points. Two expressions are the same when they
agree at these and, if both have a value there, at a fourth point where all letters are negative:
|x| is not x, but sqrt(x) sqrt(y) is sqrt(xy). Polynomials within the bounds agree at points as
odd as these only if they are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from ragen_envs.metamathqa import values
from ragen_envs.metamathqa.values import Undefined, Value

POSITIVE_POINTS: Final = (0, 1, 2)
_NEGATIVE = 3
ALL_POINTS: Final = (*POSITIVE_POINTS, _NEGATIVE)


class Unreadable(Exception):
    """An answer is not in the language of the checker; the text says why."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """What an expression is worth: one value, or one at each point if it has letters.

    None stands for a point where the expression has no value.
    """

    values: tuple[Value | None, ...]
    letters: frozenset[str] = frozenset()


def same_quantity(a: Quantity, b: Quantity) -> bool:
    """Whether two expressions have the same value, at every point if they have letters."""
    with values.arithmetic():
        return all(
            _agree(x, y) or (point == _NEGATIVE and None in (x, y))
            for point, (x, y) in enumerate(_aligned(a, b))
        )


def _agree(x: Value | None, y: Value | None) -> bool:
    return x is y is None if x is None or y is None else values.equal(x, y)


def proportional(a: Quantity, b: Quantity) -> bool:
    """Whether a is a constant multiple of b, so that a = 0 and b = 0 say the same."""
    pairs = [(x, y) for x, y in _aligned(a, b) if x is not None and y is not None]
    if len(pairs) < 2:
        return False
    (x0, y0), *rest = pairs
    with values.arithmetic():
        zero = Fraction(0)
        if any(values.equal(v, zero) for pair in pairs for v in pair):
            return False
        return all(values.equal(values.multiply(x, y0), values.multiply(y, x0)) for x, y in rest)


def _aligned(a: Quantity, b: Quantity) -> Iterable[tuple[Value | None, Value | None]]:
    """The values of both point by point."""
    count = max(len(a.values), len(b.values))
    left, right = (q.values * count if len(q.values) == 1 else q.values for q in (a, b))
    return zip(left, right, strict=True)


def combine(operation: Callable[[Value, Value], Value], a: Quantity, b: Quantity) -> Quantity:
    """An operation on two quantities, point by point.

    Raises:
        Unreadable: It has no value within bounds.
    """
    try:
        with values.arithmetic():
            results = tuple(
                None if x is None or y is None else operation(x, y) for x, y in _aligned(a, b)
            )
    except Undefined as error:
        raise Unreadable(str(error)) from None
    return Quantity(results, a.letters | b.letters)


def difference(a: Quantity, b: Quantity) -> Quantity:
    """The quantity a - b."""
    return combine(lambda x, y: values.add(x, values.negate(y)), a, b)


def letter(name: str) -> Quantity:
    """The quantity that a letter stands for."""
    return Quantity(tuple(letter_value(name, point) for point in ALL_POINTS), frozenset([name]))


def letter_value(name: str, point: int) -> Fraction:
    """Values of about 1, 0.1, 10 and -1, no two names alike, in no simple relation."""
    if point == _NEGATIVE:
        return -letter_value(name, 0)
    # Odd powers modulo a prime, one for each point: no two letters share a value, and no linear
    # relation between letters holds at all points.
    number = pow(int.from_bytes(name.encode()[:12], "big"), (7, 13, 17)[point], 99_991)
    return Fraction(100_003 + number, (99_989, 1_000_003, 10_007)[point])
