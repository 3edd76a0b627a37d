"""The procedural problems: answers, wordings, unknowns, splits, and what a guess is worth."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest

from ragen_envs.metamathqa import answers_match
from ragen_envs.metamathqa.problems import (
    DIFFICULTIES,
    METHODS,
    TEMPLATES,
    TOPICS,
    TYPES,
    generate,
    pose,
)
from ragen_envs.metamathqa.problems.finished import is_finished
from ragen_envs.metamathqa.problems.forms import (
    dollars,
    latex_fraction,
    polynomial,
    simplest_root,
)
from ragen_envs.metamathqa.problems.template import Draw
from ragen_envs.splits import SPLITS, split_of
from tests.ragen_envs.metamathqa import second_computations

SEEDS = 25
SCALES = sorted({difficulty.scale for difficulty in DIFFICULTIES.values()})
SOURCES = {template.name: topic.source for topic in TOPICS for template in topic.templates}

each_template = pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
each_id = pytest.mark.parametrize("difficulty", ["normal", "hard"])


def drawn(template, seeds=SEEDS):
    for scale in SCALES:
        for seed in range(seeds):
            yield template.draw(np.random.default_rng([seed, scale]), scale)


def problems(difficulty, split, count=2_000, types=TYPES):
    rngs = (np.random.default_rng([seed, 0]) for seed in range(count))
    return [generate(rng, difficulty, split, types) for rng in rngs]


def types_of(template):
    methods = METHODS if template.unknowns else METHODS[:2]
    return [f"{SOURCES[template.name]}_{method}" for method in methods]


# The templates as a whole.


def test_there_are_enough_templates_of_both_sources_at_every_level():
    assert len(TEMPLATES) >= 60
    for level in (1, 2, 3):
        for source in ("GSM", "MATH"):
            names = [t.name for t in TEMPLATES if t.level == level and SOURCES[t.name] == source]
            assert len(names) >= 6, (level, source)


def test_template_names_are_unique():
    assert len({template.name for template in TEMPLATES}) == len(TEMPLATES)


def test_every_template_has_a_second_computation_and_no_other_is_left():
    functions = {
        name
        for name, value in vars(second_computations).items()
        if callable(value) and getattr(value, "__module__", "") == second_computations.__name__
    }
    assert functions - {"pascal", "is_root", "steps"} == {template.name for template in TEMPLATES}


def test_every_kind_of_answer_occurs():
    assert {template.form.kind for template in TEMPLATES} == {
        "integer",
        "signed integer",
        "decimal",
        "fraction",
        "mixed number",
        "percent",
        "money",
        "radical",
        "multiple of pi",
        "interval",
        "inequality",
        "list",
        "ordered pair",
        "polynomial",
        "numeral in a base",
        "weekday",
        "time of day",
    }


# Each template.


@each_template
def test_answer_is_computed_twice(template):
    check = getattr(second_computations, template.name)
    for values in drawn(template):
        answer = template.answer(**values)
        assert check(answer, **values), (values, answer)


@each_template
def test_second_computation_notices_a_wrong_answer(template):
    check = getattr(second_computations, template.name)
    for values in drawn(template, seeds=3):
        answer = template.answer(**values)
        wrong = (answer[0], *answer[:-1]) if isinstance(answer, tuple) else answer + 1
        try:
            assert not check(wrong, **values), (values, wrong)
        except (TypeError, ValueError):
            pass  # not even the type of an answer


@each_template
def test_unknown_is_determined_by_the_answer(template):
    for unknown in template.unknowns:
        for values in drawn(template, seeds=2):
            answer = template.answer(**values)
            found = [
                candidate
                for candidate in candidates(values[unknown])
                if answer_or_none(template, {**values, unknown: candidate}) == answer
            ]
            assert found == [values[unknown]], (unknown, values)


def candidates(value):
    """Everything that the unknown could be, far beyond the range that it is drawn from."""
    if isinstance(value, Fraction) and value.denominator > 1:
        parts = {Fraction(top, bottom) for bottom in range(1, 41) for top in range(1, 2 * bottom)}
        return sorted(parts | {Fraction(top, 10) for top in range(1, 200)})
    return range(1, 2 * int(value) + 400)


def answer_or_none(template, values):
    try:
        return template.answer(**values)
    except (ArithmeticError, StopIteration, ValueError):
        return None


# Backward versions of a question that may be read with rounding have several right answers.
_ROUNDED_UP = ("saving_up", "reading_days", "workers_and_days")
_ROUNDED_DOWN = ("egg_boxes",)
_EXACT = re.compile(r"\bexactly\b|\bno egg left over\b|\bnone is left over\b", re.IGNORECASE)
# Equations, equal shares and measures: nobody would round them, and the instructions say so.
_NEVER_ROUNDED = set(
    """
    joint_gift pen_and_folder heads_and_legs sum_and_difference age_sum three_shares catching_up
    two_machines ratio_share percent_of_percent percent_increase mixture consecutive_integers
    rectangle_perimeter
    """.split()
)


def read_with(rounding, template, unknown, values):
    """What the unknown may be if the answer is a rounded one."""
    answer = template.answer(**values)
    return [
        candidate
        for candidate in range(max(1, values[unknown] - 40), values[unknown] + 41)
        if (other := answer_or_none(template, {**values, unknown: candidate})) is not None
        and rounding(other) == answer
    ]


def may_be_rounded(template):
    if template.form.kind not in ("integer", "money", "percent"):
        return False
    return any(
        len(read_with(rounding, template, unknown, values)) > 1
        for rounding in (ceil, floor)
        for unknown in template.unknowns
        for values in drawn(template, seeds=2)
        if isinstance(values[unknown], int)
    )


def test_templates_that_may_be_rounded_are_known():
    found = {template.name for template in TEMPLATES if may_be_rounded(template)}
    assert found == {*_ROUNDED_UP, *_ROUNDED_DOWN} | _NEVER_ROUNDED


@pytest.mark.parametrize("name", [*_ROUNDED_UP, *_ROUNDED_DOWN])
def test_question_that_may_be_rounded_asks_for_an_exact_answer(name):
    (template,) = [template for template in TEMPLATES if template.name == name]
    for wording in template.wordings:
        assert _EXACT.search(f"{wording.story} {wording.question}"), wording
        assert _EXACT.search(f"{wording.story} {wording.fact}"), wording
    rounding = ceil if name in _ROUNDED_UP else floor
    for unknown in template.unknowns:
        for values in drawn(template, seeds=5):
            assert values[unknown] in read_with(rounding, template, unknown, values)
            assert read_with(Fraction, template, unknown, values) == [values[unknown]]


@each_template
def test_wording_reads_well(template):
    for question_type in types_of(template):
        for seed, values in enumerate(drawn(template, seeds=8)):
            text, gold = pose(np.random.default_rng(seed), template, values, question_type)
            assert text[-1] in "?.", text
            assert not text[0].islower(), text
            assert not re.search(r"None|Fraction|  |\.\.|\?\?| [.,?]", text), text
            assert not re.search(r"(?<![\d.,/-])\b1 [a-z]+s\b", text), text
            outside = re.sub(r"\$[^$]*\$", "", text) if SOURCES[template.name] == "MATH" else text
            assert not set(outside) & set("{}\\"), text
            assert not re.search(r"\b[Aa] \$?(?:[xX]\b|8|1[18]\b)", text), text
            assert gold == gold.strip() != "" and "Fraction" not in gold, gold


@each_template
def test_wordings_are_different_sentences_with_the_same_numbers(template):
    assert len(template.wordings) >= 2
    fields = [
        set(re.findall(r"\{(\w+)\}", wording.story + wording.question)) & given(template)
        for wording in template.wordings
    ]
    assert all(names == fields[0] for names in fields), fields
    words = [set((wording.story + wording.question).split()) for wording in template.wordings]
    for index, first in enumerate(words):
        for second in words[index + 1 :]:
            assert len(first & second) < 0.75 * min(len(first), len(second))


@each_template
def test_statement_holds_the_answer_and_all_numbers(template):
    for wording in template.wordings:
        assert bool(wording.fact) == bool(template.unknowns)
        if wording.fact:
            assert "{answer}" in wording.fact and wording.fact.endswith(".")
            told = set(re.findall(r"\{(\w+)\}", wording.story + wording.fact))
            asked = set(re.findall(r"\{(\w+)\}", wording.story + wording.question))
            assert asked & given(template) <= told


def given(template):
    return {*template.numbers, *template.shown}


@each_template
def test_no_number_of_the_question_is_its_answer(template):
    for values in drawn(template):
        answer = template.answer(**values)
        assert len({*values.values(), answer}) == len(values) + 1
        texts = " ".join(show(**values) for show in template.shown.values())
        shown = set(map(int, re.findall(r"\d+", texts)))
        assert not shown & {answer, *(values[name] for name in template.unknowns)}


def test_greatest_common_divisor_is_none_of_the_two_numbers():
    (template,) = [t for t in TEMPLATES if t.name == "greatest_common_divisor"]
    assert not template.fits({"part": 12, "a": 4, "b": 8})
    assert template.fits({"part": 12, "a": 4, "b": 6})


def test_money_that_is_asked_for_backwards_keeps_its_currency():
    (template,) = [template for template in TEMPLATES if template.name == "change"]
    values = template.draw(np.random.default_rng(0))
    for question_type in ("GSM_SV", "GSM_FOBAR"):
        question, gold = pose(np.random.default_rng(0), template, values, question_type)
        assert "$x" in question and gold == dollars(values["price"])
        bare = gold.removeprefix("$")
        for right in (gold, bare, f"{bare} dollars", f"x = {bare}"):
            assert answers_match(gold, right), right
        for wrong in (f"{bare} cents", f"{bare}%", f"{bare} euros"):
            assert not answers_match(gold, wrong), wrong


@each_template
def test_gold_is_matched_in_every_form_of_answer(template):
    for question_type in types_of(template):
        for seed, values in enumerate(drawn(template, seeds=3)):
            _, gold = pose(np.random.default_rng(seed), template, values, question_type)
            for reply in (
                gold,
                f"The answer is: {gold}",
                f"We compute it.\nThe answer is: ${gold.removeprefix('$')}$.",
                rf"Hence it is \boxed{{{gold}}}.",
                *other_forms(template, gold, question_type),
            ):
                assert answers_match(gold, reply), (gold, reply)


@each_template
def test_gold_and_its_other_forms_are_worked_out(template):
    for question_type in types_of(template):
        for seed, values in enumerate(drawn(template, seeds=3)):
            _, gold = pose(np.random.default_rng(seed), template, values, question_type)
            for reply in (gold, *other_forms(template, gold, question_type)):
                assert is_finished(reply), reply


def other_forms(template, gold, question_type):
    """Other ways in which a solver may write the same answer."""
    if question_type.endswith(("SV", "FOBAR")):
        return [gold.replace("\\frac", "\\dfrac"), f"x = {gold}"]
    return _FORMS[template.form.kind](gold)


_FORMS = {
    "integer": lambda gold: [f"{int(gold):,}", f"{gold}.0", f"+{gold}"],
    "signed integer": lambda gold: [gold.replace("-", "\u2212"), f"{gold}.00"],
    "decimal": lambda gold: [str(Fraction(gold)), f"{gold}0"],
    "fraction": lambda gold: [
        gold.replace("\\frac", "\\dfrac"),
        re.sub(r"\\frac\{(\d+)\}\{(\d+)\}", r"\1/\2", gold),
    ],
    "mixed number": lambda gold: [
        str(mixed(gold)),
        latex_fraction(mixed(gold)),
        f"{mixed(gold) // 1} {mixed(gold) % 1}",
    ],
    "percent": lambda gold: [gold.replace("\\", ""), gold.replace("\\%", "")],
    "money": lambda gold: [gold.removeprefix("$"), f"{gold.removeprefix('$')} dollars"],
    "radical": lambda gold: [re.sub(r"\\sqrt\{(\d+)\}", r"sqrt(\1)", gold)],
    "multiple of pi": lambda gold: [
        re.sub(r"\\frac\{(\d+)\\pi\}\{(\d+)\}", r"\\frac{\1}{\2}\\pi", gold),
        gold.replace("\\pi", "π"),
    ],
    "interval": lambda gold: [gold.replace(", ", ","), f"\\left{gold[:-1]}\\right]"],
    "inequality": lambda gold: [
        f"(-\\infty, {gold.split('<')[1].strip()})",
        f"{gold.split('<')[1].strip()} > n",
    ],
    "list": lambda gold: [", ".join(reversed(gold.split(", "))), gold.replace(", ", " and ")],
    "ordered pair": lambda gold: [gold.replace(" ", ""), f"\\left{gold[:-1]}\\right)"],
    "polynomial": lambda gold: [" + ".join(reversed(gold.replace("- ", "+ -").split(" + ")))],
    "numeral in a base": lambda gold: [gold.replace("{", "").replace("}", "")],
    "weekday": lambda gold: [gold.lower(), f"\\text{{{gold}}}"],
    "time of day": lambda gold: [f"${gold}$"],
}


def mixed(gold):
    whole, top, bottom = re.fullmatch(r"(\d+)(?: |\\frac\{)(\d+)(?:/|\}\{)(\d+)\}?", gold).groups()
    return int(whole) + Fraction(int(top), int(bottom))


def test_template_that_accepts_nothing_says_so():
    template = TEMPLATES[0]
    impossible = type(template)(
        name="impossible",
        level=1,
        numbers={"a": Draw((1,)), "b": Draw((1,))},
        answer=lambda a, b: a + b,
        form=template.form,
        wordings=template.wordings,
    )
    with pytest.raises(RuntimeError, match="impossible"):
        impossible.draw(np.random.default_rng(0))


# The types.


@pytest.mark.parametrize("question_type", TYPES)
def test_question_is_of_its_type(question_type):
    letter = "x" if question_type.startswith("GSM") else "X"
    ending = f"hat is the value of unknown variable {letter}?"
    for problem in problems("normal", "train", 100, [question_type]):
        assert problem.type == question_type
        assert problem.question.endswith(ending) == question_type.endswith(("SV", "FOBAR"))
        assert ("If we know the answer to the above question is" in problem.question) == (
            question_type.endswith("FOBAR")
        )
        if question_type.endswith("SV"):
            assert problem.question.count("?") == 1


def test_rephrased_question_is_not_the_original():
    template = TEMPLATES[0]
    values = template.draw(np.random.default_rng(0))
    rephrased = {
        pose(np.random.default_rng(seed), template, values, "GSM_Rephrased")[0].split()[0]
        for seed in range(50)
    }
    original, _ = pose(np.random.default_rng(0), template, values, "GSM_AnsAug")
    assert len(rephrased) >= 2
    assert " buys " in original


def test_all_types_are_drawn_with_the_weights_of_the_difficulty():
    normal = Counter(problem.type for problem in problems("normal", "train"))
    assert set(normal) == set(TYPES)
    assert min(normal.values()) > 0.1 * sum(normal.values())
    hard = Counter(problem.type for problem in problems("hard", "train"))
    backward = sum(hard[name] for name in TYPES if name.endswith(("SV", "FOBAR")))
    assert 0.6 < backward / sum(hard.values()) < 0.73


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_difficulty_has_its_levels(difficulty):
    found = {problem.level for problem in problems(difficulty, "train", 300)}
    assert found == set(DIFFICULTIES[difficulty].levels)


# Splits, and what can be had without solving.


@each_id
def test_contents_of_the_splits_are_disjoint(difficulty):
    contents = {
        split: {problem.content for problem in problems(difficulty, split)} for split in SPLITS
    }
    for split in SPLITS:
        assert all(split_of(content) == split for content in contents[split])
        assert len(contents[split]) > 1_700
    assert not contents["train"] & contents["validation"]
    assert not contents["train"] & contents["test"]
    assert not contents["validation"] & contents["test"]


@each_template
def test_equal_questions_have_equal_contents(template):
    """Also where different numbers make the same question: 3 and 5 or 5 and 3 as solutions."""
    contents = {}
    for values in drawn(template, seeds=40):
        text, _ = pose(np.random.default_rng(0), template, values, types_of(template)[0])
        assert contents.setdefault(text, template.content(values)) == template.content(values)
    assert len(contents) > 40


def test_content_has_the_shown_numbers_and_nothing_of_the_wording():
    contents = {
        template.name: template.content(template.draw(np.random.default_rng(1)))
        for template in TEMPLATES
    }
    for name in ("change", "quadratic_equation", "survey"):
        assert re.fullmatch(r"[a-z_]+( [a-z]+=[n^0-9 +-]+)+", contents[name]), contents[name]


def test_numbers_that_may_change_places_have_one_content():
    (template,) = [template for template in TEMPLATES if template.name == "hypotenuse"]
    assert template.content({"a": 5, "b": 12}) == template.content({"a": 12, "b": 5})
    assert template.content({"a": 5, "b": 12}) != template.content({"a": 5, "b": 13})


def test_versions_of_a_problem_are_in_one_split():
    template = TEMPLATES[0]
    values = template.draw(np.random.default_rng(3))
    texts = {
        pose(np.random.default_rng(seed), template, values, question_type)
        for question_type in types_of(template)
        for seed in range(10)
    }
    assert len(texts) > 20
    split = split_of(template.content(values))
    posed = {problem.content: problem for problem in problems("easy", split, 4_000)}
    elsewhere = {
        problem.content
        for other in SPLITS
        if other != split
        for problem in problems("easy", other, 1_000)
    }
    assert template.name in {problem.template for problem in posed.values()}
    assert not elsewhere & set(posed)


@each_id
@pytest.mark.parametrize("split", ["train", "test"])
def test_no_answer_is_common(difficulty, split):
    golds = Counter(
        re.sub(r"\\%|\$", "", problem.gold) for problem in problems(difficulty, split, 4_000)
    )
    _, most = golds.most_common(1)[0]
    assert most < 0.02 * 4_000


@each_id
def test_copied_number_is_rarely_the_answer(difficulty):
    right = 0
    for problem in problems(difficulty, "test", 2_000):
        copied = set(re.findall(r"\d+(?:\.\d+)?(?:/\d+)?", problem.question))
        right += any(answers_match(problem.gold, number) for number in copied)
    assert right < 0.02 * 2_000  # with as many attempts as there are numbers


# The forms.


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        (polynomial((1, -5, 6)), "n^2 - 5n + 6"),
        (polynomial((-1, 0, 1)), "-n^2 + 1"),
        (polynomial((2, 1, 0)), "2n^2 + n"),
        (polynomial((0, 0, 0)), "0"),
        (latex_fraction(Fraction(-3, 4)), r"-\frac{3}{4}"),
        (latex_fraction(5), "5"),
        (dollars(1205), "$12.05"),
        (dollars(1200), "$12"),
        (simplest_root(72), (6, 2)),
        (simplest_root(49), (7, 1)),
        (simplest_root(30), (1, 30)),
    ],
)
def test_number_is_written_as_it_should_be(written, wanted):
    assert written == wanted


_WORKED_OUT = r"""
23
23.0
\frac{46}{3}
3\sqrt{5}
\frac{5\pi}{3}
5\pi/3
5π/3
\frac{5}{3}\pi
-7
+5
$12.50
\$12.50
-\$5
1,234
12 000
42 apples
20\text{ cm}^2
5 km/h
90^\circ
90°
5\%
57%
3 1/2
3\frac{1}{2}
½
3½
\frac12
1.5e3
2 \times 10^{-3}
2 \cdot 10^3
twenty-three
seventeen
\text{Monday}
on Monday
7:05
18:30
7:05 a.m.
1135_6
1135_{6}
1135₆
1135 base 6
1135 in base six
(3, 4)
(\frac{1}{2}, -3)
[-6, 10]
\left[-6, 10\right]
[-6, \frac{3}{4})
(-\infty, 25/9)
n < \frac{25}{9}
n \le 5
5 > n
n \in [-6, 10]
-6 \le n \le 10
14, 19
14 and 19
n = 14 or n = 19
\{14, 19\}
x = 5
day = Monday
5 = total
the total = 5
6*7 = 42
42 = x
50n^2 + 10n - 144
50n^{2} + 10n - 144
-n^2 + n
-144 + 10n + 50n^2
50n^2 + -3n + 1
\sqrt{586}
8\sqrt{42}
sqrt(586)
2*\sqrt{3}
2 sqrt 3
1.50 dollars
42 square centimetres
m = 15, n = -2
(m,n) = (15,-2)
\frac{-3}{4}
-\frac{3}{4}
-3/4
\pi
1/3 litre
12 \frac{3}{4} metres
17!
3/4 of a litre
5 percent
-5 degrees Celsius
16 2/3 hours
(23)
minus five
$23$
\mathbf{23}
1 hundred
\frac{\pi}{3}
\frac{3\sqrt{5}}{2}
784\pi\text{ cm}^2
$784\pi$ square metres
2430\pi cubic centimetres
\(5\)
1011_{two}
""".strip().splitlines()
_CALCULATIONS = r"""
6*7
42x/x
20+3
\frac{3}{7}+\frac{1}{2}
(8n+7)(10n-9)
x^0
2^3
10^3
\sqrt{16}
x = 6*7
42 = 6 \cdot 7
6 \times 7
6(7)
(6)(7)
6 x 7
50-8
\frac{6*7}{2}
\frac{20+3}{1}
46/2
\frac{46}{2}
84/2
n + 3 - n
50n^2+3n+7n
8n*10n
n(50n+10)-144
5.\overline{56}
\sqrt[3]{8}
\sqrt{3^2+4^2}
\sqrt{9+16}
3\sqrt{5}+1
\sqrt{2}\sqrt{3}
5+3 apples
50% of 84
\binom{5}{2}
C(5,2)
5!/3
5!*2
5!2
\log 100
5 mod 3
3^{10} mod 7
12:30+5
6*7, 3
(6*7, 3)
[1+2, 4]
n < 9/3+1
1/0.5
3.5/7
2*\pi*3
\pi 2^2
3^2\pi
\frac{1}{2}*4
1/2/3
1/(2/3)
\frac{1}{\frac{2}{3}}
3 1/2 + 1
{6}{7}
24 \pm 56
n = 24 \pm 56
--5
5 + \cfrac{1}{2}
six times seven
six plus seven
6 \cdot seven
5^2 m
5 - 3n + 2
-5^0
6*7!
(6*7)
\{6*7\}
42 (6*7)
6;7*2
42/1
\gcd(4,6)
6*7=6*7
6*7 = total
6*7 = y
x=6*7=x
2*3\sqrt{5}
2 3\sqrt5
\frac{2\cdot 3\pi}{5}
\left|-5\right|
6\times7
\frac{n^2}{n}
4! apples
""".strip().splitlines()


@pytest.mark.parametrize("answer", _WORKED_OUT)
def test_value_is_worked_out(answer):
    assert is_finished(answer)


@pytest.mark.parametrize("answer", [*_CALCULATIONS, "", "!", "(" * 250 + "6*7" + ")" * 250])
def test_calculation_is_not_worked_out(answer):
    assert not is_finished(answer)
