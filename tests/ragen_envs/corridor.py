"""Corridor: a five-cell world that keeps the contract, from which broken ones are derived."""

from __future__ import annotations

from typing import Any

import numpy as np

from ragen_envs.core import Outcome, TextEnv, quoted


class CorridorEnv(TextEnv):
    """Walk left or right to the goal."""

    actions_per_turn = 3

    def __init__(self, split: str = "train", render_mode: str | None = None) -> None:
        super().__init__(split=split, render_mode=render_mode, action_examples=("left", "right"))
        self.length, self.goal, self.cell = 5, 0, 0

    @property
    def instructions(self) -> str:
        return "Walk to G with left and right."

    def setup(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        self.goal = int(rng.integers(1, self.length))
        self.cell = 0

    def act(self, action: str) -> Outcome:
        step = {"left": -1, "right": 1}.get(action.strip().casefold())
        if step is None:
            return Outcome(-0.1, valid=False, effective=False, message=f"{quoted(action)}: no")
        cell = min(max(self.cell + step, 0), self.length - 1)
        moved = cell != self.cell
        self.cell = cell
        solved = cell == self.goal
        return Outcome(1.0 if solved else -0.1, solved, solved, effective=moved)

    def observe(self) -> str:
        cells = ["."] * self.length
        cells[self.goal] = "G"
        cells[self.cell] = "P"
        return "".join(cells)

    def available_actions(self) -> tuple[str, ...]:
        return ("left", "right")

    def solution(self) -> list[str] | None:
        return ["right" if self.goal > self.cell else "left"] * abs(self.goal - self.cell)
