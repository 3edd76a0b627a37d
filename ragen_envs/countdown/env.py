"""CountdownEnv: make the target from the given numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ragen_envs.arguments import check_choice, check_int
from ragen_envs.core import Outcome, TextEnv
from ragen_envs.countdown.expressions import OPERATORS, label
from ragen_envs.countdown.generator import Bounds, Puzzle, content, generate
from ragen_envs.countdown.judge import examine
from ragen_envs.countdown.solver import (
    MAX_NUMBERS,
    MIN_NUMBERS_FOR_FRACTIONS,
    NEEDS,
    Needs,
    find,
    signed,
)
from ragen_envs.vector import TextVectorEnv

_MAX_NUMBER = 999
_MAX_TARGET = 99_999
_EXAMPLES = ("1 + 2", "3 * (4 - 5) / 6")

_INSTRUCTIONS = """\
You are playing Countdown. Write one arithmetic expression that is worth exactly the target.

Rules:
- Use each of the given numbers exactly once, and no other number. A number that is given twice is \
used twice. Digits may not be joined into new numbers.
- The only operators are + - * /, and parentheses may group. * and / come before + and -.
- The arithmetic is exact: nothing is rounded, and values in between may be fractions or negative. \
Division by zero is not allowed.
- Answer with the expression alone: no words, no steps, no "= target" behind it.

Example: for the target 200 and the numbers 1, 150, 3, 1 a right answer is
150 * (1 + 1 / 3)"""
_ATTEMPTS = """

You have {max_attempts} attempts. An answer that cannot be read uses one up, too."""


class CountdownEnv(TextEnv):
    """Make the target from the given numbers with + - * / and parentheses.

    ## Task
    Every number is to be used exactly once, in exact rational arithmetic. The puzzles are grown
    from a solution, so none is unsolvable; the order of the numbers says nothing about it. Seed 0
    of `ragen/Countdown-v0`:

        Target: 67
        Numbers: 18, 13, 3

    With `max_attempts` above 1 a third line counts the attempts, `Attempts left: 2`.

    ## Actions
    One expression, such as `13 + 3 * 18`; `ragen_envs.countdown.judge` has the whole grammar. Every
    reply uses up an attempt, valid or not. After a wrong answer the world says that it is wrong, or
    by which rule it is invalid, and never what it was worth.

    ## Rewards
    | answer | ends the episode | earlier |
    |---|---|---|
    | correct | 1 | - |
    | the right numbers, another value | 0.1 | 0 |
    | invalid | 0 | 0 |

    The return is what the last answer earned: earlier answers earn nothing, or the 0.1 could be
    collected at each.

    ## Episode end
    Termination: a correct answer (`success`), or the attempts are used up. Never truncated.

    ## Info
    Beside the keys of every text world:
    - `numbers` tuple of int, as shown; `target` int; `attempts_left` int.
    - `solution_operations` str: the operators of the stored solution, each once, in the order
      `+-*/`; `solution_fractions` bool: whether that solution passes through a non-integer. What no
      solution can do without is another question: see `needs`.

    ## Arguments
    - `count=(3, 4)`: how many numbers, as (fewest, most) or one int for both; in [2, 6].
    - `number_range=(1, 99)`: least and largest number, in [1, 999].
    - `target_range=(10, 99)`: least and largest target, in [1, 99999].
    - `needs=None`: only puzzles of which `ragen_envs.countdown.needs` proves just this: "additive"
      (+ and - are enough), "multiplicative" (they are not, but integers in between are) or
      "fractions" (every solution passes through a non-integer; takes 4 numbers or more). None for
      all: of the puzzles of Countdown-v0 about 32% are additive, 66% multiplicative and 2% need
      fractions; of those of CountdownHard-v0 2%, 95% and 2%.
    - `max_attempts=1`: answers that an episode allows.
    - `split="train"`: or "validation", "test"; a hash of the sorted numbers and the target decides.
    - `render_mode=None`: or "ansi".
    - `puzzles=None`: your own puzzles instead, as (numbers, target) pairs of 1 to 6 positive ints
      and an int; the instances are then `given-0`, `given-1`, ... and `count`, `number_range`,
      `target_range` and `split` have no effect.

    ## Registered ids
    | id | count | number_range | target_range |
    |---|---|---|---|
    | `ragen/Countdown-v0` | 3-4 | 1-99 | 10-99 |
    | `ragen/CountdownHard-v0` | 5-6 | 1-99 | 100-999 |

    ## Real data
    Nothing is downloaded. `puzzles=[(row["nums"], row["target"]) for row in rows]` plays the rows
    of, for instance, Jiayi-Pan/Countdown-Tasks-3to4 (TinyZero's data, 3-4 numbers).

    ## Version history
    - v0: rewards of RAGEN's Countdown, and of TinyZero before it, without their faults. They run
      the answer with `eval`: here a parser reads it, so code is invalid and `99**98**97` does not
      hang. They compare all digits that they find, so `1.5*2`, `1e5/2` and `1_0+4` pass as uses of
      1 and 5 or 1 and 0, and `5 # 3 2` as a use of all three: here every character counts. They
      accept whatever Python does (`//`, `**`, `%`, `<<`, `3<5`, `5 if 3 else 2`): here + - * /
      alone. They allow an error of 1e-5, which `50+1/(98*99*97)` is within: here the value is
      exact. They refuse typeset operators and a closing "= target": here they are read. The test
      of solvability tries + and - only, so puzzles that need * or / are dropped: here `needs`
      tells them apart. Every answer is reported as valid: here the invalid ones are named.

    Raises:
        TypeError: An argument is of the wrong type.
        ValueError: An argument is out of range, the ranges leave no puzzle, or one of `puzzles` is
            malformed or has no solution (a search proves it: about 0.1 ms for 3 numbers, 1 ms
            for 4, 10 ms for 5, 0.2 s for 6).
    """

    def __init__(
        self,
        *,
        count: int | tuple[int, int] = (3, 4),
        number_range: tuple[int, int] = (1, 99),
        target_range: tuple[int, int] = (10, 99),
        needs: Needs | None = None,
        max_attempts: int = 1,
        split: str = "train",
        render_mode: str | None = None,
        puzzles: Sequence[tuple[Sequence[int], int]] | None = None,
    ) -> None:
        super().__init__(split=split, render_mode=render_mode, action_examples=_EXAMPLES)
        check_int("max_attempts", max_attempts, 1)
        self.max_attempts: int = max_attempts
        self._bounds = Bounds(
            _checked_range(
                "count", (count, count) if isinstance(count, int) else count, 2, MAX_NUMBERS
            ),
            _checked_range("number_range", number_range, 1, _MAX_NUMBER),
            _checked_range("target_range", target_range, 1, _MAX_TARGET),
        )
        self._needs = _checked_needs(needs, self._bounds)
        self._given: list[Puzzle] | None = None
        if puzzles is not None:
            if needs is not None:
                raise ValueError(f"needs must be None where puzzles are given, got {needs!r}")
            self._given = _checked_puzzles(puzzles)
            self.num_instances = len(self._given)
            self.split = "given"
        else:
            # Arguments that leave no puzzle fail here.
            generate(np.random.default_rng(0), self._bounds, split, self._needs)

    @property
    def instructions(self) -> str:
        """The rules, the form of an answer and an example."""
        if self.max_attempts == 1:
            return _INSTRUCTIONS
        return _INSTRUCTIONS + _ATTEMPTS.format(max_attempts=self.max_attempts)

    def setup(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        """Draw a puzzle of the split, or take the given one."""
        if self._given is None:
            self._puzzle = generate(rng, self._bounds, self.split, self._needs)
        else:
            self._puzzle = self._given[options["instance"]]
        self._attempts_left = self.max_attempts
        self._solved = False

    def act(self, action: str) -> Outcome:
        """Judge one answer; it uses up an attempt whatever it is."""
        self._attempts_left -= 1
        verdict, reason = examine(action, self._puzzle.numbers, self._puzzle.target)
        if verdict == "correct":
            self._solved = True
            return Outcome(1.0, terminated=True, success=True, message="Correct.")
        last = self._attempts_left == 0
        if verdict == "invalid":
            message = f"Invalid answer: {reason}."
            return Outcome(0.0, terminated=last, valid=False, effective=False, message=message)
        message = "Wrong: the expression is not worth the target."
        return Outcome(0.1 if last else 0.0, terminated=last, message=message)

    def observe(self) -> str:
        """The target, the numbers and, where there are several, the attempts left."""
        lines = [
            f"Target: {self._puzzle.target}",
            f"Numbers: {', '.join(map(str, self._puzzle.numbers))}",
        ]
        if self.max_attempts > 1:
            lines.append(f"Attempts left: {self._attempts_left}")
        return "\n".join(lines)

    def available_actions(self) -> tuple[str, ...]:
        """Empty: the expressions cannot be listed."""
        return ()

    def solution(self) -> list[str] | None:
        """The stored solution; None once the episode has ended."""
        over = self._solved or self._attempts_left == 0
        return None if over else [self._puzzle.solution]

    def extra_info(self) -> dict[str, Any]:
        """The keys that the class docstring declares."""
        return {
            "numbers": self._puzzle.numbers,
            "target": self._puzzle.target,
            "attempts_left": self._attempts_left,
            "solution_operations": self._puzzle.operations,
            "solution_fractions": self._puzzle.fractions,
        }

    def content(self) -> str:
        """The sorted numbers and the target, which decide the split."""
        return content(self._puzzle.numbers, self._puzzle.target)

    def random_action(self, rng: np.random.Generator) -> str:
        """A random expression of the given numbers, each used once."""
        parts = [str(number) for number in self._puzzle.numbers]
        while len(parts) > 1:
            left, right, *others = (parts[i] for i in rng.permutation(len(parts)).tolist())
            operator = OPERATORS[int(rng.integers(len(OPERATORS)))]
            parts = [*others, f"({left} {operator} {right})"]
        return parts[0]


def _checked_range(name: str, value: Any, low: int, high: int) -> tuple[int, int]:
    if not isinstance(value, Sequence) or len(value) != 2:
        raise TypeError(f"{name} must be a pair (least, largest), got {value!r}")
    for end in value:
        check_int(name, end, low, high)
    least, largest = value
    if least > largest:
        raise ValueError(f"{name} must have its least value first, got {value!r}")
    return least, largest


def _checked_needs(needs: Needs | None, bounds: Bounds) -> Needs | None:
    if needs is not None:
        check_choice("needs", needs, NEEDS)
    if needs == "fractions" and bounds.count[1] < MIN_NUMBERS_FOR_FRACTIONS:
        raise ValueError(
            f"needs='fractions' takes a count of at least {MIN_NUMBERS_FOR_FRACTIONS}, "
            f"got {bounds.count}"
        )
    return needs


def _checked_puzzles(puzzles: Any) -> list[Puzzle]:
    if isinstance(puzzles, str) or not isinstance(puzzles, Sequence):
        raise TypeError(f"puzzles must be a sequence of (numbers, target), got {puzzles!r}")
    if not puzzles:
        raise ValueError(f"puzzles must hold at least one puzzle, got {puzzles!r}")
    return [_checked_puzzle(index, puzzle) for index, puzzle in enumerate(puzzles)]


def _checked_puzzle(index: int, puzzle: Any) -> Puzzle:
    """A puzzle of the user with its solution found; errors name its index."""
    try:
        numbers, target = puzzle
    except (TypeError, ValueError):
        raise ValueError(f"puzzles[{index}] must be (numbers, target), got {puzzle!r}") from None
    try:
        found = find(numbers, target)
    except ValueError as error:
        raise ValueError(f"puzzles[{index}]: {error}") from error
    if min(numbers) < 1:
        raise ValueError(f"puzzles[{index}]: numbers must be positive, got {numbers!r}")
    if found is None:
        raise ValueError(f"puzzles[{index}] must have a solution, got {puzzle!r}")
    tree = found[1]
    return Puzzle(tuple(numbers), target, signed(tree, target), *label(tree))


vector_env = partial(TextVectorEnv, CountdownEnv)
