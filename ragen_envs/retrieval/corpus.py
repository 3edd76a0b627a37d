"""Documents, and corpora as JSON lines."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

_MOST_BAD_LINES = 10
_LINES_AFTER_A_BAD_ONE = 100_000


@dataclass(frozen=True, slots=True)
class Document:
    """One passage or product.

    Attributes:
        id: Unique in its corpus; equal scores are ordered by it.
        title: May be empty.
        text: The rest.
    """

    id: str
    title: str
    text: str

    @property
    def contents(self) -> str:
        """Title and text as Search-R1's corpora join them; this is what an index reads."""
        return joined(self.title, self.text)


def joined(title: str, text: str) -> str:
    """The title in double quotes on a line of its own, then the text; the text if no title."""
    return f'"{title}"\n{text}' if title else text


def split_contents(contents: str) -> tuple[str, str]:
    """`(title, text)` of such contents; the title is empty unless the first line is in quotes."""
    first, newline, rest = contents.partition("\n")
    if newline and len(first) > 2 and first.startswith('"') and first.endswith('"'):
        return first[1:-1], rest
    return "", contents


def read_corpus(path: str | Path) -> Iterator[Document]:
    """The documents of a JSON lines file, one at a time.

    A line is an object with `id` (str or int) and either `contents` (the first line is the title
    in double quotes) or `title` and `text`; other keys are ignored, blank lines are skipped.

    Args:
        path: The file; gzipped when its first two bytes say so.

    Yields:
        Documents in the order of the lines.

    Raises:
        OSError: The file cannot be read.
        ValueError: Lines are no documents; names them by number (from 1), ten at most, looking no
            further than 100,000 lines past the first.
    """
    path = Path(path)
    bad: list[str] = []
    number = last = 0
    with _opened(path) as file:
        try:
            for number, line in enumerate(file, start=1):
                if bad and (number > last or len(bad) == _MOST_BAD_LINES):
                    break
                if not line.strip():
                    continue
                try:
                    document = _parsed(line)
                except ValueError as error:
                    last = last or number + _LINES_AFTER_A_BAD_ONE
                    bad.append(f"line {number}: {error}")
                    continue
                if not bad:
                    yield document
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            bad.append(f"line {number + 1}: broken gzip file: {error}")
    if bad:
        raise ValueError(f"{path} must hold one document a line, got " + "; ".join(bad))


def _opened(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    return cast("IO[bytes]", gzip.open(path, "rb") if zipped else path.open("rb"))


def _parsed(line: bytes) -> Document:
    """The document of a line; ValueError says what is wrong with it."""
    try:
        row: Any = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 ({error.reason} at byte {error.start})") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg} at column {error.colno})") from error
    except RecursionError as error:
        raise ValueError("not JSON that can be read (nested too deeply)") from error
    if not isinstance(row, dict):
        raise ValueError(f"not a JSON object but {type(row).__name__}")
    name = row.get("id")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or not name:
        raise ValueError(f"'id' must be a non-empty string or an integer, got {name!r}")
    if isinstance(row.get("contents"), str):
        return Document(name, *split_contents(row["contents"]))
    if isinstance(row.get("title"), str) and isinstance(row.get("text"), str):
        return Document(name, row["title"], row["text"])
    keys = sorted(row)[:10]
    raise ValueError(f"needs 'contents', or 'title' and 'text', all strings; its keys are {keys}")
