"""The examples in the documentation run, and its generated parts are up to date."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
MAX_WORLD_LINES = 40


def blocks(page: str) -> list[str]:
    return PYTHON.findall((ROOT / page).read_text(encoding="utf-8"))


def _numbers(page: str) -> range:
    return range(len(blocks(page)))


def run(code: str, folder: Path) -> str:
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize(
    ("page", "number"),
    [(page, number) for page in ("README.md", "docs/own_loop.md") for number in _numbers(page)],
)
def test_python_of_the_page_runs(page: str, number: int, tmp_path: Path):
    run(blocks(page)[number], tmp_path)


def test_world_of_the_page_keeps_the_contract_and_is_played(tmp_path: Path):
    world, use = blocks("docs/write_a_world.md")
    lines = [line for line in world.splitlines() if line.strip()]
    assert len(lines) < MAX_WORLD_LINES
    (tmp_path / "higher_lower.py").write_text(world, encoding="utf-8")
    assert run(use, tmp_path).splitlines()[1] == "oracle 20 of 20"
    # The installed command, in the folder of the module, as the page says.
    ragen = Path(sys.executable).with_name("ragen")
    command = [str(ragen), "bench", "higher_lower:mine/HigherLower-v0", "-n", "10", "-o", "run"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "mine/HigherLower-v0" in result.stdout


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "docs/write_a_world.md", "docs/own_loop.md"]
)
def test_links_to_files_lead_somewhere(page: str):
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        assert ((ROOT / page).parent / target).exists(), target
