"""Evaluation: agents play worlds, each episode is on disk when it ends, and rows sum them up."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from statistics import fmean
from typing import Any

import gymnasium as gym
import numpy as np

from agent import Agent, Episode, EpisodeWriter, iter_episodes, load_agent, read_episodes
from benchmarks.statistics import success_rate
from ragen_envs import __version__
from ragen_envs.naming import open_world

SCHEMA = 1
MAX_REPEATED = 1_000
CI_METHOD = "Wilson on the effective sample size, 95%"


@dataclass(frozen=True, slots=True)
class BenchConfig:
    """What is played; two runs of equal configs have equal episodes.

    Attributes:
        envs: Gymnasium ids.
        agents: Names that `agent.load_agent` takes.
        instances: Distinct instances per world.
        repeats: Episodes per instance and agent.
        seed: Run seed; instances are those of the seeds `seed`, `seed + 1`, ...
        split: Split of the instances.
        env_kwargs: Constructor arguments for every world.
    """

    envs: tuple[str, ...]
    agents: tuple[str, ...]
    instances: int = 128
    repeats: int = 1
    seed: int = 0
    split: str = "test"
    env_kwargs: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The config as JSON, with the version that decides what the worlds do."""
        data = asdict(self) | {"env_kwargs": dict(self.env_kwargs or {}), "version": __version__}
        return dict(json.loads(json.dumps(data)))


@dataclass(frozen=True, slots=True)
class Plan:
    """Instances of one world that a run plays.

    Attributes:
        env: Gymnasium id.
        instances: Distinct instance ids.
        skipped: Seeds left out since their content was played already.
        no_solution: The world has no oracle.
    """

    env: str
    instances: tuple[str, ...]
    skipped: int
    no_solution: bool


@dataclass(frozen=True, slots=True)
class Row:
    """Scores of one agent on one world; a number that is not known is None.

    Episodes with an error are left out of all scores and counted in `errors`.

    Attributes:
        env: Gymnasium id.
        agent: Name of the agent.
        instances: Instances with at least one scored episode.
        repeats: Episodes per instance.
        skipped_instances: Seeds left out since their content was played already.
        episodes: Episodes scored.
        missing: Episodes not played, because the run was cut short.
        errors: Episodes in which a world or service failed.
        success: Mean over instances of the share of episodes solved.
        ci: 95% interval of it.
        ci_method: How it was computed.
        mean_return: Mean over episodes of world rewards plus format penalties.
        mean_turns: Mean number of replies.
        invalid_share: Replies that were malformed or held an invalid action, of all replies.
        note: Why the row was not played, "".
    """

    env: str
    agent: str
    instances: int
    repeats: int
    skipped_instances: int
    episodes: int
    missing: int
    errors: int
    success: float | None
    ci: tuple[float, float] | None
    ci_method: str
    mean_return: float | None
    mean_turns: float | None
    invalid_share: float | None
    note: str


class ConfigMismatch(ValueError):
    """The folder holds a run of another config."""


def plan_instances(env_id: str, config: BenchConfig) -> Plan:
    """Choose distinct instances, by the seeds in order.

    Stops early where a world has no more: its items are used up, or `MAX_REPEATED` seeds in a row
    gave content that was there already.

    Raises:
        ValueError: The world does not take the arguments.
    """
    env = open_world(env_id, split=config.split, **(config.env_kwargs or {}))
    limit = env.get_wrapper_attr("num_instances") if env.has_wrapper_attr("num_instances") else None
    # A text env that is no TextEnv may not tell its content: then all instances are distinct.
    content_of = env.get_wrapper_attr("content") if env.has_wrapper_attr("content") else None
    chosen: dict[str, str] = {}
    repeated = skipped = 0
    seed = config.seed
    no_solution = False
    while len(chosen) < config.instances and repeated < MAX_REPEATED:
        if limit is not None and seed - config.seed >= limit:
            break
        _, info = env.reset(seed=seed)
        content = content_of() if content_of is not None else info["instance_id"]
        seed += 1
        if content in chosen:
            repeated += 1
            skipped += 1
            continue
        if not chosen:
            no_solution = env.get_wrapper_attr("solution")() is None
        chosen[content] = info["instance_id"]
        repeated = 0
    env.close()
    return Plan(env_id, tuple(chosen.values()), skipped, no_solution)


class Run:
    """A run folder: `run.json` first, then `episodes.jsonl` line by line, then `summary.json`.

    Args:
        folder: Made if there is none. A folder with a run of an equal config is resumed.
        config: What to play.

    Raises:
        ConfigMismatch: The folder holds a run of another config; the message has the difference.
        ValueError: The folder holds something else, or a world does not take the arguments.
    """

    def __init__(self, folder: str | Path, config: BenchConfig) -> None:
        self.folder = Path(folder)
        self.config = config
        manifest = self.folder / "run.json"
        if manifest.exists():
            self.plans = self._resume(manifest)
        else:
            if self.folder.exists() and any(self.folder.iterdir()):
                raise ValueError(f"{self.folder} is not empty and holds no run.json")
            self.plans = [plan_instances(env, config) for env in config.envs]
            self.folder.mkdir(parents=True, exist_ok=True)
            _write_json(manifest, self._manifest())
        self._planned = {(plan.env, i) for plan in self.plans for i in plan.instances}
        self.episodes: dict[tuple[str, str, str, int], Episode] = {}
        log = self.folder / "episodes.jsonl"
        if log.exists():
            for episode in read_episodes(log):
                self._keep(episode)

    def _keep(self, episode: Episode) -> None:
        if (episode.env_id, episode.instance_id) not in self._planned:
            raise ValueError(
                f"{self.folder} holds an episode of {episode.env_id}, {episode.instance_id}, which "
                "is not in its run.json"
            )
        key = (episode.env_id, episode.agent, episode.instance_id, episode.member)
        self.episodes[key] = episode

    def _manifest(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "command": "bench",
            "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "config": self.config.to_dict(),
            "versions": {
                "ragen-envs": __version__,
                "gymnasium": gym.__version__,
                "numpy": np.__version__,
                "python": platform.python_version(),
            },
            "plans": [asdict(plan) for plan in self.plans],
        }

    def _resume(self, manifest: Path) -> list[Plan]:
        try:
            data = json.loads(manifest.read_text(encoding="utf-8"))
            there = dict(data["config"])
            plans = [
                Plan(**{**plan, "instances": tuple(plan["instances"])}) for plan in data["plans"]
            ]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{manifest} is not a manifest of a bench run: {error}") from error
        here = self.config.to_dict()
        different = [
            f"{key} is {there.get(key)} there and {here.get(key)} here"
            for key in sorted(here.keys() | there.keys())
            if there.get(key) != here.get(key)
        ]
        if different:
            raise ConfigMismatch(f"{self.folder} holds another run: {'; '.join(different)}")
        return plans

    @property
    def total(self) -> int:
        """Number of episodes of the whole run."""
        return sum(
            len(plan.instances) * self.config.repeats
            for plan in self.plans
            for agent in self.config.agents
            if not _note(plan, agent)
        )

    def play(self, workers: int | None, progress: Callable[[Episode], None]) -> None:
        """Play what is missing, or failed before; each episode is on disk before the next one.

        Args:
            workers: Threads that step worlds.
            progress: Called with each finished episode.

        Raises:
            BlockingIOError: Another process is playing this run.
        """
        with EpisodeWriter(self.folder / "episodes.jsonl") as writer:
            for plan in self.plans:
                for name in self.config.agents:
                    if _note(plan, name):
                        continue
                    for episode in self._row_episodes(plan, load_agent(name), name, workers):
                        writer.write(episode)
                        self._keep(episode)
                        progress(episode)

    def _row_episodes(
        self, plan: Plan, agent: Agent, name: str, workers: int | None
    ) -> Iterator[Episode]:
        done = [
            (key[2], key[3])
            for key, episode in self.episodes.items()
            if key[:2] == (plan.env, name) and not episode.error
        ]
        return iter_episodes(
            plan.env,
            agent,
            plan.instances,
            self.config.repeats,
            env_kwargs={"split": self.config.split, **(self.config.env_kwargs or {})},
            seed=self.config.seed,
            done=done,
            workers=workers,
        )

    def summary(self) -> list[Row]:
        """One row for each world and agent, from the episodes so far."""
        return [self._row(plan, agent) for plan in self.plans for agent in self.config.agents]

    def write_summary(self, status: str) -> dict[str, Any]:
        """Write `summary.json` and return what it holds."""
        data = {
            "schema": SCHEMA,
            "command": "bench",
            "run_dir": str(self.folder),
            "status": status,
            "rows": [asdict(row) for row in self.summary()],
        }
        _write_json(self.folder / "summary.json", data)
        return dict(json.loads(json.dumps(data)))

    def _row(self, plan: Plan, agent: str) -> Row:
        by_instance: dict[str, list[Episode]] = {i: [] for i in plan.instances}
        errors = 0
        for key, episode in self.episodes.items():
            if key[:2] != (plan.env, agent):
                continue
            if episode.error:
                errors += 1
            else:
                by_instance[key[2]].append(episode)
        groups = [episodes for episodes in by_instance.values() if episodes]
        episodes = [episode for group in groups for episode in group]
        note = _note(plan, agent)
        expected = 0 if note else len(plan.instances) * self.config.repeats
        rate = (
            success_rate([[float(e.success) for e in group] for group in groups])
            if groups
            else None
        )
        return Row(
            env=plan.env,
            agent=agent,
            instances=len(groups),
            repeats=self.config.repeats,
            skipped_instances=plan.skipped,
            episodes=len(episodes),
            missing=max(0, expected - len(episodes) - errors),
            errors=errors,
            success=None if rate is None else rate.mean,
            ci=None if rate is None else (rate.low, rate.high),
            ci_method=CI_METHOD,
            mean_return=_mean([episode.total_return for episode in episodes]),
            mean_turns=_mean([float(len(episode.turns)) for episode in episodes]),
            invalid_share=_invalid_share(episodes),
            note=note,
        )


def _note(plan: Plan, agent: str) -> str:
    if agent == "oracle" and plan.no_solution:
        return "the world has no oracle"
    return "" if plan.instances else "the split has no instance"


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _invalid_share(episodes: Sequence[Episode]) -> float | None:
    turns = [turn for episode in episodes for turn in episode.turns]
    return _mean([float(bool(turn.invalid_reason)) for turn in turns])


def _write_json(path: Path, data: dict[str, Any]) -> None:
    """Write a file that is either the old or the new one, also when the process is killed."""
    partial = path.with_name(path.name + ".partial")
    with open(partial, "w", encoding="utf-8") as file:
        json.dump(data, file, indent=2, allow_nan=False)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
