"""Pairs of what a model read and what it reasoned, taken from episodes for cross-scoring.

x is the exact prompt of a turn in token ids, a reasoning tag that the template opened included. z
is every sampled id of the turn from the first up to and including the one that completes
`</think>`, or to the end of the reply where none does. So z is one whole random variable whose
probability the model gives exactly; cutting the tag off, or leaving out replies that never close
it, would make it a part of one, chosen by its outcome. No sample is left out, and `ended_by` says
how each ended.

Which id completes `</think>` is not to be seen from ids alone. Where an episode has a TokenTrace
its `reasoning_spans` tell: the end of a turn's span is the position after that id (after the last
sampled id where the reasoning never ends). Elsewhere the caller's `end_of_reasoning` does.

The pairs of a call belong to one turn index, so that prompts differ by their instance and not by
how far the episode has got. Recommended is the first turn (default) of a fixed set of probe
instances, held out and played anew at each measurement: its prompts never change, and all episodes
of an instance share theirs. A prompt of a later turn holds what the agent itself wrote before, so
MI there is partly between one reply of it and the next; there, one prompt of each instance is
drawn. The reference pools turns and makes a column of each draw; `reference=True` does the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from agent.episode import Episode, Turn
from agent.tokens import TokenRow
from ragen_envs.arguments import check_int

ENDED_BY = ("close", "eos", "length", "other")

# How a reply that never closed its reasoning ended, by its finish reason.
_ENDINGS = {"stop": "eos", "eos": "eos", "length": "length"}

# Metrics of a turn that `mean_over_turns` averages.
_AVERAGED = ("mi_lower", "mi_upper", "mi_per_token_proxy", "retrieval_at_1", "h_z_given_x", "h_z")


class EndOfReasoning(Protocol):
    """Finds the end of the reasoning in sampled ids."""

    def __call__(self, token_ids: Sequence[int]) -> int:
        """Count of ids up to and including the one that completes `</think>`; 0 if none does."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """What to score: every reasoning under every prompt.

    Attributes:
        prompt_ids: Token ids of each prompt, J of them; `prompt_ids` of `mutual_information`.
        reasoning_ids: Token ids of each sample, M of them, none empty.
        prompt_index: Prompt of each sample.
        instances: Key of each prompt's instance: JSON of env_id, env_kwargs and instance_id.
        turn: Turn index of all pairs, None where turns are pooled.
        ended_by: How many samples ended with "close" (`</think>`), "eos", "length" or "other".
        other_prompts: Episodes of the same instances and turn that are not among the samples
            because they read another prompt than the one drawn for their instance.
        temperature: At which all samples were drawn, None where the episodes do not tell; then
            give `mutual_information` what you know, or `scorer="other"`.
        top_p: Likewise.
        top_k: Likewise.
    """

    prompt_ids: tuple[tuple[int, ...], ...]
    reasoning_ids: tuple[tuple[int, ...], ...]
    prompt_index: tuple[int, ...]
    instances: tuple[str, ...]
    turn: int | None
    ended_by: dict[str, int]
    other_prompts: int
    temperature: float | None
    top_p: float | None
    top_k: int | None

    @property
    def lengths(self) -> tuple[int, ...]:
        """Tokens of each sample, shape [M]."""
        return tuple(map(len, self.reasoning_ids))


@dataclass(frozen=True, slots=True)
class _Sample:
    prompt: tuple[int, ...]
    reasoning: tuple[int, ...]
    ended_by: str
    instance: str
    sampling: tuple[float | None, float | None, int | None]


def sample_pairs(
    episodes: Sequence[Episode],
    rng: np.random.Generator,
    *,
    turn: int = 0,
    samples_per_prompt: int | None = None,
    end_of_reasoning: EndOfReasoning | None = None,
    reference: bool = False,
    num_samples: int = 64,
) -> Pairs:
    """Pairs of one turn index: one prompt for each instance, and its episodes' reasonings.

    Instances come in order of first appearance. Where the episodes of an instance read different
    prompts at this turn, one of the episodes is drawn and its prompt is the instance's; the
    samples are all episodes that read it. Episodes that ended before this turn have no sample.

    Args:
        episodes: Of any number of instances, in any order.
        rng: Draws prompts and samples.
        turn: Turn index, from 0.
        samples_per_prompt: At most so many samples of each prompt, drawn without replacement; None
            takes all. At least two are needed for an interval.
        end_of_reasoning: For episodes without a trace.
        reference: The reference's draws instead: an episode uniformly, then one of its turns,
            with replacement, `num_samples` times (no more than there are turns); each draw is a
            prompt of its own. `turn` and `samples_per_prompt` do not apply.
        num_samples: Of the reference's draws.

    Raises:
        ValueError: A turn without sampled ids, or with no way to find the end of its reasoning; or
            replies that were sampled in different ways.
        TypeError: rng is no Generator.
    """
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy Generator, got {rng!r}")
    check_int("turn", turn, 0)
    check_int("num_samples", num_samples, 1)
    if samples_per_prompt is not None:
        check_int("samples_per_prompt", samples_per_prompt, 1)
    if reference:
        return _pairs(_pooled(episodes, rng, end_of_reasoning, num_samples), None, 0)
    groups: dict[str, list[_Sample]] = {}
    for episode in episodes:
        if turn < len(episode.turns):
            sample = _sample(episode, turn, end_of_reasoning)
            groups.setdefault(sample.instance, []).append(sample)
    chosen, others = [], 0
    for group in groups.values():
        prompt = group[int(rng.integers(len(group)))].prompt
        same = [sample for sample in group if sample.prompt == prompt]
        others += len(group) - len(same)
        if samples_per_prompt is not None and samples_per_prompt < len(same):
            picked = np.sort(rng.choice(len(same), samples_per_prompt, replace=False))
            same = [same[position] for position in picked]
        chosen.append(same)
    return _pairs(chosen, turn, others)


def mean_over_turns(results: Mapping[int, Mapping[str, Any]]) -> dict[str, float | None]:
    """Results of `mutual_information` on several turn indices, each and as a mean.

    The mean is weighted by `num_sampled_prompts`, the instances that reached the turn. Turns
    differ in their number of prompts, and so in what `mi_lower` can be at most: read the mean
    beside `mi_max` of the same weights, not beside another number of instances.

    Args:
        results: By turn index; skipped ones (`safe=True`) count nothing.

    Returns:
        `<metric>_turn_<t>` and `<metric>` for the bounds, `mi_max`, retrieval at 1 and entropies;
        a mean is None where a turn has None, and inf where one is inf.

    Raises:
        ValueError: Results of `reference=True`.
    """
    used = {t: results[t] for t in sorted(results) if "skipped" not in results[t]}
    if any("num_sampled_prompts" not in result for result in used.values()):
        raise ValueError("results must not be those of reference=True, which count no prompts")
    total = sum(result["num_sampled_prompts"] for result in used.values())
    means: dict[str, float | None] = {}
    for metric in (*_AVERAGED, "mi_max"):
        values = [(result["num_sampled_prompts"], result[metric]) for result in used.values()]
        means |= {f"{metric}_turn_{t}": result[metric] for t, result in used.items()}
        known = bool(values) and all(value is not None for _, value in values)
        means[metric] = sum(count * value for count, value in values) / total if known else None
    return means


def _pooled(
    episodes: Sequence[Episode],
    rng: np.random.Generator,
    end_of_reasoning: EndOfReasoning | None,
    num_samples: int,
) -> list[list[_Sample]]:
    played = sum(len(episode.turns) for episode in episodes)
    drawn = []
    for _ in range(min(num_samples, played)):
        episode = episodes[int(rng.integers(len(episodes)))]
        # As in the reference: a draw of an episode without turns is lost.
        if episode.turns:
            turn = int(rng.integers(len(episode.turns)))
            drawn.append([_sample(episode, turn, end_of_reasoning)])
    return drawn


def _pairs(chosen: Iterable[list[_Sample]], turn: int | None, others: int) -> Pairs:
    groups = list(chosen)
    samples = [sample for group in groups for sample in group]
    ended = Counter(sample.ended_by for sample in samples)
    ways = sorted({sample.sampling for sample in samples}, key=str)
    if len(ways) > 1:
        raise ValueError(
            "episodes must be sampled with one temperature, top_p and top_k, got "
            f"{ways[0]} and {ways[1]}"
        )
    temperature, top_p, top_k = ways[0] if ways else (None, None, None)
    return Pairs(
        prompt_ids=tuple(group[0].prompt for group in groups),
        reasoning_ids=tuple(sample.reasoning for sample in samples),
        prompt_index=tuple(column for column, group in enumerate(groups) for _ in group),
        instances=tuple(group[0].instance for group in groups),
        turn=turn,
        ended_by={name: ended[name] for name in ENDED_BY},
        other_prompts=others,
        temperature=temperature,
        top_p=top_p,
        top_k=top_k,
    )


def _sample(episode: Episode, number: int, find_end: EndOfReasoning | None) -> _Sample:
    turn = episode.turns[number]
    traced = _traced(episode, turn.index)
    prompt, sampled = _recorded(turn) if traced is None else traced[:2]
    where = f"turn {turn.index} of member {episode.member} of {episode.instance_id!r}"
    if not prompt or not sampled:
        raise ValueError(f"episodes must hold the token ids read and sampled; {where} has none")
    if traced is not None:
        end = traced[2]
        # A server may have split the reasoning off the text; then the answer after it tells.
        closed = end < len(sampled) or "</think>" in turn.response.text.lower()
    elif find_end is not None:
        end = find_end(sampled)
        check_int(f"end_of_reasoning of {where}", end, 0, len(sampled))
        closed = end > 0
        end = end or len(sampled)
    else:
        raise ValueError(f"end_of_reasoning must be given: {where} has no token trace")
    ended_by = "close" if closed else _ENDINGS.get(turn.response.finish_reason, "other")
    way = turn.sampling
    return _Sample(
        prompt,
        sampled[:end],
        ended_by,
        json.dumps([episode.env_id, episode.env_kwargs, episode.instance_id], sort_keys=True),
        (None, None, None) if way is None else (way.temperature, way.top_p, way.top_k),
    )


def _recorded(turn: Turn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return turn.response.prompt_token_ids or (), turn.response.token_ids or ()


def _traced(episode: Episode, turn: int) -> tuple[tuple[int, ...], tuple[int, ...], int] | None:
    """Prompt, sampled ids and count of ids up to the end of the reasoning; None without a trace."""
    if episode.trace is None:
        return None
    for row in episode.trace.rows:
        for number, start, end in row.turn_spans:
            if number == turn:
                stop = _end_of_span(row, turn, end)
                return row.token_ids[:start], row.token_ids[start:end], stop - start
    return None


def _end_of_span(row: TokenRow, turn: int, end: int) -> int:
    for number, _, stop in row.reasoning_spans:
        if number == turn:
            return stop
    return end
