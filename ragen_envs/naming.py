"""Worlds by the names that people type: what they mean, and one sentence where that fails."""

from __future__ import annotations

import difflib
import importlib.util
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import registry

from ragen_envs.registration import ENVIRONMENTS


def resolve_env_id(name: str) -> str:
    """The Gymnasium id that a person means: `sokoban` or `SokobanHard` for one of `ENVIRONMENTS`.

    Any other registered id, and `module:id`, which `gym.make` imports, are returned unchanged.

    Raises:
        ValueError: There is no such id; the message suggests the closest.
    """
    if name in registry or ":" in name:
        return name
    short = {_short(row.id): row.id for row in ENVIRONMENTS}
    if _short(name) in short:
        return short[_short(name)]
    close = difflib.get_close_matches(_short(name), short, n=1)
    hint = f" Did you mean '{short[close[0]]}'?" if close else ""
    raise ValueError(f"no environment {name!r}.{hint} See: ragen envs")


def open_world(name: str, **kwargs: Any) -> gym.Env[str, str]:
    """`gym.make` by a name that `resolve_env_id` takes.

    Raises:
        ValueError: There is no such id or module, it does not take the arguments, or it is no text
            world; one sentence.
    """
    env_id = resolve_env_id(name)
    module, colon, _ = env_id.partition(":")
    if colon and importlib.util.find_spec(module.partition(".")[0]) is None:
        raise ValueError(f"no environment {name!r}: there is no module {module!r}")
    try:
        env: gym.Env[str, str] = gym.make(env_id, disable_env_checker=True, **kwargs)
    except (TypeError, gym.error.Error) as error:
        # Gymnasium appends the kwargs of the row, which say nothing about the mistake.
        reason = str(error).partition(" was raised from the environment creator")[0]
        raise ValueError(f"{env_id}: {reason}") from error
    if not env.has_wrapper_attr("instructions"):
        raise ValueError(f"{env_id} is no text world: it has no instructions")
    return env


def _short(name: str) -> str:
    """`sokobanhard` for `ragen/SokobanHard-v0`, `sokoban-hard` and `SokobanHard`."""
    stem = name.casefold().removeprefix("ragen/").removesuffix("-v0")
    return stem.replace("-", "").replace("_", "")
