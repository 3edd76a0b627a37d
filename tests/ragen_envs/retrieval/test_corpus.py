"""Corpora as JSON lines, gzipped or not."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragen_envs.retrieval import Document, read_corpus
from ragen_envs.retrieval.corpus import joined, split_contents

ROWS = [
    {"id": "1", "contents": '"The Trial"\nSomeone must have\nslandered K.'},
    {"id": 2, "contents": "No title here"},
    {"id": "3", "title": "Title", "text": "Text", "url": "ignored"},
]
DOCUMENTS = [
    Document("1", "The Trial", "Someone must have\nslandered K."),
    Document("2", "", "No title here"),
    Document("3", "Title", "Text"),
]


def lines(rows: list[object]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.jsonl.gz", "corpus"])
@pytest.mark.parametrize("zipped", [False, True])
def test_both_forms_are_read_gzipped_or_not_whatever_the_name(tmp_path: Path, name, zipped):
    data = lines(ROWS)
    (tmp_path / name).write_bytes(gzip.compress(data) if zipped else data)
    assert list(read_corpus(tmp_path / name)) == DOCUMENTS


def test_blank_lines_and_a_missing_last_newline_do_no_harm(tmp_path: Path):
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(b"\n" + lines(ROWS).replace(b"\n", b"\r\n  \n").rstrip())
    assert list(read_corpus(path)) == DOCUMENTS


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"{", "not JSON"),
        (b"[1]", "not a JSON object but list"),
        (b'{"contents": "x"}', "'id' must be a non-empty string or an integer, got None"),
        (b'{"id": true, "contents": "x"}', "'id' must be a non-empty string or an integer"),
        (b'{"id": "", "contents": "x"}', "'id' must be a non-empty string"),
        (b'{"id": "a"}', "needs 'contents', or 'title' and 'text', all strings"),
        (b'{"id": "a", "contents": 3}', "needs 'contents'"),
        (b'{"id": "a", "title": "t"}', "its keys are .'id', 'title'."),
        (b'{"id": "\xff"}', "not UTF-8 .* at byte 8"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_a_bad_line_is_named_by_number(tmp_path: Path, bad: bytes, reason: str):
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(lines(ROWS) + bad + b"\n" + lines(ROWS))
    with pytest.raises(ValueError, match=f"corpus.jsonl must hold .* line 4: .*{reason}"):
        list(read_corpus(path))


def test_several_bad_lines_are_named_at_once_but_not_hundreds(tmp_path: Path):
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(b"{\n" + lines(ROWS) + b"[]\n" + b"?\n" * 100)
    with pytest.raises(ValueError, match=r"line 1: .*line 5: .*line 13: ") as caught:
        list(read_corpus(path))
    assert len(re.findall(r"line \d+: ", str(caught.value))) == 10


def test_a_cut_gzip_file_is_named_and_not_taken_for_the_end(tmp_path: Path):
    path = tmp_path / "corpus.gz"
    rows = [{"id": n, "contents": f"number {n * n}"} for n in range(3000)]
    path.write_bytes(gzip.compress(lines(rows))[:-2000])
    with pytest.raises(ValueError, match=r"line \d+: broken gzip file"):
        list(read_corpus(path))


def test_a_spoilt_gzip_file_is_named(tmp_path: Path):
    path = tmp_path / "corpus.gz"
    data = gzip.compress(lines(ROWS * 500))
    path.write_bytes(data[:10] + b"\xff" * len(data[10:]))
    with pytest.raises(ValueError, match="line 1: broken gzip file"):
        list(read_corpus(path))


def test_a_missing_file_is_an_error_of_the_system(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        list(read_corpus(tmp_path / "none"))


@given(st.text())
def test_contents_are_the_same_after_splitting_and_joining(contents: str):
    assert joined(*split_contents(contents)) == contents


@given(st.text(alphabet='"\na', max_size=8))
def test_contents_with_quotes_and_newlines_survive_too(contents: str):
    assert joined(*split_contents(contents)) == contents
