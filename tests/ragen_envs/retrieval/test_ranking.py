"""The order of hits: as recorded from Lucene, and as the formula says."""

from __future__ import annotations

import gzip
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragen_envs.retrieval import BM25Index, Document, scoring
from ragen_envs.retrieval.analysis import analyse
from ragen_envs.retrieval.lengths import LENGTHS

HERE = Path(__file__).parent
WORDS = [f"word{chr(97 + i)}{chr(97 + i)}" for i in range(26)]


def rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(HERE / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def product_text(product: dict[str, Any]) -> str:
    """Title, description, first bullet and options in lower case, as WebShop indexes a product."""
    options = ", and ".join(
        f"{group}: " + ", ".join(value["value"].strip().replace("/", " | ") for value in values)
        for group, values in product["customization_options"].items()
        if values is not None
    )
    bullets = product["small_description"]
    bullet = bullets[0] if isinstance(bullets, list) else bullets
    return " ".join([product["name"], product["full_description"], bullet, options]).lower()


@pytest.fixture(scope="module")
def catalogue() -> BM25Index:
    products = rows("catalogue.jsonl.gz")
    return BM25Index.temporary(Document(p["asin"], "", product_text(p)) for p in products)


def some_documents(count: int, seed: int = 0) -> list[Document]:
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, len(WORDS) + 1)
    return [
        Document(f"d{rng.integers(10**9):09d}-{n}", "", " ".join(drawn))
        for n in range(count)
        for drawn in [rng.choice(WORDS, size=rng.integers(0, 60), p=shares / shares.sum())]
    ]


def scored_plainly(documents: list[Document], query: str, k1: float, b: float) -> dict[str, float]:
    """BM25 in float64, document by document."""
    bags = [Counter(analyse(document.contents)) for document in documents]
    held = [bag for bag in bags if bag]
    mean = sum(bag.total() for bag in held) / len(held)
    scores: dict[str, float] = {}
    for term, times in Counter(analyse(query)).items():
        holding = sum(term in bag for bag in bags)
        weight = times * math.log(1 + (len(held) - holding + 0.5) / (holding + 0.5))
        for document, bag in zip(documents, bags, strict=True):
            if bag[term]:
                length = max(int(n) for n in LENGTHS if n <= bag.total())
                ratio = bag[term] / (k1 * (1 - b + b * length / mean)) if k1 else math.inf
                scores[document.id] = scores.get(document.id, 0) + weight - weight / (1 + ratio)
    return scores


def test_top_fifty_lists_are_lucenes_for_every_recorded_query(catalogue: BM25Index):
    recorded = rows("rankings.jsonl.gz")
    assert len(recorded) == 120
    for row in recorded:
        found = [hit.id for hit in catalogue.search_one(row["query"], row["k"])]
        assert found == row["ids"], row["query"]


@pytest.mark.parametrize("k", [1, 3, 10, 49])
def test_a_shorter_list_is_the_start_of_a_longer_one(catalogue: BM25Index, k: int):
    for row in rows("rankings.jsonl.gz"):
        assert [hit.id for hit in catalogue.search_one(row["query"], k)] == row["ids"][:k]


@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (1.2, 0.75), (0.0, 0.4), (2.0, 0.0), (0.9, 1.0)])
def test_scores_are_the_formulas_for_other_parameters(k1: float, b: float):
    documents = some_documents(300)
    index = BM25Index.temporary(documents, k1=k1, b=b)
    for query in ("wordaa", "wordaa wordbb wordbb", " ".join(WORDS), "wordzz wordcc"):
        wanted = scored_plainly(documents, query, k1, b)
        hits = index.search_one(query, 1000)
        assert {hit.id for hit in hits} == set(wanted)
        for hit in hits:
            assert hit.score == pytest.approx(wanted[hit.id], rel=1e-5)
        keys = [(-(hit.score or 0), hit.id) for hit in hits]
        assert keys == sorted(keys)


def test_small_k_agrees_with_full_sort_where_many_scores_tie():
    documents = some_documents(3000, seed=1)
    index = BM25Index.temporary(documents)
    for query in ("wordaa", "wordaa wordbb", "wordzz", "wordyy wordaa"):
        everything = index.search_one(query, 1000)
        for k in (1, 7, 50, 400):
            assert index.search_one(query, k) == everything[:k]


def test_skipping_common_terms_changes_no_list(monkeypatch):
    rng = np.random.default_rng(2)
    documents = [
        Document(str(n), "", " ".join(f"w{w}" for w in rng.zipf(1.3, size=40) if w < 10**6))
        for n in range(4000)
    ]
    index = BM25Index.temporary(documents)
    queries = [
        " ".join(documents[n].text.split()[:length]) for n in range(60) for length in (4, 12)
    ]
    skipped = []
    near = scoring._near

    def counting(*arguments):
        found = near(*arguments)
        skipped.append(found is not None)
        return found

    monkeypatch.setattr(scoring, "_near", counting)
    quick = [index.search(queries, k) for k in (1, 10)]
    assert sum(skipped) > 50
    monkeypatch.setattr(scoring, "_near", lambda *arguments: None)
    assert [index.search(queries, k) for k in (1, 10)] == quick


def test_equal_scores_are_ordered_by_the_bytes_of_the_id():
    names = ["b", "a", "é", "B", "10", "9", "\U0001f600", "\uffff"]
    index = BM25Index.temporary(Document(name, "", "same text") for name in names)
    found = [hit.id for hit in index.search_one("text", 50)]
    assert found == sorted(names, key=lambda name: name.encode())


def test_documents_without_words_are_no_part_of_the_statistics():
    some = [Document("a", "", "red shoe"), Document("b", "", "blue shoe")]
    empty = [Document("c", "", ""), Document("d", "", "the of")]
    plain, padded = BM25Index.temporary(some), BM25Index.temporary(some + empty)
    assert plain.search_one("red shoe") == padded.search_one("red shoe")
    assert len(padded) == 4


@pytest.mark.parametrize("query", ["", " ", "the of and", "unheard", "\x00", "___", "½ ²"])
def test_a_query_without_a_known_word_finds_nothing(catalogue: BM25Index, query: str):
    assert catalogue.search([query, "hiking"], 5)[0] == []
    assert catalogue.search([query, "hiking"], 5)[1] != []


def test_length_codes_are_lucenes():
    assert len(LENGTHS) == 256
    assert (np.diff(LENGTHS) > 0).all()
    assert LENGTHS[:41].tolist() == [*range(40), 40]
    assert LENGTHS[41:50].tolist() == [42, 44, 46, 48, 50, 52, 54, 56, 60]


def test_a_term_may_stand_more_often_than_a_byte_can_count():
    often = Document("often", "", "shoe " * 70_000)
    index = BM25Index.temporary([often, Document("once", "", "shoe hat")])
    assert [hit.id for hit in index.search_one("shoe")] == ["often", "once"]


@pytest.mark.parametrize(
    ("arguments", "error", "rule"),
    [
        (("shoe",), TypeError, "queries must be a sequence of strings, got 'shoe'"),
        (([1],), TypeError, "queries must be a sequence of strings, got 1 in it"),
        ((["a"], 0), ValueError, r"k must be in \[1, 1000\], got 0"),
        ((["a"], 1001), ValueError, r"k must be in \[1, 1000\], got 1001"),
        ((["a"], 2.0), TypeError, "k must be an int, got 2.0"),
        ((["a"], True), TypeError, "k must be an int, got True"),
    ],
)
def test_wrong_arguments_of_search_name_the_rule(catalogue, arguments, error, rule):
    with pytest.raises(error, match=rule):
        catalogue.search(*arguments)


@pytest.mark.parametrize(("name", "value"), [("k1", -0.1), ("k1", math.nan), ("b", 1.1)])
def test_parameters_out_of_range_name_the_rule_before_a_build(tmp_path: Path, name, value):
    with pytest.raises(ValueError, match=f"{name} must be in"):
        BM25Index.build([Document("a", "", "b c")], tmp_path / "index", **{name: value})
    assert list(tmp_path.iterdir()) == []
