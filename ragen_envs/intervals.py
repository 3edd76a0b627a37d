"""What intervals are made of: Wilson's for a rate, and the quantile of Student's t."""

from __future__ import annotations

import math
from statistics import NormalDist


def wilson_interval(rate: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval (Wilson 1927, J. Am. Stat. Assoc. 22, 209-212).

    Args:
        rate: Mean outcome in [0, 1].
        n: Number of outcomes behind it, > 0; may be fractional (an effective sample size).
        confidence: Coverage in (0, 1).

    Returns:
        `(low, high)`, both in [0, 1], with `rate` between them.

    Raises:
        ValueError: An argument is outside its range.
    """
    if not 0.0 <= rate <= 1.0:
        raise ValueError(f"rate must be in [0, 1], got {rate}")
    if not n > 0:
        raise ValueError(f"n must be > 0, got {n}")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must be in (0, 1), got {confidence}")
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    shrink = 1.0 + z * z / n
    centre = (rate + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    # Rounding must not move an end past the rate itself.
    return max(0.0, min(centre - half, rate)), min(1.0, max(centre + half, rate))


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
