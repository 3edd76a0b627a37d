r"""Whether an answer is a value that has been worked out, or a calculation that leads to it.

Answers are compared by value, so the formula of a question would do as its answer. This tells a
value from a formula by the way it is written and by nothing else: neither the question nor the gold
answer is looked at, so what it says gives nothing away. Worked out are:

- a whole number or a decimal, with a sign, thousands separators, currency, percent sign or unit;
  one in words; one in scientific notation; a fraction or a mixed number of them, in lowest terms or
  not, as long as the fraction is no whole number (46/2 is a division still to be done)
- one square root or \pi, with such a factor and over such a number; no root of a square
- a sum of powers of one letter with such factors, without parentheses, each power once
- a numeral with its base, a time, words
- lists, pairs, sets, intervals and inequalities of these; of a chain of equal values the last

A repeating decimal is not: a fraction is asked for in its place.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import isqrt
from typing import Final

from ragen_envs.metamathqa.tokens import tokenize

_MAX_BRACKETS: Final = 100
_NUMBER = re.compile(r"\.?[0-9][0-9,. {}]*(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[^\W\d_]{2,}|[aApP]\.[mM]")
_NUMBER_WORDS = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty"
    " ninety".split()
)
_CALCULATIONS = frozenset(
    "sin cos tan cot sec csc log ln exp mod plus times over divided multiplied squared"
    " cubed".split()
)
_UNIT_LETTERS = frozenset("mgshlLNJWVAKCF")
# Each token becomes one character, so that the forms are regular expressions: 0 is a number, 1 the
# number ten, z zero, d a number word, w another word, u a letter that may be a unit, x another one,
# f a fraction, r a root, p pi, o a degree sign, i infinity, ? anything else.
_CHARACTERS: Final = {
    **{symbol: symbol for symbol in "+-*/^(){}[],:_%=<"},
    "\\frac": "f",
    "\\sqrt": "r",
    "sqrt": "r",
    "\\pi": "p",
    "pi": "p",
    "\\circ": "o",
    "\\infty": "i",
    "infinity": "i",
    "inf": "i",
    "\\pm": "+",
    "minus": "-",
    "negative": "-",
    "\\{": "[",
    "\\}": "]",
    "\\langle": "[",
    "\\rangle": "]",
    ";": ",",
    "and": ",",
    "or": ",",
    "\\cup": ",",
    "\\in": "=",
    ">": "<",
    "\\le": "<",
    "\\ge": "<",
    "\\ne": "<",
    **dict.fromkeys(("$", "€", "£", "¥", "₹", "¢", "USD"), "$"),
}

_N = "[01z]"
_SIGN = "[-+]?"
_SIGNED = rf"(?:{_SIGN}{_N}|\({_SIGN}{_N}\)|\{{{_SIGN}{_N}\}})"
_FRACTION = rf"(?:f{_SIGNED}{_SIGNED}?|{_SIGNED}/{_SIGNED})"
_RATIONAL = rf"(?:{_N}\*1\^(?:{_N}|\{{{_SIGN}{_N}\}})|{_N}?{_FRACTION}|{_N})"
_FACTOR = rf"(?:{_RATIONAL}|\({_SIGN}{_RATIONAL}\))"
_ROOT = rf"(?:r(?:\{{{_N}\}}|\({_N}\)|{_N})|p)"
_MULTIPLE = rf"(?:{_N}\*?)?{_ROOT}"
_IRRATIONAL = (
    rf"(?:{_FACTOR}\*?{_ROOT}|(?:{_MULTIPLE}|\({_MULTIPLE}\))(?:/{_N})?"
    rf"|f\{{{_SIGN}{_MULTIPLE}\}}\{{{_N}\}})"
)
_NAME = r"(?:[wu](?:\^(?:0|\{0\}))?)"
_UNIT = rf"(?:%|\$|\^?o|\^\{{o\}}|{_NAME}|[-/]{_NAME})*"
_IN_WORDS = r"(?:d(?:-?[dw])*)"
_VALUE = re.compile(
    rf"\$?{_SIGN}\$?(?:(?:{_RATIONAL}|{_IRRATIONAL}|{_IN_WORDS}|\({_SIGN}{_RATIONAL}\)){_UNIT}|i)"
    rf"|{_N}+(?:_[01d]|_\{{[01d]\}}|w{{1,2}}[01d])"  # a numeral in a base
    rf"|{_N}:{_N}(?::{_N})?w*"
    r"|[wux]+"
)
_TERM = (
    rf"(?:{_FACTOR}?\*?(?P<letter>[xu])(?:\^(?:(?P<bare>[01])|\{{(?P<braced>[01])\}}))?|{_FACTOR})"
)
_ANY_TERM = re.compile(r"\?P<\w+>").sub("?:", _TERM)
_SUM = re.compile(rf"{_SIGN}{_ANY_TERM}(?:[-+]{{1,2}}{_ANY_TERM})*")
_NEXT_TERM = re.compile(rf"[-+]*(?:{_TERM})")
_NAMES = re.compile("[wux]+")
_FRACTIONS = re.compile(_FRACTION)
_ROOTS = re.compile(r"r[{(]?([01z])")


def is_finished(answer: str) -> bool:
    """Whether an answer (without the words of a reply around it) is a value that is worked out."""
    tokens = tokenize(answer)
    while tokens and tokens[-1] == "!":  # Perhaps an exclamation mark: see `MetaMathQAEnv`.
        tokens.pop()
    if not tokens:
        return False
    text = "".join(_character(token.strip()) for token in tokens)
    return len(re.findall(r"[(\[{]", text)) <= _MAX_BRACKETS and _is_finished(tokens, text)


def _character(token: str) -> str:
    if token in _CHARACTERS or token.lower() in _CHARACTERS:
        return _CHARACTERS.get(token) or _CHARACTERS[token.lower()]
    if _NUMBER.fullmatch(token):
        return {"10": "1", "0": "z"}.get(token, "0")
    word = token.lower().removeprefix("\\")
    if word in _CALCULATIONS:
        return "?"
    if word in _NUMBER_WORDS:
        return "d"
    if _WORD.fullmatch(token) or word == "a":
        return "w"
    if len(token) == 1 and token.isalpha():
        return "u" if token in _UNIT_LETTERS else "x"
    return "?"


def _is_finished(tokens: list[str], text: str) -> bool:
    """The tokens, and the same as characters."""
    return all(
        _is_side(tokens[start:end], text[start:end])
        for first, last in _parts(text, ",")
        for start, end in _sides(text, first, last)
    )


def _parts(text: str, separators: str, first: int = 0) -> list[tuple[int, int]]:
    """Where the parts between separators outside all brackets start and end."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and character in separators:
            parts.append((first + start, first + at))
            start = at + 1
    parts.append((first + start, first + len(text)))
    return [(start, end) for start, end in parts if start < end]


def _sides(text: str, first: int, last: int) -> list[tuple[int, int]]:
    """The sides of a relation that count: of equal ones the last that is not a bare name."""
    sides = []
    for start, end in _parts(text[first:last], "<", first):
        equal = _parts(text[start:end], "=", start)
        told = [side for side in equal if not _NAMES.fullmatch(text[slice(*side)])]
        sides.append((told or equal)[-1])
    return sides


def _is_side(tokens: list[str], text: str) -> bool:
    if text[0] in "([{" and _closes_at_end(text):
        return len(text) > 2 and _is_finished(tokens[1:-1], text[1:-1])
    if not _VALUE.fullmatch(text) and not (_SUM.fullmatch(text) and _is_collected(tokens, text)):
        return False
    numbers = [
        [tokens[at] for at in range(*match.span()) if text[at] in "01z"]
        for match in _FRACTIONS.finditer(text)
    ]
    roots = [tokens[match.start(1)] for match in _ROOTS.finditer(text)]
    return all(map(_is_fraction, numbers)) and not any(map(_is_rational, roots))


def _closes_at_end(text: str) -> bool:
    """Whether the bracket at the start closes at the end."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0:
            return at == len(text) - 1
    return False


def _is_collected(tokens: list[str], text: str) -> bool:
    """Whether a sum has one letter, and each of its powers once."""
    letters, powers = set(), []
    for term in _NEXT_TERM.finditer(text):
        power = "0"
        if term["letter"]:
            letters.add(tokens[term.start("letter")].strip())
            exponent = max(term.start("bare"), term.start("braced"))
            power = tokens[exponent] if exponent >= 0 else "1"
        powers.append(power)
    return len(letters) == 1 and len(set(powers)) == len(powers)


def _is_fraction(numbers: list[str]) -> bool:
    r"""Whether two numbers (or the digits of one, as in \frac12) are no division to be done."""
    if len(numbers) == 1:
        numbers = list(numbers[0])
    top, bottom = (re.sub("[^0-9.]", "", number) for number in numbers[:2])
    return (
        len(numbers) == 2
        and top.isdigit()
        and bottom.isdigit()
        and int(bottom) > 0
        and Fraction(int(top), int(bottom)).denominator > 1
    )


def _is_rational(number: str) -> bool:
    """Whether the root of a number is one that can be taken, or not yet under the root."""
    digits = re.sub("[^0-9.]", "", number)
    return not digits.isdigit() or isqrt(int(digits)) ** 2 == int(digits)
