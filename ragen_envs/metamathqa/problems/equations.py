"""Competition-like problems about equations and inequalities."""

from __future__ import annotations

from fractions import Fraction

from ragen_envs.metamathqa.problems.forms import (
    FRACTION,
    HALF_LINE,
    INTERVAL,
    LISTED,
    PAIR,
    RADICAL,
    SIGNED,
    WHOLE,
    polynomial,
    simplest_root,
)
from ragen_envs.metamathqa.problems.template import Template, Topic, Wording, ints, wide

TOPIC = Topic(
    "equations",
    "MATH",
    (
        Template(
            name="linear_equation",
            level=1,
            numbers=dict(a=ints(3, 14), b=ints(15, 95), c=wide(4, 90)),
            answer=lambda a, b, c: Fraction(c - b, a),
            form=SIGNED,
            unknowns=("b", "c"),
            wordings=(
                Wording(
                    "",
                    "If ${a}n + {b} = {c}$, what is the value of $n$?",
                    "The solution of ${a}n + {b} = {c}$ is $n = {answer}$.",
                ),
                Wording(
                    (
                        "When a number $n$ is multiplied by {a} and {b} is added to the product, "
                        "the result is {c}."
                    ),
                    "What is $n$?",
                    "The number $n$ is ${answer}$.",
                ),
            ),
        ),
        Template(
            name="terms_on_both_sides",
            level=1,
            numbers=dict(a=ints(8, 25), b=ints(11, 80), c=ints(2, 7), d=wide(12, 99)),
            answer=lambda a, b, c, d: Fraction(d + b, a - c),
            form=FRACTION,
            unknowns=("b", "d"),
            note="Express your answer as a common fraction in lowest terms.",
            wordings=(
                Wording(
                    "",
                    "What is the solution $n$ of ${a}n - {b} = {c}n + {d}$?",
                    "The solution $n$ of ${a}n - {b} = {c}n + {d}$ is ${answer}$.",
                ),
                Wording(
                    (
                        "If {b} is subtracted from {a} times a certain number, the result is the "
                        "same as when {d} is added to {c} times the number."
                    ),
                    "What is the number?",
                    "The number is ${answer}$.",
                ),
            ),
        ),
        Template(
            name="consecutive_integers",
            level=1,
            numbers=dict(count=ints(3, 9), total=wide(150, 900)),
            answer=lambda count, total: Fraction(total, count) + Fraction(count - 1, 2),
            form=WHOLE,
            unknowns=("total",),
            wordings=(
                Wording(
                    "The sum of {count} consecutive integers is {total}.",
                    "What is the largest of them?",
                    "The largest of them is ${answer}$.",
                ),
                Wording(
                    (
                        "Somebody adds up {count} whole numbers, each of them one more than the "
                        "one before, and gets {total}."
                    ),
                    "Which was the last of these numbers?",
                    "The last of these numbers was ${answer}$.",
                ),
            ),
        ),
        Template(
            name="linear_inequality",
            level=1,
            numbers=dict(a=ints(3, 16), b=ints(12, 85), c=wide(2, 97)),
            answer=lambda a, b, c: ("<", Fraction(c - b, a)),
            form=HALF_LINE,
            note="Write your answer as an inequality for $n$.",
            wordings=(
                Wording("", "Which real numbers $n$ satisfy ${a}n + {b} < {c}$?"),
                Wording(
                    "For some real numbers $n$, the sum of {b} and ${a}n$ is less than {c}.",
                    "Which numbers $n$ are these?",
                ),
            ),
        ),
        Template(
            name="two_equations",
            level=2,
            numbers=dict(
                p=ints(2, 9),
                q=ints(3, 11),
                r=ints(4, 12),
                s=ints(2, 10),
                u=ints(-14, 19),
                v=ints(-17, 18),
            ),
            answer=lambda p, q, r, s, u, v: (u, v),
            form=PAIR,
            when=lambda p, q, r, s, u, v: p * s + q * r != 0 and 0 not in (u, v),
            shown=dict(
                first=lambda p, q, r, s, u, v: str(p * u + q * v),
                second=lambda p, q, r, s, u, v: str(r * u - s * v),
            ),
            note="Express your answer as an ordered pair $(m, n)$.",
            wordings=(
                Wording(
                    (
                        "The numbers $m$ and $n$ satisfy ${p}m + {q}n = {first}$ and ${r}m - {s}n "
                        "= {second}$."
                    ),
                    "What are $m$ and $n$?",
                ),
                Wording(
                    "",
                    (
                        "At which point $(m, n)$ do the lines ${r}m - {s}n = {second}$ and ${p}m + "
                        "{q}n = {first}$ cross each other?"
                    ),
                ),
            ),
        ),
        Template(
            name="quadratic_equation",
            level=2,
            numbers=dict(p=ints(-19, 24), q=ints(-23, 21)),
            answer=lambda p, q: (min(p, q), max(p, q)),
            form=LISTED,
            when=lambda p, q: 0 not in (p, q) and p + q != 0,
            shown=dict(left=lambda p, q: polynomial((1, -p - q, p * q))),
            note="List both, separated by a comma.",
            wordings=(
                Wording("", "What are the solutions of ${left} = 0$?"),
                Wording(
                    (
                        "The graph of $y = {left}$ meets the horizontal axis, where $y = 0$, at "
                        "two points."
                    ),
                    "What are the two values of $n$ at these points?",
                ),
            ),
        ),
        Template(
            name="distance_on_the_line",
            level=2,
            numbers=dict(a=ints(3, 48), b=wide(15, 95)),
            answer=lambda a, b: (a - b, a + b),
            form=LISTED,
            note="List both, separated by a comma.",
            wordings=(
                Wording("", r"For which numbers $n$ is $\left| n - {a} \right| = {b}$?"),
                Wording(
                    "Two numbers on the number line are exactly {b} units away from {a}.",
                    "Which numbers are they?",
                ),
            ),
        ),
        Template(
            name="quadratic_inequality",
            level=3,
            numbers=dict(p=ints(-24, 15), q=ints(-9, 29)),
            answer=lambda p, q: ("[", p, q, "]"),
            form=INTERVAL,
            when=lambda p, q: p < q and 0 not in (p, q) and p + q != 0,
            shown=dict(left=lambda p, q: polynomial((1, -p - q, p * q))),
            note="Express your answer in interval notation.",
            wordings=(
                Wording("", r"What are all real numbers $n$ for which ${left} \le 0$?"),
                Wording(
                    "The expression ${left}$ is positive for some real numbers $n$.",
                    "For which real numbers $n$ is it not positive?",
                ),
            ),
        ),
        Template(
            name="squares_of_the_roots",
            level=3,
            numbers=dict(b=ints(11, 48), c=wide(5, 99)),
            answer=lambda b, c: b * b - 2 * c,
            form=WHOLE,
            when=lambda b, c: b * b > 4 * c,
            unknowns=("c",),
            wordings=(
                Wording(
                    "Let $r$ and $s$ be the solutions of $n^2 - {b}n + {c} = 0$.",
                    "What is $r^2 + s^2$?",
                    "Then $r^2 + s^2 = {answer}$.",
                ),
                Wording(
                    "The sum of two numbers is {b} and their product is {c}.",
                    "What is the sum of their squares?",
                    "The sum of their squares is ${answer}$.",
                ),
            ),
        ),
        Template(
            name="distance_of_the_roots",
            level=3,
            numbers=dict(b=ints(7, 38), c=wide(3, 90)),
            answer=lambda b, c: simplest_root(b * b - 4 * c),
            form=RADICAL,
            when=lambda b, c: b * b - 4 * c > 1,
            unknowns=("c",),
            note="Express your answer in simplest radical form.",
            wordings=(
                Wording(
                    "The equation $n^2 - {b}n + {c} = 0$ has two real solutions.",
                    "By how much is the larger solution greater than the smaller one?",
                    "The larger solution is greater than the smaller one by ${answer}$.",
                ),
                Wording(
                    "Two real numbers have the sum {b} and the product {c}.",
                    "What is the positive difference of the two numbers?",
                    "The positive difference of the two numbers is ${answer}$.",
                ),
            ),
        ),
    ),
)
