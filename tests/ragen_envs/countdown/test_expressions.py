"""Expression trees: text and labels."""

from __future__ import annotations

import numpy as np
import pytest

from ragen_envs.countdown import judge_expression
from ragen_envs.countdown.expressions import Node, label, leaves, render


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (7, "7"),
        (Node("-", 9, Node("-", 4, 3)), "9 - (4 - 3)"),
        (Node("-", Node("-", 9, 4), 3), "9 - 4 - 3"),
        (Node("+", 9, Node("-", 4, 3)), "9 + 4 - 3"),
        (Node("/", 8, Node("-", 3, Node("/", 8, 3))), "8 / (3 - 8 / 3)"),
        (Node("*", Node("+", 2, 3), Node("*", 4, 5)), "(2 + 3) * (4 * 5)"),
        (Node("*", 6, Node("/", 1, 4)), "6 * (1 / 4)"),
    ],
)
def test_tree_is_written_with_the_parentheses_that_it_needs(tree, text):
    assert render(tree) == text


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (7, ("", False)),
        (Node("+", 1, Node("-", 5, 2)), ("+-", False)),
        (Node("/", Node("*", 6, 4), 8), ("*/", False)),
        (Node("*", 6, Node("/", 4, 8)), ("*/", True)),
        (Node("/", 4, 8), ("/", True)),
        (Node("/", 8, Node("-", 3, Node("/", 8, 3))), ("-/", True)),
    ],
)
def test_label_names_operations_and_fractions(tree, expected):
    assert label(tree) == expected


def test_written_tree_has_the_value_of_the_tree():
    rng = np.random.default_rng(0)
    for _ in range(300):
        parts = rng.integers(1, 10, size=5).tolist()
        values = [float(part) for part in parts]
        while len(parts) > 1:
            i = int(rng.integers(len(parts) - 1))
            operator = "+-*"[int(rng.integers(3))]
            a, b = values[i], values[i + 1]
            values[i : i + 2] = [{"+": a + b, "-": a - b, "*": a * b}[operator]]
            parts[i : i + 2] = [Node(operator, parts[i], parts[i + 1])]
        tree, target = parts[0], int(values[0])
        assert judge_expression(render(tree), leaves(tree), target) == "correct"
