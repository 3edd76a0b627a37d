"""FrozenLake: walk over slippery ice to the goal without falling into a hole.

`env.py` is the world, `lake.py` its maps and how one moves on them, `view.py` what is seen of them,
`planner.py` the oracle.
"""

from __future__ import annotations

from ragen_envs.frozen_lake.env import FrozenLakeEnv
from ragen_envs.frozen_lake.lake import ACTIONS, MAPS, Lake, transitions

__all__ = ["ACTIONS", "MAPS", "FrozenLakeEnv", "Lake", "transitions"]
