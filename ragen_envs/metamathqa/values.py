"""Numbers of the answer checker: exact fractions where possible, else decimals with an error bound.

Everything is bounded before it is computed: no fraction grows past `MAX_BITS` bits, no root past
`MAX_DEGREE`. Irrational values carry `PRECISION` digits and a bound on what rounding may have done
to them, so two values that differ are only ever taken for equal when they agree to some 55 digits.

Call everything here inside `with arithmetic():`, which sets the decimal context of this thread
for the length of the block.
"""

from __future__ import annotations

import math
from contextlib import AbstractContextManager
from dataclasses import dataclass
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext
from fractions import Fraction
from typing import Final

MAX_BITS: Final = 4000
MAX_DEGREE: Final = 64
PRECISION: Final = 60

# Of decimals: bounds their exponents, far inside those of the context.
_MAX_POWER = 1000
_MAX_MAGNITUDE = 5000
_MAX_FACTORIAL = 300
# Of e^x: keeps the decimal exponents small; of sin x: keeps the reduction by 2 pi accurate.
_MAX_EXPONENTIAL = 3000
_MAX_ANGLE = 10**6
# A few units in the last place: no decimal operation here is off by more.
_SLACK = Decimal(10) ** (4 - PRECISION)
# Where cancellation left fewer digits than this, nothing is claimed about the value.
_MAX_ERROR = Decimal(10) ** -40
_CONTEXT = Context(
    prec=PRECISION,
    Emin=-999_999,
    Emax=999_999,
    traps=[InvalidOperation, DivisionByZero, Overflow],
)


class Undefined(Exception):
    """There is no such number, or it is out of bounds; the text says which."""


@dataclass(frozen=True, slots=True)
class Approx:
    """An irrational number: the true value is within `error` of `value`."""

    value: Decimal
    error: Decimal


Value = Fraction | Approx


def arithmetic() -> AbstractContextManager[Context]:
    """The decimal context for the functions below, for this thread and the block only."""
    return localcontext(_CONTEXT)


def equal(a: Value, b: Value) -> bool:
    """Whether two values are the same: exactly for fractions, within both errors otherwise."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b
    x, y = approximate(a), approximate(b)
    error = x.error + y.error
    if abs(x.value - y.value) > error:
        return False
    return error <= _MAX_ERROR * max(Decimal(1), abs(x.value))


def approximate(a: Value) -> Approx:
    """The value as a decimal."""
    if isinstance(a, Approx):
        return a
    return _rounded(Decimal(a.numerator) / Decimal(a.denominator), Decimal(0))


def _rounded(value: Decimal, error: Decimal) -> Approx:
    if abs(value.adjusted()) > _MAX_MAGNITUDE:
        raise Undefined("a number is too large or too small")
    return Approx(value, error + abs(value) * _SLACK)


def bounded(a: Fraction) -> Fraction:
    """The fraction itself, unless it takes more than `MAX_BITS` bits."""
    if a.numerator.bit_length() > MAX_BITS or a.denominator.bit_length() > MAX_BITS:
        raise Undefined("a number is too large")
    return a


def negate(a: Value) -> Value:
    """Minus a."""
    return -a if isinstance(a, Fraction) else Approx(-a.value, a.error)


def absolute(a: Value) -> Value:
    """The absolute value of a."""
    return abs(a) if isinstance(a, Fraction) else Approx(abs(a.value), a.error)


def add(a: Value, b: Value) -> Value:
    """The sum."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return bounded(a + b)
    x, y = approximate(a), approximate(b)
    return _rounded(x.value + y.value, x.error + y.error)


def multiply(a: Value, b: Value) -> Value:
    """The product."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return bounded(a * b)
    x, y = approximate(a), approximate(b)
    error = abs(x.value) * y.error + abs(y.value) * x.error + x.error * y.error
    return _rounded(x.value * y.value, error)


def divide(a: Value, b: Value) -> Value:
    """The quotient; a divisor that may be zero is none."""
    if isinstance(b, Fraction):
        if b == 0:
            raise Undefined("it divides by zero")
        return multiply(a, 1 / b)
    room = abs(b.value) - b.error
    if room <= 0:
        raise Undefined("it divides by zero")
    x = approximate(a)
    quotient = x.value / b.value
    return _rounded(quotient, (x.error + abs(quotient) * b.error) / room)


def power(base: Value, exponent: Value) -> Value:
    """Base to the exponent, real; a negative base takes fractions with an odd denominator."""
    if isinstance(exponent, Fraction) and exponent.denominator <= MAX_DEGREE:
        return root(_integer_power(base, exponent.numerator), exponent.denominator)
    return _exponential(multiply(exponent, logarithm(base)))


def _integer_power(base: Value, n: int) -> Value:
    if n < 0:
        return divide(Fraction(1), _integer_power(base, -n))
    if isinstance(base, Fraction):
        if base == 0 and n == 0:
            raise Undefined("zero to the power of zero has no value")
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if (bits - 1) * n > MAX_BITS:
            raise Undefined("an exponent is too large")
        if bits == 1:
            n = n % 2 + 2 * (n > 0)  # Of 0, 1 and -1 only the parity counts.
        return bounded(base**n)
    if n > _MAX_POWER or n * abs(base.value.adjusted()) > _MAX_MAGNITUDE:
        raise Undefined("an exponent is too large")
    value = base.value**n
    error = n * (abs(base.value) + base.error) ** (n - 1) * base.error if n else Decimal(0)
    return _rounded(value, error)


def root(a: Value, degree: int) -> Value:
    """The real root: of a negative number only where the degree is odd."""
    if not 1 <= degree <= MAX_DEGREE:
        raise Undefined(f"the degree of a root is not in [1, {MAX_DEGREE}]")
    if degree == 1:
        return a
    if isinstance(a, Fraction):
        if a < 0:
            if degree % 2 == 0:
                raise Undefined("an even root of a negative number is not real")
            return negate(root(-a, degree))
        over, under = _exact_root(a.numerator, degree), _exact_root(a.denominator, degree)
        if over is not None and under is not None:
            return Fraction(over, under)
    x = approximate(a)
    if x.value < 0 and degree % 2:
        return negate(root(negate(x), degree))
    room = x.value - x.error
    if room <= 0:
        raise Undefined("a root is taken of what may be negative")
    value = x.value.sqrt() if degree == 2 else x.value ** (Decimal(1) / degree)
    # The logarithm that a general power goes through loses a few digits for far-off arguments.
    return _rounded(value, value * x.error / room + value * _SLACK * _digits_lost(x.value))


def _digits_lost(x: Decimal) -> int:
    return 1 + abs(x.adjusted())


def _exact_root(n: int, degree: int) -> int | None:
    if degree == 2:
        candidate = math.isqrt(n)
    elif n.bit_length() <= 2 * PRECISION:
        candidate = int((Decimal(n) ** (Decimal(1) / degree)).to_integral_value()) if n else 0
    else:
        return None
    return candidate if candidate**degree == n else None


def logarithm(a: Value) -> Value:
    """The natural logarithm."""
    if a == 1:
        return Fraction(0)
    x = approximate(a)
    room = x.value - x.error
    if room <= 0:
        raise Undefined("a logarithm is taken of what may not be positive")
    # Next to 1 the value is small but its error is that of the argument.
    return _rounded(x.value.ln(), x.error / room)


def _exponential(a: Value) -> Value:
    if a == 0:
        return Fraction(1)
    x = approximate(a)
    if abs(x.value) > _MAX_EXPONENTIAL:
        raise Undefined("an exponent is too large")
    value = x.value.exp()
    return _rounded(value, 2 * value * x.error)


def sine(a: Value) -> Value:
    """The sine of an angle in radians."""
    if a == 0:
        return Fraction(0)
    x = approximate(a)
    if abs(x.value) > _MAX_ANGLE:
        raise Undefined("an angle is too large")
    # x mod pi/2-ish keeps the series short: sin(x) = (-1)^k sin(x - k pi), |x - k pi| <= pi/2.
    turns = (x.value / PI.value).to_integral_value()
    rest = x.value - turns * PI.value
    term = total = rest
    n = 1
    while abs(term) > _SLACK * _SLACK and n < 2 * PRECISION:
        term = -term * rest * rest / ((n + 1) * (n + 2))
        total += term
        n += 2
    error = x.error + (abs(x.value) + 1) * _SLACK
    return Approx(-total if turns % 2 else total, error)


def cosine(a: Value) -> Value:
    """The cosine of an angle in radians."""
    return sine(add(a, divide(PI, Fraction(2))))


def factorial(a: Value) -> Value:
    """The factorial of a whole number."""
    return Fraction(math.factorial(_natural(a, _MAX_FACTORIAL)))


def binomial(a: Value, b: Value) -> Value:
    """How many subsets of b elements a set of a elements has."""
    return Fraction(math.comb(_natural(a, _MAX_FACTORIAL), _natural(b, _MAX_FACTORIAL)))


def _natural(a: Value, most: int) -> int:
    if not isinstance(a, Fraction) or a.denominator != 1 or not 0 <= a <= most:
        raise Undefined(f"a factorial or binomial takes whole numbers up to {most}")
    return a.numerator


with arithmetic():
    PI: Final = _rounded(
        Decimal(
            "3.14159265358979323846264338327950288419716939937510"
            "58209749445923078164062862089986280348253421170679"
        ),
        Decimal(0),
    )
    E: Final = _rounded(Decimal(1).exp(), Decimal(0))
