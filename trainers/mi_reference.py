"""The reference's own numbers (RAGEN's `collapse_metrics.py`), under its own names."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from trainers.mi_scores import Floats, Indices, Scores, UnusableBatch, logsumexp

STD_EPS = 1e-3
EMA_DECAY = 0.9


def ema(state: dict[str, float] | None, name: str, current: float) -> float:
    """Moving average of a standard deviation, the current value blended in; the first as it is."""
    if state is None:
        return current
    return EMA_DECAY * state[name] + (1 - EMA_DECAY) * current


def reference_metrics(scores: Scores, ema_state: dict[str, float] | None) -> dict[str, Any]:
    """What the reference logs, in float64: plain means, a uniform mixture of the given columns.

    Equal prompts are merged for retrieval alone; in the mixture each stands for itself, and chance
    at k is k times chance at 1. Of tied columns the first wins, where torch's choice is not
    defined. `mi_estimate` and the names without `seq` are of scores divided by their length.

    Raises:
        UnusableBatch: Fewer than two columns; the reference then logs nothing.
    """
    columns = scores.given.shape[1]
    if columns < 2:
        raise UnusableBatch(f"cross_log_probs must have at least two prompts, got {columns}")
    rows = np.arange(len(scores.given_own))
    mean = scores.given / scores.lengths[:, None]
    metrics: dict[str, Any] = {"mi_upper_bound": math.log(columns)}
    state = {}
    for matrix, seq, name in ((mean, "", "token_mean"), (scores.given, "_seq", "sum")):
        matched = matrix[rows, scores.given_own]
        marginal = logsumexp(matrix) - math.log(columns)
        gap, std = float(np.mean(matched - marginal)), float(marginal.std())
        state[name] = ema(ema_state, name, std)
        metrics |= {
            f"mi{seq}_estimate": gap,
            f"conditional_entropy{seq}_est": -float(matched.mean()),
            f"reasoning_entropy{seq}_est": -float(marginal.mean()),
            f"marginal_std{seq}": std,
            f"marginal_std_ema{seq}": state[name],
            f"mi_zscore{seq}": gap / (std + STD_EPS),
            f"mi_zscore_ema{seq}": gap / (state[name] + STD_EPS),
        }
    metrics["matched_log_prob_mean"] = -metrics["conditional_entropy_est"]
    metrics["marginal_log_prob_mean"] = -metrics["reasoning_entropy_est"]
    return metrics | _retrieval(mean, scores.column, scores.given_own) | {"ema_state": state}


def _retrieval(matrix: Floats, prompt: Indices, own: Indices) -> dict[str, float]:
    columns = len(prompt)
    ranked = prompt[np.argsort(-matrix, axis=1, kind="stable")]
    hit = ranked == prompt[own][:, None]
    chance = float(np.mean(np.bincount(prompt)[prompt[own]] / columns))
    metrics = {}
    for k, at in ((1, ""), (2, "@2"), (4, "@4"), (8, "@8")):
        used = min(k, 8, columns)
        share = float(hit[:, :used].any(axis=1).mean())
        level = min(1.0, chance * used)
        metrics[f"retrieval_accuracy{at}"] = share
        metrics[f"retrieval_chance_level{at}"] = level
        metrics[f"retrieval_above_chance{at}"] = share - level
    return metrics
