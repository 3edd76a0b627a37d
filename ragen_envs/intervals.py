"""wilson_interval: the interval of a success rate that stays honest at 0 and 1."""

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
