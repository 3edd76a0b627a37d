"""Building an index in one pass over the documents, in memory that does not grow with their text.

Postings are gathered in blocks of a million terms, written out, and merged at the end by ranges of
terms. What stays in memory is the vocabulary, the ids (to order them) and one block.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from array import array
from collections.abc import Iterable
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ragen_envs.retrieval.analysis import terms_of_word, words
from ragen_envs.retrieval.corpus import Document
from ragen_envs.retrieval.files import ArrayWriter, array_path, write_manifest
from ragen_envs.retrieval.lengths import LENGTHS

_BLOCK_TERMS = 1_000_000
_MERGED_POSTINGS = 2_000_000
_MOST_REMEMBERED_WORDS = 300_000
_MOST_DOCUMENTS = 2**31 - 1

_Ints = npt.NDArray[np.int64]


def build_index(documents: Iterable[Document], directory: str | Path) -> None:
    """Write an index of `documents` to `directory`.

    The files grow in a hidden directory beside it, which takes its name when they are complete. A
    build that fails removes it; one that is killed leaves `.NAME.building-*`, which may be deleted.

    Args:
        documents: Read once.
        directory: Must not exist; the directory above it must.

    Raises:
        ValueError: `directory` exists or cannot be made, two documents have one id, or no document
            has a word.
        TypeError: An element of `documents` is not a Document.
    """
    directory = Path(directory)
    _check_free(directory)
    if not directory.absolute().parent.is_dir():
        raise ValueError(f"directory must lie in an existing directory, got {str(directory)!r}")
    place = Path(
        tempfile.mkdtemp(prefix=f".{directory.name}.building-", dir=directory.absolute().parent)
    )
    try:
        _write_index(documents, place)
        place.chmod(0o755)  # mkdtemp makes it private
        _check_free(directory)  # another build may have been faster
        os.rename(place, directory)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise


def _check_free(directory: Path) -> None:
    if directory.exists():
        raise ValueError(f"directory must not exist yet, got {str(directory)!r}")


def _write_index(documents: Iterable[Document], place: Path) -> None:
    blocks = _Blocks(place / "blocks")
    ids = _write_documents(documents, place, blocks)
    if not blocks.vocabulary:
        raise ValueError(f"documents must have a word to index, got {len(ids)} without any")
    _write_ranks(ids, place)
    _write_vocabulary(blocks.vocabulary, place)
    _merge(blocks, place)
    shutil.rmtree(blocks.place)
    facts = {
        "documents": len(ids),
        "documents_with_terms": blocks.documents_with_terms,
        "tokens": blocks.tokens,
        "terms": len(blocks.vocabulary),
    }
    write_manifest(place, facts)


def _write_documents(documents: Iterable[Document], place: Path, blocks: _Blocks) -> list[bytes]:
    """Store the documents, hand their words to `blocks`, and return their ids."""
    ids: list[bytes] = []
    with (
        ArrayWriter(array_path(place, "documents"), "|u1") as stored,
        ArrayWriter(array_path(place, "document_starts"), "<i8") as starts,
        ArrayWriter(array_path(place, "lengths"), "|u1") as lengths,
    ):
        starts.append([0])
        for document in documents:
            if not isinstance(document, Document):
                raise TypeError(f"documents must be Document objects, got {document!r}")
            if len(ids) == _MOST_DOCUMENTS:
                raise ValueError(f"documents must be at most {_MOST_DOCUMENTS}")
            # A corpus may hold half of a surrogate pair; it is kept as it is.
            ids.append(document.id.encode("utf-8", "surrogatepass"))
            fields = [document.id, document.title, document.text]
            record = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
            stored.append(record.encode("utf-8", "surrogatepass"))
            starts.append([stored.count])
            blocks.add(document.contents)
            if blocks.full:
                lengths.append(blocks.flush())
        lengths.append(blocks.flush())
    return ids


class _Blocks:
    """Postings of the documents added so far: the newest in memory, the others on disk."""

    def __init__(self, place: Path) -> None:
        place.mkdir()
        self.place = place
        self.vocabulary: dict[str, int] = {}
        self.count = 0
        self.tokens = 0
        self.documents_with_terms = 0
        self.largest_frequency = 0
        self._rows_of_words = _RowsOfWords(self.vocabulary)
        self._rows = array("i")
        self._ends = array("q")
        self._first_document = 0

    @property
    def full(self) -> bool:
        """Whether it is time to flush."""
        return len(self._rows) >= _BLOCK_TERMS

    def add(self, text: str) -> None:
        """Count the terms of the next document."""
        self._rows.extend(chain.from_iterable(map(self._rows_of_words.__getitem__, words(text))))
        self._ends.append(len(self._rows))

    def flush(self) -> npt.NDArray[np.uint8]:
        """Write the newest block and return the length codes of its documents."""
        rows = np.array(self._rows, dtype=np.int64)
        ends = np.array([0, *self._ends], dtype=np.int64)
        lengths: _Ints = ends[1:] - ends[:-1]
        numbers = np.arange(self._first_document, self._first_document + len(lengths))
        keys = (rows << 32) | np.repeat(numbers, lengths)
        keys, frequencies = np.unique(keys, return_counts=True)
        self._save("rows", rows := keys >> 32, np.int32)
        self._save("postings", keys & 0xFFFFFFFF, np.int32)
        self._save("frequencies", frequencies, np.int32)
        self.count += 1
        self.tokens += int(lengths.sum())
        self.documents_with_terms += int(np.count_nonzero(lengths))
        self.largest_frequency = max(self.largest_frequency, int(frequencies.max(initial=0)))
        self._first_document += len(lengths)
        self._rows, self._ends = array("i"), array("q")
        self._rows_of_words.forget()
        codes = np.searchsorted(LENGTHS, lengths, side="right") - 1
        return codes.astype(np.uint8)

    def read(self, block: int, name: str) -> npt.NDArray[np.int32]:
        """An array of a block, by memory map."""
        values: npt.NDArray[np.int32] = np.load(self._path(block, name), mmap_mode="r")
        return values

    def _save(self, name: str, values: _Ints, dtype: type[np.int32]) -> None:
        np.save(self._path(self.count, name), values.astype(dtype))

    def _path(self, block: int, name: str) -> Path:
        return self.place / f"{name}-{block}.npy"


class _RowsOfWords(dict[str, tuple[int, ...]]):
    """The rows of a word's terms, remembered: a word is analysed once and then looked up."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        super().__init__()
        self._vocabulary = vocabulary

    def __missing__(self, word: str) -> tuple[int, ...]:
        vocabulary = self._vocabulary
        rows = tuple(vocabulary.setdefault(t, len(vocabulary)) for t in terms_of_word(word))
        self[word] = rows
        return rows

    def forget(self) -> None:
        """Start over where the memory has grown large; numbers, say, never repeat."""
        if len(self) > _MOST_REMEMBERED_WORDS:
            self.clear()


def _write_ranks(ids: list[bytes], place: Path) -> None:
    """Lucene orders ids by their bytes."""
    order = sorted(range(len(ids)), key=ids.__getitem__)
    for one, other in pairwise(order):
        if ids[one] == ids[other]:
            name = ids[one].decode("utf-8", "surrogatepass")
            raise ValueError(f"documents must have distinct ids, got {name!r} twice")
    ranks = np.empty(len(ids), dtype=np.int32)
    ranks[order] = np.arange(len(ids), dtype=np.int32)
    with ArrayWriter(array_path(place, "ranks"), "<i4") as writer:
        writer.append(ranks)


def _write_vocabulary(vocabulary: dict[str, int], place: Path) -> None:
    # Python orders strings by code point, which is the order of their UTF-8 bytes.
    with (
        ArrayWriter(array_path(place, "terms"), "|u1") as terms,
        ArrayWriter(array_path(place, "term_starts"), "<i8") as starts,
        ArrayWriter(array_path(place, "term_rows"), "<i4") as rows,
    ):
        starts.append([0])
        for term in sorted(vocabulary):
            terms.append(term.encode("utf-8"))
            starts.append([terms.count])
            rows.append([vocabulary[term]])


def _merge(blocks: _Blocks, place: Path) -> None:
    """Join the blocks: the postings of each term in one piece, documents ascending."""
    counts = np.zeros(len(blocks.vocabulary), dtype=np.int64)
    for block in range(blocks.count):
        rows = blocks.read(block, "rows")
        counts += np.bincount(rows, minlength=len(counts))
    starts = np.concatenate(([0], np.cumsum(counts)))
    narrow = blocks.largest_frequency <= np.iinfo(np.uint8).max
    with (
        ArrayWriter(array_path(place, "posting_starts"), "<i8") as posting_starts,
        ArrayWriter(array_path(place, "postings"), "<i4") as postings,
        ArrayWriter(array_path(place, "frequencies"), "|u1" if narrow else "<i4") as frequencies,
    ):
        posting_starts.append(starts)
        low = 0
        while low < len(counts):
            end = np.searchsorted(starts, starts[low] + _MERGED_POSTINGS, side="right") - 1
            high = max(low + 1, int(end))
            for writer, values in zip(
                (postings, frequencies), _merged(blocks, low, high), strict=True
            ):
                writer.append(values)
            low = high


def _merged(blocks: _Blocks, low: int, high: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Postings and frequencies of the terms in rows low to high."""
    rows, postings, frequencies = [], [], []
    for block in range(blocks.count):
        block_rows = blocks.read(block, "rows")
        part = slice(*np.searchsorted(block_rows, [low, high]))
        rows.append(np.array(block_rows[part]))
        postings.append(np.array(blocks.read(block, "postings")[part]))
        frequencies.append(np.array(blocks.read(block, "frequencies")[part]))
    # Stable: blocks follow one another in the order of documents.
    order = np.argsort(np.concatenate(rows), kind="stable")
    return np.concatenate(postings)[order], np.concatenate(frequencies)[order]
