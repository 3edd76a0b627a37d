"""`ragen serve retrieval` as a process, asked over real connections."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import requests
from click.testing import CliRunner

from ragen_envs.retrieval import BM25Index, Document, RemoteRetriever, RetrievalError
from ragen_envs.retrieval.commands import serve

needs_server = pytest.mark.skipif(
    find_spec("fastapi") is None or find_spec("uvicorn") is None,
    reason="needs the server: pip install 'ragen-envs[serve]'",
)

TOPICS = [f"topic{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(200)]
COMMAND = "from ragen_envs.retrieval.commands import serve; serve()"


def documents() -> list[Document]:
    rng = np.random.default_rng(0)
    some = [
        Document(f"d{n:04d}", f"Page {n}", " ".join(rng.choice(TOPICS, size=20)))
        for n in range(1000)
    ]
    return [*some, Document("odd", "Odd \ud800 é", "half \udfff 🙂 surrogate")]


@contextmanager
def running(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The server's process and base URL."""
    everything = [sys.executable, "-c", COMMAND, "retrieval", "--port", "0", *arguments]
    with subprocess.Popen(everything, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            match = re.search(r"http://127\.0\.0\.1:\d+", line)
            assert match, f"no URL in {line!r}"
            yield process, match[0]
        finally:
            process.terminate()
            process.wait(60)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> BM25Index:
    return BM25Index.build(documents(), tmp_path_factory.mktemp("server") / "index")


@pytest.fixture(scope="module")
def url(index: BM25Index) -> Iterator[str]:
    with running("--index", str(index.directory)) as (_, base):
        yield base


def post(url: str, **request: Any) -> tuple[int, Any]:
    with requests.post(url, timeout=60, **request) as response:
        return response.status_code, response.json()


@needs_server
@pytest.mark.parametrize("protocol", ["search-r1", "skyrl", "rllm"])
def test_our_client_gets_the_hits_of_the_index_under_every_protocol(url, index, protocol):
    retriever = RemoteRetriever(url, protocol=protocol, retries=0)
    asked = ["topicaa topicbb", "topicab", "page 7", "unheard of", "surrogate"]
    assert retriever.search(asked, 5) == index.search(asked, 5)
    retriever.close()


@needs_server
def test_search_r1_gets_nested_documents_with_scores_and_flat_ones_without(url, index):
    hit = index.search_one("topicaa", 1)[0]
    document = {"id": hit.id, "contents": hit.contents, "title": hit.title, "text": hit.text}
    body = {"queries": ["topicaa", "unheard"], "topk": 1, "return_scores": True}
    assert post(url + "/retrieve", json=body) == (
        200,
        {"result": [[{"document": document, "score": hit.score}], []]},
    )
    for scores in ({"return_scores": False}, {"return_scores": None}, {}):
        body = {"queries": ["topicaa", "unheard"], "topk": 1, **scores}
        assert post(url + "/retrieve", json=body) == (200, {"result": [[document], []]})


@needs_server
def test_skyrl_gets_one_list_for_its_one_query(url, index):
    body = {"query": "topicaa", "topk": 4, "return_scores": True}
    status, answer = post(url + "/", json=body)
    found = [hit["document"]["id"] for hit in answer["result"][0]]
    assert (status, len(answer["result"])) == (200, 1)
    assert found == [hit.id for hit in index.search_one("topicaa", 4)]


@needs_server
@pytest.mark.parametrize("size", [{"top_k": 2}, {"k": 2}])
def test_ragen_gets_flat_results(url, index, size):
    hits = index.search_one("topicaa", 2)
    assert post(url + "/retrieve", json={"query": "topicaa", **size}) == (
        200,
        {
            "query": "topicaa",
            "method": "bm25",
            "results": [{"id": h.id, "content": h.contents, "score": h.score} for h in hits],
            "num_results": 2,
        },
    )


@needs_server
@pytest.mark.parametrize("size", [{}, {"topk": None}])
def test_three_documents_are_sent_where_a_request_does_not_say(url, size):
    _, answer = post(url + "/retrieve", json={"queries": ["topicaa"], **size})
    assert len(answer["result"][0]) == 3


@needs_server
@pytest.mark.parametrize("body", [{"queries": []}, {"query": ""}, {"queries": [""]}])
def test_nothing_asked_is_nothing_found(url, body):
    status, answer = post(url + "/retrieve", json=body)
    assert status == 200
    assert answer.get("result", answer.get("results")) in ([], [[]])


@needs_server
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "the body must be JSON"),
        (b"{", "the body must be JSON"),
        (b"\xff", "the body must be JSON"),
        (b"[" * 100_000, "the body must be JSON"),
        (b"[]", "must be a JSON object, got list"),
        (b"{}", "must have either 'queries' or 'query'"),
        (b'{"query": "a", "queries": ["a"]}', "must have either"),
        (b'{"query": ["a"]}', "query must be a string, got list"),
        (b'{"query": null}', "query must be a string, got NoneType"),
        (b'{"queries": "a"}', "queries must be a list of strings"),
        (b'{"queries": [1]}', "queries must be a list of strings"),
        (b'{"query": "a", "topk": 0}', r"topk must be an integer in [1, 1000], got 0"),
        (b'{"query": "a", "top_k": 1001}', "top_k must be an integer"),
        (b'{"query": "a", "k": "3"}', "k must be an integer in [1, 1000], got '3'"),
        (b'{"query": "a", "k": true}', "k must be an integer"),
        (b'{"query": "a", "return_scores": 1}', "return_scores must be true or false, got 1"),
        (json.dumps({"queries": ["a"] * 1001}).encode(), "at most 1000, got 1001"),
        (b'"' + b" " * 2**24, "the body must have at most 16777216 bytes"),
    ],
    ids=range(18),
)
def test_a_bad_request_gets_400_and_the_reason(url: str, body: bytes, reason: str):
    status, answer = post(url + "/retrieve", data=body)
    assert status == 400
    assert reason in answer["error"]


@needs_server
def test_the_client_shows_the_reason_of_a_refusal(url):
    retriever = RemoteRetriever(url, protocol="rllm", retries=0)
    with pytest.raises(RetrievalError, match="status 404"):
        RemoteRetriever(url + "/elsewhere", retries=0).search_one("x")
    assert retriever.health()["status"] == "healthy"
    retriever.close()


@needs_server
def test_health_tells_what_is_served_and_how_fast(url, index):
    post(url + "/retrieve", json={"query": "topicaa"})
    with requests.get(url + "/health", timeout=60) as response:
        facts = response.json()
    assert response.status_code == 200
    assert facts["p95_ms"] > 0
    assert facts["timed_requests"] > 0
    wanted = {"status": "healthy", "index_type": "bm25", "index_loaded": True}
    assert {key: facts[key] for key in wanted} == wanted
    assert facts["corpus_size"] == len(index) == 1001


@needs_server
def test_sixty_four_clients_at_once_lose_and_mix_no_answer(url, index):
    pairs = [f"{a} {b}" for a, b in zip(TOPICS, TOPICS[1:] + TOPICS[:1], strict=True)]
    wanted = {pair: index.search_one(pair, 5) for pair in pairs}
    protocols = ("search-r1", "skyrl", "rllm")

    def client(number: int) -> list[float]:
        retriever = RemoteRetriever(url, protocol=protocols[number % 3], retries=0, timeout=60)
        seconds = []
        for turn in range(5):
            asked = [pairs[(number * 5 + turn + n) % len(pairs)] for n in range(2)]
            start = time.perf_counter()
            assert retriever.search(asked, 5) == [wanted[pair] for pair in asked]
            seconds.append(time.perf_counter() - start)
        retriever.close()
        return seconds

    with ThreadPoolExecutor(64) as pool:
        seconds = [second for times in pool.map(client, range(64)) for second in times]
    assert len(seconds) == 64 * 5


@needs_server
def test_sigterm_finishes_what_has_begun_and_ends_with_success(index):
    body = json.dumps({"queries": ["topicaa"], "topk": 2}).encode()
    with running("--index", str(index.directory)) as (process, base):
        host, port = base.removeprefix("http://").split(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        connection.putrequest("POST", "/retrieve")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body[:10])
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with socket.socket() as late:
                if late.connect_ex((host, int(port))) != 0:
                    break
            time.sleep(0.05)
        else:
            pytest.fail("the server still takes connections")
        assert process.poll() is None
        connection.send(body[10:])
        response = connection.getresponse()
        assert response.status == 200
        assert len(json.loads(response.read())["result"][0]) == 2
        connection.close()
        assert process.wait(60) == 0


@needs_server
def test_a_corpus_is_indexed_and_served_and_its_index_kept_where_one_is_named(tmp_path: Path):
    corpus = tmp_path / "corpus.jsonl"
    rows = [{"id": n, "contents": f'"Title {n}"\nword{n}'} for n in range(3)]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for named in ([], ["--index", str(tmp_path / "index")]):
        with running("--corpus", str(corpus), "--topk", "1", *named) as (_, base):
            answer = post(base + "/retrieve", json={"query": "title"})[1]
            assert [hit["id"] for hit in answer["results"]] == ["0"]
    assert len(BM25Index(tmp_path / "index")) == 3


@needs_server
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "give --corpus FILE or --index DIR"),
        (["--index", "{tmp}/none"], "there is no such directory"),
        (["--index", "{tmp}"], "it has no manifest.json"),
        (["--corpus", "{tmp}/none"], "does not exist"),
        (["--corpus", "{tmp}/bad"], "line 1: not JSON"),
        (["--corpus", "{tmp}/empty"], "documents must have a word to index"),
        (["--corpus", "{tmp}/good", "--index", "{tmp}"], "directory must not exist yet"),
        (["--corpus", "{tmp}/good", "--topk", "0"], "0 is not in the range"),
    ],
)
def test_mistakes_on_the_command_line_are_one_sentence(tmp_path: Path, arguments, reason):
    (tmp_path / "bad").write_text("{\n")
    (tmp_path / "empty").write_text("")
    (tmp_path / "good").write_text('{"id": 1, "contents": "word"}\n')
    filled = [argument.format(tmp=tmp_path) for argument in arguments]
    result = CliRunner().invoke(serve, ["retrieval", *filled])
    assert result.exit_code != 0
    assert reason in result.output.replace("\n", " ")
    assert "Traceback" not in result.output


@needs_server
def test_a_port_in_use_is_told_before_an_index_is_built(tmp_path: Path):
    (tmp_path / "good").write_text('{"id": 1, "contents": "word"}\n')
    with socket.create_server(("127.0.0.1", 0)) as taken:
        named = ["--corpus", str(tmp_path / "good"), "--index", str(tmp_path / "index")]
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(serve, ["retrieval", *named, "--port", port])
    assert isinstance(result.exception, OSError)  # `ragen` makes a sentence of it
    assert not (tmp_path / "index").exists()


def test_a_missing_server_library_names_the_extra(tmp_path: Path, monkeypatch):
    (tmp_path / "good").write_text('{"id": 1, "contents": "word"}\n')
    monkeypatch.setitem(sys.modules, "fastapi", None)
    result = CliRunner().invoke(serve, ["retrieval", "--corpus", str(tmp_path / "good")])
    assert result.exit_code != 0
    assert "pip install 'ragen-envs[serve]'" in result.output
