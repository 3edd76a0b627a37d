"""Mutual information of prompts and reasoning: has the agent stopped listening?

x is a prompt, z the reasoning that the model sampled under it. `cross_log_probs[i, j]` is
log p(z_i | x_j): every sampled reasoning scored under every prompt. Where the reasoning depends on
the input, a z is likelier under its own prompt than under the mixture of all; where it is a
template, it is not, however varied the template's words are (RAGEN-2, arXiv 2604.06268).

For the quantities to be what they are named, z must be a whole random variable: every sampled id
from the first up to and including the one that completes `</think>`, or to the end of the reply
where none does, and x the exact ids that the model read. `trainers.mi_sampling` makes such pairs.

The estimand is the mutual information under the given prompts and weights,

    I_w = sum_j w_j KL(p(z | x_j) || sum_k w_k p(z | x_k)),

"the fixed prompts" below. All means over samples carry the weight w_j / G_j, G_j being the
prompt's samples. Where some prompts have none they take part in the mixtures only, the means are
over the prompts that have, and what is estimated is that mean of KL(p(z | x_j) || mixture).

Departures from the reference (RAGEN's `collapse_metrics.py`), whose own numbers `reference=True`
gives:

- Equal prompts are one prompt, its weight the number of its draws (or what `weights` says). There
  they are merged for retrieval alone. The mixture of repeated columns is the same, but the ln N
  logged as the most that the estimate can be is too high: that is H(w).
- A mean gives every prompt its weight, however many samples it has; there, every sample counts one.
- The headline is in nats of whole sequences. The reference's `mi_estimate` divides scores by their
  length first; that is a bound with a scaled critic, here `mi_per_token_proxy`.
- Retrieval shares ties and has an exact chance at every k; above chance is scaled.
- There is an upper estimate, a bias-corrected one, and an interval; the reference has none.
- Nothing is swallowed: an error is raised, or with `safe=True` a batch without an estimate is
  named as skipped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ragen_envs.arguments import check_choice, check_int, check_number
from ragen_envs.intervals import student_t_quantile
from trainers.mi_prefix import by_token
from trainers.mi_reference import STD_EPS, ema, reference_metrics
from trainers.mi_retrieval import permuted, retrieval
from trainers.mi_scores import Floats, Scores, UnusableBatch, logsumexp, make_scores

SCORERS = ("policy", "other")
CONFIDENCE = 0.95
SATURATED = 0.95

# Student's quantile at more degrees of freedom is taken here: at most 0.13% too wide, and fast.
_MAX_DF = 1000

# Bounds that differ by less than this, relative to the scores, have not crossed.
_ROUNDING = 1e-9

_STATE = ("token_mean", "sum")


def mutual_information(
    cross_log_probs: ArrayLike,
    prompt_index: ArrayLike,
    lengths: ArrayLike,
    prompt_ids: Sequence[Any] | None = None,
    *,
    scorer: str = "policy",
    sampling_temperature: float = 1.0,
    scoring_temperature: float = 1.0,
    top_p: float = 1.0,
    top_k: int | None = 0,
    weights: str | ArrayLike = "draws",
    per_token: ArrayLike | None = None,
    ema_state: Mapping[str, float] | None = None,
    rng: np.random.Generator | None = None,
    safe: bool = False,
    reference: bool = False,
) -> dict[str, Any]:
    """Everything that a matrix of cross-scores tells about I(X; Z), in nats.

    Args:
        cross_log_probs: log p(z_i | x_j), summed over the tokens of z_i, shape [M, J]; -inf where
            a prompt rules a sample out. J may exceed the number of prompts that have samples.
        prompt_index: Column of the prompt that z_i was sampled under, shape [M].
        lengths: Tokens of z_i, >= 1, shape [M].
        prompt_ids: Token ids of the J prompts, any of list, tuple or array; columns with equal
            ids are merged, and the first of them is read. None where all differ.
        scorer: "policy" where the scores come from the very distribution that was sampled, which
            makes the upper estimate and the entropies possible. "other" for another model, another
            temperature or a truncated distribution: the scores are then a critic only.
        sampling_temperature: As recorded.
        scoring_temperature: What the scores were computed at.
        top_p: As recorded at sampling.
        top_k: As recorded at sampling; 0, -1 or None where it was off.
        weights: Of the prompts. "draws" (default): the number of given columns merged into the
            prompt, over J; a column is one draw of a prompt, so give one for each prompt drawn,
            not one for each sample. "uniform": equal for all different prompts. Or an array of
            shape [J], > 0, sum 1.
        per_token: log p(z_t | x_j, z_<t), shape [M, J, T], for the estimates by prefix and token.
        ema_state: What the last call on the same kind of batch returned under this name, or None.
        rng: Draws the permutations; None leaves out what needs them.
        safe: Return `{"skipped": reason}` for a batch whose data allow no estimate (fewer than two
            different prompts, no sample, NaN scores, a sample of probability 0 under its own
            prompt). Wrong arguments raise all the same.
        reference: Return the reference's own numbers under its own names; see
            `trainers.mi_reference.reference_metrics`.

    Returns:
        Keys, the same in every call (None where a quantity does not exist) but for those by
        prefix. The bracket:

        mi_lower: Mean of S[i, c(i)] - logsumexp_j(S[i, j] + log w_j). Unbiased for I_w, at most
            `mi_max`; below the information of the population that the prompts were drawn from, in
            expectation (Poole et al. 2019, On variational bounds of mutual information, ICML,
            arXiv:1905.06922, section 2.5, structured bounds with tractable encoders). With scorer
            "other" a lower bound of I_w, in expectation, by a critic (section 2.3, InfoNCE; Barber
            and Agakov 2003 for fixed prompts); where prompts have no sample, of the population's
            only, if those that have are a random choice.
        mi_upper: The same with one draw of the own prompt left out of the mixture: its weight w_j
            falls by w_j / draws_j, and the rest is normalised. Above I_w in expectation for any
            weights; above the population's information for weights "draws" and prompts drawn
            independently (section 2.5, leave one out). inf where no other prompt could have
            written a sample.
        mi_upper_infinite, bracket_crossed: Flags. [mi_lower, mi_upper] is a bracket in expectation
            only; in a single batch its ends can cross.
        mi_jackknife: mi_lower with its bias in the number of prompts drawn, n, removed to first
            order: n mi_lower - (n - 1) times its mean without one prompt (Quenouille 1956,
            Biometrika 43, 353-360). A prompt drawn several times loses one draw at a time; with
            weights "uniform" every different prompt is one draw. An estimate for the population,
            no bound; None for fewer than three draws, and for weights in an array, which are no
            draws.
        mi_max: H(w), the most that mi_lower can be; where prompts have no sample, the weighted
            mean of -log w_j over those that have.
        saturation, saturated, mi_text: mi_lower / mi_max; above .95 the text says ">=", since the
            estimate then measures the number of prompts.
        mi_se, mi_df, mi_low, mi_high: 95% t interval of mi_lower for the fixed prompts: variance
            sum_j v_j^2 s_j^2 / G_j within prompts, sum_j (G_j - 1) degrees of freedom. None where
            a prompt has a single sample. With scorer "other" it is that of the bound, not of I_w.
            It says nothing about other prompts, and is too narrow where what tells prompts apart
            is too rare to be seen in G_j samples (`benchmarks/mi_ground_truth.py` tabulates its
            coverage).
        mi_per_token_proxy: mi_lower of scores divided by their length: a lower bound too (in
            nats of a sequence, not a rate), usually a loose one, its critic being scaled.

        Entropies, in nats (None with scorer "other", but for nll):

        h_z_given_x, h_z_given_x_per_token: -matched, per sequence, and over the mean length.
        h_z, h_z_per_token: h_z_given_x + mi_lower, a lower estimate as mi_lower is.
        nll: -matched of the scorer, over the mean length; a cross-entropy with scorer "other".

        Retrieval and tests: see `trainers.mi_retrieval`. By prefix and token: `trainers.mi_prefix`.
        The reference's z-scores:

        marginal_std, mi_zscore, mi_zscore_ema: On scores divided by their length. The population
            standard deviation over samples of the marginal; mean (matched - marginal) over it plus
            1e-3; the same with its moving average, decay .9, the current value blended in before
            use, the first as it is.
        marginal_std_seq, mi_zscore_seq, mi_zscore_ema_seq: The same on sums.
        ema_state: The averages, to be passed to the next call.

        And num_samples, num_prompts, num_sampled_prompts, num_columns (before merging),
        merged_score_difference (largest difference of scores merged), mean_length, scorer, bound.

    Raises:
        ValueError: A wrong argument, or without `safe` a batch that allows no estimate
            (`UnusableBatch`).
        TypeError: An argument of another type.
    """
    _check_sampling(scorer, sampling_temperature, scoring_temperature, top_p, top_k)
    state = _checked_state(ema_state)
    if rng is not None and not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy Generator or None, got {rng!r}")
    try:
        scores = make_scores(
            cross_log_probs, prompt_index, lengths, prompt_ids, weights,
            log_probs=scorer == "policy",
        )  # fmt: skip
        if reference:
            return reference_metrics(scores, state)
        return _estimate(scores, scorer, state, per_token, rng)
    except UnusableBatch as error:
        if not safe:
            raise
        return {"skipped": str(error)}


def json_metrics(result: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The numbers, flags and texts of a result for one line of JSON: no arrays, inf as null.

    An infinite `mi_upper` is told by the flag `mi_upper_infinite`. The state of the moving average
    is left out; keep it with the checkpoint.
    """
    flat = {}
    for key, value in result.items():
        if isinstance(value, (np.ndarray, dict)) or key == "token_contributions":
            continue
        finite = not isinstance(value, float) or math.isfinite(value)
        flat[prefix + key] = value if finite else None
    return flat


def _check_sampling(
    scorer: str, sampling: float, scoring: float, top_p: float, top_k: int | None
) -> None:
    check_choice("scorer", scorer, SCORERS)
    for name, value in (("sampling_temperature", sampling), ("scoring_temperature", scoring)):
        check_number(name, value, 0.0, math.inf)
    check_number("top_p", top_p, 0.0, 1.0)
    if top_k is not None:
        check_int("top_k", top_k, -1)
    if scorer == "other":
        return
    rule = "where scorer is 'policy'; give 'other' for a lower bound alone"
    if sampling == 0:
        raise ValueError(f"sampling_temperature must be > 0 {rule}, got {sampling}")
    if sampling != scoring:
        raise ValueError(
            f"scoring_temperature must equal sampling_temperature {rule}, got {scoring} and "
            f"{sampling}"
        )
    if top_p != 1:
        raise ValueError(f"top_p must be 1 {rule}, got {top_p}")
    if top_k not in (None, 0, -1):
        raise ValueError(f"top_k must be off (0, -1 or None) {rule}, got {top_k}")


def _checked_state(state: Mapping[str, float] | None) -> dict[str, float] | None:
    if state is None:
        return None
    if set(state) != set(_STATE):
        raise ValueError(f"ema_state must have the keys {list(_STATE)}, got {sorted(state)}")
    for name in _STATE:
        check_number(f"ema_state[{name!r}]", state[name], 0.0, math.inf)
    return {name: float(state[name]) for name in _STATE}


def _estimate(
    scores: Scores,
    scorer: str,
    state: dict[str, float] | None,
    per_token: ArrayLike | None,
    rng: np.random.Generator | None,
) -> dict[str, Any]:
    prompts = len(scores.weights)
    if prompts < 2:
        raise UnusableBatch(
            f"cross_log_probs must have at least two different prompts, got {prompts}"
        )
    policy = scorer == "policy"
    gap = scores.matched - _marginal(scores, scores.matrix)
    lower = _mean(scores, gap)
    mean_length = _mean(scores, scores.lengths)
    return {
        "num_samples": len(scores.own),
        "num_prompts": prompts,
        "num_sampled_prompts": int(np.sum(scores.counts > 0)),
        "num_columns": len(scores.column),
        "merged_score_difference": scores.merged_difference,
        "mean_length": mean_length,
        "scorer": scorer,
        "bound": "bracket" if policy else "lower bound with a critic",
        "mi_lower": lower,
        **_upper(scores, lower, policy),
        "mi_jackknife": _jackknife(scores, lower) if policy else None,
        **_ceiling(scores, lower),
        **_interval(scores, gap, lower),
        **_entropies(scores, lower, mean_length, policy),
        **retrieval(scores),
        **permuted(scores, rng),
        **_scaled(scores, gap, state),
        **by_token(scores, per_token),
    }


def _mean(scores: Scores, values: Floats) -> float:
    return float(scores.row_weights @ values)


def _marginal(scores: Scores, matrix: Floats) -> Floats:
    return logsumexp(matrix + np.log(scores.weights))


def _upper(scores: Scores, lower: float, policy: bool) -> dict[str, Any]:
    if not policy:
        return {"mi_upper": None, "mi_upper_infinite": False, "bracket_crossed": False}
    draw = (scores.weights / scores.draws)[scores.own]
    left = scores.weights[scores.own] * (1 - 1 / scores.draws[scores.own])
    weighted = scores.matrix + np.log(scores.weights)
    with np.errstate(divide="ignore"):
        weighted[np.arange(len(draw)), scores.own] = scores.matched + np.log(left)
    upper = _mean(scores, scores.matched - (logsumexp(weighted) - np.log1p(-draw)))
    return {
        "mi_upper": upper,
        "mi_upper_infinite": math.isinf(upper),
        "bracket_crossed": lower - upper > _ROUNDING * max(1.0, abs(_mean(scores, scores.matched))),
    }


def _jackknife(scores: Scores, lower: float) -> float | None:
    share = np.bincount(scores.own, weights=scores.row_weights, minlength=len(scores.weights))
    units = scores.units
    if units is None or units.sum() < 3 or np.sum(share > 0) < 2:
        return None
    part = scores.weights / units
    rows = np.arange(len(scores.own))
    # Mixtures without one draw of a prompt. What the other prompts say comes from sums before and
    # after it: subtracting it from the full sum would cancel where it holds nearly all of it.
    weighted = scores.matrix + np.log(scores.weights)
    before = np.logaddexp.accumulate(weighted, axis=1)
    after = np.logaddexp.accumulate(weighted[:, ::-1], axis=1)[:, ::-1]
    others = np.concatenate(
        [after[:, 1:2], np.logaddexp(before[:, :-2], after[:, 2:]), before[:, -2:-1]], axis=1
    )
    with np.errstate(divide="ignore"):
        mixture = np.logaddexp(others, scores.matrix + np.log(scores.weights - part))
    # A sample of a prompt drawn once goes with it, and may have no other prompt: -inf.
    gone = units[scores.own] == 1
    mixture[rows[gone], scores.own[gone]] = 0.0
    gaps = scores.matched[:, None] - mixture + np.log1p(-part)
    own = scores.row_weights * gaps[rows, scores.own] / units[scores.own]
    total = scores.row_weights @ gaps - np.bincount(scores.own, own, len(units))
    removed = total / (1 - share / units)
    return float(units.sum() * lower - np.sum(units * (1 - part) * removed))


def _ceiling(scores: Scores, lower: float) -> dict[str, Any]:
    highest = -_mean(scores, np.log(scores.weights)[scores.own])
    saturation = lower / highest
    saturated = saturation > SATURATED
    return {
        "mi_max": highest,
        "saturation": saturation,
        "saturated": saturated,
        "mi_text": f"{'>= ' if saturated else ''}{lower:.3f} nats of at most {highest:.3f}",
    }


def _interval(scores: Scores, gap: Floats, lower: float) -> dict[str, float | int | None]:
    counts = scores.counts
    sampled = counts > 0
    if np.any(counts[sampled] < 2):
        return dict.fromkeys(("mi_se", "mi_df", "mi_low", "mi_high"))
    prompts = len(counts)
    size = np.maximum(counts, 1)
    mean = np.bincount(scores.own, weights=gap, minlength=prompts) / size
    squares = np.bincount(scores.own, weights=(gap - mean[scores.own]) ** 2, minlength=prompts)
    share = np.bincount(scores.own, weights=scores.row_weights, minlength=prompts)
    variance = np.sum((share**2 * squares / np.maximum(counts - 1, 1) / size)[sampled])
    error, df = math.sqrt(variance), int(np.sum(counts[sampled] - 1))
    half = _t_quantile(min(df, _MAX_DF)) * error
    return {"mi_se": error, "mi_df": df, "mi_low": lower - half, "mi_high": lower + half}


@lru_cache
def _t_quantile(df: int) -> float:
    return student_t_quantile(0.5 + CONFIDENCE / 2, df)


def _entropies(
    scores: Scores, lower: float, mean_length: float, policy: bool
) -> dict[str, float | None]:
    conditional = -_mean(scores, scores.matched)
    total = conditional + lower
    return {
        "h_z_given_x": conditional if policy else None,
        "h_z_given_x_per_token": conditional / mean_length if policy else None,
        "h_z": total if policy else None,
        "h_z_per_token": total / mean_length if policy else None,
        "nll": conditional / mean_length,
    }


def _scaled(scores: Scores, gap: Floats, state: dict[str, float] | None) -> dict[str, Any]:
    """The per-token proxy and the z-scores, on scores divided by their length and on sums."""
    matched = scores.matched / scores.lengths
    marginal = _marginal(scores, scores.matrix / scores.lengths[:, None])
    metrics: dict[str, Any] = {"mi_per_token_proxy": _mean(scores, matched - marginal)}
    new_state = {}
    for name, seq, difference, mixture in (
        ("token_mean", "", matched - marginal, marginal),
        ("sum", "_seq", gap, scores.matched - gap),
    ):
        mean = _mean(scores, difference)
        std = math.sqrt(_mean(scores, (mixture - _mean(scores, mixture)) ** 2))
        new_state[name] = ema(state, name, std)
        metrics[f"marginal_std{seq}"] = std
        metrics[f"mi_zscore{seq}"] = mean / (std + STD_EPS)
        metrics[f"mi_zscore_ema{seq}"] = mean / (new_state[name] + STD_EPS)
    return metrics | {"ema_state": new_state}
