import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import ragen_envs  # noqa: F401
from ragen_envs.sokoban.env import SokobanEnv, vector_env

IDS = ["ragen/Sokoban-v0", "ragen/SokobanLarge-v0", "ragen/SokobanHard-v0"]


def playing(*rows, **kwargs):
    """The world on one given level, reset."""
    env = SokobanEnv(levels=["\n".join(rows)], **kwargs)
    env.reset(seed=0)
    return env


def rewards_of(env, *actions):
    return [round(env.step(action)[1], 9) for action in actions]


def test_walking_moves_the_player_only():
    env = playing("######", "#@-$.#", "######")
    observation, reward, terminated, truncated, info = env.step("Right")
    assert observation == "######\n#_PXO#\n######"
    assert (reward, terminated, truncated) == (-0.1, False, False)
    assert info["action_is_valid"] and info["action_is_effective"]


def test_walking_into_a_wall_is_valid_and_has_no_effect():
    env = playing("######", "#@-$.#", "######")
    observation, reward, _, _, info = env.step("Up")
    assert observation == "######\n#P_XO#\n######"
    assert reward == -0.1
    assert info["action_is_valid"] and not info["action_is_effective"]


def test_box_pushed_into_wall_stays():
    env = playing("#####", "#$@-#", "#--.#", "#####")
    observation, reward, _, _, info = env.step("Left")
    assert observation == "#####\n#XP_#\n#__O#\n#####"
    assert reward == -0.1
    assert info["action_is_valid"] and not info["action_is_effective"]


def test_two_boxes_in_a_row_stay():
    env = playing("########", "#@$$-..#", "########")
    observation, _, _, _, info = env.step("Right")
    assert observation == "########\n#PXX_OO#\n########"
    assert not info["action_is_effective"]


def test_pushing_the_last_box_onto_its_target_solves_the_level():
    env = playing("######", "#@-$.#", "######")
    env.step("Right")
    observation, reward, terminated, truncated, info = env.step("Right")
    assert observation == "######\n#__P√#\n######"
    assert reward == pytest.approx(10.9)
    assert terminated and not truncated and info["success"]
    assert info["boxes_on_target"] == info["num_boxes"] == 1
    with pytest.raises(ResetNeeded):
        env.step("Left")


def test_a_box_earns_on_a_target_what_it_loses_off_it():
    env = playing("########", "#@$.-$.#", "########")
    assert rewards_of(env, "Right", "Right") == [0.9, -1.1]
    assert env.observe() == "########\n#__SXXO#\n########"


def test_a_box_pushed_from_target_to_target_earns_nothing():
    env = playing("########", "#@*.$--#", "#------#", "########")
    assert rewards_of(env, "Right") == [-0.1]


def test_pushing_a_box_on_and_off_in_circles_never_pays():
    env = playing("#######", "#-----#", "#-@$.-#", "#----$#", "#----.#", "#######")
    around_right = ["Up", "Right", "Right", "Right", "Down"]
    circle = ["Right", *around_right, "Left", "Up", "Left", "Left", "Down"]
    start = env.observe()
    rewards = rewards_of(env, *circle)
    assert sum(reward > 0 for reward in rewards) == 1
    assert sum(rewards) == pytest.approx(-0.1 * len(circle))
    assert env.observe() == start


@pytest.mark.parametrize("action", [" up ", "UP", "Up\n", "up"])
def test_case_and_white_space_around_do_not_matter(action):
    env = playing("#####", "#-$.#", "#@--#", "#####")
    assert env.step(action)[4]["action_is_valid"]
    assert env.observe() == "#####\n#PXO#\n#___#\n#####"


@pytest.mark.parametrize("action", ["", "north", "Up Up", "U", "<answer>Up</answer>", "x" * 10_000])
def test_an_invalid_action_costs_a_step_and_says_what_is_allowed(action):
    env = playing("######", "#@-$.#", "######")
    before = env.observe()
    observation, reward, terminated, _, info = env.step(action)
    assert reward == -0.1 and not terminated
    assert not info["action_is_valid"] and not info["action_is_effective"]
    assert info["invalid_reason"].endswith("the actions are Up, Down, Left, Right.")
    assert len(info["invalid_reason"]) < 200
    assert observation == f"{info['invalid_reason']}\n\n{before}"


def test_a_stuck_box_does_not_end_the_episode():
    env = playing("######", "#-@--#", "#-$--#", "#---.#", "######")
    for action in ["Down", "Right", "Down", "Left"]:
        _, _, terminated, truncated, _ = env.step(action)
        assert not terminated and not truncated
    assert env.solution() is None


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_following_the_solution_succeeds_before_the_limit(id, split):
    env = gym.make(id, split=split)
    for seed in range(10 if id.endswith("Hard-v0") else 40):
        _, info = env.reset(seed=seed)
        plan = env.unwrapped.solution()
        assert len(plan) == info["solution_moves"]
        earned = 0.0
        for action in plan:
            _, reward, terminated, _, last = env.step(action)
            earned += reward
        assert terminated and last["success"] and env.unwrapped.solution() == []
        assert earned == pytest.approx(10 + info["num_boxes"] - 0.1 * len(plan))
        assert last["solution_moves"] == info["solution_moves"]
        assert 1 <= last["solution_pushes"] == info["solution_pushes"] <= len(plan)


def test_the_solution_is_found_again_after_leaving_the_plan():
    env = gym.make("ragen/SokobanLarge-v0", max_episode_steps=1_000).unwrapped
    rng = np.random.default_rng(0)
    solved = 0
    for seed in range(15):
        env.reset(seed=seed)
        for _ in range(6):
            if env.step(env.random_action(rng))[2]:
                break
        plan = env.solution()
        for action in plan or ():
            _, _, terminated, _, _ = env.step(action)
        solved += plan is not None and terminated
    assert solved >= 8


def test_the_limit_truncates():
    env = gym.make("ragen/Sokoban-v0")
    env.reset(seed=0)
    flags = [env.step("")[2:4] for _ in range(10)]
    assert flags == [(False, False)] * 9 + [(False, True)]


@pytest.mark.parametrize("id", IDS)
def test_gymnasiums_checker_accepts(id):
    check_env(gym.make(id).unwrapped, skip_render_check=True)


def test_a_level_depends_on_its_seed_and_not_on_what_was_played_before():
    env = SokobanEnv()
    first = env.reset(seed=42)[0]
    env.step("Up")
    other = env.reset(seed=7)[0]
    assert env.reset(seed=42)[0] == first != other
    env.reset(seed=3, options={"instance_id": "train-42"})
    assert env.observe() == first


def test_a_copy_plays_on_by_itself():
    env = SokobanEnv(size=8, num_boxes=2, max_moves=40)
    env.reset(seed=0)
    env.step(env.solution()[0])
    before = env.observe(), env.solution()
    copies = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    for twin in copies:
        assert (twin.observe(), twin.solution()) == before
        for action in twin.solution():
            _, _, terminated, _, _ = twin.step(action)
        assert terminated
    assert (env.observe(), env.solution()) == before


def test_thousand_resets_never_raise_and_print_nothing(capfd):
    env = gym.make("ragen/Sokoban-v0", split="test")
    for seed in range(1_000):
        env.reset(seed=seed)
    assert capfd.readouterr() == ("", "")


def test_info_has_the_same_keys_and_types_at_reset_and_step():
    env = SokobanEnv()
    _, at_reset = env.reset(seed=1)
    _, _, _, _, at_step = env.step("Up")
    types = {key: type(value) for key, value in at_reset.items()}
    assert types == {key: type(value) for key, value in at_step.items()}
    for key in ("solution_moves", "solution_pushes", "boxes_on_target", "num_boxes"):
        assert types[key] is int


def test_content_is_that_of_the_start_throughout():
    env = playing("######", "#@-$.#", "######")
    content = env.content()
    env.step("Right")
    assert env.content() == content == "######\n#@-$.#\n######"


def test_vector_env_plays_the_levels_of_single_envs():
    envs = vector_env(num_envs=3, max_episode_steps=10)
    observations, infos = envs.reset(seed=5)
    assert observations == tuple(SokobanEnv().reset(seed=seed)[0] for seed in (5, 6, 7))
    assert infos["solution_moves"].dtype == np.int64
    envs.close()


GIVEN = ["#####\n#@$.#\n#####", "######\n#@-$.#\n######", "#######\n#@--$.#\n#######"]


def test_given_levels_are_each_visited_once_under_ids_of_their_own():
    env = SokobanEnv(levels=GIVEN, split="test")
    assert env.num_instances == 3
    infos = [env.reset(seed=seed)[1] for seed in range(3)]
    assert {info["instance_id"] for info in infos} == {"given-0", "given-1", "given-2"}
    assert {info["split"] for info in infos} == {"given"}
    _, info = env.reset(seed=0, options={"instance_id": "given-1"})
    assert env.content() == GIVEN[1]
    assert info["solution_moves"] == 2
    with pytest.raises(ValueError, match="given-3"):
        env.reset(options={"instance_id": "given-3"})


def test_a_given_level_without_solution_has_none_and_says_minus_one():
    env = SokobanEnv(levels=["######\n#$-@.#\n#----#\n######"])
    _, info = env.reset(seed=0)
    assert (info["solution_moves"], info["solution_pushes"]) == (-1, -1)
    assert env.solution() is None


def test_a_given_level_too_hard_for_the_budget_does_not_hang():
    rows = ["#" * 16, *["#" + "-" * 14 + "#"] * 12, "#" * 16]
    grid = [list(row) for row in rows]
    grid[1][1] = "@"
    for at in range(6):
        grid[3 + at][4 + at % 3] = "$"
        grid[12 - at][13 - at % 2] = "."
    env = SokobanEnv(levels=["\n".join(map("".join, grid))])
    _, info = env.reset(seed=0)
    plan = env.solution()
    assert info["solution_moves"] == (-1 if plan is None else len(plan))


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"num_boxes": 9}, ValueError, r"num_boxes must be in \[1, 5\], got 9"),
        ({"num_boxes": True}, TypeError, "num_boxes must be an int"),
        ({"size": (5, 5), "num_boxes": 3}, ValueError, r"num_boxes must be in \[1, 2\] for size"),
        ({"size": 4}, ValueError, r"size must be in \[5, 20\], got 4"),
        ({"size": (6, 21)}, ValueError, r"size must be in \[5, 20\], got 21"),
        ({"size": (6, 6, 6)}, TypeError, "size must be an int or .rows, columns."),
        ({"size": "66"}, TypeError, "size must be an int or .rows, columns."),
        ({"size": (6.0, 6)}, TypeError, "size must be an int"),
        ({"max_moves": 0}, ValueError, "max_moves must be in .1, 1000., got 0"),
        (
            {"min_pushes": 9},
            ValueError,
            r"min_pushes must be in \[1, 5\] for size \(6, 6\) with 1 box, got 9",
        ),
        ({"min_pushes": 0}, ValueError, "min_pushes must be >= 1, got 0"),
        (
            {"min_pushes": 5, "max_moves": 6},
            ValueError,
            r"min_pushes must be in \[1, 3\] .* with 1 box and max_moves 6, got 5",
        ),
        ({"observation_format": "image"}, ValueError, "observation_format must be one of"),
        ({"split": "dev"}, ValueError, "split must be one of"),
        ({"render_mode": "human"}, ValueError, "render_mode must be one of"),
        ({"symbols": {"wal": "%"}}, ValueError, "symbols must have names among .* got 'wal'"),
        ({"symbols": {"wall": "%%"}}, ValueError, "must be one visible character, got '%%'"),
        ({"symbols": {"wall": " "}}, ValueError, "must be one visible character, got ' '"),
        ({"symbols": {"wall": "_"}}, ValueError, "symbols must be distinct"),
        ({"symbols": "#_OXPS"}, TypeError, "symbols must be a mapping"),
        ({"levels": []}, ValueError, "at least one level text"),
        ({"levels": "#####\n#@$.#\n#####"}, TypeError, "must be a sequence of"),
        ({"levels": [3]}, TypeError, "levels must be texts, got 3 for level 0"),
        (
            {"levels": [GIVEN[0], "#####\n#@@.#\n#####"]},
            ValueError,
            "levels must be playable, got level 1: it must have 1 player, got 2",
        ),
    ],
)
def test_bad_arguments_raise_at_construction(kwargs, error, message):
    with pytest.raises(error, match=message):
        SokobanEnv(**kwargs)


def test_an_int_is_a_square():
    env = SokobanEnv(size=7)
    observation, _ = env.reset(seed=0)
    assert [len(row) for row in observation.split("\n")] == [7] * 7


def test_rendering_as_ansi_is_the_observation():
    env = SokobanEnv(render_mode="ansi")
    observation, _ = env.reset(seed=0)
    assert env.render() == observation


def test_rendering_as_an_image_colours_every_cell():
    env = playing("######", "#@-$.#", "######", render_mode="rgb_array")
    image = env.render()
    assert image.shape == (48, 96, 3) and image.dtype == np.uint8
    tiles = image[16:32, ::16].reshape(16, 6, 3)[0]
    assert len({tuple(tile) for tile in tiles}) == 5


def test_a_given_level_with_many_boxes_does_not_hang():
    # The assignment of 25 boxes to 25 targets, subset by subset, would take 2^25 steps a position.
    rows = ["#" * 12, "#@" + " " * 9 + "#"]
    rows += ["# $.$.$.$.$#"] * 5 + ["#" + " " * 10 + "#"]
    text = "\n".join([*rows, "#  .....   #", "#" * 12])
    boxes, targets = text.count("$"), text.count(".")
    assert boxes == targets == 25
    observation, info = SokobanEnv(levels=[text]).reset(seed=0)
    assert info["num_boxes"] == 25
    assert observation.count("X") == 25
