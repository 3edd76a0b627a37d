"""`ragen bench`: score agents on worlds."""

from __future__ import annotations

import hashlib
import json
import shlex
import time
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from benchmarks.evaluation import Row, Run

QUICK_INSTANCES = 16
INSTANCES = 128

_LEGEND = """\
success: share of episodes solved; its interval is Wilson's, on the effective sample size.
return: world rewards plus format penalties. turns: replies. invalid: share of replies that are
malformed or hold an invalid action. errors: episodes that failed, in no score."""


@click.command()
@click.argument("env_names", metavar="[ENV]...", nargs=-1)
@click.option("--agent", "agents", multiple=True, help="Who plays; may be given several times.")
@click.option(
    "-n",
    "instances",
    type=click.IntRange(1),
    help=f"Distinct instances per world.  [default: {INSTANCES}]",
)
@click.option(
    "-k",
    "repeats",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Episodes per instance.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Run seed; instances are those of this seed and the ones after it.",
)
@click.option("--split", default="test", show_default=True, help="train, validation or test.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="K=V",
    help="Argument of the worlds, e.g. --set num_boxes=2.",
)
@click.option(
    "-j",
    "jobs",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Worlds that are stepped at once.",
)
@click.option(
    "-o", "folder", type=click.Path(file_okay=False), help="Run folder; resumed if there."
)
@click.option("--quick", is_flag=True, help=f"{QUICK_INSTANCES} instances per world.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench(
    env_names: tuple[str, ...],
    agents: tuple[str, ...],
    instances: int | None,
    repeats: int,
    seed: int,
    split: str,
    settings: tuple[str, ...],
    jobs: int,
    folder: str | None,
    quick: bool,
    as_json: bool,
) -> int:
    """Score agents on worlds.

    Without ENV, the row without suffix of every world is played; `all` is every id. Without
    --agent, the random and the oracle agent play. A run folder holds run.json, episodes.jsonl and
    summary.json; a run that was cut short is resumed by the same command.

    Exit codes: 0 done, 2 usage, 3 some episodes failed, 130 interrupted.
    """
    from benchmarks.evaluation import BenchConfig, Run

    try:
        config = BenchConfig(
            envs=_env_ids(env_names),
            agents=_agent_names(agents),
            instances=_instances(instances, quick),
            repeats=repeats,
            seed=seed,
            split=split,
            env_kwargs=_settings(settings),
        )
        run = Run(folder or _new_folder(config.to_dict()), config)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    return _play(run, jobs, as_json)


def _play(run: Run, jobs: int, as_json: bool) -> int:
    from benchmarks.progress import shown_progress
    from ragen_envs.cli import DONE, INCOMPLETE, INTERRUPTED

    done = sum(not episode.error for episode in run.episodes.values())
    click.echo(f"{run.total - done} of {run.total} episodes to play -> {run.folder}", err=True)
    started = time.monotonic()
    status, code = "done", DONE
    try:
        with shown_progress(run.total, done) as progress:
            run.play(jobs, progress)
    except KeyboardInterrupt:
        status, code = "interrupted", INTERRUPTED
    rows = run.summary()
    if code == DONE and any(row.errors for row in rows):
        status, code = "incomplete", INCOMPLETE
    summary = run.write_summary(status) | {"exit_code": code}
    if as_json:
        click.echo(json.dumps(summary, indent=2))
    else:
        print_rows(rows)
        _explain(rows, run, time.monotonic() - started)
    if code != DONE:
        click.echo(
            f"ragen: {status}. Finished episodes are kept; to go on: {_again(run)}", err=True
        )
    return code


def print_rows(rows: list[Row]) -> None:
    """Print the table of a run."""
    from ragen_envs.terminal import print_table

    print_table(
        ["environment", "agent", "success", "95% interval", "return", "turns", "invalid", "errors"],
        [cells(row) for row in rows],
        right=range(2, 8),
    )


def cells(row: Row) -> list[str]:
    """The cells of a row as people read them; a number that is not known is a dash."""
    interval = "-" if row.ci is None else f"[{row.ci[0]:.3f}, {row.ci[1]:.3f}]"
    numbers = (row.success, row.mean_return, row.mean_turns, row.invalid_share)
    success, mean_return, turns, invalid = (
        _number(n, d) for n, d in zip(numbers, (3, 2, 1, 3), strict=True)
    )
    return [row.env, row.agent, success, interval, mean_return, turns, invalid, str(row.errors)]


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _explain(rows: list[Row], run: Run, seconds: float) -> None:
    counts = sorted({row.instances for row in rows if row.instances}) or [0]
    instances = " to ".join(str(n) for n in dict.fromkeys((counts[0], counts[-1])))
    repeats = "one episode" if run.config.repeats == 1 else f"{run.config.repeats} episodes"
    split = " and ".join(_splits(run))
    click.echo(
        f"\n{instances} distinct instances a row ({split} split), {repeats} each, "
        f"{seconds:.1f} s.\n{_LEGEND}"
    )
    for plan in run.plans:
        if len(plan.instances) < run.config.instances:
            click.echo(
                f"{plan.env}: {len(plan.instances)} of {run.config.instances} instances; no more "
                "distinct ones were found."
            )
    for row in {row.env: row for row in rows if row.skipped_instances}.values():
        seeds = "1 seed" if row.skipped_instances == 1 else f"{row.skipped_instances} seeds"
        click.echo(f"{row.env}: {seeds} skipped, the content had been played.")
    for row in rows:
        if row.note:
            click.echo(f"{row.env}, {row.agent}: not played, {row.note}.")
    click.echo(f"episodes: {run.folder / 'episodes.jsonl'}")


def _splits(run: Run) -> list[str]:
    """The splits played: `--split`, or "given" for instances of the user's own."""
    ids = [plan.instances[0] for plan in run.plans if plan.instances]
    return sorted({instance_id.rpartition("-")[0] for instance_id in ids})


def _again(run: Run) -> str:
    config = run.config
    words = ["ragen", "bench", *config.envs]
    for name in config.agents:
        words += ["--agent", name]
    words += ["-n", str(config.instances), "-k", str(config.repeats), "--seed", str(config.seed)]
    words += ["--split", config.split]
    for key, value in (config.env_kwargs or {}).items():
        words += ["--set", f"{key}={json.dumps(value)}"]
    return shlex.join([*words, "-o", str(run.folder)])


def _env_ids(names: tuple[str, ...]) -> tuple[str, ...]:
    from ragen_envs.naming import resolve_env_id
    from ragen_envs.registration import ENVIRONMENTS

    if not names:
        # The row without suffix of each world is the shortest id of its class.
        shortest: dict[str, str] = {}
        for row in sorted(ENVIRONMENTS, key=lambda row: len(row.id)):
            shortest.setdefault(row.world, row.id)
        return tuple(sorted(shortest.values()))
    if "all" in names:
        return tuple(row.id for row in ENVIRONMENTS)
    return tuple(dict.fromkeys(resolve_env_id(part) for name in names for part in name.split(",")))


def _agent_names(names: tuple[str, ...]) -> tuple[str, ...]:
    from agent.agents import load_agent

    chosen = tuple(dict.fromkeys(part for name in names for part in name.split(",")))
    for name in chosen:
        load_agent(name)  # a misspelt name fails before anything is played
    return chosen or ("random", "oracle")


def _instances(given: int | None, quick: bool) -> int:
    if given is not None and quick:
        raise ValueError(f"give -n or --quick, not both, got -n {given}")
    if given is not None:
        return given
    return QUICK_INSTANCES if quick else INSTANCES


def _settings(settings: tuple[str, ...]) -> dict[str, Any]:
    parsed: dict[str, Any] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.isidentifier():
            raise ValueError(f"--set must be NAME=VALUE, got {setting!r}")
        if key == "split":
            raise ValueError(f"the split is given by --split, not by --set, got {setting!r}")
        try:
            parsed[key] = json.loads(value)
        except ValueError:
            parsed[key] = value
    return parsed


def _new_folder(config: dict[str, Any]) -> str:
    digest = hashlib.blake2b(json.dumps(config).encode(), digest_size=2).hexdigest()
    return time.strftime(f"runs/%Y-%m-%d-%H%M%S-bench-{digest}")
