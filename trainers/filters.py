"""SNR-aware filtering: train on the groups whose rewards differ, drop those that only add noise.

Where every episode of a group earns the same, the policy gradient of the group is zero in
expectation while its entropy and KL terms push on: the signal-to-noise ratio of the group is nil
(RAGEN-2, arXiv 2604.06268, section on SNR-aware filtering). The filter scores each group by the
spread of its rewards and keeps the groups that hold the share `p` of all spread:

    scores = reward_variance(rewards)      # rewards: [groups, episodes]
    kept = TopP(0.9)(scores).kept

Departures from the reference (RAGEN's `rollout_filter.py`), each reproduced by `TopP(reference=)`:

- Its `reward_variance` is the standard deviation. Here that is `statistic="std"`; the default is
  the variance, which leaves far less of the mass to many groups of low spread.
- Its linear rule subtracts an absolute 0.01 from the mass to reach, so that the unit of the reward
  decides what is kept, and a batch of small rewards is dropped whole. Here every rule but
  `Threshold` is free of scale.
- Its softmax rule takes the exponential of raw scores; where rewards are 0 or 1 that is nearly
  uniform and keeps about the share `p` of all groups, whatever their signal.
- It reshapes the batch by order and has no missing episodes; a group of one is undefined there.

Two things that no rule here can do. A rule that is free of scale cannot see that a whole batch is
noise: jitter in every reward then looks like signal. Where the size of the jitter is known, give
it as `min_std`. And the kept groups are a selected sample: success rates, returns and diagnostics
belong to the batch before filtering.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agent.episode import Episode
from ragen_envs.arguments import check_choice, check_int, check_number

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

STATISTICS = ("variance", "std")
REWARDS = ("total", "env", "success")

# Rewards within this share of the largest |reward| of the batch are equal: sums of rounded numbers.
_RTOL = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-6}

# Share of the total by which a sum of scores may miss its target, and count as having met it.
_ROUNDING = 1e-9

# The reference's constants.
_REFERENCE_ZERO = 1e-10
_REFERENCE_EPS = 0.01


def reward_variance(
    rewards: ArrayLike, statistic: str = "variance", ddof: int = 1, *, min_std: float = 0.0
) -> Floats:
    """Score of each group: the spread of its rewards.

    Two-pass (mean first, then squared deviations; Chan, Golub and LeVeque 1983, The American
    Statistician 37, 242-247), on rewards divided by the largest of the batch. A group has no
    spread, exactly 0.0, where its range is at most `rtol` times the largest |reward| of the batch
    (rtol is 1e-9 for float64 and integers, 1e-6 for float32), or its standard deviation is at
    most `min_std`.

    Args:
        rewards: Shape [P, G], one row a group; NaN where an episode is missing or failed.
        statistic: "variance", in squared units of the reward, or "std", in units of the reward
            (what the reference calls `reward_variance`).
        ddof: 1 divides by n - 1 (unbiased variance), 0 by n.
        min_std: Floor in units of the reward, for jitter of known size. Without it a batch of
            nothing but jitter looks like signal to every rule that is free of scale.

    Returns:
        Scores, shape [P], float64; NaN for a group with fewer than two rewards.

    Raises:
        TypeError: The rewards are not float64, float32, integers or booleans.
        ValueError: Another shape, an infinite reward, a value outside its range, or rewards so
            large or small that float64 cannot hold their variance.
    """
    check_choice("statistic", statistic, STATISTICS)
    check_int("ddof", ddof, 0, 1)
    check_number("min_std", min_std, 0.0, float("inf"))
    values, rtol = _reward_table(rewards)
    present = ~np.isnan(values)
    count = present.sum(axis=1)
    scored = count >= 2
    scale = float(np.max(np.abs(values), where=present, initial=0.0))
    unit = np.where(present, values / (scale or 1.0), 0.0)
    size = np.maximum(count, 1)
    deviations = np.where(present, unit - (unit.sum(axis=1) / size)[:, None], 0.0)
    # The second term is zero but for the rounding of the mean.
    squares = (deviations**2).sum(axis=1) - deviations.sum(axis=1) ** 2 / size
    std = np.sqrt(np.maximum(squares, 0.0) / np.maximum(count - ddof, 1)) * scale
    highest = np.max(unit, axis=1, where=present, initial=-1.0)
    lowest = np.min(unit, axis=1, where=present, initial=1.0)
    signal = scored & (highest - lowest > rtol) & (std > min_std)
    with np.errstate(over="ignore", under="ignore"):
        scores = std**2 if statistic == "variance" else std
    if np.any(signal & ~((scores >= np.finfo(np.float64).tiny) & np.isfinite(scores))):
        raise ValueError(
            f"rewards must have a {statistic} that float64 can hold, got a largest |reward| of "
            f"{scale}"
        )
    return np.where(scored, np.where(signal, scores, 0.0), np.nan)


def _reward_table(rewards: ArrayLike) -> tuple[Floats, float]:
    given = np.asarray(rewards)
    exact = np.issubdtype(given.dtype, np.integer) or given.dtype == np.bool_
    if not exact and given.dtype not in _RTOL:
        raise TypeError(f"rewards must be float64, float32, int or bool, got {given.dtype}")
    if given.ndim != 2 or 0 in given.shape:
        raise ValueError(f"rewards must have shape [P, G], both >= 1, got {list(given.shape)}")
    if np.isinf(given).any():
        raise ValueError("rewards must be finite, or NaN where an episode is missing, got inf")
    return given.astype(np.float64), _RTOL[np.dtype(np.float64) if exact else given.dtype]


@dataclass(frozen=True, slots=True)
class FilterResult:
    """Which groups to train on.

    Attributes:
        kept: Indices of the kept groups, ascending.
        scores: What they were chosen by, shape [P]; NaN where a group has no score.
        kept_ratio: Kept groups over all groups, those without a score included.
        kept_score_share: Scores of the kept groups over all scores; 0.0 where all are zero.
        zero_variance: Groups whose score is zero.
        unscored: Groups with fewer than two rewards.
        reason: Why nothing is kept, "" otherwise.
        reward: The reward behind the scores, one of `REWARDS`; "" where only scores were given.
        kept_ratio_env: Kept ratio of the same rule on the world's reward without format
            penalties; None where only scores were given. A much lower one than `kept_ratio` says
            that the filter feeds on penalties.
    """

    kept: tuple[int, ...]
    scores: Floats = field(compare=False)
    kept_ratio: float
    kept_score_share: float
    zero_variance: int
    unscored: int
    reason: str
    reward: str = ""
    kept_ratio_env: float | None = None

    def metrics(self) -> dict[str, float | int | str | None]:
        """Flat and ready for JSON; the names do not depend on the outcome."""
        scored = self.scores[~np.isnan(self.scores)]
        return {
            "filter_groups": len(self.scores),
            "filter_kept": len(self.kept),
            "filter_kept_ratio": self.kept_ratio,
            "filter_kept_ratio_env": self.kept_ratio_env,
            "filter_kept_score_share": self.kept_score_share,
            "filter_score_max": float(scored.max()) if len(scored) else None,
            # Divided first: a sum of large scores must not overflow.
            "filter_score_mean": float((scored / len(scored)).sum()) if len(scored) else None,
            "filter_zero_variance": self.zero_variance,
            "filter_unscored": self.unscored,
            "filter_reward": self.reward,
            "filter_reason": self.reason,
        }


class Rule(Protocol):
    """Chooses groups by their scores, shape [P], NaN where a group has none."""

    def __call__(self, scores: ArrayLike) -> FilterResult:
        """Choose."""


@dataclass(frozen=True, slots=True)
class TopP:
    """The smallest set of groups whose scores sum to at least `p` of the total.

    Groups enter by descending score, ties by index; groups without spread or without a score never
    do. A sum that misses its target by less than 1e-9 of the total has met it, so that the last
    bit of a sum decides nothing. `p = 1` keeps every group that has a spread.

    Attributes:
        p: In (0, 1].
        reference: None, or "linear" or "softmax" for the reference's rules to the letter, in its
            float32: groups of |score| <= 1e-10 are dropped first unless `include_zero`. "linear"
            then takes groups until their sum reaches p x total - 0.01, stops at the first score
            that is not positive, and so keeps nothing where that target is not positive.
            "softmax" takes groups until their softmax weights sum to p, at least one.
            Both keep all that is left at p = 1. Feed them `reward_variance(statistic="std")`.
        include_zero: Of the reference's rules only. Its defaults differ: True in its base
            configuration and main table, False in its recommended one.

    Raises:
        ValueError: A value outside its range, or `include_zero` without `reference`.
    """

    p: float
    reference: str | None = None
    include_zero: bool = False

    def __post_init__(self) -> None:
        _check_share("p", self.p)
        if self.reference is not None:
            check_choice("reference", self.reference, tuple(_REFERENCE))
        elif self.include_zero:
            raise ValueError("include_zero must be False where reference is None, got True")

    def __call__(self, scores: ArrayLike) -> FilterResult:
        """Choose groups by their scores, shape [P]."""
        values = _score_vector(scores)
        if self.reference is None:
            return _result(values, _top_p(values, self.p))
        kept = _REFERENCE[self.reference](values, self.p, self.include_zero)
        return _result(values, kept, f"the reference's {self.reference} rule keeps nothing")


@dataclass(frozen=True, slots=True)
class TopK:
    """The `k` groups of the highest scores, ties by index; groups without spread never.

    Attributes:
        k: At least 1; fewer are kept where fewer have a spread.

    Raises:
        ValueError: k < 1.
    """

    k: int

    def __post_init__(self) -> None:
        check_int("k", self.k, 1)

    def __call__(self, scores: ArrayLike) -> FilterResult:
        """Choose groups by their scores, shape [P]."""
        values = _score_vector(scores)
        return _result(values, _descending(values)[: self.k])


@dataclass(frozen=True, slots=True)
class MinP:
    """Groups whose score is at least `p` times the highest one.

    Attributes:
        p: In (0, 1].

    Raises:
        ValueError: p is outside its range.
    """

    p: float

    def __post_init__(self) -> None:
        _check_share("p", self.p)

    def __call__(self, scores: ArrayLike) -> FilterResult:
        """Choose groups by their scores, shape [P]."""
        values = _score_vector(scores)
        order = _descending(values)
        floor = values[order[:1]] * (self.p - _ROUNDING)
        return _result(values, order[values[order] >= floor])


@dataclass(frozen=True, slots=True)
class Threshold:
    """Groups whose score is at least `value`, and above zero; not free of scale.

    Attributes:
        value: In the unit of the scores, >= 0.

    Raises:
        ValueError: A negative value.
    """

    value: float

    def __post_init__(self) -> None:
        check_number("value", self.value, 0.0, float("inf"))

    def __call__(self, scores: ArrayLike) -> FilterResult:
        """Choose groups by their scores, shape [P]."""
        values = _score_vector(scores)
        order = _descending(values)
        return _result(values, order[values[order] >= self.value], f"no score reaches {self.value}")


@dataclass(frozen=True, slots=True)
class KeepAll:
    """Every group, those without spread or score included: no filter."""

    def __call__(self, scores: ArrayLike) -> FilterResult:
        """Choose groups by their scores, shape [P]."""
        values = _score_vector(scores)
        return _result(values, np.arange(len(values)))


@dataclass(frozen=True, slots=True)
class RandomKeep:
    """A random set of the groups that have a score, whatever it is: the control of a filter.

    Attributes:
        ratio: Share of all groups to keep, in (0, 1], rounded to the nearest number of groups,
            at least one. Give it the kept ratio of the filter it controls for.
        rng: Where the choice is drawn from; each call draws.

    Raises:
        ValueError: ratio is outside its range.
        TypeError: rng is no Generator.
    """

    ratio: float
    rng: np.random.Generator

    def __post_init__(self) -> None:
        _check_share("ratio", self.ratio)
        if not isinstance(self.rng, np.random.Generator):
            raise TypeError(f"rng must be a numpy Generator, got {self.rng!r}")

    def __call__(self, scores: ArrayLike) -> FilterResult:
        """Choose groups by their scores, shape [P]."""
        values = _score_vector(scores)
        scored = np.flatnonzero(~np.isnan(values))
        count = max(1, math.floor(self.ratio * len(values) + 0.5))
        kept = self.rng.choice(scored, min(count, len(scored)), replace=False)
        return _result(values, kept)


def loss_scale(kept_ratio: float, mode: str = "none") -> float:
    """Factor of the kept groups' advantages (the reference's `filter_loss_scaling`).

    A mean over the kept groups has the size of a full batch's; "linear" gives back the size that
    it would have had as a share of the full batch, "sqrt" the usual compromise for a smaller
    batch. Entropy and KL terms are not to be multiplied.

    Args:
        kept_ratio: `FilterResult.kept_ratio`.
        mode: "none" (1), "linear" (the ratio) or "sqrt" (its square root).

    Raises:
        ValueError: An argument is outside its range.
    """
    check_choice("mode", mode, tuple(_LOSS_SCALES))
    check_number("kept_ratio", kept_ratio, 0.0, 1.0)
    return float(kept_ratio ** _LOSS_SCALES[mode])


@dataclass(frozen=True, slots=True, eq=False)
class GroupRewards:
    """Rewards of the groups of some episodes, groups in order of first appearance.

    Attributes:
        groups: Key of each group: JSON of env_id, env_kwargs and instance_id.
        members: For each group the positions of its episodes in what was given; those with an
            error, which are no score, are left out.
        total: World's rewards and format penalties, shape [P, G], NaN where groups are smaller.
        env: World's rewards alone, same shape.
        success: 1.0 where solved, 0.0 where not, same shape.
        errors: Episodes left out for their error.
    """

    groups: tuple[str, ...]
    members: tuple[tuple[int, ...], ...]
    total: Floats
    env: Floats
    success: Floats
    errors: int


def group_rewards(episodes: Sequence[Episode]) -> GroupRewards:
    """Sort episodes into groups: those of one (env_id, env_kwargs, instance_id).

    Raises:
        ValueError: There is no episode.
    """
    if not episodes:
        raise ValueError("episodes must hold at least one episode, got none")
    members: dict[str, list[int]] = {}
    for position, episode in enumerate(episodes):
        key = [episode.env_id, episode.env_kwargs, episode.instance_id]
        group = members.setdefault(json.dumps(key, sort_keys=True), [])
        if not episode.error:
            group.append(position)
    shape = len(members), max(1, *map(len, members.values()))
    total, env, success = (np.full(shape, np.nan) for _ in range(3))
    for row, positions in enumerate(members.values()):
        for column, position in enumerate(positions):
            total[row, column] = episodes[position].total_return
            env[row, column] = episodes[position].env_return
            success[row, column] = episodes[position].success
    kept = tuple(tuple(positions) for positions in members.values())
    errors = len(episodes) - sum(map(len, kept))
    return GroupRewards(tuple(members), kept, total, env, success, errors)


def filter_groups(
    rewards: GroupRewards,
    rule: Rule,
    *,
    reward: str = "total",
    statistic: str = "variance",
    ddof: int = 1,
    min_std: float = 0.0,
) -> FilterResult:
    """Score groups by a reward of their episodes and choose, with the choice under `env` beside it.

    Format penalties alone give groups a spread. Under "env" they do not count; but where no group
    has a spread then, the total is used after all, or an agent that fails every time would never
    learn the format.

    Args:
        rewards: From `group_rewards`.
        rule: Chooses; it is called a second time on the world's reward for `kept_ratio_env`, so
            that a `RandomKeep` draws twice.
        reward: "total" (default: what the advantage uses), "env" or "success".
        statistic: As for `reward_variance`.
        ddof: As for `reward_variance`.
        min_std: As for `reward_variance`.

    Raises:
        ValueError: An argument is outside its range.
    """
    check_choice("reward", reward, REWARDS)

    def scores(name: str) -> Floats:
        return reward_variance(getattr(rewards, name), statistic, ddof, min_std=min_std)

    env_scores = scores("env")
    used = "total" if reward == "env" and not np.any(env_scores > 0) else reward
    result = rule(scores(used))
    return replace(result, reward=used, kept_ratio_env=rule(env_scores).kept_ratio)


def _check_share(name: str, value: float) -> None:
    check_number(name, value, 0.0, 1.0)
    if value == 0:
        raise ValueError(f"{name} must be in (0, 1], got {value}")


def _score_vector(scores: ArrayLike) -> Floats:
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"scores must have shape [P], P >= 1, got {list(values.shape)}")
    wrong = np.isinf(values) | (values < 0)
    if wrong.any():
        raise ValueError(f"scores must be finite and >= 0, or NaN, got {values[wrong][0]}")
    return values


def _descending(scores: Floats) -> Indices:
    """Indices of the positive scores, highest first, ties by index."""
    positive = np.flatnonzero(scores > 0)
    return positive[np.argsort(-scores[positive], kind="stable")]


def _result(scores: Floats, kept: Indices, reason: str = "") -> FilterResult:
    scored = scores[~np.isnan(scores)]
    if not len(scored):
        reason = "no group has two or more rewards"
    elif not scored.any():
        reason = "no group has a spread of rewards"
    # Divided first: a sum of large scores must not overflow.
    share = scores / (scored.max() or 1.0) if len(scored) else scores
    total = np.nansum(share)
    return FilterResult(
        kept=tuple(np.sort(kept).tolist()),
        scores=scores,
        kept_ratio=len(kept) / len(scores),
        kept_score_share=float(np.nansum(share[kept]) / total) if total > 0 else 0.0,
        zero_variance=int(np.sum(scored == 0)),
        unscored=len(scores) - len(scored),
        reason="" if len(kept) else reason,
    )


def _top_p(scores: Floats, p: float) -> Indices:
    order = _descending(scores)
    if p == 1 or not len(order):
        return order
    mass = np.cumsum(scores[order] / scores[order[0]])
    return order[: np.searchsorted(mass, (p - _ROUNDING) * mass[-1]) + 1]


def _reference_groups(scores: Floats, include_zero: bool) -> tuple[Indices, NDArray[np.float32]]:
    single = scores.astype(np.float32)
    left = np.flatnonzero(single >= 0 if include_zero else single > _REFERENCE_ZERO)
    order = left[np.argsort(-single[left], kind="stable")]
    return order, single[order]


def _reference_linear(scores: Floats, p: float, include_zero: bool) -> Indices:
    order, values = _reference_groups(scores, include_zero)
    if p == 1:
        return order
    target = np.float32(p) * values.sum() - np.float32(_REFERENCE_EPS)
    total, count = 0.0, 0
    for value in values.tolist():
        if np.float32(total) >= target or value <= 0:
            break
        total += value
        count += 1
    return order[:count]


def _reference_softmax(scores: Floats, p: float, include_zero: bool) -> Indices:
    order, values = _reference_groups(scores, include_zero)
    if p == 1 or not len(order):
        return order
    weights = np.exp(values - values[0])
    mass = np.cumsum(weights / weights.sum())
    return order[: np.searchsorted(mass, np.float32(p)) + 1]


_REFERENCE: Mapping[str, Callable[[Floats, float, bool], Indices]] = {
    "linear": _reference_linear,
    "softmax": _reference_softmax,
}
_LOSS_SCALES = {"none": 0.0, "linear": 1.0, "sqrt": 0.5}
