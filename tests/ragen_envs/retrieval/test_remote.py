"""The client against servers that answer in every known shape, or fail in every known way."""

from __future__ import annotations

import copy
import gzip
import json
import pickle
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from ragen_envs.core import ServiceError
from ragen_envs.retrieval import Hit, RemoteRetriever, RetrievalError
from ragen_envs.retrieval.shapes import MalformedAnswer, hits_of_answer

Reply = Callable[[BaseHTTPRequestHandler, Any], None]

TITLED = '"Kafka"\nborn in Prague'
KAFKA = Hit("7", 1.5, "Kafka", "born in Prague")


class Server(ThreadingHTTPServer):
    """A real server whose answers are a function, and which keeps the bodies it was sent."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.bodies: list[Any] = []
        self.connections = 0
        super().__init__(("127.0.0.1", 0), Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections += 1
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the tests."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self.server.reply(self, None)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(body)
        self.server.reply(self, body)

    def log_message(self, *arguments: Any) -> None:
        pass


def send(handler: BaseHTTPRequestHandler, answer: Any, status: int = 200) -> None:
    data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


@contextmanager
def serving(reply: Reply) -> Iterator[tuple[Server, str]]:
    with Server(reply) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def answering(answer: Any, status: int = 200) -> Reply:
    return lambda handler, body: send(handler, answer, status)


@contextmanager
def client(reply: Reply, **arguments: Any) -> Iterator[tuple[RemoteRetriever, Server]]:
    with serving(reply) as (server, url):
        retriever = RemoteRetriever(url, **{"backoff": 0.0, "timeout": 20.0, **arguments})
        yield retriever, server
        retriever.close()


SHAPES = {
    "search-r1": {"result": [[{"document": {"id": "7", "contents": TITLED}, "score": 1.5}]]},
    "search-r1, document a string": {"result": [[{"document": TITLED, "score": 1.5, "id": "7"}]]},
    "search-r1 bm25": {
        "result": [
            [
                {
                    "document": {
                        "id": 7,
                        "title": "Kafka",
                        "text": "born in Prague",
                        "contents": TITLED,
                    },
                    "score": 1.5,
                }
            ]
        ]
    },
    "title and text": {
        "result": [[{"id": "7", "title": "Kafka", "text": "born in Prague", "score": 1.5}]]
    },
    "ragen": {
        "query": "q",
        "method": "dense",
        "results": [{"id": "7", "content": TITLED, "score": 1.5}],
        "num_results": 1,
    },
    "rllm": {"results": [{"id": "7", "document": {"contents": TITLED}, "score": 1.5}]},
    "rllm, the id inside": {
        "results": [{"document": {"id": "7", "content": TITLED}, "score": 1.5}]
    },
    "a bare list of lists": [[{"_id": "7", "contents": TITLED, "score": 1.5}]],
    "a bare list": [{"docid": "7", "contents": TITLED, "score": 1.5}],
}


@pytest.mark.parametrize("protocol", ["search-r1", "skyrl", "rllm"])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_understood_under_every_protocol(shape: str, protocol: str):
    with client(answering(SHAPES[shape]), protocol=protocol) as (retriever, _):
        assert retriever.search(["who"], 3) == [[KAFKA]]


def test_documents_without_scores_have_none():
    assert hits_of_answer({"result": [[{"id": "7", "contents": "x"}]]}, 1) == [
        [Hit("7", None, "", "x")]
    ]
    assert hits_of_answer({"result": [["plain text"]]}, 1) == [
        [Hit("doc_1", None, "", "plain text")]
    ]


def test_no_documents_are_no_error():
    assert hits_of_answer({"result": [[], []]}, 2) == [[], []]
    assert hits_of_answer({"result": [[]]}, 1) == [[]]
    assert hits_of_answer({"results": []}, 1) == [[]]


def test_one_empty_document_among_others_is_no_error():
    answer = {"results": [{"id": "1", "content": ""}, {"id": "2", "content": "x"}]}
    assert [hit.text for hit in hits_of_answer(answer, 1)[0]] == ["", "x"]


@pytest.mark.parametrize(
    ("protocol", "bodies"),
    [
        ("search-r1", [{"queries": ["a", "b"], "topk": 2, "return_scores": True}]),
        (
            "skyrl",
            [
                {"query": "a", "topk": 2, "return_scores": True},
                {"query": "b", "topk": 2, "return_scores": True},
            ],
        ),
        ("rllm", [{"query": "a", "top_k": 2}, {"query": "b", "top_k": 2}]),
    ],
)
def test_requests_are_those_of_the_protocol_and_batches_keep_their_order(protocol, bodies):
    def echo(handler: BaseHTTPRequestHandler, body: Any) -> None:
        asked = body.get("queries") or [body["query"]]
        assert handler.path == "/retrieve"
        assert handler.headers["X-Token"] == "t"
        time.sleep(0.05 if asked[0] == "a" else 0)
        send(handler, {"result": [[{"id": q, "contents": q} for _ in range(5)] for q in asked]})

    with client(echo, protocol=protocol, headers={"X-Token": "t"}) as (retriever, server):
        found = retriever.search(["a", "b"], 2)
        assert [[hit.id for hit in hits] for hits in found] == [["a", "a"], ["b", "b"]]
        assert sorted(map(json.dumps, server.bodies)) == sorted(map(json.dumps, bodies))
        assert retriever.search([], 2) == []


def test_connections_are_reused_and_bounded():
    def echo(handler: BaseHTTPRequestHandler, body: Any) -> None:
        send(handler, {"results": [{"id": body["query"], "content": "x"}]})

    with client(echo, protocol="rllm", connections=4) as (retriever, server):
        asked = [str(n) for n in range(60)]
        for _ in range(3):
            found = retriever.search(asked, 1)
            assert [hits[0].id for hits in found] == asked
        assert server.connections <= 4


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_server_that_recovers_is_asked_again(status: int):
    def recovering(handler: BaseHTTPRequestHandler, body: Any) -> None:
        failing = len(handler.server.bodies) < 3
        send(handler, {"error": "busy"} if failing else SHAPES["ragen"], status if failing else 200)

    with client(recovering) as (retriever, server):
        assert retriever.search_one("who") == [KAFKA]
        assert len(server.bodies) == 3


@pytest.mark.parametrize(("retries", "tries"), [(0, 1), (2, 3)])
def test_a_server_that_stays_broken_is_given_up_after_the_retries(retries: int, tries: int):
    with client(answering({"error": "out of memory"}, 500), retries=retries) as (retriever, server):
        with pytest.raises(RetrievalError, match=r"failed after .*status 500: .*out of memory"):
            retriever.search_one("who")
        assert len(server.bodies) == tries


@pytest.mark.parametrize("status", [400, 404, 422, 302])
def test_a_refusal_is_not_tried_again_and_shows_the_reason(status: int):
    with client(answering({"error": "no topk"}, status)) as (retriever, server):
        with pytest.raises(RetrievalError, match=f"status {status}: .*no topk"):
            retriever.search_one("who")
        assert len(server.bodies) == 1


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"", "must answer with JSON"),
        (b"<html>It works!</html>", "must answer with JSON, got '<html>It works"),
        (b"\xff\xfe", "must answer with JSON"),
        (b"[" * 100_000, "must answer with JSON"),
        (b"null", "must hold a list as 'result' or 'results', got NoneType"),
        ({"error": "index not loaded"}, r"got \{error: str\}"),
        ({"result": None}, r"got \{result: NoneType\}"),
        ({"results": {"7": "x"}}, r"got \{results: \{7: str\}\}"),
        ({"result": [[], []]}, "1 queries need as many lists of documents, got 2"),
        ({"result": [[7]]}, "a document must be an object or a string, got int"),
        ({"result": [[{"id": "7", "contents": "x", "score": "high"}]]}, "score must be a number"),
        ({"result": [[], {"id": "7"}]}, "mixes documents and lists"),
        (
            {"results": [{"id": "doc_1", "score": 0.8, "passage": "text"}, {"id": "doc_2"}]},
            r"all 2 documents of a query are empty; .* shape \{id: str, score: float, passage: str",
        ),
        (
            {"result": [[{"document": {"body": "text"}, "score": 0.8}]]},
            r"all 1 documents .* shape \{document: \{body: str\}, score: float\}",
        ),
        ({"results": [{"id": "1", "content": " \n"}]}, "all 1 documents of a query are empty"),
    ],
)
def test_an_answer_without_documents_text_is_an_error_that_names_what_came(answer, reason):
    with client(answering(answer)) as (retriever, server):
        with pytest.raises(RetrievalError, match=reason):
            retriever.search_one("who")
        assert len(server.bodies) == 1


def test_lists_missing_from_a_batch_are_an_error():
    with pytest.raises(MalformedAnswer, match="2 queries need as many lists of documents, got 1"):
        hits_of_answer({"result": [[{"contents": "x"}]]}, 2)
    with pytest.raises(MalformedAnswer, match="2 queries need"):
        hits_of_answer({"results": [{"content": "x"}, {"content": "y"}]}, 2)


@pytest.mark.parametrize("bytes_first", [0, 10])
def test_a_server_that_hangs_is_a_timeout(bytes_first: int):
    release = threading.Event()

    def hanging(handler: BaseHTTPRequestHandler, body: Any) -> None:
        if bytes_first:
            handler.send_response(200)
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
            handler.wfile.write(b"[" * bytes_first)
        release.wait(30)
        handler.close_connection = True

    with client(hanging, timeout=0.2, retries=1) as (retriever, server):
        start = time.monotonic()
        with pytest.raises(RetrievalError, match="failed after 2 tries"):
            retriever.search_one("who")
        assert time.monotonic() - start < 15
        assert len(server.bodies) == 2
        release.set()


@pytest.mark.parametrize("chunked", [False, True])
def test_a_server_that_drips_is_a_timeout_too(chunked: bool):
    stop = threading.Event()

    def dripping(handler: BaseHTTPRequestHandler, body: Any) -> None:
        handler.send_response(200)
        name, value = ("Transfer-Encoding", "chunked") if chunked else ("Content-Length", "9999")
        handler.send_header(name, value)
        handler.end_headers()
        while not stop.wait(0.05):
            handler.wfile.write(b"1\r\n \r\n" if chunked else b" ")
        handler.close_connection = True

    with client(dripping, timeout=0.5, retries=0) as (retriever, _):
        start = time.monotonic()
        with pytest.raises(RetrievalError, match="failed after 1 try: timeout: "):
            retriever.search_one("who")
        assert time.monotonic() - start < 15
        stop.set()


@pytest.mark.parametrize("whole", [True, False])
def test_a_compressed_answer_is_unpacked_and_a_spoilt_one_is_an_error(whole: bool):
    def packing(handler: BaseHTTPRequestHandler, body: Any) -> None:
        data = gzip.compress(json.dumps(SHAPES["ragen"]).encode())
        data = data if whole else b"no gzip" + data
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip")
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    with client(packing, retries=0) as (retriever, _):
        if whole:
            assert retriever.search_one("who") == [KAFKA]
        else:
            with pytest.raises(RetrievalError, match="broke off"):
                retriever.search_one("who")


def test_a_large_answer_is_read_whole_and_an_endless_one_is_refused(monkeypatch):
    large = {"results": [{"id": "7", "content": "x" * 3_000_000}]}
    with client(answering(large), retries=0) as (retriever, _):
        assert len(retriever.search_one("who")[0].text) == 3_000_000
        monkeypatch.setattr("ragen_envs.retrieval.remote._MOST_BYTES", 100_000)
        with pytest.raises(RetrievalError, match="sent more than 100000 bytes"):
            retriever.search_one("who")


def test_a_slow_answer_within_the_timeout_is_taken():
    def slow(handler: BaseHTTPRequestHandler, body: Any) -> None:
        time.sleep(0.3)
        send(handler, SHAPES["ragen"])

    with client(slow) as (retriever, server):
        assert retriever.search_one("who") == [KAFKA]
        assert len(server.bodies) == 1


def test_an_answer_that_breaks_off_is_tried_again_and_never_a_short_list():
    def breaking(handler: BaseHTTPRequestHandler, body: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"results": []}')
        handler.close_connection = True

    with client(breaking, retries=1) as (retriever, server):
        with pytest.raises(RetrievalError, match=r"failed after 2 tries: .*broke"):
            retriever.search_one("who")
        assert len(server.bodies) == 2


def test_a_refused_connection_is_an_error_of_the_service():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # not listening
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        retriever = RemoteRetriever(url, backoff=0, retries=1)
        with pytest.raises(ServiceError, match="failed after 2 tries: ConnectionError"):
            retriever.search_one("who")
        retriever.close()


def test_waits_between_tries_grow_and_vary(monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr("ragen_envs.retrieval.remote.time.sleep", waits.append)
    with client(answering({}, 503), retries=6, backoff=1.0) as (retriever, _):
        with pytest.raises(RetrievalError):
            retriever.search_one("who")
    assert len(waits) == len(set(waits)) == 6
    assert all(0 <= wait <= 2**n for n, wait in enumerate(waits))


def test_one_failed_query_fails_the_batch():
    def partly(handler: BaseHTTPRequestHandler, body: Any) -> None:
        send(handler, SHAPES["ragen"], 400 if body["query"] == "bad" else 200)

    with client(partly, protocol="rllm") as (retriever, _), pytest.raises(RetrievalError):
        retriever.search(["good", "bad", "good"], 1)


def test_health_is_what_the_server_says():
    def healthy(handler: BaseHTTPRequestHandler, body: Any) -> None:
        assert handler.path == "/health"
        send(handler, {"status": "healthy", "corpus_size": 3})

    with client(healthy) as (retriever, _):
        assert retriever.health()["corpus_size"] == 3
    with client(answering([1])) as (retriever, _), pytest.raises(RetrievalError, match="an object"):
        retriever.health()
    with client(answering({}, 404)) as (retriever, _), pytest.raises(RetrievalError, match="404"):
        retriever.health()


def test_copies_share_connections_and_pickles_hold_arguments():
    with client(answering(SHAPES["ragen"]), protocol="rllm") as (retriever, _):
        retriever.search_one("who")
        assert copy.deepcopy(retriever) is retriever
        restored = pickle.loads(pickle.dumps(retriever))
        assert restored.search_one("who") == [KAFKA]
        assert (restored.url, restored.protocol) == (retriever.url, "rllm")
        restored.close()


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("http://h:8000", "http://h:8000/retrieve"),
        ("http://h:8000/", "http://h:8000/retrieve"),
        ("https://h/search", "https://h/search"),
    ],
)
def test_the_path_is_added_where_the_url_has_none(url: str, wanted: str):
    assert RemoteRetriever(url).url == wanted


@pytest.mark.parametrize(
    ("arguments", "error", "rule"),
    [
        ({"url": "localhost:8000"}, ValueError, "url must be an http:// or https:// URL"),
        ({"url": "http://"}, ValueError, "url must be"),
        ({"url": "http://h:x"}, ValueError, "url must be"),
        ({"url": None}, TypeError, "url must be a str"),
        ({"protocol": "grpc"}, ValueError, "protocol must be one of"),
        ({"timeout": 0}, ValueError, "timeout must be in"),
        ({"timeout": None}, TypeError, "timeout must be a number"),
        ({"retries": -1}, ValueError, "retries must be in"),
        ({"backoff": 61}, ValueError, "backoff must be in"),
        ({"connections": 0}, ValueError, "connections must be in"),
    ],
)
def test_wrong_arguments_name_the_rule(arguments, error, rule):
    with pytest.raises(error, match=rule):
        RemoteRetriever(**{"url": "http://h", **arguments})


def test_wrong_arguments_of_search_name_the_rule():
    with pytest.raises(TypeError, match="queries must be a sequence of strings"):
        RemoteRetriever("http://h").search("who", 1)
    with pytest.raises(ValueError, match="k must be in"):
        RemoteRetriever("http://h").search(["who"], 0)
