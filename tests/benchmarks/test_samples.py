"""docs/samples and the table of scores in the README are what the code makes today."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from benchmarks.samples import (
    README,
    SAMPLES,
    episodes_page,
    instances_page,
    score_rows,
    templates_page,
    with_scores,
)
from ragen_envs.registration import ENVIRONMENTS

IDS = [row.id for row in ENVIRONMENTS]
STALE = "stale: run python -m benchmarks.samples"


@pytest.mark.parametrize("env_id", IDS)
def test_samples_are_up_to_date(env_id: str):
    name = f"{env_id.removeprefix('ragen/')}.md"
    for folder, page in (("instances", instances_page), ("episodes", episodes_page)):
        assert (SAMPLES / folder / name).read_text(encoding="utf-8") == page(env_id), STALE


def test_problems_of_every_template_are_up_to_date():
    page = (SAMPLES / "metamathqa_templates.md").read_text(encoding="utf-8")
    assert page == templates_page(), STALE


def test_scores_in_the_readme_are_what_bench_finds():
    rows = score_rows()
    committed = json.loads((SAMPLES / "scores.json").read_text(encoding="utf-8"))
    assert committed == json.loads(json.dumps([asdict(row) for row in rows])), STALE
    readme = README.read_text(encoding="utf-8")
    assert with_scores(readme, rows) == readme, STALE
