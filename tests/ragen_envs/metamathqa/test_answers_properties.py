"""The checker of answers, on generated text and mathematics."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragen_envs.metamathqa import answers_match, compare_answers, extract_answer
from tests.ragen_envs.metamathqa.test_answers import GOLDS, ROWS

STATUSES = {"equal", "different", "unparsed", "no_answer"}
PIECES = [
    *"0123456789xyzabei+-*/^!()[]{}|<>=,;:.%$&_\\ \n'\"`#",
    *r"\frac \sqrt \sqrt[3] \binom \pi \pm \mp \cup \in \le \ne \infty \sin \log_ \ln".split(),
    *"cm dollars eighteen hundred and or ^\\circ".split(),
    *r"\{ \} \left( \right) \text{ \boxed{ \begin{pmatrix} \end{pmatrix} \\ \emptyset".split(),
    *r"\overline{3} 1/2 1,000 12:30 <answer> </answer> ####".split(),
    "The answer is: ",
    " m",
]
texts = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
surrogates = st.text(st.characters(codec=None), max_size=20)
integers = st.integers(-10_000, 10_000)
fractions = st.fractions(-1000, 1000, max_denominator=500)


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(GOLDS), texts | surrogates)
def test_no_response_raises(gold, response):
    verdict = compare_answers(gold, response)
    assert verdict.status in STATUSES
    assert verdict.reason


@settings(max_examples=600, deadline=None)
@given(texts, texts)
def test_no_pair_raises_but_for_an_empty_gold(gold, response):
    try:
        assert compare_answers(gold, response).status in STATUSES
    except ValueError as error:
        assert str(error).startswith("gold must hold an answer")


@settings(max_examples=600, deadline=None)
@given(texts)
def test_every_answer_matches_itself(text):
    try:
        assert answers_match(text, text)
    except ValueError:
        assert compare_answers("18", text).status == "no_answer"


@settings(max_examples=600, deadline=None)
@given(texts, texts)
def test_order_of_the_two_does_not_matter(a, b):
    # Percent signs and exclamation marks are read in favour of the response; a pair in brackets is
    # an interval where the gold answer says so, and values go without their names likewise.
    if not any(mark in a + b for mark in ("%", "!", "<", ">", r"\le", r"\in", "=", r"\cup")):
        try:
            assert answers_match(a, b) == answers_match(b, a)
        except ValueError:
            pass


def spellings(value: Fraction) -> list[str]:
    n, d = abs(value.numerator), value.denominator
    sign = "-" if value < 0 else ""
    whole, rest = divmod(n, d)
    texts = [
        f"{sign}{n}/{d}",
        rf"{sign}\frac{{{n}}}{{{d}}}",
        rf"\dfrac{{{sign}{3 * n}}}{{{3 * d}}}",
    ]
    texts += [
        rf"{sign}\frac{{{n}}}{{{d}}} \text{{ cm}}",
        f"({sign}{n}) / {d}",
        f"x = {sign}{n}/{d}",
    ]
    texts += [rf"The answer is: ${sign}\tfrac{{{n}}}{{{d}}}$.", rf"\boxed{{{sign}{n}/{d}}}"]
    texts += [rf"{sign}\frac{{{n}\pi}}{{{d}\pi}}", f"{100 * value.numerator}/{d}%"]
    if rest and whole:
        texts += [f"{sign}{whole} {rest}/{d}", rf"{sign}{whole}\frac{{{rest}}}{{{d}}}"]
    if d == 1:
        texts += [f"{value}", f"{value}.00", f"{n:,}" if not sign else f"-{n:,}", f"{value} apples"]
        texts += [f"{value}e0", f"{value.numerator * 10}\\times 10^{{-1}}"]
    return texts


@settings(max_examples=150, deadline=None)
@given(fractions | integers.map(Fraction), st.data())
def test_every_spelling_of_a_number_is_that_number(value, data):
    options = spellings(value)
    gold, response = data.draw(st.sampled_from(options[:3])), data.draw(st.sampled_from(options))
    assert answers_match(gold, response)


@settings(max_examples=150, deadline=None)
@given(fractions, fractions.filter(bool), st.data())
def test_no_spelling_of_another_number_matches(value, change, data):
    other = value + change
    if other * 100 == value or other == value * 100:
        return
    gold = data.draw(st.sampled_from(spellings(value)[:3]))
    assert compare_answers(gold, data.draw(st.sampled_from(spellings(other)))).status == "different"


coefficients = st.lists(st.integers(-9, 9), min_size=2, max_size=6)


def written_out(coefficients):
    return "+".join(f"({c})x^{{{i}}}" for i, c in enumerate(coefficients))


def nested(coefficients):
    text = "0"
    for c in reversed(coefficients):
        text = f"({text})x+({c})"
    return text


@settings(max_examples=150, deadline=None)
@given(coefficients, st.integers(0, 5), st.integers(-3, 3))
def test_polynomials_are_compared_by_their_coefficients(coefficients, at, change):
    other = list(coefficients)
    other[at % len(other)] += change
    assert answers_match(written_out(coefficients), nested(other)) == (change == 0)


@settings(max_examples=150, deadline=None)
@given(st.integers(2, 50), st.integers(2, 50), st.integers(2, 5), st.integers(0, 2))
def test_factors_may_stand_under_a_root(k, m, degree, change):
    inside = rf"\sqrt[{degree}]{{{k**degree * m + change}}}"
    assert answers_match(rf"{k}\sqrt[{degree}]{{{m}}}", inside) == (change == 0)


@settings(max_examples=100, deadline=None)
@given(st.lists(fractions, min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_lists_match_in_any_order_and_only_whole(values, random):
    shuffled = list(values)
    random.shuffle(shuffled)
    gold = ", ".join(map(str, values))
    assert answers_match(
        gold, " and ".join(rf"\frac{{{v.numerator}}}{{{v.denominator}}}" for v in shuffled)
    )
    assert not answers_match(gold, ", ".join(map(str, shuffled[1:])))
    assert not answers_match(gold, ", ".join(map(str, [*shuffled, 1])))
    assert not answers_match(str(values[0]), gold)
    assert not answers_match(f"({gold})", gold)


@settings(max_examples=100, deadline=None)
@given(st.integers(-50, 50), st.integers(1, 50), st.sampled_from(["<", r"\le"]), st.booleans())
def test_inequalities_are_their_intervals(low, width, relation, backwards):
    high, closing = low + width, "]" if relation == r"\le" else ")"
    text = f"{low} < x {relation} {high}"
    if backwards:
        text = f"{high} {relation.replace('<', '>').replace('le', 'ge')} x > {low}"
    assert answers_match(text, f"({low},{high}{closing}")
    # "(1,2)" as a gold answer may be a point.
    assert answers_match(f"({low},{high}{closing}", text) == (closing == "]")
    assert answers_match(f"x \\in ({low},{high}{closing}", text)
    for other in (f"[{low},{high}{closing}", f"({low},{high + 1}{closing}"):
        assert not answers_match(other, text)
        assert not answers_match(text, other)


def test_no_response_matches_two_plain_golds():
    golds = "0 1 2 3 5 17 18 19 42 -18 -42 0.5 1/3 1,2 (1,2) x A yes \\pi".split()
    allowed = ("%", "percent", "!")
    for row in ROWS:
        if len(row["response"]) < 400 and not any(mark in row["response"] for mark in allowed):
            matched = [gold for gold in golds if answers_match(gold, row["response"])]
            assert len(matched) <= 1, (row["response"], matched)


HEDGES = ["{0} or {1}", "{0}, {1}", r"\{{{0}, {1}\}}", "({0}, {1})", "[{0}, {1}]", "{0} and {1}"]
HEDGES += ["x={0} or x={1}", r"\boxed{{{0}}} or \boxed{{{1}}}", r"\boxed{{{0}, {1}}}", "{0}/{1}"]
HEDGES += ["{0} {1}", "{0}; {1}", "{0} (or {1})", "{0} not {1}", "{0} < x < {1}", "{0} - {1}"]
HEDGES += ["either {0} or {1}", "{0} if not {1}", r"{0} \text{{ or }} {1}", "{0} = {1}", "{0}:{1}"]
HEDGES += [
    "{0} apples or {1} apples",
    "{0}|{1}",
    "{0} & {1}",
    r"{0} \\ {1}",
    "{0}\n{1}",
    "{0}..{1}",
]
HEDGES += ["The answer is: {0} or {1}", "<answer>{0} {1}</answer>", "between {0} and {1}"]


@pytest.mark.parametrize("hedge", HEDGES)
def test_hedge_over_two_answers_never_matches_one_of_them(hedge):
    for a, b in combinations(["3", "7", "-2.5", "1/3", r"\sqrt{2}", r"2\pi"], 2):
        for response in (hedge.format(a, b), hedge.format(b, a)):
            assert not answers_match(a, response), response
            assert not answers_match(b, response), response


def test_extraction_leaves_every_plain_answer_alone():
    for row in ROWS:
        answer = extract_answer(row["response"])
        if answer is not None and "<think>" not in answer:
            assert extract_answer(answer) == answer


BESIDE = [
    "-{}",
    "2{}",
    "{}^2",
    "1/{}",
    "{}x",
    "{}/2",
    "{}!!",
    "{} or 9",
    "9 or {}",
    "{}, 9",
    "9, {}",
]
BESIDE += ["not {}", "{} is wrong", "about {}", "{} dozen", "twice {}", "{}.5", "{}9", "9{}", "{}?"]
BESIDE += [
    r"x \ne {}",
    "x > {}",
    r"x \le {}",
    r"\sqrt{}",
    r"\ln {}",
    r"{} \pm 1",
    "{} to 9",
    "{}_2",
]


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("frame", ["{}", "The answer is: {}", "<answer>{}</answer>", "So ${}$."])
def test_box_that_its_neighbours_change_is_not_its_content(beside, frame):
    assert not answers_match("7", frame.format(beside.format(r"\boxed{7}")))


ALTERING = "twelfths thirteenths fortieths tenfold hundreds halves ishly sevens doubled nope lakh"


@pytest.mark.parametrize("word", ALTERING.split())
def test_words_that_may_change_a_number_are_no_unit_and_no_name(word):
    for response in (f"7 {word}", f"7 {word} of apples", f"7 red {word}", f"seven {word}"):
        assert not answers_match("7", response)
    if not word.endswith("ly"):
        assert not answers_match("7", f"{word} x = 7")
