"""What one env says and does: its interface, its infos, its actions, and garbage."""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from ragen_envs.transcripts import Event, apply, go_on, play, play_solution, start

Env = gym.Env[str, str]
Make = Callable[[], Env]

INFO_TYPES: dict[str, type] = {
    "instance_id": str,
    "split": str,
    "seed": int,
    "action_is_valid": bool,
    "action_is_effective": bool,
    "success": bool,
    "invalid_reason": str,
    "available_actions": tuple,
    "error": str,
}
GARBAGE = (
    "",
    " ",
    "\n\n",
    "no such action",
    "x" * 100_000,
    "(" * 100_000,
    "\U0001f9ca\U0001f600" * 50,
    "<answer>",
    "</think>",
    "<think>a<answer>b",
    "\x00",
    "\x07\x1b[31m\x7f",
    "\u202e\u2028\ufeff",
    "\ud800",
    "{}[]%s%n$(id)",
)
SEEDS = range(5)

# (seed, random actions played) of the states in which garbage is given.
_STATES = ((0, 0), (1, 2), (2, 5))
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def attribute(env: Env, name: str, default: Any = None) -> Any:
    """An attribute of the env or of one that it wraps."""
    return env.get_wrapper_attr(name) if env.has_wrapper_attr(name) else default


def check_gymnasium(make: Make) -> Iterator[str]:
    """Gymnasium's own checker, its warnings included."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        env = make().unwrapped
        check_env(env, skip_render_check=env.spec is None)
    yield from (_COLOUR.sub("", str(warning.message)) for warning in caught)


def check_interface(make: Make) -> Iterator[str]:
    """The attributes that a wrapper and an agent need."""
    env = make()
    types = {"instructions": str, "stochastic": bool, "actions_per_turn": int}
    for name, kind in types.items():
        if not env.has_wrapper_attr(name):
            yield f"{name} is missing"
        elif not isinstance(env.get_wrapper_attr(name), kind):
            yield f"{name} must be a {kind.__name__}, got {env.get_wrapper_attr(name)!r}"
    if not env.has_wrapper_attr("solution"):
        yield "solution is missing"
    before = attribute(env, "instructions")
    if before is None:
        return
    if not before:
        yield "instructions must not be empty"
    for event in play(env, 0):
        if before and before in event.observation:
            yield "instructions must not be part of an observation"
    if env.get_wrapper_attr("instructions") != before:
        yield "instructions must stay the same for the life of the env"


def check_info(make: Make) -> Iterator[str]:
    """The keys of the info dict, their types and what they say."""
    env = make()
    _, at_reset = env.reset(seed=0)
    if env.step("no such action")[4] is at_reset:
        yield "info must be a new dict at each step"
    keys: set[str] | None = None
    for seed in SEEDS:
        for event in play(env, seed):
            where = "reset" if event.action is None else "step"
            yield from _info_violations(event, seed, where)
            keys = keys or set(event.info)
            if set(event.info) != keys:
                different = sorted(keys ^ set(event.info))
                yield f"info must have the same keys at reset and every step, not {different}"


def _info_violations(event: Event, seed: int, where: str) -> Iterator[str]:
    info = event.info
    wrong_types = [
        f"info[{key!r}] must be a {kind.__name__}, got {info.get(key)!r} at {where}"
        for key, kind in INFO_TYPES.items()
        if type(info.get(key)) is not kind
    ]
    yield from wrong_types
    for key, value in info.items():
        if type(value) not in (str, int, float, bool, tuple):
            yield f"info[{key!r}] must be a flat str, int, float, bool or tuple, got {value!r}"
    if not wrong_types:
        yield from _meaning_violations(event, seed, where)


def _meaning_violations(event: Event, seed: int, where: str) -> Iterator[str]:
    info = event.info
    if not all(isinstance(action, str) for action in info["available_actions"]):
        yield "info['available_actions'] must hold strings"
    if info["seed"] != seed:
        yield f"info['seed'] must be the episode seed {seed}, got {info['seed']}"
    if not info["instance_id"].startswith(f"{info['split']}-"):
        yield f"info['instance_id'] must be '<split>-<n>', got {info['instance_id']!r}"
    if info["action_is_valid"] == bool(info["invalid_reason"]):
        yield "info['invalid_reason'] must be given for an invalid action and no other"
    if info["action_is_effective"] and not info["action_is_valid"]:
        yield "info['action_is_effective'] must not be True for an invalid action"
    if info["success"] and (where == "reset" or not (event.terminated or event.truncated)):
        yield f"info['success'] must not be True at {where} while the episode goes on"
    if not np.isfinite(event.reward):
        yield f"a reward must be finite, got {event.reward}"


def check_actions(make: Make) -> Iterator[str]:
    """What is listed as available is valid, in any letter case and with blanks around it."""
    env, twin = make(), make()
    first = start(env, 0)
    for action in first.info["available_actions"][:8]:
        start(env, 0)
        plain = apply(env, action)
        if not plain.info["action_is_valid"]:
            yield f"{action!r} is in info['available_actions'] but is not valid"
        for spelling in (action.upper(), action.lower(), f" {action}\n"):
            start(twin, 0)
            if apply(twin, spelling)[1:] != plain[1:]:
                yield f"{spelling!r} must do what {action!r} does"


def check_garbage(make: Make) -> Iterator[str]:
    """What is no action is a step that changes nothing or uses up an attempt, and never pays."""
    env = make()
    bound = _reward_without_effect(env)
    attempts = attribute(env, "max_attempts")
    for text in GARBAGE:
        for seed, steps in _STATES:
            before = start(env, seed)
            before = (go_on(env, before, steps, seed) or [before])[-1]
            if before.terminated or before.truncated:
                continue
            yield from _garbage_violations(env, before, text, bound, attempts)


def _garbage_violations(
    env: Env, before: Event, text: str, bound: float, attempts: int | None
) -> Iterator[str]:
    """Give the same garbage as often as there are attempts, at most three times without any."""
    name = repr(text[:20])
    event = before
    for _ in range(attempts or 3):
        seen = _seen(event)
        try:
            event = apply(env, text)
        except Exception as error:  # noqa: BLE001 (a bad reply must never raise, whatever it is)
            yield f"{name} raised {type(error).__name__}: {error}"
            return
        if event.info["action_is_valid"]:
            yield f"{name} must be marked invalid"
        if event.info["success"]:
            yield f"{name} must not succeed"
        if event.reward > bound:
            yield f"{name} earns {event.reward}, more than {bound} of an action without effect"
        reason = event.info["invalid_reason"]
        if reason and not event.observation.startswith(f"{reason}\n\n"):
            yield "an invalid action's reason and a blank line must open the next observation"
        if attempts is None and _seen(event) != seen:
            yield f"{name} must leave the observed state unchanged: there are no attempts to use up"
        if event.terminated or event.truncated:
            return
    if attempts is not None and _seen(event) != _seen(before):
        yield f"{name} must leave the state unchanged or use up one of {attempts} attempts"


def _seen(event: Event) -> str:
    """The observation without the reason before it."""
    return event.observation.removeprefix(f"{event.info['invalid_reason']}\n\n")


def _reward_without_effect(env: Env) -> float:
    """The least that a valid action without effect earns.

    Where none is seen, the least that any valid action earns, but at most 0.
    """
    events = [event for seed in range(20) for event in play(env, seed)[1:]]
    valid = [event for event in events if event.info["action_is_valid"]]
    idle = [event.reward for event in valid if not event.info["action_is_effective"]]
    return min(idle) if idle else min([0.0, *(event.reward for event in valid)])


def check_reset_needed(make: Make) -> Iterator[str]:
    """Stepping without an episode raises."""
    env = make().unwrapped
    with contextlib.suppress(ResetNeeded):
        env.step("no such action")
        yield "step before reset must raise gymnasium.error.ResetNeeded"
    for seed in range(20):
        first = start(env, seed)
        events = play_solution(env, first) if env.has_wrapper_attr("solution") else [first]
        events = events if events[-1].terminated else play(env, seed, 1_000)
        if events[-1].terminated:
            with contextlib.suppress(ResetNeeded):
                env.step("no such action")
                yield "step after termination must raise gymnasium.error.ResetNeeded"
            return
