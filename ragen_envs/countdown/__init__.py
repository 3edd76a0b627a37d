"""Countdown: make a target from the given numbers; its judge, its solver and its generator.

`judge_expression` judges an answer, `needs` proves what a puzzle needs and `solve` solves it. The
world itself is `ragen_envs.countdown.env.CountdownEnv`, registered as `ragen/Countdown-v0` and
`ragen/CountdownHard-v0`.
"""

from ragen_envs.countdown.judge import judge_expression
from ragen_envs.countdown.solver import needs, solve

__all__ = ["judge_expression", "needs", "solve"]
