r"""Whether a response gives the gold answer: bounded work, exact values, and a reason.

The parts: `extraction` finds the answer in the response, `tokens` reads its spelling, `units` the
words around a number, `expressions`, `quantities` and `values` compute, `reading` finds the kind of
an answer, `kinds` compares.
No signals, no threads, no global state, no eval: it works from any thread, and its time is bounded
by the caps of those modules.

What was decided where opinions differ:

- Values are exact: 0.333 is not 1/3, 3.14 is not pi, 0.1 is not 0.10000000000000001. There is no
  tolerance. Number words from zero to a hundred are numbers, and "half", "three fourths" and "two
  and a half" are fractions; full-width digits are not.
- Kinds never mix: "18 or 19" and "17, 18, 19" are lists and match no single value; (3,4) is
  ordered and its brackets count; lists and sets are unordered with the same number of elements; a
  set of one is its element.
- A time of day or ratio is compared as written, and a time without AM or PM is one of the 24-hour
  clock: 9:39 is 9:39 AM and not 9:39 PM, and 21:39 is 9:39 PM. 21:39 PM is no time.
- A missing unit is accepted on either side, another unit is not, and none is converted: 5 m is
  neither 5 cm nor 500 cm. Harmless words after a number or a unit do not count: 18 apples, 5 cm
  long, $4.90 each. Words that may change or doubt it do: 42 dozen, 42 twelfths, 42 rounded.
- 50% answers 50 and 0.5, and both answer 50%; but 0.5% does not answer 0.5.
- "x = 5" is 5 where the other side names no variable; "y = 5" is another answer. So is "area = 5",
  but not "double x = 5", "x y = 5" or "e = 5". An equation is its solution set up to a constant
  factor; "2x = 10" does not answer 5.
- Values of several variables match in any order with their names, and bare values answer them in
  the order of the gold; named values do not answer a gold list without names.
- An inequality in one variable is its interval, and so are two bounds joined by "and" or a comma.
  But (1, 2) as a gold answer may be a point, which 1 < x < 2 does not answer. An infinite end, a
  square bracket or a union makes it an interval; so it is where the gold is an inequality.
- \log is to base ten. i is a letter: i^2 is not -1.
- A numeral with a base is compared as written: 11 does not answer 1011_2.
- Text is compared without letter case, so are choice letters; "(B)", "B)" and "B" are one; "on
  Monday" and "it is Monday" are "Monday".
- 5! is 120. In a response, "!" at the very end may also be an exclamation mark, but not after a
  number in a box or after a closing parenthesis.
- What stands around a box may change it, see `extraction`: "2\boxed{21}" is 42, "\boxed{42} or 43"
  and "not \boxed{42}" are not.
- A gold answer that is beyond the language is compared as text, spacing aside.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ragen_envs.metamathqa.expressions import cost, is_number
from ragen_envs.metamathqa.extraction import extract_answer, locate
from ragen_envs.metamathqa.kinds import Answer, Words, same
from ragen_envs.metamathqa.quantities import Unreadable
from ragen_envs.metamathqa.reading import MAX_COST, read
from ragen_envs.metamathqa.tokens import MAX_LENGTH, MAX_TOKENS, canonical, tokenize
from ragen_envs.metamathqa.units import is_word

__all__ = ["Comparison", "answers_match", "compare_answers", "extract_answer"]

Status = Literal["equal", "different", "unparsed", "no_answer"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of comparing a response with a gold answer.

    Attributes:
        status: "equal"; "different" for an answer that was read and is another one; "unparsed" for
            one that could not be read; "no_answer" for a response without one.
        reason: Why, in words; it never holds the gold answer, so it may be shown to a model.
    """

    status: Status
    reason: str


_EQUAL = Comparison("equal", "it is the gold answer")
_DIFFERENT = Comparison("different", "it is another answer")
_OTHER_TEXT = Comparison("different", "it is another text, and the gold answer is read as text")
_NO_ANSWER = Comparison("no_answer", "the response holds no answer")
_WORDS = Comparison("different", "it is words where the gold answer is mathematics")
_TOO_LONG = Comparison(
    "unparsed", f"the answer is longer than {MAX_LENGTH} characters or {MAX_TOKENS} tokens"
)

_MAX_PLAIN = 80
_PLAIN = re.compile(r"([+-]?)0*([0-9]{1,40})(?:\.([0-9]{0,40}?)0*)?")


def answers_match(gold: str, response: str) -> bool:
    """Whether the answer in a response is the gold answer.

    Args:
        gold: The right answer; a whole worked solution will do, see `extract_answer`.
        response: What the model wrote, any text; `extract_answer` says which part of it counts.

    Raises:
        TypeError: An argument is not a str.
        ValueError: `gold` holds no answer.
    """
    return compare_answers(gold, response).status == "equal"


def compare_answers(gold: str, response: str) -> Comparison:
    """`answers_match`, with the reason. It takes the same arguments and raises the same errors."""
    for name, text in (("gold", gold), ("response", response)):
        if not isinstance(text, str):
            raise TypeError(f"{name} must be a str, got {type(text).__name__}")
    # Most answers are plain numbers, and for them nothing else is needed.
    wanted, found = _plain(gold), _plain(response)
    if wanted and found:
        return _EQUAL if wanted == found else _DIFFERENT
    right = gold if wanted else extract_answer(gold)
    if right is None:
        raise ValueError(f"gold must hold an answer, got {gold[:_MAX_PLAIN]!r}")
    answer, boxed = (response, False) if found else locate(response)
    if answer is None:
        return _NO_ANSWER
    wanted, found = wanted or _plain(right), found or _plain(answer)
    if wanted and found:
        return _EQUAL if wanted == found else _DIFFERENT
    return _compare(right, answer, boxed)


def _plain(text: str) -> tuple[str, ...] | None:
    """A plain decimal number in a form that is the same for equal values; None for other text."""
    match = _PLAIN.fullmatch(text) if len(text) <= _MAX_PLAIN else None
    if match is None:
        return None
    sign, whole, decimals = match.groups("")
    if whole == "0" and not decimals:
        sign = ""
    return (sign.removeprefix("+"), whole, decimals)


def _compare(gold: str, answer: str, boxed: bool) -> Comparison:
    """Compare two answers that are not both plain numbers; `boxed` is the response's."""
    wanted, given = tokenize(gold), tokenize(answer)
    if wanted is None or given is None:
        if gold.split() == answer.split():
            return _EQUAL
        return _TOO_LONG if given is None else _OTHER_TEXT
    if not wanted:
        raise ValueError(f"gold must hold an answer, got {gold[:_MAX_PLAIN]!r}")
    if not given:
        return _NO_ANSWER
    if _same_text(wanted, given):
        return _EQUAL
    return _judge(wanted, given, boxed)


def _judge(wanted: list[str], given: list[str], boxed: bool) -> Comparison:
    """Compare two answers by what they mean."""
    target, found = _read(wanted), _read(given)
    if isinstance(target, str):
        return _OTHER_TEXT
    readings = [found]
    if given[-1] == "!" and wanted[-1] != "!" and _may_exclaim(given, boxed):
        readings.append(_read(given[:-1]))
    if any(_same(target, reading) for reading in readings):
        return _EQUAL
    if isinstance(found, str):
        return Comparison("unparsed", f"the answer cannot be read: {found}")
    if isinstance(found, Words) and not isinstance(target, Words):
        return _WORDS
    return _DIFFERENT


def _may_exclaim(tokens: list[str], boxed: bool) -> bool:
    """Whether "!" at the end of a response may be an exclamation mark, and is not too costly."""
    before = tokens[-2:-1]
    if before == [")"] or (boxed and before and is_number(before[0])):
        return False
    return 2 * cost(tokens) <= MAX_COST


def _read(tokens: list[str]) -> Answer | str:
    """The answer, or why it cannot be read."""
    try:
        return read(tokens)
    except Unreadable as error:
        return str(error)


def _same(target: Answer, reading: Answer | str) -> bool:
    try:
        return not isinstance(reading, str) and same(target, reading)
    except Unreadable:  # The comparison itself would have left the bounds.
        return False


def _same_text(a: Sequence[str], b: Sequence[str]) -> bool:
    if canonical(a) == canonical(b):
        return True
    words = [[token for token in tokens if token not in ("(", ")")] for tokens in (a, b)]
    return all(all(map(is_word, tokens)) for tokens in words) and (
        canonical(words[0]).casefold() == canonical(words[1]).casefold()
    )
