"""gym.make_vec of every id equals Gymnasium's own vector envs, step for step and info for info."""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as wrappers

from ragen_envs import TextVectorEnv
from ragen_envs.registration import ENVIRONMENTS
from ragen_envs.transcripts import NOT_AN_ACTION

IDS = [row.id for row in ENVIRONMENTS]
NUM_ENVS = 3
# Short, so that episodes end by their limit as well as by themselves.
LIMIT = 6


def actions_of(env_id: str, steps: int) -> list[tuple[str, ...]]:
    """Actions that do not depend on the state: of a single env, at seeds of their own."""
    env = gym.make(env_id).unwrapped
    rng = np.random.default_rng(0)
    batches = []
    for step in range(steps):
        batch = []
        for _ in range(NUM_ENVS):
            env.reset(seed=step)
            batch.append(env.random_action(rng))  # type: ignore[attr-defined]
        batches.append(tuple(batch))
    batches[2] = (NOT_AN_ACTION, *batches[2][1:])
    return batches


def trace(envs: Any, env_id: str, mode: AutoresetMode, steps: int = 20) -> list[Any]:
    """Everything that a vector env returns over some steps."""
    events = [envs.reset(seed=11)]
    done = np.zeros(NUM_ENVS, dtype=np.bool_)
    for actions in actions_of(env_id, steps):
        if mode is AutoresetMode.DISABLED and done.any():
            events.append(envs.reset(options={"reset_mask": done}))
        events.append(envs.step(actions))
        done = events[-1][2] | events[-1][3]
    envs.close()
    return events


def limit_of(env_id: str) -> dict[str, int]:
    return {} if gym.spec(env_id).max_episode_steps is None else {"max_episode_steps": LIMIT}


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("env_id", IDS)
def test_make_vec_equals_sync_and_async(env_id: str, mode: AutoresetMode):
    limit = limit_of(env_id)
    ours = gym.make_vec(env_id, NUM_ENVS, autoreset_mode=mode, **limit)
    assert isinstance(ours, TextVectorEnv)
    expected = trace(ours, env_id, mode)
    for vectorization, options in (("sync", {}), ("async", {"shared_memory": False})):
        theirs = gym.make_vec(
            env_id,
            NUM_ENVS,
            vectorization_mode=vectorization,
            vector_kwargs={"autoreset_mode": mode, **options},
            **limit,
        )
        for event, other in zip(expected, trace(theirs, env_id, mode), strict=True):
            assert data_equivalence(event, other, exact=True)


@pytest.mark.parametrize("env_id", IDS)
def test_observations_are_tuples_of_strings_in_the_space(env_id: str):
    envs = gym.make_vec(env_id, NUM_ENVS)
    observations, infos = envs.reset(seed=0)
    assert observations in envs.observation_space
    assert infos["seed"].tolist() == [0, 1, 2]
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert envs.num_envs == NUM_ENVS


@pytest.mark.parametrize("mode", [mode.value for mode in AutoresetMode])
def test_autoreset_mode_may_be_a_string_and_the_spec_is_json(mode: str):
    envs = gym.make_vec("ragen/FrozenLake-v0", 2, autoreset_mode=mode)
    assert envs.metadata["autoreset_mode"] is AutoresetMode(mode)
    assert envs.spec is not None
    envs.spec.to_json()
    again = gym.make_vec(envs.spec)
    assert again.reset(seed=3)[0] == envs.reset(seed=3)[0]


def test_time_limit_is_per_env():
    envs = gym.make_vec("ragen/FrozenLake-v0", 2, max_episode_steps=3, autoreset_mode="Disabled")
    envs.reset(seed=0)
    for _ in range(2):
        assert not envs.step((NOT_AN_ACTION,) * 2)[3].any()
    envs.reset(options={"reset_mask": np.array([True, False])})
    assert envs.step((NOT_AN_ACTION,) * 2)[3].tolist() == [False, True]


def test_reset_mask_resets_only_those():
    envs = gym.make_vec("ragen/FrozenLake-v0", 3, autoreset_mode="Disabled")
    before, _ = envs.reset(seed=0)
    mask = np.array([False, True, False])
    after, infos = envs.reset(seed=[None, 77, None], options={"reset_mask": mask})
    assert infos["_seed"].tolist() == mask.tolist()
    assert infos["seed"][1] == 77
    assert (after[0], after[2]) == (before[0], before[2])


def test_shared_memory_fails_loudly():
    with pytest.raises(ValueError, match="shared_memory=False"):
        gym.make_vec("ragen/FrozenLake-v0", 2, vectorization_mode="async")


@pytest.mark.parametrize("mode", [mode.value for mode in AutoresetMode if mode.value != "Disabled"])
def test_record_episode_statistics_counts_returns_and_lengths(mode: str):
    envs = wrappers.RecordEpisodeStatistics(
        gym.make_vec("ragen/Sokoban-v0", 2, max_episode_steps=4, autoreset_mode=mode)
    )
    envs.reset(seed=0)
    for _ in range(4):
        *_, infos = envs.step((NOT_AN_ACTION,) * 2)
    # Newer Gymnasium puts them with the other facts about the episode that has ended.
    episode = infos["episode"] if "episode" in infos else infos["final_info"]["episode"]
    assert episode["l"].tolist() == [4, 4]
    assert episode["r"].tolist() == pytest.approx([-0.4, -0.4])


def test_vector_wrappers_that_work_with_text():
    def make() -> Any:
        return gym.make_vec("ragen/Sokoban-v0", 2)

    listed = wrappers.DictInfoToList(make())
    assert [info["seed"] for info in listed.reset(seed=0)[1]] == [0, 1]
    shouted = wrappers.TransformObservation(make(), lambda texts: tuple(t.lower() for t in texts))
    assert all(text == text.lower() for text in shouted.reset(seed=0)[0])
    doubled = wrappers.TransformReward(make(), lambda rewards: 2 * rewards)
    doubled.reset(seed=0)
    assert doubled.step((NOT_AN_ACTION,) * 2)[1].tolist() == pytest.approx([-0.2, -0.2])
    clipped = wrappers.ClipReward(make(), -0.05, 0.05)
    clipped.reset(seed=0)
    assert clipped.step((NOT_AN_ACTION,) * 2)[1].tolist() == pytest.approx([-0.05, -0.05])
    upper = wrappers.TransformAction(make(), lambda actions: tuple(a.upper() for a in actions))
    upper.reset(seed=0)
    assert upper.step(("left", "up"))[4]["action_is_valid"].all()


def test_vector_env_can_be_pickled():
    envs = gym.make_vec("ragen/FrozenLake-v0", 2)
    envs.reset(seed=0)
    twin = pickle.loads(pickle.dumps(envs))
    assert data_equivalence(twin.step(("Left", "Up")), envs.step(("Left", "Up")), exact=True)


def test_wrong_arguments_raise():
    with pytest.raises(ValueError, match="num_envs must be >= 1, got 0"):
        gym.make_vec("ragen/FrozenLake-v0", 0)
    with pytest.raises(ValueError, match="max_episode_steps must be >= 1, got 0"):
        gym.make_vec("ragen/FrozenLake-v0", 1, max_episode_steps=0)
    with pytest.raises(ValueError, match="'Never' is not a valid AutoresetMode"):
        gym.make_vec("ragen/FrozenLake-v0", 1, autoreset_mode="Never")
