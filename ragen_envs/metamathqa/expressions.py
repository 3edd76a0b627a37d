r"""The value of an expression: a recursive-descent parser that computes as it reads.

The grammar: numbers, mixed numbers, + - * / ^ !, parentheses and braces, |x|, \frac, \binom, \sqrt
with a degree, logarithms (\log is to base ten), sine and its kin but no inverses, pi, e, letters
(with subscripts), and products written by standing together. The imaginary unit is a letter like
any other: 3+4i is 4i+3, but i^2 is not -1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from ragen_envs.metamathqa import values
from ragen_envs.metamathqa.quantities import (
    ALL_POINTS,
    POSITIVE_POINTS,
    Quantity,
    Unreadable,
    letter_value,
)
from ragen_envs.metamathqa.tokens import MAX_TOKENS
from ragen_envs.metamathqa.values import Undefined, Value

MAX_DEPTH: Final = 40

_GREEK = frozenset(
    r"\alpha \beta \gamma \delta \epsilon \varepsilon \zeta \eta \theta \iota \kappa \lambda \mu"
    r" \nu \xi \rho \sigma \tau \phi \varphi \chi \psi \omega \Gamma \Delta \Theta \Lambda \Sigma"
    r" \Phi \Psi \Omega \ell".split()
)
_CONSTANTS = {r"\pi": values.PI, "pi": values.PI, "e": values.E}
_FUNCTIONS: dict[str, Callable[[Value], Value]] = {
    "ln": values.logarithm,
    "log": lambda a: values.divide(values.logarithm(a), values.logarithm(Fraction(10))),
    "sin": values.sine,
    "cos": values.cosine,
    "tan": lambda a: values.divide(values.sine(a), values.cosine(a)),
    "cot": lambda a: values.divide(values.cosine(a), values.sine(a)),
    "sec": lambda a: values.divide(Fraction(1), values.cosine(a)),
    "csc": lambda a: values.divide(Fraction(1), values.sine(a)),
    "exp": lambda a: values.power(values.E, a),
}
_FUNCTION_NAMES = frozenset(_FUNCTIONS) | {"\\" + name for name in _FUNCTIONS}
_NUMBER = re.compile(r"[0-9.]")
_NAME = re.compile(r"[A-Za-z]")
# Letters that stand together are a product where they can hardly be a word.
_PRODUCT = re.compile(r"[A-Za-z]{2}|[abcxyz]{3,6}|[b-df-hj-np-tv-z]{3,4}")
_LONE = re.compile(r"[AaB-DF-HJ-NP-TV-Zb-df-hj-np-tv-z]{2}|[abcxyz]{3,6}")
_PLAIN_EXPONENT = re.compile(r"-? ?[0-9]+(?![.0-9])|\{ (?:- )?[0-9]+ \}|(?:\{ )?\\circ")
_CLOSED_BY = {"(": ")", "{": "}", "|": "|"}


def is_number(token: str) -> bool:
    """Whether a token is a number."""
    return _NUMBER.match(token) is not None and token != "."


def is_whole(token: str) -> bool:
    """Whether a token is a number of ASCII digits only."""
    return token.isascii() and token.isdigit()


def letter_of(token: str) -> str | None:
    """The letter that a token stands for, if it is one."""
    token = token.strip()
    return token if token in _GREEK or (len(token) == 1 and _NAME.match(token)) else None


def is_factor(token: str) -> bool:
    """Whether a run of letters that stands alone is a constant or a product, and not a word."""
    token = token.strip()
    return token in _CONSTANTS or letter_of(token) is not None or bool(_LONE.fullmatch(token))


def is_constant(token: str) -> bool:
    """Whether a token is pi or e."""
    return token in _CONSTANTS


def cost(tokens: Sequence[str]) -> int:
    r"""How costly the tokens are to compute.

    That is the number of roots, functions and powers that may take decimals, and of the longest
    answers as much as 6 roots: once for each point and for both signs of \pm.
    """
    powers = (i for i, token in enumerate(tokens) if token == "^")
    count = sum(not _PLAIN_EXPONENT.match(" ".join(tokens[i + 1 : i + 5])) for i in powers) + sum(
        token in _FUNCTION_NAMES or token in (r"\sqrt", "sqrt") for token in tokens
    )
    letters = any(
        token not in _CONSTANTS and (letter_of(token) or _PRODUCT.fullmatch(token))
        for token in map(str.strip, tokens)
    )
    signs = r"\pm" in tokens or r"\mp" in tokens
    count = max(count, len(tokens) * 6 // MAX_TOKENS)
    return count * (len(ALL_POINTS) if letters else 1) * (2 if signs else 1)


def evaluate(tokens: Sequence[str]) -> Quantity:
    """The value of an expression.

    Raises:
        Unreadable: The tokens are no expression of the grammar, or have no value within bounds.
    """
    if not tokens:
        raise Unreadable("an expression is empty")
    with values.arithmetic():
        reader = _Reader(tokens, 0)
        results = [_value(reader)]
        if reader.letters:
            results += [_value(_Reader(tokens, point)) for point in ALL_POINTS[1:]]
    positive = results[: len(POSITIVE_POINTS)]
    failures = [result for result in positive if isinstance(result, Undefined)]
    if len(failures) > 1:
        raise Unreadable(str(failures[0]))
    return Quantity(
        tuple(None if isinstance(result, Undefined) else result for result in results),
        frozenset(reader.letters),
    )


def _value(reader: _Reader) -> Value | Undefined:
    try:
        return reader.whole()
    except Undefined as error:
        # Elsewhere the expression may have a value, if it is one.
        if not reader.letters:
            raise Unreadable(str(error)) from None
        return error


def parse_number(token: str) -> Fraction:
    """The exact value of a number token, thousands separators and repeating decimals included."""
    if "\\" in token:
        head, _, block = token.partition("\\")
        whole, _, decimals = head.partition(".")
        block = "".join(re.findall("[0-9]", block))
        scale = 10 ** len(decimals)
        repeating = Fraction(int(block), (10 ** len(block) - 1) * scale)
        return Fraction(int(whole + decimals or "0"), scale) + repeating
    mantissa, _, exponent = re.sub(r"\{,\}|[, ]", "", token).lower().partition("e")
    whole, _, decimals = mantissa.partition(".")
    shift = int(exponent or "0") - len(decimals)
    digits = int(whole + decimals)
    if abs(shift) * 3 > values.MAX_BITS:
        raise Undefined("a number is too large")
    return values.bounded(Fraction(digits) * Fraction(10) ** shift)


class _Reader:
    """A reading of the tokens at one point; `letters` are the letters met so far."""

    def __init__(self, tokens: Sequence[str], point: int):
        self.letters: set[str] = set()
        self._tokens = [token.strip() for token in tokens]
        self._point = point
        self._at = 0
        self._depth = 0
        # Inside |...| the next bar closes.
        self._bars = 0

    def whole(self) -> Value:
        value = self._sum()
        if self._at < len(self._tokens):
            raise Unreadable(f"{self._tokens[self._at]!r} is not understood here")
        return value

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, token: str) -> bool:
        if self._peek() != token:
            return False
        self._at += 1
        return True

    def _expect(self, token: str) -> None:
        if not self._take(token):
            raise Unreadable(f"{token!r} is missing")

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Unreadable(f"it is nested more than {MAX_DEPTH} deep")

    def _sum(self) -> Value:
        self._enter()
        total = self._product()
        while self._peek() in ("+", "-"):
            minus = self._take("-") or not self._take("+")
            term = self._product()
            total = values.add(total, values.negate(term) if minus else term)
        self._depth -= 1
        return total

    def _product(self) -> Value:
        total = self._signed()
        while True:
            if self._take("*"):
                total = values.multiply(total, self._signed())
            elif self._take("/"):
                total = values.divide(total, self._signed())
            elif self._starts_factor():
                total = values.multiply(total, self._power())
            else:
                return total

    def _starts_factor(self) -> bool:
        token = self._peek()
        return (
            token in ("(", "{", r"\frac", r"\sqrt", "sqrt", r"\binom")
            or (token == "|" and not self._bars)
            or token in _CONSTANTS
            or token in _FUNCTION_NAMES
            or self._is_letters(token)
        )

    @staticmethod
    def _is_letters(token: str) -> bool:
        return letter_of(token) is not None or _PRODUCT.fullmatch(token) is not None

    def _signed(self) -> Value:
        minus, start = False, self._at
        while self._peek() in ("+", "-"):
            minus ^= self._take("-") or not self._take("+")
            if self._at - start > MAX_DEPTH:
                raise Unreadable("it has too many signs in a row")
        value = self._power()
        return values.negate(value) if minus else value

    def _power(self) -> Value:
        base = self._postfix()
        while self._take("^"):
            if self._takes_degree_sign():
                base = values.multiply(base, values.divide(values.PI, Fraction(180)))
            else:
                base = values.power(base, self._exponent())
        return base

    def _exponent(self) -> Value:
        """What stands raised: a sign, one token or group, and what is raised upon it in turn."""
        self._enter()
        minus = self._take("-")
        # x^2 1/2 is no power of 2 1/2.
        value = self._atom(mixed=False)
        if self._take("^"):
            value = values.power(value, self._exponent())
        self._depth -= 1
        return values.negate(value) if minus else value

    def _takes_degree_sign(self) -> bool:
        if self._tokens[self._at : self._at + 3] == ["{", r"\circ", "}"]:
            self._at += 3
            return True
        return self._take(r"\circ")

    def _postfix(self) -> Value:
        value = self._atom()
        while self._take("!"):
            value = values.factorial(value)
        return value

    def _atom(self, mixed: bool = True) -> Value:
        token = self._peek()
        self._at += 1
        if is_number(token):
            value = parse_number(token)
            return value + self._rest_of_mixed_number() if mixed and is_whole(token) else value
        if token in _CLOSED_BY:
            return self._group(token)
        if token in _CONSTANTS:
            return _CONSTANTS[token]
        if token == r"\frac":
            over = self._argument()
            return values.divide(over, self._argument())
        if token == r"\binom":
            over = self._argument()
            return values.binomial(over, self._argument())
        if token in (r"\sqrt", "sqrt"):
            return self._root()
        if token in _FUNCTION_NAMES:
            return self._function(token.removeprefix("\\"))
        if self._is_letters(token):
            return self._letters(token)
        raise Unreadable(f"{token!r} is not understood here" if token else "it breaks off")

    def _group(self, opener: str) -> Value:
        bars, self._bars = self._bars, int(opener == "|")
        value = self._sum()
        self._expect(_CLOSED_BY[opener])
        self._bars = bars
        return values.absolute(value) if opener == "|" else value

    def _rest_of_mixed_number(self) -> Fraction:
        r"""The fraction after a whole number: "1 1/2" and 1\frac{1}{2}; 0 if there is none."""
        ahead = [t for t in self._tokens[self._at : self._at + 8] if t not in ("{", "}")]
        if ahead[:1] == [r"\frac"]:
            at, self._at = self._at, self._at + 1
            parts = self._plain_argument(), self._plain_argument()
            if None not in parts:
                return self._proper(*parts)
            self._at = at
        elif len(ahead) > 2 and ahead[1] == "/" and is_whole(ahead[0]) and is_whole(ahead[2]):
            if self._tokens[self._at : self._at + 3] == ahead[:3]:
                self._at += 3
                return self._proper(int(ahead[0]), int(ahead[2]))
        return Fraction(0)

    def _proper(self, over: int | None, under: int | None) -> Fraction:
        if not over or not under or over >= under:
            raise Unreadable("a mixed number has an improper fraction")
        return Fraction(over, under)

    def _plain_argument(self) -> int | None:
        """A whole number as the argument of a command, if that is what comes next."""
        if self._peek() == "{":
            inside = self._tokens[self._at + 1 : self._at + 3]
            if len(inside) == 2 and is_whole(inside[0]) and inside[1] == "}":
                self._at += 3
                return int(inside[0])
        elif is_whole(self._peek()):
            return int(self._first_digit())
        return None

    def _argument(self) -> Value:
        r"""The argument of a command: a group or one token, of a number its first digit."""
        self._enter()
        token = self._peek()
        value: Value
        if is_whole(token):
            value = Fraction(int(self._first_digit()))
        elif _PRODUCT.fullmatch(token) and token not in _CONSTANTS:
            self._tokens[self._at] = token[1:]
            value = self._letter(token[0], subscript=False)
        else:
            value = self._atom()
        self._depth -= 1
        return value

    def _first_digit(self) -> str:
        token = self._peek()
        if len(token) > 1:
            self._tokens[self._at] = token[1:]
        else:
            self._at += 1
        return token[0]

    def _root(self) -> Value:
        self._enter()
        degree: Value = Fraction(2)
        if self._take("["):
            degree = self._sum()
            self._expect("]")
        # \sqrt12 is meant as the root of 12, whatever TeX makes of it.
        radicand = self._atom(mixed=False)
        self._depth -= 1
        if not isinstance(degree, Fraction) or degree.denominator != 1:
            raise Unreadable("the degree of a root is not a whole number")
        return values.root(radicand, degree.numerator)

    def _function(self, name: str) -> Value:
        r"""A function of what follows: \sin 2x is the sine of 2x, \sin(2)x is a product."""
        self._enter()
        base = exponent = None
        if name == "log" and self._take("_"):
            base = self._argument()
        if self._take("^"):
            exponent = self._exponent()
            if isinstance(exponent, Fraction) and exponent < 0:
                raise Unreadable("an inverse function is not understood")
        value = self._operand()
        self._depth -= 1
        if base is None:
            value = _FUNCTIONS[name](value)
        else:
            value = values.divide(values.logarithm(value), values.logarithm(base))
        return value if exponent is None else values.power(value, exponent)

    def _operand(self) -> Value:
        if self._peek() in _CLOSED_BY:
            return self._power()
        value = self._signed()
        while self._starts_factor() and self._peek() not in _FUNCTION_NAMES:
            value = values.multiply(value, self._power())
        return value

    def _letters(self, token: str) -> Value:
        if letter_of(token) is not None:
            return self._letter(token)
        value: Value = Fraction(1)
        for name in token[:-1]:
            factor = _CONSTANTS.get(name) or self._letter(name, subscript=False)
            value = values.multiply(value, factor)
        # What follows, a power or a subscript, belongs to the last letter alone.
        self._tokens[self._at - 1] = token[-1]
        self._at -= 1
        return values.multiply(value, self._power())

    def _letter(self, name: str, subscript: bool = True) -> Value:
        if subscript and self._take("_"):
            if self._take("{"):
                end = self._at
                while end < len(self._tokens) and self._tokens[end] != "}":
                    end += 1
                name += "_" + "".join(self._tokens[self._at : end])
                self._at = end
                self._expect("}")
            else:
                name += "_" + self._peek()
                self._at += 1
        self.letters.add(name)
        return letter_value(name, self._point)
