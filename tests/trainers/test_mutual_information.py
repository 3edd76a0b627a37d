"""Mutual information from cross-scores: by hand, by brute force, and by its properties.

E20 was computed with scipy's logsumexp.
"""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragen_envs.intervals import student_t_quantile
from trainers.mi_scores import UnusableBatch, logsumexp
from trainers.mutual_information import json_metrics, mutual_information

E20 = np.array([[-10.0, -14, -16], [-15, -11, -13], [-12, -12.5, -12]])
INF = math.inf
LN2, LN3 = math.log(2), math.log(3)


def mi(scores, own=None, lengths=None, ids=None, **settings):
    own = list(range(len(scores))) if own is None else own
    return mutual_information(scores, own, lengths or [1] * len(own), ids, **settings)


def random_scores(seed: int, samples: int = 24, prompts: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    own = np.r_[np.arange(prompts), rng.integers(0, prompts, samples - prompts)]
    scores = rng.normal(-30, 4, (samples, prompts))
    scores[np.arange(samples), own] += 5
    return np.minimum(scores, 0), own


# By hand.


def test_worked_example():
    result = mi(E20, lengths=[5, 5, 5])
    assert result["mi_lower"] == pytest.approx(0.724768, abs=1e-6)
    assert result["mi_max"] == pytest.approx(LN3)
    assert result["saturation"] == pytest.approx(0.724768 / LN3, abs=1e-6)
    assert result["h_z_given_x"] == pytest.approx(11.0)
    assert result["h_z"] == pytest.approx(11.724768, abs=1e-6)
    assert result["h_z_given_x_per_token"] == result["nll"] == pytest.approx(2.2)
    assert result["h_z_per_token"] == pytest.approx(11.724768 / 5, abs=1e-6)
    assert result["retrieval_at_1"] == pytest.approx(2.5 / 3)
    assert result["retrieval_at_2"] == 1.0
    assert result["retrieval_chance_at_2"] == pytest.approx(2 / 3)
    assert result["retrieval_above_chance_at_1"] == pytest.approx((2.5 / 3 - 1 / 3) / (2 / 3))
    assert result["retrieval_above_chance_at_4"] is None


def test_worked_example_row_by_row():
    rows = mi(E20, lengths=[1, 1, 1], per_token=E20[:, :, None])["token_contributions"]
    assert rows[:, 0] == pytest.approx([1.078032, 0.955681, 0.140592], abs=1e-6)


def test_upper_estimate_leaves_the_own_prompt_out():
    # Row 1: -10 - (log(e^-14 + e^-16) - log 2); and so on.
    mixtures = [np.logaddexp(-14, -16), np.logaddexp(-15, -13), np.logaddexp(-12, -12.5)]
    by_hand = np.mean([m - (x - LN2) for m, x in zip([-10, -11, -12], mixtures, strict=True)])
    assert mi(E20)["mi_upper"] == pytest.approx(by_hand)


def test_two_prompts_that_exclude_each_other_tell_one_bit():
    result = mi([[0.0, -INF], [-INF, 0.0]])
    assert result["mi_lower"] == pytest.approx(LN2)
    assert result["mi_upper"] == INF
    assert result["mi_upper_infinite"] is True
    assert result["saturated"] is True
    assert result["mi_text"].startswith(">= 0.693")
    assert result["mi_jackknife"] is None


def test_infinite_upper_estimate_is_null_and_a_flag_in_json():
    result = mi([[0.0, -INF], [-INF, 0.0]], rng=np.random.default_rng(0))
    line = json.loads(json.dumps(json_metrics(result, "mi/"), allow_nan=False))
    assert line["mi/mi_upper"] is None
    assert line["mi/mi_upper_infinite"] is True
    assert not {"mi/ema_state", "mi/token_contributions"} & set(line)
    assert result["mi_permutation_z"] is None


def test_own_prompt_drawn_twice_stays_in_the_upper_mixture_once():
    # Prompt a drawn twice, b once: weights 2/3, 1/3. One draw less of a leaves 1/2, 1/2.
    result = mi([[-1.0, -1, -3], [-1, -1, -4], [-5, -5, -2]], ids=["a", "a", "b"])
    rows = [
        -1 - (np.logaddexp(-1, -3) - LN2),
        -1 - (np.logaddexp(-1, -4) - LN2),
        -2 - -5,
    ]
    assert result["mi_upper"] == pytest.approx(np.mean(rows))
    lower = [
        -1 - np.logaddexp(-1 + math.log(2 / 3), -3 - LN3),
        -1 - np.logaddexp(-1 + math.log(2 / 3), -4 - LN3),
        -2 - np.logaddexp(-5 + math.log(2 / 3), -2 - LN3),
    ]
    assert result["mi_lower"] == pytest.approx(np.mean(lower))
    assert (result["num_prompts"], result["num_columns"]) == (2, 3)


def test_weights_reach_every_mean():
    # Prompt 0 has weight .75 and two samples of .375 each, whatever their number.
    scores = [[-1.0, -3], [-2, -3], [-4, -1]]
    result = mi(scores, [0, 0, 1], [1, 3, 2], weights=[0.75, 0.25])
    rows = np.array([0.375, 0.375, 0.25])
    assert result["h_z_given_x"] == pytest.approx(rows @ [1, 2, 1])
    assert result["mean_length"] == pytest.approx(rows @ [1, 3, 2])
    assert result["nll"] == pytest.approx((rows @ [1, 2, 1]) / (rows @ [1, 3, 2]))
    assert result["mi_max"] == pytest.approx(-0.75 * math.log(0.75) - 0.25 * math.log(0.25))
    marginal = [np.logaddexp(a + math.log(0.75), b + math.log(0.25)) for a, b in scores]
    assert result["h_z"] == pytest.approx(-rows @ marginal)
    uniform = mi(scores, [0, 0, 1], weights="uniform")
    assert uniform["h_z_given_x"] == pytest.approx(np.array([0.25, 0.25, 0.5]) @ [1, 2, 1])


def test_interval_is_that_of_the_variance_within_prompts():
    scores, own = random_scores(3, samples=20, prompts=3)
    result = mi(scores, own)
    gap = scores[np.arange(20), own] - logsumexp(scores - LN3)
    variance = sum(np.var(gap[own == j], ddof=1) / np.sum(own == j) for j in range(3)) / 9
    half = student_t_quantile(0.975, 17) * math.sqrt(variance)
    assert result["mi_df"] == 17
    assert result["mi_se"] == pytest.approx(math.sqrt(variance))
    assert result["mi_high"] - result["mi_lower"] == pytest.approx(half)
    assert result["mi_lower"] - result["mi_low"] == pytest.approx(half)


def test_single_sample_of_a_prompt_has_no_interval():
    assert mi(E20)["mi_low"] is None
    assert mi(np.tile(E20, (2, 1)), [0, 1, 2, 0, 1, 2])["mi_low"] is not None


@pytest.mark.parametrize("unsampled", [False, True])
@pytest.mark.parametrize("ids", [None, ["a", "b", "c", "a", "d"]])
def test_jackknife_equals_one_draw_left_out_at_a_time(ids, unsampled):
    """Brute force: all columns but one, with the samples of a prompt while a draw of it is left."""
    scores, own = random_scores(5)
    if unsampled:
        scores, own = scores[own != 2], own[own != 2]
    names = list(range(5)) if ids is None else ids
    scores[:, 3] = scores[:, 0] if ids else scores[:, 3]
    names_of_rows = [names[column] for column in own]
    without = []
    for gone in range(5):
        left = [column for column in range(5) if column != gone]
        rows = [i for i, name in enumerate(names_of_rows) if name in [names[c] for c in left]]
        kept = [names[c] for c in left]
        index = [kept.index(names_of_rows[i]) for i in rows]
        part = mi(scores[rows][:, left], index, ids=None if ids is None else kept)
        without.append(part["mi_lower"])
    whole = mi(scores, own, ids=ids)
    assert whole["mi_jackknife"] == pytest.approx(5 * whole["mi_lower"] - 4 * np.mean(without))


def test_prompts_without_samples_are_in_the_mixture_only():
    scores = np.array([[-1.0, -2, -3], [-2, -1, -1.5]])
    result = mi(scores, [0, 1])
    gap = [-1, -1] - logsumexp(scores - LN3)
    assert result["mi_lower"] == pytest.approx(np.mean(gap))
    assert (result["num_prompts"], result["num_sampled_prompts"]) == (3, 2)
    assert result["retrieval_chance_at_1"] == pytest.approx(1 / 3)


# Properties.


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_bounds_of_the_estimates(seed: int):
    scores, own = random_scores(seed)
    result = mi(scores, own, rng=np.random.default_rng(seed))
    assert result["mi_lower"] <= result["mi_max"] + 1e-12
    assert result["mi_upper"] > -INF
    assert result["h_z"] - result["h_z_given_x"] == pytest.approx(result["mi_lower"])
    for k in (1, 2, 4):
        assert 0 <= result[f"retrieval_at_{k}"] <= 1
        assert result[f"retrieval_above_chance_at_{k}"] <= 1
    assert 0 < result["retrieval_p"] <= 1


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_order_of_samples_and_prompts_changes_nothing(seed: int):
    scores, own = random_scores(seed)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(scores)), rng.permutation(5)
    ids = np.array([[1], [2], [1], [3], [4]])
    scores[:, 2] = scores[:, 0]
    lengths = rng.integers(1, 9, len(scores))
    first = mutual_information(scores, own, lengths, ids.tolist())
    second = mutual_information(
        scores[rows][:, columns], np.argsort(columns)[own[rows]], lengths[rows], ids[columns]
    )
    for key, value in json_metrics(first).items():
        same = pytest.approx(value, abs=1e-9) if isinstance(value, float) else value
        assert second[key] == same, key


@settings(deadline=None)
@given(st.integers(0, 10_000), st.floats(-500, 0))
def test_part_that_all_prompts_share_changes_no_information(seed: int, shift: float):
    scores, own = random_scores(seed)
    first, second = mi(scores, own), mi(scores + shift, own)
    for key in ("mi_lower", "mi_upper", "mi_jackknife", "retrieval_at_1", "mi_se"):
        assert second[key] == pytest.approx(first[key], abs=1e-9)
    assert second["h_z"] == pytest.approx(first["h_z"] - shift)


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_merged_duplicates_leave_both_bounds_where_they_were(seed: int):
    """One column for each draw, samples alike: the mixtures are the same, merged or apart."""
    scores, _ = random_scores(seed, samples=25)
    scores[:, 3] = scores[:, 1]
    own = np.arange(25) % 5
    apart, merged = mi(scores, own), mi(scores, own, ids=[0, 1, 2, 1, 4])
    for key in ("mi_lower", "mi_upper", "mi_jackknife", "h_z", "mi_zscore_seq"):
        assert merged[key] == pytest.approx(apart[key])
    assert (apart["retrieval_chance_at_1"], merged["retrieval_chance_at_1"]) == (0.2, 0.25)
    assert merged["retrieval_at_1"] >= apart["retrieval_at_1"]
    assert merged["mi_max"] < apart["mi_max"]


def test_merging_reads_the_first_column_and_tells_the_largest_difference():
    result = mi([[-1.0, -1.25, -3], [-4, -4, -1]], [1, 2], ids=[(7, 8), (7, 8), (7,)])
    assert result["merged_score_difference"] == 0.25
    assert result["h_z_given_x"] == pytest.approx(2 / 3 * 1 + 1 / 3 * 1)
    assert mi([[-1.0, -INF, -INF], [-2, -1, -1]], ids=[0, 1, 1], own=[0, 1])[
        "merged_score_difference"
    ] == 0.0  # fmt: skip


def test_float32_and_huge_negative_scores():
    scores, own = random_scores(0)
    single = mi(scores.astype(np.float32) - np.float32(1e6), own)
    assert math.isfinite(single["mi_lower"])
    far = np.full((3, 3), -1e6)
    np.fill_diagonal(far, -300.0)
    result = mi(far)
    assert result["mi_lower"] == pytest.approx(LN3)
    assert result["mi_upper"] == pytest.approx(1e6 - 300)
    assert result["mi_jackknife"] == pytest.approx(3 * LN3 - 2 * LN2)


def test_ids_may_be_lists_tuples_arrays_or_numbers():
    for ids in ([[1, 2], [1, 2], [3]], ((1, 2), (1, 2), (3,)), [np.array([1, 2])] * 2 + [[3]]):
        assert mi(E20, ids=ids)["num_prompts"] == 2
    assert mi(E20, ids=[1, 1, 3])["num_prompts"] == 2


# Retrieval.


@settings(deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1, 2, 4, 8]))
def test_shared_ties_equal_the_mean_over_all_ways_to_break_them(seed: int, k: int):
    rng = np.random.default_rng(seed)
    scores = -rng.integers(0, 3, (1, 5)).astype(float)
    hits = [
        0 in sorted(range(5), key=lambda j: (-scores[0, j], order[j]))[:k]
        for order in itertools.permutations(range(5))
    ]
    assert mi(scores, [0])[f"retrieval_at_{k}"] == pytest.approx(np.mean(hits))


def test_scores_that_say_nothing_give_exactly_chance():
    result = mi(np.full((12, 6), -3.0), np.arange(12) % 6, ids=[1, 2, 3, 4, 5, 5])
    for k in (1, 2, 4):
        assert result[f"retrieval_at_{k}"] == pytest.approx(k / 5)
        assert result[f"retrieval_chance_at_{k}"] == pytest.approx(k / 5)
        assert result[f"retrieval_above_chance_at_{k}"] == pytest.approx(0)
    assert result["mi_lower"] == pytest.approx(0, abs=1e-12)
    assert result["bracket_crossed"] is False


def test_permutation_tests_are_exact_where_all_orders_can_be_listed():
    scores, own = random_scores(8, samples=16, prompts=4)
    result = mi(scores, own, rng=np.random.default_rng(0))
    counts = np.bincount(own)

    def matched(order):
        return np.mean([scores[own == k, order[k]].mean() for k in range(4)])

    values = np.array([matched(order) for order in itertools.permutations(range(4))])
    share = np.mean(values >= matched(range(4)) - 1e-12)
    assert counts.min() > 0
    assert result["mi_permutation_p"] == pytest.approx(share, abs=0.03)
    exact = (matched(range(4)) - values.mean()) / values.std()
    assert result["mi_permutation_z"] == pytest.approx(exact, rel=0.1)


def test_permutation_test_does_not_take_samples_of_a_prompt_for_evidence():
    """Groups alike within, unrelated to their prompts: p is uniform however many samples."""
    rng = np.random.default_rng(0)
    small = 0
    for _ in range(200):
        group = rng.normal(-20, 3, (6, 6))
        result = mi(np.repeat(group, 50, axis=0), np.repeat(np.arange(6), 50), rng=rng)
        small += result["retrieval_p"] <= 0.05
    assert small <= 20


def test_permutation_sees_dependence_and_is_reproducible():
    scores, own = random_scores(1, samples=64, prompts=8)
    first = mi(scores, own, rng=np.random.default_rng(5))
    assert first["retrieval_p"] == first["mi_permutation_p"] == 0.001
    assert first["mi_permutation_z"] > 4
    second = mi(scores, own, rng=np.random.default_rng(5))
    assert json_metrics(first) == json_metrics(second)
    assert mi(scores, own)["retrieval_p"] is None
    assert mi(np.full((4, 4), -1.0), rng=np.random.default_rng(0))["mi_permutation_z"] is None


# z-scores and their moving average.


def test_z_scores_by_hand_on_both_scales():
    lengths = [2, 5, 4]
    result = mi(E20, lengths=lengths)
    for scores, seq in ((E20 / np.array(lengths)[:, None], ""), (E20, "_seq")):
        marginal = logsumexp(scores - LN3)
        gap = np.mean(np.diag(scores) - marginal)
        assert result[f"marginal_std{seq}"] == pytest.approx(np.std(marginal))
        assert result[f"mi_zscore{seq}"] == pytest.approx(gap / (np.std(marginal) + 1e-3))
    scaled = E20 / np.array(lengths)[:, None]
    proxy = np.mean(np.diag(scaled) - logsumexp(scaled - LN3))
    assert result["mi_per_token_proxy"] == pytest.approx(proxy)


def test_moving_average_blends_the_current_value_in_before_use():
    first = mi(E20, lengths=[5, 5, 5])
    assert first["mi_zscore_ema"] == first["mi_zscore"]
    assert first["ema_state"]["sum"] == first["marginal_std_seq"]
    other = E20 * 2
    second = mi(other, lengths=[5, 5, 5], ema_state=first["ema_state"])
    blended = 0.9 * first["marginal_std_seq"] + 0.1 * second["marginal_std_seq"]
    assert second["ema_state"]["sum"] == pytest.approx(blended)
    assert second["mi_zscore_ema_seq"] == pytest.approx(second["mi_lower"] / (blended + 1e-3))
    restored = json.loads(json.dumps(second["ema_state"]))
    assert mi(E20, ema_state=restored)["ema_state"] == mi(E20, ema_state=second["ema_state"])[
        "ema_state"
    ]  # fmt: skip


# By prefix and token.


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_token_contributions_sum_to_matched_minus_marginal(seed: int):
    rng = np.random.default_rng(seed)
    per_token = rng.normal(-2, 1, (9, 4, 40)).clip(max=0)
    lengths = rng.integers(1, 41, 9)
    inside = np.arange(40) < lengths[:, None, None]
    scores = np.where(inside, per_token, 0).sum(axis=2)
    own = np.arange(9) % 4
    per_token = np.where(inside, per_token, np.nan).astype(np.float32)
    weights = rng.dirichlet(np.ones(4))
    result = mutual_information(scores, own, lengths, per_token=per_token, weights=weights)
    gap = scores[np.arange(9), own] - logsumexp(scores + np.log(weights))
    assert np.nansum(result["token_contributions"], axis=1) == pytest.approx(gap, abs=1e-4)
    assert np.array_equal(np.isnan(result["token_contributions"]), ~inside[:, 0])


def test_prefix_estimates_equal_those_of_the_cut_matrix():
    rng = np.random.default_rng(0)
    per_token = rng.normal(-2, 1, (200, 3, 40)).clip(max=0)
    lengths, own = rng.integers(3, 41, 200), np.arange(200) % 3
    ids = ["a", "b", "a"]
    per_token[:, 2] = per_token[:, 0]
    inside = np.arange(40) < lengths[:, None, None]
    per_token = np.where(inside, per_token, 0)
    result = mutual_information(
        per_token.sum(axis=2), own, lengths, ids, per_token=per_token, rng=None
    )
    for size in (8, 16, 32):
        cut = mutual_information(
            per_token[:, :, :size].sum(axis=2), own, np.minimum(lengths, size), ids
        )
        assert result[f"mi_lower_first_{size}"] == pytest.approx(cut["mi_lower"])
        assert result[f"retrieval_at_1_first_{size}"] == pytest.approx(cut["retrieval_at_1"])
    assert "mi_lower_first_64" not in result


def test_token_contributions_find_the_word_that_depends_on_the_prompt():
    # Token 1 names the prompt with probability .9; the others are the same for all.
    named = np.where(np.eye(2), math.log(0.9), math.log(0.1))
    per_token = np.stack([np.full((2, 2), -1.0), named, np.full((2, 2), -2.0)], axis=2)
    result = mi(per_token.sum(axis=2), lengths=[3, 3], per_token=per_token)
    assert result["token_contributions"] == pytest.approx(
        np.tile([0.0, math.log(0.9 / 0.5), 0.0], (2, 1)), abs=1e-12
    )


def test_prompt_that_rules_a_token_out_has_no_weight_after_it():
    # The second sample's first word cannot stand under the first prompt, and does half of the
    # time under the second; its second word is then no news.
    per_token = np.array([[[-1.0, -1.0], [-1.0, -2.0]], [[-INF, -3.0], [-LN2, -0.1]]])
    result = mi(per_token.sum(axis=2), lengths=[2, 2], per_token=per_token)
    assert result["token_contributions"][1] == pytest.approx([LN2, 0.0])


# The reference.


def test_reference_numbers_by_hand():
    lengths = [2, 5, 4]
    scores = np.column_stack([E20, E20[:, 0]])
    result = mutual_information(
        scores, [0, 1, 2], lengths, ["a", "b", "c", "a"], reference=True,
        ema_state={"token_mean": 1.0, "sum": 2.0},
    )  # fmt: skip
    mean = scores / np.array(lengths)[:, None]
    marginal = logsumexp(mean) - math.log(4)
    matched = np.diag(mean)
    assert result["mi_estimate"] == pytest.approx(np.mean(matched - marginal))
    seq = logsumexp(scores) - math.log(4)
    assert result["mi_seq_estimate"] == pytest.approx(np.mean(np.diag(scores) - seq))
    assert result["mi_upper_bound"] == pytest.approx(math.log(4))
    assert result["conditional_entropy_est"] == pytest.approx(-matched.mean())
    assert result["reasoning_entropy_seq_est"] == pytest.approx(-seq.mean())
    std = 0.9 * 1.0 + 0.1 * np.std(marginal)
    assert result["marginal_std_ema"] == result["ema_state"]["token_mean"] == pytest.approx(std)
    assert result["mi_zscore_ema"] == pytest.approx(np.mean(matched - marginal) / (std + 1e-3))
    # Row 3 ties with columns 0, 2 and 3; the first wins, so it misses.
    assert result["retrieval_accuracy"] == pytest.approx(2 / 3)
    assert result["retrieval_chance_level"] == pytest.approx((2 + 1 + 1) / 4 / 3)
    assert result["retrieval_chance_level@2"] == pytest.approx(2 / 3)
    assert result["retrieval_accuracy@8"] == 1.0
    assert "mi_lower" not in result


def test_reference_and_ours_agree_where_nothing_departs():
    scores, own = random_scores(2)
    own = np.arange(20) % 5
    ours, theirs = mi(scores[:20], own), mi(scores[:20], own, reference=True)
    assert theirs["mi_seq_estimate"] == pytest.approx(ours["mi_lower"])
    assert theirs["mi_zscore_seq"] == pytest.approx(ours["mi_zscore_seq"])
    assert theirs["retrieval_accuracy"] == pytest.approx(ours["retrieval_at_1"])


# What is refused, and what is skipped.


def test_critic_has_a_lower_bound_only():
    settings = {"scorer": "other", "sampling_temperature": 1.0, "scoring_temperature": 0.5}
    result = mi(E20, **settings, top_p=0.9, top_k=40)
    assert result["mi_lower"] == pytest.approx(0.724768, abs=1e-6)
    assert result["bound"] == "lower bound with a critic"
    for key in ("mi_upper", "mi_jackknife", "h_z", "h_z_given_x", "h_z_per_token",
                "h_z_given_x_per_token"):  # fmt: skip
        assert result[key] is None
    assert set(result) == set(mi(E20))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scoring_temperature": 0.7}, "scoring_temperature must equal sampling_temperature"),
        ({"sampling_temperature": 0.0, "scoring_temperature": 0.0}, "must be > 0"),
        ({"top_p": 0.9}, "top_p must be 1 where scorer is 'policy'"),
        ({"top_k": 40}, "top_k must be off"),
        ({"scorer": "critic"}, "scorer must be one of"),
        ({"prompt_index": [0, 1, 3]}, r"prompt_index must be in \[0, 2\], got 3 at sample 2"),
        ({"prompt_index": [0, 1]}, r"prompt_index must have shape \[3\]"),
        ({"prompt_index": [0.0, 1.0, 2.0]}, "prompt_index must hold integers"),
        ({"lengths": [1, 0, 1]}, "lengths must be >= 1, got 0 at sample 1"),
        ({"lengths": [[1, 1, 1]]}, r"lengths must have shape \[3\]"),
        ({"prompt_ids": [[1], [2]]}, "prompt_ids must hold 3 prompts, got 2"),
        ({"weights": "rows"}, "weights must be one of"),
        ({"weights": [0.5, 0.5]}, r"weights must be 'draws', 'uniform' or have shape \[3\]"),
        ({"weights": [0.5, 0.5, 0.5]}, "weights must sum to 1, got 1.5"),
        ({"weights": [1.0, 0.5, -0.5]}, "weights must be > 0, got -0.5"),
        ({"weights": [0.5, 0.5, math.nan]}, "weights must be > 0, got nan"),
        ({"cross_log_probs": E20[0]}, r"must have shape \[samples, prompts\], got \[3\]"),
        ({"cross_log_probs": -E20}, "cross_log_probs must be <= 0"),
        ({"per_token": np.zeros((3, 3))}, r"per_token must have shape \[3, 3, T\], T >= 1"),
        ({"per_token": np.full((3, 3, 1), -9.0)}, "per_token must sum to cross_log_probs"),
        ({"ema_state": {"sum": 1.0}}, "ema_state must have the keys"),
        ({"ema_state": {"sum": -1.0, "token_mean": 1.0}}, "must be in"),
    ],
)
@pytest.mark.parametrize("safe", [False, True])
def test_wrong_arguments_raise_even_when_safe(changes, message, safe):
    good = {"cross_log_probs": E20, "prompt_index": [0, 1, 2], "lengths": [1, 1, 1]}
    with pytest.raises(ValueError, match=message):
        mutual_information(**(good | changes), safe=safe)


def test_nan_within_a_sample_is_no_score_of_a_token():
    table = E20[:, :, None].copy()
    table[1, 2, 0] = math.nan
    with pytest.raises(UnusableBatch, match=r"per_token must be finite or -inf, got nan at \[1, 2"):
        mi(E20, per_token=table)
    assert "skipped" in mi(E20, per_token=table, safe=True)


def test_other_types_are_refused():
    with pytest.raises(TypeError, match="rng must be a numpy Generator"):
        mi(E20, rng=0)


@pytest.mark.parametrize(
    ("scores", "own", "ids", "reason"),
    [
        ([[-1.0]], [0], None, "at least two different prompts, got 1"),
        ([[-1.0, -1.0]], [0], ["a", "a"], "at least two different prompts, got 1"),
        (np.zeros((0, 3)), [], None, r"at least one sample and prompt, got \[0, 3\]"),
        (np.zeros((0, 0)), [], [], r"at least one sample and prompt, got \[0, 0\]"),
        ([[-1.0, math.nan]], [0], None, r"must be finite or -inf, got nan at \[0, 1\]"),
        ([[-1.0, INF]], [0], None, "must be finite or -inf, got inf"),
        ([[-INF, -1.0]], [0], None, r"under a sample's own prompt, got -inf at \[0, 0\]"),
    ],
)
def test_batch_without_an_estimate_raises_or_is_skipped_with_its_reason(scores, own, ids, reason):
    with pytest.raises(UnusableBatch, match=reason):
        mutual_information(scores, own, np.ones(len(own), int), ids)
    result = mutual_information(scores, own, np.ones(len(own), int), ids, safe=True)
    assert list(result) == ["skipped"]
    assert json_metrics(result) == result
    if len(own) and np.shape(scores)[1] == 1:
        with pytest.raises(UnusableBatch, match="at least two prompts"):
            mutual_information(scores, own, [1], ids, reference=True)


def test_keys_are_the_same_in_every_call():
    keys = set(mi(E20))
    assert set(mi(E20, rng=np.random.default_rng(0), weights="uniform")) == keys
    assert set(mi([[-1.0, -2], [-2, -1]], ids=[3, 4])) == keys


def test_prompt_ids_that_are_nested_are_refused_by_name():
    with pytest.raises(ValueError, match="prompt_ids must hold flat sequences of ids"):
        mutual_information(-np.ones((2, 2)), [0, 1], [1, 1], [[[1, 2]], [[3]]])
