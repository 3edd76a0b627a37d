"""Splits are disjoint because content decides."""

from __future__ import annotations

from collections import Counter

import gymnasium as gym
import numpy as np
import pytest

from ragen_envs.registration import ENVIRONMENTS
from ragen_envs.splits import MAX_DRAWS, SPLITS, draw_in_split, split_of

# Seeds per split; a new instance of these ids costs milliseconds rather than microseconds.
SEEDS = {"ragen/SokobanHard-v0": 200, "ragen/SokobanLarge-v0": 200, "ragen/CountdownHard-v0": 200}


@pytest.mark.parametrize("env_id", [row.id for row in ENVIRONMENTS])
def test_no_instance_is_shared_between_splits(env_id: str):
    contents = {}
    for split in SPLITS:
        env = gym.make(env_id, split=split).unwrapped
        contents[split] = set()
        for seed in range(SEEDS.get(env_id, 10_000 if split != "validation" else 1_000)):
            env.reset(seed=seed)
            contents[split].add(env.content())  # type: ignore[attr-defined]
        assert {split_of(content) for content in contents[split]} == {split}
    assert not contents["train"] & contents["test"]
    assert not contents["validation"] & (contents["train"] | contents["test"])


def test_half_of_all_content_is_for_training():
    counts = Counter(split_of(str(n)) for n in range(20_000))
    assert counts["train"] == pytest.approx(10_000, abs=350)
    assert counts["validation"] == pytest.approx(5_000, abs=300)


def test_split_of_a_content_never_changes():
    # Frozen: a changed hash would mix published train and test sets.
    assert [split_of(text) for text in ("a", "b", "c", "√")] == ["train", "train", "test", "train"]


def test_draw_stops_and_names_the_argument_when_a_split_is_empty():
    content = next(str(n) for n in range(100) if split_of(str(n)) == "train")
    draws = []

    def draw() -> tuple[str, int]:
        draws.append(1)
        return content, 1

    with pytest.raises(ValueError, match="no instance of split 'test' in 1000 draws: size=2"):
        draw_in_split(draw, "test", "size=2")
    assert len(draws) == MAX_DRAWS
    assert draw_in_split(draw, "train", "size=2") == 1


def test_draw_returns_the_candidate_of_the_content():
    rng = np.random.default_rng(0)

    def draw() -> tuple[str, int]:
        number = int(rng.integers(1_000))
        return str(number), number

    assert split_of(str(draw_in_split(draw, "test", "x"))) == "test"
