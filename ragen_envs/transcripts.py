"""Transcripts: what a text env said and paid, as plain data that can be compared and kept."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np


class Event(NamedTuple):
    """One reset or step; at a reset `action` is None, the reward 0.0 and both flags False."""

    action: str | None
    observation: str
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


NOT_AN_ACTION = "no such action"

# Sets the player's draws apart from those of the world, which are [seed, 0] and [seed, 1].
_PLAYER = 2


def start(env: gym.Env[str, str], seed: int | None, options: dict[str, Any] | None = None) -> Event:
    """Reset the env; the event is a copy, which later steps cannot change."""
    observation, info = env.reset(seed=seed, options=options)
    return Event(None, observation, 0.0, False, False, copy.deepcopy(info))


def apply(env: gym.Env[str, str], action: str) -> Event:
    """Step the env; the event is a copy, which later steps cannot change."""
    observation, reward, terminated, truncated, info = env.step(action)
    return Event(action, observation, float(reward), terminated, truncated, copy.deepcopy(info))


def go_on(
    env: gym.Env[str, str], last: Event, steps: int, seed: int, first: int = 0
) -> list[Event]:
    """Play random actions number `first` and on, every seventh one garbage, until the end.

    Args:
        env: The env, in the state after `last`.
        last: The latest event.
        steps: Most actions to play.
        seed: Seed of the actions; number n is the same whatever `first` is.
        first: Number of the first action.
    """
    events: list[Event] = []
    for number in range(first, first + steps):
        if last.terminated or last.truncated:
            break
        action = NOT_AN_ACTION if number % 7 == 6 else _action(env, last, [seed, number, _PLAYER])
        last = apply(env, action)
        events.append(last)
    return events


def play(env: gym.Env[str, str], seed: int, steps: int = 40) -> list[Event]:
    """Reset with `seed` and go on from there."""
    first = start(env, seed)
    return [first, *go_on(env, first, steps, seed)]


def play_solution(env: gym.Env[str, str], first: Event, limit: int = 10_000) -> list[Event]:
    """Play the env's own solution to its end, asking again after each step where it is stochastic.

    Stops without success where the env has no solution left.
    """
    events = [first]
    plan: Sequence[str] = ()
    while not (events[-1].terminated or events[-1].truncated) and len(events) <= limit:
        if not plan:
            plan = env.get_wrapper_attr("solution")() or ()
            if env.get_wrapper_attr("stochastic"):
                plan = plan[:1]
        if not plan:
            break
        events.append(apply(env, plan[0]))
        plan = plan[1:]
    return events


def _action(env: gym.Env[str, str], last: Event, entropy: list[int]) -> str:
    rng = np.random.default_rng(entropy)
    if env.has_wrapper_attr("random_action"):
        return str(env.get_wrapper_attr("random_action")(rng))
    available = last.info.get("available_actions") or ()
    if available:
        return str(available[int(rng.integers(len(available)))])
    env.action_space.seed(int(rng.integers(2**31)))
    return env.action_space.sample()
