"""Expression trees: how a solution is kept, written down and labelled."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

OPERATORS = ("+", "-", "*", "/")

_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2}
_LEAF = 3


class Node(NamedTuple):
    """`left operator right`; a leaf of the tree is an int."""

    operator: str
    left: Tree
    right: Tree


Tree = int | Node


def leaves(tree: Tree) -> list[int]:
    """The numbers of the tree, from left to right."""
    if isinstance(tree, int):
        return [tree]
    return leaves(tree.left) + leaves(tree.right)


def render(tree: Tree) -> str:
    """The tree as text, with the parentheses that it needs and no others."""
    return _render(tree)[0]


def _render(tree: Tree) -> tuple[str, int]:
    if isinstance(tree, int):
        return str(tree), _LEAF
    operator, left, right = tree
    precedence = _PRECEDENCE[operator]
    left_text, left_precedence = _render(left)
    right_text, right_precedence = _render(right)
    if left_precedence < precedence:
        left_text = f"({left_text})"
    # + and * are associative; behind - and / an equal precedence needs its parentheses. Behind *
    # too: 6 * (1 / 4) and 6 * 1 / 4 pass through different values.
    if right_precedence < precedence or (right_precedence == precedence and operator != "+"):
        right_text = f"({right_text})"
    return f"{left_text} {operator} {right_text}", precedence


def label(tree: Tree) -> tuple[str, bool]:
    """What a solution is made of.

    Returns:
        `(operations, fractions)`: the operators that occur, in the order `+-*/`, each once; and
        whether some value in between is not an integer.
    """
    operators: set[str] = set()
    fractions = _value(tree, operators)[1]
    return "".join(operator for operator in OPERATORS if operator in operators), fractions


def _value(tree: Tree, operators: set[str]) -> tuple[int | Fraction, bool]:
    """The value, and whether the tree passes through a non-integer; collects the operators."""
    if isinstance(tree, int):
        return tree, False
    operator, left, right = tree
    operators.add(operator)
    a, a_fractional = _value(left, operators)
    b, b_fractional = _value(right, operators)
    fractional = a_fractional or b_fractional
    if operator == "+":
        return a + b, fractional
    if operator == "-":
        return a - b, fractional
    if operator == "*":
        return a * b, fractional
    if a % b == 0:  # kept an int: Fractions cost ten times as much
        return int(a // b), fractional
    return Fraction(a) / b, True
