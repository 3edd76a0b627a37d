"""What a template is: numbers to draw, an exact answer, and several ways to say it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from string import Formatter
from typing import Any, NamedTuple

import numpy as np

from ragen_envs.metamathqa.problems.forms import Form, decimal, dollars, latex_fraction

MAX_TRIES = 2_000
_PLAIN_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")

Number = int | Fraction
Values = dict[str, Number]


@dataclass(frozen=True, slots=True)
class Draw:
    """Where one number of a problem comes from, and how it is written.

    Attributes:
        choices: What is drawn from, each with the same chance.
        show: The number as it stands in a sentence.
        unknown: The same place with `{}` for the letter, where the number is not given.
        grows: The range reaches further up in harder problems.
    """

    choices: Sequence[Number]
    show: Callable[[Any], str] = str
    unknown: str = "{}"
    grows: bool = False

    def pick(self, rng: np.random.Generator, scale: int) -> Number:
        """One of the choices; a range that grows has `scale` times as many."""
        count = len(self.choices)
        index = int(rng.integers(count * scale if self.grows else count))
        if index < count:
            return self.choices[index]
        first, second = self.choices[:2]
        return first + index * (second - first)

    def gold(self, value: Number) -> str:
        """The number as an answer: an amount of money, too, where the sentence keeps the `$`."""
        return self.show(value)


def ints(low: int, high: int, step: int = 1) -> Draw:
    """A whole number from low to high."""
    return Draw(range(low, high + 1, step))


def wide(low: int, high: int, step: int = 1) -> Draw:
    """A whole number from low to high, and further up in harder problems."""
    return Draw(range(low, high + 1, step), grows=True)


def money(low: int, high: int, step: int = 5) -> Draw:
    """A price in cents, written as dollars; it may go further up in harder problems."""
    return Draw(range(low, high + 1, step), dollars, "${}", grows=True)


def tenths(low: int, high: int) -> Draw:
    """A decimal with one place: low and high count tenths."""
    return Draw([Fraction(count, 10) for count in range(low, high + 1) if count % 10], decimal)


def one_of(*choices: Number) -> Draw:
    """One of a few numbers."""
    return Draw(choices)


def proper(largest: int, *, latex: bool = False) -> Draw:
    """A fraction between 0 and 1 in lowest terms with a denominator from 3 to largest."""
    choices = [
        Fraction(top, bottom) for bottom in range(3, largest + 1) for top in range(1, bottom)
    ]
    return Draw(tuple(dict.fromkeys(choices)), latex_fraction if latex else str)


class Wording(NamedTuple):
    """One way to tell a problem, with `{name}` for its numbers, people and things.

    Attributes:
        story: What is given; may be empty where the question says it all.
        question: What is asked.
        fact: The question turned into a statement that holds `{answer}`; empty where the template
            has no unknowns.
    """

    story: str
    question: str
    fact: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A family of problems that differ in their numbers.

    Attributes:
        name: Unique name.
        level: 1 (a step or two), 2 (several steps) or 3 (many steps, or an idea).
        numbers: The given numbers by name.
        answer: The exact answer, computed from the numbers, which it takes by name.
        form: How the answer is written, and which answers are wanted at all.
        wordings: The first is the original, the others its rephrasings.
        unknowns: Numbers that the answer and the other numbers determine: what the backward types
            may ask for.
        when: A condition on the numbers, which it takes by name.
        shown: Further texts for the wordings, each computed from the numbers.
        alike: Shown numbers that may change places without changing the problem.
        note: The wanted form of the answer, where it is not plain.
    """

    name: str
    level: int
    numbers: Mapping[str, Draw]
    answer: Callable[..., Any]
    form: Form
    wordings: tuple[Wording, ...]
    unknowns: tuple[str, ...] = ()
    when: Callable[..., bool] | None = None
    shown: Mapping[str, Callable[..., str]] = field(default_factory=dict)
    alike: tuple[str, ...] = ()
    note: str = ""

    def draw(self, rng: np.random.Generator, scale: int = 1) -> Values:
        """Numbers that fit: see `fits`."""
        for _ in range(MAX_TRIES):
            values = {name: draw.pick(rng, scale) for name, draw in self.numbers.items()}
            if self.fits(values):
                return values
        raise RuntimeError(f"template {self.name!r} accepts too few of its numbers")

    def fits(self, values: Values) -> bool:
        """Whether the numbers make a fair problem.

        The condition holds, the answer has the form that is wanted, and no two of the numbers and
        the answer are equal, nor is the answer or an unknown equal to another number that is shown,
        so that next to nothing is earned by copying a number.
        """
        if len(set(values.values())) < len(values):
            return False
        if self.when is not None and not self.when(**values):
            return False
        answer = self.answer(**values)
        if answer in values.values() or not self.form.fits(answer):
            return False
        if not self.shown:
            return True
        shown = " ".join(show(**values) for show in self.shown.values())
        numbers = set(map(Fraction, _PLAIN_NUMBER.findall(shown)))
        return numbers.isdisjoint({answer, *(values[name] for name in self.unknowns)})

    def fields(self, values: Values) -> dict[str, str]:
        """The numbers, and what is computed from them, as they stand in a wording."""
        numbers = {name: draw.show(values[name]) for name, draw in self.numbers.items()}
        return {**numbers, **{name: show(**values) for name, show in self.shown.items()}}

    def content(self, values: Values) -> str:
        """Canonical text of the problem before any wording: what decides its split.

        It has what the question shows, so that equal questions have equal contents, whatever
        numbers they were made from.
        """
        texts = {name: str(value) for name, value in values.items()}
        texts |= {name: show(**values) for name, show in self.shown.items()}
        texts |= zip(self.alike, sorted(texts[name] for name in self.alike), strict=True)
        wording = self.wordings[0]
        named = [name for name in _field_names(wording.story + wording.question) if name in texts]
        return " ".join([self.name, *(f"{name}={texts[name]}" for name in named)])


@lru_cache(maxsize=1024)
def _field_names(text: str) -> tuple[str, ...]:
    """The fields of a wording in alphabetical order."""
    return tuple(sorted({name for _, name, _, _ in Formatter().parse(text) if name}))


@dataclass(frozen=True, slots=True)
class Topic:
    """The templates of one topic.

    Attributes:
        name: Name of the topic.
        source: "GSM" for grade-school word problems, "MATH" for competition-like ones.
        templates: The templates.
    """

    name: str
    source: str
    templates: tuple[Template, ...]
