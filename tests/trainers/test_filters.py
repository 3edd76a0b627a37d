"""The filter keeps what its rule says, whatever the order, the scale or the rounding of rewards."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from agent.episode import SCHEMA, Episode, Response, Turn
from trainers.filters import (
    KeepAll,
    MinP,
    RandomKeep,
    Rule,
    Threshold,
    TopK,
    TopP,
    filter_groups,
    group_rewards,
    loss_scale,
    reward_variance,
)

NAN = float("nan")
STDS = (0, 0.5, 0.5, 1, 2, 0, 0.25, 0.75)
RULES = [TopP(0.9), TopP(1.0), TopK(3), MinP(0.3), Threshold(0.4), KeepAll()]

# Rewards as worlds give them: few distinct values, some missing.
REWARDS = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=8),
    elements=st.sampled_from([0.0, 1.0, -0.1, 0.3, 10.9, NAN]),
)
SCORES = st.lists(st.sampled_from([0.0, 0.01, 0.25, 0.25, 0.5, 1.0, 7.0, NAN]), min_size=1)
SHARES = st.floats(0.01, 1.0)


# What a score is.


def test_variance_is_unbiased_and_std_is_its_root():
    rewards = [[0, 1, 1, 0], [1, 2, 3, 4]]
    assert reward_variance(rewards) == pytest.approx([1 / 3, 5 / 3])
    assert reward_variance(rewards, "std") == pytest.approx([3**-0.5, (5 / 3) ** 0.5])
    assert reward_variance(rewards, ddof=0) == pytest.approx([0.25, 1.25])


def test_missing_episodes_do_not_count():
    scores = reward_variance([[0, NAN, 1], [NAN, NAN, 5], [NAN, NAN, NAN], [2, 2, NAN]])
    assert scores == pytest.approx([0.5, NAN, NAN, 0.0], nan_ok=True)


def test_group_of_one_has_no_score():
    result = TopP(0.9)(reward_variance([[1.0], [0.0]]))
    assert (result.kept, result.unscored, result.zero_variance) == ((), 2, 0)
    assert result.reason == "no group has two or more rewards"


def test_one_group_is_kept_if_it_has_a_spread():
    assert TopP(0.9)(reward_variance([[0, 1]])).kept == (0,)
    assert TopP(0.9)(reward_variance([[1, 1]])).kept == ()


def test_equal_rewards_keep_nothing_and_say_why():
    result = TopP(0.9)(reward_variance(np.full((4, 5), 0.1)))
    assert (result.kept, result.kept_ratio, result.kept_score_share) == ((), 0.0, 0.0)
    assert result.zero_variance == 4
    assert result.reason == "no group has a spread of rewards"


@settings(deadline=None)
@given(REWARDS, st.sampled_from([1e-100, 1e-6, 3.0, 1e6, 1e100]), st.sampled_from(RULES[:4]))
def test_scale_of_rewards_changes_no_selection(rewards: np.ndarray, scale: float, rule: Rule):
    scaled, plain = rule(reward_variance(rewards * scale)), rule(reward_variance(rewards))
    assert (scaled.kept, scaled.reason) == (plain.kept, plain.reason)
    assert scaled.kept_score_share == pytest.approx(plain.kept_score_share)


@settings(deadline=None)
@given(REWARDS, st.integers(0, 2**32 - 1))
def test_noise_of_summation_changes_no_selection(rewards: np.ndarray, seed: int):
    noise = np.random.default_rng(seed).uniform(-1e-14, 1e-14, rewards.shape)
    assume(np.nanmax(np.abs(rewards), initial=0.0) > 0)
    scores, noisy = reward_variance(rewards), reward_variance(rewards + noise)
    assert np.array_equal(scores == 0, noisy == 0)
    assert TopP(1.0)(noisy).kept == TopP(1.0)(scores).kept
    # Groups of equal spread may change places, but not in number.
    assert len(TopP(0.9)(noisy).kept) == len(TopP(0.9)(scores).kept)


def test_sums_in_another_order_are_equal_rewards():
    assert reward_variance([[0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1]])[0] == 0.0
    single = np.array([[0.6, np.nextafter(np.float32(0.6), np.float32(1))]], np.float32)
    assert reward_variance(single)[0] == 0.0
    assert reward_variance(single.astype(np.float64))[0] > 0.0


@settings(deadline=None)
@given(REWARDS)
def test_single_precision_changes_no_selection(rewards: np.ndarray):
    double, single = reward_variance(rewards), reward_variance(rewards.astype(np.float32))
    assert TopP(1.0)(single).kept == TopP(1.0)(double).kept
    assert single == pytest.approx(double, rel=1e-5, nan_ok=True)


@settings(deadline=None)
@given(REWARDS.filter(lambda table: table.shape[1] > 1))
def test_score_equals_numpy_where_there_is_a_spread(rewards: np.ndarray):
    for row, score in zip(rewards, reward_variance(rewards), strict=True):
        values = row[~np.isnan(row)]
        if len(values) < 2:
            assert math.isnan(score)
        elif np.ptp(values) > 0:
            assert score == pytest.approx(np.var(values, ddof=1), rel=1e-12)
        else:
            assert score == 0.0


def test_large_offset_does_not_drown_the_spread():
    rewards = np.array([[0.0, 1.0, 1.0, 0.0]]) + 1e6
    assert reward_variance(rewards)[0] == pytest.approx(1 / 3, rel=1e-9)


def test_known_jitter_is_no_signal():
    rewards = np.random.default_rng(0).normal(0, 0.01, (20, 8))
    rewards[3] += np.arange(8)
    assert len(TopP(1.0)(reward_variance(rewards)).kept) == 20
    assert TopP(1.0)(reward_variance(rewards, min_std=0.05)).kept == (3,)


def test_variance_out_of_the_range_of_floats_is_an_error_not_a_silent_zero():
    for scale in (1e-170, 1e170):
        with pytest.raises(ValueError, match="rewards must have a variance that float64 can hold"):
            reward_variance(np.array([[0.0, 1.0]]) * scale)
        assert reward_variance(np.array([[0.0, 1.0]]) * scale, "std")[0] > 0


@pytest.mark.parametrize(
    ("rewards", "kwargs", "error", "message"),
    [
        ([1.0, 2.0], {}, ValueError, r"shape \[P, G\], both >= 1, got \[2\]"),
        (np.zeros((0, 4)), {}, ValueError, r"got \[0, 4\]"),
        ([[0, math.inf]], {}, ValueError, "rewards must be finite"),
        (np.zeros((2, 2), np.float16), {}, TypeError, "got float16"),
        ([[0, 1]], {"statistic": "sd"}, ValueError, "statistic must be one of"),
        ([[0, 1]], {"ddof": 2}, ValueError, r"ddof must be in \[0, 1\], got 2"),
        ([[0, 1]], {"min_std": -1.0}, ValueError, "min_std must be in"),
    ],
)
def test_wrong_rewards_are_refused(
    rewards: object, kwargs: dict[str, object], error: type[Exception], message: str
):
    with pytest.raises(error, match=message):
        reward_variance(rewards, **kwargs)


# What is kept.


@settings(deadline=None)
@given(SCORES, SHARES)
def test_top_p_is_minimal(scores: list[float], p: float):
    """Against exact sums: no smaller set reaches the target, and this one does, but for 1e-9."""
    result = TopP(p)(scores)
    positive = sorted((Fraction(s) for s in scores if s > 0), reverse=True)
    target = Fraction(p) * sum(positive)
    kept = sum(Fraction(scores[i]) for i in result.kept)
    slack = Fraction(1, 10**8) * sum(positive)
    assert kept >= target - slack
    assert sum(positive[: max(0, len(result.kept) - 1)]) < target or not positive
    assert all(scores[i] > 0 for i in result.kept)
    lowest = min((scores[i] for i in result.kept), default=math.inf)
    assert all(not s > lowest for i, s in enumerate(scores) if i not in result.kept)


@settings(deadline=None)
@given(SCORES, SHARES, SHARES)
def test_top_p_is_monotone_in_p(scores: list[float], one: float, other: float):
    small, large = sorted([one, other])
    assert set(TopP(small)(scores).kept) <= set(TopP(large)(scores).kept)


@settings(deadline=None)
@given(st.data(), SCORES, st.sampled_from(RULES))
def test_order_of_groups_decides_only_between_ties(data: st.DataObject, scores: list[float], rule):
    order = data.draw(st.permutations(range(len(scores))))
    shuffled = rule([scores[i] for i in order])
    assert sorted(str(shuffled.scores[i]) for i in shuffled.kept) == sorted(
        str(scores[i]) for i in rule(scores).kept
    )


@settings(deadline=None)
@given(SCORES, st.sampled_from(RULES))
def test_result_adds_up(scores: list[float], rule: Rule):
    result = rule(scores)
    assert result.kept == tuple(sorted(set(result.kept)))
    assert all(isinstance(index, int) for index in result.kept)
    assert result.kept_ratio == len(result.kept) / len(scores)
    assert 0 <= result.kept_score_share <= 1 + 1e-12
    assert bool(result.reason) == (not result.kept)
    metrics = result.metrics()
    assert json.loads(json.dumps(metrics, allow_nan=False)) == metrics
    assert list(metrics) == list(KeepAll()([0.0]).metrics())


def test_equal_scores_are_kept_by_index_whatever_their_unit():
    for unit in (0.1, 1.0, 0.3, 1e-30, 1e30):
        assert TopP(0.9)([unit] * 10).kept == tuple(range(9))


def test_rounding_of_the_target_keeps_no_group_more():
    assert 0.07 * 100 > 7
    assert TopP(0.07)([1.0] * 100).kept == tuple(range(7))


def test_ties_go_by_index_in_large_batches_too():
    scores = np.tile([1.0, 2.0], 500)
    assert TopK(300)(scores).kept == tuple(range(1, 600, 2))
    assert TopP(0.3)(scores).kept == tuple(range(1, 450, 2))
    assert TopP(0.3, "linear")(scores).kept == tuple(range(1, 450, 2))


def test_top_p_of_one_keeps_the_smallest_spread_too():
    assert TopP(1.0)([1.0, 1e-30, 0.0]).kept == (0, 1)


def test_other_rules():
    scores = [0.0, 0.5, 0.2, 1.0, NAN, 0.5]
    assert TopK(2)(scores).kept == (1, 3)
    assert TopK(9)(scores).kept == (1, 2, 3, 5)
    assert MinP(0.5)(scores).kept == (1, 3, 5)
    assert Threshold(0.5)(scores).kept == (1, 3, 5)
    assert Threshold(0.0)(scores).kept == (1, 2, 3, 5)
    assert Threshold(2.0)(scores).reason == "no score reaches 2.0"
    assert KeepAll()(scores).kept == (0, 1, 2, 3, 4, 5)


def test_random_keep_ignores_scores_and_is_reproducible():
    scores = np.arange(100.0)
    scores[7] = NAN
    first = RandomKeep(0.25, np.random.default_rng(3))(scores)
    assert first.kept == RandomKeep(0.25, np.random.default_rng(3))(scores % 7).kept
    assert len(first.kept) == 25
    rng = np.random.default_rng(0)
    counts = np.zeros(100)
    for _ in range(2000):
        counts[list(RandomKeep(0.25, rng)(scores).kept)] += 1
    assert counts[7] == 0
    assert np.delete(counts, 7) == pytest.approx(np.full(99, 2000 * 25 / 99), abs=100)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TopP(0.0), r"p must be in \(0, 1\], got 0.0"),
        (lambda: TopP(1.5), r"p must be in \[0.0, 1.0\], got 1.5"),
        (lambda: TopP(NAN), "p must be in"),
        (lambda: TopP(0.9, "log"), "reference must be one of"),
        (lambda: TopP(0.9, include_zero=True), "include_zero must be False"),
        (lambda: TopK(0), "k must be >= 1, got 0"),
        (lambda: MinP(0), r"p must be in \(0, 1\], got 0"),
        (lambda: Threshold(-1.0), "value must be in"),
        (lambda: RandomKeep(0.0, np.random.default_rng(0)), r"ratio must be in \(0, 1\]"),
        (lambda: loss_scale(0.5, "log"), "mode must be one of"),
        (lambda: TopP(0.9)([]), r"scores must have shape \[P\]"),
        (lambda: TopP(0.9)([-1.0]), "scores must be finite and >= 0, or NaN, got -1.0"),
        (lambda: TopP(0.9)([math.inf]), "got inf"),
    ],
)
def test_wrong_arguments_are_refused(make, message: str):
    with pytest.raises(ValueError, match=message):
        make()


def test_loss_scale():
    assert [loss_scale(0.25, mode) for mode in ("none", "linear", "sqrt")] == [1.0, 0.25, 0.5]


# The reference's rules.


@pytest.mark.parametrize(
    ("rule", "scores", "kept"),
    [
        # E22: the sum is 5, the target 4.5 - 0.01; 2, 3, 3.75, 4.25, 4.75.
        (TopP(0.9, "linear"), STDS, (1, 2, 3, 4, 7)),
        # 0.01 tips the balance: 1.98 - 0.01 <= 1.97.
        (TopP(0.99, "linear"), (1.0, 0.97, 0.03), (0, 1)),
        (TopP(0.99), (1.0, 0.97, 0.03), (0, 1, 2)),
        # A sum so small that the target is not positive keeps nothing.
        (TopP(0.9, "linear"), (0.005, 0.005), ()),
        (TopP(0.9), (0.005, 0.005), (0, 1)),
        (TopP(0.9, "linear"), (0.0, 0.0), ()),
        (TopP(0.9, "linear", include_zero=True), (0.0, 0.0), ()),
        (TopP(1.0, "linear"), (0.5, 0.0), (0,)),
        (TopP(1.0, "linear", include_zero=True), (0.5, 0.0), (0, 1)),
        # exp(1, 0, 0, 0) / sum = .475, .175 x 3: .825 < .9.
        (TopP(0.8, "softmax", include_zero=True), (1.0, 0.0, 0.0, 0.0), (0, 1, 2)),
        (TopP(0.9, "softmax", include_zero=True), (1.0, 0.0, 0.0, 0.0), (0, 1, 2, 3)),
        (TopP(0.9, "softmax"), (1.0, 0.0, 0.0, 0.0), (0,)),
        (TopP(0.01, "softmax", include_zero=True), (0.0, 0.0), (0,)),
        (TopP(0.9, "softmax"), (0.0, 1e-11), ()),
        (TopP(0.9, "linear"), (NAN, 1.0), (1,)),
    ],
)
def test_worked_examples_of_the_reference(rule: TopP, scores: tuple[float, ...], kept: object):
    assert rule(scores).kept == kept


def test_softmax_hardly_filters_rewards_of_zero_and_one():
    scores = np.array([0.5] * 5 + [0.0] * 45)
    assert len(TopP(0.9, "softmax", include_zero=True)(scores).kept) >= 40
    assert TopP(0.9)(scores).kept == (0, 1, 2, 3, 4)


def test_empty_selection_of_the_reference_has_a_reason():
    result = TopP(0.9, "linear")((0.005, 0.005))
    assert result.reason == "the reference's linear rule keeps nothing"


def test_only_the_reference_depends_on_the_unit_of_the_reward():
    scores = np.array([0.3, 0.2, 0.03, 0.01])
    assert TopP(0.9)(scores).kept == TopP(0.9)(scores / 100).kept == (0, 1)
    assert TopP(0.9, "linear")(scores).kept != TopP(0.9, "linear")(scores / 100).kept


# From episodes.


def episode(instance: str, env: float, penalty: float = 0.0, error: str = "") -> Episode:
    turn = Turn(0, (), (), Response("r"), "o", ("a",), (env,), env, penalty, "", "terminated", None)
    return Episode(
        SCHEMA, "ragen/X-v0", {"size": 3}, "train", instance, 0, 7, "agent", (turn,), True, False,
        env > 0.5, error, "", None,
    )  # fmt: skip


def test_groups_are_made_of_instances_and_failed_episodes_are_left_out():
    rewards = group_rewards(
        [episode("b", 1.0), episode("a", 0.0, -0.1), episode("b", 0.0), episode("a", 1.0, 0.0, "x")]
    )
    assert [json.loads(key)[2] for key in rewards.groups] == ["b", "a"]
    assert rewards.members == ((0, 2), (1,))
    assert rewards.total == pytest.approx(np.array([[1, 0], [-0.1, NAN]]), nan_ok=True)
    assert rewards.env == pytest.approx(np.array([[1, 0], [0, NAN]]), nan_ok=True)
    assert rewards.success == pytest.approx(np.array([[1, 0], [0, NAN]]), nan_ok=True)
    assert rewards.errors == 1


def test_format_penalties_are_seen_beside():
    rewards = group_rewards(
        [episode("a", 0.0, -0.1), episode("a", 0.0), episode("b", 1.0), episode("b", 0.0)]
    )
    total = filter_groups(rewards, TopP(1.0))
    assert (total.kept, total.kept_ratio, total.kept_ratio_env) == ((0, 1), 1.0, 0.5)
    env = filter_groups(rewards, TopP(1.0), reward="env")
    assert (env.kept, env.reward, env.kept_ratio_env) == ((1,), "env", 0.5)
    success = filter_groups(rewards, TopP(1.0), reward="success")
    assert (success.kept, success.reward) == ((1,), "success")


def test_env_falls_back_to_the_total_where_no_group_has_a_signal():
    rewards = group_rewards([episode("a", 0.0, -0.1), episode("a", 0.0)])
    result = filter_groups(rewards, TopP(0.9), reward="env")
    assert (result.kept, result.reward, result.kept_ratio_env) == ((0,), "total", 0.0)


def test_wrong_episodes_and_rewards_are_refused():
    with pytest.raises(ValueError, match="episodes must hold at least one"):
        group_rewards([])
    with pytest.raises(ValueError, match="reward must be one of"):
        filter_groups(group_rewards([episode("a", 0.0)]), KeepAll(), reward="return")


def test_metrics_of_huge_scores_are_json():
    metrics = TopP(0.9)([1e308, 1e308]).metrics()
    assert json.loads(json.dumps(metrics, allow_nan=False))["filter_score_mean"] == 1e308
