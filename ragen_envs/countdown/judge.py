r"""The judge of Countdown answers: exact arithmetic in bounded time.

The grammar, whole: integers of ASCII digits without leading zeros, + - * /, parentheses, signs
before any operand, and blanks, which are what `str.isspace` says (a newline and a no-break space
are, a zero-width space is not). Read as operators are also the multiplication and division signs,
the middle dot, the minus sign, the en dash and LaTeX `\times`, `\cdot` and `\div`. One full stop
at the end is punctuation. "= target" may follow, if it names the target. Anything else, down to one
character too many, makes the answer invalid.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Literal

Verdict = Literal["correct", "wrong_value", "invalid"]

MAX_DEPTH: Final = 60
_MAX_LENGTH = 400
_MAX_LENGTH_PER_NUMBER = 40

# One alternative per token and no quantifier that overlaps another: linear in the text.
_TOKEN = re.compile(r"[0-9]+|\\times|\\cdot|\\div|\S")
# Python refuses to read ints of more than 4,300 digits; no claim comes near.
_CLAIM = re.compile(r"(- )?(0|[1-9][0-9]{0,399})")
_SPELLINGS = {
    "\N{MULTIPLICATION SIGN}": "*",
    "\N{MIDDLE DOT}": "*",
    "\N{DIVISION SIGN}": "/",
    "\N{MINUS SIGN}": "-",
    "\N{EN DASH}": "-",
    r"\times": "*",
    r"\cdot": "*",
    r"\div": "/",
}
_DIGITS = frozenset("0123456789")
_BINARY = frozenset("+-*/")
_SYMBOLS = frozenset("+-*/()=")

# A sign binds tighter than any binary operator; a parenthesis waits for its partner.
_NEGATE = "negate"
_KEEP = "keep"
_SIGNS = {"-": _NEGATE, "+": _KEEP}
_PRECEDENCE = {"(": 0, "+": 1, "-": 1, "*": 2, "/": 2, _NEGATE: 3, _KEEP: 3}

_UNREADABLE = "it is not one arithmetic expression of whole numbers, + - * / and parentheses"


class _Invalid(Exception):
    """The answer earns nothing; the text says why without any value."""


def judge_expression(expression: str, numbers: Sequence[int], target: int) -> Verdict:
    """Judge an answer to a Countdown puzzle.

    Exact rational arithmetic: nothing is rounded, floored or compared with a tolerance. The work is
    bounded by the puzzle, whatever the text: blanks at both ends apart, at most 400 characters (40
    per number, if more), at most 60 parentheses and signs open at once, and nothing is computed
    before the literals are known to be the given numbers.

    Args:
        expression: What the model wrote.
        numbers: The given numbers, in any order; each is to be used exactly once.
        target: The value to reach; any int.

    Returns:
        "correct"; "wrong_value" for a well-formed expression of the right numbers that is worth
        something else; "invalid" for all else, division by zero included.

    Raises:
        TypeError: `expression` is not a str.
        ValueError: `numbers` is empty or holds anything but ints >= 0, or `target` is not an int
            (a bool is not one).
    """
    return examine(expression, numbers, target)[0]


def examine(expression: str, numbers: Sequence[int], target: int) -> tuple[Verdict, str]:
    """`judge_expression`, with the reason for an invalid answer ("" for the other verdicts)."""
    if not isinstance(expression, str):
        raise TypeError(f"expression must be a str, got {type(expression).__name__}")
    check_puzzle(numbers, target)
    try:
        tokens = _tokens(expression, max(_MAX_LENGTH, _MAX_LENGTH_PER_NUMBER * len(numbers)))
        if "=" in tokens:
            tokens = _without_claim(tokens, target)
        # Compared as text: a leading zero or an endless literal needs no rule of its own.
        literals = [token for token in tokens if token[0] in _DIGITS]
        if sorted(literals) != sorted(map(str, numbers)):
            raise _Invalid("it must use each of the given numbers exactly once, and no other")
        numerator, denominator = _evaluate(tokens)
    except _Invalid as error:
        return "invalid", str(error)
    return ("correct" if numerator == target * denominator else "wrong_value"), ""


def check_puzzle(numbers: Any, target: Any) -> None:
    """Raise ValueError unless `numbers` are one or more ints >= 0 and `target` is an int."""
    if isinstance(numbers, (str, bytes)) or not isinstance(numbers, Sequence) or not numbers:
        raise ValueError(f"numbers must be a non-empty sequence of ints, got {numbers!r}")
    for number in numbers:
        if not _is_int(number) or number < 0:
            raise ValueError(f"numbers must be ints >= 0, got {number!r}")
    if not _is_int(target):
        raise ValueError(f"target must be an int, got {target!r}")


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _tokens(expression: str, max_length: int) -> list[str]:
    text = expression.strip()
    if not text:
        raise _Invalid("it is empty")
    if len(text) > max_length:
        raise _Invalid(f"it is longer than {max_length} characters")
    tokens = [_SPELLINGS.get(token, token) for token in _TOKEN.findall(text)]
    if tokens[-1] == ".":
        tokens.pop()
    if any(token not in _SYMBOLS and token[0] not in _DIGITS for token in tokens):
        raise _Invalid(_UNREADABLE)
    return tokens


def _without_claim(tokens: list[str], target: int) -> list[str]:
    """The tokens before "= target"; what is claimed must be the target itself, as an integer."""
    at = tokens.index("=")
    claim = _CLAIM.fullmatch(" ".join(tokens[at + 1 :]))
    if claim is None or int(claim[0].replace(" ", "")) != target:
        raise _Invalid('what follows "=" is not the target')
    return tokens[:at]


def _evaluate(tokens: list[str]) -> tuple[int, int]:
    """The value as (numerator, denominator), not reduced, the denominator never 0.

    Two stacks instead of recursion, so that no depth of nesting meets Python's own limit.
    """
    values: list[tuple[int, int]] = []
    waiting: list[str] = []
    operand_next = True
    for token in tokens:
        if operand_next:
            if token[0] in _DIGITS:
                values.append((int(token), 1))
                operand_next = False
                continue
            # Each value so far is the left side of one waiting operator; the rest are open.
            opener = token if token == "(" else _SIGNS.get(token)
            if opener is None or len(waiting) - len(values) >= MAX_DEPTH:
                raise _Invalid(_UNREADABLE)
            waiting.append(opener)
        elif token == ")":
            _apply_down_to(1, values, waiting)
            if not waiting:
                raise _Invalid(_UNREADABLE)
            waiting.pop()
        elif token in _BINARY:
            _apply_down_to(_PRECEDENCE[token], values, waiting)
            waiting.append(token)
            operand_next = True
        else:
            raise _Invalid(_UNREADABLE)
    if operand_next:
        raise _Invalid(_UNREADABLE)
    _apply_down_to(1, values, waiting)
    if waiting:
        raise _Invalid(_UNREADABLE)
    return values[0]


def _apply_down_to(precedence: int, values: list[tuple[int, int]], waiting: list[str]) -> None:
    """Apply the waiting operators that bind at least as tightly, the last first."""
    while waiting and _PRECEDENCE[waiting[-1]] >= precedence:
        operator = waiting.pop()
        c, d = values.pop()
        if operator == _KEEP:
            values.append((c, d))
            continue
        if operator == _NEGATE:
            values.append((-c, d))
            continue
        a, b = values.pop()
        if operator == "+":
            values.append((a * d + c * b, b * d))
        elif operator == "-":
            values.append((a * d - c * b, b * d))
        elif operator == "*":
            values.append((a * c, b * d))
        elif c == 0:
            raise _Invalid("it divides by zero")
        else:
            values.append((a * d, b * c))
