r"""Our checker of answers beside math-verify: `python -m benchmarks.math_checkers`.

Prints Markdown: how many of the pairs in tests/ragen_envs/metamathqa each gets right, how often the
two agree, and the time per pair, interleaved in one run. math-verify is no dependency of ours; give
it a virtual environment of its own (`pip install -e . math-verify`). It gets every pair twice: as
given, and with what is not already marked put into `\boxed{}`, which its parser is made for.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import click

from ragen_envs.metamathqa import answers_match, extract_answer

ROOT = Path(__file__).parents[1]
PAIRS = ROOT / "tests" / "ragen_envs" / "metamathqa"
FILES = ("pairs.jsonl", "pairs_own.jsonl", "pairs_later.jsonl")
OURS = "ragen"
THEIRS = "math-verify"
THEIRS_BOXED = "math-verify, boxed"
INSTALL = "pip install math-verify"

# What most comparisons are: plain numbers, or the same text.
COMMON = [
    *[("18", "18"), ("18", "19"), ("5", "-5"), ("1000", "1000"), ("0.5", "0.50"), ("7", "7.0")],
    *[("120", "12"), ("3.25", "3.25"), ("-4", "-4"), ("64", "46"), ("2500", "2500"), ("0", "0")],
]
# The same numbers as a model writes them.
WRAPPED = [(gold, f"So it is.\n\nThe answer is: {response}") for gold, response in COMMON]
# A slower call than this is timed once.
SLOW = 0.2

Checker = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Pair:
    """A gold answer, a response, and whether they are equal; `policy` marks a judgement call."""

    file: str
    gold: str
    response: str
    equal: bool
    policy: bool


@dataclass(slots=True)
class Outcome:
    """What a checker said of each pair, and how many seconds it took (a median)."""

    verdicts: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def read_pairs() -> Iterator[Pair]:
    """All pairs of the tests; long responses are stored as text and times."""
    for name in FILES:
        for line in (PAIRS / name).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            parts = row.get("response_parts") or [(row.get("response", ""), 1)]
            response = "".join(text * times for text, times in parts)
            yield Pair(name, row["gold"], response, row["equal"], row.get("policy", False))


def checkers() -> dict[str, Checker]:
    """Ours, and math-verify's two ways where it is installed."""
    found: dict[str, Checker] = {OURS: answers_match}
    if importlib.util.find_spec("math_verify") is None:
        return found
    logging.disable(logging.ERROR)  # It logs each timeout.
    module: Any = importlib.import_module("math_verify")

    def as_given(gold: str, response: str) -> bool:
        return bool(module.verify(module.parse(gold), module.parse(response)))

    def boxed(gold: str, response: str) -> bool:
        bare = extract_answer(response) == response.strip()
        return as_given(rf"\boxed{{{gold}}}", rf"\boxed{{{response}}}" if bare else response)

    return found | {THEIRS: as_given, THEIRS_BOXED: boxed}


def measure(
    pairs: Sequence[tuple[str, str]], checkers: dict[str, Checker], rounds: int
) -> dict[str, Outcome]:
    """Run every checker on every pair, taking turns."""
    outcomes = {name: Outcome() for name in checkers}
    for gold, response in pairs:
        times: dict[str, list[float]] = {name: [] for name in checkers}
        for turn in range(rounds):
            for name, checker in checkers.items():
                if turn and times[name][0] > SLOW:
                    continue
                start = time.perf_counter()
                verdict = checker(gold, response)
                times[name].append(time.perf_counter() - start)
                if not turn:
                    outcomes[name].verdicts.append(verdict)
        for name, taken in times.items():
            outcomes[name].seconds.append(median(taken))
    return outcomes


def accuracy_table(pairs: Sequence[Pair], outcomes: dict[str, Outcome]) -> str:
    """Right verdicts by file, policy rows apart; agreement; kinds of mistakes."""
    names = [OURS, THEIRS, THEIRS_BOXED]
    lines = [f"| pairs | {' | '.join(names)} |", "|---|" + "---|" * len(names)]
    groups = {
        **{
            f"{name}, non-policy": [p.file == name and not p.policy for p in pairs]
            for name in FILES
        },
        "policy": [p.policy for p in pairs],
        "all": [True for _ in pairs],
    }
    for group, chosen in groups.items():
        cells = []
        for name in names:
            verdicts = outcomes[name].verdicts if name in outcomes else None
            right = verdicts and sum(
                verdict == pair.equal
                for verdict, pair, inside in zip(verdicts, pairs, chosen, strict=True)
                if inside
            )
            cells.append("-" if right is None else f"{right}/{sum(chosen)}")
        lines.append(f"| {group} | {' | '.join(cells)} |")
    for label, wrong in (("false accepts", True), ("false rejects", False)):
        cells = [
            str(
                sum(
                    verdict == wrong != pair.equal
                    for verdict, pair in zip(outcomes[name].verdicts, pairs, strict=True)
                )
            )
            if name in outcomes
            else "-"
            for name in names
        ]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    cells = [_agreement(outcomes, name) for name in names]
    lines.append(f"| agrees with ours | {' | '.join(cells)} |")
    return "\n".join(lines)


def _agreement(outcomes: dict[str, Outcome], name: str) -> str:
    if name not in outcomes:
        return "-"
    ours, theirs = outcomes[OURS].verdicts, outcomes[name].verdicts
    return f"{sum(a == b for a, b in zip(ours, theirs, strict=True)) / len(ours):.0%}"


def time_table(runs: dict[str, dict[str, Outcome]]) -> str:
    """Milliseconds per pair: median and worst, and how many times ours the median is."""
    lines = ["| pairs | checker | median ms | worst ms | times ours |", "|---|---|---|---|---|"]
    for run, outcomes in runs.items():
        ours = median(outcomes[OURS].seconds)
        for name, outcome in outcomes.items():
            middle, worst = median(outcome.seconds), max(outcome.seconds)
            lines.append(
                f"| {run} | {name} | {middle * 1e3:.4f} | {worst * 1e3:.1f} | {middle / ours:.0f} |"
            )
    return "\n".join(lines)


@click.command()
@click.option("--rounds", type=click.IntRange(1), default=7, show_default=True)
def main(rounds: int) -> None:
    """Compare the checkers of mathematical answers on the pairs of the tests."""
    found = checkers()
    pairs = list(read_pairs())
    for checker in found.values():
        checker("1", "2")  # Imports and caches are no part of the comparison.
    runs = {
        "plain numbers": measure(COMMON, found, 20 * rounds),
        "plain numbers after a marker": measure(WRAPPED, found, 20 * rounds),
        "all": measure([(pair.gold, pair.response) for pair in pairs], found, rounds),
    }
    click.echo(accuracy_table(pairs, runs["all"]))
    click.echo()
    click.echo(time_table(runs))
    if THEIRS not in found:
        click.echo(f"\nmath-verify is not installed here: {INSTALL}")


if __name__ == "__main__":
    main()
