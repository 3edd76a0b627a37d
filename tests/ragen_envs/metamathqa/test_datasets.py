"""Real data: the three shapes, the file types, unusable rows, splits, and reading once."""

from __future__ import annotations

import json
import logging
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from ragen_envs.metamathqa import answers_match
from ragen_envs.metamathqa import datasets as module
from ragen_envs.metamathqa.datasets import (
    HUB_ID,
    load_questions,
    original_key,
    questions_of,
    source_of,
)
from ragen_envs.splits import SPLITS, split_of

DATA = Path(__file__).parent / "data"
METAMATH, GSM8K, MATH = DATA / "metamath.jsonl", DATA / "gsm8k.jsonl", DATA / "math.json"


def rows_of(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else list(map(json.loads, text.splitlines()))


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def nothing_is_loaded():
    module._load.cache_clear()
    module._select.cache_clear()


# Gold answers.


def test_metamath_rows_have_the_answer_of_the_last_marker():
    found = load_questions(METAMATH)
    assert (found.total, len(found.problems)) == (30, 26)
    golds = [problem.gold for problem in found.problems]
    assert golds[:4] == ["350", "350", "14", "14"]
    assert (
        golds[-8:] == ["(-\\infty, 3]"] * 2 + ["(4, 3)"] * 2 + ["\\text{No}"] * 2 + ["120\\pi"] * 2
    )
    assert found.problems[3].type == "GSM_FOBAR"
    assert found.problems[3].question.endswith("what is the value of unknown variable x?")


def test_gsm8k_rows_have_the_answer_behind_the_hashes():
    problems = load_questions(GSM8K).problems
    assert [problem.gold for problem in problems[-2:]] == ["1,728", "2,028"]
    assert answers_match(problems[-1].gold, "The answer is: 2028")
    assert {problem.type for problem in problems} == {"GSM8K"}


def test_math_rows_have_the_answer_of_the_last_box():
    problems = load_questions(MATH).problems
    assert [problem.gold for problem in problems[:5]] == [
        "\\frac{8}{27}",
        "20",
        "(-3,3)",
        "1",
        "\\dfrac16",
    ]
    assert [problem.level for problem in problems] == [1, 2, 3, 4, 5, 2, 0]
    assert (problems[3].type, problems[3].topic) == ("MATH", "Number Theory")


def gold_of(tmp_path, row):
    """The gold answer of a row, or why it has none."""
    path = written(tmp_path / "row.jsonl", [*rows_of(GSM8K)[:1], row])
    if "question" not in row:
        path = written(path, [row, {"problem": "1?", "solution": "\\boxed{1}"}])
    found = load_questions(path)
    if found.unusable:
        return found.unusable[0][1]
    return found.problems["question" in row].gold


@pytest.mark.parametrize(
    ("solution", "gold"),
    [
        ("It is $\\boxed{1} or \\boxed{2}$.", "1, 2"),
        ("It is $\\boxed{1}$, $\\boxed{2}$ and\n$\\boxed{3}.$", "1, 2, 3"),
        ("It is $\\boxed{1} \\text{ or } \\fbox{2}$.", "1, 2"),
        ("First $\\boxed{1}$, then we add and get \\fbox{2}.", "2"),
        ("So $x = \\boxed 5$.", "5"),
        ("So $\\boxed 12$ is it, for $2$.", "12"),
        ("\\boxed{\\text{The answer is: 5}}", "5"),
        ("\\boxed{The answer is: $\\frac{1}{2}$.}", "$\\frac{1}{2}$"),
        ("$\\boxed{\\frac{1}{\\sqrt{2}}}$", "\\frac{1}{\\sqrt{2}}"),
        ("$\\boxed{\\{1, 2\\}}$", "\\{1, 2\\}"),
        ("$\\boxed{5$", "the last \\boxed of the solution is not closed"),
        ("$\\boxed{}$", "the gold answer is empty"),
        ("$\\boxedx{5}$", "the solution has no \\boxed"),
    ],
)
def test_gold_answer_of_a_solution(tmp_path, solution, gold):
    assert gold_of(tmp_path, {"problem": "What?", "solution": solution}) == gold


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("It is 5.\n#### 5\nmore text", "5"),
        ("It is 5.\n#### 5 \n", "5"),
        ("#### 5 or 6", "5 or 6"),
        ("It is 5.\n####\n5", "the gold answer is empty"),
    ],
)
def test_gold_answer_behind_the_hashes_is_on_their_line(tmp_path, answer, gold):
    assert gold_of(tmp_path, {"question": "What?", "answer": answer}) == gold


@pytest.mark.parametrize(
    "gold",
    [
        ".",
        '"',
        "**",
        ",",
        "{}",
        "\\text{}",
        "\\left",
        "?",
        "$",
        "$$",
        "-",
        "_",
        "()",
        "\\",
        "...",
        "!",
    ],
)
def test_gold_answer_without_content_is_unusable_and_stops_nothing(tmp_path, gold):
    good = {**rows_of(METAMATH)[0]}
    row = {**good, "response": f"Hence.\nThe answer is: {gold}"}
    found = load_questions(written(tmp_path / "a.jsonl", [good, row, good]))
    assert [index for index, _ in found.unusable] == [1]
    assert len(found.problems) == 2


def test_row_without_its_original_question_is_unusable(tmp_path):
    good = rows_of(METAMATH)[0]
    rows = [good, {**good, "original_question": None}, {**good, "original_question": " "}]
    del good["original_question"]
    rows[0] = {**good, "original_question": "How many?"}
    rows.append(good)
    found = load_questions(written(tmp_path / "a.jsonl", rows))
    assert found.unusable == tuple((index, "'original_question' is no text") for index in (1, 2, 3))


def test_text_that_utf8_cannot_hold_is_unusable(tmp_path):
    good = rows_of(GSM8K)[0]
    rows = [good, {**good, "question": "Is it \ud800?"}]
    found = load_questions(written(tmp_path / "a.jsonl", rows))
    assert found.unusable == ((1, "'question' is no text that UTF-8 can hold"),)


@pytest.mark.parametrize("path", [METAMATH, GSM8K, MATH], ids=lambda path: path.stem)
def test_every_gold_answer_is_matched_by_itself(path):
    for problem in load_questions(path).problems:
        assert answers_match(problem.gold, f"The answer is: {problem.gold}")
        assert answers_match(problem.gold, f"\\boxed{{{problem.gold}}}")


def test_unusable_rows_are_counted_listed_and_logged(caplog):
    with caplog.at_level(logging.WARNING):
        found = load_questions(METAMATH)
    assert [row for row, _ in found.unusable] == [5, 9, 28, 29]
    report = found.report()
    assert report.startswith("4 of 30 rows have no usable gold answer (row 5: ")
    for reason in ("no 'The answer is:'", "is empty", "cannot be read", "'response' is no text"):
        assert reason in report
    assert report in caplog.text
    with caplog.at_level(logging.WARNING):
        load_questions(METAMATH)
    assert caplog.text.count(report) == 1


def test_long_report_is_cut(tmp_path):
    rows = [*rows_of(GSM8K)[:1], *[{"question": "Why?", "answer": "So."}] * 9]
    report = load_questions(written(tmp_path / "a.jsonl", rows)).report()
    assert report.startswith("9 of 10 rows")
    assert report.endswith("row 5: the answer has no '####', ...)")


def test_report_of_a_clean_file_is_short(tmp_path):
    path = written(tmp_path / "a.jsonl", rows_of(GSM8K)[:3])
    assert load_questions(path).report() == "0 of 3 rows have no usable gold answer"


# Splits.


def test_versions_of_one_question_share_a_split():
    by_content = {}
    for problem in load_questions(METAMATH).problems:
        by_content.setdefault(problem.content, set()).add(problem.type)
    assert len(by_content) == 10
    assert {"GSM_AnsAug", "GSM_Rephrased", "GSM_SV", "GSM_FOBAR"} in by_content.values()


def test_hidden_number_does_not_change_the_key():
    question = "A lamp costs $48.50 and a sofa 1,250 dollars. How much are both?"
    hidden = "A lamp costs  x and a sofa 1,250 dollars. How much are both?"
    known = f"{hidden}\nIf we know the answer to the above question is 1298.5, what is x?"
    assert original_key(question) == original_key(hidden) == original_key(known)
    assert original_key("What is $X^2 + 3$?") == original_key("What is 7^2 + 3?")
    assert original_key(question) != original_key(question.replace("sofa", "table"))


@pytest.mark.parametrize("path", [METAMATH, GSM8K, MATH], ids=lambda path: path.stem)
def test_splits_share_out_all_rows_in_file_order(path):
    problems = load_questions(path).problems
    parts = {split: questions_of(source_of(path), split) for split in SPLITS}
    assert sum(map(len, parts.values())) == len(problems)
    for split, part in parts.items():
        assert all(split_of(problem.content) == split for problem in part)
        assert list(part) == [problem for problem in problems if problem in part]


def test_types_select_rows():
    chosen = [q for split in SPLITS for q in questions_of(source_of(METAMATH), split, ("GSM_SV",))]
    assert [problem.type for problem in chosen] == ["GSM_SV"] * 3


# Files.


def test_json_list_and_json_lines_are_the_same(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows_of(METAMATH)), encoding="utf-8")
    assert load_questions(path).problems == load_questions(METAMATH).problems


def test_parquet_and_json_lines_are_the_same(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra data (pyarrow)")
    table = pytest.importorskip("pyarrow").Table.from_pylist(rows_of(METAMATH))
    parquet.write_table(table, tmp_path / "rows.parquet")
    assert load_questions(tmp_path / "rows.parquet").problems == load_questions(METAMATH).problems


def test_parquet_without_the_extra_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "rows.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "pyarrow.parquet", raising=False)
    with pytest.raises(ImportError, match=r"pip install 'ragen-envs\[data\]'"):
        load_questions(path)


def test_hub_without_the_extra_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ImportError, match=r"pip install 'ragen-envs\[data\]'"):
        load_questions(HUB_ID)


def test_hub_rows_are_read_with_the_datasets_library(monkeypatch):
    """What the library is asked for; the hub itself cannot be reached from a test."""
    asked = []

    def load_dataset(name, *, split):
        asked.append((name, split))
        return rows_of(METAMATH)

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    assert load_questions(HUB_ID).problems == load_questions(METAMATH).problems
    load_questions(HUB_ID)
    assert asked == [("meta-math/MetaMathQA", "train")]


def test_file_is_read_once_for_all_threads(monkeypatch):
    reads = []
    rows = module._rows
    monkeypatch.setattr(module, "_rows", lambda dataset: reads.append(dataset) or rows(dataset))
    threads = [
        threading.Thread(target=questions_of, args=(source_of(METAMATH), split))
        for split in SPLITS * 3
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert reads == [str(METAMATH)]


def test_changed_file_is_read_again(tmp_path):
    path = written(tmp_path / "a.jsonl", rows_of(GSM8K)[:3])
    assert load_questions(path).total == 3
    written(path, rows_of(GSM8K)[:5])
    assert load_questions(path).total == 5


def test_version_that_is_gone_is_an_error(tmp_path):
    path = written(tmp_path / "a.jsonl", rows_of(GSM8K)[:3])
    source = source_of(path)
    written(path, rows_of(GSM8K)[:5])
    with pytest.raises(ValueError, match="dataset must not change while it is in use"):
        questions_of(source, "train")


def test_deleted_file_is_still_there_for_the_process(tmp_path):
    path = written(tmp_path / "a.jsonl", rows_of(GSM8K)[:3])
    source, found = source_of(path), load_questions(path)
    path.unlink()
    assert sum(len(questions_of(source, split)) for split in SPLITS) == len(found.problems)


def test_relative_path_is_the_absolute_one(monkeypatch):
    monkeypatch.chdir(DATA)
    assert load_questions("gsm8k.jsonl") is load_questions(GSM8K)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.jsonl", "{\n", "line 1 must be JSON"),
        ("a.jsonl", "[1]\n", "line 1 must be a JSON object"),
        ("a.json", "{", "must be JSON"),
        ("a.json", '{"question": "?"}', "must be a JSON list of objects"),
        ("a.jsonl", '{"text": "?"}\n', r"columns \(query, response, original_question\) or"),
        ("a.jsonl", "", "must have a usable row"),
        ("a.jsonl", '{"question": "Why?", "answer": "So."}\n', "must have a usable row.* '####'"),
        ("a.csv", "question,answer\n", "ends with one of"),
        ("a.jsonl", '{"query": "1?", "response": "The answer is: 1"}\n', "original_question"),
        ("a.json", "[" * 100_000, "a.json must be JSON that is not nested"),
        ("a.jsonl", "{}\n" + '{"query":' * 100_000, "must have the columns"),
        ("a.jsonl", '{"question":' * 100_000, "line 1 must be JSON that is not nested"),
    ],
)
def test_unusable_file_is_an_error_that_says_why(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        load_questions(path)


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_text_that_is_not_utf8_is_an_error_that_names_the_place(tmp_path, name):
    path = tmp_path / name
    first = json.dumps(rows_of(GSM8K)[0]).encode()
    path.write_bytes(first + b"\n\xff\xfe{}\n")
    where = "a.jsonl, line 2" if name == "a.jsonl" else "a.json"
    with pytest.raises(ValueError, match=f"{where} must be UTF-8"):
        load_questions(path)


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_byte_order_mark_is_no_part_of_the_text(tmp_path, name):
    rows = rows_of(GSM8K)[:3]
    text = json.dumps(rows) if name == "a.json" else "\n".join(map(json.dumps, rows))
    (tmp_path / name).write_text(text, encoding="utf-8-sig")
    assert load_questions(tmp_path / name).total == 3


def test_file_that_is_no_parquet_is_an_error_that_names_it(tmp_path):
    pytest.importorskip("pyarrow.parquet", reason="needs the extra data (pyarrow)")
    (tmp_path / "rows.parquet").write_bytes(b"question,answer")
    with pytest.raises(ValueError, match=r"rows.parquet must be Parquet"):
        load_questions(tmp_path / "rows.parquet")


@pytest.mark.parametrize("dataset", [5, None, b"rows.jsonl", ["rows.jsonl"]])
def test_dataset_that_is_no_path_is_an_error(dataset):
    with pytest.raises(TypeError, match="dataset must be a str or a path, got"):
        load_questions(dataset)


def test_missing_file_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="dataset must be an existing file"):
        load_questions(tmp_path / "none.jsonl")
