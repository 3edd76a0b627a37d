"""check_text_env: does a text env keep the contract? For anybody's env, in one call."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import os
import pickle
import re
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from ragen_envs.intervals import wilson_interval
from ragen_envs.transcripts import Event, apply, go_on, play, play_solution, start

Env = gym.Env[str, str]
Make = Callable[[], Env]

INFO_TYPES: dict[str, type] = {
    "instance_id": str,
    "split": str,
    "seed": int,
    "action_is_valid": bool,
    "action_is_effective": bool,
    "success": bool,
    "invalid_reason": str,
    "available_actions": tuple,
    "error": str,
}
GARBAGE = (
    "",
    " ",
    "\n\n",
    "no such action",
    "x" * 100_000,
    "(" * 100_000,
    "\U0001f9ca\U0001f600" * 50,
    "<answer>",
    "</think>",
    "<think>a<answer>b",
    "\x00",
    "\x07\x1b[31m\x7f",
    "\u202e\u2028\ufeff",
    "\ud800",
    "{}[]%s%n$(id)",
)
SEEDS = range(5)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
STOCHASTIC_EPISODES = 300


def check_text_env(env: Env) -> None:
    """Check that a text env keeps the contract of `ragen_envs.core`.

    The checks: gymnasium's own `check_env`; the interface and the info contract; determinism over
    seeds and replays, and in two processes with different PYTHONHASHSEED where `env.spec` can be
    made again; independence of instances used in turns and in threads, and of global random state;
    garbage is a step that is marked invalid, never succeeds, earns no more than a valid action
    without effect, and leaves the observed state unchanged or uses up an attempt; `ResetNeeded`
    before reset and after termination; reset clears everything; deepcopy and pickle continue
    equally; and the env's own solution ends in success, in stochastic worlds as often as
    `optimal_success_probability()` says (300 episodes, 99% Wilson interval).

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


def _check_gymnasium(make: Make) -> Iterator[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        env = make().unwrapped
        check_env(env, skip_render_check=env.spec is None)
    yield from (_COLOUR.sub("", str(warning.message)) for warning in caught)


def _check_interface(make: Make) -> Iterator[str]:
    env = make()
    types = {"instructions": str, "stochastic": bool, "actions_per_turn": int}
    for name, kind in types.items():
        if not env.has_wrapper_attr(name):
            yield f"{name} is missing"
        elif not isinstance(env.get_wrapper_attr(name), kind):
            yield f"{name} must be a {kind.__name__}, got {env.get_wrapper_attr(name)!r}"
    if not env.has_wrapper_attr("solution"):
        yield "solution is missing"
    if not env.has_wrapper_attr("instructions"):
        return
    before = env.get_wrapper_attr("instructions")
    if not before:
        yield "instructions must not be empty"
    for event in play(env, 0):
        if before and before in event.observation:
            yield "instructions must not be part of an observation"
    if env.get_wrapper_attr("instructions") != before:
        yield "instructions must stay the same for the life of the env"


def _check_info(make: Make) -> Iterator[str]:
    env = make()
    _, at_reset = env.reset(seed=0)
    if env.step("no such action")[4] is at_reset:
        yield "info must be a new dict at each step"
    keys: set[str] | None = None
    for seed in SEEDS:
        for event in play(env, seed):
            where = "reset" if event.action is None else "step"
            yield from _info_violations(event, seed, where)
            keys = keys or set(event.info)
            if set(event.info) != keys:
                different = sorted(keys ^ set(event.info))
                yield f"info must have the same keys at reset and every step, not {different}"


def _info_violations(event: Event, seed: int, where: str) -> Iterator[str]:
    info = event.info
    wrong_types = [
        f"info[{key!r}] must be a {kind.__name__}, got {info.get(key)!r} at {where}"
        for key, kind in INFO_TYPES.items()
        if type(info.get(key)) is not kind
    ]
    yield from wrong_types
    for key, value in info.items():
        if type(value) not in (str, int, float, bool, tuple):
            yield f"info[{key!r}] must be a flat str, int, float, bool or tuple, got {value!r}"
    if not wrong_types:
        yield from _meaning_violations(event, seed, where)


def _meaning_violations(event: Event, seed: int, where: str) -> Iterator[str]:
    info = event.info
    if not all(isinstance(action, str) for action in info["available_actions"]):
        yield "info['available_actions'] must hold strings"
    if info["seed"] != seed:
        yield f"info['seed'] must be the episode seed {seed}, got {info['seed']}"
    if not info["instance_id"].startswith(f"{info['split']}-"):
        yield f"info['instance_id'] must be '<split>-<n>', got {info['instance_id']!r}"
    if info["action_is_valid"] == bool(info["invalid_reason"]):
        yield "info['invalid_reason'] must be given for an invalid action and no other"
    if info["success"] and (where == "reset" or not (event.terminated or event.truncated)):
        yield f"info['success'] must not be True at {where} while the episode goes on"
    if not np.isfinite(event.reward):
        yield f"a reward must be finite, got {event.reward}"


def _check_seeds(make: Make) -> Iterator[str]:
    one, other = make(), make()
    for seed in SEEDS:
        if play(one, seed) != play(other, seed):
            yield f"two copies differ for reset(seed={seed}) and the same actions"
    if [play(one, seed) for seed in SEEDS] != [play(other, seed) for seed in reversed(SEEDS)][::-1]:
        yield "an episode depends on the episodes before it"
    start(one, 7), start(other, 7)
    if [start(one, None) for _ in SEEDS] != [start(other, None) for _ in SEEDS]:
        yield "reset() after reset(seed=7) is not reproducible"
    finite = one.has_wrapper_attr("num_instances")
    if finite and one.get_wrapper_attr("num_instances") == 1:
        return
    # What can be seen of 50 instances under the same draws of the player.
    seen = set()
    for seed in range(50):
        first = start(one, seed)
        events = [first, *go_on(one, first, 10, seed=0)]
        seen.add(tuple((event.observation, event.reward) for event in events))
    if len(seen) == 1:
        yield "50 seeds play one and the same episode"


def _check_instances(make: Make) -> Iterator[str]:
    env = make()
    for seed in SEEDS:
        first = start(env, seed)
        options = {"instance_id": first.info["instance_id"]}
        again = start(env, seed + 1_000, options)
        if again.info["instance_id"] != first.info["instance_id"]:
            yield "options={'instance_id': ...} must play that instance"
        if again.observation != first.observation:
            yield "the same instance_id under another seed has another first observation"
        if again.info["seed"] != seed + 1_000:
            yield "info['seed'] must be the seed of reset, whatever the instance_id"
    wrong: tuple[dict[str, Any], ...] = ({"no_such_option": 1}, {"instance_id": "no-such-split-1"})
    for options in wrong:
        try:
            env.reset(seed=0, options=options)
            yield f"reset(options={options}) must raise ValueError"
        except ValueError:
            pass


def _check_processes(make: Make) -> Iterator[str]:
    env = make()
    try:
        spec = env.spec.to_json() if env.spec is not None else ""
    except ValueError:  # an entry point that is no string cannot be made again elsewhere
        return
    if not spec:
        return
    digests = set()
    for hash_seed in ("1", "2"):
        result = subprocess.run(
            [sys.executable, "-c", _CHILD, spec],
            env={
                **os.environ,
                "PYTHONHASHSEED": hash_seed,
                "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode:
            yield f"env.spec could not be made and played in a new process: {result.stderr[-500:]}"
            return
        digests.add(result.stdout.strip())
    if len(digests) > 1:
        yield "two processes with different PYTHONHASHSEED play different episodes"


_CHILD = """
import sys
import gymnasium as gym
from gymnasium.envs.registration import EnvSpec
from ragen_envs.testing import digest
sys.stdout.write(digest(gym.make(EnvSpec.from_json(sys.argv[1]))))
"""


def digest(env: Env) -> str:
    """Hex digest of the transcripts of `SEEDS`, equal for equal envs in any process."""
    text = json.dumps([play(env, seed) for seed in SEEDS], default=repr)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _check_independence(make: Make) -> Iterator[str]:
    alone = [play(make(), seed) for seed in SEEDS]
    envs = [make() for _ in SEEDS]
    in_turns = [[start(env, seed)] for env, seed in zip(envs, SEEDS, strict=True)]
    for number in range(40):
        for events, env, seed in zip(in_turns, envs, SEEDS, strict=True):
            events += go_on(env, events[-1], 1, seed, number)
    if in_turns != alone:
        yield "copies that are played in turns change one another"
    in_threads: dict[int, list[Event]] = {}
    threads = [
        threading.Thread(target=lambda s=seed: in_threads.update({s: play(make(), s)}))
        for seed in SEEDS
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if [in_threads.get(seed) for seed in SEEDS] != alone:
        yield "copies that are played in threads change one another"


def _check_global_random_state(make: Make) -> Iterator[str]:
    # The one place that touches global generators: to show that the env does not. Both are put
    # back as they were.
    import random  # noqa: TID251

    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        transcripts = []
        for seed in (1, 2):
            random.seed(seed)
            np.random.seed(seed)  # noqa: NPY002
            before = (random.getstate(), np.random.get_state()[1].tobytes())  # type: ignore[index]  # noqa: NPY002
            transcripts.append([play(make(), s) for s in SEEDS])
            after = (random.getstate(), np.random.get_state()[1].tobytes())  # type: ignore[index]  # noqa: NPY002
            if before != after:
                yield "global random state is changed"
        if transcripts[0] != transcripts[1]:
            yield "episodes depend on global random state"
    finally:
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002


def _check_garbage(make: Make) -> Iterator[str]:
    env = make()
    bound = _reward_without_effect(env)
    attempts = (
        env.get_wrapper_attr("max_attempts") if env.has_wrapper_attr("max_attempts") else None
    )
    for text in GARBAGE:
        name = repr(text[:20])
        before = start(env, 0)
        try:
            event = apply(env, text)
        except Exception as error:  # noqa: BLE001 (a bad reply must never raise, whatever it is)
            yield f"{name} raised {type(error).__name__}: {error}"
            continue
        if event.info["action_is_valid"]:
            yield f"{name} must be marked invalid"
        if event.info["success"]:
            yield f"{name} must not succeed"
        if event.reward > bound:
            yield f"{name} earns {event.reward}, more than {bound} of an action without effect"
        if attempts is None and _without_reason(event) != before.observation:
            yield f"{name} must leave the observed state unchanged or use up an attempt"
        if attempts is not None and not _ends_within(env, event, text, attempts):
            yield f"{name} must use up one of {attempts} attempts"


def _reward_without_effect(env: Env) -> float:
    """The least that a valid action without effect was seen to earn; 0 where none was seen."""
    seen = [
        event.reward
        for seed in range(20)
        for event in play(env, seed)[1:]
        if event.info["action_is_valid"] and not event.info["action_is_effective"]
    ]
    return min(seen, default=0.0)


def _without_reason(event: Event) -> str:
    return event.observation.removeprefix(event.info["invalid_reason"]).removeprefix("\n\n")


def _ends_within(env: Env, event: Event, text: str, attempts: int) -> bool:
    for _ in range(attempts - 1):
        if event.terminated:
            return False
        event = apply(env, text)
    return event.terminated and not event.info["success"]


def _check_reset_needed(make: Make) -> Iterator[str]:
    env = make().unwrapped
    with contextlib.suppress(ResetNeeded):
        env.step("no such action")
        yield "step before reset must raise gymnasium.error.ResetNeeded"
    for seed in range(20):
        events = play_solution(env, start(env, seed)) if _has_solution(env) else []
        events = events if events and events[-1].terminated else play(env, seed, 1_000)
        if events[-1].terminated:
            with contextlib.suppress(ResetNeeded):
                env.step("no such action")
                yield "step after termination must raise gymnasium.error.ResetNeeded"
            return


def _check_reset_clears(make: Make) -> Iterator[str]:
    used = make()
    for seed in SEEDS:
        play(used, seed + 100)
        if play(used, seed) != play(make(), seed):
            yield f"reset(seed={seed}) after a played episode differs from a new env's"


def _check_copies(make: Make) -> Iterator[str]:
    ways: dict[str, Callable[[Env], Env]] = {
        "deepcopy": copy.deepcopy,
        "pickle": lambda env: pickle.loads(pickle.dumps(env)),  # of our own making
    }
    for name, duplicate in ways.items():
        for seed in SEEDS:
            env = make()
            last = start(env, seed)
            last = (go_on(env, last, 2, seed) or [last])[-1]
            twin = duplicate(env)
            if go_on(twin, last, 20, seed) != go_on(env, last, 20, seed):
                yield f"a {name} in mid-episode continues differently"


def _has_solution(env: Env) -> bool:
    return env.has_wrapper_attr("solution")


def _check_solution(make: Make) -> Iterator[str]:
    env = make()
    if not _has_solution(env):
        return
    start(env, 0)
    if env.get_wrapper_attr("solution")() is None:  # a world without an oracle
        return
    if env.get_wrapper_attr("stochastic"):
        yield from _check_stochastic_solution(env)
        return
    for seed in range(20):
        events = play_solution(env, start(env, seed))
        if not events[-1].info["success"]:
            yield f"solution() of reset(seed={seed}) does not end in success"


def _check_stochastic_solution(env: Env) -> Iterator[str]:
    promised: list[float] = []
    successes = 0
    for seed in range(STOCHASTIC_EPISODES):
        first = start(env, seed)
        if env.has_wrapper_attr("optimal_success_probability"):
            promised.append(env.get_wrapper_attr("optimal_success_probability")())
        successes += play_solution(env, first)[-1].info["success"]
    if successes == 0:
        yield f"the solution never succeeds in {STOCHASTIC_EPISODES} episodes"
    if not promised:
        return
    rate, mean = successes / STOCHASTIC_EPISODES, float(np.mean(promised))
    low, high = wilson_interval(rate, STOCHASTIC_EPISODES, 0.99)
    if not low <= mean <= high:
        yield (
            f"the solution succeeds in {rate:.3f} [{low:.3f}, {high:.3f}] of episodes, but "
            f"optimal_success_probability() says {mean:.3f}"
        )


CHECKS: dict[str, Callable[[Make], Iterator[str]]] = {
    "gymnasium": _check_gymnasium,
    "interface": _check_interface,
    "info": _check_info,
    "seeds": _check_seeds,
    "instances": _check_instances,
    "processes": _check_processes,
    "independence": _check_independence,
    "global random state": _check_global_random_state,
    "garbage": _check_garbage,
    "reset needed": _check_reset_needed,
    "reset clears": _check_reset_clears,
    "copies": _check_copies,
    "solution": _check_solution,
}
