"""What seeds, copies, threads and processes must agree on."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ragen_envs.conformance.contract import SEEDS, Env, Make, attribute
from ragen_envs.transcripts import Event, go_on, play, start


def check_seeds(make: Make) -> Iterator[str]:
    """The seed fixes an episode, whatever was played before."""
    one, other = make(), make()
    for seed in SEEDS:
        if play(one, seed) != play(other, seed):
            yield f"two copies differ for reset(seed={seed}) and the same actions"
    if [play(one, seed) for seed in SEEDS] != [play(other, seed) for seed in reversed(SEEDS)][::-1]:
        yield "an episode depends on the episodes before it"
    start(one, 7), start(other, 7)
    if [start(one, None) for _ in SEEDS] != [start(other, None) for _ in SEEDS]:
        yield "reset() after reset(seed=7) is not reproducible"
    if attribute(one, "num_instances") != 1 and len({_face(one, seed) for seed in range(50)}) == 1:
        yield "50 seeds play one and the same episode"


def _face(env: Env, seed: int) -> tuple[Any, ...]:
    """What can be seen of an instance under the same draws of the player."""
    first = start(env, seed)
    solution = attribute(env, "solution")
    plan = None if solution is None else repr(solution())
    events = [first, *go_on(env, first, 10, seed=0)]
    return (plan, *((event.observation, event.reward) for event in events))


def check_instances(make: Make) -> Iterator[str]:
    """An instance id plays that instance, and unknown ones are refused."""
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


def check_processes(make: Make) -> Iterator[str]:
    """Two processes with different PYTHONHASHSEED play the same episodes."""
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
from ragen_envs.conformance.replay import digest
sys.stdout.write(digest(gym.make(EnvSpec.from_json(sys.argv[1]))))
"""


def digest(env: Env) -> str:
    """Hex digest of the transcripts of `SEEDS`, equal for equal envs in any process."""
    text = json.dumps([play(env, seed) for seed in SEEDS], default=repr)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def check_independence(make: Make) -> Iterator[str]:
    """Copies played in turns or in threads do not change one another."""
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


def check_global_random_state(make: Make) -> Iterator[str]:
    """Global generators are neither read nor set."""
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


def check_reset_clears(make: Make) -> Iterator[str]:
    """A reset leaves nothing of the episode before."""
    used = make()
    for seed in SEEDS:
        play(used, seed + 100)
        if play(used, seed) != play(make(), seed):
            yield f"reset(seed={seed}) after a played episode differs from a new env's"


def check_copies(make: Make) -> Iterator[str]:
    """A deepcopy or pickle in mid-episode continues as the original does."""
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
