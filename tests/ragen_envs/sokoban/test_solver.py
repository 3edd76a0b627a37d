import numpy as np
import pytest

from ragen_envs.sokoban import Level, NodeBudgetExceeded, solve_optimal, solve_pushes
from ragen_envs.sokoban.generator import Recipe, generate
from tests.ragen_envs.sokoban.brute_force import fewest, replay

RECIPES = [
    Recipe(6, 6, 1, 10, 1),
    Recipe(6, 6, 2, 40, 1),
    Recipe(6, 6, 3, 40, 1),
    Recipe(7, 7, 2, 40, 1),
    Recipe(5, 9, 2, 40, 1),
]


def scrambled(rng, height, width, boxes):
    """A room at random, often without a solution."""
    while True:
        inner = rng.permutation([(r, c) for r in range(1, height - 1) for c in range(1, width - 1)])
        cells = {(int(r), int(c)): "-" for r, c in inner}
        symbols = ["@", *"$" * boxes, *"." * boxes, *"###"]
        for (row, column), symbol in zip(inner, symbols, strict=False):
            cells[int(row), int(column)] = symbol
        rows = [
            "".join(cells.get((row, column), "#") for column in range(width))
            for row in range(height)
        ]
        try:
            return Level.from_text("\n".join(rows))
        except ValueError:
            continue


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_plans_of_generated_levels_are_as_short_as_brute_force_finds(recipe):
    for seed in range(8):
        level, _ = generate(np.random.default_rng(seed), recipe, "train")
        text = level.to_text()
        by_pushes, by_moves = solve_pushes(level), solve_optimal(level)
        assert replay(text, by_pushes.actions) == (True, by_pushes.pushes)
        assert replay(text, by_moves.actions) == (True, by_moves.pushes)
        assert by_pushes.pushes == fewest(text, "pushes")
        assert by_moves.moves == fewest(text, "moves")


def test_solvers_agree_with_brute_force_on_what_cannot_be_solved():
    rng = np.random.default_rng(3)
    unsolvable = 0
    for number in range(60):
        level = scrambled(rng, 7, 7, boxes=1 + number % 2)
        text = level.to_text()
        pushes = fewest(text, "pushes")
        if pushes is None:
            unsolvable += 1
            assert solve_pushes(level) is None
            assert solve_optimal(level) is None
        else:
            assert solve_pushes(level).pushes == pushes
            assert solve_optimal(level).moves == fewest(text, "moves")
    assert 10 < unsolvable < 55


def test_the_fewest_moves_may_take_more_pushes():
    rng = np.random.default_rng(0)
    plans = []
    for _ in range(40):
        level, by_pushes = generate(rng, Recipe(10, 10, 2, 80, 1), "train")
        plans.append((solve_optimal(level), by_pushes))
    assert all(a.moves <= b.moves and a.pushes >= b.pushes for a, b in plans)
    assert any(a.moves < b.moves and a.pushes > b.pushes for a, b in plans)


def test_a_solved_position_needs_no_moves():
    level = Level.from_text("#####\n#@$.#\n#####")
    solved = Level(3, 5, level.walls, level.goals, level.goals, level.player)
    assert solve_pushes(solved).actions == solve_optimal(solved).actions == ()


@pytest.mark.parametrize("solve", [solve_pushes, solve_optimal])
def test_a_search_beyond_its_budget_says_so(solve):
    level, _ = generate(np.random.default_rng(0), Recipe(8, 8, 2, 40, 6), "train")
    with pytest.raises(NodeBudgetExceeded, match="no answer within 2 positions"):
        solve(level, max_nodes=2)


@pytest.mark.parametrize("solve", [solve_pushes, solve_optimal])
def test_a_box_stuck_beside_a_wall_without_target_is_seen_at_once(solve):
    level = Level.from_text("#######\n#--$--#\n#-@---#\n#--.--#\n#######")
    assert solve(level, max_nodes=1) is None
