"""What the filter and the mutual information cost: `python -m benchmarks.diagnostics_cost`."""

from __future__ import annotations

import time
from collections.abc import Callable

import click
import numpy as np

from trainers.filters import TopP, reward_variance
from trainers.mutual_information import mutual_information

GROUPS, GROUP_SIZE = 10_000, 16
SAMPLES, PROMPTS, TOKENS = 1024, 64, 128
REPEATS = 20


def milliseconds(run: Callable[[], object], repeats: int = REPEATS) -> tuple[float, float]:
    """Fastest and median wall time of a call, after one that warms up."""
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(1000 * (time.perf_counter() - start))
    return min(times), float(np.median(times))


def main() -> None:
    """Print Markdown."""
    rng = np.random.default_rng(0)
    rewards = rng.binomial(1, rng.random((GROUPS, 1)), (GROUPS, GROUP_SIZE)).astype(np.float64)
    own = np.arange(SAMPLES) % PROMPTS
    per_token = rng.normal(-2, 1, (SAMPLES, PROMPTS, TOKENS)).clip(max=0).astype(np.float32)
    scores = per_token.sum(axis=2, dtype=np.float64)
    lengths = np.full(SAMPLES, TOKENS)
    ids = rng.integers(0, 50_000, (PROMPTS, 300)).tolist()
    few = milliseconds(
        lambda: mutual_information(scores, own, lengths, ids, per_token=per_token), repeats=3
    )
    rows = {
        f"filter: score and choose among {GROUPS:,} groups of {GROUP_SIZE}": milliseconds(
            lambda: TopP(0.9)(reward_variance(rewards))
        ),
        f"mutual information, {SAMPLES:,} x {PROMPTS}": milliseconds(
            lambda: mutual_information(scores, own, lengths, ids)
        ),
        "the same with 999 permutations": milliseconds(
            lambda: mutual_information(scores, own, lengths, ids, rng=rng)
        ),
        f"the same by prefix and token, {TOKENS} tokens, no permutations": few,
    }
    click.echo("| what | fastest, ms | median, ms |\n|---|---|---|")
    for name, (fastest, median) in rows.items():
        click.echo(f"| {name} | {fastest:.1f} | {median:.1f} |")


if __name__ == "__main__":
    main()
