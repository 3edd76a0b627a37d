import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ragen_envs.registration import ENVIRONMENTS
from ragen_envs.sokoban import solve_pushes
from ragen_envs.sokoban.env import SokobanEnv
from ragen_envs.sokoban.generator import Recipe, generate
from ragen_envs.splits import SPLITS, split_of
from tests.ragen_envs.sokoban.brute_force import fewest, read, replay

RECIPES = {
    "ragen/Sokoban-v0": Recipe(6, 6, 1, 10, 1),
    "ragen/SokobanLarge-v0": Recipe(8, 8, 2, 40, 1),
    "ragen/SokobanHard-v0": Recipe(10, 10, 4, 80, 1),
}
LEVELS = {"ragen/Sokoban-v0": 1_000, "ragen/SokobanLarge-v0": 300, "ragen/SokobanHard-v0": 60}


def level_texts(recipe, seeds, split="train"):
    return [generate(np.random.default_rng(seed), recipe, split)[0].to_text() for seed in seeds]


def test_recipes_here_are_those_of_the_registered_ids():
    rows = {row.id: row for row in ENVIRONMENTS if row.id in RECIPES}
    assert rows.keys() == RECIPES.keys()
    for id, row in rows.items():
        size = row.kwargs.get("size", (6, 6))
        wanted = Recipe(*size, row.kwargs.get("num_boxes", 1), row.max_episode_steps, 1)
        assert wanted == RECIPES[id]


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("id", RECIPES)
def test_every_level_is_solved_by_its_plan_within_max_moves(id, split):
    recipe = RECIPES[id]
    for seed in range(LEVELS[id] // 3):
        level, plan = generate(np.random.default_rng(seed), recipe, split)
        text = level.to_text()
        walls, targets, boxes, player = read(text)
        assert replay(text, plan.actions) == (True, plan.pushes)
        assert plan.moves <= recipe.max_moves
        assert len(targets) == len(boxes) == recipe.num_boxes
        assert not boxes & targets, "no box starts on a target"
        assert player not in walls
        assert split_of(text) == split


def test_plans_of_6x6_with_one_box_have_the_fewest_moves():
    for seed in range(150):
        level, plan = generate(np.random.default_rng(seed), RECIPES["ragen/Sokoban-v0"], "train")
        assert plan.moves == fewest(level.to_text(), "moves")


def test_plans_of_other_boards_have_the_fewest_pushes():
    for seed in range(20):
        level, plan = generate(np.random.default_rng(seed), Recipe(7, 7, 2, 40, 1), "train")
        assert plan.pushes == fewest(level.to_text(), "pushes")


@pytest.mark.parametrize("split", ["train", "test"])
@pytest.mark.parametrize("min_pushes", [1, 2, 3, 4, 5])
def test_any_plan_of_a_6x6_level_needs_min_pushes(min_pushes, split):
    recipe = Recipe(6, 6, 1, 10, min_pushes)
    for seed in range(3 if min_pushes == 5 else 40):
        level, plan = generate(np.random.default_rng(seed), recipe, split)
        assert plan.pushes >= min_pushes
        assert plan.moves <= 10
        assert fewest(level.to_text(), "pushes") >= min_pushes


@pytest.mark.parametrize(
    ("size", "num_boxes", "max_moves"),
    [
        ((5, 5), 1, 20), ((5, 5), 2, 20), ((5, 7), 1, 20), ((6, 6), 2, 60), ((7, 7), 3, 80),
        ((8, 8), 1, 60), ((8, 8), 2, 40), ((8, 8), 5, 120), ((10, 10), 1, 60), ((10, 10), 3, 80),
        ((10, 10), 4, 80), ((5, 20), 2, 120), ((20, 20), 1, 120),
    ],
)  # fmt: skip
def test_the_largest_min_pushes_that_is_allowed_is_found(size, num_boxes, max_moves):
    most = Recipe(*size, num_boxes, max_moves, 1).most_pushes
    recipe = Recipe(*size, num_boxes, max_moves, most)
    for seed in range(2):
        level, plan = generate(np.random.default_rng(seed), recipe, "train")
        assert plan.pushes >= most
        assert solve_pushes(level).pushes >= most


@pytest.mark.parametrize(
    ("id", "pushes"),
    [("ragen/Sokoban-v0", 1.9), ("ragen/SokobanLarge-v0", 5.0), ("ragen/SokobanHard-v0", 9.0)],
)
def test_levels_are_as_hard_as_those_of_gym_sokoban(id, pushes):
    plans = [generate(np.random.default_rng(s), RECIPES[id], "train")[1] for s in range(100)]
    assert np.mean([plan.pushes for plan in plans]) >= pushes


def test_levels_vary():
    texts = level_texts(RECIPES["ragen/Sokoban-v0"], range(500))
    assert len(set(texts)) > 480
    inner_walls = {text.count("#") - 20 for text in texts}
    assert inner_walls >= set(range(7))


def test_no_level_is_in_two_splits():
    recipe = RECIPES["ragen/Sokoban-v0"]
    train = set(level_texts(recipe, range(2_000), "train"))
    test = set(level_texts(recipe, range(2_000), "test"))
    assert not train & test


def test_threads_make_the_same_levels_as_one_thread():
    recipe = RECIPES["ragen/SokobanLarge-v0"]
    alone = level_texts(recipe, range(24))
    with ThreadPoolExecutor(4) as pool:
        chunks = pool.map(lambda at: level_texts(recipe, range(at, at + 6)), range(0, 24, 6))
    assert [text for chunk in chunks for text in chunk] == alone


def test_processes_with_different_hash_seeds_make_the_same_levels():
    program = (
        "import gymnasium as gym, ragen_envs\n"
        "for id in ('ragen/Sokoban-v0', 'ragen/SokobanHard-v0'):\n"
        "    env = gym.make(id).unwrapped\n"
        "    for seed in range(5):\n"
        "        env.reset(seed=seed)\n"
        "        print(env.content(), env.solution())\n"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert printed[0] == printed[1]
    assert printed[0].count("[") == 10


def test_what_no_level_can_meet_ends_in_an_error_that_names_the_arguments():
    recipe = Recipe(6, 6, 5, 5, 1)
    with pytest.raises(ValueError, match="max_moves 5 and min_pushes 1 leave no level of size"):
        generate(np.random.default_rng(0), recipe, "train")


def test_what_no_level_can_meet_fails_at_construction():
    with pytest.raises(ValueError, match="max_moves 5 and min_pushes 1 leave no level of size"):
        SokobanEnv(num_boxes=5, max_moves=5)
