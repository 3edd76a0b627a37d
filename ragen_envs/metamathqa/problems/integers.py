"""Competition-like problems of number theory."""

from __future__ import annotations

from math import gcd, lcm

from ragen_envs.metamathqa.problems.forms import NUMERAL, WHOLE
from ragen_envs.metamathqa.problems.template import Template, Topic, Wording, ints, wide


def _digits(number: int, base: int) -> str:
    """A number in a base up to ten."""
    digits = ""
    while number:
        number, digit = divmod(number, base)
        digits = f"{digit}{digits}"
    return digits


def _divisors(number: int) -> int:
    """The number of divisors, from the exponents of the prime factors."""
    count, prime = 1, 2
    while number > 1:
        exponent = 0
        while number % prime == 0:
            number //= prime
            exponent += 1
        count *= exponent + 1
        prime += 1
    return count


def _first_with_remainders(p: int, a: int, q: int, b: int) -> int:
    """The least positive n that leaves a on division by p and b on division by q."""
    return (a * q * pow(q, -1, p) + b * p * pow(p, -1, q)) % (p * q)


TOPIC = Topic(
    "number theory",
    "MATH",
    (
        Template(
            name="greatest_common_divisor",
            level=1,
            numbers=dict(part=ints(12, 95), a=ints(2, 14), b=ints(3, 17)),
            answer=lambda part, a, b: part * gcd(a, b),
            form=WHOLE,
            when=lambda part, a, b: gcd(a, b) > 1,
            shown=dict(
                first=lambda part, a, b: str(part * a), second=lambda part, a, b: str(part * b)
            ),
            alike=("first", "second"),
            wordings=(
                Wording("", "What is the greatest common divisor of {first} and {second}?"),
                Wording(
                    (
                        "A floor that measures {first} centimetres by {second} centimetres is to "
                        "be covered with equal square tiles, without cutting any."
                    ),
                    "What is the greatest possible side of a tile, in centimetres?",
                ),
            ),
        ),
        Template(
            name="least_common_multiple",
            level=1,
            numbers=dict(a=wide(12, 84), b=wide(15, 96)),
            answer=lambda a, b: lcm(a, b),
            form=WHOLE,
            when=lambda a, b: gcd(a, b) > 1,
            alike=("a", "b"),
            wordings=(
                Wording("", "What is the least common multiple of {a} and {b}?"),
                Wording(
                    (
                        "Two lights flash at the same moment. One flashes every {a} seconds and "
                        "the other every {b} seconds."
                    ),
                    "After how many seconds do they flash together for the next time?",
                ),
            ),
        ),
        Template(
            name="division_with_remainder",
            level=1,
            numbers=dict(divisor=ints(21, 89), quotient=wide(14, 78), remainder=ints(3, 20)),
            answer=lambda divisor, quotient, remainder: divisor * quotient + remainder,
            form=WHOLE,
            unknowns=("divisor", "quotient"),
            wordings=(
                Wording(
                    (
                        "A number is divided by {divisor}. The quotient is {quotient} and the "
                        "remainder is {remainder}."
                    ),
                    "What is the number?",
                    "The number is ${answer}$.",
                ),
                Wording(
                    "",
                    (
                        "Which integer contains {divisor} exactly {quotient} times and leaves the "
                        "remainder {remainder}?"
                    ),
                    (
                        "The integer ${answer}$ contains {divisor} exactly {quotient} times and "
                        "leaves the remainder {remainder}."
                    ),
                ),
            ),
        ),
        Template(
            name="sum_of_multiples",
            level=2,
            numbers=dict(factor=ints(3, 17), limit=wide(150, 600)),
            answer=lambda factor, limit: factor * (limit // factor) * (limit // factor + 1) // 2,
            form=WHOLE,
            wordings=(
                Wording(
                    "",
                    (
                        "What is the sum of all positive multiples of {factor} that are not "
                        "greater than {limit}?"
                    ),
                ),
                Wording(
                    (
                        "{A} writes down every number from 1 to {limit} that can be divided by "
                        "{factor} without a remainder."
                    ),
                    "What do the numbers on {A.his} list add up to?",
                ),
            ),
        ),
        Template(
            name="number_in_a_base",
            level=2,
            numbers=dict(number=wide(90, 480), base=ints(3, 8)),
            answer=lambda number, base: (_digits(number, base), base),
            form=NUMERAL,
            note="Write the base as a subscript, as in $21_{{5}}$.",
            wordings=(
                Wording(
                    "", "How is the number {number} of the decimal system written in base {base}?"
                ),
                Wording(
                    (
                        "People who count in base {base} use only the digits that are smaller than "
                        "{base}."
                    ),
                    "How do they write our number {number}?",
                ),
            ),
        ),
        Template(
            name="number_from_a_base",
            level=2,
            numbers=dict(first=ints(1, 8), second=ints(0, 8), third=ints(0, 8), base=ints(4, 9)),
            answer=lambda first, second, third, base: (first * base + second) * base + third,
            form=WHOLE,
            when=lambda first, second, third, base: max(first, second, third) < base,
            shown=dict(digits=lambda first, second, third, base: f"{first}{second}{third}"),
            wordings=(
                Wording(
                    "", "What is ${digits}_{{{base}}}$, a numeral in base {base}, in base ten?"
                ),
                Wording(
                    "A counter that works in base {base} shows the digits {digits}.",
                    "Which number is this in the decimal system?",
                ),
            ),
        ),
        Template(
            name="divisors_of_a_product",
            level=3,
            numbers=dict(a=ints(12, 90, 6), b=ints(14, 98, 4), c=ints(5, 77)),
            answer=lambda a, b, c: _divisors(a * b * c),
            form=WHOLE,
            when=lambda a, b, c: a * b * c < 120_000,
            shown=dict(product=lambda a, b, c: str(a * b * c)),
            wordings=(
                Wording("", "How many positive divisors does {product} have?"),
                Wording(
                    (
                        "A rectangle has an area of {product} square units, and the lengths of its "
                        "sides are whole numbers of units."
                    ),
                    "How many values are possible for the length of its base?",
                ),
            ),
        ),
        Template(
            name="power_modulo",
            level=3,
            numbers=dict(base=ints(3, 29), exponent=wide(24, 95), modulus=ints(41, 97)),
            answer=lambda base, exponent, modulus: pow(base, exponent, modulus),
            form=WHOLE,
            when=lambda base, exponent, modulus: gcd(base, modulus) == 1,
            wordings=(
                Wording(
                    "",
                    "What is the remainder when ${base}^{{{exponent}}}$ is divided by {modulus}?",
                ),
                Wording(
                    (
                        "The {modulus} marks on a dial are numbered from 0 on, and after the last "
                        "of them comes 0 again. A pointer starts at 0 and moves forward by "
                        "${base}^{{{exponent}}}$ marks."
                    ),
                    "What is the number of the mark at which it stops?",
                ),
            ),
        ),
        Template(
            name="two_remainders",
            level=3,
            numbers=dict(p=ints(11, 29), a=ints(2, 10), q=ints(12, 34), b=ints(3, 11)),
            answer=_first_with_remainders,
            form=WHOLE,
            when=lambda p, a, q, b: p < q and gcd(p, q) == 1,
            wordings=(
                Wording(
                    "",
                    (
                        "What is the least positive integer that leaves a remainder of {a} when "
                        "divided by {p} and a remainder of {b} when divided by {q}?"
                    ),
                ),
                Wording(
                    (
                        "A box of beads is sorted. In heaps of {p}, there are {a} beads left over; "
                        "in heaps of {q}, there are {b} left over."
                    ),
                    "What is the smallest number of beads that there can be in the box?",
                ),
            ),
        ),
    ),
)
