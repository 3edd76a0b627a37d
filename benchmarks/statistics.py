"""Success rate and its interval: the instance is the sampling unit, a repeat no new evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, variance

from ragen_envs.intervals import student_t_quantile, wilson_interval

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
