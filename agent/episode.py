"""Turn and Episode: what happened, exactly as seen and written; JSON lines in and out."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from agent.prompts import Message
from agent.tokens import TokenRow, TokenTrace

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

SCHEMA = 1
ENDINGS = ("terminated", "truncated", "max_turns", "error")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a reply cost, over all attempts."""

    prompt: int
    completion: int
    cached: int = 0


@dataclass(frozen=True, slots=True)
class Response:
    """What a model wrote.

    Attributes:
        text: The reply, unchanged.
        finish_reason: "stop", "length", or what the server said.
        reasoning: Reasoning that a server split off, "" where it stands in `text`.
        prompt_token_ids: Ids that the model read, None where the backend does not tell.
        token_ids: Ids that it sampled.
        logprobs: Their log-probabilities in nats, None where the backend gave no finite number.
        usage: Token counts, None where the backend does not tell.
    """

    text: str
    finish_reason: str = "stop"
    reasoning: str = ""
    prompt_token_ids: tuple[int, ...] | None = None
    token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float | None, ...] | None = None
    usage: Usage | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise TypeError(f"text must be a str, got {self.text!r}")
        # Tuples and finite numbers, so that an episode is read back equal from JSON.
        for name in ("prompt_token_ids", "token_ids"):
            ids = getattr(self, name)
            object.__setattr__(self, name, None if ids is None else tuple(ids))
        if self.logprobs is not None:
            finite = (p if p is not None and math.isfinite(p) else None for p in self.logprobs)
            object.__setattr__(self, "logprobs", tuple(finite))


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a reply was sampled; None where the backend does not tell."""

    model: str | None = None
    policy_version: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    logprob_mode: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply and what it did.

    Attributes:
        index: From 0.
        new_messages: Messages added to the chat since the turn before; the first turn has the
            system message and the first user message.
        shown_turns: Indices of the earlier turns that the model saw.
        response: What it wrote.
        observation: The user message that it replied to.
        actions: Actions passed to the world.
        rewards: Reward of each of them.
        env_reward: Their sum.
        format_penalty: 0.0, or the penalty for a malformed reply.
        invalid_reason: Why the reply or an action of it was not valid, "".
        ended_by: One of `ENDINGS` on the last turn, else None.
        sampling: How the reply was sampled, None where it was not.
    """

    index: int
    new_messages: tuple[Message, ...]
    shown_turns: tuple[int, ...]
    response: Response
    observation: str
    actions: tuple[str, ...]
    rewards: tuple[float, ...]
    env_reward: float
    format_penalty: float
    invalid_reason: str
    ended_by: str | None
    sampling: Sampling | None


@dataclass(frozen=True, slots=True)
class Episode:
    """One finished episode; a group is all episodes of one (env_id, env_kwargs, instance_id).

    Attributes:
        schema: `SCHEMA` of the writer.
        env_id: Gymnasium id.
        env_kwargs: Constructor arguments beyond the id's own, as JSON.
        split: Split of the instance.
        instance_id: Instance played.
        member: Number within the group, from 0.
        seed: Episode seed.
        agent: Name of the agent.
        turns: In order; may be empty where the world failed.
        terminated: The task ended.
        truncated: A limit ended it.
        success: The task is solved.
        error: What failed, "" when nothing did; an episode with an error is no score.
        final_observation: The user message after the last turn.
        trace: The exact tokens, None where the backend does not tell.
    """

    schema: int
    env_id: str
    env_kwargs: dict[str, Any]
    split: str
    instance_id: str
    member: int
    seed: int
    agent: str
    turns: tuple[Turn, ...]
    terminated: bool
    truncated: bool
    success: bool
    error: str
    final_observation: str
    trace: TokenTrace | None

    @property
    def env_return(self) -> float:
        """Sum of the world's rewards, format penalties left out."""
        return math.fsum(turn.env_reward for turn in self.turns)

    @property
    def total_return(self) -> float:
        """Sum of the world's rewards and the format penalties."""
        return math.fsum(turn.env_reward + turn.format_penalty for turn in self.turns)

    def messages(self, turn: int) -> list[Message]:
        """The exact chat that the model saw before it wrote reply `turn`.

        Raises:
            IndexError: There is no such turn.
        """
        if not 0 <= turn < len(self.turns):
            raise IndexError(f"turn must be in [0, {len(self.turns) - 1}], got {turn}")
        messages = [self.turns[0].new_messages[0]]
        for index in self.turns[turn].shown_turns:
            # A turn opens with the reply to the turn before, and ends with its own user message.
            messages += [self.turns[index].new_messages[-1], self.turns[index + 1].new_messages[0]]
        return [dict(m) for m in [*messages, self.turns[turn].new_messages[-1]]]

    def to_json(self) -> str:
        """One line of JSON: ASCII, so that any text of a model survives any file."""
        return json.dumps(asdict(self), allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Episode:
        """Read back what `to_json` wrote.

        Raises:
            ValueError: Not JSON, another schema, or a missing or unknown field.
        """
        data = json.loads(line)
        schema = data.get("schema") if isinstance(data, dict) else None
        if schema != SCHEMA:
            raise ValueError(f"schema must be {SCHEMA}, got {schema!r}")
        try:
            trace = data["trace"]
            return cls(
                **{
                    **data,
                    "turns": tuple(_turn(t) for t in data["turns"]),
                    "trace": None if trace is None else _trace(trace),
                }
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"not an episode of schema {SCHEMA}: {error}") from error


def _turn(data: dict[str, Any]) -> Turn:
    sampling, response = data["sampling"], data["response"]
    usage = response["usage"]
    frozen = {key: _tuple(value) for key, value in data.items()}
    own = {key: _tuple(value) for key, value in response.items()}
    return Turn(
        **{
            **frozen,
            "response": Response(**{**own, "usage": None if usage is None else Usage(**usage)}),
            "sampling": None if sampling is None else Sampling(**sampling),
        }
    )


def _trace(data: dict[str, Any]) -> TokenTrace:
    names = [field.name for field in fields(TokenRow)]
    rows = data["rows"]
    return TokenTrace(
        tuple(TokenRow(**{name: _tuple(row[name]) for name in names}) for row in rows)
    )


def _tuple(value: Any) -> Any:
    return tuple(_tuple(item) for item in value) if isinstance(value, list) else value


def read_episodes(path: str | Path) -> Iterator[Episode]:
    """Episodes of a JSON-lines file, in the order written.

    A last line without its newline was cut off while it was written, and is left out.

    Raises:
        ValueError: A complete line is not an episode; the message names file and line.
    """
    # newline="\n": no other character ends a line.
    with open(path, encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith("\n"):
                return
            try:
                yield Episode.from_json(line)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from error


class EpisodeWriter:
    """Appends episodes to a JSON-lines file, each on disk as soon as it is written.

    A half line left by a killed process is cut off first, so that the next line starts clean. The
    file is locked against other writers, where the system has such locks; the lock ends with the
    process, however that ends.

    Args:
        path: The file; made if there is none.

    Raises:
        BlockingIOError: Another process is writing to the file.
    """

    def __init__(self, path: str | Path) -> None:
        self._file = open(path, "a+b")
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                self._file.close()
                raise BlockingIOError(f"{path} is being written by another process") from error
        self._cut_half_line()

    def _cut_half_line(self) -> None:
        end = self._file.seek(0, 2)
        while end > 0:
            start = max(0, end - 65_536)
            self._file.seek(start)
            newline = self._file.read(end - start).rfind(b"\n")
            if newline >= 0:
                self._file.truncate(start + newline + 1)
                return
            end = start
        self._file.truncate(0)

    def write(self, episode: Episode) -> None:
        """Append one episode, in one write that reaches the operating system at once."""
        self._file.write(episode.to_json().encode("ascii") + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> EpisodeWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def write_episodes(path: str | Path, episodes: Iterable[Episode]) -> int:
    """Append episodes as they come; returns how many."""
    count = 0
    with EpisodeWriter(path) as writer:
        for episode in episodes:
            writer.write(episode)
            count += 1
    return count
