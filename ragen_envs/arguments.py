"""Checks of constructor arguments: each error names the argument, the rule and the value."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any


def check_choice(name: str, value: Any, choices: Collection[str]) -> None:
    """Raise ValueError unless `value` is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
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


def checked_size(size: Any, low: int, high: int) -> tuple[int, int]:
    """`(rows, columns)` of a grid given as that pair, or as an int for a square.

    Raises:
        TypeError: It is neither.
        ValueError: A side is outside [low, high].
    """
    sides = (size, size) if isinstance(size, int) else size
    if isinstance(sides, str) or not isinstance(sides, Sequence) or len(sides) != 2:
        raise TypeError(f"size must be an int or (rows, columns), got {size!r}")
    for side in sides:
        check_int("size", side, low, high)
    return sides[0], sides[1]


def checked_symbols(symbols: Any, defaults: Mapping[str, str]) -> dict[str, str]:
    """The symbols of a grid: `defaults`, with those that the user names in their place.

    Raises:
        TypeError: `symbols` is neither a mapping nor None.
        ValueError: A name is unknown, a symbol is not one visible character, or two are equal.
    """
    if symbols is not None and not isinstance(symbols, Mapping):
        raise TypeError(f"symbols must be a mapping of names to characters, got {symbols!r}")
    chosen = {**defaults, **(symbols or {})}
    names: dict[str, str] = {}
    for name, symbol in chosen.items():
        if name not in defaults:
            raise ValueError(f"symbols must have names among {list(defaults)}, got {name!r}")
        visible = isinstance(symbol, str) and symbol.isprintable() and not symbol.isspace()
        if not visible or len(symbol) != 1:
            raise ValueError(f"symbols[{name!r}] must be one visible character, got {symbol!r}")
        other = names.setdefault(symbol, name)
        if other != name:
            raise ValueError(f"symbols must be distinct, got {symbol!r} for {other} and {name}")
    return chosen
