"""BM25Index: ranks documents exactly as Lucene does under Anserini."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ragen_envs.arguments import check_number
from ragen_envs.retrieval.analysis import analyse
from ragen_envs.retrieval.builder import build_index
from ragen_envs.retrieval.corpus import Document
from ragen_envs.retrieval.files import array_path, manifest_path, open_arrays
from ragen_envs.retrieval.lengths import LENGTHS
from ragen_envs.retrieval.protocol import Hit, RetrievalError, check_search
from ragen_envs.retrieval.scoring import Postings, best

K1, B = 0.9, 0.4


class BM25Index:
    """An inverted index on disk, opened by memory map.

    A term t that stands f times in a document of length l adds, in float32,

        w - w / (1 + f / (k1 * (1 - b + b * l / mean length))),
        w = (times t stands in the query) * ln(1 + (N - n + 0.5) / (n + 0.5)),

    where n of the N documents with a term hold t, and l is rounded down to Lucene's one-byte code.
    Equal scores are ordered by id. Source: Robertson and Zaragoza, "The Probabilistic Relevance
    Framework: BM25 and Beyond" (2009), as Lucene's BM25Similarity computes it.

    A query reads only the postings of its terms and the documents it returns; threads and forked
    workers share one index. Deep copies are the index itself, and a pickle holds the arguments.

    Args:
        directory: What `BM25Index.build` has written.
        k1: How soon repeats of a term stop counting, in [0, 1000]; Anserini's default.
        b: How much long documents are held back, in [0, 1]; Anserini's default.

    Raises:
        RetrievalError: The index is missing, truncated, foreign or of another version.
        TypeError: A parameter is not a number.
        ValueError: A parameter is out of range.
    """

    def __init__(self, directory: str | Path, *, k1: float = K1, b: float = B) -> None:
        _check_parameters(k1, b)
        self.directory = Path(directory).absolute()
        self.k1 = k1
        self.b = b
        manifest, self._arrays = open_arrays(self.directory)
        self._documents_with_terms: int = manifest["documents_with_terms"]
        mean = np.float32(manifest["tokens"] / self._documents_with_terms)
        # By document, not by length code: four bytes each, and one look-up less per posting.
        by_code = _steepness(mean, np.float32(k1), np.float32(b))
        self._steepness = by_code.take(self._arrays["lengths"])
        path = array_path(self.directory, "documents")
        self._texts = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        self._texts_start = path.stat().st_size - len(self._arrays["documents"])
        weakref.finalize(self, os.close, self._texts)
        self._temporary = False

    @classmethod
    def build(
        cls,
        documents: Iterable[Document],
        directory: str | Path,
        *,
        k1: float = K1,
        b: float = B,
    ) -> BM25Index:
        """Write an index of `documents` in one pass, and open it.

        Nothing stands under the name `directory` until the index is complete.

        Args:
            documents: Read once, in memory that does not grow with their text.
            directory: Must not exist yet.
            k1: As of the class.
            b: As of the class.

        Raises:
            ValueError: `directory` exists, an id is there twice, no document has a word, or a
                parameter is out of range.
            TypeError: An element of `documents` is not a Document, or a parameter not a number.
        """
        _check_parameters(k1, b)  # not only after a long build
        build_index(documents, directory)
        return cls(directory, k1=k1, b=b)

    @classmethod
    def temporary(cls, documents: Iterable[Document], *, k1: float = K1, b: float = B) -> BM25Index:
        """An index that lives as long as the object: for a small catalogue, or a test.

        Its files are unlinked at once; the memory map keeps them. It cannot be pickled.

        Args:
            documents: Read once.
            k1: As of the class.
            b: As of the class.

        Raises:
            ValueError: An id is there twice, no document has a word, or a parameter is out of
                range.
            TypeError: An element of `documents` is not a Document, or a parameter not a number.
        """
        place = Path(tempfile.mkdtemp(prefix="ragen-index-"))
        try:
            index = cls.build(documents, place / "index", k1=k1, b=b)
        finally:
            shutil.rmtree(place, ignore_errors=True)
        index._temporary = True
        return index

    def __len__(self) -> int:
        """Number of documents."""
        return len(self._steepness)

    def __deepcopy__(self, memo: dict[int, Any]) -> BM25Index:
        """Itself: an index is shared, read-only data."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Its arguments; who unpickles opens the files, or finds them open."""
        if self._temporary:
            raise TypeError("a temporary index cannot be pickled; build it in a directory")
        return open_index, (str(self.directory), self.k1, self.b)

    def search(self, queries: Sequence[str], k: int = 10) -> list[list[Hit]]:
        """The best `k` documents of each query, best first.

        Args:
            queries: Bags of words: there are no operators. Words that no document holds, and stop
                words, add nothing; a query of nothing else finds nothing.
            k: In [1, 1000].

        Returns:
            One list per query, of at most `k` hits.

        Raises:
            TypeError: `queries` is not a sequence of strings, or `k` not an int.
            ValueError: `k` is out of range.
        """
        check_search(queries, k)
        return [self._found(query, k) for query in queries]

    def search_one(self, query: str, k: int = 10) -> list[Hit]:
        """The best `k` documents of one query; as `search`."""
        return self.search([query], k)[0]

    def document(self, number: int) -> Document:
        """The document that was the `number`-th of the corpus, from 0."""
        starts = self._arrays["document_starts"]
        if not 0 <= number < len(self):
            raise IndexError(f"number must be in [0, {len(self) - 1}], got {number}")
        low, high = int(starts[number]), int(starts[number + 1])
        # Read, not mapped: the kernel maps 64 KiB around each byte that is touched, and a thousand
        # hits would count as all of the text.
        record = os.pread(self._texts, high - low, self._texts_start + low)
        try:
            return Document(*json.loads(record.decode("utf-8", "surrogatepass")))
        except (ValueError, TypeError) as error:
            raise RetrievalError(
                f"{self.directory} has changed: document {number} is broken"
            ) from error

    def _found(self, query: str, k: int) -> list[Hit]:
        counted = Counter(analyse(query)).items()
        rows = [(self._row(term), times) for term, times in counted]
        terms = [self._term(row, times) for row, times in rows if row is not None]
        if not terms:
            return []
        numbers, scores = best(terms, self._steepness, self._arrays["ranks"], k)
        documents = [self.document(number) for number in numbers.tolist()]
        return [
            Hit(document.id, score, document.title, document.text)
            for document, score in zip(documents, scores.tolist(), strict=True)
        ]

    def _term(self, row: int, times: int) -> Postings:
        """A row of the index as a query's term that stands in it so many times."""
        starts = self._arrays["posting_starts"]
        part = slice(int(starts[row]), int(starts[row + 1]))
        holding = part.stop - part.start
        ratio = (self._documents_with_terms - holding + 0.5) / (holding + 0.5)
        weight = np.float32(times) * np.float32(np.log(1 + ratio))
        return Postings(self._arrays["postings"][part], self._arrays["frequencies"][part], weight)

    def _row(self, term: str) -> int | None:
        """The row of a term's postings, by bisection in the file; None for an unknown term."""
        wanted = term.encode("utf-8")
        starts, terms = self._arrays["term_starts"], self._arrays["terms"]
        low, high = 0, len(starts) - 1
        while low < high:
            middle = (low + high) // 2
            found = terms[int(starts[middle]) : int(starts[middle + 1])].tobytes()
            if found == wanted:
                return int(self._arrays["term_rows"][middle])
            if found < wanted:
                low = middle + 1
            else:
                high = middle
        return None


def _check_parameters(k1: float, b: float) -> None:
    check_number("k1", k1, 0, 1000)
    check_number("b", b, 0, 1)


def _steepness(mean: np.float32, k1: np.float32, b: np.float32) -> npt.NDArray[np.float32]:
    """1 / (k1 * (1 - b + b * length / mean)) of each length code, in Lucene's order of float32."""
    one = np.float32(1)
    with np.errstate(divide="ignore"):  # with k1 = 0 a term counts once, however often it stands
        steepness: npt.NDArray[np.float32] = one / (
            k1 * ((one - b) + b * LENGTHS.astype(np.float32) / mean)
        )
    return steepness


def open_index(directory: str | Path, k1: float = K1, b: float = B) -> BM25Index:
    """The index of these arguments, opened once per process; opened anew when it was rebuilt.

    Args:
        directory: As of BM25Index.
        k1: As of BM25Index.
        b: As of BM25Index.

    Raises:
        RetrievalError: The index cannot be opened.
        TypeError: A parameter is not a number.
        ValueError: A parameter is out of range.
    """
    place = Path(directory).absolute()
    try:
        stat = os.stat(manifest_path(place))
    except OSError:
        return BM25Index(place, k1=k1, b=b)  # which says what is wrong
    return _opened(place, stat.st_mtime_ns, stat.st_ino, k1, b)


@lru_cache(maxsize=16)
def _opened(place: Path, changed: int, inode: int, k1: float, b: float) -> BM25Index:
    return BM25Index(place, k1=k1, b=b)
