"""StepPool: worlds stepped in threads, each step with a deadline, so that one blocks no other."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Job(Generic[T]):
    key: int
    call: Callable[[], T]
    started: float | None = None
    abandoned: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


class StepPool(Generic[T]):
    """Runs calls and hands back their results as they finish.

    Without workers a call runs at once, in the caller's thread. With workers, at most that many run
    at a time in daemon threads. A call that outlasts the deadline is reported as a `TimeoutError`;
    its thread cannot be stopped, so it is left behind and replaced.

    Args:
        workers: Number of threads, None to run in the caller's thread.
        deadline: Seconds that a call may run, None for no limit; needs workers.
    """

    def __init__(self, workers: int | None, deadline: float | None) -> None:
        self._deadline = deadline
        self._workers = workers
        self._jobs: queue.SimpleQueue[_Job[T] | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[tuple[int, T | BaseException]] = queue.SimpleQueue()
        self._running: dict[int, _Job[T]] = {}
        self._started = False

    def submit(self, key: int, call: Callable[[], T]) -> None:
        """Run `call`; its result comes from `finished` under `key`."""
        job = _Job(key, call)
        self._running[key] = job
        if self._workers is None:
            self._run(job)
            return
        if not self._started:
            self._started = True
            for _ in range(self._workers):
                self._start_thread()
        self._jobs.put(job)

    def finished(self) -> list[tuple[int, T | BaseException]]:
        """Wait for a call to finish, then take all that have: `(key, result or exception)`."""
        results = [self._next()]
        while not self._results.empty():
            results.append(self._next())
        return results

    def _next(self) -> tuple[int, T | BaseException]:
        while True:
            try:
                key, result = self._results.get(timeout=self._wait())
            except queue.Empty:
                expired = self._expire()
                if expired is None:
                    continue
                key, result = expired
            self._running.pop(key, None)
            return key, result

    def close(self) -> None:
        """Let the threads end; one that hangs is left behind."""
        if self._started:
            for _ in range(self._workers or 0):
                self._jobs.put(None)

    def _start_thread(self) -> None:
        threading.Thread(target=self._work, name="ragen-step", daemon=True).start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._run(job)
            if job.abandoned:  # its place has been taken
                return

    def _run(self, job: _Job[T]) -> None:
        job.started = time.monotonic()
        result: T | BaseException
        try:
            result = job.call()
        except (Exception, SystemExit) as error:  # noqa: BLE001 (one step of one episode)
            result = error
        with job.lock:
            if not job.abandoned:
                job.started = None
                self._results.put((job.key, result))

    def _wait(self) -> float | None:
        if self._deadline is None:
            return None
        started = [j.started for j in self._running.values() if j.started is not None]
        if not started:
            return self._deadline
        return max(0.0, min(started) + self._deadline - time.monotonic())

    def _expire(self) -> tuple[int, T | BaseException] | None:
        now = time.monotonic()
        for key, job in self._running.items():
            with job.lock:
                started = job.started
                if started is None or now - started < (self._deadline or 0.0):
                    continue
                job.abandoned = True
            self._start_thread()
            return key, TimeoutError(f"the world took longer than {self._deadline} s")
        return None
