r"""Which part of a response is its answer.

Of these forms the first one present decides, and of its occurrences the last:

1. "The answer is: X" (any letter case): X is the rest of the line, or the next line with text
2. `<answer>X</answer>`, closed or not
3. \boxed{X} with balanced braces
4. "#### X" at the start of a line
5. "the answer is X", "Answer: X"
6. the whole response

Reasoning, up to the last `</think>`, is left aside. A box inside X stands for X. Boxes with only
"and", "or" or a comma between them are one list, so that a hedge over two boxes stays a hedge.
"""

from __future__ import annotations

import re
from typing import Final

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


def extract_answer(response: str) -> str | None:
    """The part of a response that is its answer, without blanks around it; None if it is empty.

    An answer that stands alone is returned as it is.
    """
    text = response.strip()[-MAX_SEARCHED:]
    _, closed, after = text.rpartition("</think>")
    if closed:
        text = after
    return _unboxed(_stated(text)).strip() or None


def _stated(text: str) -> str:
    """The answer in the first of the forms that is present."""
    start = _after_last(_MARKER, text)
    if start is not None:
        return _line_with_text(text, start)
    _, opened, after = text.rpartition("<answer>")
    if opened:
        return after.partition("</answer>")[0]
    found = _boxes(text)
    if found is not None:
        return found
    _, hashes, after = f"\n{text}".rpartition("\n####")
    if hashes:
        return _line_with_text(after, 0)
    start = _after_last(_WEAK_MARKER, text)
    return text if start is None else _line_with_text(text, start)


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


def _unboxed(text: str) -> str:
    r"""The content of the last \boxed{...} (a list if several are joined), else the text itself."""
    for _ in range(3):  # A box may hold another one.
        found = _boxes(text)
        if found is None:
            break
        text = found
    return text


def _boxes(text: str) -> str | None:
    """The content of the last closed box and of those joined to it; one pass over the text."""
    text = text[-_MAX_SEARCHED_FOR_BOXES:]
    if r"\boxed" not in text and r"\fbox" not in text:
        return None
    opened: list[tuple[int, int] | None] = []
    found: list[tuple[int, int, int]] = []
    for match in _BRACES.finditer(text):
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
    return _joined(text, found) if found else None


def _joined(text: str, found: list[tuple[int, int, int]]) -> str:
    start, content, end = found.pop()
    contents = [text[content:end]]
    while found and len(contents) < _MAX_JOINED:
        before, content, end = found.pop()
        between = text[end + 1 : start]
        if len(between) > _MAX_JOINT or not _JOINT.fullmatch(between):
            break
        contents.append(text[content:end])
        start = before
    return ", ".join(reversed(contents))
