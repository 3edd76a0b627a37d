"""Maps: Gymnasium's dynamics on them, what users may give, and what is drawn at random."""

from __future__ import annotations

import inspect
from collections import deque

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.toy_text import frozen_lake as gymnasium_lake

import ragen_envs  # noqa: F401 (registers the ids)
from ragen_envs.frozen_lake import ACTIONS, MAPS, FrozenLakeEnv, Lake, transitions
from ragen_envs.frozen_lake.lake import executed_direction, read_lake
from ragen_envs.splits import SPLITS, split_of

IDS = ("ragen/FrozenLake-v0", "ragen/FrozenLakeDeterministic-v0", "ragen/FrozenLakeLarge-v0")


def walk(lake: Lake) -> int | None:
    """Length of the shortest path, by a search that shares nothing with the one under test."""
    rows = lake.text.split("\n")
    cells = {(r, c): letter for r, row in enumerate(rows) for c, letter in enumerate(row)}
    start = next(cell for cell, letter in cells.items() if letter == "S")
    queue, seen = deque([(start, 0)]), {start}
    while queue:
        (r, c), distance = queue.popleft()
        if cells[r, c] == "G":
            return distance
        for cell in ((r, c - 1), (r + 1, c), (r, c + 1), (r - 1, c)):
            if cells.get(cell, "H") != "H" and cell not in seen:
                seen.add(cell)
                queue.append((cell, distance + 1))
    return None


def test_named_maps_are_gymnasiums():
    assert {name: list(rows) for name, rows in MAPS.items()} == gymnasium_lake.MAPS


@pytest.mark.parametrize("name", sorted(MAPS))
def test_dynamics_at_one_third_equal_gymnasiums_transition_table(name):
    table = gym.make("FrozenLake-v1", map_name=name).unwrapped.P
    lake = read_lake(name, 30)
    for cell in range(lake.rows * lake.columns):
        for action in range(4):
            assert_same(transitions(lake, 1 / 3, cell, action), table[cell][action])


def assert_same(ours, theirs):
    """Equal transitions; older Gymnasium writes 1 - 2 * slip where newer writes the rate itself."""
    assert [row[1:] for row in ours] == [row[1:] for row in theirs]
    assert [row[0] for row in ours] == pytest.approx([row[0] for row in theirs], abs=1e-12)


@pytest.mark.skipif(
    "success_rate" not in inspect.signature(gymnasium_lake.FrozenLakeEnv).parameters,
    reason="this Gymnasium has no success_rate",
)
@pytest.mark.parametrize("success_rate", [0.8, 0.5, 1.0])
def test_dynamics_of_any_map_and_rate_equal_gymnasiums(success_rate):
    desc = ["FFHFS", "FHFFF", "FFFGF"]
    table = gym.make(
        "FrozenLake-v1", desc=desc, is_slippery=success_rate < 1, success_rate=success_rate
    ).unwrapped.P
    lake = read_lake(desc, 30)
    for cell in range(15):
        for action in range(4):
            assert_same(transitions(lake, success_rate, cell, action), table[cell][action])


class Scripted:
    """A stand-in for the chance stream that deals the given numbers."""

    def __init__(self, *numbers):
        self.numbers = deque(numbers)

    def random(self):
        return self.numbers.popleft()


@pytest.mark.parametrize("name", sorted(MAPS))
def test_what_the_env_plays_equals_gymnasiums_transition_table(name):
    # One number from each third of [0, 1), in the order of the table: side, intended, side.
    env = FrozenLakeEnv(desc=name, success_rate=1 / 3)
    table = gym.make("FrozenLake-v1", map_name=name).unwrapped.P
    env.reset(seed=0)
    for cell in range(env.lake.rows * env.lake.columns):
        if env.lake.letter(cell) in "HG":
            continue
        for action in range(4):
            played = []
            for number in (3 / 6, 1 / 6, 5 / 6):
                env._chance, env._cell = Scripted(number), cell
                outcome = env.act(ACTIONS[action])
                played.append((env._cell, outcome.reward, outcome.terminated))
            assert played == [entry[1:] for entry in table[cell][action]]


@pytest.mark.parametrize("success_rate", [1 / 3, 0.8, 0.31, 1.0])
def test_share_of_draws_that_moves_each_way_is_its_probability(success_rate):
    draws = (np.arange(10_000) + 0.5) / 10_000
    executed = [executed_direction(0, success_rate, draw) for draw in draws]
    shares = np.bincount(executed, minlength=4) / 10_000
    slip = (1 - success_rate) / 2
    assert shares == pytest.approx([success_rate, slip, 0.0, slip], abs=2e-4)


def test_smallest_and_largest_draw_never_slip_on_sure_ice():
    assert executed_direction(2, 1.0, 0.0) == executed_direction(2, 1.0, 1 - 2**-53) == 2


@pytest.mark.parametrize(
    "desc",
    [
        ["SG"],
        ["S", "F", "G"],
        ["FFF", "FSF", "GFF"],
        ["FFFFFFFFFFFS", "HHHHHHHHHHHF", "GFFFFFFFFFFF"],
        ["GFSFG"],
        ("SFFF", "FHFH", "FFFH", "HFFG"),
    ],
)
def test_any_rectangular_map_is_taken(desc):
    env = FrozenLakeEnv(desc=desc)
    _, info = env.reset(seed=0)
    assert env.content().split("\n") == list(desc)
    assert info["shortest_path"] == walk(env.lake)


@pytest.mark.parametrize(
    ("desc", "message"),
    [
        ([], r"desc must have at least one row, got \[\]"),
        (["", ""], r"desc\[0\] must have at least one letter, got ''"),
        (["SFF", "FFFG"], r"desc\[1\] must have 3 letters as desc\[0\] has, got 'FFFG'"),
        (["SFF", "FXG"], r"desc\[1\] must have only the letters S, F, H and G, got 'FXG'"),
        (["SFg"], r"desc\[0\] must have only the letters S, F, H and G, got 'SFg'"),
        (["SF\nG"], r"desc\[0\] must have only the letters S, F, H and G"),
        (["FFF", "FFG"], r"desc must have exactly one S \(start\), got none in"),
        (["SFF", "FSG"], r"desc must have exactly one S \(start\), got 2 in rows \[0, 1\]"),
        (["SFF"], r"desc must have at least one G \(goal\), got none in \['SFF'\]"),
        (["SHG"], r"desc must have a path from S to G, got none in \['SHG'\]"),
        (["SFFG"], r"path from S to G of at most max_moves=2 moves, got 3 in \['SFFG'\]"),
        ("5x5", r"desc must be one of \['4x4', '8x8'\], got '5x5'"),
    ],
)
def test_map_with_a_fault_is_refused_by_row_rule_and_value(desc, message):
    with pytest.raises(ValueError, match=message):
        FrozenLakeEnv(desc=desc, max_moves=2)


@pytest.mark.parametrize("desc", [7, [["S", "G"]], [b"SG"]])
def test_map_of_a_wrong_type_is_refused(desc):
    with pytest.raises(TypeError, match="desc"):
        FrozenLakeEnv(desc=desc)


@pytest.mark.parametrize("env_id", IDS)
def test_every_map_has_a_path_within_the_limit(env_id):
    env = gym.make(env_id)
    for seed in range(300):
        _, info = env.reset(seed=seed)
        lake = env.unwrapped.lake
        assert walk(lake) == info["shortest_path"] == lake.distances()[lake.start]
        assert 2 <= info["shortest_path"] <= env.spec.max_episode_steps


def test_short_limit_leaves_no_map_with_a_longer_path():
    env = FrozenLakeEnv(size=6, frozen=0.6, max_moves=5, min_distance=4)
    lengths = [env.reset(seed=seed)[1]["shortest_path"] for seed in range(100)]
    assert sorted(set(lengths)) == [4, 5]


@pytest.mark.parametrize("min_distance", [1, 2, 5, 6])
def test_start_and_goal_are_apart_and_anywhere(min_distance):
    env = FrozenLakeEnv(min_distance=min_distance)
    starts, distances = [], []
    for seed in range(400):
        env.reset(seed=seed)
        (goal,) = env.lake.goals
        starts.append(env.lake.start)
        (r, c), (s, d) = divmod(env.lake.start, 4), divmod(goal, 4)
        distances.append(abs(r - s) + abs(c - d))
    assert min(distances) == min_distance
    assert len(set(starts)) == (4 if min_distance == 6 else 12 if min_distance == 5 else 16)


def test_cells_are_frozen_with_the_given_probability():
    # Maps are kept only with a path, which at 0.9 on 8x8 favours ice by less than 0.01.
    env = FrozenLakeEnv(size=8, max_moves=100)
    holes = [len(env.lake.holes) for seed in range(1000) if env.reset(seed=seed)]
    assert np.mean(holes) / 62 == pytest.approx(0.1, abs=0.01)


def test_rectangular_maps_are_drawn_in_their_shape():
    observation, _ = FrozenLakeEnv(size=(2, 7)).reset(seed=0)
    assert [len(row) for row in observation.split("\n")] == [7, 7]


def test_splits_share_no_map():
    contents = {}
    for split in SPLITS:
        env = FrozenLakeEnv(split=split)
        contents[split] = set()
        for seed in range(2_000):
            env.reset(seed=seed)
            assert split_of(env.content()) == split
            contents[split].add(env.content())
    train, validation, test = (contents[split] for split in SPLITS)
    assert train.isdisjoint(validation | test) and validation.isdisjoint(test)
    assert min(len(found) for found in contents.values()) > 1_000


def test_arguments_that_leave_no_path_are_named_at_construction():
    with pytest.raises(ValueError, match=r"frozen must be larger .*max_moves=14 .*frozen=0.01"):
        FrozenLakeEnv(size=8, frozen=0.01, min_distance=14, max_moves=14)


def test_arguments_that_leave_a_split_empty_are_named_at_construction():
    # Opposite corners of a 3x3 lake without holes make four maps, none of them for validation.
    with pytest.raises(ValueError, match=r"size=\(3, 3\) with frozen=1.0 and min_distance=4"):
        FrozenLakeEnv(size=3, frozen=1.0, min_distance=4, split="validation")
