"""The answers of search servers: every shape that is in use, as hits.

| server | answer |
|---|---|
| Search-R1, SkyRL | `{"result": [[{"document": {"id", "contents"}, "score"}]]}`, a list per query |
| Search-R1 without scores | `{"result": [[{"id", "contents"}]]}` |
| Search-R1 with BM25 | documents of `{"title", "text", "contents"}` |
| RAGEN | `{"results": [{"id", "content", "score"}]}` |
| rLLM | `{"results": [{"id", "document": {"contents"}, "score"}]}` |
"""

from __future__ import annotations

from typing import Any

from ragen_envs.retrieval.corpus import split_contents
from ragen_envs.retrieval.protocol import Hit

_TEXT_KEYS = ("contents", "content", "text")
_ID_KEYS = ("id", "_id", "doc_id", "docid")


class MalformedAnswer(ValueError):
    """An answer of no known shape, or without text; says what was seen."""


def hits_of_answer(answer: Any, queries: int) -> list[list[Hit]]:
    """The hits of each query.

    Args:
        answer: A server's JSON, parsed.
        queries: How many were asked.

    Raises:
        MalformedAnswer: The shape is unknown, lists are missing, or all documents of a query are
            empty.
    """
    lists = _lists(answer, queries)
    if len(lists) != queries:
        raise MalformedAnswer(
            f"{queries} queries need as many lists of documents, got {len(lists)}"
        )
    return [_hits(documents) for documents in lists]


def _lists(answer: Any, queries: int) -> list[Any]:
    """The list of documents of each query."""
    found = answer
    if isinstance(answer, dict):
        found = next((answer[key] for key in ("result", "results") if key in answer), None)
    if not isinstance(found, list):
        raise MalformedAnswer(
            f"the answer must hold a list as 'result' or 'results', got {_shape(answer)}"
        )
    nested = all(isinstance(item, list) for item in found)
    if not nested and any(isinstance(item, list) for item in found):
        raise MalformedAnswer(f"the answer mixes documents and lists of them: {_shape(answer)}")
    # [] is no list of one query's documents where one query was asked, but its empty list.
    if nested and (found or queries != 1):
        return found
    return [found]


def _hits(documents: list[Any]) -> list[Hit]:
    hits = [_hit(document, place) for place, document in enumerate(documents, start=1)]
    if hits and not any(hit.text.strip() for hit in hits):
        raise MalformedAnswer(
            f"all {len(hits)} documents of a query are empty; the first one has the shape"
            f" {_shape(documents[0])}, and text is looked for in {list(_TEXT_KEYS)}, at the top or"
            " under 'document'"
        )
    return hits


def _hit(found: Any, place: int) -> Hit:
    if isinstance(found, str):
        found = {"contents": found}
    if not isinstance(found, dict):
        raise MalformedAnswer(f"a document must be an object or a string, got {_shape(found)}")
    inner = found.get("document")
    if isinstance(inner, str):
        inner = {"contents": inner}
    sources = [source for source in (inner, found) if isinstance(source, dict)]
    title = _first(sources, ("title",))
    text = _first(sources, _TEXT_KEYS)
    # `contents` holds the title in quotes; `text` beside a title does not.
    own_title, own_text = split_contents(text)
    if own_title:
        title, text = own_title, own_text
    score = found.get("score", inner.get("score") if isinstance(inner, dict) else None)
    if score is not None and (isinstance(score, bool) or not isinstance(score, (int, float))):
        raise MalformedAnswer(f"a score must be a number, got {score!r}")
    identity = _first(sources, _ID_KEYS) or f"doc_{place}"
    return Hit(identity, None if score is None else float(score), title, text)


def _first(sources: list[dict[str, Any]], keys: tuple[str, ...]) -> str:
    """The first non-empty string, or whole number, under one of the keys; else empty."""
    for source in sources:
        for key in keys:
            value = source.get(key)
            if isinstance(value, str) and value.strip():
                return value
            if isinstance(value, int) and not isinstance(value, bool):
                return str(value)
    return ""


def _shape(value: Any, depth: int = 3) -> str:
    """Keys and types of a JSON value, without its texts: {id: str, document: {contents: str}}."""
    if isinstance(value, dict) and depth:
        items = list(value.items())[:10]
        return "{" + ", ".join(f"{key}: {_shape(item, depth - 1)}" for key, item in items) + "}"
    if isinstance(value, list) and depth:
        return f"[{len(value)} x {_shape(value[0], depth - 1)}]" if value else "[]"
    return type(value).__name__
