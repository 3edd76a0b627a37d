"""ENVIRONMENTS: one row per id. To add a world, write its env.py and add a row here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gymnasium.envs.registration import register, registry


@dataclass(frozen=True, slots=True)
class Row:
    """One registered id.

    Attributes:
        id: Gymnasium id.
        world: Class of the world, as "module:attribute".
        vector: Its vector environment, as "module:attribute" (a string, so that the spec is JSON).
        max_episode_steps: Actions until TimeLimit truncates; None for worlds that count attempts.
        kwargs: Constructor arguments that make this id what it is.
    """

    id: str
    world: str
    vector: str
    max_episode_steps: int | None
    kwargs: Mapping[str, Any] = field(default_factory=dict)


_COUNTDOWN = ("ragen_envs.countdown.env:CountdownEnv", "ragen_envs.countdown.env:vector_env")
_FROZEN_LAKE = (
    "ragen_envs.frozen_lake.env:FrozenLakeEnv",
    "ragen_envs.frozen_lake.env:vector_env",
)
_METAMATHQA = ("ragen_envs.metamathqa.env:MetaMathQAEnv", "ragen_envs.metamathqa.env:vector_env")
_SOKOBAN = ("ragen_envs.sokoban.env:SokobanEnv", "ragen_envs.sokoban.env:vector_env")

_NO_SLIP = {"success_rate": 1.0, "max_moves": 10}

# In each grid world max_moves, what an instance must be solvable in, equals max_episode_steps.
# fmt: off
ENVIRONMENTS: tuple[Row, ...] = (
    Row("ragen/Countdown-v0", *_COUNTDOWN, None),
    Row("ragen/CountdownHard-v0", *_COUNTDOWN, None, {"count": (5, 6), "target_range": (100, 999)}),
    Row("ragen/FrozenLake-v0", *_FROZEN_LAKE, 30),
    Row("ragen/FrozenLakeDeterministic-v0", *_FROZEN_LAKE, 10, _NO_SLIP),
    Row("ragen/FrozenLakeLarge-v0", *_FROZEN_LAKE, 100, {"size": 8, "max_moves": 100}),
    Row("ragen/MetaMathQA-v0", *_METAMATHQA, None),
    Row("ragen/MetaMathQAHard-v0", *_METAMATHQA, None, {"difficulty": "hard"}),
    Row("ragen/Sokoban-v0", *_SOKOBAN, 10),
    Row("ragen/SokobanHard-v0", *_SOKOBAN, 80, {"size": (10, 10), "num_boxes": 4, "max_moves": 80}),
    Row("ragen/SokobanLarge-v0", *_SOKOBAN, 40, {"size": (8, 8), "num_boxes": 2, "max_moves": 40}),
)
# fmt: on


def register_envs() -> None:
    """Register every row with Gymnasium; a second call does nothing."""
    for row in ENVIRONMENTS:
        if row.id not in registry:
            register(
                id=row.id,
                entry_point=row.world,
                vector_entry_point=row.vector,
                max_episode_steps=row.max_episode_steps,
                kwargs=dict(row.kwargs),
                # The worlds are held to more than the passive checker by the tests, and with it
                # an env whose first reset failed (a service was down) could not be reset again.
                disable_env_checker=True,
            )
