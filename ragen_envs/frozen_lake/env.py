"""FrozenLakeEnv: the world, over the maps of `lake.py` and the oracle of `planner.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded

from ragen_envs.arguments import check_int, check_number, checked_size
from ragen_envs.core import Outcome, TextEnv, quoted
from ragen_envs.frozen_lake.lake import (
    ACTIONS,
    Lake,
    draw_lake,
    executed_direction,
    read_lake,
    slip_probability,
)
from ragen_envs.frozen_lake.planner import Plan, plan
from ragen_envs.frozen_lake.view import View, picture
from ragen_envs.vector import TextVectorEnv

# Bounds that keep an observation readable and a plan small.
_MIN_SIZE = 2
_MAX_SIZE = 32
_MAX_MOVES = 1_000

_DIRECTIONS = {name.casefold(): direction for direction, name in enumerate(ACTIONS)}
_EXAMPLE = Lake(2, 2, "SF\nHG")

_MOVED = Outcome(0.0)
_STAYED = Outcome(0.0, effective=False)
_FELL = Outcome(0.0, terminated=True)
_REACHED = Outcome(1.0, terminated=True, success=True)
_ENTERED = {"S": _MOVED, "F": _MOVED, "H": _FELL, "G": _REACHED}


class FrozenLakeEnv(TextEnv):
    """Cross a frozen lake from a random start to a random goal, on ice that slips.

    The game of Gymnasium's FrozenLake with a map of its own in each episode, as text.

    ## Task
    The model reads the lake, one character per cell. `instructions` names the symbols, the actions
    and the probabilities with which the ice slips. Seed 0 of `ragen/FrozenLake-v0`:

        ___G
        ___O
        __P_
        ____

    `P` player, `_` frozen, `O` hole, `G` goal, `X` player in a hole, `√` player on the goal. With
    `observation_format="coordinates"` it reads the same facts as a list:

        Size: 4 rows, 4 columns
        Player: (2, 2)
        Goal: (0, 3)
        Holes: (1, 3)

    ## Actions
    `Left`, `Down`, `Right`, `Up`, in any case and with blanks around. With probability
    `success_rate` the player moves as intended, else it slips in one of the two directions
    perpendicular to that, each with half of the rest. A move over the edge is valid and without
    effect. Anything else is an invalid action: it uses up a step, the player stays, and nothing is
    drawn, so that it does not change how the ice slips later.

    ## Rewards
    | event | reward |
    |---|---|
    | reaching a goal | 1 |
    | falling into a hole | 0 |
    | any other move, valid or not | 0 |

    The return of an episode is 1 with success and 0 without.

    ## Episode end
    Termination: the player is on a goal (`success`) or in a hole. Truncation: `max_episode_steps`
    actions, by Gymnasium's TimeLimit; `max_moves` does not end an episode.

    ## Info
    Beside the keys of every text world:
    - `intended_move` str, `executed_move` str: direction asked for and direction taken, which may
      end at the edge; both "" at reset and after an invalid action.
    - `moves_made` int: actions so far, valid or not.
    - `shortest_path` int: moves from the start to the nearest goal without slipping.

    The oracle is `solution()`: on ice that does not slip the whole shortest plan, else the one
    action that most probably leads to a goal within `max_moves` moves of the episode; None once
    the episode has terminated. When the goal has become too far it still heads for it.
    `optimal_success_probability()` is not in `info`, where an agent could read it.

    ## Arguments
    - `size=4`: rows and columns, an int or `(rows, columns)`, each in [2, 32].
    - `success_rate=0.8`: probability in (0, 1] that a move goes where it is meant to.
    - `frozen=0.9`: probability in (0, 1] that a cell other than start and goal is no hole.
    - `min_distance=2`: of start and goal, in rows plus columns; at most what the size allows,
      and at most `max_moves`.
    - `max_moves=30`: in [1, 1000]. Each map has a path of at most so many moves, and the oracle
      plans for so many; keep it equal to `max_episode_steps` when you change that.
    - `observation_format="grid"`: or "coordinates", "grid+coordinates".
    - `symbols=None`: characters in place of the above, by name: "player", "frozen", "hole",
      "goal", "player_in_hole", "player_on_goal". Those not named keep theirs.
    - `desc=None`: a map to play on instead of random ones, as in Gymnasium: strings of equal
      length in the letters S (start, exactly one), F (frozen), H (hole) and G (goal, one or
      more), of any rectangular shape; or "4x4", "8x8", Gymnasium's own maps. `size`, `frozen`,
      `min_distance` and `split` have no effect then; the only instance is `given-0`.
    - `split="train"`: or "validation", "test"; no map is in two of them.
    - `render_mode=None`: or "ansi", "rgb_array".

    ## Registered ids
    | id | size | success_rate | max_moves, max_episode_steps |
    |---|---|---|---|
    | `ragen/FrozenLake-v0` | 4 | 0.8 | 30 |
    | `ragen/FrozenLakeDeterministic-v0` | 4 | 1.0 | 10 |
    | `ragen/FrozenLakeLarge-v0` | 8 | 0.8 | 100 |

    ## Real data
    None; `desc` takes maps.

    ## Version history
    - v0: rewards, symbols and map distribution of RAGEN's FrozenLake, without its faults: all
      members of a group shared one stream of slips (here a group shares the map only); the prompt
      named coordinates up to (5, 5) on a 4x4 map and had misspelt rules; `map_seed` changed a
      configuration shared by all envs; nothing kept the goal within the limit of moves; the
      constructor ran again at each reset.

    Raises:
        TypeError: An argument is of the wrong type.
        ValueError: An argument is outside its range; the message names it, the rule and the value.
            So do arguments that leave (almost) no map with a path, after a bounded search.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012 (Gymnasium's type)
    actions_per_turn = 5

    def __init__(
        self,
        *,
        size: int | Sequence[int] = 4,
        success_rate: float = 0.8,
        frozen: float = 0.9,
        min_distance: int = 2,
        max_moves: int = 30,
        observation_format: str = "grid",
        symbols: Mapping[str, str] | None = None,
        desc: str | Sequence[str] | None = None,
        split: str = "train",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(split=split, render_mode=render_mode, action_examples=ACTIONS)
        _check_probability("success_rate", success_rate)
        check_int("max_moves", max_moves, 1, _MAX_MOVES)
        self.success_rate = success_rate
        self.stochastic = success_rate < 1
        self.max_moves = max_moves
        self._view = View(observation_format, symbols)
        self._given: Lake | None = None
        if desc is None:
            self._shape = checked_size(size, _MIN_SIZE, _MAX_SIZE)
            _check_probability("frozen", frozen)
            check_int("min_distance", min_distance, 1, min(sum(self._shape) - 2, max_moves))
            self._frozen = frozen
            self._min_distance = min_distance
            self._draw(np.random.default_rng(0))  # arguments that leave no map fail here
        else:
            self._given = read_lake(desc, max_moves)
            self._shape = (self._given.rows, self._given.columns)
            self.split = "given"
            self.num_instances = 1
        self._lake: Lake | None = None
        self._cell = 0
        self._intended = self._executed = ""
        self._moves_made = 0
        self._shortest_path = 0

    @property
    def lake(self) -> Lake:
        """The map of the present episode.

        Raises:
            ResetNeeded: There is no episode yet.
        """
        if self._lake is None:
            raise ResetNeeded("call reset() first: there is no lake yet")
        return self._lake

    @property
    def instructions(self) -> str:
        """Goal, symbols, actions, how the ice slips, and an example."""
        example = self._view.text(_EXAMPLE, 0)
        return "\n\n".join(
            (
                "You are walking on a frozen lake. Reach the goal without falling into a hole.",
                *self._view.legend(*self._shape),
                f"The actions are {', '.join(ACTIONS)}. Each moves you by one cell; a move over "
                "the edge of the lake leaves you where you are. Anything else is not an action: "
                "it uses up a move and changes nothing.",
                _how_it_slips(self.success_rate),
                "Stepping onto the goal ends the game and earns a reward of 1. Falling into a hole "
                "ends it with a reward of 0. Every other move earns 0. "
                f"There is a path to the goal of at most {self.max_moves} moves.",
                f"For example, this is a lake of 2 rows and 2 columns:\n\n{example}\n\n"
                "On it, Right and then Down leads to the goal, and Down leads into a hole"
                f"{', unless you slip' if self.stochastic else ''}.",
            )
        )

    def setup(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        """Take the given map, or draw one."""
        self._lake = self._given or self._draw(rng)
        self._cell = self._lake.start
        self._intended = self._executed = ""
        self._moves_made = 0
        self._shortest_path = self._lake.shortest_path or 0

    def act(self, action: str) -> Outcome:
        """Move, if the action is one of `ACTIONS`."""
        self._moves_made += 1
        intended = _DIRECTIONS.get(action.strip().casefold())
        if intended is None:
            self._intended = self._executed = ""
            reason = f"{quoted(action)} is not an action; the actions are {', '.join(ACTIONS)}."
            return Outcome(0.0, valid=False, effective=False, message=reason)
        # One draw per move at any success rate, so that the stream depends on the actions alone.
        executed = executed_direction(intended, self.success_rate, self.chance.random())
        self._intended, self._executed = ACTIONS[intended], ACTIONS[executed]
        lake = self.lake
        reached = lake.neighbour(self._cell, executed)
        if reached == self._cell:
            return _STAYED
        self._cell = reached
        return _ENTERED[lake.letter(reached)]

    def observe(self) -> str:
        """The lake and the player on it."""
        return self._view.text(self.lake, self._cell)

    def available_actions(self) -> tuple[str, ...]:
        """All four, wherever the player is."""
        return ACTIONS

    def solution(self) -> list[str] | None:
        """The shortest plan, or one optimal action where the ice slips; None once it is over."""
        cell, moves_left = self._cell, self.max_moves - self._moves_made
        best = self._plan()
        actions: list[str] = []
        while self.lake.letter(cell) not in "GH":
            direction = best.direction(cell, moves_left)
            actions.append(ACTIONS[direction])
            if self.stochastic:
                break
            cell = self.lake.neighbour(cell, direction)
            moves_left -= 1
        return actions or None

    def optimal_success_probability(self) -> float:
        """Probability that the best play reaches the goal within `max_moves` moves of the start.

        Computed when asked, once per map and process. The same throughout an episode.

        Raises:
            ResetNeeded: There is no episode yet.
        """
        return float(self._plan().success[self.lake.start])

    def extra_info(self) -> dict[str, Any]:
        """Intended and executed move, moves made and length of the shortest path."""
        return {
            "intended_move": self._intended,
            "executed_move": self._executed,
            "moves_made": self._moves_made,
            "shortest_path": self._shortest_path,
        }

    def content(self) -> str:
        """The map in Gymnasium's letters, start and goal included."""
        return self.lake.text

    def render(self) -> Any:
        """The last observation in mode "ansi", an RGB array in mode "rgb_array", else None."""
        text = super().render()
        return picture(self.lake, self._cell) if self.render_mode == "rgb_array" else text

    def _draw(self, rng: np.random.Generator) -> Lake:
        return draw_lake(
            rng,
            size=self._shape,
            frozen=self._frozen,
            min_distance=self._min_distance,
            max_moves=self.max_moves,
            split=self.split,
        )

    def _plan(self) -> Plan:
        return plan(self.lake, self.success_rate, self.max_moves)


def _how_it_slips(success_rate: float) -> str:
    if success_rate == 1:
        return "The ice is not slippery: you always move in the direction that you choose."
    ahead, side = f"{success_rate:.6g}", f"{slip_probability(success_rate):.6g}"
    return (
        f"The ice is slippery: with probability {ahead} you move in the direction that you choose, "
        f"and with probability {side} each you slip to one of the two sides, perpendicular to it. "
        f"For example, Right moves you right with probability {ahead}, up with probability {side} "
        f"and down with probability {side}."
    )


def _check_probability(name: str, value: Any) -> None:
    if isinstance(value, (int, float)) and not 0 < value <= 1:
        raise ValueError(f"{name} must be in (0, 1], got {value}")
    check_number(name, value, 0, 1)


vector_env = partial(TextVectorEnv, FrozenLakeEnv)
