"""Generated puzzles."""

from __future__ import annotations

import numpy as np
import pytest

from ragen_envs.countdown import judge_expression, needs
from ragen_envs.countdown.generator import Bounds, content, generate
from ragen_envs.countdown.solver import NEEDS
from ragen_envs.splits import SPLITS, split_of

EASY = Bounds((3, 4), (1, 99), (10, 99))
HARD = Bounds((5, 6), (1, 99), (100, 999))
BOUNDS = [EASY, HARD, Bounds((2, 2), (1, 20), (1, 50)), Bounds((2, 6), (50, 999), (1, 99_999))]


def puzzles(bounds, split, number, wanted=None):
    return [generate(np.random.default_rng([n, 0]), bounds, split, wanted) for n in range(number)]


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_puzzle_keeps_to_its_bounds_and_its_solution_is_correct(bounds, split):
    for puzzle in puzzles(bounds, split, 700):
        assert bounds.count[0] <= len(puzzle.numbers) <= bounds.count[1]
        assert all(bounds.number_range[0] <= n <= bounds.number_range[1] for n in puzzle.numbers)
        assert bounds.target_range[0] <= puzzle.target <= bounds.target_range[1]
        assert puzzle.target not in puzzle.numbers
        assert judge_expression(puzzle.solution, puzzle.numbers, puzzle.target) == "correct"
        assert set(puzzle.operations) == set(puzzle.solution) & set("+-*/")
        assert split_of(content(puzzle.numbers, puzzle.target)) == split


@pytest.mark.parametrize(("bounds", "number"), [(EASY, 300), (HARD, 40)], ids=["easy", "hard"])
def test_solver_finds_every_puzzle_solvable(bounds, number):
    for puzzle in puzzles(bounds, "train", number):
        proved = needs(puzzle.numbers, puzzle.target)
        at_most = "multiplicative" if set(puzzle.operations) & {"*", "/"} else "additive"
        at_most = "fractions" if puzzle.fractions else at_most
        assert proved is not None
        assert NEEDS.index(proved) <= NEEDS.index(at_most)


@pytest.mark.parametrize("wanted", NEEDS)
@pytest.mark.parametrize(("bounds", "number"), [(EASY, 40), (HARD, 4)], ids=["easy", "hard"])
def test_wanted_need_is_proved(bounds, number, wanted):
    for puzzle in puzzles(bounds, "test", number, wanted):
        assert needs(puzzle.numbers, puzzle.target) == wanted


def test_splits_share_no_content():
    seen = [{content(p.numbers, p.target) for p in puzzles(EASY, split, 1500)} for split in SPLITS]
    assert all(len(contents) > 1000 for contents in seen)
    assert not (seen[0] & seen[1] | seen[0] & seen[2] | seen[1] & seen[2])


def test_content_ignores_the_order_of_the_numbers():
    assert content((3, 1, 2), 6) == content([2, 3, 1], 6)
    assert content((3, 1, 2), 6) != content((3, 1, 2), 7)


def test_multiplication_division_and_fractions_really_occur():
    easy, hard = puzzles(EASY, "train", 2000), puzzles(HARD, "train", 2000)
    for sample, fractions in ((easy, 0.02), (hard, 0.1)):
        assert np.mean(["*" in p.operations for p in sample]) > 0.4
        assert np.mean(["/" in p.operations for p in sample]) > 0.35
        assert np.mean([set(p.operations) <= {"+", "-"} for p in sample]) < 0.35
        assert np.mean([p.fractions for p in sample]) > fractions


def test_order_of_the_numbers_says_nothing_about_the_solution():
    sample = puzzles(Bounds((3, 3), (1, 99), (10, 99)), "train", 1500)
    in_order = np.mean([p.numbers == tuple(sorted(p.numbers)) for p in sample])
    as_solved = np.mean(
        [
            list(map(str, p.numbers)) == [t.strip("()") for t in p.solution.split()[::2]]
            for p in sample
        ]
    )
    assert 0.12 < in_order < 0.25  # 1/6, and more for equal numbers
    assert 0.12 < as_solved < 0.25


def test_same_generator_gives_the_same_puzzle():
    assert puzzles(HARD, "validation", 30) == puzzles(HARD, "validation", 30)


@pytest.mark.parametrize(
    ("bounds", "wanted", "rule"),
    [
        (Bounds((2, 2), (1, 2), (500, 600)), None, r"no puzzle in \d+ tries: count=\(2, 2\)"),
        (Bounds((2, 2), (1, 1), (2, 2)), None, r"no instance of split .*number_range=\(1, 1\)"),
        (Bounds((2, 2), (1, 3), (1, 9)), "fractions", "no puzzle with needs='fractions'"),
        (Bounds((2, 2), (20, 30), (100, 900)), "additive", "no puzzle with needs='additive'"),
    ],
)
def test_bounds_that_leave_no_puzzle_are_an_error(bounds, wanted, rule):
    split = next(s for s in SPLITS if s != split_of(content([1, 1], 2)))
    with pytest.raises(ValueError, match=rule):
        generate(np.random.default_rng(0), bounds, split, wanted)
