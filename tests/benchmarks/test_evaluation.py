"""A run: distinct instances, nothing lost, resumed exactly, errors in no score."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from agent import Episode, EpisodeWriter, read_episodes
from benchmarks.evaluation import BenchConfig, ConfigMismatch, Row, Run, plan_instances
from ragen_envs.core import Outcome, ServiceError
from tests.ragen_envs.corridor import CorridorEnv

CONFIG = BenchConfig(("ragen/Countdown-v0", "ragen/FrozenLake-v0"), ("random", "oracle"), 12, 2)


class FewRooms(CorridorEnv):
    """Four contents in all, one of them broken; and with no oracle when told to."""

    def __init__(self, oracle: bool = True, broken: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.oracle, self.broken = oracle, broken

    def content(self) -> str:
        return str(self.goal)

    def act(self, action: str) -> Outcome:
        if self.broken and self.goal == 2:
            raise ServiceError("index is gone")
        return super().act(action)

    def solution(self) -> list[str] | None:
        return super().solution() if self.oracle else None


@pytest.fixture
def few_rooms() -> Iterator[str]:
    gym.register("tests/FewRooms-v0", entry_point=FewRooms, max_episode_steps=10)
    yield "tests/FewRooms-v0"
    del gym.registry["tests/FewRooms-v0"]


def play(run: Run, stop_after: int | None = None) -> list[Episode]:
    played: list[Episode] = []

    def step(episode: Episode) -> None:
        played.append(episode)
        if len(played) == stop_after:
            raise KeyboardInterrupt

    try:
        run.play(None, step)
    except KeyboardInterrupt:
        pass
    return played


def by_key(path: Path) -> dict[Any, Episode]:
    return {
        (e.env_id, e.agent, e.instance_id, e.member): e
        for e in read_episodes(path / "episodes.jsonl")
    }


def test_equal_configs_play_equal_episodes(tmp_path: Path):
    for name in ("a", "b"):
        play(Run(tmp_path / name, CONFIG))
    assert by_key(tmp_path / "a") == by_key(tmp_path / "b")
    assert len(by_key(tmp_path / "a")) == 2 * 2 * 12 * 2


def test_run_is_resumed_where_it_was_cut_short(tmp_path: Path):
    play(Run(tmp_path / "whole", CONFIG))
    first = play(Run(tmp_path / "cut", CONFIG), stop_after=30)
    run = Run(tmp_path / "cut", CONFIG)
    assert [row.missing for row in run.summary()] == [0, 18, 24, 24]
    rest = play(run)
    assert len(first) + len(rest) == 96
    assert by_key(tmp_path / "cut") == by_key(tmp_path / "whole")
    assert run.summary() == Run(tmp_path / "whole", CONFIG).summary()
    assert play(Run(tmp_path / "cut", CONFIG)) == []


def test_another_config_in_the_folder_is_refused_with_the_difference(tmp_path: Path):
    Run(tmp_path, CONFIG)
    with pytest.raises(ConfigMismatch, match="instances is 12 there and 13 here; seed is 0 there"):
        Run(tmp_path, replace(CONFIG, instances=13, seed=1))


def test_folder_with_something_else_is_refused(tmp_path: Path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"is not empty and holds no run\.json"):
        Run(tmp_path, CONFIG)
    for manifest in ("[]", "{", '{"config": [], "plans": []}', '{"config": {}, "plans": [{}]}'):
        (tmp_path / "run.json").write_text(manifest)
        with pytest.raises(ValueError, match=r"is not a manifest|holds another run"):
            Run(tmp_path, CONFIG)


def test_log_with_episodes_of_another_run_is_refused(tmp_path: Path):
    play(Run(tmp_path / "a", CONFIG), stop_after=1)
    other = replace(CONFIG, seed=1_000)
    Run(tmp_path / "b", other)
    (tmp_path / "a" / "episodes.jsonl").rename(tmp_path / "b" / "episodes.jsonl")
    with pytest.raises(ValueError, match=r"which is not in its run\.json"):
        Run(tmp_path / "b", other)


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file locks")
def test_run_is_played_by_one_process_at_a_time(tmp_path: Path):
    run = Run(tmp_path, CONFIG)
    with EpisodeWriter(tmp_path / "episodes.jsonl"):
        with pytest.raises(BlockingIOError, match="is being written by another process"):
            play(run)
    assert len(play(run)) == 96


def test_manifest_is_there_before_the_first_episode(tmp_path: Path):
    Run(tmp_path, CONFIG)
    data = json.loads((tmp_path / "run.json").read_text())
    assert data["config"]["envs"] == list(CONFIG.envs)
    assert [len(plan["instances"]) for plan in data["plans"]] == [12, 12]
    assert not (tmp_path / "episodes.jsonl").exists()


def test_instances_are_distinct_and_repeated_ones_are_counted(few_rooms: str):
    plan = plan_instances(few_rooms, BenchConfig((few_rooms,), ("random",), 10))
    assert len(plan.instances) == 4
    assert plan.skipped >= 1_000
    env = gym.make(few_rooms, split="test").unwrapped
    goals = set()
    for instance_id in plan.instances:
        env.reset(seed=0, options={"instance_id": instance_id})
        goals.add(env.goal)  # type: ignore[attr-defined]
    assert goals == {1, 2, 3, 4}


def test_finite_world_is_played_once_through():
    config = BenchConfig(("x",), ("random",), 10, env_kwargs={"desc": ["SF", "FG"]})
    plan = plan_instances("ragen/FrozenLakeDeterministic-v0", config)
    assert plan.instances == ("given-0",)


def test_errors_are_in_no_score_and_are_played_again(few_rooms: str, tmp_path: Path):
    config = BenchConfig((few_rooms,), ("oracle",), 4, env_kwargs={"broken": True})
    run = Run(tmp_path, config)
    assert len(play(run)) == 4
    (row,) = run.summary()
    assert (row.errors, row.episodes, row.instances, row.missing) == (1, 3, 3, 0)
    assert row.success == 1.0
    again = play(Run(tmp_path, config))
    assert [episode.error for episode in again] == ["ServiceError: index is gone"]
    assert Run(tmp_path, config).summary() == [row]


def test_world_without_an_oracle_is_listed_and_not_played(few_rooms: str, tmp_path: Path):
    run = Run(tmp_path, BenchConfig((few_rooms,), ("oracle",), 4, env_kwargs={"oracle": False}))
    assert play(run) == []
    (row,) = run.summary()
    assert (row.note, row.success, row.missing) == ("the world has no oracle", None, 0)


def test_argument_that_the_world_does_not_take_is_the_users_mistake(tmp_path: Path):
    with pytest.raises(ValueError, match="colour"):
        Run(tmp_path / "a", replace(CONFIG, env_kwargs={"colour": "red"}))
    with pytest.raises(ValueError, match="split must be one of"):
        Run(tmp_path / "b", replace(CONFIG, split="dev"))
    assert list(tmp_path.iterdir()) == []


def test_row_says_what_the_episodes_say(tmp_path: Path):
    run = Run(tmp_path, replace(CONFIG, envs=("ragen/FrozenLake-v0",)))
    play(run)
    episodes = [e for e in read_episodes(tmp_path / "episodes.jsonl") if e.agent == "random"]
    row: Row = run.summary()[0]
    assert row.success == pytest.approx(np.mean([e.success for e in episodes]))
    assert row.mean_return == pytest.approx(np.mean([e.total_return for e in episodes]))
    assert row.mean_turns == pytest.approx(np.mean([len(e.turns) for e in episodes]))
    assert row.invalid_share == 0.0
    assert row.ci is not None
    assert row.ci[0] < row.success < row.ci[1]


def test_summary_has_no_nan(tmp_path: Path):
    run = Run(tmp_path, CONFIG)
    data = run.write_summary("interrupted")
    assert data["rows"][0]["success"] is None
    assert json.loads((tmp_path / "summary.json").read_text()) == data


def stop_by_signal(folder: Path, number: int, wait: float) -> subprocess.CompletedProcess[str]:
    """`ragen bench` into the folder, and a signal some seconds after its first episode."""
    command = [sys.executable, "-c", "from ragen_envs.cli import main; main()", "bench",
               "countdown", "frozenlake", "-n", "400", "-o", str(folder)]  # fmt: skip
    log = folder / "episodes.jsonl"
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs the tests in the background makes them ignore Ctrl-C.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as child:
        while not (log.exists() and log.stat().st_size):
            assert child.poll() is None
            time.sleep(0.01)
        time.sleep(wait)
        child.send_signal(number)
        output, errors = child.communicate()
    return subprocess.CompletedProcess(command, child.returncode, output, errors)


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_sums_up_and_says_how_to_go_on(tmp_path: Path, number: int):
    result = stop_by_signal(tmp_path / "run", number, 0.1)
    assert result.returncode == 130, result.stderr
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["ragen/FrozenLake-v0", "oracle", "-", "-", "-", "-", "-", "0"] in rows
    assert result.stderr.splitlines()[-1].startswith("ragen: interrupted. Finished episodes are")
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["status"] == "interrupted"


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("wait", [0.02, 0.2, 0.5])
def test_killed_run_loses_no_finished_episode(tmp_path: Path, wait: float):
    stop_by_signal(tmp_path / "run", signal.SIGKILL, wait)
    log = tmp_path / "run" / "episodes.jsonl"
    lines = log.read_bytes().count(b"\n")
    assert len(list(read_episodes(log))) == lines
    config = BenchConfig(
        ("ragen/Countdown-v0", "ragen/FrozenLake-v0"), ("random", "oracle"), instances=400
    )
    run = Run(tmp_path / "run", config)
    assert len(run.episodes) == lines
    assert len(play(run)) == 1600 - lines
    assert sum(row.missing for row in run.summary()) == 0
