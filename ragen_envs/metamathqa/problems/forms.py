"""The forms of answers: how each kind is written, and which answers a problem may have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of answer.

    Attributes:
        kind: Name of the kind.
        show: The answer as text.
        fits: Whether an answer is of this kind at all; problems with another are not posed.
    """

    kind: str
    show: Callable[[Any], str]
    fits: Callable[[Any], bool]


def dollars(cents: int) -> str:
    """`$12` or `$12.50`."""
    return f"${cents // 100}" if cents % 100 == 0 else f"${cents // 100}.{cents % 100:02d}"


def decimal(value: Fraction | int) -> str:
    """A number with at most four decimal places, without closing zeros."""
    return f"{float(value):.4f}".rstrip("0").rstrip(".")


def latex_fraction(value: Fraction | int) -> str:
    r"""`\frac{3}{4}`, with the sign in front; whole numbers as they are."""
    value = Fraction(value)
    if value.denominator == 1:
        return str(value.numerator)
    sign = "-" if value < 0 else ""
    return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def polynomial(coefficients: tuple[int, ...], letter: str = "n") -> str:
    """`2n^2 - 3n + 1` for (2, -3, 1)."""
    degree = len(coefficients) - 1
    text = ""
    for power, coefficient in zip(range(degree, -1, -1), coefficients, strict=True):
        if coefficient == 0:
            continue
        size = "" if abs(coefficient) == 1 and power else str(abs(coefficient))
        sign = " - " if coefficient < 0 else " + "
        text += sign + size + (letter if power else "") + (f"^{power}" if power > 1 else "")
    first = text[3:] if text.startswith(" + ") else f"-{text[3:]}"
    return first if text else "0"


def simplest_root(square: int) -> tuple[int, int]:
    """(a, b) with a * sqrt(b) = sqrt(square) and b free of squares."""
    outside = next(a for a in range(isqrt(square), 0, -1) if square % (a * a) == 0)
    return outside, square // (outside * outside)


def _is_whole(value: Fraction | int) -> bool:
    return Fraction(value).denominator == 1


def _mixed(value: Fraction) -> str:
    whole, rest = divmod(value, 1)
    return f"{whole} {rest}"


def _latex_mixed(value: Fraction) -> str:
    whole, rest = divmod(value, 1)
    return f"{whole}{latex_fraction(rest)}"


def _radical(value: tuple[int, int]) -> str:
    outside, inside = value
    return rf"{outside if outside > 1 else ''}\sqrt{{{inside}}}"


def _pi_multiple(value: Fraction | int) -> str:
    value = Fraction(value)
    if value.denominator == 1:
        return rf"{value}\pi"
    return rf"\frac{{{value.numerator}\pi}}{{{value.denominator}}}"


def _interval(value: tuple[str, Fraction | int, Fraction | int, str]) -> str:
    opening, low, high, closing = value
    return f"{opening}{latex_fraction(low)}, {latex_fraction(high)}{closing}"


def _half_line(value: tuple[str, Fraction | int]) -> str:
    relation, bound = value
    sign = {"<": "<", ">": ">", "<=": r"\le", ">=": r"\ge"}[relation]
    return f"n {sign} {latex_fraction(bound)}"


def _listed(value: tuple[Fraction | int, ...]) -> str:
    return ", ".join(latex_fraction(item) for item in value)


def _numeral(value: tuple[str, int]) -> str:
    digits, base = value
    return f"{digits}_{{{base}}}"


WHOLE = Form("integer", lambda value: str(int(value)), lambda value: _is_whole(value) and value > 1)
SIGNED = Form("signed integer", lambda value: str(int(value)), _is_whole)
DECIMAL = Form(
    "decimal",
    decimal,
    lambda value: value > 0 and not _is_whole(value) and _is_whole(value * 100),
)
FRACTION = Form("fraction", latex_fraction, lambda value: not _is_whole(value))
MIXED = Form("mixed number", _mixed, lambda value: value > 1 and not _is_whole(value))
LATEX_MIXED = Form("mixed number", _latex_mixed, MIXED.fits)
PERCENT = Form("percent", lambda value: rf"{int(value)}\%", WHOLE.fits)
MONEY = Form(
    "money", lambda value: dollars(int(value)), lambda value: _is_whole(value) and value > 0
)
RADICAL = Form("radical", _radical, lambda value: value[1] > 1)
PI = Form("multiple of pi", _pi_multiple, lambda value: value > 1)
INTERVAL = Form("interval", _interval, lambda value: value[1] < value[2])
HALF_LINE = Form("inequality", _half_line, lambda value: True)
LISTED = Form("list", _listed, lambda value: len(set(value)) == len(value) > 1)
PAIR = Form("ordered pair", lambda value: f"({_listed(value)})", lambda value: True)
POLYNOMIAL = Form("polynomial", polynomial, lambda value: any(value[:-1]))
NUMERAL = Form("numeral in a base", _numeral, lambda value: len(value[0]) > 2)
WEEKDAY = Form("weekday", lambda value: WEEKDAYS[value], lambda value: True)
CLOCK = Form("time of day", lambda value: f"{value // 60}:{value % 60:02d}", lambda value: True)
