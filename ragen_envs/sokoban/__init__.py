"""Sokoban: levels, the searches that prove them solvable, and the world itself.

`Level` is a position as bitboards, read from and written to the usual XSB text. `solve_pushes` and
`solve_optimal` plan it with the fewest pushes and the fewest moves. The world is
`ragen_envs.sokoban.env.SokobanEnv`, made with `gymnasium.make("ragen/Sokoban-v0")`.
"""

from ragen_envs.sokoban.level import Level
from ragen_envs.sokoban.solver import NodeBudgetExceeded, Plan, solve_optimal, solve_pushes

__all__ = ["Level", "NodeBudgetExceeded", "Plan", "solve_optimal", "solve_pushes"]
