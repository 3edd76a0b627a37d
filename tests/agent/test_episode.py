"""Episodes are read back equal to what was written, whatever the text and whoever was killed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent import Episode, EpisodeWriter, Response, Sampling, Turn, Usage, read_episodes
from agent.episode import SCHEMA, write_episodes
from agent.tokens import TokenRow, TokenTrace

NASTY = "\x00\ud800\u2028\r\n</script>\U0001f9ca\x1b[31m"


def episode(member: int = 0, text: str = NASTY) -> Episode:
    response = Response(
        text, "length", "why", (1, 2), (3,), (-0.5,), Usage(prompt=2, completion=1, cached=1)
    )
    turn = Turn(
        0,
        ({"role": "system", "content": "s"}, {"role": "user", "content": text}),
        (),
        response,
        text,
        ("Up", ""),
        (0.0, -0.1),
        -0.1,
        -0.1,
        "reason",
        "terminated",
        Sampling("m", 3, 1.0, 0.9, 40, "processed"),
    )
    second = replace(turn, index=1, shown_turns=(0,), response=Response("b"), sampling=None)
    row = TokenRow((1, 2, 3), (0, 0, 1), (0.0, 0.0, -0.5), ((0, 2, 3),), ((0, 2, 3),))
    return Episode(
        SCHEMA, "ragen/X-v0", {"size": [6, 6]}, "test", "test-1", member, 7, "random",
        (turn, second), True, False, True, "", text, TokenTrace((row,)),
    )  # fmt: skip


def test_episode_is_read_back_equal(tmp_path: Path):
    path = tmp_path / "episodes.jsonl"
    written = [episode(member) for member in range(3)]
    assert write_episodes(path, written) == 3
    assert list(read_episodes(path)) == written


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_survives_one_line_of_ascii(text: str):
    line = episode(text=text).to_json()
    assert line.isascii()
    assert "\n" not in line
    assert Episode.from_json(line) == episode(text=text)


def test_absent_is_null():
    data = json.loads(replace(episode(), trace=None).to_json())
    assert data["trace"] is None
    assert data["turns"][1]["response"]["logprobs"] is None
    assert data["turns"][1]["sampling"] is None


def test_nan_is_refused():
    with pytest.raises(ValueError, match="Out of range float values"):
        replace(episode(), turns=(replace(episode().turns[0], env_reward=float("nan")),)).to_json()


def test_half_last_line_is_ignored_and_cut_off_before_the_next_write(tmp_path: Path):
    path = tmp_path / "episodes.jsonl"
    line = episode(0).to_json()
    path.write_text(line + "\n" + line[: len(line) // 2])
    assert list(read_episodes(path)) == [episode(0)]
    with EpisodeWriter(path) as writer:
        writer.write(episode(1))
    assert list(read_episodes(path)) == [episode(0), episode(1)]


def test_file_of_one_half_line_starts_anew(tmp_path: Path):
    path = tmp_path / "episodes.jsonl"
    path.write_text("{" * 200_000)
    write_episodes(path, [episode(0)])
    assert list(read_episodes(path)) == [episode(0)]


def test_broken_line_is_an_error_that_names_it(tmp_path: Path):
    path = tmp_path / "episodes.jsonl"
    path.write_text(episode().to_json() + "\nnot json\n" + episode().to_json() + "\n")
    with pytest.raises(ValueError, match=r"episodes\.jsonl, line 2: "):
        list(read_episodes(path))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 99}, "schema must be 1, got 99"),
        ({"surprise": 1}, "not an episode of schema 1"),
        ({"turns": [{}]}, "not an episode of schema 1"),
    ],
)
def test_line_of_another_shape_is_refused(change: dict[str, object], message: str):
    data = json.loads(episode().to_json()) | change
    with pytest.raises(ValueError, match=message):
        Episode.from_json(json.dumps(data))


def test_line_that_is_no_object_is_refused():
    with pytest.raises(ValueError, match="schema must be 1, got None"):
        Episode.from_json("[1]")


def test_returns_are_kept_apart():
    assert episode().env_return == pytest.approx(-0.2)
    assert episode().total_return == pytest.approx(-0.4)


def test_chat_of_a_turn_that_does_not_exist_raises():
    with pytest.raises(IndexError, match=r"turn must be in \[0, 1\], got 2"):
        episode().messages(2)
