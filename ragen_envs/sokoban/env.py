"""SokobanEnv: push every box onto a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ragen_envs.arguments import check_choice, checked_size, checked_symbols
from ragen_envs.core import Outcome, TextEnv, quoted
from ragen_envs.sokoban.generator import MAX_SIDE, MIN_SIDE, Recipe, generate, plan_of
from ragen_envs.sokoban.instructions import instructions_for
from ragen_envs.sokoban.level import ACTIONS, Level
from ragen_envs.sokoban.rendering import OBSERVATION_FORMATS, SYMBOLS, LevelText, image_of
from ragen_envs.sokoban.solver import PUSH_NODES, Plan
from ragen_envs.vector import TextVectorEnv

STEP_REWARD = -0.1
BOX_ON_TARGET_REWARD = 1.0
BOX_OFF_TARGET_REWARD = -1.0
SOLVED_REWARD = 10.0

_BY_NAME = {action.casefold(): index for index, action in enumerate(ACTIONS)}


class SokobanEnv(TextEnv):
    """Push every box onto a target, in levels that are proved solvable.

    ## Task

    A room with walls, boxes, as many targets, and the player. A box can be pushed but not pulled,
    and only one at a time, so a wrong push may be final. Seed 0 of `ragen/Sokoban-v0`:

        ######
        #__#P#
        #__X_#
        #____#
        #_O###
        ######

    `#` wall, `_` floor, `O` target, `X` box, `√` box on a target, `P` player, `S` player on a
    target. With `observation_format="coordinates"` the same position is

        Player: (1, 4)
        Boxes: (2, 3)
        Targets: (4, 2)
        Walls: all of rows 0 and 5 and of columns 0 and 5, and (1, 3), (4, 3), (4, 4)

    as (row, column), counted from 0 at the upper left; "grid+coordinates" shows both.

    ## Actions

    `Up`, `Down`, `Left`, `Right`, whatever the case and the white space around. Moving into a box
    pushes it, if the cell behind it is neither wall nor box. A move that is blocked is valid, has
    no effect and counts as an action.

    ## Rewards

    | what happens                              | reward |
    |-------------------------------------------|--------|
    | each action, valid or not                 | -0.1   |
    | a box is pushed onto a target             | +1     |
    | a box is pushed off a target              | -1     |
    | all boxes are on targets                  | +10    |

    What applies is added up: the push that solves a level with one box earns 10.9, and solving it
    in n moves 11 - 0.1 n. Pushing a box on and off again never pays.

    ## Episode end

    Terminated when every box is on a target, and only then: a box that is stuck ends nothing.
    TimeLimit truncates (see Registered ids).

    ## Info

    Beside the keys of every text world:

    - `solution_moves` int: moves of the plan that the level carries, from its start; the same
      throughout an episode. -1 in a given level without a known plan.
    - `solution_pushes` int: how many of them push a box; -1 likewise.
    - `boxes_on_target` int: boxes that are on a target now.
    - `num_boxes` int: boxes of the level.

    None of them is in an observation. A generated level's plan has the fewest moves on boards with
    one box and at most 16 inner cells (6x6), and the fewest pushes with shortest walks between
    them elsewhere. `solve_optimal(level)` finds the fewest moves of any level.

    ## Arguments

    - `size=(6, 6)`: (rows, columns) with the outer walls, each in [5, 20]; an int is a square.
    - `num_boxes=1`: in [1, 5] and below a third of the inner cells (2 in 5x5, 5 in 6x6).
    - `max_moves=10`: every generated level is solved by its plan within as many moves, at most
      1000.
    - `min_pushes=1`: pushes that any plan needs at least; up to 5 in 6x6 with one box.
    - `observation_format="grid"`: or "coordinates", "grid+coordinates".
    - `symbols=None`: a mapping of "wall", "floor", "target", "box_on_target", "box", "player",
      "player_on_target" to other characters, all distinct.
    - `levels=None`: level texts to play instead of generated ones; `split`, `size`, `num_boxes`,
      `max_moves` and `min_pushes` then have no effect.
    - `split="train"`: or "validation", "test". The hash of a level's text decides.
    - `render_mode=None`: or "ansi", "rgb_array".

    An argument outside its range raises ValueError, one of a wrong type TypeError. One level is
    made at construction, so arguments that hardly any level can meet together raise there, after a
    bounded search.

    ## Registered ids

    | id                      | size, boxes | `max_moves` and limit |
    |-------------------------|-------------|-----------------------|
    | `ragen/Sokoban-v0`      | 6x6, 1      | 10                    |
    | `ragen/SokobanLarge-v0` | 8x8, 2      | 40                    |
    | `ragen/SokobanHard-v0`  | 10x10, 4    | 80                    |

    ## Real data

    None is shipped. `levels` takes texts in XSB (`#` wall, `@` player, `$` box, `.` target, `+`
    player on target, `*` box on target, `-` or space floor); their split is "given" and their ids
    are `given-0`, `given-1`, ... Each is checked at construction, but it may have no solution:
    `solution()` is then None, as it is where the search exceeds its budget.

    ## Version history

    - v0: First version. Rewards are those of RAGEN and gym-sokoban. Faults of theirs that it does
      not have: seeds made with `hash(str)`, which differ between processes; a search state in
      module globals and a global generator, so that levels differ under threads; recursion without
      bound when a room fails; levels that cannot be solved within the action budget, or not at
      all; coordinates without walls.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012 (Gymnasium's type)
    actions_per_turn = 5

    def __init__(
        self,
        *,
        size: int | tuple[int, int] = (6, 6),
        num_boxes: int = 1,
        max_moves: int = 10,
        min_pushes: int = 1,
        observation_format: str = "grid",
        symbols: Mapping[str, str] | None = None,
        levels: Sequence[str] | None = None,
        split: str = "train",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(split=split, render_mode=render_mode, action_examples=ACTIONS)
        check_choice("observation_format", observation_format, OBSERVATION_FORMATS)
        self._observation_format = observation_format
        self._symbols = checked_symbols(symbols, SYMBOLS)
        rows, columns = checked_size(size, MIN_SIDE, MAX_SIDE)
        self._recipe = Recipe(rows, columns, num_boxes, max_moves, min_pushes)
        self._levels: list[Level] | None = None
        if levels is None:
            _try(self._recipe, split)
        else:
            self._levels = _parse(levels)
            self.split = "given"
            self.num_instances = len(self._levels)

    @property
    def instructions(self) -> str:
        """Rules, symbols and actions, with an example in the format of the observations."""
        recipe = self._recipe if self._levels is None else None
        return instructions_for(recipe, self._symbols, self._observation_format)

    def setup(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        """Generate a level, or take the given one of that number."""
        plan: Plan | None
        if self._levels is None:
            self.level, plan = generate(rng, self._recipe, self.split)
        else:
            self.level = self._levels[options["instance"]]
            plan = _plan_of_given(self.level)
        self._solution_moves = -1 if plan is None else plan.moves
        self._solution_pushes = -1 if plan is None else plan.pushes
        # What is left of a plan, next action last, while the player follows it; else None.
        self._ahead = None if plan is None else list(reversed(plan.actions))
        self._boxes, self._player = self.level.boxes, self.level.player
        width = self.level.width
        self._steps = (-width, width, -1, 1)
        self._text = LevelText(self.level, self._symbols, self._observation_format)

    def act(self, action: str) -> Outcome:
        """Move, pushing a box where one is in the way."""
        direction = _BY_NAME.get(action.strip().casefold())
        if direction is None:
            reason = f"{quoted(action)} is not an action; the actions are {', '.join(ACTIONS)}."
            return Outcome(STEP_REWARD, valid=False, effective=False, message=reason)
        step = self._steps[direction]
        walls, goals = self.level.walls, self.level.goals
        target = self._player + step
        reward = STEP_REWARD
        if walls >> target & 1:
            return Outcome(reward, effective=False)
        if self._boxes >> target & 1:
            behind = target + step
            if (walls | self._boxes) >> behind & 1:
                return Outcome(reward, effective=False)
            self._boxes ^= 1 << target | 1 << behind
            reward += BOX_OFF_TARGET_REWARD * (goals >> target & 1)
            reward += BOX_ON_TARGET_REWARD * (goals >> behind & 1)
        self._player = target
        if self._ahead and self._ahead[-1] == ACTIONS[direction]:
            self._ahead.pop()
        else:
            self._ahead = None
        solved = self._boxes == goals
        if solved:
            reward += SOLVED_REWARD
        return Outcome(reward, terminated=solved, success=solved)

    def observe(self) -> str:
        """The position in the chosen format."""
        return self._text(self._boxes, self._player)

    def available_actions(self) -> tuple[str, ...]:
        """Always all four; a blocked one is valid and has no effect."""
        return ACTIONS

    def solution(self) -> list[str] | None:
        """What is left of the level's plan, or a new plan once the player has left it.

        Returns:
            Actions that solve the level from here, none when it is solved; None when it cannot be
            solved any more, or the search exceeds `PUSH_NODES` positions.
        """
        if self._ahead is None:
            plan = plan_of(self._now(), PUSH_NODES)
            if plan is None:
                return None
            self._ahead = list(reversed(plan.actions))
        return self._ahead[::-1]

    def extra_info(self) -> dict[str, Any]:
        """Length of the level's plan, and how many boxes are where they should be."""
        return {
            "solution_moves": self._solution_moves,
            "solution_pushes": self._solution_pushes,
            "boxes_on_target": (self._boxes & self.level.goals).bit_count(),
            "num_boxes": self._boxes.bit_count(),
        }

    def content(self) -> str:
        """The level at its start as XSB text: what the split is decided by."""
        return self.level.to_text()

    def render(self) -> Any:
        """The last observation in mode "ansi", an image in mode "rgb_array", else None.

        The image has shape `(16 * rows, 16 * columns, 3)` and dtype uint8.
        """
        text = super().render()
        if self.render_mode == "rgb_array":
            return image_of(self.level, self._boxes, self._player)
        return text

    def _now(self) -> Level:
        level = self.level
        return Level(level.height, level.width, level.walls, level.goals, self._boxes, self._player)


def _parse(levels: Sequence[str]) -> list[Level]:
    if isinstance(levels, str) or not isinstance(levels, Sequence):
        raise TypeError(f"levels must be a sequence of level texts, got {levels!r}")
    if not levels:
        raise ValueError(f"levels must hold at least one level text, got {levels!r}")
    parsed = []
    for number, text in enumerate(levels):
        if not isinstance(text, str):
            raise TypeError(f"levels must be texts, got {text!r} for level {number}")
        try:
            parsed.append(Level.from_text(text))
        except ValueError as error:
            raise ValueError(f"levels must be playable, got level {number}: {error}") from error
    return parsed


@lru_cache(maxsize=64)
def _try(recipe: Recipe, split: str) -> None:
    """Make one level, so that arguments which leave none fail at construction."""
    generate(np.random.default_rng(0), recipe, split)


@lru_cache(maxsize=1024)
def _plan_of_given(level: Level) -> Plan | None:
    """Plans of given levels, found once per process, as a hard one takes seconds."""
    return plan_of(level, PUSH_NODES)


vector_env = partial(TextVectorEnv, SokobanEnv)
