"""Competition-like problems about fractions and repeating decimals."""

from __future__ import annotations

from fractions import Fraction

from ragen_envs.metamathqa.problems.forms import FRACTION, LATEX_MIXED, WHOLE
from ragen_envs.metamathqa.problems.template import (
    Draw,
    Template,
    Topic,
    Wording,
    ints,
    proper,
    wide,
)

_COMMON = "Express your answer as a common fraction in lowest terms."

TOPIC = Topic(
    "fractions",
    "MATH",
    (
        Template(
            name="sum_of_three_fractions",
            level=1,
            numbers=dict(
                a=proper(12, latex=True), b=proper(15, latex=True), c=proper(9, latex=True)
            ),
            answer=lambda a, b, c: a + b - c,
            form=FRACTION,
            when=lambda a, b, c: a + b > c,
            note=_COMMON,
            unknowns=("a", "b", "c"),
            alike=("a", "b"),
            wordings=(
                Wording(
                    "",
                    r"What is the value of ${a} + {b} - {c}$?",
                    r"The value of ${a} + {b} - {c}$ is ${answer}$.",
                ),
                Wording(
                    r"The number ${c}$ is subtracted from the sum of ${a}$ and ${b}$.",
                    "What is the result?",
                    "The result is ${answer}$.",
                ),
                Wording(
                    (
                        r"A jug holds ${a}$ of a litre. First ${b}$ of a litre is added, and then "
                        r"${c}$ of a litre is poured out."
                    ),
                    "What fraction of a litre is in the jug now?",
                    "Now ${answer}$ of a litre is in the jug.",
                ),
            ),
        ),
        Template(
            name="part_of_a_part",
            level=1,
            numbers=dict(full=proper(12, latex=True), used=proper(12, latex=True)),
            answer=lambda full, used: full * (1 - used),
            form=FRACTION,
            note=_COMMON,
            unknowns=("full", "used"),
            wordings=(
                Wording(
                    r"A tank is ${full}$ full of water. Then ${used}$ of this water is used.",
                    "What fraction of the tank is full now?",
                    r"Now ${answer}$ of the tank is full.",
                ),
                Wording(
                    (
                        r"Of the pupils of a school, ${full}$ take a language course. Among these, "
                        r"${used}$ take French, and the others take Spanish."
                    ),
                    "What fraction of all the pupils take Spanish?",
                    r"The fraction of all the pupils who take Spanish is ${answer}$.",
                ),
            ),
        ),
        Template(
            name="whole_from_a_part",
            level=2,
            numbers=dict(
                first=proper(7, latex=True), second=proper(6, latex=True), left=wide(18, 96)
            ),
            answer=lambda first, second, left: left / (1 - first) / (1 - second),
            form=WHOLE,
            unknowns=("left",),
            wordings=(
                Wording(
                    (
                        r"A shop sells ${first}$ of its lamps in May and ${second}$ of the rest in "
                        r"June. After that it has {left} lamps."
                    ),
                    "How many lamps did it have at the beginning of May?",
                    "At the beginning of May it had ${answer}$ lamps.",
                ),
                Wording(
                    (
                        r"There were still {left} pages of a report to read after {A} had read "
                        r"${first}$ of the report on one day and ${second}$ of what was left on "
                        r"the next."
                    ),
                    "How many pages does the report have?",
                    "The report has ${answer}$ pages.",
                ),
            ),
        ),
        Template(
            name="same_added_to_both",
            level=3,
            numbers=dict(start=proper(19, latex=True), end=proper(29, latex=True)),
            answer=lambda start, end: Fraction(
                end.numerator * start.denominator - start.numerator * end.denominator,
                end.denominator - end.numerator,
            ),
            form=WHOLE,
            when=lambda start, end: end > start,
            wordings=(
                Wording(
                    (
                        r"When the same number is added to the numerator and to the denominator of "
                        r"${start}$, the new fraction is equal to ${end}$."
                    ),
                    "What number is added?",
                ),
                Wording(
                    "",
                    (
                        r"Which number has to be added to both parts of the fraction ${start}$, "
                        r"the upper and the lower, to make a fraction equal to ${end}$?"
                    ),
                ),
            ),
        ),
        Template(
            name="nested_fraction",
            level=2,
            numbers=dict(a=ints(11, 60), b=ints(2, 12), c=ints(3, 15)),
            answer=lambda a, b, c: a + 1 / (b + Fraction(1, c)),
            form=FRACTION,
            note=_COMMON,
            unknowns=("a",),
            wordings=(
                Wording(
                    "",
                    r"What is the value of ${a} + \cfrac{{1}}{{{b} + \cfrac{{1}}{{{c}}}}}$?",
                    r"The value of ${a} + \cfrac{{1}}{{{b} + \cfrac{{1}}{{{c}}}}}$ is ${answer}$.",
                ),
                Wording(
                    (
                        "The reciprocal of {c} is added to {b}. Then the reciprocal of that sum is "
                        "added to {a}."
                    ),
                    "What number comes out?",
                    r"The number that comes out is ${answer}$.",
                ),
            ),
        ),
        Template(
            name="repeating_decimal",
            level=2,
            numbers=dict(whole=ints(2, 9), block=Draw([n for n in range(12, 99) if n % 11])),
            answer=lambda whole, block: whole + Fraction(block, 99),
            form=FRACTION,
            note=_COMMON,
            wordings=(
                Wording(
                    "",
                    r"What is the repeating decimal ${whole}.\overline{{{block}}}$ as a fraction?",
                ),
                Wording(
                    (
                        "In a decimal number the whole part is {whole}, and after the point the "
                        "two digits {block} are repeated for ever."
                    ),
                    "Which fraction is equal to this number?",
                ),
            ),
        ),
        Template(
            name="cutting_lengths",
            level=1,
            numbers=dict(
                pieces=ints(5, 28), each=proper(9, latex=True), rest=proper(9, latex=True)
            ),
            answer=lambda pieces, each, rest: pieces * each + rest,
            form=LATEX_MIXED,
            when=lambda pieces, each, rest: rest < each,
            note="Express your answer as a mixed number.",
            unknowns=("each", "rest"),
            wordings=(
                Wording(
                    (
                        r"From a roll of ribbon {pieces} pieces are cut, each of them ${each}$ of "
                        r"a metre long. A remnant of ${rest}$ of a metre is left."
                    ),
                    "How many metres of ribbon were on the roll?",
                    r"There were ${answer}$ metres of ribbon on the roll.",
                ),
                Wording(
                    "",
                    (
                        r"How many kilometres long is a path on which a runner passes {pieces} "
                        r"sections of ${each}$ of a kilometre and finishes with ${rest}$ of a "
                        r"kilometre?"
                    ),
                    (
                        r"A runner passes {pieces} sections of ${each}$ of a kilometre on a path, "
                        r"finishes with ${rest}$ of a kilometre, and the path is ${answer}$ "
                        r"kilometres long."
                    ),
                ),
            ),
        ),
    ),
)
