"""Grouped rollouts: an agent plays many episodes, which are yielded as they finish."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gymnasium as gym

from agent.agents import Agent, Conversation
from agent.episode import SCHEMA, Episode, Response, Sampling, Turn
from agent.prompts import Message, message
from agent.stepping import StepPool
from agent.wrapper import LLMAgentWrapper
from ragen_envs.arguments import check_int, check_number

IN_FLIGHT = 32

_Step = tuple[str, float, bool, bool, dict[str, Any]]

# What the turn of a reply that made the world raise records.
_NOTHING_PLAYED: dict[str, Any] = {
    "actions": (),
    "action_rewards": (),
    "env_reward": 0.0,
    "format_penalty": 0.0,
    "invalid_reason": "",
}


def member_seed(seed: int, instance_id: str, member: int) -> int:
    """Episode seed of a group member: the first 31 bits of blake2b(seed, instance_id, member)."""
    return _digest(seed, instance_id, member) >> 33


def turn_seed(seed: int, instance_id: str, member: int, turn: int) -> int:
    """Seed of an agent's reply: 64 bits of blake2b(seed, instance_id, member, turn)."""
    return _digest(seed, instance_id, member, turn)


def _digest(*parts: int | str) -> int:
    # JSON keeps the parts apart: (1, "23") and (12, "3") must differ.
    text = json.dumps(parts).encode("ascii")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def collect(
    env_id: str,
    agent: Agent,
    instances: Sequence[int | str],
    group_size: int = 1,
    *,
    env_kwargs: Mapping[str, Any] | None = None,
    wrapper_kwargs: Mapping[str, Any] | None = None,
    seed: int = 0,
    done: Iterable[tuple[str, int]] = (),
    workers: int | None = None,
    deadline: float | None = None,
) -> list[Episode]:
    """All episodes of `iter_episodes`, ordered by (instance, member)."""
    ids = _instance_ids(env_id, dict(env_kwargs or {}), instances)
    episodes = iter_episodes(
        env_id,
        agent,
        ids,
        group_size,
        env_kwargs=env_kwargs,
        wrapper_kwargs=wrapper_kwargs,
        seed=seed,
        done=done,
        workers=workers,
        deadline=deadline,
    )
    order = {instance_id: i for i, instance_id in enumerate(ids)}
    return sorted(episodes, key=lambda e: (order[e.instance_id], e.member))


def iter_episodes(
    env_id: str,
    agent: Agent,
    instances: Sequence[int | str],
    group_size: int = 1,
    *,
    env_kwargs: Mapping[str, Any] | None = None,
    wrapper_kwargs: Mapping[str, Any] | None = None,
    seed: int = 0,
    done: Iterable[tuple[str, int]] = (),
    workers: int | None = None,
    deadline: float | None = None,
) -> Iterator[Episode]:
    """Play each instance `group_size` times and yield each episode when it finishes.

    At most `IN_FLIGHT` episodes are under way, so memory does not grow with their number; whenever
    worlds are ready, the agent answers all of them in one call. Results depend on neither the
    order nor the batches. An exception in a world ends its own episode, with the error recorded;
    an exception in the agent is the caller's.

    Args:
        env_id: Gymnasium id of a text world.
        agent: Who plays.
        instances: Instance ids, or ints s for the instance that `reset(seed=s)` plays.
        group_size: Episodes per instance; the members share the instance and nothing else.
        env_kwargs: Constructor arguments of the world, all of them JSON.
        wrapper_kwargs: Arguments of `LLMAgentWrapper`.
        seed: Run seed; member m is reset with `member_seed(seed, instance_id, m)`.
        done: `(instance_id, member)` pairs to skip.
        workers: Threads that step worlds; None steps them one by one in this thread.
        deadline: Seconds that a world may take for one action's turn; needs workers.

    Raises:
        ValueError: An argument is outside its range, an instance occurs twice, or the agent does
            not return a Response for each conversation.
        TypeError: An argument is of the wrong type, or `env_kwargs` is not JSON.
    """
    check_int("group_size", group_size, 1)
    if workers is not None:
        check_int("workers", workers, 1)
    check_int("seed", seed, 0)
    if deadline is not None:
        check_number("deadline", deadline, 0.001, threading.TIMEOUT_MAX)
        if workers is None:
            raise ValueError(f"deadline needs workers, got deadline {deadline} without")
    kwargs = dict(env_kwargs or {})
    try:
        json.dumps(kwargs)
    except (TypeError, ValueError) as error:
        raise TypeError(f"env_kwargs must be JSON, got {kwargs}: {error}") from error
    ids = _instance_ids(env_id, kwargs, instances)
    skip = {_member(pair) for pair in done}
    keys = ((i, m) for i in ids for m in range(group_size) if (i, m) not in skip)
    run = _Run(env_id, agent, kwargs, dict(wrapper_kwargs or {}), seed)
    run.idle.append(run.make())  # wrong wrapper_kwargs raise here
    return run.episodes(keys, StepPool(workers, deadline))


def _instance_ids(
    env_id: str, env_kwargs: dict[str, Any], instances: Sequence[int | str]
) -> list[str]:
    env = gym.make(env_id, disable_env_checker=True, **env_kwargs)
    ids = [i if isinstance(i, str) else _instance_id_of(env, i) for i in instances]
    if env.has_wrapper_attr("instance_number"):
        for instance_id in ids:
            env.get_wrapper_attr("instance_number")(instance_id)  # raises if it is not one here
    env.close()
    if len(set(ids)) < len(ids):
        twice = next(i for n, i in enumerate(ids) if i in ids[:n])
        raise ValueError(f"instances must be distinct, got {twice!r} twice")
    return ids


def _instance_id_of(env: gym.Env[str, str], seed: Any) -> str:
    check_int("instances", seed, 0)
    if env.has_wrapper_attr("instance_id_of"):
        return str(env.get_wrapper_attr("instance_id_of")(seed))
    return str(env.reset(seed=seed)[1]["instance_id"])  # a text env that is no TextEnv


def _member(pair: Any) -> tuple[str, int]:
    instance_id, member = pair if isinstance(pair, (tuple, list)) and len(pair) == 2 else ("", "")
    if not isinstance(instance_id, str) or not isinstance(member, int):
        raise ValueError(f"done must hold (instance_id, member) pairs, got {pair!r}")
    return instance_id, member


@dataclass(slots=True)
class _Game:
    """One episode under way."""

    env: LLMAgentWrapper
    instance_id: str
    member: int
    seed: int
    info: dict[str, Any] = field(default_factory=dict)
    observation: str = ""
    response: Response | None = None
    turns: list[Turn] = field(default_factory=list)
    pending: tuple[Message, ...] = ()


@dataclass(slots=True)
class _Run:
    """The arguments that all episodes of a call share, and the loop over them."""

    env_id: str
    agent: Agent
    env_kwargs: dict[str, Any]
    wrapper_kwargs: dict[str, Any]
    seed: int
    idle: deque[LLMAgentWrapper] = field(default_factory=deque)

    @property
    def agent_name(self) -> str:
        return str(getattr(self.agent, "name", type(self.agent).__name__))

    def episodes(self, keys: Iterator[tuple[str, int]], pool: StepPool[_Step]) -> Iterator[Episode]:
        """Play `(instance_id, member)` pairs; the pool is closed at the end."""
        games: dict[int, _Game] = {}
        started = 0
        try:
            while True:
                while len(games) < IN_FLIGHT and (key := next(keys, None)) is not None:
                    games[started] = self._start(*key)
                    pool.submit(started, partial(_reset, games[started]))
                    started += 1
                if not games:
                    return
                waiting: dict[int, _Game] = {}
                for number, result in pool.finished():
                    game = games[number]
                    episode = self._advance(game, result)
                    if episode is None:
                        waiting[number] = game
                    else:
                        del games[number]
                        yield episode
                self._answer(waiting, pool)
        finally:
            pool.close()
            for env in self.idle:
                env.close()

    def _start(self, instance_id: str, member: int) -> _Game:
        env = self.idle.popleft() if self.idle else self.make()
        return _Game(env, instance_id, member, member_seed(self.seed, instance_id, member))

    def make(self) -> LLMAgentWrapper:
        env = gym.make(self.env_id, disable_env_checker=True, **self.env_kwargs)
        return LLMAgentWrapper(env, **self.wrapper_kwargs)

    def _answer(self, games: dict[int, _Game], pool: StepPool[_Step]) -> None:
        if not games:
            return
        responses = self.agent.respond([self._conversation(game) for game in games.values()])
        if len(responses) != len(games) or not all(isinstance(r, Response) for r in responses):
            raise ValueError(
                f"{self.agent_name}.respond must return one Response a conversation, "
                f"got {responses!r:.200} for {len(games)}"
            )
        for (number, game), reply in zip(games.items(), responses, strict=True):
            game.response = reply
            pool.submit(number, partial(game.env.step, reply.text))

    def _conversation(self, game: _Game) -> Conversation:
        seed = turn_seed(self.seed, game.instance_id, game.member, len(game.turns))
        return Conversation(game.info["messages"], game.info, seed, game.env)

    def _advance(self, game: _Game, result: _Step | BaseException) -> Episode | None:
        """Take in what the world returned; the episode if that ended it."""
        if isinstance(result, BaseException):
            # The world is in an unknown state: neither closed nor used again.
            if game.response is not None:
                game.turns.append(self._turn(game, game.response, _NOTHING_PLAYED, "error"))
            return self._finish(game, error=f"{type(result).__name__}: {result}")
        observation, _, terminated, truncated, info = result
        if game.response is None:
            game.pending = tuple(dict(message) for message in info["messages"])
        else:
            ending = _ending(game.env, terminated, truncated, info)
            game.turns.append(self._turn(game, game.response, info, ending))
            # New dicts: an agent may do to its messages what it likes.
            game.pending = (message("assistant", game.response.text), dict(info["messages"][-1]))
        game.observation, game.info = observation, info
        if not (terminated or truncated or info["error"]):
            return None
        self.idle.append(game.env)
        # A reset that failed ends the episode too, although reset has no flag for it.
        truncated = truncated or bool(info["error"])
        return self._finish(game, terminated, truncated, info["error"])

    def _turn(
        self, game: _Game, response: Response, info: dict[str, Any], ended_by: str | None
    ) -> Turn:
        sampling: Sampling | None = getattr(self.agent, "sampling", None)
        return Turn(
            index=len(game.turns),
            new_messages=game.pending,
            shown_turns=game.info["shown_turns"],
            response=response,
            observation=game.observation,
            actions=info["actions"],
            rewards=info["action_rewards"],
            env_reward=info["env_reward"],
            format_penalty=info["format_penalty"],
            invalid_reason=info["invalid_reason"],
            ended_by=ended_by,
            sampling=sampling,
        )

    def _finish(
        self, game: _Game, terminated: bool = False, truncated: bool = False, error: str = ""
    ) -> Episode:
        return Episode(
            schema=SCHEMA,
            env_id=self.env_id,
            env_kwargs=json.loads(json.dumps(self.env_kwargs)),
            split=game.info.get("split", game.instance_id.rpartition("-")[0]),
            instance_id=game.instance_id,
            member=game.member,
            seed=game.seed,
            agent=self.agent_name,
            turns=tuple(game.turns),
            terminated=terminated,
            truncated=truncated,
            success=bool(game.info.get("success", False)) and not error,
            error=error,
            final_observation=game.observation,
            trace=None,
        )


def _reset(game: _Game) -> _Step:
    options = {"instance_id": game.instance_id}
    observation, info = game.env.reset(seed=game.seed, options=options)
    return observation, 0.0, False, False, info


def _ending(
    env: LLMAgentWrapper, terminated: bool, truncated: bool, info: dict[str, Any]
) -> str | None:
    if info["error"]:
        return "error"
    if terminated:
        return "terminated"
    if not truncated:
        return None
    return "max_turns" if info["turn"] == env.max_turns else "truncated"
