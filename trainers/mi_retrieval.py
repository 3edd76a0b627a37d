"""Retrieval: can the prompt be told from the reasoning, and better than under permuted groups?"""

from __future__ import annotations

import numpy as np

from trainers.mi_scores import Floats, Indices, Scores

TOP = (1, 2, 4, 8)
PERMUTATIONS = 999

# Permuted statistics within this of the observed one, relative, are equal to it.
_ROUNDING = 1e-9


def retrieval(scores: Scores) -> dict[str, float | None]:
    """Share of samples whose own prompt is among the k prompts of the highest score.

    Ties are shared: where b prompts score higher and t, the own one included, score the same, the
    sample counts clip((k - b) / t, 0, 1). Under scores that say nothing each rank of the own
    prompt is as likely as any other, so that chance is k / N, exactly, whatever the weights: N
    counts different prompts. Above chance is (share - chance) / (1 - chance), at most 1.

    Returns:
        `retrieval_at_k`, `retrieval_chance_at_k`, `retrieval_above_chance_at_k` for k in `TOP`;
        where k >= N retrieval cannot fail, and the last one is None.
    """
    prompts = len(scores.weights)
    own = scores.matched[:, None]
    higher = (scores.matrix > own).sum(axis=1)
    ties = (scores.matrix == own).sum(axis=1)
    found: dict[str, float | None] = {}
    for k in TOP:
        share = float(scores.row_weights @ np.clip((k - higher) / ties, 0.0, 1.0))
        # The weights sum to 1 but for rounding.
        share = min(1.0, share)
        chance = min(1.0, k / prompts)
        found[f"retrieval_at_{k}"] = share
        found[f"retrieval_chance_at_{k}"] = chance
        found[f"retrieval_above_chance_at_{k}"] = (
            (share - chance) / (1 - chance) if chance < 1 else None
        )
    return found


def permuted(scores: Scores, rng: np.random.Generator | None) -> dict[str, float | None]:
    """Tests against groups whose prompts were permuted: are MI and retrieval more than chance?

    The samples of a prompt are one group and stay together, since they are no independent
    evidence; each of `PERMUTATIONS` draws gives the groups other prompts, without repetition. The
    mixture, and with it the marginal, does not change, so that only the matched mean moves. The
    p-values count the observed labels as one of the draws (Phipson and Smyth 2010, Stat. Appl.
    Genet. Mol. Biol. 9, 39).

    Returns:
        `retrieval_p`: share of draws whose retrieval at 1 is at least the observed one.
        `mi_permutation_p`: the same for the mutual information.
        `mi_permutation_z`: observed MI minus the mean over draws, over their standard deviation
            (ddof 1); None where draws do not differ, or one is -inf (a prompt rules a sample out).
        All None where `rng` is.
    """
    if rng is None:
        return {"retrieval_p": None, "mi_permutation_p": None, "mi_permutation_z": None}
    prompts = len(scores.weights)
    highest = scores.matrix.max(axis=1, keepdims=True)
    is_highest = scores.matrix == highest
    credit = is_highest / is_highest.sum(axis=1, keepdims=True)
    groups = np.flatnonzero(scores.counts)
    order = rng.permuted(np.tile(np.arange(prompts), (PERMUTATIONS, 1)), axis=1)[:, groups]
    found = _statistic(scores, credit, groups, order)
    matched = _statistic(scores, scores.matrix, groups, order)
    return {
        "retrieval_p": _p_value(*found),
        "mi_permutation_p": _p_value(*matched),
        "mi_permutation_z": _z(*matched),
    }


def _statistic(
    scores: Scores, values: Floats, groups: Indices, order: Indices
) -> tuple[float, Floats]:
    """Weighted mean over samples of the value under their prompt: as observed, and as drawn."""
    by_group = np.argsort(scores.own, kind="stable")
    starts = np.searchsorted(scores.own[by_group], groups)
    # Sums, not a product of matrices: 0 x -inf would be NaN.
    sums = np.add.reduceat((scores.row_weights[:, None] * values)[by_group], starts)
    rows = np.arange(len(groups))
    return float(sums[rows, groups].sum()), sums[rows, order].sum(axis=1)


def _p_value(observed: float, draws: Floats) -> float:
    slack = _ROUNDING * max(1.0, abs(observed))
    return float((1 + np.sum(draws >= observed - slack)) / (1 + len(draws)))


def _z(observed: float, draws: Floats) -> float | None:
    if not np.isfinite(draws).all():
        return None
    spread = float(draws.std(ddof=1))
    if spread <= _ROUNDING * max(1.0, abs(observed)):
        return None
    return float((observed - draws.mean()) / spread)
