"""Pairs of prompt and reasoning hold exactly what was read and sampled, and leave no sample out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from agent.episode import SCHEMA, Episode, Response, Sampling, Turn
from agent.tokens import TokenRow, TokenTrace
from trainers.mi_sampling import Pairs, mean_over_turns, sample_pairs
from trainers.mutual_information import mutual_information

CLOSE, EOS = 99, 0


def end_at_close(token_ids):
    return token_ids.index(CLOSE) + 1 if CLOSE in token_ids else 0


def turn(index, prompt, sampled, finish="stop", text="", temperature=1.0) -> Turn:
    response = Response(
        text, finish, prompt_token_ids=tuple(prompt), token_ids=tuple(sampled), logprobs=None
    )
    sampling = Sampling("m", 0, temperature, 1.0, 0, "processed")
    return Turn(index, (), (), response, "", (), (), 0.0, 0.0, "", None, sampling)


def episode(instance: str, member: int, turns, trace=None, error="") -> Episode:
    return Episode(
        SCHEMA, "ragen/X-v0", {}, "test", instance, member, 0, "a", tuple(turns), True, False,
        False, error, "", trace,
    )  # fmt: skip


def probe(instances: int = 3, members: int = 2) -> list[Episode]:
    return [
        episode(f"test-{i}", m, [turn(0, (7, i), (i, m, CLOSE, 5)), turn(1, (7, i, m), (m, EOS))])
        for i in range(instances)
        for m in range(members)
    ]


def pairs(episodes, seed=0, **settings) -> Pairs:
    settings = {"end_of_reasoning": end_at_close, **settings}
    return sample_pairs(episodes, np.random.default_rng(seed), **settings)


def test_first_turn_has_a_prompt_for_each_instance_and_all_its_samples():
    found = pairs(probe())
    assert found.prompt_ids == ((7, 0), (7, 1), (7, 2))
    assert found.reasoning_ids == tuple((i, m, CLOSE) for i in range(3) for m in range(2))
    assert found.prompt_index == (0, 0, 1, 1, 2, 2)
    assert found.lengths == (3,) * 6
    assert (found.turn, found.other_prompts) == (0, 0)
    assert (found.temperature, found.top_p, found.top_k) == (1.0, 1.0, 0)


def test_no_sample_is_left_out_however_it_ended():
    episodes = [
        episode("a", 0, [turn(0, (1,), (4, CLOSE, 6))]),
        episode("a", 1, [turn(0, (1,), (4, EOS))]),
        episode("b", 0, [turn(0, (2,), (4, 4, 4), "length")]),
        episode("b", 1, [turn(0, (2,), (CLOSE,), "content_filter")], error="world failed"),
        episode("b", 2, [turn(0, (2,), (3,), "content_filter")]),
    ]
    found = pairs(episodes)
    assert found.reasoning_ids == ((4, CLOSE), (4, EOS), (4, 4, 4), (CLOSE,), (3,))
    assert found.ended_by == {"close": 2, "eos": 1, "length": 1, "other": 1}
    assert sum(found.ended_by.values()) == len(episodes)


def traced(sampled_end: int, reasoning_end: int | None, text: str, finish="stop") -> Episode:
    spans = () if reasoning_end is None else ((0, 4, reasoning_end),)
    row = TokenRow(tuple(range(20, 30)), (0,) * 10, (0.0,) * 10, ((0, 3, sampled_end),), spans)
    return episode("a", 0, [replace(turn(0, (), ()), response=Response(text, finish))],
                   TokenTrace((row,)))  # fmt: skip


@pytest.mark.parametrize(
    ("case", "reasoning", "ended_by"),
    [
        (traced(9, 6, "w</think>answer"), (23, 24, 25), "close"),
        (traced(6, 6, "w</THINK>"), (23, 24, 25), "close"),
        (traced(9, 6, "answer"), (23, 24, 25), "close"),
        (traced(6, 6, "never closed"), (23, 24, 25), "eos"),
        (traced(6, None, "no reasoning", "length"), (23, 24, 25), "length"),
    ],
)
def test_trace_tells_where_the_reasoning_ends(case: Episode, reasoning, ended_by: str):
    found = sample_pairs([case], np.random.default_rng(0))
    assert found.prompt_ids == ((20, 21, 22),)
    assert found.reasoning_ids == (reasoning,)
    assert found.ended_by[ended_by] == 1


def test_trace_of_a_row_for_each_turn():
    rows = tuple(
        TokenRow((t, 50, 51, CLOSE), (0, 1, 1, 1), (0.0,) * 4, ((t, 1, 4),), ((t, 2, 4),))
        for t in range(2)
    )
    case = episode("a", 0, [turn(0, (), ()), turn(1, (), ())], TokenTrace(rows))
    assert sample_pairs([case], np.random.default_rng(0), turn=1).prompt_ids == ((1,),)


def test_later_turn_has_one_prompt_for_each_instance():
    found = pairs(probe(), turn=1)
    assert len(found.prompt_ids) == len(found.reasoning_ids) == 3
    assert found.other_prompts == 3
    assert all(
        prompt == (7, i, ids[0])
        for i, (prompt, ids) in enumerate(zip(found.prompt_ids, found.reasoning_ids, strict=True))
    )
    assert len({pairs(probe(), seed, turn=1).prompt_ids for seed in range(20)}) > 1
    assert pairs(probe(), 4, turn=1) == pairs(probe(), 4, turn=1)


def test_episodes_that_ended_before_the_turn_have_no_sample():
    short = [replace(e, turns=e.turns[:1]) if e.instance_id == "test-1" else e for e in probe()]
    assert len(pairs(short, turn=1).prompt_ids) == 2
    assert pairs(short, turn=5).prompt_ids == ()


def test_samples_of_a_prompt_are_drawn_without_replacement():
    found = pairs(probe(members=5), samples_per_prompt=3)
    assert found.prompt_index == (0, 0, 0, 1, 1, 1, 2, 2, 2)
    assert len(set(found.reasoning_ids)) == 9
    assert pairs(probe(members=2), samples_per_prompt=3).lengths == (3,) * 6


def test_reference_pools_turns_and_makes_each_draw_a_prompt():
    found = pairs(probe(), reference=True, num_samples=10)
    assert found.turn is None
    assert found.prompt_index == tuple(range(10))
    assert {len(prompt) for prompt in found.prompt_ids} == {2, 3}
    assert len(pairs(probe(), reference=True).prompt_ids) == 12


def test_pairs_go_into_mutual_information_as_they_are():
    found = pairs(probe())
    scores = np.where(np.array(found.prompt_index)[:, None] == np.arange(3), -3.0, -9.0)
    result = mutual_information(
        scores, found.prompt_index, found.lengths, found.prompt_ids,
        sampling_temperature=found.temperature, top_p=found.top_p, top_k=found.top_k,
    )  # fmt: skip
    assert result["retrieval_at_1"] == 1.0


def test_mean_over_turns_is_weighted_by_instances():
    two = mutual_information([[-1.0, -2], [-3, -1]], [0, 1], [1, 1])
    three = mutual_information(np.where(np.eye(3), -1.0, -math.inf), range(3), [1, 1, 1])
    means = mean_over_turns({1: three, 0: two, 2: {"skipped": "no sample"}})
    assert means["mi_lower_turn_1"] == three["mi_lower"]
    assert means["mi_lower"] == pytest.approx((2 * two["mi_lower"] + 3 * three["mi_lower"]) / 5)
    assert means["mi_upper"] == math.inf
    other = mutual_information([[-1.0, -2], [-3, -1]], [0, 1], [1, 1], scorer="other")
    assert mean_over_turns({0: two, 1: other})["mi_upper"] is None
    assert mean_over_turns({})["mi_lower"] is None


@pytest.mark.parametrize(
    ("episodes", "settings", "message"),
    [
        ([episode("a", 3, [turn(0, (1,), ())])], {}, "turn 0 of member 3 of 'a' has none"),
        ([episode("a", 0, [turn(0, (), (1,))])], {}, "must hold the token ids read and sampled"),
        (probe(), {"end_of_reasoning": None}, "end_of_reasoning must be given"),
        (probe(), {"end_of_reasoning": lambda ids: 9}, r"end_of_reasoning of .* in \[0, 4\]"),
        (probe(), {"turn": -1}, "turn must be >= 0"),
        (probe(), {"samples_per_prompt": 0}, "samples_per_prompt must be >= 1"),
        (probe(), {"num_samples": 0}, "num_samples must be >= 1"),
        (
            [episode("a", m, [turn(0, (1,), (1,), temperature=m + 1.0)]) for m in range(2)],
            {},
            r"one temperature, top_p and top_k, got \(1.0, 1.0, 0\) and \(2.0, 1.0, 0\)",
        ),
    ],
)
def test_records_that_do_not_tell_are_refused(episodes, settings, message: str):
    with pytest.raises(ValueError, match=message):
        pairs(episodes, **settings)


def test_generator_is_asked_for():
    with pytest.raises(TypeError, match="rng must be a numpy Generator"):
        sample_pairs(probe(), 0)


def test_results_of_the_reference_have_no_mean_over_turns():
    with pytest.raises(ValueError, match="must not be those of reference=True"):
        mean_over_turns({0: {"mi_estimate": 0.1}})
