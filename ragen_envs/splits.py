"""Splits: train, validation and test, disjoint because content decides, never a seed range."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TypeVar

SPLITS = ("train", "validation", "test")
MAX_DRAWS = 1_000

# Half of all content is for training and a quarter each for validation and test.
_BUCKETS = ("train", "train", "validation", "test")

T = TypeVar("T")


def split_of(content: str) -> str:
    """The split that a piece of content belongs to, the same in every process.

    Args:
        content: Canonical text of what makes the task (level, map, sorted numbers and target).
    """
    digest = hashlib.blake2b(content.encode("utf-8"), digest_size=8).digest()
    return _BUCKETS[digest[0] % len(_BUCKETS)]


def draw_in_split(draw: Callable[[], tuple[str, T]], split: str, hint: str) -> T:
    """Draw candidates until one falls in the split.

    Args:
        draw: Returns `(content, candidate)`, a new one at each call.
        split: One of `SPLITS`.
        hint: The arguments that make the content space small, named in the error.

    Raises:
        ValueError: None of `MAX_DRAWS` candidates fell in the split.
    """
    for _ in range(MAX_DRAWS):
        content, candidate = draw()
        if split_of(content) == split:
            return candidate
    raise ValueError(f"no instance of split {split!r} in {MAX_DRAWS} draws: {hint} leaves too few")
