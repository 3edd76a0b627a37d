"""The oracle, against brute force, against closed forms and in play."""

from __future__ import annotations

from functools import cache
from math import sqrt

import gymnasium as gym
import numpy as np
import pytest

import ragen_envs  # noqa: F401 (registers the ids)
from ragen_envs.frozen_lake import ACTIONS, FrozenLakeEnv
from ragen_envs.frozen_lake.lake import read_lake
from ragen_envs.frozen_lake.planner import plan

STEPS = {"Left": (0, -1), "Down": (1, 0), "Right": (0, 1), "Up": (-1, 0)}
SIDES = {"Left": "UpDown", "Right": "UpDown", "Up": "LeftRight", "Down": "LeftRight"}


def brute_force(desc, success_rate):
    """The best success probability from (row, column) in n moves, straight from the rules."""

    def moved(row, column, name):
        down, right = STEPS[name]
        inside = 0 <= row + down < len(desc) and 0 <= column + right < len(desc[0])
        return (row + down, column + right) if inside else (row, column)

    @cache
    def best(row, column, moves):
        if desc[row][column] in "HG" or moves == 0:
            return float(desc[row][column] == "G")
        return max(value(row, column, moves, name) for name in STEPS)

    def value(row, column, moves, name):
        total = success_rate * best(*moved(row, column, name), moves - 1)
        for side in STEPS:
            if side in SIDES[name]:
                total += (1 - success_rate) / 2 * best(*moved(row, column, side), moves - 1)
        return total

    return best, value


@pytest.mark.parametrize("success_rate", [1.0, 0.8, 1 / 3, 0.1])
@pytest.mark.parametrize("desc", [("SFF", "FHF", "FFG"), ("SFHG", "FFFF"), ("GFSFFG", "HFFFHF")])
def test_plan_equals_brute_force_in_value_and_in_every_action(desc, success_rate):
    best, value = brute_force(desc, success_rate)
    lake = read_lake(desc, 12)
    for moves in range(1, 13):
        made = plan(lake, success_rate, moves)
        for cell in range(lake.rows * lake.columns):
            row, column = divmod(cell, lake.columns)
            assert made.success[cell] == pytest.approx(best(row, column, moves), abs=1e-12)
            if lake.letter(cell) not in "HG":
                chosen = ACTIONS[made.direction(cell, moves)]
                assert value(row, column, moves, chosen) == pytest.approx(
                    best(row, column, moves), abs=1e-12
                )


def test_straight_lake_between_walls_has_the_closed_form():
    # One row: slips to the sides run into the edge, so k moves succeed unless all of them slip.
    lake = read_lake(("SG",), 5)
    assert plan(lake, 0.8, 5).success[0] == pytest.approx(1 - 0.2**5)


def test_sure_ice_is_certain_exactly_within_reach():
    env = FrozenLakeEnv(desc=("SFFFG",), success_rate=1.0, max_moves=4)
    env.reset(seed=0)
    assert env.optimal_success_probability() == 1.0
    assert plan(env.lake, 1.0, 3).success[0] == 0.0


@pytest.mark.parametrize("size", [4, 8])
def test_plan_on_sure_ice_is_a_shortest_path_that_wins(size):
    env = FrozenLakeEnv(size=size, success_rate=1.0, frozen=0.8, max_moves=30)
    for seed in range(100):
        _, info = env.reset(seed=seed)
        actions = env.solution()
        assert len(actions) == info["shortest_path"]
        outcomes = [env.step(action) for action in actions]
        assert [outcome[2] for outcome in outcomes] == [False] * (len(actions) - 1) + [True]
        assert outcomes[-1][4]["success"]


def test_plan_is_made_again_from_where_the_player_is():
    env = FrozenLakeEnv(desc=("FFSFFG",), success_rate=1.0)
    env.reset(seed=0)
    env.step("Left")
    assert env.solution() == ["Right"] * 4


def test_too_few_moves_left_still_head_for_the_goal():
    env = FrozenLakeEnv(desc=("SFF", "HHF", "GFF"), success_rate=1.0, max_moves=6)
    env.reset(seed=0)
    for _ in range(9):  # more than max_moves: the limit is TimeLimit's, not the world's
        env.step("nonsense")
        assert env.solution() == ["Right", "Right", "Down", "Down", "Left", "Left"]


def test_slippery_plan_survives_the_end_of_its_horizon():
    env = FrozenLakeEnv(desc=("SFFF", "FFFF", "FFFG"), success_rate=0.9, max_moves=6)
    env.reset(seed=0)
    for _ in range(12):
        env.step("nonsense")
        assert env.solution() in (["Right"], ["Down"])


def test_slippery_plan_keeps_away_from_the_hole():
    # Towards the wall, the player cannot slip into the hole below; the goal is to the right.
    env = FrozenLakeEnv(desc=("FSG", "FHF"), success_rate=0.5, max_moves=100)
    env.reset(seed=0)
    assert env.solution() == ["Up"]


def test_solution_of_slippery_ice_ignores_the_chance_stream():
    env = FrozenLakeEnv()
    env.reset(seed=1)
    state = env.chance.bit_generator.state
    first = env.solution()
    assert len(first) == 1 and env.solution() == first
    assert env.chance.bit_generator.state == state


@pytest.mark.parametrize(("desc", "action"), [(("SG",), "Right"), (("SG", "HF"), "Down")])
def test_no_solution_once_it_is_over(desc, action):
    env = FrozenLakeEnv(desc=desc, success_rate=1.0)
    env.reset(seed=0)
    assert env.step(action)[2]
    assert env.solution() is None


def test_success_probability_is_that_of_the_start_throughout_the_episode():
    env = FrozenLakeEnv(size=8, max_moves=100)
    _, info = env.reset(seed=2)
    at_start = env.optimal_success_probability()
    env.step("Left")
    env.step("nonsense")
    assert env.optimal_success_probability() == at_start
    assert not any("probab" in key or "optim" in key for key in info)


def test_plans_are_made_once_per_map():
    env, other = FrozenLakeEnv(), FrozenLakeEnv()
    for each in (env, other):
        each.reset(seed=11)
    plan.cache_clear()
    for each in (env, other):
        each.optimal_success_probability()
        each.solution()
    assert plan.cache_info().misses == 1


def test_cached_plan_cannot_be_changed():
    made = plan(read_lake("4x4", 30), 0.8, 30)
    for array in (made.directions, made.success):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def wilson(successes: int, trials: int, z: float) -> tuple[float, float]:
    """Wilson's score interval (1927) of a binomial proportion."""
    share = successes / trials
    centre = share + z * z / (2 * trials)
    half = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return (centre - half) / scale, (centre + half) / scale


def play_oracle(env_id: str, episodes: int, **kwargs) -> tuple[int, float]:
    """Number of successes of the oracle, and the mean of the optimal probabilities."""
    env = gym.make(env_id, **kwargs)
    successes, optimal = 0, []
    for seed in range(episodes):
        env.reset(seed=seed)
        optimal.append(env.unwrapped.optimal_success_probability())
        over = False
        while not over:
            _, _, terminated, truncated, info = env.step(env.unwrapped.solution()[0])
            over = terminated or truncated
        successes += info["success"]
    return successes, float(np.mean(optimal))


@pytest.mark.parametrize(
    ("env_id", "kwargs"),
    [
        ("ragen/FrozenLake-v0", {}),
        ("ragen/FrozenLake-v0", {"success_rate": 1 / 3, "frozen": 0.7}),
        ("ragen/FrozenLakeLarge-v0", {}),
    ],
)
def test_oracle_succeeds_as_often_as_it_says(env_id, kwargs):
    successes, optimal = play_oracle(env_id, 320, **kwargs)
    low, high = wilson(successes, 320, z=2.5758)  # 99%
    assert low <= optimal <= high


def test_oracle_always_succeeds_on_sure_ice():
    assert play_oracle("ragen/FrozenLakeDeterministic-v0", 300) == (300, 1.0)


def test_random_player_succeeds_less_often_than_the_oracle():
    env = gym.make("ragen/FrozenLake-v0")
    rng = np.random.default_rng(0)
    successes = 0
    for seed in range(300):
        env.reset(seed=seed)
        over = False
        while not over:
            action = env.unwrapped.random_action(rng)
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        successes += info["success"]
    assert wilson(successes, 300, z=2.5758)[1] < play_oracle("ragen/FrozenLake-v0", 300)[1]
