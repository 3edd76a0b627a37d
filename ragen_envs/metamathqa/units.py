r"""The words around a number: units, money, percent signs, and numbers written in words.

A unit is what follows a number: up to `_MAX_WORDS` words ("square centimeters", "miles per hour",
"red apples"), \text{cm}^2, "km/h", a degree or percent sign. Units are compared by their canonical
names; nothing is converted. A word that changes the value ("hundred", "squared", "halves", "or",
"not") is no unit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

PERCENT: Final = "%"
_MAX_WORDS = 4

_WORD = re.compile(r"[^\W\d_]+")
# Only where they stand apart, which the blank says.
_SINGLE = frozenset(" " + letter for letter in "mgshlLNJWVAKCF")
_SHORT = frozenset(
    "am cm dm ft gb hr hz in kb kg km lb mb mg mi ml mm mL Hz kW oz pm pt qt sq yd AM PM USD"
    " of a.m p.m A.M P.M".split()
)
_ARTICLES = frozenset(["a", "an", "the", "of"])
_SYMBOLS = {
    "%": PERCENT,
    "$": "dollar",
    "€": "euro",
    "£": "pound",
    "¢": "cent",
    "₹": "rupee",
    "¥": "yen",
}
_CURRENCIES = frozenset("$ € £ ₹ ¥ USD".split())
# Each line: the canonical name, then other spellings; plurals are understood.
_ALIASES = {
    alias: line.split()[0]
    for line in """
        mm millimeter millimetre
        cm centimeter centimetre
        m meter metre
        km kilometer kilometre
        in inch
        ft foot feet
        yd yard
        mi mile
        ml milliliter millilitre
        l liter litre
        pt pint
        qt quart
        mg milligram
        g gram gm
        kg kilogram kilo kgs
        oz ounce
        pound lb
        s second sec
        minute min
        h hour hr
        am a.m
        pm p.m
        mi/h mph
        km/h kph
        dollar usd buck
        degree deg
        radian rad
        c celsius
        f fahrenheit
        square sq
        person people
        child children
        % percent percentage
    """.strip().splitlines()
    for alias in line.split()
}
# In sin 30 degrees the sign belongs to the angle, not to the answer.
_ANGLES = frozenset(
    slash + name for name in "sin cos tan cot sec csc".split() for slash in ("\\", "")
)
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
# They say something about the number that is not its unit.
_NO_UNITS = frozenset(
    "or and not no nor if else elif while unless but is are was be to through versus vs maybe"
    " perhaps probably possibly approximately about around roughly almost nearly wrong incorrect"
    " correct right false true than then plus minus times over divided multiplied squared cubed"
    " doubled tripled mod modulo base factorial choose half halves third thirds fourth fourths"
    " fifth fifths sixth sixths seventh sevenths eighth eighths ninth ninths tenth tenths hundredth"
    " hundredths thousandth thousandths root negative positive answer same equals equal"
    " infinity undefined lambda for with without instead either both any except rather less".split()
)

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen".split()
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBER_WORDS = {
    **{word: i for i, word in enumerate(_ONES)},
    **{word: 10 * i for i, word in enumerate(_TENS, 2)},
    "hundred": 100,
}


def is_word(token: str) -> bool:
    """Whether a token is letters only, or "a.m", "p.m"."""
    return _WORD.fullmatch(token.strip()) is not None or token in _SHORT


def with_digits(tokens: Sequence[str]) -> list[str]:
    """The tokens, with a number word (zero to a hundred) at the start as digits.

    "hundred", "thousand" and so on after a number become a factor.
    """
    words = [token.strip().lower() for token in tokens[:3]]
    sign = [words[0]] if words and words[0] in ("-", "+") else []
    if words and words[0] in ("minus", "negative"):
        sign = ["-"]
    rest = list(tokens[len(sign) :])
    words = [token.strip().lower() for token in rest[:3]]
    used, value = _number_words(words)
    if used:
        rest[:used] = [str(value)]
    if len(rest) > 1 and rest[0][0] in "0123456789." and rest[1].lower() in _SCALES:
        rest[1:2] = ["*", "1" + "0" * _SCALES[rest[1].lower()]]
    return sign + rest


def _number_words(words: Sequence[str]) -> tuple[int, int]:
    """How many words at the start make a number, and which."""
    if words[:2] in (["a", "hundred"], ["one", "hundred"]):
        return 2, 100
    if not words or words[0] not in _NUMBER_WORDS:
        return 0, 0
    first = _NUMBER_WORDS[words[0]]
    if first in range(20, 100):
        at = 2 if words[1:2] == ["-"] else 1
        if words[at : at + 1] and 1 <= _NUMBER_WORDS.get(words[at], 0) <= 9:
            return at + 1, first + _NUMBER_WORDS[words[at]]
    return 1, first


def split_unit(tokens: Sequence[str]) -> tuple[list[str], str]:
    """The tokens without the unit around them, and the canonical unit ("" if there is none)."""
    tokens = list(tokens)
    prefix = ""
    at = 1 if tokens[:1] in (["-"], ["+"]) else 0
    if len(tokens) > at + 1 and tokens[at] in _CURRENCIES:
        prefix = _canonical_word(tokens.pop(at))
    start = next((i for i in range(1, len(tokens)) if _starts_unit(tokens, i)), len(tokens))
    unit = _canonical_unit(tokens[start:])
    if unit is None:
        return tokens, prefix
    if prefix and unit and prefix != unit:
        # "$5 each" is money; "$5 cents" is nothing.
        unit = f"{prefix} {unit}"
    return tokens[:start], unit or prefix


def _starts_unit(tokens: Sequence[str], i: int) -> bool:
    token = tokens[i]
    if token == "^" and not _ANGLES.intersection(tokens[:i]):
        return tokens[i + 1 : i + 2] == [r"\circ"] or tokens[i + 1 : i + 4] == ["{", r"\circ", "}"]
    if token in _SYMBOLS or token in _SINGLE or token in _SHORT:
        return True
    return len(token) > 2 and _is_plain_word(token)


def _is_plain_word(token: str) -> bool:
    word = token.lower()
    if not _WORD.fullmatch(token) or word in _NUMBER_WORDS or word in _SCALES:
        return False
    return not re.fullmatch("[abcxyz]+|sqrt|sin|cos|tan|cot|sec|csc|log|exp", word)


def _canonical_unit(tokens: Sequence[str]) -> str | None:
    """The canonical name of a unit; None if the tokens are none."""
    parts: list[str] = []
    words = 0
    kept = [token.strip() for token in tokens if token not in ("{", "}")]
    for i, token in enumerate(kept):
        if token in ("^", "-"):
            continue
        if token.lower() in _NO_UNITS:
            return None
        if token == r"\circ":
            parts.append("degree")
        elif token in _SYMBOLS:
            parts.append(_SYMBOLS[token])
        elif token in ("2", "3") and i and kept[i - 1] == "^" and parts:
            parts[-1] += "^" + token
        elif token in ("/", "per"):
            parts.append("/")
        elif token.lower() in _ARTICLES:
            continue
        elif token in _SHORT or (is_word(token) and (len(token) < 3 or _is_plain_word(token))):
            words += 1
            parts.append(_canonical_word(token))
        else:
            return None
    return _squared(parts) if words <= _MAX_WORDS else None


def _squared(parts: list[str]) -> str:
    for name, exponent in (("square", "^2"), ("cubic", "^3")):
        if name in parts[:-1]:
            at = parts.index(name)
            parts[at : at + 2] = [parts[at + 1] + exponent]
    return " ".join(parts).replace(" / ", "/")


def _canonical_word(token: str) -> str:
    if token in _SYMBOLS:
        return _SYMBOLS[token]
    word = token.lower()
    for singular in (word, word.removesuffix("es"), word.removesuffix("s")):
        if singular in _ALIASES:
            return _ALIASES[singular]
    if len(word) > 3 and re.search("(?:x|ch|sh|ss|z)es$", word):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
