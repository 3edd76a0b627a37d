"""Checks of constructor arguments: each error names the argument, the rule and the value."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any


def check_choice(name: str, value: Any, choices: Collection[Any]) -> None:
    """Raise ValueError unless `value` is one of `choices`."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {list(choices)}, got {value!r}")


def check_int(name: str, value: Any, low: int, high: int | None = None) -> None:
    """Raise unless `value` is an int in [low, high]; `high` None means no upper bound.

    Raises:
        TypeError: The value is not an int (a bool is not one).
        ValueError: It is out of range.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int, got {value!r}")
    if value < low or (high is not None and value > high):
        rule = f">= {low}" if high is None else f"in [{low}, {high}]"
        raise ValueError(f"{name} must be {rule}, got {value}")


def check_number(name: str, value: Any, low: float, high: float) -> None:
    """Raise unless `value` is a real number in [low, high].

    Raises:
        TypeError: The value is not an int or a float.
        ValueError: It is out of range, or not a number (NaN).
    """
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, got {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be in [{low}, {high}], got {value}")
