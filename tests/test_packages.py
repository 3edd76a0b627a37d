"""The packages: what they import, what they export, and that they are what setup.cfg says."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("ragen_envs", "agent", "trainers", "benchmarks")
HEAVY = ("torch", "transformers", "vllm", "requests", "bs4", "pettingzoo", "click", "rich",
         "fastapi", "matplotlib", "datasets", "scipy", "pandas")  # fmt: skip


@pytest.mark.parametrize("package", PACKAGES)
def test_import_reaches_no_heavy_module(package: str):
    code = f"import json, sys, {package}; print(json.dumps(sorted(sys.modules)))"
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert not set(HEAVY) & set(json.loads(output))


@pytest.mark.parametrize("package", PACKAGES)
def test_every_exported_name_exists(package: str):
    module = importlib.import_module(package)
    for name in getattr(module, "__all__", ()):
        assert hasattr(module, name)
    assert list(getattr(module, "__all__", ())) == sorted(getattr(module, "__all__", ()))


@pytest.mark.parametrize("package", PACKAGES)
def test_package_is_typed(package: str):
    assert (ROOT / package / "py.typed").exists()


def test_version_is_the_installed_one():
    import ragen_envs

    assert ragen_envs.__version__ == version("ragen-envs")


def test_commands_are_installed():
    names = {entry.name for entry in entry_points(group="ragen.commands")}
    assert names >= {"bench", "envs", "play"}


def test_every_folder_of_tests_is_a_package():
    # Without it, tests/agent would shadow agent.
    for folder in (ROOT / "tests").rglob("*.py"):
        assert (folder.parent / "__init__.py").exists(), folder.parent
