"""Success rates and intervals against worked examples and their properties.

The examples were computed with scipy 1.17 and statsmodels 0.15.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.statistics import student_t_quantile, success_rate
from ragen_envs.intervals import wilson_interval

CLUSTERED = [[1, 1, 1, 1], [1, 1, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0], [1, 0, 1, 1], [0, 0, 0, 0]]


@pytest.mark.parametrize(
    ("solved", "n", "low", "high"),
    [
        (17, 20, 0.639581, 0.947631),
        (3, 16, 0.065916, 0.430089),
        (128, 256, 0.439206, 0.560794),
        (0, 50, 0.0, 0.071348),
        (50, 50, 0.928652, 1.0),
    ],
)
def test_wilson_interval(solved: int, n: int, low: float, high: float):
    assert wilson_interval(solved / n, n) == pytest.approx((low, high), abs=1e-6)
    one_each = [[1.0]] * solved + [[0.0]] * (n - solved)
    rate = success_rate(one_each)
    assert (rate.low, rate.high) == pytest.approx((low, high), abs=1e-6)
    assert rate.n == n


def test_repeats_count_by_the_spread_of_the_instances():
    rate = success_rate(CLUSTERED)
    assert rate.mean == pytest.approx(0.458333, abs=1e-6)
    assert rate.n == pytest.approx(4.670349, abs=1e-6)
    assert (rate.low, rate.high) == pytest.approx((0.141881, 0.812395), abs=1e-6)


def test_no_success_in_repeated_instances_is_not_taken_for_many_failures():
    rate = success_rate([[0.0] * 4] * 16)
    assert (rate.low, rate.high) == pytest.approx((0.0, 0.221149), abs=1e-6)
    single = success_rate([[0.0]] * 16)
    assert (single.low, single.high) == pytest.approx((0.0, 0.193608), abs=1e-6)


@pytest.mark.parametrize(
    ("p", "df", "t"),
    [
        (0.975, 1, 12.706205),
        (0.975, 2, 4.302653),
        (0.975, 5, 2.570582),
        (0.995, 15, 2.946713),
        (0.975, 127, 1.978820),
        (0.9, 30, 1.310415),
    ],
)
def test_quantiles_of_students_t(p: float, df: int, t: float):
    assert student_t_quantile(p, df) == pytest.approx(t, abs=1e-6)


outcomes = st.integers(1, 4).flatmap(
    lambda k: st.lists(
        st.lists(st.sampled_from([0.0, 1.0]), min_size=k, max_size=k), min_size=1, max_size=30
    )
)


@given(outcomes)
def test_interval_is_in_range_and_holds_the_mean(groups: list[list[float]]):
    rate = success_rate(groups)
    assert 0 <= rate.low <= rate.mean <= rate.high <= 1


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=2, max_size=30), st.integers(2, 5))
def test_copies_of_the_same_outcome_are_no_evidence(single: list[float], copies: int):
    once = success_rate([[outcome] for outcome in single])
    often = success_rate([[outcome] * copies for outcome in single])
    assert often.mean == once.mean
    assert often.high - often.low >= (once.high - once.low) * 0.999


@given(outcomes, st.randoms(use_true_random=False))
def test_order_of_instances_does_not_matter(groups: list[list[float]], shuffler: object):
    turned = list(reversed(groups))
    shuffler.shuffle(turned)  # type: ignore[attr-defined]
    one, other = success_rate(groups), success_rate(turned)
    assert (one.low, one.mean, one.high) == pytest.approx((other.low, other.mean, other.high))


@given(st.integers(2, 50))
def test_interval_narrows_with_more_instances(n: int):
    few, many = success_rate([[0.0], [1.0]] * n), success_rate([[0.0], [1.0]] * (n + 1))
    assert many.high - many.low < few.high - few.low


@pytest.mark.parametrize("nothing", [[], [[]], [[1.0], []]])
def test_no_outcome_raises(nothing: list[list[float]]):
    with pytest.raises(ValueError, match="at least one instance, each with an outcome"):
        success_rate(nothing)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.5, 10), r"rate must be in \[0, 1\], got 1.5"),
        ((0.5, 0), "n must be > 0, got 0"),
        ((0.5, 10, 1.0), r"confidence must be in \(0, 1\), got 1.0"),
    ],
)
def test_wrong_argument_raises(arguments: tuple[float, ...], message: str):
    with pytest.raises(ValueError, match=message):
        wilson_interval(*arguments)
