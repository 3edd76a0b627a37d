"""Mutual information by prefix and by token: which words depend on the input, and how early."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from trainers.mi_scores import Floats, Scores, UnusableBatch, logsumexp

FIRST_PREFIX = 8

# Samples at a time: the table has M x N x T entries.
_CHUNK = 64


def by_token(scores: Scores, per_token: ArrayLike | None) -> dict[str, Any]:
    """Estimates on the first 8, 16, 32, ... tokens, and what each token adds.

    The first n tokens of a sequence are a function of it, so that their information is at most
    that of the whole (data processing), and `mi_lower` on them estimates it in the same way;
    sequences of n tokens or fewer enter whole. A token adds

        log p(z_t | x, z_<t) - log sum_j w_j(t) p(z_t | x_j, z_<t),

    w_j(t) being w_j p(z_<t | x_j), normalised: the weights of the prompts after the tokens before.
    By the chain rule the terms of a sequence add up to its matched minus its marginal score.

    Args:
        scores: The merged scores.
        per_token: log p(z_t | x_j, z_<t) for all given columns, shape [M, J, T]; entries at and
            beyond a sample's length are ignored. None where there are none.

    Returns:
        `mi_lower_first_n` and `retrieval_at_1_first_n` for n = 8, 16, 32, ... below the longest
        length, and `token_contributions`, shape [M, T] in nats, NaN beyond a sample's length
        (None without `per_token`).

    Raises:
        ValueError: Another shape, or sums over tokens that are not the scores.
        UnusableBatch: NaN within a sample's length.
    """
    if per_token is None:
        return {"token_contributions": None}
    given = np.asarray(per_token)
    samples, columns = scores.given.shape
    longest = int(scores.lengths.max())
    if given.ndim != 3 or given.shape[:2] != (samples, columns) or given.shape[2] < longest:
        raise ValueError(
            f"per_token must have shape [{samples}, {columns}, T], T >= {longest}, "
            f"got {list(given.shape)}"
        )
    powers = (FIRST_PREFIX * 2**n for n in range(longest.bit_length()))
    sizes = [size for size in powers if size < longest]
    contributions = np.full((samples, given.shape[2]), np.nan)
    information = np.zeros((samples, len(sizes)))
    found = np.zeros((samples, len(sizes)))
    for start in range(0, samples, _CHUNK):
        rows = np.arange(start, min(start + _CHUNK, samples))
        sums, marginal = _cumulative(scores, given, rows)
        matched = np.take_along_axis(sums, scores.own[rows, None, None], axis=1)[:, 0]
        inside = np.arange(longest) < scores.lengths[rows, None]
        added = np.diff(matched - marginal, axis=1, prepend=0.0)
        contributions[rows, :longest] = np.where(inside, added, np.nan)
        for position, size in enumerate(sizes):
            at = size - 1
            information[rows, position] = matched[:, at] - marginal[:, at]
            highest = sums[:, :, at].max(axis=1)
            ties = (sums[:, :, at] == highest[:, None]).sum(axis=1)
            found[rows, position] = (matched[:, at] == highest) / ties
    result: dict[str, Any] = {}
    for position, size in enumerate(sizes):
        result[f"mi_lower_first_{size}"] = float(scores.row_weights @ information[:, position])
        result[f"retrieval_at_1_first_{size}"] = float(scores.row_weights @ found[:, position])
    return result | {"token_contributions": contributions}


def _cumulative(scores: Scores, given: Any, rows: Any) -> tuple[Floats, Floats]:
    """Scores of the first t tokens, shape [m, N, T], and of their mixture, shape [m, T]."""
    longest = int(scores.lengths.max())
    terms = given[rows][:, scores.first, :longest].astype(np.float64)
    inside = np.arange(longest) < scores.lengths[rows, None]
    terms = np.where(inside[:, None, :], terms, 0.0)
    bad = np.isnan(terms) | (terms == np.inf)
    if bad.any():
        row, column, token = np.argwhere(bad)[0]
        raise UnusableBatch(
            f"per_token must be finite or -inf, got {terms[row, column, token]} at "
            f"[{rows[row]}, {scores.first[column]}, {token}]"
        )
    sums = np.cumsum(terms, axis=2)
    _check_sums(sums[:, :, -1], scores.matrix[rows], int(rows[0]))
    weighted = sums + np.log(scores.weights)[:, None]
    return sums, logsumexp(np.moveaxis(weighted, 1, 2))


def _check_sums(sums: Floats, matrix: Floats, first: int) -> None:
    # Wide enough for half precision; a wrong token or a missing one is far outside.
    differ = sums != matrix
    with np.errstate(invalid="ignore"):
        differ &= ~(np.abs(sums - matrix) <= 1e-2 + 1e-3 * np.abs(matrix))
    if differ.any():
        row, column = np.argwhere(differ)[0]
        raise ValueError(
            "per_token must sum to cross_log_probs over a sample's tokens, got "
            f"{sums[row, column]} and {matrix[row, column]} for sample {first + row}"
        )
