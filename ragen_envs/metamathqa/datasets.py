"""Real data: MetaMathQA from the hub, or local files of the MetaMathQA, GSM8K and MATH shapes.

A file is read once per process and shared by all envs. Rows without a usable gold answer are left
out, counted and listed: see `QuestionSet.report`, which is also logged. A row of MetaMathQA needs
its original question: without it a rephrasing could not be kept out of the other splits.
"""

from __future__ import annotations

import json
import logging
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ragen_envs.metamathqa import compare_answers, extract_answer
from ragen_envs.metamathqa.problems import Problem
from ragen_envs.optional import require
from ragen_envs.splits import split_of

HUB_ID = "meta-math/MetaMathQA"
SUFFIXES = (".jsonl", ".json", ".parquet")

_MARKER = re.compile(r"\banswer\s+is\s*:", re.IGNORECASE)
_BOX = re.compile(r"\\(?:boxed|fbox)(?![A-Za-z])\s*")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_JOINT = re.compile(r"[\s$]*(?:[,;]|[,;]?\s*(?:\\text\s*\{\s*)?(?:and|or)(?:\s*\})?)[\s$]*")
_CONTENT = re.compile(r"[^\W_]|[∞∅]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LISTED = 5
_MAX_WORDS = 5
_NUMBER_OR_UNKNOWN = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|\bx\b", re.ASCII)
_KNOWN_ANSWER = "if we know the answer to the above question"

_logger = logging.getLogger(__name__)
_lock = threading.Lock()


class _Unusable(Exception):
    """A row has no usable question or gold answer; the text says why."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The usable rows of a data set.

    Attributes:
        problems: The usable rows in file order; `content` is what decides the split of each.
        total: How many rows there are in all.
        unusable: (row index from 0, reason) of every row that was left out.
    """

    problems: tuple[Problem, ...]
    total: int
    unusable: tuple[tuple[int, str], ...]

    def report(self) -> str:
        """How many rows are unusable, with the first few and the reasons."""
        text = f"{len(self.unusable)} of {self.total} rows have no usable gold answer"
        listed = "; ".join(f"row {row}: {reason}" for row, reason in self.unusable[:_LISTED])
        more = ", ..." if len(self.unusable) > _LISTED else ""
        return f"{text} ({listed}{more})" if listed else text


class Source(NamedTuple):
    """What identifies a data set: `HUB_ID` or an absolute path, and the version of the file."""

    name: str
    modified: int
    size: int


def source_of(dataset: str | os.PathLike[str]) -> Source:
    """The data set as it is now.

    Args:
        dataset: `HUB_ID`, which needs the extra `data` and a network or a filled cache, or a path
            to a local file: JSON lines, a JSON list, or Parquet (which needs the extra, too). Its
            columns are those of MetaMathQA (query, response, type, original_question), GSM8K
            (question, answer) or MATH (problem, solution, level, type).

    Raises:
        TypeError: It is neither text nor a path.
        ValueError: There is no such file, or it has another suffix.
    """
    name = os.fspath(dataset) if isinstance(dataset, str | os.PathLike) else dataset
    if not isinstance(name, str):
        raise TypeError(f"dataset must be a str or a path, got {dataset!r}")
    if name == HUB_ID:
        return Source(name, 0, 0)
    path = Path(name).absolute()
    if path.suffix not in SUFFIXES:
        raise ValueError(
            f"dataset must be {HUB_ID!r} or a path to a file that ends with one of "
            f"{list(SUFFIXES)}, got {name!r}"
        )
    if not path.is_file():
        raise ValueError(f"dataset must be an existing file, got {name!r}")
    status = path.stat()
    return Source(str(path), status.st_mtime_ns, status.st_size)


def load_questions(dataset: str | os.PathLike[str]) -> QuestionSet:
    """Read a data set, once per process and version of the file; see `source_of`.

    Raises:
        TypeError: It is neither text nor a path.
        ValueError: No such file, another suffix or other columns, text that is not UTF-8 or not
            JSON, or no usable row at all.
        ImportError: The extra `data` is missing.
    """
    with _lock:  # two threads must not both read it
        return _load(source_of(dataset))


def questions_of(
    source: Source, split: str, types: tuple[str, ...] | None = None
) -> tuple[Problem, ...]:
    """The usable rows of one split in file order, and of the given types only.

    The split is a hash of the original question, so that all rows that were made from one question
    are in one split. It raises what `load_questions` does.
    """
    with _lock:
        return _select(source, split, types)


def original_key(question: str) -> str:
    """The text of a question without its numbers, unknowns, spacing and letter case.

    MetaMathQA hides one number of a question behind x in its backward versions, so numbers and x
    must not tell two versions of one question apart.
    """
    text = question.casefold().replace("$", "").partition(_KNOWN_ANSWER)[0]
    return " ".join(_NUMBER_OR_UNKNOWN.sub("#", text).split())


@lru_cache(maxsize=8)
def _load(source: Source) -> QuestionSet:
    if source != source_of(source.name):  # in a copy of an env, in another process
        raise ValueError(f"dataset must not change while it is in use, but {source.name!r} has")
    problems: list[Problem] = []
    unusable: list[tuple[int, str]] = []
    shape: Callable[[Mapping[str, Any]], Problem] | None = None
    index = -1
    for index, row in enumerate(_rows(source.name)):
        shape = shape or _shape(source.name, row)
        try:
            problems.append(shape(row))
        except _Unusable as reason:
            unusable.append((index, str(reason)))
    found = QuestionSet(tuple(problems), index + 1, tuple(unusable))
    if not problems:
        raise ValueError(f"dataset must have a usable row, got {source.name!r}: {found.report()}")
    if unusable:
        _logger.warning("%s: %s", source.name, found.report())
    return found


@lru_cache(maxsize=64)
def _select(source: Source, split: str, types: tuple[str, ...] | None) -> tuple[Problem, ...]:
    return tuple(
        problem
        for problem in _load(source).problems
        if (types is None or problem.type in types) and split_of(problem.content) == split
    )


def _rows(name: str) -> Iterable[Mapping[str, Any]]:
    if name == HUB_ID:
        hub = require("datasets", extra="data")
        rows: Iterable[Mapping[str, Any]] = hub.load_dataset(HUB_ID, split="train")
        return rows
    path = Path(name)
    if path.suffix == ".parquet":
        return _parquet(name)
    return _json_lines(path) if path.suffix == ".jsonl" else _json_list(path)


def _parquet(name: str) -> Iterator[Mapping[str, Any]]:
    parquet = require("pyarrow.parquet", extra="data")
    try:
        with parquet.ParquetFile(name) as file:
            for batch in file.iter_batches():
                yield from batch.to_pylist()
    except ValueError as error:  # Which that of pyarrow is.
        raise ValueError(f"{name} must be Parquet: {error}") from error


def _json_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                row = _parsed(f"{path}, line {number}", line)
                if not isinstance(row, dict):
                    raise ValueError(
                        f"{path}, line {number} must be a JSON object, got {str(row)[:40]!r}"
                    )
                yield row


def _json_list(path: Path) -> Iterator[Mapping[str, Any]]:
    rows = _parsed(str(path), path.read_bytes())
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{path} must be a JSON list of objects")
    yield from rows


def _parsed(where: str, data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"{where} must be UTF-8: {error}") from error
    except ValueError as error:
        raise ValueError(f"{where} must be JSON: {error}") from error
    except RecursionError as error:
        raise ValueError(f"{where} must be JSON that is not nested so deeply") from error


def _shape(name: str, row: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Problem]:
    for columns, shape in _SHAPES.items():
        if set(columns) <= set(row):
            return shape
    known = " or ".join(f"({', '.join(columns)})" for columns in _SHAPES)
    raise ValueError(f"dataset must have the columns {known}, got {sorted(row)} in {name!r}")


def _metamath(row: Mapping[str, Any]) -> Problem:
    response = _text(row, "response")
    if not _MARKER.search(response):
        raise _Unusable("the response has no 'The answer is:'")
    question, original = _text(row, "query"), _text(row, "original_question")
    return _problem(question, extract_answer(response), str(row.get("type", "")), original)


def _gsm8k(row: Mapping[str, Any]) -> Problem:
    _, marker, gold = _text(row, "answer").rpartition("####")
    if not marker:
        raise _Unusable("the answer has no '####'")
    question = _text(row, "question")
    return _problem(question, gold.partition("\n")[0].strip(), "GSM8K", question)


def _math(row: Mapping[str, Any]) -> Problem:
    boxes = _boxes(_text(row, "solution"))
    if not boxes:
        raise _Unusable("the solution has no \\boxed")
    question = _text(row, "problem")
    level = re.search(r"\d", str(row.get("level", "")))
    return _problem(
        question,
        _unwrapped(", ".join(boxes)),
        "MATH",
        question,
        topic=str(row.get("type", "")),
        level=int(level[0]) if level else 0,
    )


def _boxes(solution: str) -> list[str]:
    r"""The content of the last \boxed, and of those before it that are joined to it by "or"."""
    contents: list[str] = []
    start = len(solution)
    for box in reversed(list(_BOX.finditer(solution))):
        content, end = _content(solution, box.end())
        if contents and (end > start or not _JOINT.fullmatch(solution, end, start)):
            break
        contents.insert(0, content)
        start = box.start()
    return contents


def _content(text: str, start: int) -> tuple[str, int]:
    r"""What a \boxed that ends at start holds, and where that ends; it may be without braces."""
    if text[start : start + 1] != "{":
        bare = re.compile(r"[^$\n]*").match(text, start)
        assert bare is not None  # It matches nothing, too.
        return bare[0].strip(" ."), bare.end()
    depth = 0
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return text[start + 1 : brace.start()].strip(), brace.end()
    raise _Unusable("the last \\boxed of the solution is not closed")


def _unwrapped(gold: str) -> str:
    r"""A gold answer without the "The answer is:" that stands with it in a box."""
    if not _MARKER.search(gold):
        return gold
    inside = re.fullmatch(r"\\text\w*\s*\{(.*)\}", gold, re.DOTALL)
    return _MARKER.split(inside[1] if inside else gold)[-1].strip(" .")


def _problem(
    question: str, gold: str | None, row_type: str, original: str, topic: str = "", level: int = 0
) -> Problem:
    if not gold:
        raise _Unusable("the gold answer is empty")
    if not _is_readable(gold):
        raise _Unusable(f"the gold answer {gold[:60]!r} cannot be read as a value")
    return Problem(question.strip(), gold, row_type, topic, "", level, original_key(original))


def _text(row: Mapping[str, Any], column: str) -> str:
    value = row.get(column)
    if not isinstance(value, str) or not value.strip():
        raise _Unusable(f"{column!r} is no text")
    if _SURROGATE.search(value):
        raise _Unusable(f"{column!r} is no text that UTF-8 can hold")
    return value


@lru_cache(maxsize=100_000)  # hundreds of thousands of rows share a few thousand answers
def _is_readable(gold: str) -> bool:
    """Whether the checker accepts the gold answer as an answer to itself, and it is no sentence."""
    if not _CONTENT.search(gold):
        return False
    if len(gold.split()) > _MAX_WORDS and gold.replace(" ", "").isalpha():
        return False
    try:
        return compare_answers(gold, f"The answer is: {gold}").status == "equal"
    except ValueError:  # There is only decoration in it, such as \\text{}.
        return False


_SHAPES: dict[tuple[str, ...], Callable[[Mapping[str, Any]], Problem]] = {
    ("query", "response", "original_question"): _metamath,
    ("question", "answer"): _gsm8k,
    ("problem", "solution"): _math,
}
