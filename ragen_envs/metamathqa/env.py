"""MetaMathQAEnv: answer a mathematical question, with several attempts."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ragen_envs.arguments import check_choice, check_int
from ragen_envs.core import Outcome, TextEnv
from ragen_envs.metamathqa import compare_answers, extract_answer
from ragen_envs.metamathqa.datasets import questions_of, source_of
from ragen_envs.metamathqa.problems import DIFFICULTIES, TYPES, Problem, generate
from ragen_envs.metamathqa.problems.finished import is_finished
from ragen_envs.vector import TextVectorEnv

_EXAMPLES = ("The answer is: 18", "\\boxed{\\frac{3}{4}}", "12.5")
_LARGEST_GUESS = 999
_INVALID = {
    "no_answer": "there is none in the reply.",
    "unparsed": "it cannot be read.",
    "calculation": "give the value itself, not a calculation.",
}
_EXCLAMATION = re.compile(r"(?<!\\)!")

# What an answer in figures or number words cannot do without.
_VALUE = re.compile(
    r"[0-9π∞]|\\(?:pi|infty)\b|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred)\b",
    re.IGNORECASE,
)

_INSTRUCTIONS = """\
You are solving mathematical problems. Read the question and answer it.

Rules:
- Give one final answer: "The answer is: X", "\\boxed{X}" or only X.
- X may be a number, a fraction such as 3/4 or \\frac{3}{4}, a mixed number, an amount of money, a \
percentage, an expression with roots or \\pi, a pair, a list, an interval, an inequality, a \
polynomial, a time or a word, whatever the question asks for.
- Answers are compared by value: 0.5, 1/2 and \\frac{1}{2} are the same. Nothing is rounded, so \
0.333 is not 1/3.
- Work the value out: 42 is an answer, and 6 * 7 is a calculation, which is invalid.
- In some questions a number is hidden behind an unknown x or X. Then answer with its value.

Example: for the question "A box holds 12 pens. How many pens are in 4 boxes?" a right answer is
The answer is: 48"""
_ATTEMPTS = """

You have {max_attempts} attempts. The first is worth 1, and each further one half as much as the \
one before it. An answer that cannot be read uses one up, too."""


class MetaMathQAEnv(TextEnv):
    r"""Answer a mathematical question; each further attempt is worth half as much.

    ## Task
    Questions of the eight MetaMath types: grade-school word problems (GSM) and competition-like
    problems (MATH), each as it is (AnsAug), in other words (Rephrased), or backward, where one
    number is hidden behind x and the answer is known: as a statement (SV, self-verification) or as
    the question with its answer (FOBAR). By default they are made from over a hundred templates,
    with exact answers. Seed 0 of `ragen/MetaMathQA-v0` (the question is one line):

        A floor that measures 544 centimetres by 816 centimetres is to be covered with equal square
        tiles, without cutting any. What is the greatest possible side of a tile, in centimetres?

        Attempts left: 5

    With `max_attempts=1` the observation is the question alone. The answer is practically never a
    number of the question.

    ## Actions
    One answer: `The answer is: X`, `\boxed{X}` or only X; `ragen_envs.metamathqa.answers` has the
    forms and what is taken to be equal. Every reply uses up an attempt, valid or not; one that
    cannot be read as a value is invalid. After a wrong answer the world says that it is wrong, and
    nothing else about it.

    A value must be worked out, or the formula of the question would be its answer. `6*7`, `20+3`,
    `84/2`, `2^3`, `4!`, `\sqrt{16}`, `(n+1)(n+2)` and `0.\overline{3}` are invalid, whether they
    equal the answer or not. `42`, `42.0`, `2/6`, `1 1/3`, `3\sqrt{5}`, `5\pi/3`, `2n^2 + n` and
    lists of such values are answers; lowest terms are not demanded.
    `ragen_envs.metamathqa.problems.finished` has the rule. Real data may have any expression for an
    answer; there only a calculation that is copied from the question is invalid, unless it is the
    gold answer to the letter.

    ## Rewards
    | answer | reward |
    |---|---|
    | right, at attempt k = 0, 1, ... | 1 / 2^k, and the episode ends |
    | wrong or invalid | 0 |

    ## Episode end
    Termination: a right answer (`success`), or the attempts are used up. Never truncated.

    ## Info
    Beside the keys of every text world:
    - `attempts_left` int.
    - `question_type` str: one of the eight types; in real data the column `type`, "GSM8K" or
      "MATH". `topic` str and `template` str: of the template; in MATH files the subject, else "".
      `level` int: 1 to 3, of the template; in MATH files 1 to 5, else 0.

    ## Arguments
    - `difficulty="normal"`: what is made; it has no effect on real data. "easy": templates of level
      1 (a step or two), twice as many word problems as competition-like ones, a third of them
      backward; "normal": levels 1 and 2 with larger numbers, all eight types alike; "hard": levels
      2 and 3 (many steps, or an idea) with still larger numbers, twice as many competition-like
      ones, two thirds of them backward.
    - `types=None`: only these of the eight types, such as `("GSM_SV", "GSM_FOBAR")`; None for all.
    - `max_attempts=5`: answers that an episode allows.
    - `dataset=None`: real data instead, see below.
    - `split="train"`: or "validation", "test". Decided by a hash of the template and its numbers
      (in real data of the original question), so the rephrasings and the backward versions of a
      problem are all in one split, whatever the difficulty.
    - `render_mode=None`: or "ansi".

    ## Registered ids
    | id | difficulty |
    |---|---|
    | `ragen/MetaMathQA-v0` | normal |
    | `ragen/MetaMathQAHard-v0` | hard |

    ## Real data
    `dataset="meta-math/MetaMathQA"` loads that set (about 395,000 rows made from GSM8K and MATH;
    its card has the licence) from the hub, for which the extra `data` is needed. A path to a
    .jsonl, .json or .parquet file loads rows with the columns of MetaMathQA (query, response, type,
    original_question), GSM8K (question, answer) or MATH (problem, solution, level, type). The set
    is read once per process. The world is then finite, and instance n is row n of the split. Rows
    without a usable gold answer or original question are left out, counted and logged:
    `ragen_envs.metamathqa.datasets.load_questions(dataset).report()`.

    ## Version history
    - v0: the task and the rewards of RAGEN's MetaMathQA without its faults. It loads the data set
      anew in every env: here once per process, and by default none at all. It compares texts
      without spaces, so 18.0, $18 and \frac{1}{2} for 0.5 fail and "1 8" passes for 18: here values
      are compared. It takes all that follows the first "The answer is:" for gold, and rows without
      one can never be solved: here they are found when the data are read. It trains and validates
      on the same rows, and versions of one question are on both sides of any split by rows: here
      the original question decides. It never ends after a wrong answer: here `max_attempts` ends
      it. An empty answer looks like any other: here it is invalid.

    Raises:
        TypeError: An argument is of the wrong type.
        ValueError: An argument is out of range, or the data set has no row that is asked for.
        ImportError: The data set needs the extra `data`.
    """

    def __init__(
        self,
        *,
        difficulty: str = "normal",
        types: Sequence[str] | None = None,
        max_attempts: int = 5,
        dataset: str | os.PathLike[str] | None = None,
        split: str = "train",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(split=split, render_mode=render_mode, action_examples=_EXAMPLES)
        check_choice("difficulty", difficulty, list(DIFFICULTIES))
        check_int("max_attempts", max_attempts, 1)
        self.max_attempts: int = max_attempts
        self._difficulty = difficulty
        self._types = None if types is None else _checked_types(types)
        self._source = None if dataset is None else source_of(dataset)
        if self._source is not None:
            self.num_instances = len(questions_of(self._source, split, self._types))
            if self.num_instances == 0:
                raise ValueError(
                    f"dataset must have a row of split {split!r} and types {self._types}, "
                    f"got {self._source.name!r}"
                )

    @property
    def instructions(self) -> str:
        """The forms of an answer, how it is compared, and an example."""
        if self.max_attempts == 1:
            return _INSTRUCTIONS
        return _INSTRUCTIONS + _ATTEMPTS.format(max_attempts=self.max_attempts)

    def setup(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        """Draw a problem of the split, or take the row of the data set."""
        if self._source is None:
            self._problem = generate(rng, self._difficulty, self.split, self._types or TYPES)
        else:
            # Looked up each time: shared by all envs of the process, and no part of their state.
            rows = questions_of(self._source, self.split, self._types)
            self._problem = rows[options["instance"]]
        self._attempts_left = self.max_attempts
        self._solved = False

    def act(self, action: str) -> Outcome:
        """Judge one answer; it uses up an attempt whatever it is."""
        reward = 0.5 ** (self.max_attempts - self._attempts_left)
        self._attempts_left -= 1
        status = self._judged(action)
        if status == "equal":
            self._solved = True
            return Outcome(reward, terminated=True, success=True, message="Correct.")
        last = self._attempts_left == 0
        if status == "different":
            return Outcome(0.0, terminated=last, message="Wrong answer.")
        message = f"Invalid answer: {_INVALID[status]}"
        return Outcome(0.0, terminated=last, valid=False, effective=False, message=message)

    def _judged(self, action: str) -> str:
        """What an answer is: "equal", "different", or one of `_INVALID`."""
        gold = self._problem.gold
        status = compare_answers(gold, action).status
        if status in ("no_answer", "unparsed"):
            return status
        answer = extract_answer(action) or ""
        if status == "different" and not _is_of_a_kind(answer, gold):
            return "unparsed"
        if self._is_calculation(answer):
            return "calculation"  # Of right and wrong ones alike, so that it gives nothing away.
        if status == "equal" and self._source is None and _EXCLAMATION.search(answer):
            return compare_answers(gold, _EXCLAMATION.sub("", answer)).status  # No factorial.
        return status

    def _is_calculation(self, answer: str) -> bool:
        """Whether an answer is not worked out; in real data, whether it is copied as well."""
        if self._source is not None and not _is_echo(answer, self._problem):
            return False
        return not is_finished(answer)

    def observe(self) -> str:
        """The question and, where there are several, the attempts left."""
        if self.max_attempts == 1:
            return self._problem.question
        return f"{self._problem.question}\n\nAttempts left: {self._attempts_left}"

    def available_actions(self) -> tuple[str, ...]:
        """Empty: the answers cannot be listed."""
        return ()

    def solution(self) -> list[str] | None:
        """The gold answer; None once the episode has ended."""
        over = self._solved or self._attempts_left == 0
        return None if over else [f"The answer is: {self._problem.gold}"]

    def extra_info(self) -> dict[str, Any]:
        """The keys that the class docstring declares."""
        return {
            "attempts_left": self._attempts_left,
            "question_type": self._problem.type,
            "topic": self._problem.topic,
            "template": self._problem.template,
            "level": self._problem.level,
        }

    def content(self) -> str:
        """The problem before rephrasing and masking, which decides the split."""
        return self._problem.content

    def random_action(self, rng: np.random.Generator) -> str:
        """A guess: a whole number that owes nothing to the question."""
        return f"The answer is: {rng.integers(_LARGEST_GUESS) + 1}"


def _is_of_a_kind(answer: str, gold: str) -> bool:
    """Whether an answer is a value or, where words are asked for, a word (or a letter) as well."""
    if _VALUE.search(answer):
        return True
    if _VALUE.search(gold) or len(answer.split()) > len(gold.split()):
        return False
    return (_letters(answer) == 1) == (_letters(gold) == 1)


def _is_echo(answer: str, problem: Problem) -> bool:
    """Whether an answer stands in the question, and is not the gold answer to the letter."""
    copied, question, gold = map(_without_blanks, (answer, problem.question, problem.gold))
    return copied in question and copied != gold


def _without_blanks(text: str) -> str:
    return re.sub(r"[\s$]+", "", text).rstrip(".")


def _letters(text: str) -> int:
    return sum(character.isalpha() for character in text.removeprefix("\\text"))


def _checked_types(types: Sequence[str]) -> tuple[str, ...]:
    if isinstance(types, str) or not isinstance(types, Sequence):
        raise TypeError(f"types must be a sequence of types, got {types!r}")
    if not types:
        raise ValueError(f"types must not be empty; the types are {list(TYPES)}")
    for question_type in types:
        check_choice("types", question_type, TYPES)
    return tuple(types)


vector_env = partial(TextVectorEnv, MetaMathQAEnv)
