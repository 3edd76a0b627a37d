"""CountdownEnv."""

from __future__ import annotations

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import ragen_envs
from ragen_envs.countdown import judge_expression
from ragen_envs.countdown.env import CountdownEnv, vector_env
from ragen_envs.splits import split_of

IDS = ["ragen/Countdown-v0", "ragen/CountdownHard-v0"]
GIVEN = [([3, 3, 8, 8], 24), ([2, 5, 3], 4), ([6, 4], 2)]
INVALID = ["", "?", "8 + 8", "24", "3 + 3 + 8 + 8 + 0", "2 ** 3", "8 / (3 - 3) + 8", "\ud800"]


def playing(max_attempts=1, index=0):
    env = CountdownEnv(puzzles=GIVEN, max_attempts=max_attempts)
    env.reset(options={"instance_id": f"given-{index}"})
    return env


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_oracle_solves_every_instance(env_id, split):
    env = gym.make(env_id, split=split)
    for seed in range(100):
        observation, info = env.reset(seed=seed)
        plan = env.unwrapped.solution()
        assert len(plan) == 1
        assert plan[0] not in observation
        assert plan[0] not in map(str, info.values())
        assert judge_expression(plan[0], info["numbers"], info["target"]) == "correct"
        assert split_of(env.unwrapped.content()) == split
        _, reward, terminated, truncated, info = env.step(plan[0])
        assert (reward, terminated, truncated, info["success"]) == (1.0, True, False, True)
        assert env.unwrapped.solution() is None


def test_observation_shows_target_and_numbers():
    env = playing()
    assert env.observe() == "Target: 24\nNumbers: 3, 3, 8, 8"


def test_observation_counts_attempts_where_there_are_several():
    env = playing(max_attempts=3)
    assert env.observe() == "Target: 24\nNumbers: 3, 3, 8, 8\nAttempts left: 3"
    observation, *_ = env.step("3 + 3 + 8 + 8")
    assert observation.endswith("Attempts left: 2")


@pytest.mark.parametrize(
    ("answer", "reward", "valid", "success"),
    [
        ("8 / (3 - 8 / 3)", 1.0, True, True),
        ("3 + 3 + 8 + 8", 0.1, True, False),
        ("3 + 8 + 8", 0.0, False, False),
        ("no idea", 0.0, False, False),
    ],
)
def test_answer_that_ends_the_episode_is_paid(answer, reward, valid, success):
    _, paid, terminated, truncated, info = playing().step(answer)
    assert (paid, terminated, truncated) == (reward, True, False)
    assert (info["action_is_valid"], info["success"]) == (valid, success)
    assert info["attempts_left"] == 0


@pytest.mark.parametrize("last", ["8 / (3 - 8 / 3)", "3 + 3 + 8 + 8", ""])
def test_earlier_answers_earn_nothing(last):
    env = playing(max_attempts=4)
    for answer in ("3 + 3 + 8 + 8", "x", "3 * 3 * 8 * 8"):
        _, reward, terminated, *_ = env.step(answer)
        assert (reward, terminated) == (0.0, False)
    alone = playing()
    assert env.step(last)[1:4] == alone.step(last)[1:4]


@pytest.mark.parametrize("answer", INVALID)
def test_invalid_answer_uses_up_an_attempt_and_says_why(answer):
    env = playing(max_attempts=2)
    observation, reward, terminated, _, info = env.step(answer)
    assert (reward, terminated, info["attempts_left"]) == (0.0, False, 1)
    assert not info["action_is_valid"]
    assert not info["action_is_effective"]
    assert observation.startswith(info["invalid_reason"])
    assert len(info["invalid_reason"]) > 10
    _, reward, terminated, truncated, _ = env.step(answer)
    assert (reward, terminated, truncated) == (0.0, True, False)


def test_no_step_after_the_end():
    env = playing(max_attempts=3)
    env.step("8 / (3 - 8 / 3)")
    with pytest.raises(ResetNeeded):
        env.step("8 / (3 - 8 / 3)")


def test_attempts_and_end_are_forgotten_at_reset():
    env = playing(max_attempts=2)
    env.step("8 / (3 - 8 / 3)")
    _, info = env.reset(seed=1)
    assert info["attempts_left"] == 2
    assert env.solution() is not None


@pytest.mark.parametrize("answer", ["3 * 3 * 8 * 8", "(3 + 3) * 8 * 8", "3 - 3 + 8 * 8", *INVALID])
def test_feedback_gives_neither_value_nor_solution_away(answer):
    env = playing(max_attempts=2)
    observation, *_ = env.step(answer)
    feedback, _, rest = observation.partition("\n\n")
    assert not any(character.isdigit() for character in feedback)
    assert rest == "Target: 24\nNumbers: 3, 3, 8, 8\nAttempts left: 1"


def test_feedback_is_the_same_for_all_wrong_values():
    near, far = playing(max_attempts=2), playing(max_attempts=2)
    assert near.step("8 * 3 + 3 - 8")[0] == far.step("8 * 3 * 3 * 8")[0]


@pytest.mark.parametrize("env_id", IDS)
def test_random_action_uses_every_number_once(env_id):
    env = gym.make(env_id).unwrapped
    rng = np.random.default_rng(0)
    verdicts = []
    for seed in range(100):
        _, info = env.reset(seed=seed)
        expression = env.random_action(rng)
        verdicts.append(judge_expression(expression, info["numbers"], info["target"]))
    # Invalid is what divides by zero; all else has the right numbers.
    assert verdicts.count("invalid") <= 5
    assert verdicts.count("wrong_value") > 80


def test_solution_labels_are_in_info():
    env = playing()
    _, info = env.reset(options={"instance_id": "given-0"})
    assert info["solution_operations"] == "-/"
    assert info["solution_fractions"] is True
    assert info["available_actions"] == ()
    assert isinstance(info["numbers"], tuple)


def test_instructions_state_the_attempts_and_hold_a_right_example():
    one, three = CountdownEnv(), CountdownEnv(max_attempts=3)
    assert "attempts" not in one.instructions
    assert "3 attempts" in three.instructions
    example = one.instructions.strip().splitlines()[-1]
    assert judge_expression(example, [1, 150, 3, 1], 200) == "correct"
    assert "<" not in one.instructions  # the reply format is the wrapper's


def test_given_puzzles_keep_their_index_and_order():
    env = CountdownEnv(puzzles=GIVEN, split="test")
    assert (env.split, env.num_instances) == ("given", 3)
    ids = []
    for seed in range(3):
        _, info = env.reset(seed=seed)
        numbers, target = GIVEN[int(info["instance_id"].removeprefix("given-"))]
        assert (list(info["numbers"]), info["target"]) == (numbers, target)
        assert env.step(env.solution()[0])[1] == 1.0
        ids.append(info["instance_id"])
    assert sorted(ids) == ["given-0", "given-1", "given-2"]


@pytest.mark.parametrize("target", [-8, 0, 10**40])
def test_given_target_may_be_any_int_that_can_be_reached(target):
    numbers = {-8: [3, 5], 0: [4, 4], 10**40: [10**20, 10**20]}[target]
    env = CountdownEnv(puzzles=[(numbers, target)])
    env.reset(seed=0)
    assert env.step(env.solution()[0])[1] == 1.0


def test_one_number_may_be_given():
    env = CountdownEnv(puzzles=[((7,), 7)])
    env.reset(seed=0)
    assert env.solution() == ["7"]
    assert env.random_action(np.random.default_rng(0)) == "7"


@pytest.mark.parametrize("needs", ["additive", "multiplicative", "fractions"])
def test_needs_is_honoured(needs):
    env = CountdownEnv(needs=needs)
    for seed in range(10):
        _, info = env.reset(seed=seed)
        assert ragen_envs.countdown.needs(info["numbers"], info["target"]) == needs


def test_count_may_be_one_number_or_a_list():
    env = CountdownEnv(count=4)
    assert {len(env.reset(seed=seed)[1]["numbers"]) for seed in range(30)} == {4}
    env = CountdownEnv(count=[2, 3], number_range=[1, 9], target_range=[1, 20])
    assert {len(env.reset(seed=seed)[1]["numbers"]) for seed in range(30)} == {2, 3}


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"count": 1}, ValueError, r"count must be in \[2, 6\], got 1"),
        ({"count": (3, 7)}, ValueError, r"count must be in \[2, 6\], got 7"),
        ({"count": (4, 3)}, ValueError, "count must have its least value first"),
        ({"count": True}, TypeError, "count must be an int, got True"),
        ({"count": 3.0}, TypeError, "count must be a pair"),
        ({"count": (3, 4, 5)}, TypeError, "count must be a pair"),
        ({"number_range": (0, 9)}, ValueError, r"number_range must be in \[1, 999\], got 0"),
        ({"number_range": 9}, TypeError, "number_range must be a pair"),
        ({"number_range": (9, 1)}, ValueError, "number_range must have its least value first"),
        ({"number_range": (1, 9.5)}, TypeError, "number_range must be an int, got 9.5"),
        ({"target_range": (0, 9)}, ValueError, r"target_range must be in \[1, 99999\], got 0"),
        ({"target_range": (1, 10**6)}, ValueError, "target_range must be in"),
        ({"target_range": "19"}, TypeError, "target_range must be an int, got '1'"),
        ({"needs": "luck"}, ValueError, "needs must be one of .*, got 'luck'"),
        ({"needs": "fractions", "count": 3}, ValueError, "needs='fractions' takes a count"),
        ({"max_attempts": 0}, ValueError, "max_attempts must be >= 1, got 0"),
        ({"max_attempts": 1.5}, TypeError, "max_attempts must be an int, got 1.5"),
        ({"split": "dev"}, ValueError, "split must be one of"),
        ({"render_mode": "human"}, ValueError, "render_mode must be one of"),
        ({"number_range": (1, 2), "target_range": (900, 999)}, ValueError, "number_range="),
        ({"puzzles": []}, ValueError, "puzzles must hold at least one puzzle"),
        ({"puzzles": GIVEN, "needs": "additive"}, ValueError, "needs must be None where puzzles"),
        ({"puzzles": [*GIVEN, ([2, 3], 100)]}, ValueError, r"puzzles\[3\] must have a solution"),
        ({"puzzles": [*GIVEN, [2, 3, 5]]}, ValueError, r"puzzles\[3\] must be \(numbers, target\)"),
        ({"puzzles": [7]}, ValueError, r"puzzles\[0\] must be \(numbers, target\)"),
        ({"puzzles": [([2, "3"], 5)]}, ValueError, r"puzzles\[0\]: numbers must be ints"),
        ({"puzzles": [([0, 3], 3)]}, ValueError, r"puzzles\[0\]: numbers must be positive"),
        ({"puzzles": [([2, 3], 5.0)]}, ValueError, r"puzzles\[0\]: target must be an int"),
        ({"puzzles": [([], 5)]}, ValueError, r"puzzles\[0\]: numbers must be a non-empty"),
        ({"puzzles": [([1] * 7, 7)]}, ValueError, r"puzzles\[0\]: numbers must be at most 6"),
        ({"puzzles": [{"nums": [2, 3], "target": 5}]}, ValueError, r"puzzles\[0\]: numbers must"),
    ],
)
def test_bad_argument_is_named(kwargs, error, message):
    with pytest.raises(error, match=message):
        CountdownEnv(**kwargs)


def test_constructor_takes_keywords_only():
    with pytest.raises(TypeError):
        CountdownEnv((3, 4))


def test_instance_id_rebuilds_the_instance():
    env, other = CountdownEnv(), CountdownEnv()
    observation, info = env.reset(seed=11)
    other.reset(seed=3)
    again, _ = other.reset(seed=99, options={"instance_id": info["instance_id"]})
    assert again == observation
    with pytest.raises(ValueError, match="instance_id must be"):
        env.reset(options={"instance_id": "test-11"})


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copy_plays_on_alone(copied):
    env = playing(max_attempts=2)
    env.step("x")
    twin = copied(env)
    assert twin.step("3 + 3 + 8 + 8")[1] == 0.1
    assert env.step("8 / (3 - 8 / 3)")[1] == 1.0


@pytest.mark.parametrize("env_id", IDS)
def test_vector_env_plays_what_single_envs_play(env_id):
    vector = gym.make_vec(env_id, num_envs=3, vectorization_mode="vector_entry_point")
    observations, infos = vector.reset(seed=5)
    single = gym.make(env_id)
    assert observations == tuple(single.reset(seed=5 + i)[0] for i in range(3))
    assert infos["attempts_left"].tolist() == [1, 1, 1]
    rewards = vector.step(["?"] * 3)[1]
    assert rewards.tolist() == [0.0] * 3
    vector.close()


def test_vector_env_takes_the_arguments_of_the_world():
    vector = vector_env(num_envs=2, count=2, target_range=(1, 50))
    _, infos = vector.reset(seed=0)
    assert [len(numbers) for numbers in infos["numbers"]] == [2, 2]
    vector.close()
