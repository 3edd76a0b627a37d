"""Competition-like problems about sequences, functions and polynomials."""

from __future__ import annotations

from fractions import Fraction

from ragen_envs.metamathqa.problems.forms import (
    POLYNOMIAL,
    WHOLE,
)
from ragen_envs.metamathqa.problems.template import Template, Topic, Wording, ints, wide

TOPIC = Topic(
    "sequences and functions",
    "MATH",
    (
        Template(
            name="arithmetic_sequence",
            level=2,
            numbers=dict(first=ints(11, 60), step=ints(3, 18), position=wide(21, 90)),
            answer=lambda first, step, position: first + (position - 1) * step,
            form=WHOLE,
            unknowns=("first", "position"),
            wordings=(
                Wording(
                    (
                        "In an arithmetic sequence the first term is {first} and the common "
                        "difference is {step}."
                    ),
                    "What is term number {position}?",
                    "Term number {position} is ${answer}$.",
                ),
                Wording(
                    (
                        "On the first day of a savings plan {first} cents are put aside, and on "
                        "every further day {step} cents more than on the day before."
                    ),
                    "How many cents are put aside on day {position}?",
                    "On day {position}, ${answer}$ cents are put aside.",
                ),
            ),
        ),
        Template(
            name="geometric_sum",
            level=3,
            numbers=dict(first=wide(7, 48), factor=ints(2, 5), terms=ints(4, 6)),
            answer=lambda first, factor, terms: Fraction(first * (factor**terms - 1), factor - 1),
            form=WHOLE,
            unknowns=("first",),
            wordings=(
                Wording(
                    (
                        "A geometric sequence has the first term {first} and the common ratio "
                        "{factor}."
                    ),
                    "What is the sum of its first {terms} terms?",
                    "The sum of its first {terms} terms is ${answer}$.",
                ),
                Wording(
                    (
                        "In the first hour {first} people hear a piece of news. In every later "
                        "hour {factor} times as many people hear it as in the hour before, and "
                        "nobody hears it twice."
                    ),
                    "How many people have heard it after {terms} hours?",
                    "After {terms} hours ${answer}$ people have heard it.",
                ),
            ),
        ),
        Template(
            name="composed_functions",
            level=2,
            numbers=dict(a=ints(3, 12), b=ints(13, 60), c=ints(2, 9), k=wide(11, 45)),
            answer=lambda a, b, c, k: a * (k * k - c) + b,
            form=WHOLE,
            unknowns=("b", "k"),
            wordings=(
                Wording(
                    "Let $f(n) = {a}n + {b}$ and $g(n) = n^2 - {c}$.",
                    "What is $f(g({k}))$?",
                    "Then $f(g({k})) = {answer}$, where ${k}$ is positive.",
                ),
                Wording(
                    (
                        "A machine squares a positive number and takes {c} away. A second machine "
                        "multiplies what it is given by {a} and adds {b}."
                    ),
                    (
                        "What comes out of the second machine, if the number {k} is put into the "
                        "first and what comes out goes into the second?"
                    ),
                    (
                        "The number {k} is put into the first, what comes out goes into the "
                        "second, and out of that comes ${answer}$."
                    ),
                ),
            ),
        ),
        Template(
            name="expanded_product",
            level=2,
            numbers=dict(a=ints(2, 9), b=ints(3, 14), c=ints(2, 12), d=ints(5, 16)),
            answer=lambda a, b, c, d: (a * c, b * c - a * d, -b * d),
            form=POLYNOMIAL,
            note="Express your answer as a polynomial in $n$ without parentheses.",
            wordings=(
                Wording("", "What is the expanded form of $({a}n + {b})({c}n - {d})$?"),
                Wording(
                    "The sides of a rectangle measure ${c}n - {d}$ and ${a}n + {b}$ units.",
                    "What is its area in square units?",
                ),
            ),
        ),
        Template(
            name="difference_of_polynomials",
            level=1,
            numbers=dict(a=ints(5, 19), b=ints(4, 18), c=ints(3, 17), d=ints(2, 29), e=ints(6, 39)),
            answer=lambda a, b, c, d, e: (a - c, b + d, -e),
            form=POLYNOMIAL,
            when=lambda a, b, c, d, e: a > c,
            note="Express your answer as a polynomial in $n$.",
            wordings=(
                Wording(
                    "",
                    "What remains when ${c}n^2 - {d}n + {e}$ is subtracted from ${a}n^2 + {b}n$?",
                ),
                Wording(
                    (
                        "The sum of two polynomials is ${a}n^2 + {b}n$, and one of them is ${c}n^2 "
                        "- {d}n + {e}$."
                    ),
                    "What is the other?",
                ),
            ),
        ),
    ),
)
