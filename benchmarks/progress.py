"""Progress of a run: a live bar on a terminal, plain lines elsewhere; always on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agent.episode import Episode

SECONDS_BETWEEN_LINES = 10.0
SHARE_BETWEEN_LINES = 0.1


@contextmanager
def shown_progress(total: int, done: int) -> Iterator[Callable[[Episode], None]]:
    """Show progress while the block runs; yields the function that takes a finished episode.

    Args:
        total: Episodes of the run.
        done: Episodes that were there already.
    """
    if sys.stderr.isatty():
        with _bar(total, done) as step:
            yield step
    else:
        yield _lines(total, done)


def _lines(total: int, done: int) -> Callable[[Episode], None]:
    started = last_time = time.monotonic()
    finished, last_count = done, done
    solved = errors = 0

    def step(episode: Episode) -> None:
        nonlocal finished, solved, errors, last_time, last_count
        finished += 1
        solved += episode.success
        errors += bool(episode.error)
        now = time.monotonic()
        due = finished - last_count >= SHARE_BETWEEN_LINES * total
        if not (due or finished == total or now - last_time >= SECONDS_BETWEEN_LINES):
            return
        last_time, last_count = now, finished
        left = (now - started) / (finished - done) * (total - finished)
        clock = time.strftime("%H:%M:%S")
        sys.stderr.write(
            f"{clock} {finished}/{total} episodes, {solved} solved, {errors} errors, "
            f"{left:.0f} s left ({episode.env_id}, {episode.agent})\n"
        )
        sys.stderr.flush()

    return step


@contextmanager
def _bar(total: int, done: int) -> Iterator[Callable[[Episode], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("bench", total=total, completed=done)

        def step(episode: Episode) -> None:
            progress.update(task, advance=1, description=f"{episode.env_id} {episode.agent}")

        yield step
