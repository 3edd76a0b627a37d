r"""From the text of an answer to its tokens: one pass, linear in the text.

`tokenize` knows the spellings of LaTeX, Unicode and Markdown and drops what only decorates: math
delimiters, \left and \right, spacing, font commands, a full stop at the end. Digits are never
glued: what stands apart in the text stays two tokens, except well-formed groups of thousands
("12,000", "12{,}000", "12 000"). A comma groups only outside brackets, for "(1,000)" is a pair.

A token is a str: a number, a run of letters, a LaTeX command, or one symbol. A single letter that
stands apart keeps one blank before it, because "5 m" may be metres where "5m" is a product.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

MAX_LENGTH: Final = 400
MAX_TOKENS: Final = 300

OPENERS: Final = {
    "(": ")",
    "[": "]",
    "{": "}",
    r"\{": r"\}",
    r"\langle": r"\rangle",
    r"\begin": r"\end",
}
CLOSERS: Final = frozenset(OPENERS.values())

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
# Written as escapes where a character looks like another one.
_SPELLINGS: dict[str, str | None] = {
    "\N{MULTIPLICATION SIGN}": r"\times ",
    "·": r"\cdot ",
    "⋅": r"\cdot ",
    "÷": "/",
    "\N{FRACTION SLASH}": "/",
    "\N{DIVISION SLASH}": "/",
    "\N{RATIO}": ":",
    "√": r"\sqrt ",
    "°": r"^\circ ",
    "±": r"\pm ",
    "∓": r"\mp ",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "\N{UNION}": r"\cup ",
    "∈": r"\in ",
    "∅": r"\emptyset ",
    "∞": r"\infty ",
    "∠": r"\angle ",
    "△": r"\triangle ",
    "π": r"\pi ",
    "θ": r"\theta ",
    "\N{GREEK SMALL LETTER ALPHA}": r"\alpha ",
    "β": r"\beta ",
    "½": " 1/2",
    "⅓": " 1/3",
    "⅔": " 2/3",
    "¼": " 1/4",
    "¾": " 3/4",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "“": '"',
    "”": '"',
}
_SPELLINGS |= dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\u2014\ufe63\uff0d", "-")
_SPELLINGS |= dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff")  # Invisible.
_CHARACTERS = str.maketrans(_SPELLINGS)
_REWRITES: Final = [
    (re.compile(r"(?<=[0-9]) [xX] (?=10 ?\^)"), lambda m: "*"),
    (re.compile(r"(?<!\^)(?<!\^\{)\\(?:circ|degree)(?![A-Za-z])"), lambda m: r"^\circ "),
    (re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+"), lambda m: "^{" + m[0].translate(_SUPERSCRIPTS) + "}"),
    (re.compile("[₀₁₂₃₄₅₆₇₈₉]+"), lambda m: "_{" + m[0].translate(_SUBSCRIPTS) + "}"),
    # \! pulls together in print; the other spaces, and a line break in a text, set apart.
    # The first branch steps over a row break of a matrix.
    (
        re.compile(r"(\\\\)|\\!|\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])\.?"),
        lambda m: m[1] or "",
    ),
    (
        re.compile(r"(\\\\)|\\(?:[,;: >()\[\]]|(?:q?quad|displaystyle|limits)(?![A-Za-z]))|~"),
        lambda m: m[1] or " ",
    ),
]
_FONT = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|normal)?|math(?:rm|bf|it|sf|tt|bb|cal|frak)|operatorname|[mhf]box"
    r"|boldsymbol|bm|underline|boxed)\s*\{([^{}]*)\}"
)
# The decorations around an answer: Markdown, math delimiters, punctuation after it.
_BEFORE = '*`_" '
_AFTER = '*`_";, '

_REPEATING = r"[0-9]*\.[0-9]*\\(?:overline|bar|dot)\ *(?:\{[0-9]+\}|[0-9])"
_FRACTIONAL = r"(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4}(?![0-9]))?"
_REST = (
    r"|[0-9]+" + _FRACTIONAL + r"|\.[0-9]+(?:[eE][+-]?[0-9]{1,4}(?![0-9]))?"
    r"|\\(?:begin|end)\{[A-Za-z]+\*?\}|\\[A-Za-z]+|\\\S"
    r"|[aApP]\.[mM](?![A-Za-z])|[^\W\d_]+|<=|>=|!=|\*\*|\S"
)


def _pattern(separators: str) -> re.Pattern[str]:
    group = rf"[1-9][0-9]{{0,2}}(?P<s>{separators})[0-9]{{3}}(?:(?P=s)[0-9]{{3}})*(?![0-9]|\ ?/)"
    return re.compile(_REPEATING + "|" + group + _FRACTIONAL + _REST)


_OUTSIDE = _pattern(r",|\{,\}|\ ")
_INSIDE = _pattern(r"\{,\}")
_SYNONYMS = {
    "<=": r"\le",
    ">=": r"\ge",
    "!=": r"\ne",
    "**": "^",
    r"\leq": r"\le",
    r"\leqslant": r"\le",
    r"\geq": r"\ge",
    r"\geqslant": r"\ge",
    r"\neq": r"\ne",
    r"\lt": "<",
    r"\gt": ">",
    r"\dfrac": r"\frac",
    r"\tfrac": r"\frac",
    r"\cfrac": r"\frac",
    r"\dbinom": r"\binom",
    r"\tbinom": r"\binom",
    r"\times": "*",
    r"\cdot": "*",
    r"\ast": "*",
    r"\div": "/",
    r"\degree": r"\circ",
    r"\varnothing": r"\emptyset",
    r"\lbrace": r"\{",
    r"\rbrace": r"\}",
    r"\lvert": "|",
    r"\rvert": "|",
    r"\vert": "|",
    r"\%": "%",
    r"\$": "$",
    r"\colon": ":",
    r"\land": "and",
    r"\lor": "or",
    r"\cr": r"\\",
}
_LETTER = re.compile(r"[A-Za-z]")


def tokenize(text: str) -> list[str] | None:
    """The tokens of an answer; None if it is longer than `MAX_LENGTH` or `MAX_TOKENS` allow."""
    text = " ".join(text.split())
    if len(text) > MAX_LENGTH:
        return None
    text = _undecorated(text.translate(_CHARACTERS) if not text.isascii() else text)
    tokens = []
    depth = position = 0
    while position < len(text):
        if text[position] == " ":
            position += 1
            continue
        match = (_INSIDE if depth else _OUTSIDE).match(text, position)
        assert match is not None  # The last alternative takes any character but a blank.
        token = match[0]
        apart = position > 0 and text[position - 1] == " "
        position = match.end()
        token = _SYNONYMS.get(token, token)
        if len(token) == 1 and apart and _LETTER.match(token):
            token = " " + token
        depth += (token in ("(", "[", r"\{")) - (token in (")", "]", r"\}") and depth > 0)
        tokens.append(token)
        if len(tokens) > MAX_TOKENS:
            return None
    return tokens


def _undecorated(text: str) -> str:
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    for _ in range(3):  # A font command may hold another one.
        text, count = _FONT.subn(r" \1 ", text)
        if not count:
            break
    text = _without_math_mode(text)
    for _ in range(3):
        text = text.lstrip(_BEFORE).rstrip(_AFTER)
        # One full stop only: an ellipsis means something.
        text = text.removesuffix(".").rstrip(_AFTER)
        if not (text.startswith("{") and _closes_at_end(text)):
            break
        text = text[1:-1]
    return text


def _without_math_mode(text: str) -> str:
    """Without the dollar signs that delimit math; an odd one is money and stays."""
    text = text.replace("$$", " ")
    bare = len(re.findall(r"(?<!\\)\$", text))
    if bare > 1 and bare % 2 == 0:
        return re.sub(r"(?<!\\)\$", " ", text)
    if bare > 1:
        return re.sub(r"(?<!\\)\$(?![0-9])", " ", text)
    return text


def _closes_at_end(text: str) -> bool:
    depth = 0
    for match in re.finditer(r"\\.|[{}]", text):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.end() == len(text)
    return False


def canonical(tokens: Sequence[str]) -> str:
    """The tokens as one text, the same for two answers that differ in spacing only."""
    kept = [token.strip() for token in tokens]
    for i in range(len(kept) - 2):
        if kept[i] == "{" and kept[i + 2] == "}":  # x^{2} is x^2.
            kept[i] = kept[i + 2] = ""
    return " ".join(filter(None, kept))
