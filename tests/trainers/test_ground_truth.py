"""Estimates against channels of known information; `benchmarks/mi_ground_truth.py` in short.

Seeds are fixed, so that a pass is a pass. The full-strength run is the benchmark's own.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.mi_ground_truth import (
    COVERAGE_CHANNELS,
    Channel,
    bracket,
    channels,
    coverage,
    draw,
    estimate,
    faults,
    fixed_information,
    information,
    length_channel,
    main,
)

CHANNELS = {channel.name: channel for channel in channels()}


def test_informations_are_those_of_the_closed_forms():
    assert CHANNELS["independent"].information == pytest.approx(0, abs=1e-12)
    assert CHANNELS["deterministic"].information == pytest.approx(math.log(64))
    # Own with .6, each of 63 others with .4 / 63; the mixture is uniform over 64.
    noise = 0.6 * math.log(0.6 * 64) + 0.4 * math.log(0.4 / 63 * 64)
    assert CHANNELS["symmetric noise"].information == pytest.approx(noise)
    assert CHANNELS["template, 1% own words"].information == pytest.approx(0.01 * math.log(64))
    for channel in CHANNELS.values():
        assert np.exp(channel.log_probs).sum(axis=1) == pytest.approx(1.0)
        assert channel.weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("channel", CHANNELS.values(), ids=CHANNELS)
def test_bracket_holds_the_population_in_expectation(channel: Channel):
    assert bracket(channel, batches=120, seed=1).holds


@pytest.mark.parametrize("name", ["Dirichlet rows", "unequal weights, given", "length alone"])
def test_lower_estimate_is_unbiased_for_the_fixed_prompts(name: str):
    channel, rng = CHANNELS[name], np.random.default_rng(2)
    prompts = draw(channel, rng, 16, 1).prompts
    truths, found, uppers = [], [], []
    fixed = Channel(
        name, channel.log_probs[prompts], channel.lengths,
        channel.weights[prompts] / channel.weights[prompts].sum(), given=True,
    )  # fmt: skip
    for _ in range(200):
        batch = draw(fixed, rng, 16, 8)
        result = estimate(fixed, batch)
        truths.append(fixed_information(fixed, batch))
        found.append(result["mi_lower"])
        uppers.append(result["mi_upper"])
    error = np.std(found, ddof=1) / math.sqrt(200)
    assert abs(np.mean(found) - truths[0]) <= 3 * error
    assert np.mean(uppers) >= truths[0]


@pytest.mark.parametrize("name", COVERAGE_CHANNELS)
def test_interval_covers_the_information_of_the_fixed_prompts(name: str):
    assert abs(coverage(CHANNELS[name], 32, repetitions=1000) - 0.95) <= 0.03


def test_jackknife_is_nearer_to_the_population_than_the_lower_bound():
    found = bracket(CHANNELS["duplicates (4 prompts)"], batches=200)
    assert abs(found.jackknife - found.truth) < abs(found.lower - found.truth) / 3


def test_wrong_scorer_stays_below_and_has_no_upper_estimate():
    flat, noisy, _ = faults(batches=100)
    for fault in (flat, noisy):
        assert fault.wrong + 3 * fault.wrong_error < fault.right <= fault.truth
    channel, rng = CHANNELS["Dirichlet rows"], np.random.default_rng(0)
    assert estimate(channel, draw(channel, rng, 16, 4), scorer="other")["mi_upper"] is None


def test_scaled_critic_is_a_lower_bound_too():
    channel, rng = length_channel(closing=True), np.random.default_rng(0)
    gaps = []
    for _ in range(100):
        batch = draw(channel, rng, 16, 8)
        proxy = estimate(channel, batch)["mi_per_token_proxy"]
        gaps.append(fixed_information(channel, batch) - proxy)
    assert np.mean(gaps) > 3 * np.std(gaps) / 10


def test_leaving_out_the_closing_token_loses_the_length_channel():
    lost = faults(batches=100)[2]
    assert lost.wrong + 3 * lost.wrong_error < lost.truth / 2
    assert lost.right > 0.8 * lost.truth


def test_information_is_that_of_a_brute_force_sum():
    rng = np.random.default_rng(0)
    p, w = rng.dirichlet(np.ones(4), 3), rng.dirichlet(np.ones(3))
    joint = w[:, None] * p
    by_hand = sum(
        joint[x, z] * math.log(joint[x, z] / (w[x] * joint[:, z].sum()))
        for x in range(3)
        for z in range(4)
    )
    assert information(np.log(p), w) == pytest.approx(by_hand)


def test_benchmark_prints_its_tables(capsys: pytest.CaptureFixture[str]):
    main(batches=2, repetitions=2)
    printed = capsys.readouterr().out
    assert all(printed.count(f"| {name} |") == 2 for name in CHANNELS)
    assert "| closing token left out |" in printed
