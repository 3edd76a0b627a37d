"""What the base writes once for every world: reset, step, render, seeds, instances, services."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from ragen_envs import Outcome, ServiceError, TextEnv
from ragen_envs.arguments import check_choice, check_int, check_number
from ragen_envs.core import quoted
from ragen_envs.optional import require
from tests.ragen_envs.corridor import CorridorEnv


class FiveRooms(CorridorEnv):
    """A finite world: five items."""

    num_instances = 5

    def setup(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        super().setup(rng, options)
        self.row = options["instance"]


class Lossy(CorridorEnv):
    """Its service is gone."""

    def __init__(self, on_service_error: str, at: str) -> None:
        super().__init__()
        self.on_service_error = on_service_error
        self.at = at

    def setup(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        super().setup(rng, options)
        if self.at == "reset":
            raise ServiceError("index is gone")

    def act(self, action: str) -> Outcome:
        raise ServiceError("index is gone")


def test_missing_hook_raises_at_construction():
    class NoHooks(TextEnv):
        pass

    with pytest.raises(TypeError, match="abstract"):
        NoHooks()  # type: ignore[abstract]


def test_message_stands_before_the_observation_and_is_the_reason():
    env = CorridorEnv()
    env.reset(seed=0)
    observation, reward, _, _, info = env.step("jump")
    assert observation.startswith("'jump': no\n\nP")
    assert info["invalid_reason"] == "'jump': no"
    assert (reward, info["action_is_valid"], info["action_is_effective"]) == (-0.1, False, False)


@pytest.mark.parametrize("action", ["RIGHT", " right\n", "Right"])
def test_action_is_compared_without_case_and_outer_space(action: str):
    env = CorridorEnv()
    env.reset(seed=0)
    assert env.step(action)[4]["action_is_valid"]


@pytest.mark.parametrize(
    "action", ["ri ght", "right.", "go right", "r", "right right", "\U0001d42bight"]
)
def test_no_other_leniency(action: str):
    env = CorridorEnv()
    env.reset(seed=0)
    assert not env.step(action)[4]["action_is_valid"]


def test_step_without_an_episode_raises():
    env = CorridorEnv()
    with pytest.raises(ResetNeeded):
        env.step("left")
    env.reset(seed=0)
    for action in env.solution() or []:
        env.step(action)
    with pytest.raises(ResetNeeded):
        env.step("left")


def test_action_that_is_no_string_is_the_callers_mistake():
    env = CorridorEnv()
    env.reset(seed=0)
    with pytest.raises(TypeError, match="action must be a str, got int"):
        env.step(0)  # type: ignore[arg-type]


def test_nothing_is_available_after_the_end():
    env = CorridorEnv()
    _, info = env.reset(seed=0)
    assert info["available_actions"] == ("left", "right")
    for action in env.solution() or []:
        info = env.step(action)[4]
    assert info["success"]
    assert info["available_actions"] == ()


def test_reset_without_a_seed_goes_on_reproducibly():
    one, other = CorridorEnv(), CorridorEnv()
    one.reset(seed=5), other.reset(seed=5)
    other.step("right")
    seeds = [one.reset()[1]["seed"] for _ in range(5)]
    assert seeds == [other.reset()[1]["seed"] for _ in range(5)]
    assert len(set(seeds)) == 5
    # The seed in info plays the same episode again.
    assert one.reset(seed=seeds[2])[0] == other.reset(seed=seeds[2])[0]


def test_finite_world_visits_each_item_once_in_n_seeds():
    env = FiveRooms()
    rows, ids = [], []
    for seed in range(5):
        ids.append(env.reset(seed=seed)[1]["instance_id"])
        rows.append(env.row)
    assert sorted(rows) == [0, 1, 2, 3, 4]
    assert rows != [0, 1, 2, 3, 4]
    assert ids == [f"train-{row}" for row in rows]
    assert env.reset(seed=7)[1]["instance_id"] == ids[2]
    assert [env.instance_id_of(seed) for seed in range(5)] == ids


@pytest.mark.parametrize(
    "instance_id",
    [
        "test-1",
        "train",
        "train-",
        "train--1",
        "train-01",
        "train-5",
        "Train-1",
        3,
        "train-1\n",
        "train-٣",
    ],
)
def test_wrong_instance_id_raises(instance_id: Any):
    with pytest.raises(ValueError, match="instance_id must be"):
        FiveRooms().reset(seed=0, options={"instance_id": instance_id})


def test_unknown_option_raises_and_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"options must be among \['instance_id'\], got \['lvl'\]"):
        CorridorEnv().reset(seed=0, options={"lvl": 3})


def test_given_instance_id_leaves_only_chance_to_the_seed():
    env = CorridorEnv()
    env.reset(seed=3)
    chance = env.chance.random()
    _, info = env.reset(seed=3, options={"instance_id": "train-9"})
    assert (info["instance_id"], info["seed"]) == ("train-9", 3)
    assert env.chance.random() == chance
    assert env.observe() == CorridorEnv().reset(seed=9)[0]


def test_reset_does_not_change_the_callers_options():
    options = {"instance_id": "train-9"}
    CorridorEnv().reset(seed=0, options=options)
    assert options == {"instance_id": "train-9"}


def test_render_is_the_last_observation():
    env = CorridorEnv(render_mode="ansi")
    with pytest.raises(ResetNeeded):
        env.render()
    observation, _ = env.reset(seed=0)
    assert env.render() == observation
    assert env.step("jump")[0] == env.render()
    plain = CorridorEnv()
    plain.reset(seed=0)
    assert plain.render() is None


def test_service_error_is_raised_by_default():
    env = Lossy("raise", "step")
    env.reset(seed=0)
    with pytest.raises(ServiceError, match="index is gone"):
        env.step("left")
    with pytest.raises(ServiceError, match="index is gone"):
        Lossy("raise", "reset").reset(seed=0)


@pytest.mark.parametrize("at", ["reset", "step"])
def test_service_error_may_truncate_and_shows_the_model_nothing(at: str):
    env = Lossy("truncate", at)
    observation, info = env.reset(seed=0)
    assert bool(info["error"]) == (at == "reset")
    assert "gone" not in observation
    observation, reward, terminated, truncated, info = env.step("left")
    assert (observation, reward, terminated, truncated) == ("", 0.0, False, True)
    assert info["error"] == "index is gone"
    assert not info["success"]
    with pytest.raises(ResetNeeded):
        env.step("left")


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"split": "dev"}, "split must be one of .*, got 'dev'"),
        ({"render_mode": "human"}, r"render_mode must be one of \['ansi'\], got 'human'"),
    ],
)
def test_wrong_argument_raises(kwargs: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        CorridorEnv(**kwargs)


def test_quoted_text_is_short_printable_and_on_one_line():
    assert quoted("a\nb\x00") == "'a\\nb\\x00'"
    assert len(quoted("\ud800" * 100_000)) < 500
    assert quoted("\ud800").encode("utf-8")


def test_argument_checks_name_argument_rule_and_value():
    with pytest.raises(ValueError, match=r"n must be in \[1, 5\], got 9"):
        check_int("n", 9, 1, 5)
    for wrong in (True, 1.0, "1"):
        with pytest.raises(TypeError, match="n must be an int"):
            check_int("n", wrong, 1)
    with pytest.raises(ValueError, match=r"p must be in \[0.0, 1.0\], got nan"):
        check_number("p", float("nan"), 0.0, 1.0)
    with pytest.raises(TypeError, match="p must be a number, got True"):
        check_number("p", True, 0.0, 1.0)
    with pytest.raises(ValueError, match=r"c must be one of \['a'\], got 'b'"):
        check_choice("c", "b", ("a",))


def test_require_names_the_extra():
    with pytest.raises(ImportError, match=r"pip install 'ragen-envs\[vllm\]'"):
        require("no_such_module_xyz", extra="vllm")
    assert require("json", extra="vllm").loads("1") == 1


def test_env_whose_first_reset_raised_can_be_reset_again():
    env = gym.make("ragen/FrozenLake-v0")
    with pytest.raises(ValueError, match="options must be among"):
        env.reset(seed=0, options={"bogus": 1})
    env.reset(seed=0)
    assert env.step("Up")[4]["action_is_valid"]
