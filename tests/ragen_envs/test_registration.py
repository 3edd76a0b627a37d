"""Every registered id keeps the contract."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest

import ragen_envs
from ragen_envs.naming import open_world, resolve_env_id
from ragen_envs.registration import ENVIRONMENTS, register_envs
from ragen_envs.testing import check_text_env
from ragen_envs.transcripts import NOT_AN_ACTION, Event, apply, play, play_solution, start

IDS = [row.id for row in ENVIRONMENTS]
GOLDEN = Path(__file__).parents[1] / "golden"
SECTIONS = (
    "Task",
    "Actions",
    "Rewards",
    "Episode end",
    "Info",
    "Arguments",
    "Registered ids",
    "Real data",
    "Version history",
)


@pytest.mark.parametrize("env_id", IDS)
def test_env_keeps_the_contract(env_id: str):
    check_text_env(gym.make(env_id))


@pytest.mark.parametrize("env_id", IDS)
def test_bare_env_keeps_the_contract_on_the_test_split(env_id: str):
    check_text_env(gym.make(env_id, split="test").unwrapped)


def golden_lines(env_id: str) -> list[str]:
    """An invalid action, the solution, and random actions, all of seed 0, as JSON lines."""
    env = gym.make(env_id)
    first = start(env, 0)
    invalid = apply(env, NOT_AN_ACTION)
    parts = {
        "invalid": [first, invalid],
        "solution": play_solution(env, start(env, 0)),
        "random": play(env, 0),
    }
    lines = [json.dumps({"instructions": env.get_wrapper_attr("instructions")}, ensure_ascii=False)]
    for part, events in parts.items():
        lines += [_line(part, event) for event in events]
    return lines


def _line(part: str, event: Event) -> str:
    return json.dumps({"part": part, **event._asdict()}, ensure_ascii=False)


@pytest.mark.parametrize("env_id", IDS)
def test_golden_transcript_is_unchanged(env_id: str, update_golden: bool):
    path = GOLDEN / f"{env_id.removeprefix('ragen/')}.jsonl"
    lines = golden_lines(env_id)
    if update_golden:
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    golden = path.read_text(encoding="utf-8").split("\n")[:-1]
    assert lines == golden, "behaviour has changed: bump -vN, then pytest --update-golden"


def test_there_is_no_golden_file_without_an_id():
    assert {path.stem for path in GOLDEN.glob("*.jsonl")} == {i.removeprefix("ragen/") for i in IDS}


@pytest.mark.parametrize("row", ENVIRONMENTS, ids=IDS)
def test_worlds_prove_their_instances_for_the_limit_of_the_row(row: ragen_envs.registration.Row):
    parameters = inspect.signature(type(gym.make(row.id).unwrapped)).parameters
    if "max_moves" in parameters:
        max_moves = row.kwargs.get("max_moves", parameters["max_moves"].default)
        assert max_moves == row.max_episode_steps
    else:
        assert row.max_episode_steps is None


@pytest.mark.parametrize("env_id", IDS)
def test_docstring_has_its_parts_in_order(env_id: str):
    documentation = inspect.getdoc(type(gym.make(env_id).unwrapped)) or ""
    positions = [documentation.find(f"## {section}\n") for section in SECTIONS]
    assert -1 not in positions, dict(zip(SECTIONS, positions, strict=True))
    assert positions == sorted(positions)
    assert env_id in documentation


@pytest.mark.parametrize("env_id", IDS)
def test_docstring_shows_the_first_observation_of_its_first_id(env_id: str):
    env = gym.make(env_id)
    # White space aside: a docstring wraps long lines.
    documentation = " ".join((inspect.getdoc(type(env.unwrapped)) or "").split())
    if f"Seed 0 of `{env_id}`" in documentation:
        observation, _ = env.reset(seed=0)
        assert " ".join(observation.split()) in documentation
    else:
        assert "Seed 0 of `ragen/" in documentation


@pytest.mark.parametrize("env_id", IDS)
def test_docstring_declares_every_info_key(env_id: str):
    env = gym.make(env_id).unwrapped
    documentation = inspect.getdoc(type(env)) or ""
    env.reset(seed=0)
    for key in env.extra_info():  # type: ignore[attr-defined]
        assert f"`{key}`" in documentation


@pytest.mark.parametrize("env_id", IDS)
def test_instructions_never_name_the_wrappers_tags(env_id: str):
    text = gym.make(env_id).get_wrapper_attr("instructions")
    assert "<answer>" not in text
    assert "<think>" not in text


def test_rows_are_sorted_and_each_names_its_own_vector_env():
    assert sorted(IDS) == IDS
    for row in ENVIRONMENTS:
        assert row.vector == f"{row.world.partition(':')[0]}:vector_env"


def test_ids_exist_after_the_import_or_with_the_module_prefix():
    code = "import gymnasium as gym; gym.make('ragen_envs:ragen/Sokoban-v0').reset(seed=0)"
    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ))


def test_registering_twice_does_nothing():
    before = dict(gym.registry)
    register_envs()
    assert dict(gym.registry) == before


@pytest.mark.parametrize(
    ("name", "env_id"),
    [
        ("sokoban", "ragen/Sokoban-v0"),
        ("SokobanHard", "ragen/SokobanHard-v0"),
        ("sokoban-hard", "ragen/SokobanHard-v0"),
        ("frozen_lake", "ragen/FrozenLake-v0"),
        ("ragen/Countdown-v0", "ragen/Countdown-v0"),
        ("CartPole-v1", "CartPole-v1"),
        ("my_worlds:mine/World-v0", "my_worlds:mine/World-v0"),
    ],
)
def test_short_names_mean_their_id(name: str, env_id: str):
    assert resolve_env_id(name) == env_id


def test_misspelt_name_gets_a_suggestion():
    with pytest.raises(ValueError, match="Did you mean 'ragen/Sokoban-v0'"):
        resolve_env_id("sokobn")
    with pytest.raises(ValueError, match=r"no environment 'zzz'\. See: ragen envs"):
        resolve_env_id("zzz")


@pytest.mark.parametrize(
    ("name", "kwargs", "message"),
    [
        ("CartPole-v1", {}, "CartPole-v1 is no text world"),
        ("no_such_module:mine/World-v0", {}, "there is no module 'no_such_module'"),
        ("ragen_envs:ragen/NoSuch-v0", {}, "NoSuch"),
        ("sokoban", {"colour": "red"}, "unexpected keyword argument 'colour'$"),
        ("sokoban", {"num_boxes": 2.5}, "num_boxes must be an int, got 2.5$"),
    ],
)
def test_world_that_cannot_be_opened_says_why_in_one_sentence(
    name: str, kwargs: dict[str, object], message: str
):
    with pytest.raises(ValueError, match=message):
        open_world(name, **kwargs)
