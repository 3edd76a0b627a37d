"""Rollouts give the same episodes in any order, batch and number of threads."""

from __future__ import annotations

import copy
import random  # noqa: TID251 (to prove that the global generator is neither read nor set)
import threading
import time
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from agent import (
    Conversation,
    LLMAgentWrapper,
    OracleAgent,
    RandomAgent,
    Response,
    ScriptedAgent,
    collect,
    iter_episodes,
)
from agent.rollout import IN_FLIGHT, member_seed, turn_seed
from ragen_envs.core import Outcome, ServiceError
from ragen_envs.registration import ENVIRONMENTS
from tests.ragen_envs.corridor import CorridorEnv

IDS = [row.id for row in ENVIRONMENTS]


class FaultyEnv(CorridorEnv):
    """Raises, hangs or loses its service in some instances, when told to."""

    def __init__(self, fault: str = "", on_service_error: str = "raise", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.fault = fault
        self.on_service_error = on_service_error
        self.number = 0

    def setup(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        super().setup(rng, options)
        self.number = options["instance"]
        if self.fault == "reset" and self.number == 1:
            raise RuntimeError("no such level")
        if self.fault == "service at reset" and self.number == 1:
            raise ServiceError("index is gone")

    def act(self, action: str) -> Outcome:
        if self.number == 1:
            if self.fault == "step":
                raise RuntimeError("wall is missing")
            if self.fault == "exit":
                raise SystemExit(3)
            if self.fault == "service":
                raise ServiceError("index is gone")
            if self.fault == "hang":
                time.sleep(5)
        return super().act(action)


@pytest.fixture
def faulty() -> Iterator[str]:
    gym.register("tests/Faulty-v0", entry_point=FaultyEnv, max_episode_steps=10)
    yield "tests/Faulty-v0"
    del gym.registry["tests/Faulty-v0"]


def test_seeds_are_what_the_definition_says():
    assert 0 <= member_seed(0, "test-1", 0) < 2**31
    seeds = {member_seed(s, f"test-{i}", m) for s in range(3) for i in range(30) for m in range(30)}
    assert len(seeds) == 2700
    # Frozen: a recorded episode must be played again with the same seed for ever.
    assert member_seed(0, "test-1", 0) == 705352361
    assert turn_seed(0, "test-1", 0, 0) == 12043797167320939981


@pytest.mark.parametrize("env_id", IDS)
def test_episodes_do_not_depend_on_batches_threads_or_order(env_id: str):
    ids = [f"train-{n}" for n in range(6)]
    alone = [collect(env_id, RandomAgent(), [i], 2)[m] for i in ids for m in range(2)]
    assert collect(env_id, RandomAgent(), ids, 2) == alone
    assert collect(env_id, RandomAgent(), ids, 2, workers=3) == alone
    turned = collect(env_id, RandomAgent(), ids[::-1], 2)
    assert sorted(turned, key=lambda e: e.instance_id) == alone


@pytest.mark.parametrize("env_id", IDS)
def test_oracle_solves_most_instances(env_id: str):
    episodes = collect(env_id, OracleAgent(), range(12))
    solved = sum(episode.success for episode in episodes)
    assert solved >= (9 if episodes[0].env_id.startswith("ragen/FrozenLake") else 12)
    assert all(not episode.error for episode in episodes)


def test_members_share_the_instance_and_nothing_else():
    episodes = collect("ragen/FrozenLake-v0", RandomAgent(), ["train-3"], 8)
    assert len({episode.seed for episode in episodes}) == 8
    assert len({episode.turns[0].observation for episode in episodes}) == 1
    assert len({episode.turns[0].actions for episode in episodes}) > 1


def test_ints_mean_the_instance_that_reset_plays():
    episodes = collect("ragen/Countdown-v0", RandomAgent(), [3, "train-9"])
    assert [episode.instance_id for episode in episodes] == ["train-3", "train-9"]
    env = LLMAgentWrapper(gym.make("ragen/Countdown-v0"))
    assert env.reset(seed=3)[0] == episodes[0].turns[0].observation


@pytest.mark.parametrize("window", [None, 0, 2])
def test_recorded_chat_is_what_the_agent_saw(window: int | None):
    seen: dict[tuple[str, int], list[Any]] = {}

    def reply(conversation: Conversation) -> str:
        info = conversation.info
        seen[info["instance_id"], info["turn"]] = copy.deepcopy(list(conversation.messages))
        conversation.messages[0]["content"] = "an agent may do this to its copy"
        return ["<think>a</think><answer>Left || Up</answer>", "junk", "<answer>Down</answer>"][
            info["turn"] % 3
        ]

    episodes = collect(
        "ragen/FrozenLake-v0", ScriptedAgent(reply), range(5), wrapper_kwargs={"window": window}
    )
    assert sum(len(episode.turns) for episode in episodes) == len(seen)
    for episode in episodes:
        for turn in episode.turns:
            messages = seen[episode.instance_id, turn.index]
            assert episode.messages(turn.index) == messages
            assert messages[-1]["content"] == turn.observation


def test_done_members_are_skipped():
    done = [("train-0", 0), ("train-1", 1)]
    episodes = collect("ragen/Countdown-v0", RandomAgent(), range(2), 2, done=done)
    assert [(e.instance_id, e.member) for e in episodes] == [("train-0", 1), ("train-1", 0)]


def test_episodes_come_as_they_finish_and_few_are_under_way():
    under_way: list[int] = []

    class Counting(RandomAgent):
        def respond(self, conversations: Any) -> list[Response]:
            under_way.append(len(conversations))
            return super().respond(conversations)

    episodes = iter_episodes("ragen/Countdown-v0", Counting(), range(200))
    next(episodes)
    assert under_way == [IN_FLIGHT]
    assert len(list(episodes)) == 199
    assert max(under_way) == IN_FLIGHT


@pytest.mark.parametrize(
    ("fault", "error", "turns"),
    [
        ("reset", "RuntimeError: no such level", 0),
        ("step", "RuntimeError: wall is missing", 1),
        ("exit", "SystemExit: 3", 1),
        ("service", "ServiceError: index is gone", 1),
        ("service at reset", "ServiceError: index is gone", 0),
    ],
)
@pytest.mark.parametrize("workers", [None, 2])
def test_world_that_raises_ends_its_own_episode(
    faulty: str, fault: str, error: str, turns: int, workers: int | None
):
    kwargs = {"fault": fault}
    episodes = collect(faulty, OracleAgent(), range(40), env_kwargs=kwargs, workers=workers)
    failed = [episode for episode in episodes if episode.error]
    assert [(e.instance_id, e.error, len(e.turns)) for e in failed] == [("train-1", error, turns)]
    assert not failed[0].success
    assert all(turn.ended_by == "error" for turn in failed[0].turns)
    assert sum(episode.success for episode in episodes) == 39


@pytest.mark.parametrize("fault", ["service", "service at reset"])
def test_service_error_may_truncate_with_reward_0(faulty: str, fault: str):
    kwargs = {"fault": fault, "on_service_error": "truncate"}
    episodes = collect(faulty, OracleAgent(), range(3), env_kwargs=kwargs)
    assert [episode.error for episode in episodes] == ["", "index is gone", ""]
    assert episodes[1].total_return == 0
    assert episodes[1].truncated
    assert not any("index is gone" in str(turn) for turn in episodes[1].turns)
    assert "index is gone" not in episodes[1].final_observation


def test_world_that_hangs_ends_its_own_episode(faulty: str):
    kwargs = {"fault": "hang"}
    started = time.monotonic()
    episodes = collect(faulty, OracleAgent(), range(8), env_kwargs=kwargs, workers=2, deadline=0.5)
    assert time.monotonic() - started < 4
    errors = {episode.instance_id: episode.error for episode in episodes if episode.error}
    assert errors == {"train-1": "TimeoutError: the world took longer than 0.5 s"}


def test_threads_end_with_the_rollout():
    before = set(threading.enumerate())
    collect("ragen/Countdown-v0", RandomAgent(), range(4), workers=4)
    deadline = time.monotonic() + 5
    while set(threading.enumerate()) - before:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_exception_of_the_agent_is_the_callers():
    def fail(_: Conversation) -> str:
        raise RuntimeError("server is down")

    with pytest.raises(RuntimeError, match="server is down"):
        collect("ragen/Countdown-v0", ScriptedAgent(fail), range(2))


def test_agent_that_returns_too_few_responses_raises():
    class Lazy:
        def respond(self, conversations: Any) -> list[Response]:
            return []

    with pytest.raises(ValueError, match=r"Lazy\.respond must return one Response a conversation"):
        collect("ragen/Countdown-v0", Lazy(), range(2))


@pytest.mark.parametrize("responses", [["text"], [Response("a"), Response("b")], None])
def test_agent_that_returns_something_else_raises_and_is_named(responses: Any):
    class Odd:
        def respond(self, conversations: Any) -> Any:
            return responses if responses is None else list(responses)

    with pytest.raises((ValueError, TypeError), match=r"Odd|NoneType"):
        collect("ragen/Countdown-v0", Odd(), [0])


def test_response_that_is_no_text_is_the_agents_mistake():
    with pytest.raises(TypeError, match="text must be a str, got 3"):
        Response(3)  # type: ignore[arg-type]


def test_pairs_that_were_read_from_json_are_done():
    episodes = collect("ragen/Countdown-v0", RandomAgent(), [0], 2, done=[["train-0", 0]])
    assert [episode.member for episode in episodes] == [1]


def test_text_env_that_is_no_subclass_is_played():
    class Plain(gym.Wrapper):  # hides everything but the contract
        def has_wrapper_attr(self, name: str) -> bool:
            shown = ("instructions", "actions_per_turn", "solution", "stochastic")
            return name in shown and super().has_wrapper_attr(name)

        def get_wrapper_attr(self, name: str) -> Any:
            if not self.has_wrapper_attr(name):
                raise AttributeError(name)
            return super().get_wrapper_attr(name)

    gym.register("tests/Plain-v0", entry_point=lambda **kwargs: Plain(CorridorEnv(**kwargs)))
    try:
        for agent in (OracleAgent(), RandomAgent()):
            episodes = collect("tests/Plain-v0", agent, range(3), wrapper_kwargs={"max_turns": 9})
            assert [e.instance_id for e in episodes] == ["train-0", "train-1", "train-2"]
            assert not any(episode.error for episode in episodes)
    finally:
        del gym.registry["tests/Plain-v0"]


def test_rollout_that_is_never_read_starts_no_thread():
    before = set(threading.enumerate())
    iter_episodes("ragen/Countdown-v0", RandomAgent(), [0], workers=4)
    assert set(threading.enumerate()) == before


def test_how_an_episode_ended_is_recorded():
    script = ScriptedAgent(["<think></think><answer>jump</answer>"])
    (cut,) = collect("ragen/FrozenLake-v0", script, [0], wrapper_kwargs={"max_turns": 3})
    assert [turn.ended_by for turn in cut.turns] == [None, None, "max_turns"]
    (limit,) = collect("ragen/FrozenLakeDeterministic-v0", script, [0])
    assert limit.turns[-1].ended_by == "truncated"
    assert len(limit.turns) == 10
    (solved,) = collect("ragen/FrozenLakeDeterministic-v0", OracleAgent(), [0])
    assert solved.turns[-1].ended_by == "terminated"


def test_global_random_state_is_neither_read_nor_set():
    before = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    collect("ragen/FrozenLake-v0", RandomAgent(), range(3))
    after = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    assert before == after


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"group_size": 0}, "group_size must be >= 1, got 0"),
        ({"workers": 0}, "workers must be >= 1, got 0"),
        ({"deadline": 1.0}, "deadline needs workers, got deadline 1.0 without"),
        ({"deadline": 0, "workers": 1}, "deadline must be in .* got 0"),
        ({"deadline": float("inf"), "workers": 1}, "deadline must be in .* got inf"),
        ({"seed": -1}, "seed must be >= 0, got -1"),
        ({"done": "train-0"}, r"done must hold \(instance_id, member\) pairs, got 't'"),
        ({"wrapper_kwargs": {"window": -1}}, "window must be >= 0, got -1"),
        ({"instances": [0, "train-0"]}, "instances must be distinct, got 'train-0' twice"),
        ({"instances": ["test-0"]}, "instance_id must be 'train-<number>' in this env"),
        ({"instances": [-1]}, "instances must be >= 0, got -1"),
    ],
)
def test_wrong_argument_raises_at_once(kwargs: dict[str, Any], message: str):
    arguments = {"instances": [0], **kwargs}
    with pytest.raises(ValueError, match=message):
        iter_episodes("ragen/Countdown-v0", RandomAgent(), **arguments)


def test_env_kwargs_that_are_no_json_raise():
    with pytest.raises(TypeError, match="env_kwargs must be JSON"):
        iter_episodes("ragen/Countdown-v0", RandomAgent(), [0], env_kwargs={"needs": object()})
