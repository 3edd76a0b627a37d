"""Procedural problems in the eight MetaMath types, with exact answers.

`generate` draws one; `TEMPLATES` is what it draws from. To add a template, add it to the module of
its topic, and its second computation to `tests/ragen_envs/metamathqa/test_problems.py`.
"""

from ragen_envs.metamathqa.problems.catalogue import TEMPLATES, TOPICS
from ragen_envs.metamathqa.problems.generator import (
    DIFFICULTIES,
    METHODS,
    SOURCES,
    TYPES,
    Problem,
    generate,
    pose,
)

__all__ = [
    "DIFFICULTIES",
    "METHODS",
    "SOURCES",
    "TEMPLATES",
    "TOPICS",
    "TYPES",
    "Problem",
    "generate",
    "pose",
]
