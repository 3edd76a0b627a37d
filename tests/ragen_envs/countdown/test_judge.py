"""The judge of Countdown answers."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragen_envs.countdown import judge_expression
from ragen_envs.countdown.judge import MAX_DEPTH, examine

FOLDER = Path(__file__).parent


def rows(name):
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [pytest.param(row, id=ascii(row["why"])) for row in map(json.loads, lines)]


@pytest.mark.parametrize("row", rows("cases.jsonl") + rows("own_cases.jsonl"))
def test_every_row_gets_its_verdict(row):
    assert judge_expression(row["expression"], row["numbers"], row["target"]) == row["verdict"]


@pytest.mark.parametrize(
    ("expression", "verdict"),
    [
        pytest.param("(" * 20_000 + "3+4" + ")" * 20_000, "invalid", id="deep nesting"),
        pytest.param("-" * 20_001 + "3+4", "invalid", id="many signs"),
        pytest.param("3+4" + " " * 200_000, "correct", id="trailing blanks"),
        pytest.param(" " * 200_000 + "3+4", "correct", id="leading blanks"),
        pytest.param("3" * 100_000, "invalid", id="long literal"),
        pytest.param("0" * 100_000 + "3+4", "invalid", id="long literal of zeros"),
        pytest.param("3+4=" + "7" * 100_000, "invalid", id="long claim"),
        pytest.param("9**" * 33_333 + "9", "invalid", id="power tower"),
        pytest.param("3+4+" * 25_000 + "0", "invalid", id="many numbers"),
        pytest.param("\\" * 100_000, "invalid", id="backslashes"),
        pytest.param("\\times" * 20_000, "invalid", id="LaTeX"),
        pytest.param("(" * 100_000, "invalid", id="open parentheses"),
        pytest.param("3 " * 50_000 + "+4", "invalid", id="alternating blanks"),
        pytest.param("=" * 100_000, "invalid", id="equality signs"),
        pytest.param("." * 100_000, "invalid", id="full stops"),
        pytest.param("\u0663" * 100_000, "invalid", id="foreign digits"),
    ],
)
def test_giant_answers_are_judged_at_once(expression, verdict):
    start = time.process_time()
    assert judge_expression(expression, [3, 4], 7) == verdict
    # The bound asked for; it takes a tenth of a millisecond of processor time at most.
    assert time.process_time() - start < 0.05


@pytest.mark.parametrize("opener", ["(", "-", "+", "-("])
def test_nesting_is_read_up_to_the_limit(opener):
    times = MAX_DEPTH // len(opener)
    inside = opener * times + "3" + ")" * (opener.count("(") * times)
    assert judge_expression(f"{inside}+4", [3, 4], 7) == "correct"
    beyond = f"({inside})"
    assert judge_expression(f"{beyond}+4", [3, 4], 7) == "invalid"


def test_parentheses_side_by_side_are_not_nesting():
    numbers = [1] * 90
    assert judge_expression("+".join("(-1)" for _ in numbers), numbers, -90) == "correct"


def test_many_given_numbers_may_take_more_than_400_characters():
    numbers = list(range(100_000, 100_100))
    answer = " + ".join(map(str, numbers))
    assert judge_expression(answer, numbers, sum(numbers)) == "correct"


@pytest.mark.parametrize("blank", [" ", "\t", "\n", "\r\n", "\u00a0", "\u202f", "\u3000"])
def test_blanks_separate_tokens_and_nothing_else(blank):
    assert judge_expression(f"{blank}3{blank}+{blank}4{blank}", [3, 4], 7) == "correct"
    assert judge_expression(f"3{blank}4", [34], 34) == "invalid"
    assert judge_expression(f"3 + 4 = 1{blank}0", [3, 4], 10) == "invalid"


@pytest.mark.parametrize("target", [10**5000, -(10**5000)], ids=["huge", "-huge"])
def test_target_may_be_of_any_size(target):
    assert judge_expression("3+4", [3, 4], target) == "wrong_value"
    assert judge_expression("3+4=7", [3, 4], target) == "invalid"


@pytest.mark.parametrize("number", [3.0, "3", True, None, Fraction(3), -3])
def test_number_that_is_no_natural_number_is_an_error(number):
    with pytest.raises(ValueError, match="numbers must be ints >= 0, got"):
        judge_expression("3+4", [number, 4], 7)


@pytest.mark.parametrize("numbers", [[], (), "34", b"34", None, 7, {3, 4}])
def test_numbers_that_are_no_sequence_or_empty_are_an_error(numbers):
    with pytest.raises(ValueError, match="numbers must be a non-empty sequence of ints, got"):
        judge_expression("3+4", numbers, 7)


@pytest.mark.parametrize("target", [7.0, "7", True, None, Fraction(7)])
def test_target_that_is_no_int_is_an_error(target):
    with pytest.raises(ValueError, match="target must be an int, got"):
        judge_expression("3+4", [3, 4], target)


@pytest.mark.parametrize("expression", [None, 7, b"3+4", ["3+4"]])
def test_expression_that_is_no_text_is_an_error(expression):
    with pytest.raises(TypeError, match="expression must be a str, got"):
        judge_expression(expression, [3, 4], 7)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        (" ", "empty"),
        ("3 + four", "not one arithmetic expression"),
        ("3 +", "exactly once"),
        ("3 4", "not one arithmetic expression"),
        ("3 + 3", "exactly once"),
        ("4 / (3 - 3)", "exactly once"),
        ("3 + 4 = 8", 'what follows "=" is not the target'),
        ("3 + 4" + " " * 400 + ".", "longer than 400 characters"),
    ],
)
def test_invalid_answer_has_its_reason(expression, reason):
    verdict, text = examine(expression, [3, 4], 7)
    assert verdict == "invalid"
    assert reason in text


def test_division_by_zero_is_named():
    assert examine("5/(3-3)", [3, 3, 5], 0) == ("invalid", "it divides by zero")


# Random trees, written with needless parentheses, signs, blanks and every spelling.

SPELLINGS = {
    "+": ["+"],
    "-": ["-", "\u2212", "\u2013"],
    "*": ["*", "\u00d7", "\u00b7", "\\times ", "\\cdot "],
    "/": ["/", "\u00f7", "\\div "],
}
PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2}

trees = st.recursive(
    st.integers(0, 99),
    lambda inner: st.tuples(st.sampled_from("+-*/"), inner, inner),
    max_leaves=7,
)


def value_of(tree):
    """The value of a tree as Python's Fractions compute it; None where it divides by zero."""
    if isinstance(tree, int):
        return Fraction(tree)
    operator, left, right = tree[0], value_of(tree[1]), value_of(tree[2])
    if left is None or right is None or (operator == "/" and right == 0):
        return None
    if operator == "/":
        return left / right
    return {"+": left + right, "-": left - right, "*": left * right}[operator]


def numbers_of(tree):
    return [tree] if isinstance(tree, int) else numbers_of(tree[1]) + numbers_of(tree[2])


@st.composite
def written(draw, tree):
    """`(text, precedence)` of a tree in one of its spellings."""
    blank = draw(st.sampled_from(["", " ", "\n", "\t "]))
    if isinstance(tree, int):
        text, precedence = str(tree), 3
    else:
        operator, left, right = tree
        precedence = PRECEDENCE[operator]
        left_text, left_precedence = draw(written(left))
        right_text, right_precedence = draw(written(right))
        if left_precedence < precedence:
            left_text = f"({left_text})"
        if right_precedence <= precedence:
            right_text = f"({right_text})"
        text = f"{left_text}{blank}{draw(st.sampled_from(SPELLINGS[operator]))}{blank}{right_text}"
    extra = draw(st.sampled_from(["", "", "()", "+", "--"]))
    if extra == "()":
        return f"({blank}{text})", 3
    if extra:
        return f"{extra}{text if precedence == 3 else f'({text})'}", 3
    return text, precedence


@settings(deadline=None, max_examples=300, database=None)
@given(data=st.data(), tree=trees, shift=st.integers(-1, 1))
def test_written_tree_is_worth_what_fractions_say(data, tree, shift):
    text, _ = data.draw(written(tree))
    value = value_of(tree)
    numbers = sorted(numbers_of(tree))
    if value is None:
        assert judge_expression(text, numbers, 0) == "invalid"
        return
    target = int(value) + shift
    expected = "correct" if value == target else "wrong_value"
    assert judge_expression(text, numbers, target) == expected
    assert judge_expression(text, [*numbers, 1], target) == "invalid"
    assert judge_expression(f"{text} = {target}", numbers, target) == expected


@settings(deadline=None, max_examples=300, database=None)
@given(expression=st.text(st.characters(), max_size=60))
def test_no_text_raises(expression):
    assert judge_expression(expression, [3, 4], 7) in ("correct", "wrong_value", "invalid")


@settings(deadline=None, max_examples=500, database=None)
@given(expression=st.text("34+-*/()=. 7\\\u00d7\u2212\ud800\0", max_size=20))
def test_no_text_of_the_alphabet_raises_or_passes_with_other_numbers(expression):
    verdict = judge_expression(expression, [3, 4], 7)
    if verdict == "invalid":
        return
    digits = [c for c in expression.partition("=")[0] if c.isdigit()]
    assert sorted(digits) == ["3", "4"]
    plain = expression.partition("=")[0].strip().rstrip(".")
    plain = plain.replace("\u00d7", "*").replace("\u2212", "-")
    assert (eval(plain) == 7) == (verdict == "correct")  # four known symbols and 3 and 4 only
