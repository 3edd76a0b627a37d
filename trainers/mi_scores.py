"""Scores: the matrix log p(z_i | x_j), checked, with equal prompts merged and weights given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragen_envs.arguments import check_choice

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# log p of a token sequence is at most 0, but for the rounding of a sum.
_ABOVE_ZERO = 1e-3


class UnusableBatch(ValueError):
    """A batch whose data allow no estimate; `safe=True` skips it, and only it."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """M sampled sequences scored under N different prompts.

    Attributes:
        matrix: log p(z_i | x_j) in nats, summed over the tokens of z_i, shape [M, N].
        own: Column of the prompt that z_i was sampled from, shape [M].
        lengths: Tokens of z_i, shape [M].
        weights: Weight w_j of each prompt, shape [N], sum 1.
        draws: Given columns merged into each prompt, shape [N].
        units: Independent draws behind each prompt's weight, shape [N]; None where the weights
            were given as an array.
        row_weights: Weight of each sample in every mean, shape [M], sum 1: its prompt's weight
            over the number of the prompt's samples, where prompts without a sample count nothing.
        given: The matrix before merging, shape [M, J].
        given_own: Own column of each sample before merging, shape [M].
        column: Prompt that each given column was merged into, shape [J].
        first: First given column of each prompt, shape [N].
        merged_difference: Largest difference between scores of columns that were merged, in nats.
    """

    matrix: Floats
    own: Indices
    lengths: Floats
    weights: Floats
    draws: Floats
    units: Floats | None
    row_weights: Floats
    given: Floats
    given_own: Indices
    column: Indices
    first: Indices
    merged_difference: float

    @property
    def matched(self) -> Floats:
        """Scores under the own prompt, log p(z_i | x_c(i)), shape [M]."""
        values: Floats = self.matrix[np.arange(len(self.own)), self.own]
        return values

    @property
    def counts(self) -> Indices:
        """Samples of each prompt, shape [N]."""
        return np.bincount(self.own, minlength=len(self.weights))


def make_scores(
    cross_log_probs: ArrayLike,
    prompt_index: ArrayLike,
    lengths: ArrayLike,
    prompt_ids: Sequence[Any] | None,
    weights: str | ArrayLike,
    *,
    log_probs: bool,
) -> Scores:
    """Check, merge and weigh; see `trainers.mutual_information.mutual_information`.

    Args:
        cross_log_probs: Shape [M, J].
        prompt_index: Shape [M].
        lengths: Shape [M].
        prompt_ids: J sequences of token ids, or None where all prompts differ.
        weights: "draws", "uniform", or shape [J].
        log_probs: The scores are log-probabilities of the sampling distribution, so none may be
            positive.

    Raises:
        ValueError: A wrong shape or value.
        UnusableBatch: No sample, a score that is NaN or +inf, or a sample of probability 0 under
            its own prompt.
    """
    given = np.asarray(cross_log_probs, dtype=np.float64)
    if given.ndim != 2:
        raise ValueError(
            f"cross_log_probs must have shape [samples, prompts], got {list(given.shape)}"
        )
    samples, prompts = given.shape
    if samples == 0 or prompts == 0:
        raise UnusableBatch(
            f"cross_log_probs must hold at least one sample and prompt, got {[samples, prompts]}"
        )
    own = _integers("prompt_index", prompt_index, samples, 0, prompts - 1)
    tokens = _integers("lengths", lengths, samples, 1, None)
    _check_values(given, own, log_probs)
    column, first = _merge(prompt_ids, prompts)
    draws = np.bincount(column).astype(np.float64)
    w = _weights(weights, column, draws)
    merged_own = column[own]
    counts = np.bincount(merged_own, minlength=len(w))
    rows = w[merged_own] / counts[merged_own]
    matrix = given[:, first]
    return Scores(
        matrix=matrix,
        own=merged_own,
        lengths=tokens.astype(np.float64),
        weights=w,
        draws=draws,
        units=_units(weights, draws),
        row_weights=rows / rows.sum(),
        given=given,
        given_own=own,
        column=column,
        first=first,
        merged_difference=_difference(given, matrix[:, column]) if len(w) < prompts else 0.0,
    )


def logsumexp(values: Floats) -> Floats:
    """log(sum(exp(values))) over the last axis, shape [..., N] to [...]; -inf where all are."""
    highest = np.max(values, axis=-1, keepdims=True)
    shift = np.where(np.isfinite(highest), highest, 0.0)
    with np.errstate(divide="ignore"):
        total = np.log(np.sum(np.exp(values - shift), axis=-1))
    result: Floats = total + shift[..., 0]
    return result


def _integers(name: str, values: ArrayLike, size: int, low: int, high: int | None) -> Indices:
    array = np.asarray(values)
    if array.shape != (size,):
        raise ValueError(
            f"{name} must have shape [{size}], one for each sample, got {list(array.shape)}"
        )
    if not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name} must hold integers, got {array.dtype}")
    wrong = (array < low) | (False if high is None else array > high)
    if wrong.any():
        rule = f">= {low}" if high is None else f"in [{low}, {high}]"
        where = int(np.argmax(wrong))
        raise ValueError(f"{name} must be {rule}, got {array[where]} at sample {where}")
    return array.astype(np.intp)


def _check_values(given: Floats, own: Indices, log_probs: bool) -> None:
    bad = np.isnan(given) | (given == np.inf)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise UnusableBatch(
            f"cross_log_probs must be finite or -inf, got {given[row, column]} at [{row}, {column}]"
        )
    if log_probs and given.max() > _ABOVE_ZERO:
        row, column = np.unravel_index(np.argmax(given), given.shape)
        raise ValueError(
            f"cross_log_probs must be <= 0 where scorer is 'policy', got {given[row, column]} at "
            f"[{row}, {column}]"
        )
    matched = given[np.arange(len(own)), own]
    if np.isinf(matched).any():
        row = int(np.argmax(np.isinf(matched)))
        raise UnusableBatch(
            "cross_log_probs must be finite under a sample's own prompt, got -inf at "
            f"[{row}, {own[row]}]"
        )


def _merge(prompt_ids: Sequence[Any] | None, prompts: int) -> tuple[Indices, Indices]:
    """Prompt of each given column, and first column of each prompt; in order of appearance."""
    if prompt_ids is None:
        return np.arange(prompts), np.arange(prompts)
    if len(prompt_ids) != prompts:
        raise ValueError(f"prompt_ids must hold {prompts} prompts, got {len(prompt_ids)}")
    known: dict[tuple[Any, ...], int] = {}
    column, first = [], []
    for position, ids in enumerate(prompt_ids):
        array = np.atleast_1d(np.asarray(ids, dtype=object))
        if array.ndim != 1 or any(isinstance(i, (list, tuple)) for i in array):
            raise ValueError(f"prompt_ids must hold flat sequences of ids, got {ids!r:.80}")
        key = tuple(array.tolist())
        if key not in known:
            known[key] = len(known)
            first.append(position)
        column.append(known[key])
    return np.array(column, dtype=np.intp), np.array(first, dtype=np.intp)


def _units(weights: str | ArrayLike, draws: Floats) -> Floats | None:
    if not isinstance(weights, str):
        return None
    check_choice("weights", weights, ("draws", "uniform"))
    return draws if weights == "draws" else np.ones_like(draws)


def _weights(weights: str | ArrayLike, column: Indices, draws: Floats) -> Floats:
    units = _units(weights, draws)
    if units is not None:
        return np.asarray(units / units.sum())
    array = np.asarray(weights, dtype=np.float64)
    if array.shape != column.shape:
        raise ValueError(
            f"weights must be 'draws', 'uniform' or have shape [{len(column)}], one for each "
            f"given prompt, got {list(array.shape)}"
        )
    if not np.all((array > 0) & np.isfinite(array)):
        wrong = array[~((array > 0) & np.isfinite(array))][0]
        raise ValueError(f"weights must be > 0, got {wrong}")
    if abs(array.sum() - 1) > 1e-6:
        raise ValueError(f"weights must sum to 1, got {array.sum()}")
    merged: Floats = np.bincount(column, weights=array) / array.sum()
    return merged


def _difference(given: Floats, merged: Floats) -> float:
    # Equal infinities differ by nothing, and their difference would be NaN.
    differ = given != merged
    return float(np.max(np.abs(given[differ] - merged[differ]), initial=0.0))
