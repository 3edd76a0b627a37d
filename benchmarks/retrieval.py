"""Search engines on one corpus: `python -m benchmarks.retrieval [--documents N]`.

Ours, bm25s and tantivy (those that are installed) index the same synthetic documents one after the
other, each in a process of its own, and then answer the same queries in turns. A corpus of
pseudo-words drawn from Zipf's law is hard on an inverted index: its common words are in most
documents.
"""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol

import click
import numpy as np
import numpy.typing as npt

from ragen_envs.retrieval import BM25Index, Document, read_corpus

VOCABULARY = 200_000
SHORT, LONG = (2, 6), (25, 25)  # words of a query, at least and at most
QUERIES = 100  # of each length
TURN = 10  # queries that one engine answers before the next one
TOP = 10
OPENINGS = 5
CLIENTS, REQUESTS = 64, 20  # requests of each client
_BATCH = 1000
_MB = 1e6


# The corpus.


def vocabulary(size: int = VOCABULARY) -> list[str]:
    """Distinct pseudo-words; the same in every run."""
    rng = np.random.default_rng(0)
    syllables = [c + v for c in "bcdfghjklmnprtvz" for v in "aeiou"]
    found: dict[str, None] = {}
    while len(found) < size:
        for number, row in enumerate(rng.integers(len(syllables), size=(size, 4))):
            found["".join(syllables[i] for i in row[: 2 + number % 3])] = None
    return list(found)[:size]


def texts(documents: int) -> Iterator[str]:
    """Texts of 60 to 140 words by Zipf's law; the same in every run."""
    words = np.array(vocabulary(), dtype=object)
    shares = np.cumsum(1 / (np.arange(len(words)) + 2.7))
    for batch in range(0, documents, _BATCH):
        rng = np.random.default_rng([1, batch])
        lengths = rng.integers(60, 141, size=min(_BATCH, documents - batch))
        drawn = np.searchsorted(shares, rng.random(lengths.sum()) * shares[-1])
        for numbers in np.split(drawn, np.cumsum(lengths)[:-1]):
            yield " ".join(words[numbers])


def queries(corpus: Path, documents: int, span: tuple[int, int]) -> list[str]:
    """Words of documents, any place in them as likely as any other."""
    rng = np.random.default_rng([2, span[1]])
    wanted = set(rng.choice(documents, size=QUERIES, replace=False).tolist())
    found = []
    for number, document in enumerate(read_corpus(corpus)):
        if number in wanted:
            words = document.text.split()
            found.append(" ".join(rng.choice(words, rng.integers(span[0], span[1] + 1))))
    return found


# The engines.


class Engine(Protocol):
    """How a search library is built, opened and asked."""

    def build(self, corpus: Path, place: Path) -> None:
        """Index the corpus in `place`."""
        ...

    def open(self, place: Path) -> None:
        """Open what `build` has written."""
        ...

    def search(self, query: str) -> list[str]:
        """The ids of the best documents."""
        ...


class Ours:
    """ragen_envs.retrieval."""

    def build(self, corpus: Path, place: Path) -> None:
        """As of Engine."""
        BM25Index.build(read_corpus(corpus), place)

    def open(self, place: Path) -> None:
        """As of Engine."""
        self._index = BM25Index(place)

    def search(self, query: str) -> list[str]:
        """As of Engine."""
        return [hit.id for hit in self._index.search_one(query, TOP)]


class Bm25s:
    """bm25s in Lucene's variant, with PyStemmer where that is installed."""

    def build(self, corpus: Path, place: Path) -> None:
        """As of Engine; it holds all documents in memory."""
        bm25s = import_module("bm25s")

        documents = list(read_corpus(corpus))
        tokens = bm25s.tokenize(
            [d.text for d in documents], stopwords="en", stemmer=_stemmer(), show_progress=False
        )
        model = bm25s.BM25(method="lucene", k1=0.9, b=0.4)
        model.index(tokens, show_progress=False)
        ids = [{"id": d.id, "text": d.text} for d in documents]
        model.save(str(place), corpus=ids, show_progress=False)

    def open(self, place: Path) -> None:
        """As of Engine."""
        bm25s = import_module("bm25s")

        self._model = bm25s.BM25.load(str(place), mmap=True, load_corpus=True)

    def search(self, query: str) -> list[str]:
        """As of Engine."""
        bm25s = import_module("bm25s")

        tokens = bm25s.tokenize(query, stopwords="en", stemmer=_stemmer(), show_progress=False)
        found, _ = self._model.retrieve(tokens, k=TOP, show_progress=False)
        return [document["id"] for document in found[0]]


class Tantivy:
    """tantivy with one indexing thread; its k1 and b cannot be changed."""

    def build(self, corpus: Path, place: Path) -> None:
        """As of Engine."""
        tantivy = import_module("tantivy")

        builder = tantivy.SchemaBuilder()
        builder.add_text_field("id", stored=True, tokenizer_name="raw")
        builder.add_text_field("text", stored=True, tokenizer_name="en_stem")
        place.mkdir()
        index = tantivy.Index(builder.build(), path=str(place))
        writer = index.writer(heap_size=128_000_000, num_threads=1)
        for document in read_corpus(corpus):
            writer.add_document(tantivy.Document(id=document.id, text=document.text))
        writer.commit()
        writer.wait_merging_threads()

    def open(self, place: Path) -> None:
        """As of Engine."""
        tantivy = import_module("tantivy")

        self._index = tantivy.Index.open(str(place))
        self._searcher = self._index.searcher()

    def search(self, query: str) -> list[str]:
        """As of Engine."""
        parsed = self._index.parse_query(query, ["text"])
        hits = self._searcher.search(parsed, TOP).hits
        return [self._searcher.doc(address)["id"][0] for _, address in hits]


ENGINES: dict[str, type[Engine]] = {"ragen": Ours, "bm25s": Bm25s, "tantivy": Tantivy}


def _stemmer() -> Any:
    if find_spec("Stemmer") is None:
        return None
    return import_module("Stemmer").Stemmer("porter")


# A process per engine and stage, so that memory can be told apart.


def _memory(field: str) -> int:
    """VmRSS or VmHWM (its peak) of this process, bytes; Linux only."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


def _before(name: str) -> int:
    """Memory of this process with all modules of an engine imported; the peak starts anew."""
    if name != "ragen":
        import_module(name)
    Path("/proc/self/clear_refs").write_text("5")
    return _memory("VmRSS")


def _build(name: str, corpus: Path, place: Path, pipe: Connection) -> None:
    before = _before(name)
    start = time.perf_counter()
    ENGINES[name]().build(corpus, place)
    seconds = time.perf_counter() - start
    disk = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
    pipe.send({"build": seconds, "peak": _memory("VmHWM") - before, "disk": disk})


def _answer(name: str, place: Path, pipe: Connection) -> None:
    """Open the index, report, and answer lists of queries until None comes."""
    before = _before(name)
    times = []
    for _ in range(OPENINGS):
        engine = ENGINES[name]()
        start = time.perf_counter()
        engine.open(place)
        times.append(time.perf_counter() - start)
    pipe.send({"open": times[0], "open_median": float(np.median(times))})
    while (asked := pipe.recv()) is not None:
        times, found = [], []
        for query in asked:
            start = time.perf_counter()
            found.append(engine.search(query))
            times.append(time.perf_counter() - start)
        pipe.send((times, found))
    pipe.send({"rss": _memory("VmRSS") - before, "rss_peak": _memory("VmHWM") - before})


def _started(target: Any, *arguments: Any) -> tuple[Any, Connection]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(*arguments, theirs), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def _result(process: Any, pipe: Connection) -> dict[str, float]:
    try:
        result: dict[str, float] = pipe.recv()
    except EOFError as error:
        raise RuntimeError("an engine's process ended without a result; see above") from error
    process.join()
    return result


def measure(
    names: Sequence[str], corpus: Path, documents: int, place: Path
) -> dict[str, dict[str, Any]]:
    """Figures and found ids of each engine; times in seconds, sizes in bytes."""
    facts: dict[str, dict[str, Any]] = {}
    for name in names:
        facts[name] = _result(*_started(_build, name, corpus, place / name))
    workers = {name: _started(_answer, name, place / name) for name in names}
    for name, (_, pipe) in workers.items():
        facts[name].update(pipe.recv())
    for length, span in (("short", SHORT), ("long", LONG)):
        asked = queries(corpus, documents, span)
        for fact in facts.values():
            fact[length], fact[f"{length}_ids"] = [], []
        for start in range(0, len(asked), TURN):
            for name, (_, pipe) in workers.items():
                pipe.send(asked[start : start + TURN])
                times, found = pipe.recv()
                facts[name][length] += times
                facts[name][f"{length}_ids"] += found
    for name, (process, pipe) in workers.items():
        pipe.send(None)
        facts[name].update(_result(process, pipe))
    return facts


# Our server under load.


def serve_load(
    place: Path, asked: Sequence[str], wanted: Sequence[list[str]]
) -> tuple[list[float], int]:
    """Seconds of each request of CLIENTS clients at once, and how many answers were wrong."""
    import requests

    command = "from ragen_envs.retrieval.commands import serve; serve()"
    arguments = [sys.executable, "-c", command, "retrieval", "--index", str(place), "--port", "0"]
    seconds: list[float] = []

    def client(number: int) -> int:
        wrong = 0
        with requests.Session() as session:
            for turn in range(REQUESTS):
                which = (number * REQUESTS + turn) % len(asked)
                body = {"queries": [asked[which]], "topk": TOP, "return_scores": True}
                start = time.perf_counter()
                answer = session.post(url, json=body, timeout=120).json()
                seconds.append(time.perf_counter() - start)
                found = [hit["document"]["id"] for hit in answer["result"][0]]
                wrong += found != wanted[which]
        return wrong

    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1]
        try:
            with ThreadPoolExecutor(CLIENTS) as pool:
                wrong = sum(pool.map(client, range(CLIENTS)))
        finally:
            server.terminate()
    return seconds, wrong


# The table.


def _milliseconds(times: npt.ArrayLike) -> str:
    middle, late = np.percentile(np.asarray(times), [50, 95]) * 1000
    return f"{middle:.1f} / {late:.1f}"


def _identical(fact: dict[str, Any], ours: dict[str, Any]) -> str:
    pairs = [
        a == b
        for key in ("short_ids", "long_ids")
        for a, b in zip(fact[key], ours[key], strict=True)
    ]
    return f"{np.mean(pairs):.3f}"


def table(facts: dict[str, dict[str, Any]]) -> str:
    """Markdown; an engine that is not installed has dashes and the line that installs it."""
    lines = [
        "| engine | build s | build RSS MB | disk MB | open ms | query RSS MB (peak)"
        " | 2-6 words, p50 / p95 ms | 25 words, p50 / p95 ms | identical top 10 |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in ENGINES:
        fact = facts.get(name)
        if fact is None:
            lines.append(f"| {name} (pip install {name}) |" + " - |" * 8)
            continue
        cells = [
            f"{fact['build']:.1f}",
            f"{fact['peak'] / _MB:.0f}",
            f"{fact['disk'] / _MB:.0f}",
            f"{fact['open'] * 1000:.1f}",
            f"{fact['rss'] / _MB:.0f} ({fact['rss_peak'] / _MB:.0f})",
            _milliseconds(fact["short"]),
            _milliseconds(fact["long"]),
            _identical(fact, facts["ragen"]),
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


@click.command()
@click.option("--documents", default=100_000, show_default=True, type=click.IntRange(min=QUERIES))
@click.option("--only", multiple=True, type=click.Choice(list(ENGINES)), help="Leave others out.")
def main(documents: int, only: tuple[str, ...]) -> None:
    """Print a Markdown table of the engines that are installed."""
    names = [n for n in ENGINES if n == "ragen" or find_spec(n) is not None]
    names = [n for n in names if not only or n in only or n == "ragen"]
    with tempfile.TemporaryDirectory(prefix="ragen-retrieval-") as folder:
        corpus = Path(folder) / "corpus.jsonl"
        with corpus.open("w", encoding="utf-8") as file:
            for number, text in enumerate(texts(documents)):
                document = Document(f"d{number:07d}", "", text)
                file.write(json.dumps({"id": document.id, "contents": text}) + "\n")
        size = corpus.stat().st_size / _MB
        click.echo(f"{documents:,} documents, {size:.0f} MB of JSON lines\n")
        facts = measure(names, corpus, documents, Path(folder))
        click.echo(table(facts))
        if find_spec("fastapi") is None or find_spec("uvicorn") is None:
            click.echo("\nserver under load: - (pip install 'ragen-envs[serve]')")
            return
        asked = queries(corpus, documents, SHORT)
        seconds, wrong = serve_load(Path(folder) / "ragen", asked, facts["ragen"]["short_ids"])
        click.echo(
            f"\n{CLIENTS} clients at once, {len(seconds)} requests of 2-6 words:"
            f" {_milliseconds(seconds)} ms p50 / p95, {wrong} wrong answers"
        )


if __name__ == "__main__":
    main()
