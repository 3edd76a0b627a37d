"""The modules that other people's loops import load numpy, and no torch."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.test_packages import HEAVY


@pytest.mark.parametrize("module", ["filters", "mutual_information", "mi_sampling"])
def test_import_reaches_no_heavy_module(module: str):
    code = f"import json, sys, trainers.{module}; print(json.dumps(sorted(sys.modules)))"
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert not set(HEAVY) & set(json.loads(output))
