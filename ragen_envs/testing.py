"""check_text_env: does a text env keep the contract? For anybody's env, in one call."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

import gymnasium as gym

from ragen_envs.conformance import contract, replay, solving

CHECKS: dict[str, Callable[[contract.Make], Iterator[str]]] = {
    "gymnasium": contract.check_gymnasium,
    "interface": contract.check_interface,
    "info": contract.check_info,
    "actions": contract.check_actions,
    "garbage": contract.check_garbage,
    "reset needed": contract.check_reset_needed,
    "seeds": replay.check_seeds,
    "instances": replay.check_instances,
    "processes": replay.check_processes,
    "independence": replay.check_independence,
    "global random state": replay.check_global_random_state,
    "reset clears": replay.check_reset_clears,
    "copies": replay.check_copies,
    "looking": solving.check_looking,
    "stochastic": solving.check_stochastic,
    "solution": solving.check_solution,
}


def check_text_env(env: gym.Env[str, str]) -> None:
    """Check that a text env keeps the contract of `ragen_envs.core`.

    The checks: gymnasium's own `check_env`; the interface and the info contract; listed actions are
    valid in any letter case; garbage is a step that is marked invalid, never succeeds, earns no
    more than a valid action without effect, and leaves the observed state unchanged or uses up an
    attempt; `ResetNeeded` before reset and after termination; determinism over seeds and replays,
    and in two processes with different PYTHONHASHSEED where `env.spec` can be made again;
    independence of instances used in turns and in threads, and of global random state; reset clears
    everything; deepcopy and pickle continue equally; looking at an env does not change it; only a
    `stochastic` world leaves something to chance; and the env's own solution ends in success, in
    stochastic worlds as often as `optimal_success_probability()` says (300 episodes, 99% Wilson
    interval).

    Args:
        env: Any env with text observations and actions, from `gym.make` or a class, not yet reset.
            It is copied; the copies are played.

    Raises:
        AssertionError: One error that lists all violations, each with the name of its check.
    """
    violations: list[str] = []
    for name, check in CHECKS.items():
        try:
            found = list(check(lambda: copy.deepcopy(env)))
        except Exception as error:  # noqa: BLE001 (one check: what it raises is its finding)
            found = [f"raised {type(error).__name__}: {error}"]
        violations += [f"[{name}] {text}" for text in dict.fromkeys(found)]
    if violations:
        listed = "\n".join(f"- {violation}" for violation in violations)
        raise AssertionError(f"{env} breaks the contract of a text env:\n{listed}")
