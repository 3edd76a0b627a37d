"""Hit, Retriever and RetrievalError: what an index and a search server have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ragen_envs.arguments import check_int
from ragen_envs.core import ServiceError
from ragen_envs.retrieval.corpus import joined

MOST_HITS = 1000


class RetrievalError(ServiceError):
    """An index cannot be opened, or a search server failed; never a search without hits."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One document that a search found.

    Attributes:
        id: The document's id.
        score: Larger is better; None where a server gives none.
        title: Empty where the document has none.
        text: The document without its title.
    """

    id: str
    score: float | None
    title: str
    text: str

    @property
    def contents(self) -> str:
        """Title and text as Search-R1's corpora join them."""
        return joined(self.title, self.text)


class Retriever(Protocol):
    """Anything that finds documents."""

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The best `k` documents of each query, best first.

        Args:
            queries: Any strings.
            k: In [1, 1000].

        Returns:
            One list per query, in order; shorter than `k` where fewer documents match.

        Raises:
            RetrievalError: The search failed; an empty list always means "nothing found".
        """
        ...


def check_search(queries: Any, k: Any) -> None:
    """Raise unless these are arguments of `Retriever.search`.

    Raises:
        TypeError: `queries` is no sequence of strings, or `k` no int.
        ValueError: `k` is out of range.
    """
    if isinstance(queries, str) or not isinstance(queries, Sequence):
        raise TypeError(f"queries must be a sequence of strings, got {queries!r}")
    for query in queries:
        if not isinstance(query, str):
            raise TypeError(f"queries must be a sequence of strings, got {query!r} in it")
    check_int("k", k, 1, MOST_HITS)
