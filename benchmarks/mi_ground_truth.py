"""Mutual information estimates against channels whose information is known in closed form.

`python -m benchmarks.mi_ground_truth` prints Markdown: the bracket against the information of the
population, the coverage of the interval for the fixed prompts, and what becomes of the estimate
with another scorer and without the closing token. About a minute on one core.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from trainers.mutual_information import mutual_information

Floats = NDArray[np.float64]

BATCHES = 500
REPETITIONS = 1000
DRAWS = 16
SAMPLES = 8
GROUP_SIZES = (4, 8, 32)

# Closed forms and estimates agree to this, in nats.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """A population of K prompts, each with a distribution over the same V sequences.

    Attributes:
        name: What it shows.
        log_probs: log p(z | x), shape [K, V]; each row sums to 1.
        lengths: Tokens of each sequence, shape [V].
        weights: Share of each prompt in the population, shape [K].
        given: Batches hold each prompt once, with the weights passed on; otherwise prompts are
            drawn from the population and repeat.
        rare: What tells prompts apart is rare, so that few samples do not show it.
        scores: What a scorer says in place of `log_probs`, None for the same.
    """

    name: str
    log_probs: Floats
    lengths: NDArray[np.intp]
    weights: Floats
    given: bool = False
    rare: bool = False
    scores: Floats | None = None

    @property
    def information(self) -> float:
        """I(X; Z) of the population, in nats."""
        return information(self.log_probs, self.weights)


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Prompts drawn from a channel, and samples of each.

    Attributes:
        prompts: Prompts in the order drawn, shape [J].
        sequences: Sequence sampled, shape [M].
        prompt_index: Draw that each sample belongs to, shape [M].
    """

    prompts: NDArray[np.intp]
    sequences: NDArray[np.intp]
    prompt_index: NDArray[np.intp]


def information(log_probs: Floats, weights: Floats) -> float:
    """I_w of prompts with log p(z | x), shape [N, V], and weights, shape [N]: a finite sum."""
    p = np.exp(log_probs)
    mixture = np.broadcast_to(weights @ p, p.shape)
    positive = p > 0
    terms = np.zeros_like(p)
    terms[positive] = p[positive] * (log_probs[positive] - np.log(mixture[positive]))
    return float(weights @ terms.sum(axis=1))


def channels() -> list[Channel]:
    """From independent to deterministic; five of them without rare events and not trivial."""
    rng = np.random.default_rng(0)
    zipf = 1 / np.arange(1, DRAWS + 1)
    return [
        _channel("independent", np.tile(rng.dirichlet(np.ones(64)), (64, 1))),
        _channel("symmetric noise", _noisy(64, 0.6)),
        _channel("Dirichlet rows", rng.dirichlet(np.ones(48), 64)),
        replace(
            _channel("unequal weights, given", _noisy(DRAWS, 0.6), zipf / zipf.sum()), given=True
        ),
        _channel("duplicates (4 prompts)", _noisy(4, 0.7)),
        length_channel(closing=True),
        _channel("unequal population", _noisy(32, 0.6), 1 / np.arange(1, 33)),
        _channel("deterministic", np.eye(64)),
        replace(_channel("rare token", _rare_token()), rare=True),
        replace(_channel("template, 1% own words", _template(64, 0.01)), rare=True),
    ]


COVERAGE_CHANNELS = (
    "symmetric noise",
    "Dirichlet rows",
    "unequal weights, given",
    "duplicates (4 prompts)",
    "length alone",
)


def length_channel(closing: bool) -> Channel:
    """The prompt sets only how many words are written before the closing token.

    After each word the next one follows with probability q_x, otherwise the reasoning closes; at
    24 words it is cut off. Words are the same for all prompts. Without the closing token the score
    of n words is that of at least n words, which is no distribution over sequences.
    """
    go_on = np.linspace(0.3, 0.97, 16)[:, None]
    words = np.arange(24)
    reached = go_on**words
    closed = np.where(words < words[-1], reached * (1 - go_on), reached)
    channel = _channel("length alone", closed)
    lengths = words + 1 + closing
    scores = None if closing else np.log(reached)
    return replace(channel, lengths=lengths.astype(np.intp), scores=scores)


def draw(channel: Channel, rng: np.random.Generator, draws: int, samples: int) -> Batch:
    """Draw prompts from the population, or take each once, and sample each draw so often."""
    prompts = np.arange(len(channel.weights))
    if not channel.given:
        prompts = rng.choice(len(channel.weights), draws, p=channel.weights)
    cumulative = np.cumsum(np.exp(channel.log_probs[prompts]), axis=1)
    # The last sum may miss 1 by rounding.
    cumulative[:, -1] = 1.0
    points = rng.random((len(prompts), samples, 1))
    sequences = np.argmax(cumulative[:, None, :] > points, axis=2)
    index = np.repeat(np.arange(len(prompts)), samples)
    return Batch(prompts, sequences.ravel(), index)


def estimate(channel: Channel, batch: Batch, **settings: Any) -> dict[str, Any]:
    """`mutual_information` of a batch, scored as the channel says."""
    scores = channel.log_probs if channel.scores is None else channel.scores
    weights = channel.weights if channel.given else "draws"
    return mutual_information(
        scores[batch.prompts][:, batch.sequences].T,
        batch.prompt_index,
        channel.lengths[batch.sequences],
        batch.prompts.tolist(),
        weights=weights,
        **settings,
    )


def fixed_information(channel: Channel, batch: Batch) -> float:
    """I_w of the prompts of a batch."""
    if channel.given:
        return channel.information
    kinds, counts = np.unique(batch.prompts, return_counts=True)
    return information(channel.log_probs[kinds], counts / counts.sum())


@dataclass(frozen=True, slots=True)
class Bracket:
    """Means over batches of the estimates, with the standard errors of the two bounds."""

    truth: float
    lower: float
    lower_error: float
    jackknife: float
    upper: float
    upper_error: float
    infinite: float
    crossed: float

    @property
    def holds(self) -> bool:
        """Lower - 3 standard errors <= truth <= upper + 3 standard errors."""
        low = self.lower - 3 * self.lower_error - _ROUNDING
        return low <= self.truth <= self.upper + 3 * self.upper_error + _ROUNDING


def bracket(channel: Channel, batches: int, seed: int = 0, samples: int = SAMPLES) -> Bracket:
    """Estimates over many batches against the information of the population."""
    rng = np.random.default_rng(seed)
    results = [estimate(channel, draw(channel, rng, DRAWS, samples)) for _ in range(batches)]
    lower, jackknife, upper, crossed = (
        np.array([result[name] for result in results], dtype=np.float64)
        for name in ("mi_lower", "mi_jackknife", "mi_upper", "bracket_crossed")
    )
    infinite = float(np.isinf(upper).mean())
    return Bracket(
        channel.information,
        float(lower.mean()),
        _error(lower),
        float(jackknife.mean()),
        float(upper.mean()),
        0.0 if infinite else _error(upper),
        infinite,
        float(crossed.mean()),
    )


def coverage(channel: Channel, samples: int, repetitions: int, seed: int = 0) -> float:
    """Share of intervals that hold the information of their own prompts and weights."""
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(repetitions):
        batch = draw(channel, rng, DRAWS, samples)
        result = estimate(channel, batch)
        truth = fixed_information(channel, batch)
        hits += result["mi_low"] - _ROUNDING <= truth <= result["mi_high"] + _ROUNDING
    return hits / repetitions


@dataclass(frozen=True, slots=True)
class Fault:
    """What a fault does to the estimate: means over batches with standard errors."""

    name: str
    truth: float
    right: float
    wrong: float
    wrong_error: float


def faults(batches: int, seed: int = 0) -> list[Fault]:
    """Scorers that are not the policy, and reasoning without its closing token."""
    rows = {channel.name: channel for channel in channels()}["Dirichlet rows"]
    noise = np.random.default_rng(1).normal(0, 1, rows.log_probs.shape)
    return [
        _fault("scorer at temperature 2", rows, _rescored(rows, rows.log_probs / 2), batches, seed),
        _fault(
            "scorer with noise of 1 nat", rows, _rescored(rows, rows.log_probs + noise),
            batches, seed,
        ),
        _fault(
            "closing token left out", length_channel(closing=True), length_channel(closing=False),
            batches, seed,
        ),
    ]  # fmt: skip


def _fault(name: str, right: Channel, wrong: Channel, batches: int, seed: int) -> Fault:
    rng = np.random.default_rng(seed)
    drawn = [draw(right, rng, DRAWS, SAMPLES) for _ in range(batches)]
    true = [estimate(right, batch)["mi_lower"] for batch in drawn]
    false = np.array([estimate(wrong, batch, scorer="other")["mi_lower"] for batch in drawn])
    return Fault(name, right.information, float(np.mean(true)), float(false.mean()), _error(false))


def _rescored(channel: Channel, logits: Floats) -> Channel:
    scores = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return replace(channel, scores=scores)


def _channel(name: str, p: Floats, weights: Sequence[float] | Floats | None = None) -> Channel:
    w = np.ones(len(p)) if weights is None else np.asarray(weights, dtype=np.float64)
    with np.errstate(divide="ignore"):
        log_probs = np.log(p)
    return Channel(name, log_probs, np.full(p.shape[1], 4, dtype=np.intp), w / w.sum())


def _noisy(prompts: int, own: float) -> Floats:
    """Each prompt has a sequence of its own, and writes another prompt's at random otherwise."""
    table = np.full((prompts, prompts), (1 - own) / (prompts - 1))
    np.fill_diagonal(table, own)
    return table


def _rare_token() -> Floats:
    """A rare sequence, ten times likelier under half of the prompts; the rest is common to all."""
    rare = np.repeat([0.002, 0.02], 32)[:, None]
    return np.hstack([rare, (1 - rare) * np.full(15, 1 / 15)])


def _template(prompts: int, own: float) -> Floats:
    return np.hstack([own * np.eye(prompts), np.full((prompts, 16), (1 - own) / 16)])


def _error(values: Floats) -> float:
    return float(values.std(ddof=1) / math.sqrt(len(values)))


def bracket_table(batches: int) -> str:
    """Markdown: every channel's bracket."""
    lines = [
        "| channel | I population | mi_lower (s.e.) | mi_jackknife | mi_upper (s.e.) | "
        "upper inf | crossed | holds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for channel in channels():
        found = bracket(channel, batches)
        upper = "inf" if found.infinite else _with_error(found.upper, found.upper_error)
        lower = _with_error(found.lower, found.lower_error)
        jackknife = "-" if math.isnan(found.jackknife) else f"{found.jackknife:.4f}"
        lines.append(
            f"| {channel.name} | {found.truth:.4f} | {lower} | "
            f"{jackknife} | {upper} | {found.infinite:.1%} | {found.crossed:.1%} | "
            f"{'yes' if found.holds else 'NO'} |"
        )
    return "\n".join(lines)


def _with_error(value: float, error: float) -> str:
    # Adding 0 turns -0.0 into 0.0.
    return f"{round(value, 4) + 0.0:.4f} ({error:.4f})"


def coverage_table(repetitions: int) -> str:
    """Markdown: coverage of the 95% interval for the fixed prompts by samples a draw."""
    lines = [
        "| channel | " + " | ".join(f"G = {size}" for size in GROUP_SIZES) + " | asserted |",
        "|---|" + "---|" * (len(GROUP_SIZES) + 1),
    ]
    for channel in channels():
        shares = (coverage(channel, size, repetitions) for size in GROUP_SIZES)
        asserted = "G = 32" if channel.name in COVERAGE_CHANNELS else ""
        cells = " | ".join(f"{share:.1%}" for share in shares)
        lines.append(f"| {channel.name} | {cells} | {asserted} |")
    return "\n".join(lines)


def fault_table(batches: int) -> str:
    """Markdown: what each fault does."""
    lines = ["| fault | I population | right | with the fault (s.e.) |", "|---|---|---|---|"]
    lines += [
        f"| {fault.name} | {fault.truth:.4f} | {fault.right:.4f} | "
        f"{_with_error(fault.wrong, fault.wrong_error)} |"
        for fault in faults(batches)
    ]
    return "\n".join(lines)


def main(batches: int = BATCHES, repetitions: int = REPETITIONS) -> None:
    """Print the three tables."""
    click.echo(
        f"{DRAWS} prompts drawn, {SAMPLES} samples each, means of {batches} batches, nats.\n"
    )
    click.echo(bracket_table(batches))
    click.echo(f"\nCoverage of the 95% interval, {repetitions} repetitions.\n")
    click.echo(coverage_table(repetitions))
    click.echo("\nFaults.\n")
    click.echo(fault_table(batches))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
