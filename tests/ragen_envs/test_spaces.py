"""TextSpace holds every string and behaves in Gymnasium's containers and vector envs."""

from __future__ import annotations

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array

from ragen_envs import TextSpace


@pytest.mark.parametrize("text", ["", " ", "a b\nc", "√é🧊", "\x00", "\ud800", "x" * 100_000])
def test_every_string_is_contained(text: str):
    assert text in TextSpace()


@pytest.mark.parametrize("thing", [None, 1, b"a", ["a"], np.array("a")])
def test_what_is_no_string_is_not_contained(thing: object):
    assert thing not in TextSpace()


def test_sample_draws_from_the_examples_or_makes_up_words():
    space = TextSpace(["a", "b"], seed=0)
    assert {space.sample() for _ in range(50)} == {"a", "b"}
    word = TextSpace(seed=0).sample()
    assert word.isascii()
    assert word.isalpha()
    assert 1 <= len(word) <= 8


def test_sample_is_fixed_by_the_seed():
    def samples(seed: int) -> list[str]:
        space = TextSpace()
        space.seed(seed)
        return [space.sample() for _ in range(10)]

    assert samples(1) == samples(1)
    assert samples(1) != samples(2)


def test_mask_and_probability_choose_among_the_examples():
    space = TextSpace(["a", "b", "c"], seed=0)
    assert {space.sample(mask=np.array([0, 1, 0], dtype=np.int8)) for _ in range(20)} == {"b"}
    weights = np.array([0.5, 0.0, 0.5])
    assert {space.sample(probability=weights) for _ in range(50)} == {"a", "c"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mask": np.ones(3), "probability": np.ones(3) / 3}, "mask or probability, not both"),
        ({"mask": np.ones(2)}, r"mask must have shape \(3,\).*got \(2,\)"),
        ({"mask": np.zeros(3)}, "allow at least one example"),
        ({"probability": np.array([0.25, 0.25, 0.25])}, "probability must sum to 1, got 0.75"),
        ({"probability": np.array([2.0, -0.5, -0.5])}, "probability must be >= 0"),
    ],
)
def test_wrong_mask_raises(arguments: dict[str, np.ndarray], message: str):
    with pytest.raises(ValueError, match=message):
        TextSpace(["a", "b", "c"]).sample(**arguments)


def test_example_that_is_no_string_raises():
    with pytest.raises(TypeError, match="examples must be strings, got 1"):
        TextSpace([1])  # type: ignore[list-item]


def test_any_two_are_equal_and_nothing_else_is():
    assert TextSpace(["a"]) == TextSpace()
    assert hash(TextSpace(["a"])) == hash(TextSpace())
    assert TextSpace() != gym.spaces.Text(5)


def test_copies_and_json_keep_it():
    space = TextSpace(["a"])
    for twin in (copy.deepcopy(space), pickle.loads(pickle.dumps(space))):
        assert twin == space
        assert twin.examples == ("a",)
    assert space.from_jsonable(space.to_jsonable(["a", "é"])) == ["a", "é"]


def test_it_batches_to_a_tuple_and_is_not_flattened():
    space = TextSpace()
    batch = batch_space(space, 2)
    assert batch == gym.spaces.Tuple((space, space))
    assert concatenate(space, ["a", "b"], create_empty_array(space, 2)) == ("a", "b")
    assert space.is_np_flattenable is False
    assert ("a", {"t": "b"}) in gym.spaces.Tuple((space, gym.spaces.Dict(t=space)))
