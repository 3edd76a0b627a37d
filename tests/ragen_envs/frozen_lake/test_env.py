"""The rules of the world, on maps small enough to check by eye."""

from __future__ import annotations

import copy
import json
import os
import pickle
import re
import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import ragen_envs  # noqa: F401 (registers the ids)
from ragen_envs.frozen_lake import ACTIONS, FrozenLakeEnv
from ragen_envs.frozen_lake.env import vector_env
from ragen_envs.frozen_lake.lake import slip_probability

IDS = ("ragen/FrozenLake-v0", "ragen/FrozenLakeDeterministic-v0", "ragen/FrozenLakeLarge-v0")
WORLD_KEYS = {"intended_move": str, "executed_move": str, "moves_made": int, "shortest_path": int}


def still(*desc: str, **kwargs) -> FrozenLakeEnv:
    """An env on this map whose ice does not slip, already reset."""
    env = FrozenLakeEnv(desc=desc, success_rate=1.0, **kwargs)
    env.reset(seed=0)
    return env


def test_player_starts_on_the_start_of_the_map():
    assert still("FFG", "HSF").observe() == "__G\nOP_"


def test_each_action_moves_one_cell_in_its_direction():
    env = still("FFFG", "FSFF", "FFFF")
    seen = {}
    for action in ACTIONS:
        env.reset(seed=0)
        seen[action] = env.step(action)[0]
    assert seen == {
        "Left": "___G\nP___\n____",
        "Down": "___G\n____\n_P__",
        "Right": "___G\n__P_\n____",
        "Up": "_P_G\n____\n____",
    }


@pytest.mark.parametrize("action", ["Left", "left", " LEFT\n", "lEfT\t"])
def test_actions_are_compared_without_case_and_outer_blanks(action):
    info = still("FSG").step(action)[4]
    assert info["action_is_valid"] and info["intended_move"] == "Left"


@pytest.mark.parametrize("desc", [("SG",), ("S", "G"), ("SF", "FG")])
def test_move_over_the_edge_is_valid_and_without_effect(desc):
    env = still(*desc)
    before = env.observe()
    for action in ("Left", "Up"):
        observation, reward, terminated, _, info = env.step(action)
        assert (observation, reward, terminated) == (before, 0.0, False)
        assert info["action_is_valid"] and not info["action_is_effective"]
        assert info["executed_move"] == action


def test_reaching_the_goal_earns_one_and_ends_with_success():
    env = still("SG")
    observation, reward, terminated, truncated, info = env.step("Right")
    assert (observation, reward, terminated, truncated) == ("_√", 1.0, True, False)
    assert info["success"] and info["action_is_effective"]
    assert info["available_actions"] == ()
    with pytest.raises(ResetNeeded):
        env.step("Left")


def test_falling_into_a_hole_earns_nothing_and_ends_without_success():
    observation, reward, terminated, _, info = still("SG", "HF").step("Down")
    assert (observation, reward, terminated) == ("_G\nX_", 0.0, True)
    assert not info["success"] and info["action_is_effective"]


def test_any_of_several_goals_ends_the_episode():
    env = still("GSG")
    for action in ("Left", "Right"):
        env.reset(seed=0)
        assert env.step(action)[4]["success"]


def test_return_of_an_episode_is_one_with_success_and_zero_without():
    env = gym.make("ragen/FrozenLake-v0")
    rng = np.random.default_rng(0)
    for seed in range(40):
        env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            action = env.unwrapped.random_action(rng)
            _, reward, terminated, truncated, info = env.step(action)
            total += reward
            over = terminated or truncated
        assert total == float(info["success"])


@pytest.mark.parametrize("action", ["", "Jump", "Left Right", "Left.", "Lëft", "0", "\x00" * 99])
def test_invalid_action_is_a_step_that_changes_nothing(action):
    env = FrozenLakeEnv()
    before, start = env.reset(seed=3)
    stream = copy.deepcopy(env.chance.bit_generator.state)
    observation, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert observation == f"{info['invalid_reason']}\n\n{before}"
    assert "Left, Down, Right, Up" in info["invalid_reason"]
    assert not info["action_is_valid"] and not info["action_is_effective"]
    assert info["intended_move"] == info["executed_move"] == ""
    assert info["moves_made"] == start["moves_made"] + 1
    assert env.chance.bit_generator.state == stream


def test_invalid_actions_count_towards_the_limit():
    env = gym.make("ragen/FrozenLakeDeterministic-v0")
    env.reset(seed=0)
    flags = [env.step("nonsense")[2:4] for _ in range(10)]
    assert flags == [(False, False)] * 9 + [(False, True)]


def test_info_has_the_same_keys_and_types_at_reset_and_at_every_step():
    env = FrozenLakeEnv()
    _, info = env.reset(seed=1)
    kinds = {key: type(value) for key, value in info.items()}
    assert WORLD_KEYS.items() <= kinds.items()
    assert info["intended_move"] == info["executed_move"] == ""
    for action in ("Left", "nonsense", "Right"):
        info = env.step(action)[4]
        assert {key: type(value) for key, value in info.items()} == kinds


def test_info_tells_the_intended_and_the_executed_move():
    env = FrozenLakeEnv(desc=("FFF", "FSF", "FFG"), success_rate=0.5)
    step = {"Left": (0, -1), "Down": (1, 0), "Right": (0, 1), "Up": (-1, 0)}
    executed = []
    for seed in range(60):
        env.reset(seed=seed)
        observation, _, _, _, info = env.step("Up")
        down, right = step[info["executed_move"]]
        assert observation.split("\n")[1 + down][1 + right] == "P"
        assert info["intended_move"] == "Up"
        executed.append(info["executed_move"])
    assert sorted(set(executed)) == ["Left", "Right", "Up"]


def test_sure_footed_player_never_slips():
    env = still("FFF", "FSF", "FFG")
    assert not env.stochastic
    for seed in range(50):
        env.reset(seed=seed)
        assert env.step("Up")[4]["executed_move"] == "Up"


def test_slips_occur_with_the_stated_probabilities():
    # Against 6 standard deviations of the binomial: fails once in 10^9 on a right program.
    env = FrozenLakeEnv(desc=("FFF", "FSF", "FFG"), success_rate=0.8)
    env.reset(seed=0)
    count = dict.fromkeys(ACTIONS, 0)
    draws = 20_000
    for _ in range(draws):
        env._cell = 4
        env.act("Up")
        count[env.extra_info()["executed_move"]] += 1
    for action, probability in {"Up": 0.8, "Left": 0.1, "Right": 0.1, "Down": 0.0}.items():
        bound = 6 * (draws * probability * (1 - probability)) ** 0.5
        assert abs(count[action] - draws * probability) <= bound


def test_group_shares_the_map_and_slips_independently():
    env = FrozenLakeEnv(size=8, max_moves=100, frozen=1.0)
    first_seen, slips = [], []
    for seed in range(8):
        observation, info = env.reset(seed=seed, options={"instance_id": "train-5"})
        assert (info["instance_id"], info["seed"]) == ("train-5", seed)
        first_seen.append(observation)
        moves = []
        for _ in range(20):
            _, _, terminated, _, info = env.step("Left")
            moves.append(info["executed_move"])
            if terminated:
                break
        slips.append(tuple(moves))
    assert first_seen == [first_seen[0]] * 8
    assert len(dict.fromkeys(slips)) == 8


def test_episode_depends_on_seed_and_actions_only():
    def play(env, seed, actions):
        transcript = [env.reset(seed=seed)]
        for action in actions:
            transcript.append(env.step(action))
            if transcript[-1][2]:
                break
        return transcript

    actions = ["Up", "nonsense", "Left", "Right", "Down", "Down", "Right"]
    fresh, used = FrozenLakeEnv(), FrozenLakeEnv()
    play(used, 99, actions)
    used.optimal_success_probability()
    assert play(used, 7, actions) == play(fresh, 7, actions)


def test_other_seeds_give_other_maps():
    env = FrozenLakeEnv()
    seen = [env.reset(seed=seed)[0] for seed in range(50)]
    assert len(dict.fromkeys(seen)) > 45


def test_copies_and_pickles_go_on_alike():
    env = FrozenLakeEnv()
    env.reset(seed=4)
    env.solution()
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for action in ("Left", "Up", "Left", "Up"):
        expected = env.step(action)
        for twin in twins:
            assert twin.step(action) == expected
        if expected[2]:
            break


def test_pickle_carries_no_plan():
    env = FrozenLakeEnv(size=8, max_moves=1000)
    env.reset(seed=0)
    before = len(pickle.dumps(env))
    env.optimal_success_probability()
    assert len(pickle.dumps(env)) == before


def test_two_processes_with_different_hash_seeds_play_the_same():
    program = (
        "import json; from ragen_envs.frozen_lake import FrozenLakeEnv\n"
        "env = FrozenLakeEnv(size=8, max_moves=100); seen = []\n"
        "for seed in range(5):\n"
        "    seen.append(env.reset(seed=seed)); over = False\n"
        "    while not over:\n"
        "        seen.append(env.step(env.solution()[0])); over = seen[-1][2]\n"
        "print(json.dumps(seen))"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert len(json.loads(outputs[0])) > 20
    assert outputs[0] == outputs[1]


# What the model reads.


def lake_of_coordinates(text: str) -> str:
    """The grid that a list of coordinates stands for."""
    rows, columns = map(int, re.search(r"Size: (\d+) rows, (\d+) columns", text).groups())
    grid = [["_"] * columns for _ in range(rows)]
    for name, symbol in (("Holes", "O"), ("Goal", "G"), ("Player", "P")):
        line = re.search(rf"^{name}: (.*)$", text, re.MULTILINE)[1]
        for row, column in re.findall(r"\((\d+), (\d+)\)", line):
            grid[int(row)][int(column)] = symbol
        if name == "Player" and "in a hole" in line:
            grid[int(row)][int(column)] = "X"
        if name == "Player" and "on the goal" in line:
            grid[int(row)][int(column)] = "√"
    return "\n".join("".join(row) for row in grid)


@pytest.mark.parametrize("size", [4, (3, 5)])
def test_formats_hold_the_same_information(size):
    formats = ("grid", "coordinates", "grid+coordinates")
    envs = [FrozenLakeEnv(size=size, frozen=0.8, observation_format=name) for name in formats]
    rng = np.random.default_rng(0)
    endings = []
    for seed in range(30):
        for env in envs:
            env.reset(seed=seed)
        over = False
        while not over:
            action = ACTIONS[rng.integers(4)]
            (grid, _, over, _, _), (listed, *_), (both, *_) = [env.step(action) for env in envs]
            assert lake_of_coordinates(listed) == grid
            assert both == f"{grid}\n\n{listed}"
        endings.append("X" if "X" in grid else "√")
    assert sorted(set(endings)) == ["X", "√"]


def test_coordinates_count_rows_then_columns_from_zero():
    env = still("FFG", "FSH", observation_format="coordinates")
    assert env.observe() == ("Size: 2 rows, 3 columns\nPlayer: (1, 1)\nGoal: (0, 2)\nHoles: (1, 2)")
    assert "counted from 0" in env.instructions
    assert "(0, 0) is the top left cell and (1, 2) the bottom right one" in env.instructions


def test_lake_of_one_row_without_holes_says_so():
    env = still("SG", observation_format="coordinates")
    assert env.observe() == "Size: 1 row, 2 columns\nPlayer: (0, 0)\nGoal: (0, 1)\nHoles: none"
    assert "this lake of 1 row and 2 columns" in env.instructions


def test_own_symbols_replace_the_usual_ones_everywhere():
    symbols = {"player": "@", "frozen": "G", "goal": "*"}  # G no longer means the goal
    env = still("SFG", "FHF", symbols=symbols)
    assert env.observe() == "@G*\nGOG"
    for line in ("@ you, on the ice", "G frozen ice", "* the goal", "O a hole", "@G\nO*"):
        assert line in env.instructions
    assert "P you" not in env.instructions


@pytest.mark.parametrize("success_rate", [0.8, 1 / 3, 0.05, 0.999])
def test_instructions_state_the_true_probabilities(success_rate):
    text = FrozenLakeEnv(success_rate=success_rate).instructions
    stated = re.search(r"probability (\S+) you move .* probability (\S+) each you slip", text)
    ahead, side = map(float, stated.groups())
    assert ahead == pytest.approx(success_rate, rel=1e-5)
    assert side == pytest.approx(slip_probability(success_rate), rel=1e-5)
    assert ahead + 2 * side == pytest.approx(1.0, abs=1e-5)


def test_instructions_say_that_sure_ice_is_not_slippery():
    text = FrozenLakeEnv(success_rate=1.0).instructions
    assert "not slippery" in text and "probability" not in text


@pytest.mark.parametrize("name", ["grid", "coordinates", "grid+coordinates"])
@pytest.mark.parametrize("env_id", IDS)
def test_instructions_are_complete_and_fixed(env_id, name):
    env = gym.make(env_id, observation_format=name)
    text = env.get_wrapper_attr("instructions")
    size, limit = (8 if "Large" in env_id else 4), env.spec.max_episode_steps
    for fact in (*ACTIONS, f"{size} rows and {size} columns", f"at most {limit} moves", "reward"):
        assert fact in text
    assert ("one character per cell" in text) == ("grid" in name)
    assert ("counted from 0" in text) == ("coordinates" in name)
    assert "<" not in text
    env.reset(seed=0)
    env.step("Left")
    assert env.get_wrapper_attr("instructions") == text


def test_example_in_the_instructions_holds():
    env = still("SF", "HG")
    assert env.observe() in env.instructions
    assert not env.step("Right")[2] and env.step("Down")[4]["success"]
    env.reset(seed=0)
    assert env.step("Down")[0] == "__\nXG"


# Life in Gymnasium.


@pytest.mark.parametrize("env_id", IDS)
def test_gymnasium_finds_no_fault(env_id):
    check_env(gym.make(env_id, render_mode="ansi").unwrapped)


@pytest.mark.parametrize("env_id", IDS)
def test_max_moves_equals_the_registered_limit(env_id):
    env = gym.make(env_id)
    assert env.unwrapped.max_moves == env.spec.max_episode_steps


def test_vector_env_plays_as_single_envs_do():
    envs = vector_env(num_envs=3, max_episode_steps=30)
    observations, _ = envs.reset(seed=[5, 6, 7])
    single = FrozenLakeEnv()
    assert observations == tuple(single.reset(seed=seed)[0] for seed in (5, 6, 7))
    envs.close()


def test_ansi_renders_the_last_observation():
    env = FrozenLakeEnv(render_mode="ansi")
    env.reset(seed=0)
    observation = env.step("nonsense")[0]
    assert env.render() == observation


def test_without_render_mode_nothing_is_rendered():
    env = FrozenLakeEnv()
    with pytest.raises(ResetNeeded):
        env.render()
    env.reset(seed=0)
    assert env.render() is None


def test_rgb_array_shows_ice_hole_goal_and_player():
    env = still("SFH", "FFG", render_mode="rgb_array")
    image = env.render()
    assert image.shape == (64, 96, 3) and image.dtype == np.uint8
    centres = image[16::32, 16::32]
    assert len(np.unique(centres.reshape(-1, 3), axis=0)) == 4  # player, ice, hole, goal
    assert (centres[0, 1] == centres[1, 0]).all()
    env.step("Down")
    moved = env.render()[16::32, 16::32]
    assert (moved[1, 0] == centres[0, 0]).all() and (moved[0, 0] == centres[0, 1]).all()


def test_given_map_is_the_only_instance():
    env = FrozenLakeEnv(desc="4x4", split="test")
    for seed in (0, 1, 12):
        observation, info = env.reset(seed=seed)
        assert observation == "P___\n_O_O\n___O\nO__G"
        assert (info["instance_id"], info["split"]) == ("given-0", "given")
    env.reset(seed=3, options={"instance_id": "given-0"})
    with pytest.raises(ValueError, match="below given-1"):
        env.reset(options={"instance_id": "given-1"})


@pytest.mark.parametrize("ask", ["solution", "optimal_success_probability", "observe", "content"])
def test_asking_before_the_first_reset_is_an_error(ask):
    with pytest.raises(ResetNeeded, match="no lake yet"):
        getattr(FrozenLakeEnv(), ask)()


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"size": 1}, r"size must be in \[2, 32\], got 1"),
        ({"size": (4, 33)}, r"size must be in \[2, 32\], got 33"),
        ({"success_rate": 0}, r"success_rate must be in \(0, 1\], got 0"),
        ({"success_rate": 1.1}, r"success_rate must be in \(0, 1\], got 1.1"),
        ({"success_rate": float("nan")}, r"success_rate must be in \(0, 1\], got nan"),
        ({"frozen": -0.5}, r"frozen must be in \(0, 1\], got -0.5"),
        ({"min_distance": 0}, r"min_distance must be in \[1, 6\], got 0"),
        ({"min_distance": 7}, r"min_distance must be in \[1, 6\], got 7"),
        ({"min_distance": 3, "max_moves": 2}, r"min_distance must be in \[1, 2\], got 3"),
        ({"max_moves": 0}, r"max_moves must be in \[1, 1000\], got 0"),
        ({"observation_format": "coord"}, r"observation_format must be one of .*, got 'coord'"),
        ({"split": "given"}, "split must be one of"),
        ({"render_mode": "human"}, "render_mode must be one of"),
        ({"symbols": {"start": "S"}}, r"symbols must have names among .*, got 'start'"),
        ({"symbols": {"hole": "##"}}, r"symbols\['hole'\] must be one visible character, got '##'"),
        ({"symbols": {"hole": ""}}, r"symbols\['hole'\] must be one visible character, got ''"),
        ({"symbols": {"hole": " "}}, r"symbols\['hole'\] must be one visible character, got ' '"),
        ({"symbols": {"hole": "\n"}}, r"symbols\['hole'\] must be one visible character"),
        ({"symbols": {"hole": "P"}}, "symbols must be distinct, got 'P' for player and hole"),
    ],
)
def test_wrong_argument_names_itself_the_rule_and_the_value(kwargs, message):
    with pytest.raises(ValueError, match=message):
        FrozenLakeEnv(**kwargs)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"size": 4.0}, "size must be an int or"),
        ({"size": (4, 4, 4)}, "size must be an int or"),
        ({"size": ("4", 4)}, "size must be an int"),
        ({"size": True}, "size must be an int"),
        ({"success_rate": "0.8"}, "success_rate must be a number"),
        ({"frozen": None}, "frozen must be a number"),
        ({"min_distance": 2.0}, "min_distance must be an int"),
        ({"max_moves": None}, "max_moves must be an int"),
        ({"symbols": ["P"]}, "symbols must be a mapping"),
        ({"is_slippery": False}, "is_slippery"),
    ],
)
def test_argument_of_a_wrong_type_names_itself(kwargs, message):
    with pytest.raises(TypeError, match=message):
        FrozenLakeEnv(**kwargs)
