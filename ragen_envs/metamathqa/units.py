r"""The words around a number: units, money, percent signs, and numbers written in words.

A unit is what follows a number: known units ("square centimeters", "miles per hour"), \text{cm}^2,
"km/h", a degree or percent sign, or a plain counted noun of up to `_MAX_WORDS` words ("red apples",
"years old"). Units are compared by their canonical names; nothing is converted.

A word that may change the value, or doubt it, is no part of a unit: see `alters`. That is a broad
list, with number words, fractions ("twelfths"), "-fold", adverbs in "-ly" and participles in "-ed";
it refuses some harmless words too, for a false accept is worse.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

PERCENT: Final = "%"
_MAX_WORDS = 3

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
        kg kilogram kgs kilos
        oz ounce
        pound lb
        s second sec
        minute min
        h hour hr
        day
        week
        month
        year yr
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
        % percent percentage pct
    """.strip().splitlines()
    for alias in line.split()
}
# In sin 30 degrees the sign belongs to the angle, not to the answer.
_ANGLES = frozenset(
    slash + name for name in "sin cos tan cot sec csc".split() for slash in ("\\", "")
)
_FUNCTIONS = frozenset("sin cos tan cot sec csc log ln exp mod".split())
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_KNOWN = frozenset([*_ALIASES.values(), *_SYMBOLS.values()])
# Words with another use in plain text.
_AMBIGUOUS = frozenset("a am c child children f g h in l m mi oz pm pt s second square".split())
# They stand between a number and its unit, or after it, and add nothing.
_LINKS = frozenset("in on at by as".split())
# Function words: a phrase with one of them is more than a noun.
_NO_NOUNS = frozenset(
    "is are was were be been to for with through answer correct right true same equals equal that"
    " which this these those it its if because since so thus".split()
)
# They deny what they stand by, or put it in doubt.
_HEDGES = frozenset(
    "or not no nor never nope nah neither none nothing isn aren wasn don doesn didn couldn"
    " cannot wrong incorrect false untrue mistaken invalid unsure uncertain maybe perhaps"
    " possibly probably unless wait hmm hm oops sorry ignore disregard scratch guess doubt"
    " otherwise alternatively instead except excluding excluded approximately approx approximate"
    " roughly almost nearly about circa".split()
)
# Multiples, parts, operations, functions and constants.
_OPERATIONS = frozenset(
    "dozen lakh crore kilo mega giga milli micro nano half halves third quarter double triple"
    " treble quadruple quintuple twice thrice times plus minus negative over divided multiplied"
    " squared cubed doubled tripled quadrupled halved mod modulo modulus factorial choose root"
    " sqrt log ln sin cos tan cot sec csc exp lambda reciprocal inverse opposite complement"
    " conjugate negation negated infinity infinite inf pi undefined nan repeating recurring"
    " myriad googol percent per ish around less fewer than between".split()
)
# They may stand in a name ("sum = 42", "how many more = 42"), but in no unit.
_COMPARISONS = frozenset(
    "unknown unclear gross score scores pair pairs couple couples base power exponent sum"
    " product difference quotient ratio remainder absolute decimal percentile tuple fold"
    " approximation est estimate positive something like suppose think believe feel probable"
    " likely possible more greater lower higher bigger smaller larger least most minimum maximum"
    " under above below beyond up down within beside near close rounded truncated either both"
    " any every all some many much few several too enough short shy missing lacking extra"
    " additional another other others past before after until versus vs without against rather"
    " but else elif while then tolerance range bound limit respectively".split()
)
_HARMLESS_ED = frozenset(
    "red bed shed sled weed reed seed speed breed need earned saved spent needed used".split()
)
_HARMLESS_TH = frozenset(
    "month months cloth cloths depth depths width widths length lengths path paths tooth teeth moth"
    " moths bath baths booth booths earth birth births north south youth youths mouth mouths math"
    " growth worth wreath wreaths".split()
)
_HARMLESS_LY = frozenset("family butterfly dragonfly fly jelly lily belly july supply".split())

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
_ORDINALS = frozenset(
    "fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
    + [word + "th" for word in (*_ONES[13:], *_SCALES)]
    + [word.removesuffix("y") + "ieth" for word in _TENS]
)
_FRACTION_WORDS = {
    word: denominator
    for denominator, words in {
        2: "half halves",
        3: "third thirds",
        4: "quarter quarters fourth fourths",
        5: "fifth fifths",
        6: "sixth sixths",
        7: "seventh sevenths",
        8: "eighth eighths",
        9: "ninth ninths",
        10: "tenth tenths",
        11: "eleventh elevenths",
        12: "twelfth twelfths",
    }.items()
    for word in words.split()
}


def hedges(word: str) -> bool:
    """Whether a word, in lower case, denies what it stands by or puts it in doubt."""
    return word in _HEDGES


def operates(word: str) -> bool:
    """Whether a word, in lower case, is a value or makes another one of what follows it."""
    singular = word.removesuffix("s")
    if word in _HEDGES or word in _OPERATIONS or singular in _OPERATIONS - _FUNCTIONS:
        return True
    if any(w in _NUMBER_WORDS or w in _SCALES for w in (word, singular, word.removesuffix("es"))):
        return True
    return word.endswith("fold") or singular in _ORDINALS


def alters(word: str) -> bool:
    """Whether a word, in lower case, may change or deny a number that it follows."""
    if operates(word) or word in _COMPARISONS:
        return True
    if word.endswith("ed"):
        return word not in _HARMLESS_ED
    if word.endswith(("th", "ths")):
        return word not in _HARMLESS_TH
    return word.endswith("ly") and word not in _HARMLESS_LY


def is_unit(word: str) -> bool:
    """Whether a word is a known unit and hardly anything else."""
    return word.lower() not in _AMBIGUOUS and _canonical_word(word) in _KNOWN


def agree(a: str, b: str) -> bool:
    """Whether two canonical units do not contradict each other.

    One may be missing, or have more words that add nothing: "5 cm" and "5 cm long", "$4.90" and
    "$4.90 each", "18 apples" and "18 red apples".
    """
    if not a or not b or a == b:
        return True
    return any(_specifies(*pair) for pair in ((a, b), (b, a)))


def _specifies(unit: str, longer: str) -> bool:
    words = longer.split()
    if _is_known(unit):
        rest = words[1:] if words[0] == unit and unit != PERCENT else None
    else:
        rest = words[:-1] if words[-1] == unit else None
    if rest is None:
        return False
    return not any("/" in word or (word != "in" and _is_known(word)) for word in rest)


def _is_known(unit: str) -> bool:
    return all(re.sub(r"\^[23]\Z", "", part) in _KNOWN for part in unit.split("/"))


def is_word(token: str) -> bool:
    """Whether a token is letters only, or "a.m", "p.m"."""
    return _WORD.fullmatch(token.strip()) is not None or token in _SHORT


def with_digits(tokens: Sequence[str]) -> list[str]:
    """The tokens, with a number word (zero to a hundred) at the start as digits.

    "hundred", "thousand" and so on after a number become a factor; "half" and "three fourths" are
    fractions.
    """
    words = [token.strip().lower() for token in tokens[:3]]
    sign = [words[0]] if words and words[0] in ("-", "+") else []
    if words and words[0] in ("minus", "negative"):
        sign = ["-"]
    rest = list(tokens[len(sign) :])
    words = [token.strip().lower() for token in rest[:3]]
    used, value = _number_words(words)
    fraction = _fraction_words([token.strip().lower() for token in rest[:5]], used, value)
    if fraction is not None:
        rest[: fraction[0]] = _fraction(*fraction[1:])
    elif used:
        rest[:used] = [str(value)]
    if len(rest) > 1 and rest[0][0] in "0123456789." and rest[1].lower() in _SCALES:
        rest[1:2] = ["*", "1" + "0" * _SCALES[rest[1].lower()]]
    return sign + rest


def with_mixed_numbers(tokens: Sequence[str]) -> list[str]:
    """The tokens, with "two and a half" at the start as a mixed number."""
    words = [token.strip().lower() for token in tokens]
    if "and" not in words[1:4]:
        return list(tokens)
    at = words.index("and", 1)
    used, value = (1, int(words[0])) if re.fullmatch("[0-9]{1,9}", words[0]) else (0, 0)
    if not used:
        used, value = _number_words(words[:at])
    count, over = _number_words(words[at + 1 :])
    fraction = _fraction_words(words[at + 1 :], count, over)
    if used != at or fraction is None or not words[at + 1 : at + 2] or fraction[1] >= fraction[2]:
        return list(tokens)
    return [str(value), *_fraction(*fraction[1:]), *tokens[at + 1 + fraction[0] :]]


def _fraction(over: int, under: int) -> list[str]:
    return [r"\frac", "{", str(over), "}", "{", str(under), "}"]


def _fraction_words(words: Sequence[str], used: int, value: int) -> tuple[int, int, int] | None:
    """How many words make a fraction, over what and under what; `used` of them are the number."""
    if words[:1] == ["half"]:
        return 1, 1, 2
    if not used and words[:1] == ["a"]:
        used, value = 1, 1
    at = used + 1 if used and words[used : used + 1] == ["-"] else used
    if not used or not words[at : at + 1]:
        return None
    under = _FRACTION_WORDS.get(words[at])
    return None if under is None else (at + 1, value, under)


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
    if [token.lower() for token in kept] == ["per", "cent"]:
        return PERCENT
    for i, token in enumerate(kept):
        if token in ("^", "-") or token.lower() in _ARTICLES:
            continue
        if token == r"\circ":
            parts.append("degree")
        elif token in _SYMBOLS:
            parts.append(_SYMBOLS[token])
        elif token in ("2", "3") and i and kept[i - 1] == "^" and parts:
            parts[-1] += "^" + token
        elif token in ("/", "per"):
            parts.append("/")
        elif _is_unit_word(token):
            words += 1
            parts.append(_canonical_word(token))
        else:
            return None
    return _squared(parts) if words <= _MAX_WORDS else None


def _is_unit_word(token: str) -> bool:
    if token in _SHORT or " " + token in _SINGLE or token in _LINKS:
        return True
    if len(token) < 3 or not is_word(token) or not _is_plain_word(token):
        return False
    word = token.lower()
    return _canonical_word(token) in _KNOWN or not (word in _NO_NOUNS or alters(word))


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
