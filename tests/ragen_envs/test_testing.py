"""Each check of check_text_env finds the env that breaks just its rule, and no other does."""

from __future__ import annotations

import re
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from ragen_envs.core import Outcome, TextEnv
from ragen_envs.spaces import TextSpace
from ragen_envs.testing import CHECKS, check_text_env
from tests.ragen_envs.corridor import CorridorEnv


def failed_checks(env: gym.Env[str, str]) -> set[str]:
    try:
        check_text_env(env)
    except AssertionError as error:
        return set(re.findall(r"^- \[(.*?)\]", str(error), re.MULTILINE))
    return set()


def test_env_that_keeps_the_contract_passes():
    check_text_env(CorridorEnv())


def test_every_violation_is_listed_in_one_error():
    class Silent(NoInstructions):
        def solution(self):
            return ["left"]

    with pytest.raises(AssertionError) as error:
        check_text_env(Silent())
    assert "[interface] instructions must not be empty" in str(error.value)
    assert "[solution] solution() of reset(seed=0) does not end in success" in str(error.value)


class TextOfLettersOnly(CorridorEnv):
    """Gymnasium's own space: the observation, with its dots, is not in it."""

    def __init__(self) -> None:
        super().__init__()
        self.observation_space = gym.spaces.Text(10)  # type: ignore[assignment]


class NoInstructions(CorridorEnv):
    instructions = ""


class InstructionsThatChange(CorridorEnv):
    @property
    def instructions(self) -> str:
        return f"You are at {self.cell}."


class InstructionsInObservation(CorridorEnv):
    def observe(self) -> str:
        return f"{self.instructions}\n{super().observe()}"


class NumpyInfo(CorridorEnv):
    def extra_info(self) -> dict[str, Any]:
        return {"cell": np.int64(self.cell)}


class NestedInfo(CorridorEnv):
    def extra_info(self) -> dict[str, Any]:
        return {"state": {"cell": self.cell}}


class KeyThatComesLate(CorridorEnv):
    def extra_info(self) -> dict[str, Any]:
        return {"moved": True} if self.cell else {}


class ReusedInfo(CorridorEnv):
    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, Any] = {}

    def _info(self, outcome: Outcome) -> dict[str, Any]:
        self.kept.update(super()._info(outcome))
        return self.kept


class WrongSeed(CorridorEnv):
    def _info(self, outcome: Outcome) -> dict[str, Any]:
        return super()._info(outcome) | {"seed": 0}


class SilentInvalid(CorridorEnv):
    def act(self, action: str) -> Outcome:
        outcome = super().act(action)
        return outcome if outcome.valid else Outcome(-0.1, valid=False, effective=False)


class SameForEverySeed(CorridorEnv):
    def setup(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        self.goal, self.cell = 2, 0


class DrawsFromItself(CorridorEnv):
    """The instance depends on how often it was reset, not on the seed alone."""

    def __init__(self) -> None:
        super().__init__()
        self.mine = np.random.default_rng(5)

    def setup(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        super().setup(self.mine, options)


class InstanceIdIgnored(CorridorEnv):
    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return super().reset(seed=seed, options={} if options else options)


class SaltedHash(CorridorEnv):
    def setup(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        self.goal = 1 + hash(f"cell {options['instance']}") % 4
        self.cell = 0


class SharedCell(CorridorEnv):
    shared: dict[str, int] = {"cell": 0}  # noqa: RUF012

    @property
    def cell(self) -> int:
        return self.shared["cell"]

    @cell.setter
    def cell(self, value: int) -> None:
        self.shared["cell"] = value


class GlobalDraw(CorridorEnv):
    def setup(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        super().setup(rng, options)
        self.goal = 1 + (self.goal + int(np.random.randint(4))) % 4  # noqa: NPY002


class RaisesOnGarbage(CorridorEnv):
    def act(self, action: str) -> Outcome:
        action.encode("utf-8")  # a lone surrogate cannot be encoded
        return super().act(action)


class GarbageIsValid(CorridorEnv):
    def act(self, action: str) -> Outcome:
        outcome = super().act(action)
        return outcome if outcome.valid else Outcome(-0.1, effective=False)


class GarbagePays(CorridorEnv):
    def act(self, action: str) -> Outcome:
        outcome = super().act(action)
        if outcome.valid:
            return outcome
        return Outcome(0.0, valid=False, effective=False, message=outcome.message)


class GarbageMoves(CorridorEnv):
    def act(self, action: str) -> Outcome:
        outcome = super().act(action)
        if not outcome.valid:
            self.goal = 1 + self.goal % 4
        return outcome


class GarbageWins(CorridorEnv):
    def act(self, action: str) -> Outcome:
        outcome = super().act(action)
        if "answer" not in action:
            return outcome
        return Outcome(-0.1, True, True, valid=False, message=outcome.message)


class ReasonBehindTheObservation(CorridorEnv):
    def step(self, action: str) -> Any:
        observation, *rest = super().step(action)
        return ("\n\n".join(reversed(observation.split("\n\n"))), *rest)


class AnswersThatMove(CorridorEnv):
    """Garbage moves the goal, and no number of it ends the episode."""

    max_attempts = 2

    def act(self, action: str) -> Outcome:
        outcome = super().act(action)
        if not outcome.valid:
            self.goal = 1 + self.goal % 4
        return outcome


class LastGarbagePays(CorridorEnv):
    """A world of three attempts, of which the last pays whatever it is."""

    max_attempts = 3

    def setup(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        super().setup(rng, options)
        self.left = 3

    def act(self, action: str) -> Outcome:
        self.left -= 1
        outcome = super().act(action)
        if outcome.valid or self.left:
            return outcome
        return Outcome(0.5, True, valid=False, message=outcome.message)


class GarbageIsTheWayOut(CorridorEnv):
    """Every valid action has an effect and costs more than garbage does."""

    def act(self, action: str) -> Outcome:
        outcome = super().act(action)
        if not outcome.valid:
            return outcome
        return Outcome(-1.0, outcome.terminated, outcome.success)


class RaisesLater(CorridorEnv):
    def act(self, action: str) -> Outcome:
        if not action and self.cell:
            raise IndexError("string index out of range")
        return super().act(action)


class ListsWhatItRefuses(CorridorEnv):
    def available_actions(self) -> tuple[str, ...]:
        return ("left", "right", "jump")


class MindsLetterCase(CorridorEnv):
    def act(self, action: str) -> Outcome:
        return super().act(action if action in ("left", "right") else "no")


class EffectOfNothing(CorridorEnv):
    def _info(self, outcome: Outcome) -> dict[str, Any]:
        return super()._info(outcome) | {"action_is_effective": True}


class SolutionThatMoves(CorridorEnv):
    def solution(self) -> list[str] | None:
        plan = super().solution()
        self.cell = 0
        return plan


class SecretChance(CorridorEnv):
    """Slips, and says that it does not; without a solution, nothing else shows it."""

    def act(self, action: str) -> Outcome:
        slips = self.chance.random() < 0.5
        return super().act("left" if slips and action == "right" else action)

    def solution(self) -> list[str] | None:
        return None


class PlaysBeforeReset(CorridorEnv):
    def __init__(self) -> None:
        super().__init__()
        self._playing = True


class PlaysAfterTheEnd(CorridorEnv):
    def step(self, action: str) -> Any:
        result = super().step(action)
        self._playing = True
        return result


class ScoreThatSurvivesReset(CorridorEnv):
    def __init__(self) -> None:
        super().__init__()
        self.visited = 0

    def act(self, action: str) -> Outcome:
        self.visited += 1
        return super().act(action)

    def extra_info(self) -> dict[str, Any]:
        return {"visited": self.visited}


class Unpicklable(CorridorEnv):
    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("holds an open socket")

    def __deepcopy__(self, memo: Any) -> Unpicklable:
        twin = Unpicklable()
        twin.__dict__.update(self.__dict__)
        return twin


class WrongSolution(CorridorEnv):
    def solution(self) -> list[str] | None:
        return ["left"]


class OverconfidentOracle(CorridorEnv):
    """Half of the moves slip back, but the oracle promises certain success within the limit."""

    stochastic = True

    def setup(self, rng: np.random.Generator, options: dict[str, Any]) -> None:
        super().setup(rng, options)
        self.moves = 0

    def act(self, action: str) -> Outcome:
        outcome = super().act(action)
        if not outcome.valid or outcome.terminated:
            return outcome
        ended = bool(self.chance.random() < 0.5)
        return Outcome(outcome.reward, ended, False, True, outcome.effective)

    def optimal_success_probability(self) -> float:
        return 1.0


BROKEN: list[tuple[type[TextEnv], str]] = [
    (TextOfLettersOnly, "gymnasium"),
    (NoInstructions, "interface"),
    (InstructionsThatChange, "interface"),
    (InstructionsInObservation, "interface"),
    (NumpyInfo, "info"),
    (NestedInfo, "info"),
    (KeyThatComesLate, "info"),
    (SilentInvalid, "info"),
    (ReusedInfo, "info"),
    (WrongSeed, "info"),
    (SameForEverySeed, "seeds"),
    (DrawsFromItself, "seeds"),
    (InstanceIdIgnored, "instances"),
    (SharedCell, "independence"),
    (GlobalDraw, "global random state"),
    (RaisesOnGarbage, "garbage"),
    (GarbageIsValid, "garbage"),
    (GarbagePays, "garbage"),
    (GarbageMoves, "garbage"),
    (GarbageWins, "garbage"),
    (ReasonBehindTheObservation, "garbage"),
    (AnswersThatMove, "garbage"),
    (LastGarbagePays, "garbage"),
    (GarbageIsTheWayOut, "garbage"),
    (RaisesLater, "garbage"),
    (ListsWhatItRefuses, "actions"),
    (MindsLetterCase, "actions"),
    (EffectOfNothing, "info"),
    (SolutionThatMoves, "looking"),
    (SecretChance, "stochastic"),
    (PlaysBeforeReset, "reset needed"),
    (PlaysAfterTheEnd, "reset needed"),
    (ScoreThatSurvivesReset, "reset clears"),
    (Unpicklable, "copies"),
    (WrongSolution, "solution"),
    (OverconfidentOracle, "solution"),
]

# Breaking these rules cannot be done without breaking others, named here.
ALSO = {
    DrawsFromItself: {"actions", "gymnasium", "instances", "looking", "reset clears", "stochastic"},
    GlobalDraw: set(CHECKS) - {"interface", "info", "garbage", "reset needed", "solution"},
    InstanceIdIgnored: {"stochastic"},
    ReusedInfo: {"gymnasium"},
    ScoreThatSurvivesReset: {"actions", "gymnasium", "looking", "seeds"},
    SharedCell: {"copies"},
    WrongSeed: {"instances"},
}


@pytest.mark.parametrize(
    ("env", "check"), BROKEN, ids=lambda value: getattr(value, "__name__", value)
)
def test_env_that_breaks_one_rule_fails_its_check(env: type[TextEnv], check: str):
    found = failed_checks(env())
    assert check in found
    assert found - {check} <= ALSO.get(env, set())


def test_salted_hash_is_found_in_two_processes():
    gym.register("tests/Salted-v0", entry_point="tests.ragen_envs.test_testing:SaltedHash")
    try:
        assert failed_checks(gym.make("tests/Salted-v0")) == {"processes"}
    finally:
        del gym.registry["tests/Salted-v0"]


def test_every_check_is_tested():
    assert {check for _, check in BROKEN} | {"processes"} == set(CHECKS)


def test_text_space_is_no_gymnasium_text():
    assert not isinstance(TextSpace(), gym.spaces.Text)
