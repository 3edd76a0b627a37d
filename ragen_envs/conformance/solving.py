"""Whether an env's own solution solves it, and looking at an env leaves it as it is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ragen_envs.conformance.contract import SEEDS, Env, Make, attribute
from ragen_envs.intervals import wilson_interval
from ragen_envs.transcripts import apply, play, play_solution, start

STOCHASTIC_EPISODES = 300
_LOOKS = ("solution", "observe", "available_actions", "extra_info", "content")


def check_solution(make: Make) -> Iterator[str]:
    """The solution ends in success, in stochastic worlds as often as they say."""
    env = make()
    start(env, 0)
    solution = attribute(env, "solution")
    if solution is None or solution() is None:  # a world without an oracle
        return
    if attribute(env, "stochastic", False):
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


def check_looking(make: Make) -> Iterator[str]:
    """Asking for the solution, the observation or the picture changes nothing."""
    env = make()
    for seed in SEEDS:
        expected = play(make(), seed)
        seen = [start(env, seed)]
        for event in expected[1:]:
            for name in _LOOKS:
                if env.has_wrapper_attr(name):
                    env.get_wrapper_attr(name)()
            seen.append(apply(env, event.action or ""))
        if seen != expected:
            yield f"an episode changes when {', '.join(_LOOKS)} are called before each step"


def check_stochastic(make: Make) -> Iterator[str]:
    """A world that calls itself deterministic plays an instance alike under every seed."""
    env = make()
    if attribute(env, "stochastic", False):
        return
    for seed in SEEDS:
        expected = play(env, seed)
        options = {"instance_id": expected[0].info["instance_id"]}
        start(env, seed + 1_000, options)
        for event in expected[1:]:
            other = apply(env, event.action or "")
            if (other.observation, other.reward) != (event.observation, event.reward):
                yield "stochastic is False, but the seed changes what actions do in an instance"
                break
