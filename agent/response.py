"""The reply grammar: where a model's reasoning ends and which actions its reply holds.

The policy, for every response format:

- The reasoning goes first. `<think>` opens it and the next `</think>` closes it; a `<think>` inside
  is text. A `</think>` that nothing opened makes everything before it reasoning, and a `<think>`
  that is never closed makes everything after it reasoning. So no tag inside the reasoning counts.
- Of what is left, the last complete `<answer>...</answer>` counts; an `<answer>` inside an open one
  starts it anew, and no block spans the reasoning. Text outside the blocks is ignored and costs
  nothing.
- Tags are matched whatever their letter case, and only when spelt exactly so otherwise.
- Where a reply may hold one action, the answer's text is the action, unchanged. Where it may hold
  several, a code fence around the whole answer is removed, the rest is split at the separator, and
  empty pieces are dropped. Actions beyond the limit are not played.
- An action that the world does not know is played as an invalid one, and those after it are played.
- A reply is well formed when it has exactly the blocks its format asks for, complete and in order,
  and no more actions than allowed. Anything else is malformed: what can be used is used, the model
  is told, and the wrapper charges `format_penalty` once.

All functions take time linear in the length of the reply.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

RESPONSE_FORMATS = ("think-answer", "answer-only", "native-thinking", "raw")

_THINK = re.compile(r"<(/?)think>", re.IGNORECASE | re.ASCII)
_ANSWER = re.compile(r"<(/?)answer>", re.IGNORECASE | re.ASCII)
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What a reply says.

    Attributes:
        reasoning: Text of the reasoning, without its tags.
        answer: Text of the answer, None where there is none that can be used.
        problem: Why the reply is malformed, "" when it is well formed.
    """

    reasoning: str
    answer: str | None
    problem: str


@dataclass(frozen=True, slots=True)
class _Thought:
    """A reply cut at its reasoning: `visible` is what stands around it, in pieces.

    `before` is the text up to the first `<think>`.
    """

    reasoning: str
    visible: tuple[str, ...]
    before: str
    blocks: int
    problem: str


def parse_reply(text: str, response_format: str) -> ParsedReply:
    """Read a reply by the policy of this module.

    Args:
        text: The raw reply.
        response_format: "think-answer" (one `<think>` block, then one `<answer>` block),
            "answer-only" (one `<answer>` block; reasoning may stand before it), "native-thinking"
            (as "answer-only", where the chat template may already have opened the reasoning), or
            "raw" (the whole reply without its reasoning is the answer).
    """
    native = response_format == "native-thinking"
    thought = _cut_reasoning(text, opened_by_template=native)
    if response_format == "raw":
        visible = "".join(thought.visible)
        answer = visible if visible.strip() else None
        problem = "the reply is empty" if answer is None else ""
        return ParsedReply(thought.reasoning, answer, thought.problem or problem)
    answer, problem = _last_answer(thought.visible)
    problem = thought.problem or problem
    if response_format == "think-answer" and not problem:
        problem = _think_answer_problem(thought)
    return ParsedReply(thought.reasoning, answer, problem)


def split_actions(answer: str, separator: str) -> list[str]:
    """Actions of an answer that may hold several, in order.

    A code fence around the whole answer is removed; pieces are stripped and empty ones dropped.
    """
    pieces = (piece.strip() for piece in _without_fence(answer).split(separator))
    return [piece for piece in pieces if piece]


def format_reply(
    actions: Sequence[str], reasoning: str, response_format: str, separator: str
) -> str:
    """The well-formed reply that `parse_reply` and `split_actions` read back as given.

    Raises:
        ValueError: The reasoning or an action holds a tag, or one of several actions the separator,
            so it would not.
    """
    answer = f" {separator} ".join(actions)
    if _THINK.search(reasoning + answer):
        raise ValueError("reasoning and actions must not hold <think> tags")
    if response_format == "raw":
        return answer
    if _ANSWER.search(reasoning + answer):
        raise ValueError("reasoning and actions must not hold <answer> tags")
    if len(actions) > 1 and any(separator in action for action in actions):
        raise ValueError(f"actions must not hold the separator {separator!r}, got {actions!r}")
    reply = f"<answer>{answer}</answer>"
    if response_format == "think-answer":
        return f"<think>{reasoning}</think>\n{reply}"
    return f"{reasoning}\n{reply}" if reasoning else reply


def _cut_reasoning(text: str, *, opened_by_template: bool) -> _Thought:
    # Spans rather than pieces of text, so that many stray tags do not copy the reply many times.
    reasoning: list[tuple[int, int]] = []
    visible: list[tuple[int, int]] = []
    before: int | None = None
    problem = ""
    inside = False
    blocks = 0
    position = 0
    for tag in _THINK.finditer(text):
        opens = not tag[1]
        if opens and inside:
            problem = problem or "a <think> tag stands inside the reasoning"
            continue
        span = (position, tag.start())
        position = tag.end()
        if opens:
            visible.append(span)
            before = tag.start() if before is None else before
            inside = True
            continue
        blocks += 1
        if not inside:
            if not (opened_by_template and blocks == 1):
                problem = problem or "a </think> tag has no <think> before it"
            span = (0, tag.start())
            reasoning, visible, before = [], [], 0
        reasoning.append(span)
        inside = False
    (reasoning if inside else visible).append((position, len(text)))
    if inside:
        problem = problem or "<think> is never closed"
    return _Thought(
        "\n".join(text[start:end] for start, end in reasoning),
        tuple(text[start:end] for start, end in visible),
        text[: before or 0],
        blocks,
        problem,
    )


def _last_answer(visible: Sequence[str]) -> tuple[str | None, str]:
    answer: str | None = None
    count = 0
    unpaired = False
    for piece in visible:  # a block never spans the reasoning, nor does a tag
        start = -1
        for tag in _ANSWER.finditer(piece):
            if not tag[1]:
                unpaired = unpaired or start >= 0
                start = tag.end()
            elif start >= 0:
                answer, count, start = piece[start : tag.start()], count + 1, -1
            else:
                unpaired = True
        unpaired = unpaired or start >= 0
    if answer is None:
        return None, "there is no complete <answer>...</answer> block"
    if not answer.strip():
        return None, "the <answer> block is empty"
    if count > 1:
        return answer, f"there are {count} <answer> blocks, the last one counts"
    return answer, "an <answer> tag is missing its partner" if unpaired else ""


def _think_answer_problem(thought: _Thought) -> str:
    if thought.blocks == 0:
        return "there is no <think>...</think> block"
    if thought.blocks > 1:
        return "there is more than one <think> block"
    if _ANSWER.search(thought.before):
        return "the answer stands before the reasoning"
    return ""


def _without_fence(answer: str) -> str:
    text = answer.strip()
    if len(text) < 2 * len(_FENCE) or not (text.startswith(_FENCE) and text.endswith(_FENCE)):
        return text
    inner = text[len(_FENCE) : -len(_FENCE)]
    info_string, newline, body = inner.partition("\n")
    return body if newline else info_string
