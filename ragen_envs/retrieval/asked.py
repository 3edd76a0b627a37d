"""Requests to a search server: the three protocols told apart, checked, and answered in kind."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ragen_envs.retrieval.protocol import MOST_HITS, Hit

MOST_QUERIES = 1000
_SIZE_KEYS = ("topk", "top_k", "k")


class BadRequest(ValueError):
    """A request that cannot be answered; says why."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, checked.

    Attributes:
        queries: What to search for; one with "query".
        k: Hits per query.
        scores: Whether documents are nested beside their scores.
        flat: Whether the answer is RAGEN's: `results` of one query.
    """

    queries: tuple[str, ...]
    k: int
    scores: bool
    flat: bool

    def answer(self, found: Sequence[Sequence[Hit]]) -> dict[str, Any]:
        """The JSON object that this protocol expects.

        Args:
            found: The hits of each query.
        """
        if self.flat:
            results = [
                {"id": hit.id, "content": hit.contents, "score": hit.score} for hit in found[0]
            ]
            return {
                "query": self.queries[0],
                "method": "bm25",
                "results": results,
                "num_results": len(results),
            }
        return {"result": [[self._document(hit) for hit in hits] for hits in found]}

    def _document(self, hit: Hit) -> dict[str, Any]:
        document = {"id": hit.id, "contents": hit.contents, "title": hit.title, "text": hit.text}
        return {"document": document, "score": hit.score} if self.scores else document


def parse_request(data: bytes, default_k: int) -> Asked:
    """The request in a body.

    `queries` is Search-R1's; `query` with `topk` or `return_scores` is SkyRL's; any other `query`
    is RAGEN's and rLLM's.

    Args:
        data: The body.
        default_k: Hits per query where the request does not say.

    Raises:
        BadRequest: It is none of these.
    """
    try:
        body: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"the body must be JSON: {error}") from error
    if not isinstance(body, dict):
        raise BadRequest(f"the body must be a JSON object, got {type(body).__name__}")
    scores = body.get("return_scores")
    if scores is not None and not isinstance(scores, bool):
        raise BadRequest(f"return_scores must be true or false, got {scores!r}")
    queries = _queries(body)
    flat = "query" in body and "topk" not in body and "return_scores" not in body
    return Asked(queries, _size(body, default_k), bool(scores), flat)


def _queries(body: dict[str, Any]) -> tuple[str, ...]:
    if ("queries" in body) == ("query" in body):
        keys = sorted(body)[:10]
        raise BadRequest(f"the body must have either 'queries' or 'query', its keys are {keys}")
    if "query" in body:
        if not isinstance(body["query"], str):
            raise BadRequest(f"query must be a string, got {type(body['query']).__name__}")
        return (body["query"],)
    queries = body["queries"]
    if not isinstance(queries, list) or not all(isinstance(query, str) for query in queries):
        raise BadRequest("queries must be a list of strings")
    if len(queries) > MOST_QUERIES:
        raise BadRequest(f"queries must be at most {MOST_QUERIES}, got {len(queries)}")
    return tuple(queries)


def _size(body: dict[str, Any], default_k: int) -> int:
    for key in _SIZE_KEYS:
        size = body.get(key)
        if size is None:
            continue
        if not isinstance(size, int) or isinstance(size, bool) or not 1 <= size <= MOST_HITS:
            raise BadRequest(f"{key} must be an integer in [1, {MOST_HITS}], got {size!r}")
        return size
    return default_k
