"""From the tokens of an answer to its kind: the first reading that fits all of them.

What is not understood is never left out: then the answer is unreadable, and the error says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ragen_envs.metamathqa import units
from ragen_envs.metamathqa.expressions import (
    MAX_DEPTH,
    cost,
    evaluate,
    is_constant,
    is_factor,
    is_whole,
    letter_of,
)
from ragen_envs.metamathqa.kinds import (
    Answer,
    Clock,
    Equation,
    Infinite,
    Interval,
    Matrix,
    Measure,
    Named,
    Numeral,
    Ordered,
    Unordered,
    Words,
    as_interval,
    same,
)
from ragen_envs.metamathqa.quantities import Unreadable, difference, letter
from ragen_envs.metamathqa.tokens import CLOSERS, OPENERS, canonical

_MAX_ITEMS: Final = 40
# In roots at one point; one takes up to half a millisecond.
MAX_COST: Final = 24
_SEPARATORS = frozenset([",", ";", "and", "or", r"\cup"])
_FLIPPED = {"<": ">", r"\le": r"\ge", ">": "<", r"\ge": r"\le"}
_RELATIONS = frozenset(_FLIPPED) | {"=", r"\ne"}
_INFINITY = frozenset([r"\infty", "infinity", "inf"])
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MATRICES = ("matrix", "pmatrix", "bmatrix", "array")


def read(tokens: Sequence[str]) -> Answer:
    """The answer that the tokens write.

    Raises:
        Unreadable: They are none of the kinds above.
    """
    if len(tokens) == 2 and tokens[1] == ")" and letter_of(tokens[0]):
        tokens = tokens[:1]  # The choice "B)".
    _check_bounds(tokens)
    tokens = units.with_mixed_numbers(tokens)
    parts = _split(tokens, _SEPARATORS)
    if len(parts) == 1:
        return _item(tokens)
    if len(parts) > _MAX_ITEMS:
        raise Unreadable(f"it lists more than {_MAX_ITEMS} values")
    if not all(parts):
        raise Unreadable("a value is missing in a list")
    items = tuple(_item(part) for part in parts)
    if any(map(_is_bound, items)) and not {"or", r"\cup", ";"}.intersection(tokens):
        interval = _intersection(items)
        if interval is not None:
            return interval
        if "and" in tokens:
            raise Unreadable("inequalities joined by 'and' do not make an interval")
    if r"\cup" in tokens:
        items = tuple(map(as_interval, items))
    return _flat(items)


def _intersection(items: Sequence[Answer]) -> Answer | None:
    """The interval of a lower and an upper bound, joined by "and" or a comma; None for others."""
    match items:
        case [
            Named(name, Interval(low, (bottom, Infinite(False)))),
            Named(other, Interval(high, ends)),
        ] | [
            Named(other, Interval(high, ends)),
            Named(name, Interval(low, (bottom, Infinite(False)))),
        ] if name == other and ends[0] == Infinite(True):
            return Named(name, Interval(low[0] + high[1], (bottom, ends[1])))
    return None


def _check_bounds(tokens: Sequence[str]) -> None:
    """Bounds the recursion and the arithmetic of everything below."""
    depth = deepest = 0
    for token in tokens:
        depth += (token in OPENERS) - (token in CLOSERS)
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH or tokens.count(r"\in") > 1:
        raise Unreadable(f"it is nested more than {MAX_DEPTH} deep")
    if cost(tokens) > MAX_COST:
        raise Unreadable("there is too much to compute")


def _is_bound(item: Answer) -> bool:
    """Whether an item is an inequality; "x = 2" and "(x,y) = (1,2)" are none."""
    if not isinstance(item, Named) or "(" in item.name:
        return False
    return isinstance(item.answer, (Interval, Unordered))


def _flat(items: Sequence[Answer]) -> Unordered:
    """One list, where an item may itself stand for several values."""
    flat: list[Answer] = []
    for item in items:
        inner = item.answer if isinstance(item, Named) else item
        if isinstance(inner, Unordered):
            flat += [
                Named(item.name, value) if isinstance(item, Named) else value
                for value in inner.items
            ]
        else:
            flat.append(item)
    return Unordered(tuple(flat))


def _split(tokens: Sequence[str], separators: frozenset[str]) -> list[list[str]]:
    """The parts between separators outside all brackets; ", and" is one separator."""
    parts: list[list[str]] = [[]]
    closers: list[str] = []
    previous = ""
    for token in tokens:
        kind = token[: token.find("{")] if token.startswith((r"\begin{", r"\end{")) else token
        if kind in CLOSERS:
            if not closers or not _closes(closers.pop(), kind):
                raise Unreadable("brackets do not match")
        elif kind in OPENERS:
            closers.append(OPENERS[kind])
        if not closers and token.lower() in separators:
            if not (previous in (",", ";") and token.lower() in ("and", "or")):
                parts.append([])
        else:
            parts[-1].append(token)
        previous = token
    if closers:
        raise Unreadable("brackets do not match")
    return parts


def _closes(expected: str, closer: str) -> bool:
    # The ends of a half-open interval differ.
    return expected == closer or (expected in ")]" and closer in ")]")


def _item(tokens: Sequence[str]) -> Answer:
    """One answer of a list."""
    if r"\pm" in tokens or r"\mp" in tokens:
        signs = ({r"\pm": "+", r"\mp": "-"}, {r"\pm": "-", r"\mp": "+"})
        both = [_item([sign.get(token, token) for token in tokens]) for sign in signs]
        return _flat(both)
    if len(tokens) > 2 and tokens[1] == r"\in" and letter_of(tokens[0]):
        return Named(tokens[0].strip(), as_interval(read(tokens[2:])))
    sides = _split(tokens, _RELATIONS)
    if len(sides) > 1:
        relations = _relations(tokens, sides)
        if not all(sides[1:]):
            raise Unreadable("one side of a relation is missing")
        if set(relations) == {"="}:
            return _equation(sides)
        return _inequality(sides, relations)
    return _term(tokens)


def _relations(tokens: Sequence[str], sides: Sequence[Sequence[str]]) -> list[str]:
    at, found = 0, []
    for side in sides[:-1]:
        at += len(side)
        found.append(tokens[at])
        at += 1
    return found


def _equation(sides: list[list[str]]) -> Answer:
    """A named value, the value of a chain of equal values, or an equation between expressions."""
    if len(sides) == 2 and _name(sides[0]) is None and len(sides[1]) == 1 and letter_of(*sides[1]):
        sides = sides[::-1]
    name = _name(sides[0])
    if name is None and all(map(units.is_word, sides[0])):
        raise Unreadable("the words before '=' may change the value")
    answers = [_term(side) for side in sides[name is not None :]]
    last = answers[-1]
    if not all(same(answer, last) for answer in answers):
        if name is None and len(answers) == 2:
            return _expressed(*answers)
        raise Unreadable("it says that different values are equal")
    if not name:
        return last
    if isinstance(last, Measure) and name in last.quantity.letters:
        return Equation(difference(letter(name), last.quantity))
    return Named(name, last)


def _expressed(left: Answer, right: Answer) -> Equation:
    if isinstance(left, Measure) and isinstance(right, Measure):
        quantity = difference(left.quantity, right.quantity)
        if quantity.letters:
            return Equation(quantity)
    raise Unreadable("it says that different values are equal")


def _name(tokens: Sequence[str]) -> str | None:
    """What the left side of "name = value" names; "" if that is a phrase; None if it is no name."""
    if not tokens:
        return ""
    if len(tokens) == 1:
        token = tokens[0].strip()
        return token if _names(token) and (letter_of(token) or units.is_word(token)) else None
    if not _names(tokens[0].strip()):
        return None
    if letter_of(tokens[0]) and tokens[1] == "_" and len(tokens) in (3, 5):
        return tokens[0].strip() + "_" + "".join(t for t in tokens[2:] if t not in ("{", "}"))
    if letter_of(tokens[0]) and tokens[1] == "(" and len(tokens) == 4 and letter_of(tokens[2]):
        return tokens[0].strip()
    if tokens[0] == "(" and tokens[-1] == ")" and all(map(letter_of, tokens[1:-1:2])):
        return canonical(tokens) if set(tokens[2:-1:2]) == {","} else None
    words = [token.strip() for token in tokens]
    # "a" before a word is the article.
    letters = [
        word
        for word, following in zip(words, [*words[1:], ""], strict=True)
        if len(word) == 1 and not (word in "aA" and len(following) > 1)
    ]
    if len(letters) > 1 or not all(units.is_word(word) and _names(word) for word in words):
        return None
    return ""


def _names(word: str) -> bool:
    """Whether a letter or word may stand for a value, and neither is one nor changes one."""
    return not is_constant(word) and not units.operates(word.lower()) and word != "at"


def _inequality(sides: list[list[str]], relations: list[str]) -> Answer:
    """The interval in which an inequality puts its variable."""
    if all(relation in (">", r"\ge") for relation in relations):
        sides, relations = sides[::-1], [_FLIPPED[relation] for relation in relations[::-1]]
    names = [_name(side) if len(side) == 1 and letter_of(side[0]) else None for side in sides]
    if len(sides) == 2 and relations == [r"\ne"] and names[0]:
        bound = _term(sides[1])
        below, above = (Infinite(True), bound), (bound, Infinite(False))
        return Named(names[0], Unordered((Interval("()", below), Interval("()", above))))
    if not all(relation in ("<", r"\le") for relation in relations) or len(sides) > 3:
        raise Unreadable("the relations do not make an interval")
    at = 1 if len(sides) == 3 or names[1] else 0
    name = names[at]
    if not name:
        raise Unreadable("an inequality does not give the bounds of one variable")
    low, high = (
        (_term(sides[at - 1]) if at else None),
        (_term(sides[at + 1]) if at + 1 < len(sides) else None),
    )
    opening = "[" if at and relations[at - 1] == r"\le" else "("
    closing = "]" if high is not None and relations[at] == r"\le" else ")"
    ends = (low or Infinite(True), high or Infinite(False))
    return Named(name, Interval(opening + closing, ends))


def _term(tokens: Sequence[str]) -> Answer:
    """An answer without relations: the first reading that fits."""
    if not tokens:
        raise Unreadable("it is empty")
    for reading in (_bracketed, _matrix, _numeral, _clock, _infinite):
        answer = reading(tokens)
        if answer is not None:
            return answer
    digits = units.with_digits(tokens)
    if _is_text(digits):
        return _words(tokens)
    core, unit = units.split_unit(digits)
    try:
        return Measure(evaluate(core), unit)
    except Unreadable:
        if _is_text(tokens):
            return _words(tokens)
        raise


def _is_text(tokens: Sequence[str]) -> bool:
    letters_only = all(units.is_word(token) or token in ("-", "'") for token in tokens)
    return letters_only and not all(map(is_factor, tokens))


def _words(tokens: Sequence[str]) -> Words:
    words = [token.lower() for token in tokens[:3]]
    for before in (["it", "'", "s"], ["it", "is"], ["on"]):
        if words[: len(before)] == before and len(tokens) > len(before):
            tokens = tokens[len(before) :]
            break
    return Words(canonical(tokens).casefold())


def _bracketed(tokens: Sequence[str]) -> Answer | None:
    if tokens[0] == r"\emptyset" and len(tokens) == 1:
        return Unordered(())
    if tokens[0] not in ("(", "[", "{", r"\{", r"\langle") or not _encloses(tokens):
        return None
    inside, brackets = tokens[1:-1], tokens[0] + tokens[-1]
    if tokens[0] == "{":
        return read(inside)
    if tokens[0] == r"\{" and inside[1:2] in ([":"], ["|"], [r"\mid"]) and letter_of(inside[0]):
        return _described(inside)
    if tokens[0] == r"\{":
        answer = read(inside) if inside else Unordered(())
        return answer if isinstance(answer, Unordered) else Unordered((answer,))
    parts = _split(inside, frozenset(","))
    if len(parts) > _MAX_ITEMS:
        raise Unreadable(f"it lists more than {_MAX_ITEMS} values")
    if len(parts) == 1 and brackets == "()":
        return read(inside)
    return Ordered(brackets, tuple(map(_item, parts)))


def _described(tokens: Sequence[str]) -> Answer:
    """The set of what fulfils a condition: n : n < 3."""
    answer = read(tokens[2:])
    if isinstance(answer, Named) and answer.name == tokens[0].strip() and _is_bound(answer):
        return answer
    raise Unreadable("the condition of a set is not understood")


def _encloses(tokens: Sequence[str]) -> bool:
    """Whether the first bracket closes at the very end."""
    depth = 0
    for i, token in enumerate(tokens):
        depth += (token in OPENERS) - (token in CLOSERS)
        if depth == 0:
            return i == len(tokens) - 1
    return False


def _matrix(tokens: Sequence[str]) -> Matrix | None:
    kind = tokens[0].removeprefix(r"\begin{").removesuffix("}")
    if kind not in _MATRICES or tokens[-1] != rf"\end{{{kind}}}":
        return None
    inside = list(tokens[1:-1])
    if kind == "array" and inside[:1] == ["{"]:
        inside = inside[inside.index("}") + 1 :]
    if inside[-1:] == [r"\\"]:
        inside.pop()
    if inside.count("&") + inside.count(r"\\") >= _MAX_ITEMS:
        raise Unreadable(f"it has more than {_MAX_ITEMS} entries")
    rows = _split(inside, frozenset([r"\\"]))
    return Matrix(tuple(tuple(map(_item, _split(row, frozenset("&")))) for row in rows))


def _numeral(tokens: Sequence[str]) -> Numeral | None:
    kept = [token.strip() for token in tokens if token not in ("{", "}")]
    if kept[-4:-2] == ["(", "base"] and kept[-1] == ")":
        kept[-4:] = kept[-3:-1]
    if kept[-3:-1] == ["in", "base"]:
        del kept[-3]
    if kept[:1] == ["("] and kept[-3:-2] == [")"]:
        kept = kept[1:-3] + kept[-2:]
    if len(kept) < 3 or kept[-2] not in ("_", "base") or not is_whole(kept[0]):
        return None
    base = units.with_digits(kept[-1:])[0]
    digits = "".join(kept[:-2]).upper().lstrip("0")
    allowed = _DIGITS[: int(base)] if is_whole(base) and len(base) < 3 else ""
    return Numeral(digits, int(base)) if allowed and set(digits) <= set(allowed) else None


def _clock(tokens: Sequence[str]) -> Answer | None:
    if ":" not in tokens:
        return None
    core, half = units.split_unit(tokens)
    parts = _split(core, frozenset(":"))
    if len(parts) == 1:
        return None
    if half in ("", "am", "pm") and all(len(part) == 1 and is_whole(part[0]) for part in parts):
        (first,), *rest = parts
        if half:
            if len(first) > 2 or not 1 <= int(first) <= 12:
                raise Unreadable("a time with AM or PM has an hour from 1 to 12")
            first = str(int(first) % 12 + 12 * (half == "pm"))
        return Clock((first.lstrip("0"), *(part[0] for part in rest)))
    return Ordered(":", tuple(Measure(evaluate(part)) for part in parts))


def _infinite(tokens: Sequence[str]) -> Infinite | None:
    if tokens[-1].lower() in _INFINITY and (len(tokens) == 1 or tokens[:-1] in (["+"], ["-"])):
        return Infinite(tokens[0] == "-")
    return None
