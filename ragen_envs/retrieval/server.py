"""The search server: an index behind the protocols that training systems speak."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import numpy as np

from ragen_envs.arguments import check_int
from ragen_envs.optional import require
from ragen_envs.retrieval.asked import BadRequest, parse_request
from ragen_envs.retrieval.index import BM25Index
from ragen_envs.retrieval.protocol import MOST_HITS, RetrievalError

_MOST_BYTES = 16 * 2**20
_TIMED_REQUESTS = 1000
_DRAIN_SECONDS = 30
_BACKLOG = 2048


def create_app(index: BM25Index, *, default_k: int = 3, workers: int | None = None) -> Any:
    """A FastAPI application over an index.

    `POST /retrieve` (and `/`) speaks the protocols of Search-R1, SkyRL and RAGEN/rLLM: see
    `ragen_envs.retrieval.asked`. A bad request gets status 400 and `{"error": reason}`.
    `GET /health` has `status`, `corpus_size`, `index_type`, `index_loaded`, and of the last
    thousand requests their number and `p95_ms`: queueing and searching, milliseconds.

    Args:
        index: Searched by all requests.
        default_k: Hits per query where a request does not say, in [1, 1000].
        workers: Threads that search, in [1, 256]; None takes the number of processors. Requests
            beyond them wait their turn, in order.

    Raises:
        ImportError: FastAPI is not installed.
        TypeError: An argument is of the wrong type.
        ValueError: An argument is out of range.
    """
    check_int("default_k", default_k, 1, MOST_HITS)
    workers = min(256, os.cpu_count() or 1) if workers is None else workers
    check_int("workers", workers, 1, 256)
    fastapi = require("fastapi", extra="serve")
    pool = ThreadPoolExecutor(workers, thread_name_prefix="search")
    seconds: deque[float] = deque(maxlen=_TIMED_REQUESTS)

    def searched(data: bytes) -> bytes:
        asked = parse_request(data, default_k)
        return _encoded(asked.answer(index.search(asked.queries, asked.k)))

    async def retrieve(request: Any) -> Any:
        start = time.perf_counter()
        try:
            data = await _body(request)
            answer = await asyncio.get_running_loop().run_in_executor(pool, searched, data)
        except BadRequest as error:
            return _response(fastapi, 400, _encoded({"error": str(error)}))
        except RetrievalError as error:
            return _response(fastapi, 500, _encoded({"error": str(error)}))
        seconds.append(time.perf_counter() - start)
        return _response(fastapi, 200, answer)

    async def health(request: Any) -> Any:
        facts: dict[str, Any] = {
            "status": "healthy",
            "corpus_size": len(index),
            "index_type": "bm25",
            "index_loaded": True,
            "timed_requests": len(seconds),
        }
        facts["p95_ms"] = round(float(np.percentile(seconds, 95)) * 1000, 3) if seconds else None
        return _response(fastapi, 200, _encoded(facts))

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        yield
        pool.shutdown()

    app = fastapi.FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    for path in ("/retrieve", "/"):
        app.add_route(path, retrieve, methods=["POST"])
    app.add_route("/health", health, methods=["GET"])
    return app


async def _body(request: Any) -> bytes:
    """The whole body; refused as soon as it is too long."""
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > _MOST_BYTES:
            raise BadRequest(f"the body must have at most {_MOST_BYTES} bytes")
        pieces.append(piece)
    return b"".join(pieces)


def _encoded(answer: dict[str, Any]) -> bytes:
    # In ASCII: a corpus may hold half of a surrogate pair, which UTF-8 cannot.
    return json.dumps(answer).encode("ascii")


def _response(fastapi: Any, status: int, data: bytes) -> Any:
    return fastapi.Response(data, status_code=status, media_type="application/json")


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket that holds an address, to be passed to `run_server`; port 0 takes a free one.

    Connections are refused until it listens, so it may be made before a long build.

    Raises:
        OSError: The address is in use or not of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except BaseException:
        bound.close()
        raise
    return bound


def run_server(app: Any, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT, then finish the requests that have begun and return.

    To be called in the main thread. Requests still running after 30 s are given up.

    Args:
        app: Of `create_app`.
        listening: Of `bound_socket`; closed at the end.
        ready: Called once connections are queued.

    Raises:
        ImportError: uvicorn is not installed.
    """
    uvicorn = require("uvicorn", extra="serve")
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_DRAIN_SECONDS,
    )
    # uvicorn raises the signal again when it has drained; as an exception it can be caught here.
    earlier = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        listening.listen(_BACKLOG)
        ready()
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, earlier)
        listening.close()
