"""The best documents of a query, from the postings of its terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_PIECE = 64
_COMMON = 4  # a term in more than one of so many documents is common
_FEW = 8  # one of so many documents is few enough to look up in the postings of common terms
_SLACK = 1 + 1e-6  # sums are in float64, weights in float32

Numbers = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Postings:
    """One term of a query.

    Attributes:
        documents: Numbers of the documents that hold it, ascending, shape (n,).
        frequencies: How often they do, shape (n,).
        weight: What it adds to a score at most.
    """

    documents: Numbers
    frequencies: Numbers
    weight: np.float32

    def added(self, steepness: Floats, places: Numbers | slice = slice(None)) -> Floats:
        """What it adds to the scores of the documents at some places of `documents`.

        Args:
            steepness: Of each document: see BM25Index.
            places: All by default.
        """
        added: Floats = steepness.take(self.documents[places])
        added *= self.frequencies[places]
        added += np.float32(1)
        np.divide(self.weight, added, out=added)
        np.subtract(self.weight, added, out=added)
        return added


def best(
    terms: Sequence[Postings], steepness: Floats, ranks: Numbers, k: int
) -> tuple[Numbers, Floats]:
    """Numbers and scores of the `k` best documents, best first; ties by rank.

    Common terms are many postings and little weight. Where the rare ones alone put `k` documents
    above all that the common ones could add, only documents near those are looked up in the
    postings of the common ones (MaxScore: Turtle and Flood, "Query evaluation: strategies and
    optimizations", 1995). The result is the same.

    Args:
        terms: At least one.
        steepness: Of each document, shape (documents,).
        ranks: Of each document among all ids, shape (documents,).
        k: At least 1.
    """
    size = len(steepness)
    rare = [term for term in terms if len(term.documents) * _COMMON <= size]
    common = [term for term in terms if len(term.documents) * _COMMON > size]
    if rare and common:
        total = _total(rare, steepness)
        near = _near(total, float(sum(term.weight for term in common)) * _SLACK, k)
        if near is not None:
            scores = _looked_up(total[near], near, common, steepness)
            first = _first(scores, ranks[near], k)
            return near[first], scores[first]
        total += _total(common, steepness)
    else:
        total = _total(terms, steepness)
    # Added up in float64 and rounded once, as Lucene's disjunction does.
    scores = total.astype(np.float32)
    found = np.flatnonzero(scores >= _bar(scores, k))
    first = _first(scores[found], ranks[found], k)
    return found[first], scores[found[first]]


def _total(terms: Sequence[Postings], steepness: Floats) -> npt.NDArray[np.float64]:
    """The scores of all documents from some terms, shape (documents,)."""
    total = np.zeros(len(steepness))
    for term in terms:
        # A term names a document once, so += adds all; numpy indexes fastest by its own integers.
        total[term.documents.astype(np.intp)] += term.added(steepness)
    return total


def _near(total: npt.NDArray[np.float64], more: float, k: int) -> Numbers | None:
    """The documents that can be among the best if each may still win `more`; None for too many."""
    bar = _bar(total, k) / _SLACK
    if bar <= more:
        return None
    near = np.flatnonzero(total >= bar - more)
    return near if len(near) * _FEW <= len(total) else None


def _looked_up(
    total: npt.NDArray[np.float64], near: Numbers, terms: Sequence[Postings], steepness: Floats
) -> Floats:
    """Scores of some documents: `total` and what `terms` add."""
    for term in terms:
        places = np.searchsorted(term.documents, near.astype(term.documents.dtype))
        places = np.minimum(places, len(term.documents) - 1)
        holding = np.flatnonzero(term.documents[places] == near)
        total[holding] += term.added(steepness, places[holding])
    return total.astype(np.float32)


def _bar(scores: npt.NDArray[np.floating], k: int) -> float:
    """A positive score that at least `k` documents reach, if `k` have one; close to the k-th best.

    It is the k-th best of the maxima of pieces: far fewer numbers to look through than all scores.
    """
    least = float(np.finfo(np.float32).tiny)
    pieces = len(scores) // _PIECE
    if pieces < k:
        return least
    maxima = scores[: pieces * _PIECE].reshape(pieces, _PIECE).max(axis=1)
    return max(least, float(np.partition(maxima, -k)[-k]))


def _first(scores: Floats, ranks: Numbers, k: int) -> Numbers:
    """Places of the `k` best scores, best first; ties by rank."""
    places = np.arange(len(scores))
    if len(scores) > k:
        last = np.partition(scores, -k)[-k]
        above, level = np.flatnonzero(scores > last), np.flatnonzero(scores == last)
        # A common word alone may put thousands of documents on the last place's score.
        wanted = k - len(above)
        chosen = np.argpartition(ranks[level], wanted - 1)[:wanted]
        places = np.concatenate((above, level[chosen]))
    order = np.lexsort((ranks[places], -scores[places]))
    return places[order]
