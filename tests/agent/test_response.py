"""The reply grammar, policy by policy."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.response import RESPONSE_FORMATS, format_reply, parse_reply, split_actions

# What a well-formed reply looks like, whatever stands around its two blocks.
STRICT = re.compile(r"<think>.*?</think>.*?<answer>.*?</answer>", re.DOTALL | re.IGNORECASE)
GOOD = "<think>box is left</think>\n<answer>Left</answer>"


def test_well_formed_reply_is_read_without_a_problem():
    parsed = parse_reply(GOOD, "think-answer")
    assert (parsed.reasoning, parsed.answer, parsed.problem) == ("box is left", "Left", "")


# reply, answer, part of the problem ("" = well formed)
THINK_ANSWER = {
    "no tags": ("go Left", None, "no complete <answer>"),
    "empty reply": ("", None, "no complete <answer>"),
    "answer without reasoning": ("<answer>Left</answer>", "Left", "no <think>"),
    "unclosed think": ("<think>hm <answer>Left</answer>", None, "never closed"),
    "unclosed answer": ("<think>a</think><answer>Left", None, "no complete <answer>"),
    "unopened answer": ("<think>a</think>Left</answer>", None, "no complete <answer>"),
    "tag spliced around the reasoning": (
        "<ans<think>x</think>wer>Up</answer>",
        None,
        "no complete <answer>",
    ),
    "block spliced around the reasoning": (
        "<answer>U<think>x</think>p</answer>",
        None,
        "no complete <answer>",
    ),
    "mismatched tags": ("<think>x</tool><answer>y</answer>", None, "never closed"),
    "answer closed by another tag": ("<think>a</think><answer>y</tool>", None, "no complete"),
    "unopened think": ("why</think><answer>Left</answer>", "Left", "no <think> before"),
    "tag inside the reasoning": (
        "<think><answer>Up</answer></think><answer>Left</answer>",
        "Left",
        "",
    ),
    "reasoning about the think tag": (
        "<think>I use <think> here</think><answer>Left</answer>",
        "Left",
        "inside the reasoning",
    ),
    "several answers": (
        "<think>a</think><answer>Up</answer><answer>Left</answer>",
        "Left",
        "2 <answer> blocks",
    ),
    "answer inside an open answer": (
        "<think>a</think><answer>Up<answer>Left</answer>",
        "Left",
        "partner",
    ),
    "last answer cut off": (
        "<think>a</think><answer>Left</answer><answer>Ri",
        "Left",
        "partner",
    ),
    "two think blocks": (
        "<think>a</think><think>b</think><answer>Left</answer>",
        "Left",
        "more than one <think>",
    ),
    "answer before the reasoning": (
        "<answer>Left</answer><think>a</think>",
        "Left",
        "before the reasoning",
    ),
    "empty answer": ("<think>a</think><answer> \n</answer>", None, "is empty"),
    "text after the answer": ("<think>a</think><answer>Left</answer> Done!", "Left", ""),
    "text between the blocks": ("<think>a</think> So: <answer>Left</answer>", "Left", ""),
    "other letter case": ("<THINK>a</Think><Answer>Left</ANSWER>", "Left", ""),
    "tag with a space is text": ("<think>a</think><answer >Left</answer>", None, "no complete"),
    "letters beyond ASCII are no tag": ("<think>a</think><an\u017fwer>L</answer>", None, "no "),
    "fences are left to the world": (
        "<think>a</think><answer>```\nLeft\n```</answer>",
        "```\nLeft\n```",
        "",
    ),
    "control characters": ("<think>\x00</think><answer>\ud800</answer>", "\ud800", ""),
}


@pytest.mark.parametrize(("reply", "answer", "problem"), THINK_ANSWER.values(), ids=THINK_ANSWER)
def test_think_answer_policy(reply: str, answer: str | None, problem: str):
    parsed = parse_reply(reply, "think-answer")
    assert parsed.answer == answer
    assert problem in parsed.problem
    assert bool(problem) == bool(parsed.problem)


@pytest.mark.parametrize(
    ("response_format", "reply", "answer", "reasoning", "well_formed"),
    [
        ("answer-only", "<answer>Left</answer>", "Left", "", True),
        ("answer-only", GOOD, "Left", "box is left", True),
        ("answer-only", "why</think><answer>Left</answer>", "Left", "why", False),
        ("answer-only", "Left", None, "", False),
        ("native-thinking", "why</think><answer>Left</answer>", "Left", "why", True),
        ("native-thinking", "<answer>Left</answer>", "Left", "", True),
        ("native-thinking", "a</think>b</think><answer>Left</answer>", "Left", "a</think>b", False),
        (
            "native-thinking",
            "<think>cut off <answer>L</answer>",
            None,
            "cut off <answer>L</answer>",
            False,
        ),
        ("raw", "<search>a</search>", "<search>a</search>", "", True),
        ("raw", "<think>hm</think><search>a</search>", "<search>a</search>", "hm", True),
        ("raw", "<think>never closed", None, "never closed", False),
        ("raw", "  ", None, "", False),
    ],
)
def test_policy_of_the_other_formats(
    response_format: str, reply: str, answer: str | None, reasoning: str, well_formed: bool
):
    parsed = parse_reply(reply, response_format)
    assert (parsed.answer, parsed.reasoning) == (answer, reasoning)
    assert (parsed.problem == "") == well_formed


def test_actions_are_split_at_the_separator_and_empty_ones_dropped():
    assert split_actions(" Up || Left||\n||Down ", "||") == ["Up", "Left", "Down"]
    assert split_actions(" || ", "||") == []


@pytest.mark.parametrize(
    "answer", ["```\nUp || Left\n```", "```text\nUp || Left\n```", "```Up || Left```"]
)
def test_fence_around_the_whole_answer_is_removed(answer: str):
    assert split_actions(answer, "||") == ["Up", "Left"]


def test_fence_around_a_part_is_left():
    assert split_actions("```Up``` || Left", "||") == ["```Up```", "Left"]


@pytest.mark.parametrize("response_format", RESPONSE_FORMATS)
@given(
    actions=st.lists(
        st.from_regex(r"[a-zA-Z0-9+*/() .\[\]-]*[a-z0-9)]", fullmatch=True)
        .map(str.strip)
        .filter(bool),
        min_size=1,
        max_size=5,
    ),
    reasoning=st.text().filter(lambda t: "<" not in t),
)
def test_formatted_reply_is_read_back(response_format: str, actions: list[str], reasoning: str):
    reply = format_reply(actions, reasoning, response_format, "||")
    parsed = parse_reply(reply, response_format)
    assert parsed.problem == ""
    assert split_actions(parsed.answer or "", "||") == actions
    if response_format == "think-answer":
        assert parsed.reasoning == reasoning


def test_reply_that_would_not_be_read_back_is_refused():
    with pytest.raises(ValueError, match="must not hold <think> tags"):
        format_reply(["Up"], "I write </think> now", "think-answer", "||")
    for actions, reasoning in ((["</answer>"], ""), (["Up"], "<answer>")):
        with pytest.raises(ValueError, match="must not hold <answer> tags"):
            format_reply(actions, reasoning, "answer-only", "||")
    with pytest.raises(ValueError, match=r"must not hold the separator '\|\|'"):
        format_reply(["Up", "Left||Down"], "", "think-answer", "||")


@settings(max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            ["<think>", "</think>", "<answer>", "</answer>", "||", "Up", "<THINK>", "<", "```"]
        )
        | st.text(max_size=3)
    ).map("".join),
    st.sampled_from(RESPONSE_FORMATS),
)
def test_no_reply_raises_and_an_answer_never_holds_a_tag(reply: str, response_format: str):
    parsed = parse_reply(reply, response_format)
    if response_format == "think-answer" and parsed.problem == "":
        assert STRICT.search(reply)
    if response_format != "raw" and parsed.answer is not None:
        assert parsed.answer.strip()
        assert "<answer>" not in parsed.answer.lower()


@pytest.mark.parametrize(
    "unit", ["<think>", "</think>", "<answer>", "<answer>a</answer>", "||", "a"]
)
@pytest.mark.parametrize("response_format", RESPONSE_FORMATS)
def test_reply_of_100k_characters_takes_linear_time(unit: str, response_format: str):
    # Linear is a few milliseconds; quadratic would be minutes.
    started = time.perf_counter()
    parse_reply(unit * (100_000 // len(unit)), response_format)
    assert time.perf_counter() - started < 5
