"""TokenTrace: the exact tokens of an episode, as the model read and sampled them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One sequence of token ids.

    Attributes:
        token_ids: All ids, prompt and samples in order, shape (T,).
        loss_mask: 1 on sampled ids and 0 elsewhere, shape (T,).
        logprobs: Log-probability of each sampled id in nats, 0.0 elsewhere, shape (T,).
        turn_spans: `(turn, start, end)` of each turn's sampled ids, end exclusive.
        reasoning_spans: `(turn, start, end)` of each turn's reasoning; `end` is the position after
            the id that completes `</think>`, or the turn's end where it never closes.
    """

    token_ids: tuple[int, ...]
    loss_mask: tuple[int, ...]
    logprobs: tuple[float, ...]
    turn_spans: tuple[tuple[int, int, int], ...]
    reasoning_spans: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class TokenTrace:
    """The rows of an episode: one, or one per turn where a chat template rewrites history."""

    rows: tuple[TokenRow, ...]
