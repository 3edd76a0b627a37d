"""Text to index terms, as Anserini's default English analyser does with Lucene.

In this order: words by Unicode's word boundaries (UAX #29) and pictographs, possessive 's off,
lower case, 33 stop words out, Porter's stemmer in Martin's later variant.
"""

from __future__ import annotations

import re
import unicodedata

_STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then"
    " there these they this to was will with".split()
)
_MOST_CHARACTERS = 255  # Lucene cuts a longer word into pieces of this length

# Signs that Python counts as word characters and Unicode's word boundaries do not: fractions,
# superscripts, circled and parenthesised numbers.
_NOT_WORDS = (
    "\u00b2\u00b3\u00b9\u00bc-\u00be\u09f4-\u09f9\u0b72-\u0b77\u0bf0-\u0bf2\u0f2a-\u0f33"
    "\u1369-\u137c\u2070\u2074-\u2079\u2080-\u2089\u2150-\u215f\u2189\u2460-\u249b\u24ea-\u24ff"
    "\u2776-\u2793\u2cfd\u3192-\u3195\u3220-\u3229\u3248-\u324f\u3251-\u325f\u3280-\u3289"
    "\u32b1-\u32bf"
)
# Scripts without blanks between words: Lucene makes each ideograph and each hiragana a word.
_SINGLE = "\u2e80-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b\u3041-\u3096\u309d-\u309f"
_SINGLE += "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufad9\U00020000-\U0003ffff"
# Accents and invisible signs, which never end a word. The range holds the marks of all alphabets
# in common use; reading all of Unicode would take a third of a second at import.
_MARKS = "\u00ad\u200c\u200d\u2060-\u2064\ufe00-\ufe0f\ufeff" + "".join(
    chr(code) for code in range(0x300, 0x1E00) if unicodedata.category(chr(code)) in ("Mn", "Mc")
)
_PICTOGRAPH = "[\u2122\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]"


def _pattern(letter: str, digit: str, marks: str, between_letters: str, between_digits: str) -> str:
    """Words of letters, digits and underscores, joined over a sign between two of one kind."""
    word = f"(?:{letter}|{digit}|_)(?:{letter}|{digit}|_{marks and '|' + marks})*"
    after = f"(?<={letter}|{marks})" if marks else f"(?<={letter})"
    joined = f"{after}{between_letters}(?={letter})|(?<={digit}){between_digits}(?={digit})"
    return f"{word}(?:(?:{joined}){word})*"


# Nearly all text is ASCII, and its pattern is several times as fast as the general one.
_ASCII_WORDS = re.compile(_pattern("[A-Za-z]", "[0-9]", "", "[:.']", "[.,;']"))
_WORDS = re.compile(
    f"[{_SINGLE}][{_MARKS}]*|"
    + _pattern(
        f"[^\\W\\d_{_NOT_WORDS}{_SINGLE}]",
        "\\d",
        f"[{_MARKS}]",
        "[:.'\u2018\u2019\u2024\u00b7\u0387\u05f4\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a]",
        "[.,;'\u2018\u2019\u2024\u037e\u060c\u066c\ufe50\ufe54\uff07\uff0c\uff0e\uff1b]",
    )
    + f"|{_PICTOGRAPH}\ufe0f?"
)
_POSSESSIVES = ("'s", "\u2019s", "\uff07s")


def words(text: str) -> list[str]:
    """The words of a text as they stand in it: any case, stop words included."""
    return (_ASCII_WORDS if text.isascii() else _WORDS).findall(text)


def terms_of_word(word: str) -> tuple[str, ...]:
    """The index terms of one word: none for a stop word, several for one of over 255 characters."""
    if len(word) > _MOST_CHARACTERS:
        pieces = range(0, len(word), _MOST_CHARACTERS)
        return tuple(t for at in pieces for t in terms_of_word(word[at : at + _MOST_CHARACTERS]))
    lower = word.lower() if word.isascii() else _lower(word)
    if lower.endswith(_POSSESSIVES):
        lower = lower[:-2]
    if not lower.strip("_") or lower in _STOP_WORDS:
        return ()
    return (stem(lower),)


def analyse(text: str) -> list[str]:
    """The index terms of a text in order, with repeats."""
    return [term for word in words(text) for term in terms_of_word(word)]


def _lower(word: str) -> str:
    # By single characters, as Java does: Python looks around a sigma, and makes two of a dotted I.
    return "".join(character.lower()[0] for character in word)


# Porter's stemmer. The shape of a stem is a string of v and c: vowels and consonants.

_Rules = tuple[tuple[str, str], ...]

_STEP_2: _Rules = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
    ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
    ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
    ("logi", "log"),
)  # fmt: skip
_STEP_3: _Rules = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""),
    ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "sion", "tion",
    "ou", "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


def _shape(stem: str) -> str:
    """Letters v for vowels and c for consonants; y is a vowel after a consonant."""
    shape = ""
    for letter in stem:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(stem: str) -> int:
    """Porter's m: how many vowel-consonant sequences a stem has."""
    return _shape(stem).count("vc")


def _ends_cvc(stem: str) -> bool:
    """Whether it ends consonant, vowel, consonant, the last not w, x or y."""
    return _shape(stem).endswith("cvc") and stem[-1] not in "wxy"


def _doubled(stem: str) -> bool:
    """Whether it ends in two equal consonants."""
    return len(stem) > 1 and stem[-1] == stem[-2] and _shape(stem)[-1] == "c"


def stem(word: str) -> str:
    """Porter's stem of a lower-case word.

    Source: M. F. Porter, "An algorithm for suffix stripping", Program 14 (1980), with the
    departures of his own later programs: "bli" gives "ble", "logi" gives "log", and words of one or
    two letters are left alone.
    """
    if len(word) <= 2:
        return word
    word = _without_past(_without_plural(word))
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(_replaced(word, _STEP_2), _STEP_3)
    return _without_final_e(_without_suffix(word))


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    suffix = next((end for end in ("ed", "ing") if word.endswith(end)), None)
    if suffix is None or "v" not in _shape(word[: -len(suffix)]):
        return word
    word = word[: -len(suffix)]
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _doubled(word):
        return word if word[-1] in "lsz" else word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_cvc(word) else word


def _replaced(word: str, rules: _Rules) -> str:
    """The first rule whose suffix fits decides, whether or not the stem is long enough for it."""
    for suffix, replacement in rules:
        if word.endswith(suffix):
            left = word[: -len(suffix)]
            return left + replacement if _measure(left) > 0 else word
    return word


def _without_suffix(word: str) -> str:
    for suffix in _STEP_4:
        if word.endswith(suffix):
            left = word[: -len(suffix)] + (suffix[0] if suffix in ("sion", "tion") else "")
            return left if _measure(left) > 1 else word
    return word


def _without_final_e(word: str) -> str:
    measure = _measure(word)
    if word.endswith("e"):
        left = word[:-1]
        if measure > 1 or (measure == 1 and not _ends_cvc(left)):
            word = left
    return word[:-1] if word.endswith("l") and _doubled(word) and measure > 1 else word
