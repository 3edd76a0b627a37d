"""Success rate and its interval: the instance is the sampling unit, a repeat no new evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, variance

from ragen_envs.intervals import wilson_interval

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Rate:
    """A mean outcome in [0, 1] with its interval; `n` is the effective sample size behind it."""

    mean: float
    low: float
    high: float
    n: float


def success_rate(outcomes: Sequence[Sequence[float]], confidence: float = CONFIDENCE) -> Rate:
    """Mean over instances, with Wilson's interval on the effective sample size.

    With one outcome an instance it is plain Wilson. With repeats, the standard error comes from
    the spread of the instance means, n* = p(1-p)/SE^2 in [1, all outcomes] is the number of
    independent outcomes with that error, and (z/t)^2 corrects for its few degrees of freedom
    (Korn and Graubard 1998, Survey Methodology 24, 193-201). Where all instances agree there is no
    spread to go by, and each instance counts once.

    Args:
        outcomes: For each instance the outcomes of its episodes, in [0, 1]; none is empty.
        confidence: Coverage in (0, 1).

    Raises:
        ValueError: There is no instance, or one has no outcome.
    """
    if not outcomes or not all(outcomes):
        raise ValueError("outcomes must hold at least one instance, each with an outcome")
    means = [fmean(instance) for instance in outcomes]
    count, total = len(means), sum(len(instance) for instance in outcomes)
    mean = fmean(means)
    if total == count and all(value in (0.0, 1.0) for value in means):
        return Rate(mean, *wilson_interval(mean, count, confidence), count)
    if count == 1:
        return Rate(mean, 0.0, 1.0, 1.0)
    error2 = variance(means) / count
    if error2 == 0 or mean in (0.0, 1.0):
        effective = float(count)
    else:
        effective = min(max(mean * (1 - mean) / error2, 1.0), float(total))
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    effective *= (z / student_t_quantile(0.5 + confidence / 2, count - 1)) ** 2
    return Rate(mean, *wilson_interval(mean, effective, confidence), effective)


def student_t_quantile(p: float, df: int) -> float:
    """Quantile of Student's t distribution.

    Args:
        p: Probability in (0.5, 1).
        df: Degrees of freedom, >= 1.

    Raises:
        ValueError: An argument is outside its range.
    """
    if not 0.5 < p < 1.0 or df < 1:
        raise ValueError(f"p must be in (0.5, 1) and df >= 1, got {p} and {df}")
    low, high = 0.0, 1.0
    while _student_t_cdf(high, df) < p:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if _student_t_cdf(middle, df) < p:
            low = middle
        else:
            high = middle
    return high


def _student_t_cdf(t: float, df: int) -> float:
    """For t >= 0, by the finite trigonometric series (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    theta = math.atan2(t, math.sqrt(df))
    cos2 = math.cos(theta) ** 2
    if df % 2:
        term = math.cos(theta) if df > 1 else 0.0
        series = term
        for k in range(3, df - 1, 2):
            term *= cos2 * (k - 1) / k
            series += term
        inside = 2 / math.pi * (theta + math.sin(theta) * series)
    else:
        term = series = 1.0
        for k in range(2, df - 1, 2):
            term *= cos2 * (k - 1) / k
            series += term
        inside = math.sin(theta) * series
    return 0.5 + inside / 2
