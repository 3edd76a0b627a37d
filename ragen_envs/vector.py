"""TextVectorEnv: Gymnasium's SyncVectorEnv with cheaper aggregation of infos."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit

from ragen_envs.arguments import check_int


class TextVectorEnv(SyncVectorEnv):
    """Several copies of one text world, stepped one after the other in this process.

    Equal, step for step and info for info, to `SyncVectorEnv` over `gym.make` of the same id. Only
    the aggregation of infos differs, which is over half of the cost with text. Observations
    are tuples of `num_envs` strings; `reset_mask` and the autoreset modes are Gymnasium's.

    Args:
        env_class: The world; called once per copy with `kwargs`.
        num_envs: Number of copies.
        max_episode_steps: Actions until a copy is truncated, None for no limit (`make_vec` applies
            no TimeLimit to a vector entry point, so it is applied here).
        autoreset_mode: `AutoresetMode` or its value: "NextStep", "SameStep" or "Disabled".
        **kwargs: Constructor arguments of the world.

    Raises:
        ValueError: `num_envs` or `max_episode_steps` is below 1, or the mode is unknown.
    """

    def __init__(
        self,
        env_class: Callable[..., gym.Env[str, str]],
        num_envs: int = 1,
        *,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **kwargs: Any,
    ) -> None:
        check_int("num_envs", num_envs, 1)
        if max_episode_steps is not None:
            check_int("max_episode_steps", max_episode_steps, 1)
        make = partial(_make, env_class, max_episode_steps, kwargs)
        super().__init__([make] * num_envs, copy=False, autoreset_mode=autoreset_mode)

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Gymnasium's `SyncVectorEnv.reset`, infos aggregated by column."""
        self._rows: list[tuple[int, dict[str, Any]]] = []
        observations, _ = super().reset(seed=seed, options=options)
        return observations, _stack(self._rows, self.num_envs)

    def step(
        self, actions: Sequence[str]
    ) -> tuple[
        tuple[str, ...],
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Gymnasium's `SyncVectorEnv.step`, infos aggregated by column."""
        self._rows = []
        observations, rewards, terminations, truncations, _ = super().step(actions)
        infos = _stack(self._rows, self.num_envs)
        return observations, rewards, terminations, truncations, infos

    def _add_info(
        self, vector_infos: dict[str, Any], env_info: dict[str, Any], env_num: int
    ) -> dict[str, Any]:
        # The base calls this once per copy; filling arrays element by element is what costs.
        self._rows.append((env_num, env_info))
        return vector_infos


def _stack(rows: list[tuple[int, dict[str, Any]]], num_envs: int) -> dict[str, Any]:
    """Infos of single envs as one dict of arrays, each with its `_key` mask, as Gymnasium's."""
    columns: dict[str, tuple[list[int], list[Any]]] = {}
    for env_num, info in rows:
        for key, value in info.items():
            column = columns.get(key)
            if column is None:
                column = columns[key] = ([], [])
            column[0].append(env_num)
            column[1].append(value)
    infos: dict[str, Any] = {}
    for key, (indices, values) in columns.items():
        if isinstance(values[0], dict):
            infos[key] = _stack(list(zip(indices, values, strict=True)), num_envs)
        else:
            infos[key] = _scatter(indices, values, num_envs, as_object=key == "final_obs")
        mask = np.zeros(num_envs, dtype=np.bool_)
        mask[indices] = True
        infos[f"_{key}"] = mask
    return infos


def _scatter(
    indices: list[int], values: list[Any], num_envs: int, *, as_object: bool
) -> npt.NDArray[Any]:
    first = values[0]
    if isinstance(first, np.ndarray) and not as_object:
        array = np.zeros((num_envs, *first.shape), dtype=first.dtype)
        array[indices] = values
        return array
    numeric = type(first) in (int, float, bool) or isinstance(first, np.number)
    dtype = type(first) if numeric and not as_object else object
    column = np.fromiter(values, dtype=dtype, count=len(values))
    if len(values) == num_envs:  # every copy has the key, in order
        return column
    array = np.zeros(num_envs, dtype=dtype) if dtype is not object else np.full(num_envs, None)
    array[indices] = column
    return array


def _make(
    env_class: Callable[..., gym.Env[str, str]],
    max_episode_steps: int | None,
    kwargs: dict[str, Any],
) -> gym.Env[str, str]:
    env = env_class(**kwargs)
    return env if max_episode_steps is None else TimeLimit(env, max_episode_steps)
