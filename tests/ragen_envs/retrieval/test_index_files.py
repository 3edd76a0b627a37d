"""An index on disk: complete or not there, shared, and never silently empty."""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ragen_envs.retrieval import BM25Index, Document, RetrievalError, builder, open_index
from ragen_envs.retrieval.files import ARRAYS, array_path

DOCUMENTS = [
    Document("apple", "Apple", "a red fruit"),
    Document("brick", "Brick", "red clay, fired"),
    Document("sky", "", "blue and wide"),
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    BM25Index.build(DOCUMENTS, tmp_path / "index")
    return tmp_path / "index"


def change_manifest(place: Path, **changes: object) -> None:
    path = place / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_a_reopened_index_finds_the_same_with_its_documents(place: Path):
    (hits,) = BM25Index(place).search(["red fruit"], 5)
    assert [(hit.id, hit.title, hit.text) for hit in hits] == [
        ("apple", "Apple", "a red fruit"),
        ("brick", "Brick", "red clay, fired"),
    ]
    assert hits[0].contents == '"Apple"\na red fruit'


def test_documents_are_kept_in_order_and_to_the_character(tmp_path: Path):
    some = [Document(str(n), t, t + "\n\x00\ud800é🙂") for n, t in enumerate(["", '"q"', "\\"])]
    index = BM25Index.build([*some, Document("x", "", "word")], tmp_path / "index")
    assert [index.document(n) for n in range(3)] == some
    for number in (-1, 4):
        with pytest.raises(IndexError, match=r"number must be in \[0, 3\]"):
            index.document(number)


def test_many_blocks_are_merged_to_the_same_index(tmp_path: Path, monkeypatch):
    rng = np.random.default_rng(0)
    some = [
        Document(f"d{n}", "", " ".join(f"w{w}" for w in rng.geometric(0.05, size=30)))
        for n in range(500)
    ]
    BM25Index.build(some, tmp_path / "one")
    monkeypatch.setattr(builder, "_BLOCK_TERMS", 700)
    monkeypatch.setattr(builder, "_MERGED_POSTINGS", 900)
    monkeypatch.setattr(builder, "_MOST_REMEMBERED_WORDS", 10)
    BM25Index.build(some, tmp_path / "many")
    for name in ARRAYS:
        one, many = (array_path(tmp_path / d, name).read_bytes() for d in ("one", "many"))
        assert one == many, name


def test_a_missing_index_is_an_error_at_construction(tmp_path: Path):
    with pytest.raises(RetrievalError, match="there is no such directory"):
        BM25Index(tmp_path / "none")
    with pytest.raises(RetrievalError, match="there is no such directory"):
        open_index(tmp_path / "none")
    with pytest.raises(RetrievalError, match=r"it has no manifest\.json"):
        BM25Index(tmp_path)


@pytest.mark.parametrize("name", ARRAYS)
def test_a_missing_file_is_an_error_at_construction(place: Path, name: str):
    array_path(place, name).unlink()
    with pytest.raises(RetrievalError, match=rf"{name}\.npy is missing; build it again"):
        BM25Index(place)


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("left", [0, 100, -1])
def test_a_truncated_file_is_an_error_at_construction(place: Path, name: str, left: int):
    path = array_path(place, name)
    data = path.read_bytes()
    path.write_bytes(data[:left])
    wanted = rf"{name}\.npy must have {len(data)} bytes, got {len(data[:left])}"
    with pytest.raises(RetrievalError, match=wanted):
        BM25Index(place)


@pytest.mark.parametrize("name", ARRAYS)
def test_a_foreign_file_of_the_right_size_is_an_error_at_construction(place: Path, name: str):
    path = array_path(place, name)
    path.write_bytes(b"x" * path.stat().st_size)
    with pytest.raises(RetrievalError, match=f"{name}.npy cannot be read"):
        BM25Index(place)


def test_a_file_of_another_type_is_an_error_at_construction(place: Path):
    path = array_path(place, "ranks")
    path.write_bytes(path.read_bytes().replace(b"<i4", b"<f4"))
    with pytest.raises(RetrievalError, match=r"ranks.npy holds <f4 of shape \(3,\)"):
        BM25Index(place)


def test_files_of_two_indexes_do_not_open_as_one(place: Path, tmp_path: Path):
    BM25Index.build([*DOCUMENTS[:2], Document("z", "", "red sky at night")], tmp_path / "other")
    for name in ("postings", "posting_starts"):
        array_path(tmp_path / "other", name).rename(array_path(place, name))
        size = array_path(place, name).stat().st_size
        manifest = json.loads((place / "manifest.json").read_text())
        change_manifest(place, bytes={**manifest["bytes"], name: size})
        with pytest.raises(RetrievalError, match=r"does not fit|differ in length"):
            BM25Index(place)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"format": "faiss"}, "is not of format 'ragen-bm25'"),
        ({"version": 0}, "it has version 0, this program reads 1"),
        ({"version": 2}, "it has version 2, this program reads 1"),
        ({"bytes": {}}, "does not list the files"),
        ({"tokens": 0}, "lacks its counts"),
        ({"terms": "many"}, "lacks its counts"),
        ({"documents": 4}, "does not fit"),
        ({"terms": 4}, "does not fit"),
    ],
)
def test_a_foreign_or_older_manifest_is_an_error_at_construction(place, changes, reason):
    change_manifest(place, **changes)
    with pytest.raises(RetrievalError, match=reason):
        BM25Index(place)


@pytest.mark.parametrize("text", ["", "[]", '{"format": "ragen-b', "\x00", "[" * 100])
def test_a_broken_manifest_is_an_error_at_construction(place: Path, text: str):
    (place / "manifest.json").write_text(text)
    with pytest.raises(RetrievalError, match=r"manifest\.json"):
        BM25Index(place)


def test_a_failed_build_leaves_nothing(tmp_path: Path):
    def failing() -> Iterator[Document]:
        yield DOCUMENTS[0]
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        BM25Index.build(failing(), tmp_path / "index")
    assert list(tmp_path.iterdir()) == []


def test_a_killed_build_leaves_no_index_that_opens(tmp_path: Path):
    code = (
        "import sys\n"
        "from ragen_envs.retrieval import BM25Index, Document\n"
        "def documents():\n"
        "    for n in range(10**9):\n"
        "        if n == 20000: print('building', flush=True)\n"
        "        yield Document(str(n), '', f'word{n % 1000} and more words {n}' * 5)\n"
        "BM25Index.build(documents(), sys.argv[1])\n"
    )
    arguments = [sys.executable, "-c", code, str(tmp_path / "index")]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    left = list(tmp_path.iterdir())
    assert [path.name.startswith(".index.building-") for path in left] == [True]
    for path in (tmp_path / "index", *left):
        with pytest.raises(RetrievalError, match="is not a usable index"):
            BM25Index(path)
    BM25Index.build(DOCUMENTS, tmp_path / "index")


def test_a_build_does_not_touch_what_is_there(place: Path, tmp_path: Path):
    with pytest.raises(ValueError, match=r"directory must not exist yet, got '.*index'"):
        BM25Index.build(DOCUMENTS, place)
    with pytest.raises(ValueError, match="directory must lie in an existing directory"):
        BM25Index.build(DOCUMENTS, tmp_path / "a" / "b")
    assert BM25Index(place).search_one("red")


@pytest.mark.parametrize(
    ("documents", "error", "reason"),
    [
        ([], ValueError, "documents must have a word to index, got 0 without any"),
        ([Document("a", "", "the")], ValueError, "got 1 without any"),
        ([Document("a", "", "x"), Document("a", "", "y")], ValueError, "distinct ids, got 'a'"),
        (["text"], TypeError, "documents must be Document objects, got 'text'"),
    ],
)
def test_unusable_documents_are_refused(tmp_path: Path, documents, error, reason):
    with pytest.raises(error, match=reason):
        BM25Index.build(documents, tmp_path / "index")
    assert list(tmp_path.iterdir()) == []


def test_one_index_is_shared_by_a_process_and_reopened_when_rebuilt(place: Path, tmp_path: Path):
    index = open_index(place)
    assert open_index(str(place)) is index
    assert copy.deepcopy(index) is index
    assert pickle.loads(pickle.dumps(index)) is index
    assert open_index(place, k1=1.2) is not index
    place.rename(tmp_path / "old")
    BM25Index.build([Document("new", "", "red")], place)
    assert [hit.id for hit in open_index(place).search_one("red")] == ["new"]
    assert {hit.id for hit in index.search_one("red")} == {"apple", "brick"}


def test_a_pickle_holds_the_arguments_and_no_data(place: Path):
    data = pickle.dumps(BM25Index(place, k1=1.2, b=0.75))
    assert len(data) < 500
    restored = pickle.loads(data)
    assert (restored.k1, restored.b, restored.directory) == (1.2, 0.75, place)


def test_a_temporary_index_leaves_no_files_and_says_that_it_cannot_be_pickled(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    index = BM25Index.temporary(DOCUMENTS)
    assert list(tmp_path.iterdir()) == []
    assert index.search_one("fruit")[0].id == "apple"
    assert copy.deepcopy(index) is index
    with pytest.raises(TypeError, match="a temporary index cannot be pickled"):
        pickle.dumps(index)


def ids_in_child(index: BM25Index, queue: multiprocessing.Queue[list[str]]) -> None:
    queue.put([hit.id for hit in index.search_one("red fruit")])


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_share_the_index_of_their_parent(place: Path, method: str):
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    index = open_index(place)
    worker = context.Process(target=ids_in_child, args=(index, queue))
    worker.start()
    assert queue.get(timeout=60) == ["apple", "brick"]
    worker.join(60)
    assert worker.exitcode == 0
    assert index.search_one("red fruit")[0].id == "apple"


def test_threads_search_one_index_without_mixing_answers(place: Path):
    index = open_index(place)
    wrong: list[str] = []

    def search(query: str, wanted: str) -> None:
        for _ in range(200):
            if index.search_one(query)[0].id != wanted:
                wrong.append(query)

    pairs = [("fruit", "apple"), ("clay", "brick"), ("wide", "sky")] * 3
    threads = [threading.Thread(target=search, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_file_that_shrinks_under_an_open_index_is_an_error(place: Path):
    index = BM25Index(place)
    os.truncate(array_path(place, "documents"), 130)
    with pytest.raises(RetrievalError, match="has changed: document 0 is broken"):
        index.search_one("fruit")


def test_a_query_maps_only_what_it_touches(tmp_path: Path):
    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from ragen_envs.retrieval import BM25Index, Document\n"
        "def rss():\n"
        "    text = Path('/proc/self/smaps_rollup').read_text()\n"
        "    return int(text.split('Rss:')[1].split()[0])\n"
        "before = rss()\n"
        "index = BM25Index(sys.argv[1])\n"
        "index.search_one('needle', 1)\n"
        "print(rss() - before)\n"
    )
    if not Path("/proc/self/smaps_rollup").exists():
        pytest.skip("memory is measured through /proc/self/smaps_rollup, which is Linux's")
    long = "hay " * 20_000
    some = (Document(str(n), "", long + ("needle" if n == 50 else "")) for n in range(100))
    BM25Index.build(some, tmp_path / "index")
    size = array_path(tmp_path / "index", "documents").stat().st_size
    arguments = [sys.executable, "-c", code, str(tmp_path / "index")]
    output = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout
    assert int(output) * 1024 < size / 4


def test_importing_the_package_reaches_no_heavy_module():
    code = "import json, sys, ragen_envs.retrieval; print(json.dumps(list(sys.modules)))"
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    heavy = {"requests", "urllib3", "click", "fastapi", "uvicorn", "starlette", "pydantic"}
    assert not heavy & set(json.loads(output))


def test_two_builds_of_one_name_leave_one_index(tmp_path: Path):
    def slow() -> Iterator[Document]:
        yield from DOCUMENTS
        BM25Index.build(DOCUMENTS[:1], tmp_path / "index")  # meanwhile

    with pytest.raises(ValueError, match="directory must not exist yet"):
        BM25Index.build(slow(), tmp_path / "index")
    assert len(BM25Index(tmp_path / "index")) == 1
    assert len(list(tmp_path.iterdir())) == 1
