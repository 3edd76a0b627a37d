"""The solver of Countdown puzzles, against an independent search over all trees."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from ragen_envs.countdown import judge_expression, needs, solve
from ragen_envs.countdown.expressions import label
from ragen_envs.countdown.solver import NEEDS, find


def every_value(numbers):
    """Each value that a tree over the numbers takes, with the least level that reaches it.

    Levels: 0 with + and - alone, 1 with integers in between, 2 otherwise. Pairs are replaced by
    every result of every operation, in both orders, until one value is left.
    """
    best = {}

    def reduce(values, level):
        if len(values) == 1:
            best[values[0]] = min(level, best.get(values[0], 2))
            return
        for i, j in combinations(range(len(values)), 2):
            rest = [value for k, value in enumerate(values) if k not in (i, j)]
            a, b = values[i], values[j]
            for value in (a + b, a - b, b - a):
                reduce([*rest, value], level)
            reduce([*rest, a * b], max(level, 1))
            for top, bottom in ((a, b), (b, a)):
                if bottom != 0:
                    quotient = top / bottom
                    reduce([*rest, quotient], max(level, 1 if quotient.denominator == 1 else 2))

    reduce([Fraction(number) for number in numbers], 0)
    return best


def puzzles_to_try():
    rng = np.random.default_rng(1)
    fixed = [
        (3, 3, 8, 8),
        (1, 5, 5, 5),
        (0, 0, 2, 7),
        (1, 1, 1, 1),
        (2, 2, 3, 0),
        (4, 4, 4),
        (0, 5),
    ]
    small = [tuple(rng.integers(1, 14, size=4).tolist()) for _ in range(6)]
    large = [tuple(rng.integers(1, 100, size=n).tolist()) for n in (2, 3, 3, 3, 4, 4)]
    return fixed + small + large


@pytest.mark.parametrize("numbers", puzzles_to_try(), ids=str)
def test_needs_agrees_with_a_search_over_all_trees(numbers):
    best = every_value(numbers)
    reachable = [int(v) for v in best if v.denominator == 1 and v >= 0]
    rng = np.random.default_rng(2)
    targets = {0, 24, *rng.integers(0, 120, size=10).tolist(), *rng.choice(reachable, 12).tolist()}
    for target in sorted(targets):
        level = best.get(Fraction(target))
        expected = None if level is None else NEEDS[level]
        assert needs(numbers, target) == expected, target
        assert needs(numbers, -target) == expected, -target


@pytest.mark.parametrize(
    ("numbers", "target", "expected"),
    [
        ([5, 7, 9], 3, "additive"),
        ([5, 7, 9], 44, "multiplicative"),
        ([3, 3, 8, 8], 24, "fractions"),
        ([1, 5, 5, 5], 24, "fractions"),
        ([1, 3, 4, 6], 24, "fractions"),
        ([1, 4, 5, 6], 24, "fractions"),
        ([2, 3], 100, None),
        ([7], 7, "additive"),
        ([7], 8, None),
        ([7], -7, "additive"),
        ([0], 0, "additive"),
        ([6, 4], -10, "additive"),
        ([3, 3, 50], 0, "multiplicative"),
        ([0, 9, 70], 0, "multiplicative"),
        ([1, 2, 3, 4, 5, 6], 720, "multiplicative"),
        ([1, 2, 3, 4, 5, 6], 21, "additive"),
    ],
)
def test_known_puzzles_need_what_is_known(numbers, target, expected):
    assert needs(numbers, target) == expected


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
def test_solution_is_correct_and_of_the_kind_that_is_needed(size):
    rng = np.random.default_rng(size)
    found_any = False
    for _ in range(25):
        numbers = rng.integers(0, 13, size=size).tolist()
        target = int(rng.integers(-40, 100)) if size > 1 else numbers[0]
        found = find(numbers, target)
        text = solve(numbers, target)
        if found is None:
            assert text is None
            continue
        found_any = True
        assert judge_expression(text, numbers, target) == "correct"
        operations, fractions = label(found[1])
        kind = "fractions" if fractions else "additive"
        if not fractions and set(operations) & {"*", "/"}:
            kind = "multiplicative"
        assert kind == needs(numbers, target) == found[0]
    assert found_any


def test_no_three_numbers_need_a_fraction():
    for numbers in combinations(range(1, 12), 3):
        assert 2 not in {level for v, level in every_value(numbers).items() if v.denominator == 1}


def test_search_stops_at_the_kind_asked_for():
    assert find([3, 3, 8, 8], 24, "multiplicative") is None
    assert find([5, 7, 9], 44, "additive") is None
    assert find([5, 7, 9], 3, "additive") is not None


@pytest.mark.parametrize("function", [needs, solve])
@pytest.mark.parametrize(
    ("numbers", "target", "rule"),
    [
        ([], 7, "numbers must be a non-empty sequence"),
        ([1, 2.0], 7, "numbers must be ints >= 0"),
        ([1, -2], 7, "numbers must be ints >= 0"),
        ([1, True], 7, "numbers must be ints >= 0"),
        ([1, 2], 7.5, "target must be an int"),
        ([1, 2, 3, 4, 5, 6, 7], 7, "numbers must be at most 6"),
    ],
)
def test_malformed_puzzles_are_an_error(function, numbers, target, rule):
    with pytest.raises(ValueError, match=rule):
        function(numbers, target)
