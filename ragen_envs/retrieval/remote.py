"""RemoteRetriever: a client for the search servers that agents are trained with."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

import numpy as np

from ragen_envs.arguments import check_choice, check_int, check_number
from ragen_envs.retrieval.protocol import Hit, RetrievalError, check_search
from ragen_envs.retrieval.shapes import MalformedAnswer, hits_of_answer

if TYPE_CHECKING:
    import requests

PROTOCOLS = ("search-r1", "skyrl", "rllm")
_WORTH_ANOTHER_TRY = frozenset({429, 500, 502, 503, 504})
_MOST_BYTES = 64 * 2**20
_SHOWN_CHARACTERS = 200


class _Transient(Exception):
    """A failure that another try may get past."""


class RemoteRetriever:
    """Searches on a server; the same protocol as BM25Index.

    "search-r1" sends all queries in one request (`queries`, `topk`, `return_scores`); "skyrl"
    (`query`, `topk`, `return_scores`) and "rllm", which RAGEN's server speaks too (`query`,
    `top_k`), send one request per query, `connections` at a time. Every known shape of an answer is
    understood, whatever the protocol. A connection error, a timeout and the statuses 429, 500, 502,
    503 and 504 are tried again after a wait of random length that doubles each time; all else fails
    at once.

    The HTTP session is made when it is first needed, one per process, so an object may be used
    from threads and after a fork. A deep copy is the object itself; a pickle holds the arguments.

    Args:
        url: Of the server; `/retrieve` is added where it has no path.
        protocol: "search-r1", "skyrl" or "rllm".
        timeout: Seconds that one try may take, in (0, 3600].
        retries: Tries after the first one, in [0, 100].
        backoff: Longest wait before the first retry, seconds, in [0, 60]; doubles, up to 60 s.
        connections: Of the pool, in [1, 256].
        headers: Sent with each request.

    Raises:
        TypeError: An argument is of the wrong type.
        ValueError: An argument is out of range, or `url` is no http(s) URL.
    """

    def __init__(
        self,
        url: str,
        *,
        protocol: str = "search-r1",
        timeout: float = 30.0,
        retries: int = 3,
        backoff: float = 0.5,
        connections: int = 8,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.url = _checked_url(url)
        check_choice("protocol", protocol, PROTOCOLS)
        check_number("timeout", timeout, 0.001, 3600)
        check_int("retries", retries, 0, 100)
        check_number("backoff", backoff, 0, 60)
        check_int("connections", connections, 1, 256)
        self.protocol = protocol
        self.timeout = timeout
        self.retries = retries
        self.backoff = backoff
        self.connections = connections
        self.headers = dict(headers or {})
        self._sessions: dict[int, requests.Session] = {}
        self._lock = threading.Lock()

    def __deepcopy__(self, memo: dict[int, Any]) -> RemoteRetriever:
        """Itself: the connection pool is shared."""
        return self

    def __getstate__(self) -> dict[str, Any]:
        """The arguments."""
        kept = ("url", "protocol", "timeout", "retries", "backoff", "connections", "headers")
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the arguments; connections are made anew."""
        self.__dict__.update(state)
        self._sessions = {}
        self._lock = threading.Lock()

    def search(self, queries: Sequence[str], k: int = 10) -> list[list[Hit]]:
        """The best `k` documents of each query, best first.

        Args:
            queries: Any strings.
            k: In [1, 1000]; a server that returns more is cut to it.

        Returns:
            One list per query.

        Raises:
            RetrievalError: No answer after all tries, a refusal, an answer of no known shape, or
                documents that are all empty.
            TypeError: `queries` is not a sequence of strings, or `k` not an int.
            ValueError: `k` is out of range.
        """
        check_search(queries, k)
        if not queries:
            return []
        if self.protocol == "search-r1":
            body = {"queries": list(queries), "topk": k, "return_scores": True}
            return self._asked(body, len(queries), k)
        if len(queries) == 1:
            return self._asked(self._single(queries[0], k), 1, k)
        with ThreadPoolExecutor(min(self.connections, len(queries))) as pool:
            found = pool.map(lambda query: self._asked(self._single(query, k), 1, k)[0], queries)
            return list(found)

    def search_one(self, query: str, k: int = 10) -> list[Hit]:
        """The best `k` documents of one query; as `search`."""
        return self.search([query], k)[0]

    def health(self) -> dict[str, Any]:
        """What the server says at `/health`.

        Raises:
            RetrievalError: It cannot be reached, or answers with no JSON object; Search-R1's own
                server has no `/health`.
        """
        parts = urlsplit(self.url)
        url = urlunsplit((parts.scheme, parts.netloc, "/health", "", ""))
        answer = self._tried(url, lambda: self._sent("GET", url, None))
        if not isinstance(answer, dict):
            raise RetrievalError(f"{url} must answer with an object, got {_shown(answer)}")
        return answer

    def close(self) -> None:
        """Close this process's connections; the next search opens new ones."""
        with self._lock:
            session = self._sessions.pop(os.getpid(), None)
        if session is not None:
            session.close()

    def _single(self, query: str, k: int) -> dict[str, Any]:
        if self.protocol == "skyrl":
            return {"query": query, "topk": k, "return_scores": True}
        return {"query": query, "top_k": k}

    def _asked(self, body: dict[str, Any], queries: int, k: int) -> list[list[Hit]]:
        answer = self._tried(self.url, lambda: self._sent("POST", self.url, body))
        try:
            return [hits[:k] for hits in hits_of_answer(answer, queries)]
        except MalformedAnswer as error:
            raise RetrievalError(f"{self.url}: {error}") from error

    def _tried(self, url: str, send: Callable[[], Any]) -> Any:
        for attempt in range(self.retries + 1):
            try:
                return send()
            except _Transient as error:
                reason = error
            if attempt < self.retries:
                longest = min(60.0, self.backoff * 2**attempt)
                # Jitter alone, never part of an episode: drawn from the system's entropy.
                time.sleep(float(np.random.default_rng().uniform(0, longest)))
        tries = f"{self.retries + 1} tries" if self.retries else "1 try"
        raise RetrievalError(f"{url} failed after {tries}: {reason}") from reason

    def _sent(self, method: str, url: str, body: dict[str, Any] | None) -> Any:
        """The JSON of one try's answer."""
        import requests

        deadline = time.monotonic() + self.timeout
        try:
            with self._session().request(
                method, url, json=body, headers=self.headers, timeout=self.timeout, stream=True
            ) as response:
                data = _read(response, deadline)
        except requests.RequestException as error:
            if isinstance(error, (requests.ConnectionError, requests.Timeout)):
                raise _Transient(f"{type(error).__name__}: {error}") from error
            raise RetrievalError(f"{url}: {type(error).__name__}: {error}") from error
        return _parsed(url, response.status_code, data)

    def _session(self) -> requests.Session:
        import requests
        from requests.adapters import HTTPAdapter

        with self._lock:
            # Keyed by process: a fork must not write to its parent's connections.
            session = self._sessions.get(os.getpid())
            if session is None:
                session = requests.Session()
                adapter = HTTPAdapter(
                    pool_connections=1, pool_maxsize=self.connections, pool_block=True
                )
                session.mount("http://", adapter)
                session.mount("https://", adapter)
                self._sessions = {os.getpid(): session}
            return session


def _checked_url(url: Any) -> str:
    if not isinstance(url, str):
        raise TypeError(f"url must be a str, got {url!r}")
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname)
        valid = valid and (parts.port is None or parts.port > 0)
    except ValueError:
        valid = False
    if not valid:
        raise ValueError(f"url must be an http:// or https:// URL with a host, got {url!r}")
    return url if parts.path.strip("/") else urlunsplit(parts._replace(path="/retrieve"))


def _read(response: requests.Response, deadline: float) -> bytes:
    """The body, as long as it comes in time: `timeout` of requests bounds each wait only."""
    from urllib3.exceptions import HTTPError

    pieces: list[bytes] = []
    size = 0
    # read1 returns what has come; the one byte for urllib3 1 is slow, but has the same bound.
    read, amount = getattr(response.raw, "read1", None), 2**16
    if read is None:
        read, amount = response.raw.read, 1
    try:
        while piece := read(amount, decode_content=True):
            pieces.append(piece)
            size += len(piece)
            if time.monotonic() > deadline:
                raise _Transient(f"timeout: {size} bytes of the answer came in time")
            if size > _MOST_BYTES:
                raise RetrievalError(f"{response.url} sent more than {_MOST_BYTES} bytes")
    except (HTTPError, OSError) as error:
        raise _Transient(f"the answer broke off: {error}") from error
    return b"".join(pieces)


def _parsed(url: str, status: int, data: bytes) -> Any:
    text = data.decode("utf-8", "replace")
    if status in _WORTH_ANOTHER_TRY:
        raise _Transient(f"status {status}: {_shown(text)}")
    if status != 200:
        raise RetrievalError(f"{url} answered with status {status}: {_shown(text)}")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RetrievalError(f"{url} must answer with JSON, got {_shown(text)}") from error


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return repr(text[:_SHOWN_CHARACTERS])
