"""Learning: which groups to train on, and whether the agent still depends on its input."""

from trainers.filters import (
    FilterResult,
    KeepAll,
    MinP,
    RandomKeep,
    Threshold,
    TopK,
    TopP,
    filter_groups,
    group_rewards,
    reward_variance,
)
from trainers.mi_sampling import Pairs, sample_pairs
from trainers.mutual_information import json_metrics, mutual_information

__all__ = [
    "FilterResult",
    "KeepAll",
    "MinP",
    "Pairs",
    "RandomKeep",
    "Threshold",
    "TopK",
    "TopP",
    "filter_groups",
    "group_rewards",
    "json_metrics",
    "mutual_information",
    "reward_variance",
    "sample_pairs",
]
