"""TextEnv and Outcome: the contract that every text world keeps."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded

from ragen_envs.arguments import check_choice
from ragen_envs.spaces import TextSpace
from ragen_envs.splits import SPLITS

_INSTANCE = 0
_CHANCE = 1
_ID = re.compile(r"([a-z]+)-(0|[1-9][0-9]{0,99})", re.ASCII)
_QUOTED_CHARACTERS = 60


def quoted(text: str) -> str:
    """A model's text as a world may echo it: short, on one line, control characters escaped."""
    shown = repr(text[:_QUOTED_CHARACTERS])
    return shown if len(text) <= _QUOTED_CHARACTERS else f"{shown}..."


class ServiceError(RuntimeError):
    """A judge, index or server that a world depends on failed; it says nothing about the answer."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one action did.

    Attributes:
        reward: Reward of this action.
        terminated: The task ended (solved, fell in, answered, out of attempts).
        success: The task is solved.
        valid: The action is in the world's grammar.
        effective: The action changed the state; an invalid one never counts as effective.
        message: Shown before the next observation; for an invalid action the reason, never empty.
    """

    reward: float
    terminated: bool = False
    success: bool = False
    valid: bool = True
    effective: bool = True
    message: str = ""


class TextEnv(gym.Env[str, str], ABC):
    """Base of all text worlds: writes `reset`, `step`, `render` and the info contract once.

    A world fills in `instructions`, `setup`, `act`, `observe`, `available_actions`, `solution` and,
    where it has keys of its own, `extra_info`. It draws only from the generator that `setup`
    receives (the instance) and from `self.chance` (what happens in it), so
    `(env id, kwargs, seed)` fixes an episode in any process, thread and order of resets.

    Every info dict has `instance_id` str, `split` str, `seed` int, `action_is_valid` bool,
    `action_is_effective` bool, `success` bool, `invalid_reason` str, `available_actions`
    tuple of str, `error` str, and the world's own flat keys; the same keys at reset and step.

    Class attributes:
        actions_per_turn: How many actions a reply of a model may hold by default.
        stochastic: The same action may lead to different states.
        num_instances: Number of instances of the split, None where they are endless.
        max_attempts: Answers that an episode allows, None where the world counts no attempts.
        option_keys: Keys that `reset(options=...)` takes.
        on_service_error: `"raise"`, or `"truncate"` to end the episode with `info["error"]` set.

    Args:
        split: "train", "validation" or "test".
        render_mode: None or one of `metadata["render_modes"]`.
        action_examples: What `action_space.sample()` draws from.

    Raises:
        ValueError: An argument is outside its range.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012 (Gymnasium's type)
    actions_per_turn: int = 1
    stochastic: bool = False
    num_instances: int | None = None
    max_attempts: int | None = None
    option_keys: tuple[str, ...] = ("instance_id",)
    on_service_error: str = "raise"

    def __init__(
        self,
        *,
        split: str = "train",
        render_mode: str | None = None,
        action_examples: Sequence[str] = (),
    ) -> None:
        check_choice("split", split, SPLITS)
        if render_mode is not None:
            check_choice("render_mode", render_mode, self.metadata["render_modes"])
        self.split = split
        self.render_mode = render_mode
        self.observation_space = TextSpace()
        self.action_space = TextSpace(action_examples)
        self._chance: np.random.Generator | None = None
        self._playing = False
        self._episode: tuple[str, int] | None = None
        self._error = ""
        self._observation = ""

    # What a world fills in.

    @property
    @abstractmethod
    def instructions(self) -> str:
        """Rules, symbols, action grammar and an example; fixed for the life of the env."""

    @abstractmethod
    def setup(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        """Make the instance.

        Args:
            rng: The only source of randomness for the instance.
            options: The caller's options without `instance_id`, and `instance`: the number n of the
                instance id, from which a finite world takes its row.
        """

    @abstractmethod
    def act(self, action: str) -> Outcome:
        """Apply one action, valid or not; never raises on any string."""

    @abstractmethod
    def observe(self) -> str:
        """What the model reads now; must not change the state."""

    @abstractmethod
    def available_actions(self) -> tuple[str, ...]:
        """Canonical spelling of what the grammar accepts now; empty when it cannot be listed."""

    @abstractmethod
    def solution(self) -> list[str] | None:
        """A plan from the present state, or None where there is no oracle.

        A stochastic world returns one optimal action, computed without looking at the chance
        stream, and is asked again after each step.
        """

    def extra_info(self) -> dict[str, Any]:
        """The world's own flat info keys, the same at reset and step, also when `setup` failed."""
        return {}

    def content(self) -> str:
        """Canonical text of what makes the present instance; equal for equal tasks.

        By default the instance id: no two instances are taken to be the same task.
        """
        return "" if self._episode is None else self._episode[0]

    def random_action(self, rng: np.random.Generator) -> str:
        """An action of a player who knows the grammar and nothing else: the random baseline."""
        actions = self.available_actions()
        if not actions:
            raise NotImplementedError(f"{type(self).__name__} must define random_action")
        return actions[int(rng.integers(len(actions)))]

    # What the base writes once.

    @property
    def chance(self) -> np.random.Generator:
        """The generator of what happens in the episode; made when it is first asked for."""
        if self._chance is None:
            seed = 0 if self._episode is None else self._episode[1]
            self._chance = np.random.default_rng([seed, _CHANCE])
        return self._chance

    def instance_id_of(self, seed: int) -> str:
        """The id of the instance that `reset(seed=seed)` plays."""
        return f"{self.split}-{self._instance_of(seed)}"

    def instance_number(self, instance_id: str) -> int:
        """The number n of an instance id of this env.

        Raises:
            ValueError: The id is malformed, of another split or out of range.
        """
        match = _ID.fullmatch(instance_id) if isinstance(instance_id, str) else None
        if match is None or match[1] != self.split:
            raise ValueError(
                f"instance_id must be '{self.split}-<number>' in this env, got {instance_id!r}"
            )
        number = int(match[2])
        if self.num_instances is not None and number >= self.num_instances:
            raise ValueError(
                f"instance_id must be below {self.split}-{self.num_instances}, got {instance_id!r}"
            )
        return number

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start episode `seed`; without a seed, the next one of the env's own generator.

        Args:
            seed: Episode seed. It fixes the instance, unless `options` names one, and the chance.
            options: `{"instance_id": i}` plays instance i, and the seed then picks the chance only.

        Returns:
            `(observation, info)`.

        Raises:
            TypeError: `options` is not a dict.
            ValueError: An unknown option, or an instance id of another split or out of range.
        """
        # Checked before anything changes: a refused reset leaves the env as it was.
        options = self._checked_options(options)
        instance_id = options.pop("instance_id", None)
        number = None if instance_id is None else self.instance_number(instance_id)
        super().reset(seed=seed)
        episode_seed = int(self.np_random.integers(2**31)) if seed is None else int(seed)
        number = self._instance_of(episode_seed) if number is None else number
        self._episode = (f"{self.split}-{number}", episode_seed)
        self._error = ""
        self._playing = False
        self._chance = None
        rng = np.random.default_rng([number, _INSTANCE])
        try:
            self.setup(rng, {**options, "instance": number})
            self._observation = self.observe()
        except ServiceError as error:
            self._fail(error)
        self._playing = True
        return self._observation, self._info(Outcome(0.0, effective=False))

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Apply one action.

        Args:
            action: Any string; what is not in the grammar is an invalid action, never an error.

        Returns:
            `(observation, reward, terminated, truncated, info)`.

        Raises:
            ResetNeeded: Before the first reset, or after the episode has terminated.
            TypeError: The action is not a string.
            ServiceError: A service failed and `on_service_error` is "raise".
        """
        if not self._playing:
            raise ResetNeeded("call reset() before step(): there is no episode, or it has ended")
        if not isinstance(action, str):
            raise TypeError(f"action must be a str, got {type(action).__name__}")
        if self._error:  # the reset failed, so there is nothing to act on
            return self._end_broken()
        try:
            outcome = self.act(action)
            seen = self.observe()
        except ServiceError as error:
            self._fail(error)
            return self._end_broken()
        self._observation = f"{outcome.message}\n\n{seen}" if outcome.message else seen
        self._playing = not outcome.terminated
        info = self._info(outcome)
        return self._observation, float(outcome.reward), outcome.terminated, False, info

    def render(self) -> str | None:
        """The last observation in mode "ansi"; None without a render mode."""
        if self._episode is None:
            raise ResetNeeded("call reset() before render()")
        return self._observation if self.render_mode == "ansi" else None

    def _checked_options(self, options: dict[str, Any] | None) -> dict[str, Any]:
        if options is None:
            return {}
        if not isinstance(options, dict):
            raise TypeError(f"options must be a dict or None, got {options!r}")
        unknown = [key for key in options if key not in self.option_keys]
        if unknown:
            raise ValueError(f"options must be among {list(self.option_keys)}, got {unknown}")
        return dict(options)

    def _end_broken(self) -> tuple[str, float, bool, bool, dict[str, Any]]:
        self._playing = False
        return "", 0.0, False, True, self._info(Outcome(0.0, effective=False))

    def _fail(self, error: ServiceError) -> None:
        if self.on_service_error == "raise":
            raise error
        self._error = str(error) or type(error).__name__
        self._observation = ""

    def _instance_of(self, seed: int) -> int:
        if self.num_instances is None:
            return seed
        return int(_order(self.num_instances)[seed % self.num_instances])

    def _info(self, outcome: Outcome) -> dict[str, Any]:
        instance_id, seed = self._episode or ("", 0)
        acting = self._playing and not self._error
        return {
            **self.extra_info(),
            "instance_id": instance_id,
            "split": self.split,
            "seed": seed,
            "action_is_valid": outcome.valid,
            "action_is_effective": outcome.valid and outcome.effective,
            "success": outcome.success,
            "invalid_reason": "" if outcome.valid else outcome.message,
            "available_actions": self.available_actions() if acting else (),
            "error": self._error,
        }


@lru_cache(maxsize=16)
def _order(num_instances: int) -> npt.NDArray[np.int64]:
    """The order in which seeds 0, 1, ... visit the items of a finite world."""
    return np.random.default_rng(num_instances).permutation(num_instances)
