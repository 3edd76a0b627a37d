"""LLMAgentWrapper: the standard wrapper between a model and a text world."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
from gymnasium.error import ResetNeeded
from gymnasium.utils import RecordConstructorArgs

from agent import prompts, response
from ragen_envs.arguments import check_choice, check_int, check_number
from ragen_envs.spaces import TextSpace


@dataclass(slots=True)
class _Turn:
    """What one reply did in the world."""

    info: dict[str, Any]
    observation: str = ""
    terminated: bool = False
    truncated: bool = False
    actions: list[str] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    effective: bool = False
    notes: list[str] = field(default_factory=list)


class LLMAgentWrapper(gym.Wrapper[str, str, str, str], RecordConstructorArgs):
    """Raw reply of a model in, next user message out.

    The action is what the model wrote, unchanged; the observation is the next user message; and
    `info["messages"]` is the chat for the next call. How a reply is read is the policy of
    `agent.response`. Its actions are played until one ends the episode; an invalid action is
    played as one and does not stop the ones after it. A reply without a usable action is passed to
    the world as one invalid action, `""`. What was wrong is told in the next user message.

    Info, besides the world's keys (those of the last action; `action_is_valid`,
    `action_is_effective` and `invalid_reason` are over the whole turn):
        messages (list of dict): System message, shown turns, and the message that awaits a reply.
        turn (int): Replies so far.
        shown_turns (tuple of int): Indices of the earlier turns in `messages`.
        actions (tuple of str): Actions passed to the world in this turn.
        action_rewards (tuple of float): Their rewards.
        env_reward (float): Their sum.
        format_penalty (float): 0, or the penalty of this turn; the reward is the sum of both.
        format_error (str): Why the reply was malformed, "".

    Args:
        env: A text world, e.g. from `gym.make`.
        response_format: "think-answer", "answer-only", "native-thinking" or "raw".
        max_actions_per_turn: Actions that a reply may hold; None takes the world's
            `actions_per_turn`. At 1 the answer's text reaches the world unchanged.
        action_separator: What stands between actions.
        format_penalty: Added to the reward of each turn whose reply is malformed, in [-1000, 0].
        window: Number of past turns that the model sees, None = all.
        max_turns: Replies until the episode is truncated, None adds no limit.

    Raises:
        ValueError: An argument is outside its range.
        TypeError: An argument has the wrong type.
    """

    def __init__(
        self,
        env: gym.Env[str, str],
        response_format: str = "think-answer",
        max_actions_per_turn: int | None = None,
        action_separator: str = "||",
        format_penalty: float = -0.1,
        window: int | None = None,
        max_turns: int | None = None,
    ) -> None:
        check_choice("response_format", response_format, response.RESPONSE_FORMATS)
        if max_actions_per_turn is not None:
            check_int("max_actions_per_turn", max_actions_per_turn, 1)
        if window is not None:
            check_int("window", window, 0)
        if max_turns is not None:
            check_int("max_turns", max_turns, 1)
        check_number("format_penalty", format_penalty, -1_000.0, 0.0)
        if response_format == "raw" and max_actions_per_turn not in (None, 1):
            raise ValueError(
                f"max_actions_per_turn must be 1 with response_format 'raw', "
                f"got {max_actions_per_turn}"
            )
        RecordConstructorArgs.__init__(
            self,
            response_format=response_format,
            max_actions_per_turn=max_actions_per_turn,
            action_separator=action_separator,
            format_penalty=format_penalty,
            window=window,
            max_turns=max_turns,
        )
        gym.Wrapper.__init__(self, env)
        self.response_format = response_format
        own = env.get_wrapper_attr("actions_per_turn")
        self.max_actions_per_turn = max_actions_per_turn or int(own)
        if response_format == "raw":
            self.max_actions_per_turn = 1
        self.action_separator = action_separator
        self.format_penalty = float(format_penalty)
        self.window = window
        self.max_turns = max_turns
        examples = getattr(env.action_space, "examples", ())
        _check_separator(action_separator, examples if self.max_actions_per_turn > 1 else ())
        self.observation_space = TextSpace()
        self.action_space = TextSpace([self.format_reply([e]) for e in examples])
        how = prompts.format_instructions(
            response_format, self.max_actions_per_turn, action_separator, examples
        )
        self.system_message = f"{env.get_wrapper_attr('instructions')}\n\n{how}"
        self._past: list[tuple[str, str]] = []
        self._current = ""
        self._actions_played = 0

    @property
    def turn_limit(self) -> int | None:
        """Most turns of an episode: `max_turns`, else attempts, else actions; None = endless."""
        counted = self.env.has_wrapper_attr("max_attempts")
        attempts: int | None = self.env.get_wrapper_attr("max_attempts") if counted else None
        return self.max_turns or attempts or self._max_actions()

    def format_reply(self, actions: Sequence[str], reasoning: str = "") -> str:
        """A well-formed reply that plays `actions` after `reasoning`."""
        return response.format_reply(
            actions, reasoning, self.response_format, self.action_separator
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start an episode; returns the first user message and the info of the class docstring."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._past = []
        self._actions_played = 0
        self._current = self._user_message([], observation, ended=False)
        return self._current, self._info(_Turn(info), 0.0, "")

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play one reply.

        Args:
            action: The raw reply of the model.

        Returns:
            `(next user message, env reward + format penalty, terminated, truncated, info)`.

        Raises:
            ResetNeeded: Before the first reset or after the end.
            TypeError: The reply is not a string.
        """
        if not isinstance(action, str):
            raise TypeError(f"a reply must be a str, got {type(action).__name__}")
        if not self._current:
            raise ResetNeeded("call reset() before step(): there is no episode, or it has ended")
        parsed = response.parse_reply(action, self.response_format)
        actions, problem = self._actions_of(parsed)
        turn = self._play(actions)
        penalty = self.format_penalty if problem else 0.0
        if problem:
            turn.notes.insert(0, f"Your reply was malformed: {problem}.")
            turn.reasons.insert(0, problem)
        self._past.append((self._current, action))
        if self.max_turns is not None and len(self._past) >= self.max_turns:
            turn.truncated = True
        ended = turn.terminated or turn.truncated
        self._current = self._user_message(turn.notes, turn.observation, ended=ended)
        info = self._info(turn, penalty, problem)
        observation = self._current
        if ended:
            self._current = ""
        reward = info["env_reward"] + penalty
        return observation, reward, turn.terminated, turn.truncated, info

    def _actions_of(self, parsed: response.ParsedReply) -> tuple[list[str], str]:
        if parsed.answer is None:
            return [""], parsed.problem
        limit = self.max_actions_per_turn
        if limit == 1:
            return [parsed.answer], parsed.problem
        actions = response.split_actions(parsed.answer, self.action_separator)
        if not actions:
            return [""], parsed.problem or "the <answer> block holds no action"
        if len(actions) <= limit:
            return actions, parsed.problem
        too_many = f"it holds {len(actions)} actions and only the first {limit} were played"
        problems = [problem for problem in (parsed.problem, too_many) if problem]
        return actions[:limit], "; ".join(problems)

    def _play(self, actions: list[str]) -> _Turn:
        turn = _Turn(info={})
        invalid: list[tuple[int, str]] = []
        for number, action in enumerate(actions, 1):
            step = self.env.step(action)
            turn.observation, reward, turn.terminated, turn.truncated, turn.info = step
            turn.actions.append(action)
            turn.rewards.append(float(reward))
            turn.effective = turn.effective or turn.info["action_is_effective"]
            if not turn.info["action_is_valid"]:
                turn.reasons.append(turn.info["invalid_reason"])
                invalid.append((number, turn.info["invalid_reason"]))
            if turn.terminated or turn.truncated:
                break
        for number, reason in invalid:
            # The observation of the last action opens with its reason.
            shown = "." if number == len(turn.actions) else f": {reason}"
            if len(actions) > 1:
                turn.notes.append(f"Action {number} was invalid{shown}")
        self._actions_played += len(turn.actions)
        return turn

    def _user_message(self, notes: list[str], observation: str, *, ended: bool) -> str:
        parts = ["\n".join(notes), observation, "" if ended else self._budget()]
        # An observation may be empty; a message that awaits a reply never is.
        return "\n\n".join(part for part in parts if part) or "(nothing to see)"

    def _budget(self) -> str:
        limit = self._max_actions()
        actions_left = None if limit is None else limit - self._actions_played
        replies_left = None if self.max_turns is None else self.max_turns - len(self._past)
        return prompts.budget(actions_left, replies_left)

    def _max_actions(self) -> int | None:
        limit = None if self.env.spec is None else self.env.spec.max_episode_steps
        return None if limit is None or limit < 0 else limit  # gym.make turns it off with -1

    def _info(self, turn: _Turn, penalty: float, problem: str) -> dict[str, Any]:
        shown = prompts.shown_turns(len(self._past), self.window)
        return {
            **turn.info,
            "action_is_valid": not turn.reasons,
            "action_is_effective": turn.effective,
            "invalid_reason": "; ".join(turn.reasons),
            "messages": prompts.chat(self.system_message, self._past, shown, self._current),
            "turn": len(self._past),
            "shown_turns": shown,
            "actions": tuple(turn.actions),
            "action_rewards": tuple(turn.rewards),
            "env_reward": math.fsum(turn.rewards),
            "format_penalty": penalty,
            "format_error": problem,
        }


def _check_separator(separator: Any, examples: Sequence[str]) -> None:
    if not isinstance(separator, str) or not separator.strip():
        raise ValueError(f"action_separator must be non-blank text, got {separator!r}")
    for text in (*examples, "<answer>", "</answer>"):
        if separator in text:
            raise ValueError(f"action_separator must not occur in {text!r}, got {separator!r}")
