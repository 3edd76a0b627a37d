r"""Which part of a response is its answer.

Of these forms the first one present decides, and of its occurrences the last:

1. "The answer is: X" (any letter case): X is the rest of the line, or the next line with text
2. `<answer>X</answer>`, closed or not
3. \boxed{X} with balanced braces
4. "#### X" at the start of a line
5. "the answer is X", "Answer: X"
6. the whole response

Reasoning, up to the last `</think>`, is left aside; a `<think>` that is never closed leaves no
answer. Boxes with only "and", "or" or a comma between them are one list, so that a hedge over two
boxes stays a hedge.

What stands around a box counts. In a line that states the answer (forms 1 and 2), and in another
box, a box stands for its content in place, and the rest of the line is judged with it. In free text
(form 3) the content is the answer where the neighbours of the box are harmless: plain words, "=",
":", a full stop. Where one of them may scale, negate or hedge it (a number, a sign, another
relation, "not", "about", "or", "thousand"), the whole line is the answer (without "the answer is"),
which most often cannot be read.
A percent or degree sign, or a known unit, after the box belongs to the answer.
"""

from __future__ import annotations

import re
from typing import Final

from ragen_envs.metamathqa import units

# A response is searched from its end, so far back; for boxes, whose braces are costlier to match,
# not quite so far.
MAX_SEARCHED: Final = 100_000
_MAX_SEARCHED_FOR_BOXES = 20_000
_MAX_TAKEN = 2_000
_MAX_JOINED = 50
_MAX_JOINT = 40

_MARKER = re.compile(r"\banswer\s+is\s*:", re.IGNORECASE)
_WEAK_MARKER = re.compile(r"\banswer(?:\s+is\b|\s*[:=])", re.IGNORECASE)
_BRACES = re.compile(r"\\(?:boxed|fbox)\s*\{|\\.|[{}]", re.DOTALL)
_JOINT = re.compile(r"[\s$]*(?:,|;|,?\s*(?:\\text\{\s*)?(?:and|or)(?:\s*\})?)[\s$]*")
_PAIRS = (("{", "}"), (r"\begin", r"\end"), (r"\[", r"\]"))

_TEXT = re.compile(r"\\(?:text(?:bf|it|rm)?|mathrm|mathbf)\s*\{([^{}]*)\}")
_SPACING = re.compile(r"\\(?:[,;:! ]|q?quad(?![A-Za-z])|displaystyle(?![A-Za-z]))|~")
# Of what decorates a box: math delimiters, Markdown, quotation marks, headings.
_BARE_BEFORE = re.compile(r"(?:\\[(\[]|\\begin\{[a-z]+\*?\}|[\s$*_`\"&]|(?:^|\n)#+)+\Z")
_BARE_AFTER = re.compile(r"(?:\\[)\]]|\\end\{[a-z]+\*?\}|[\s$_`\"]|\*{1,2}(?![\w{(\\]))+")
_ARROWS = re.compile(
    r"(?:->|=>|[\u2192\u21d2\u2234]|\\(?:Rightarrow|rightarrow|implies|to|therefore))\Z"
)
_WORD = re.compile(r"[^\W\d_]+")
_UNIT_SIGN = re.compile(r"\s*(?:\\?%|\^\s*\{?\s*\\circ\s*\}?|\N{DEGREE SIGN})")
_PLAIN_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_WORDS_AFTER = re.compile(r"[$*]*(?:\s+[A-Za-z]{2,}|\s*\\text\{\s*[A-Za-z]{2,})")
_RANGE = re.compile(r"[^\w\s][\s$]*(?:to|through|until)\Z|[0-9][\s$]*(?:to|through|until)\Z", re.I)
_NEGATION = re.compile(r"n['\u2019]t\b", re.IGNORECASE)
_CONTEXT = 200
_NEAR = 20
_ARTICLES = ("a", "an", "the", "of")

# Where a box starts, where its content starts, and where that ends.
Box = tuple[int, int, int]


def extract_answer(response: str) -> str | None:
    """The part of a response that is its answer, without blanks around it; None if there is none.

    An answer that stands alone is returned as it is.
    """
    return locate(response)[0]


def locate(response: str) -> tuple[str | None, bool]:
    """`extract_answer`, and whether the answer is just what a box holds."""
    _, opened, after = response.rpartition("<think>")
    if opened and "</think>" not in after:
        return None, False
    text = response.strip()[-MAX_SEARCHED:]
    _, closed, after = text.rpartition("</think>")
    if closed:
        text = after
    stated, found = _stated(text)
    answer, boxed = _in_free_text(stated, found) if found else _in_place(stated)
    return answer.strip() or None, boxed


def _stated(text: str) -> tuple[str, list[Box]]:
    """The answer in the first of the forms that is present; its boxes if it is free text."""
    start = _after_last(_MARKER, text)
    if start is not None:
        return _line_with_text(text, start), []
    _, opened, after = text.rpartition("<answer>")
    if opened:
        answer = after.partition("</answer>")[0].strip()
        in_line = len(answer) <= _MAX_TAKEN and "\n" not in answer
        return answer, [] if in_line else _boxes(answer)
    found = _boxes(text)
    if found:
        return text, found
    _, hashes, after = f"\n{text}".rpartition("\n####")
    if hashes:
        return _line_with_text(after, 0), []
    start = _after_last(_WEAK_MARKER, text)
    return (text if start is None else _line_with_text(text, start)), []


def _after_last(marker: re.Pattern[str], text: str) -> int | None:
    """Where the last marker ends; the word in it is looked for first, which is much faster."""
    # Of all letters only this one has a lower case of another length.
    lowered = text.replace("\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}", "I").lower()
    at = lowered.rfind("answer")
    while at >= 0:
        if match := marker.match(text, at):
            return match.end()
        at = lowered.rfind("answer", 0, at)
    return None


def _line_with_text(text: str, start: int) -> str:
    """The rest of the line, or the next line with text, and more lines while brackets are open."""
    rest = text[start : start + _MAX_TAKEN].partition("</answer>")[0]
    taken = ""
    for line in rest.splitlines(keepends=True):
        taken += line
        if taken.strip(" \t\r\n*:") and all(taken.count(o) <= taken.count(c) for o, c in _PAIRS):
            break
    return taken.strip().removeprefix("**")


def _in_place(text: str) -> tuple[str, bool]:
    """The text with every box replaced by its content, and whether a box is all there is."""
    found = _boxes(text)
    if not found:
        return text, False
    box = found[-1]
    if len(found) == 1 and _is_bare(text[: box[0]], text[box[2] + 1 :]):
        return _content(text, box), True
    if len(found) == 1 and _is_number_with_words(text, box):
        return f"{text[: box[0]]}{text[box[1] : box[2]]}{text[box[2] + 1 :]}", False
    return _replaced(text, found, 0, len(text)), False


def _in_free_text(text: str, found: list[Box]) -> tuple[str, bool]:
    """The content of the last box (a list if several are joined), or the whole line."""
    contents, start, end = _joined(text, found)
    before, after = _TEXT.sub(r"\1", text[max(0, start - _CONTEXT) : start]), text[end:]
    sign = _UNIT_SIGN.match(after)
    if sign is not None:
        after = after[sign.end() :]
    after = _TEXT.sub(r"\1", after[:_CONTEXT])
    if not (_harmless_before(before) and _harmless_after(after)):
        first = text.rfind("\n", 0, start) + 1
        first += _after_last(_WEAK_MARKER, text[first:start]) or 0
        last = text.find("\n", end)
        boxes = [box for box in found if box[0] >= first]
        line = _replaced(text, boxes, first, last if last >= 0 else len(text))
        return line.lstrip("# "), False
    answer = ", ".join(contents)
    grouped = answer if _PLAIN_NUMBER.fullmatch(answer) else f"{{{answer}}}"
    if sign is not None:
        return f"{grouped}{sign[0]}", False
    unit = _WORD.match(_SPACING.sub(" ", after).lstrip(" $"))
    if unit is not None and units.is_unit(unit[0]):
        return f"{grouped} {unit[0]}", False
    return answer, len(contents) == 1


def _is_number_with_words(text: str, box: Box) -> bool:
    """Whether a box with a number starts the text and words follow: then it needs no braces."""
    start, content, end = box
    number, after = text[content:end], text[end + 1 : end + 1 + _CONTEXT]
    return not text[:start].strip(" $*") and bool(
        _PLAIN_NUMBER.fullmatch(number) and _WORDS_AFTER.match(after)
    )


def _is_bare(before: str, after: str) -> bool:
    """Whether nothing but decoration is around a box."""
    if len(before) > _CONTEXT or len(after) > _CONTEXT:
        return False
    before = _BARE_BEFORE.sub("", _SPACING.sub(" ", before))
    after = _BARE_AFTER.sub("", _SPACING.sub(" ", after), count=1)
    return not before.strip() and not after.strip("., ;$*`\n")


def _harmless_before(before: str) -> bool:
    """Whether the text before a box leaves its content as it is."""
    before = _SPACING.sub(" ", before)
    bare = _BARE_BEFORE.sub("", before)
    broken = "\n" in before[len(bare) :] or bare.endswith(r"\\")
    bare = bare.removesuffix(r"\\")
    if not bare:
        return True
    bare = _ARROWS.sub(":", bare)
    last = bare[-1]
    sentence = re.split(r"[.!?;\n](?:\s|\Z)", bare)[-1]
    words = [word.lower() for word in _WORD.findall(sentence)][-3:]
    if any(map(units.hedges, words)) or _NEGATION.search(sentence[-_NEAR:]):
        return False
    if last.isalpha():
        command = re.search(r"\\[A-Za-z]+\Z", bare)
        return not command and not _RANGE.search(bare) and _is_harmless_word(words, broken, before)
    if last == "=":
        return bare[-2:-1] not in tuple("!<>~/") and not bare[:-1].rstrip().endswith(r"\not")
    if last == ",":
        return broken or bare[:-1].rstrip(" $*_`)}")[-1:].isalpha()
    if last in "<>\u2260\u2248\u2264\u2265~":
        return False
    return broken or last in ":.!?;"


def _is_harmless_word(words: list[str], broken: bool, before: str) -> bool:
    """Whether the last of some words leaves the box after it as it is."""
    operator = next((word for word in reversed(words) if word not in _ARTICLES), "")
    if units.operates(operator):
        return False
    if len(words[-1]) == 1 and not (words[-1] == "a" and before[-1].isspace()):
        return broken
    return broken or words[-1] not in ("and", "at", "least", "most")


def _harmless_after(after: str) -> bool:
    """Whether the text after a box leaves its content as it is."""
    after = _SPACING.sub(" ", after)
    bare = _BARE_AFTER.match(after)
    if bare is not None:
        if "\n" in bare[0]:
            return True
        after = after[bare.end() :]
    if not after or after.startswith(r"\\"):
        return True
    if after[0] == ".":
        return not after[1:2].isdigit()
    if after[0] == "!":
        rest = after[1:].lstrip(" $*")
        return not rest or rest[0] == "\n" or rest.startswith((r"\)", r"\]")) or rest[0].isalpha()
    sentence = re.split(r"[.!?\n](?:\s|\Z)", after)[0]
    words = _WORD.findall(sentence.lower())
    if any(map(units.hedges, words)) or _NEGATION.search(sentence):
        return False
    rest = after.lstrip(",;:( $*")
    if not rest:
        return after[0] in ",;:"
    word = _WORD.match(rest)
    if word is None:
        return False
    first = word[0].lower()
    return len(first) > 1 and first not in ("and", "to", "through") and not units.alters(first)


def _boxes(text: str) -> list[Box]:
    """The closed boxes that are in no other one; one pass over the text."""
    if r"\boxed" not in text and r"\fbox" not in text:
        return []
    offset = max(0, len(text) - _MAX_SEARCHED_FOR_BOXES)
    opened: list[tuple[int, int] | None] = []
    found: list[Box] = []
    for match in _BRACES.finditer(text, offset):
        token = match[0]
        if token == "}":
            box = opened.pop() if opened else None
            if box is not None:
                while found and found[-1][0] > box[0]:
                    found.pop()  # A box in this one.
                found.append((*box, match.start()))
        elif token == "{":
            opened.append(None)
        elif token[-1] == "{" and len(token) > 2:
            opened.append((match.start(), match.end()))
    return found


def _joined(text: str, found: list[Box]) -> tuple[list[str], int, int]:
    """The contents of the last box and of those joined to it; where they start and end."""
    last = found[-1]
    contents, start = [_content(text, last)], last[0]
    for box in reversed(found[:-1][-_MAX_JOINED:]):
        between = text[box[2] + 1 : start]
        if len(between) > _MAX_JOINT or not _JOINT.fullmatch(between):
            break
        contents.append(_content(text, box))
        start = box[0]
    return contents[::-1], start, last[2] + 1


def _content(text: str, box: Box) -> str:
    """What a box holds, boxes in it replaced by what they hold."""
    content = text[box[1] : box[2]]
    for _ in range(3):
        found = _boxes(content)
        if not found:
            break
        start, inside, end = found[-1]
        if len(found) == 1 and _is_bare(content[:start], content[end + 1 :]):
            content = content[inside:end]
        else:
            parts, at = [], 0
            for start, inside, end in found:
                parts += [content[at:start], "{", content[inside:end], "}"]
                at = end + 1
            content = "".join([*parts, content[at:]])
    return content


def _replaced(text: str, found: list[Box], at: int, end: int) -> str:
    """A part of the text, with each box in it replaced by what it holds, in braces."""
    parts = []
    for box in found:
        parts += [text[at : box[0]], "{", _content(text, box), "}"]
        at = box[2] + 1
    return "".join([*parts, text[at:end]])
