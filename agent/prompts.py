"""Chat messages: the system message, the note on the budget, and which turns a model still sees."""

from __future__ import annotations

from collections.abc import Sequence

Message = dict[str, str]


def message(role: str, content: str) -> Message:
    """One chat message, `{"role": ..., "content": ...}`."""
    return {"role": role, "content": content}


def format_instructions(
    response_format: str, max_actions: int, separator: str, examples: Sequence[str]
) -> str:
    """How to reply, appended to the world's instructions.

    Args:
        response_format: One of `agent.response.RESPONSE_FORMATS`.
        max_actions: Actions that a reply may hold.
        separator: What stands between them.
        examples: Actions of the world, for the sample reply; may be empty.
    """
    if response_format == "raw":
        return "Your whole reply is taken as your action."
    sample = _sample(max_actions, separator, examples)
    lines = ["Reply in this form:"]
    if response_format == "think-answer":
        lines.append("<think>your reasoning</think>")
    lines.append(f"<answer>{sample}</answer>")
    if max_actions > 1:
        lines.append(
            f"An answer may hold up to {max_actions} actions, separated by {separator}; they are "
            "played in order, and you see what they led to."
        )
    return "\n".join(lines)


def _sample(max_actions: int, separator: str, examples: Sequence[str]) -> str:
    if max_actions == 1:
        return examples[0] if examples else "your answer"
    shown = list(examples[:2]) if len(examples) > 1 else ["first action", "second action"]
    return f" {separator} ".join(shown)


def budget(actions_left: int | None, replies_left: int | None) -> str:
    """The line that tells the model what it has left; "" where nothing limits it."""
    parts = []
    if actions_left is not None:
        parts.append(f"Actions left: {actions_left}.")
    if replies_left is not None:
        parts.append(f"Replies left: {replies_left}.")
    return " ".join(parts)


def shown_turns(turns: int, window: int | None) -> tuple[int, ...]:
    """Indices of the past turns that a model sees after `turns` replies."""
    first = 0 if window is None else max(0, turns - window)
    return tuple(range(first, turns))


def chat(
    system: str, past: Sequence[tuple[str, str]], shown: Sequence[int], current: str
) -> list[Message]:
    """The conversation for the next call, new objects each time.

    Args:
        system: Content of the system message.
        past: `(user message, reply)` of every past turn.
        shown: Indices of the turns to include.
        current: The user message that awaits a reply.
    """
    messages = [message("system", system)]
    for index in shown:
        user, reply = past[index]
        messages += [message("user", user), message("assistant", reply)]
    return [*messages, message("user", current)]
