"""Agents: the protocol, and the simple ones (random, oracle, scripted, human)."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from agent.episode import Response
from agent.prompts import Message
from agent.tokens import TokenTrace

if TYPE_CHECKING:
    from agent.wrapper import LLMAgentWrapper

_SHOWN_CHARACTERS = 240
_RANDOM = "Any action will do."


@dataclass(frozen=True, slots=True)
class Conversation:
    """What an agent answers from.

    Attributes:
        messages: The chat, ending with the user message that awaits a reply.
        info: The latest info dict.
        seed: The only randomness that an agent may use; derived from (run seed, instance_id,
            member, turn).
        env: The wrapped in-process world, or None. Only OracleAgent and RandomAgent read it.
        trace: The episode's tokens so far, or None.
    """

    messages: Sequence[Message]
    info: dict[str, Any]
    seed: int
    env: LLMAgentWrapper | None = None
    trace: TokenTrace | None = None


class Agent(Protocol):
    """One batched, stateless method: an answer depends on its Conversation alone.

    An agent may also have `name` (str), recorded with each episode, and `sampling`
    (`agent.episode.Sampling`), recorded with each turn.
    """

    def respond(self, conversations: Sequence[Conversation]) -> list[Response]:
        """One response for each conversation, in order."""
        ...


class RandomAgent:
    """Plays one random action of the world's grammar in each reply."""

    name = "random"

    def respond(self, conversations: Sequence[Conversation]) -> list[Response]:
        """One random action each.

        Raises:
            ValueError: The world neither lists its actions nor is at hand.
        """
        return [self._respond(conversation) for conversation in conversations]

    def _respond(self, conversation: Conversation) -> Response:
        rng = np.random.default_rng(conversation.seed)
        env = _world(conversation, "random")
        return Response(env.format_reply([_random_action(env, conversation, rng)], _RANDOM))


class OracleAgent:
    """Plays the world's own solution; its reasoning reads the state and the plan from it."""

    name = "oracle"

    def respond(self, conversations: Sequence[Conversation]) -> list[Response]:
        """As many actions of the plan as a reply may hold; one in a stochastic world.

        Raises:
            ValueError: The world has no solution at its start, so no oracle.
        """
        return [self._respond(conversation) for conversation in conversations]

    def _respond(self, conversation: Conversation) -> Response:
        env = _world(conversation, "oracle")
        plan = env.get_wrapper_attr("solution")()
        if not plan:
            return Response(env.format_reply([_resigned(conversation)], "Nothing solves it now."))
        stochastic = env.get_wrapper_attr("stochastic")
        actions = plan[: 1 if stochastic else env.max_actions_per_turn]
        lines = [line for line in conversation.messages[-1]["content"].split("\n") if line]
        seen = " / ".join(lines)[:_SHOWN_CHARACTERS].rstrip(".")
        what = (
            f"the best action now is {plan[0]}"
            if stochastic
            else f"{len(plan)} to go: {', '.join(plan)}"
        )
        reasoning = f"I read: {seen}. From here {what}."
        return Response(env.format_reply(actions, _untagged(reasoning)))


class ScriptedAgent:
    """Replies from a list, or from a function of the conversation; for tests and replays.

    Args:
        replies: Reply number t goes to turn t, and the last one to every later turn; or a function
            that makes a reply from a conversation.

    Raises:
        ValueError: The list is empty.
    """

    name = "scripted"

    def __init__(self, replies: Sequence[str] | Callable[[Conversation], str]) -> None:
        if not callable(replies) and not replies:
            raise ValueError("replies must hold at least one reply, got none")
        self._replies = replies

    def respond(self, conversations: Sequence[Conversation]) -> list[Response]:
        """The reply for each conversation's turn."""
        return [Response(self._reply(conversation)) for conversation in conversations]

    def _reply(self, conversation: Conversation) -> str:
        if callable(self._replies):
            return self._replies(conversation)
        turn: int = conversation.info["turn"]
        return self._replies[min(turn, len(self._replies) - 1)]


class HumanAgent:
    """Asks a person for the actions of each turn.

    Args:
        ask: Shows a user message and returns what the person typed: actions, without any tags.
    """

    name = "human"

    def __init__(self, ask: Callable[[str], str]) -> None:
        self._ask = ask

    def respond(self, conversations: Sequence[Conversation]) -> list[Response]:
        """What the person typed, as a reply of the world's format."""
        responses = []
        for conversation in conversations:
            typed = self._ask(conversation.messages[-1]["content"])
            env = conversation.env
            responses.append(Response(typed if env is None else _as_reply(env, typed)))
        return responses


AGENTS: dict[str, Callable[[], Agent]] = {"oracle": OracleAgent, "random": RandomAgent}


def load_agent(name: str) -> Agent:
    """The agent of a name, as the command line takes it.

    Raises:
        ValueError: There is no such agent; the message has what there is.
    """
    if name in AGENTS:
        return AGENTS[name]()
    close = difflib.get_close_matches(name, AGENTS, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"agent must be one of {sorted(AGENTS)}, got {name!r}{hint}")


def _random_action(
    env: LLMAgentWrapper, conversation: Conversation, rng: np.random.Generator
) -> str:
    if env.has_wrapper_attr("random_action"):
        return str(env.get_wrapper_attr("random_action")(rng))
    available = conversation.info["available_actions"]
    if not available:
        raise ValueError(f"{env.env} neither lists its actions nor has a random_action")
    return str(available[int(rng.integers(len(available)))])


def _as_reply(env: LLMAgentWrapper, typed: str) -> str:
    try:
        return env.format_reply([typed])
    except ValueError:  # tags: it is a whole reply, typed out
        return typed


def _world(conversation: Conversation, agent: str) -> LLMAgentWrapper:
    if conversation.env is None:
        raise ValueError(f"the {agent} agent plays in-process worlds only, and this one is remote")
    return conversation.env


def _resigned(conversation: Conversation) -> str:
    actions = conversation.info["available_actions"]
    if conversation.info["turn"] == 0 or not actions:
        raise ValueError(f"the world has no solution for {conversation.info['instance_id']}")
    return str(actions[0])


def _untagged(text: str) -> str:
    return text.replace("<", "(").replace(">", ")")
