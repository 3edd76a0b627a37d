"""LLMAgentWrapper on a small world, whose every reward is known."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.error import ResetNeeded

from agent import LLMAgentWrapper
from ragen_envs.core import Outcome
from tests.ragen_envs.corridor import CorridorEnv


class LongCorridor(CorridorEnv):
    """Ten cells and the goal at the far end, so that no short reply solves it."""

    def setup(self, rng: Any, options: dict[str, Any]) -> None:
        self.length, self.goal, self.cell = 10, 9, 0


class AnswerWorld(CorridorEnv):
    """One answer, kept as it came."""

    actions_per_turn = 1
    max_attempts = 1

    def act(self, action: str) -> Outcome:
        self.answer = action
        valid = bool(action)
        return Outcome(0.0, terminated=True, valid=valid, message="" if valid else "empty")


def wrapped(env: gym.Env[str, str] | None = None, **kwargs: Any) -> LLMAgentWrapper:
    wrapper = LLMAgentWrapper(env or LongCorridor(), **kwargs)
    wrapper.reset(seed=0)
    return wrapper


def reply(answer: str) -> str:
    return f"<think>go</think><answer>{answer}</answer>"


def test_system_message_has_the_rules_and_the_reply_form():
    _, info = LLMAgentWrapper(CorridorEnv()).reset(seed=0)
    system, user = info["messages"]
    assert system["role"] == "system"
    assert system["content"].startswith("Walk to G with left and right.")
    assert "<answer>left || right</answer>" in system["content"]
    assert "up to 3 actions, separated by ||" in system["content"]
    assert user["role"] == "user"


def test_actions_of_a_reply_are_played_in_order_and_their_rewards_added():
    observation, reward, terminated, truncated, info = wrapped().step(
        reply("right || right || left")
    )
    assert observation == ".P.......G"
    assert info["actions"] == ("right", "right", "left")
    assert info["action_rewards"] == (-0.1, -0.1, -0.1)
    assert reward == info["env_reward"] == pytest.approx(-0.3)
    assert info["format_penalty"] == 0.0
    assert not terminated
    assert not truncated


def test_actions_after_the_end_are_not_played():
    env = wrapped(CorridorEnv())
    env.unwrapped.goal = 1  # type: ignore[attr-defined]
    _, _, terminated, _, info = env.step(reply("right || left || left"))
    assert terminated
    assert info["success"]
    assert info["actions"] == ("right",)


def test_invalid_action_among_valid_ones_is_a_step_and_is_told():
    observation, reward, _, _, info = wrapped().step(reply("right || jump || right"))
    assert info["actions"] == ("right", "jump", "right")
    assert not info["action_is_valid"]
    assert info["invalid_reason"] == "'jump': no"
    assert observation == "Action 2 was invalid: 'jump': no\n\n..P......G"
    assert info["format_penalty"] == 0.0
    assert reward == pytest.approx(-0.3)


def test_surplus_actions_are_told_beside_another_problem():
    observation, *_ = wrapped().step("<answer>right || right || right || right</answer>")
    assert "there is no <think>...</think> block; it holds 4 actions" in observation


def test_reply_spliced_around_its_reasoning_is_malformed_and_plays_nothing():
    for text in (
        "<ans<think>x</think>wer>right</answer>",
        "<answer>ri<think>x</think>ght</answer>",
    ):
        _, _, _, _, info = wrapped().step(text)
        assert info["actions"] == ("",)
        assert info["format_penalty"] == -0.1


def test_reason_of_a_last_invalid_action_is_told_once():
    observation, *_ = wrapped().step(reply("right || jump"))
    assert observation == "Action 2 was invalid.\n\n'jump': no\n\n.P.......G"


def test_actions_beyond_the_limit_are_dropped_told_and_penalised_once():
    observation, reward, _, _, info = wrapped().step(reply("right || right || right || right"))
    assert info["actions"] == ("right",) * 3
    assert info["format_penalty"] == -0.1
    assert reward == pytest.approx(-0.4)
    assert "only the first 3 were played" in observation


def test_reply_without_a_usable_action_is_one_invalid_action():
    _, reward, _, _, info = wrapped().step("right")
    assert info["actions"] == ("",)
    assert info["env_reward"] == -0.1
    assert info["format_penalty"] == -0.1
    assert reward == pytest.approx(-0.2)
    assert info["format_error"] == "there is no complete <answer>...</answer> block"
    assert not info["action_is_valid"]


def test_answer_of_separators_only_is_one_invalid_action():
    _, _, _, _, info = wrapped().step(reply(" || "))
    assert info["actions"] == ("",)
    assert info["format_penalty"] == -0.1


def test_malformed_reply_that_can_be_used_is_played_and_penalised():
    _, _, _, _, info = wrapped().step("<answer>right</answer>")
    assert info["actions"] == ("right",)
    assert info["format_penalty"] == -0.1


def test_no_malformed_reply_earns_more_than_the_well_formed_one():
    best = wrapped().step(reply("right"))[1]
    for text in ("<answer>right</answer>", "right", "", "<think>a<answer>right</answer>"):
        assert wrapped().step(text)[1] < best


def test_text_reaches_the_world_unchanged_where_one_action_is_allowed():
    env = wrapped(AnswerWorld())
    env.step(reply("\n```python\na || b\n```\n"))
    assert env.unwrapped.answer == "\n```python\na || b\n```\n"  # type: ignore[attr-defined]


def test_raw_reply_reaches_the_world_without_its_reasoning():
    env = wrapped(AnswerWorld(), response_format="raw")
    env.step("<think>hm</think><search>a || b</search>")
    assert env.unwrapped.answer == "<search>a || b</search>"  # type: ignore[attr-defined]


def test_reaching_max_turns_truncates():
    env = wrapped(max_turns=2)
    assert env.step(reply("right"))[3] is False
    assert env.step(reply("right"))[3] is True


def test_both_flags_may_be_true_on_the_last_turn():
    env = wrapped(CorridorEnv(), max_turns=1)
    env.unwrapped.goal = 1  # type: ignore[attr-defined]
    _, _, terminated, truncated, _ = env.step(reply("right"))
    assert terminated
    assert truncated


def test_stepping_without_an_episode_raises():
    with pytest.raises(ResetNeeded):
        LLMAgentWrapper(CorridorEnv()).step(reply("right"))
    env = wrapped(max_turns=1)
    env.step(reply("right"))
    with pytest.raises(ResetNeeded):
        env.step(reply("right"))


def test_reply_that_is_no_string_raises():
    with pytest.raises(TypeError, match="a reply must be a str, got int"):
        wrapped().step(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("window", "shown"), [(None, (0, 1, 2)), (0, ()), (1, (2,)), (2, (1, 2)), (9, (0, 1, 2))]
)
def test_window_bounds_the_turns_that_the_model_sees(window: int | None, shown: tuple[int, ...]):
    env = wrapped(window=window)
    replies = [reply("right"), "junk", reply("left")]
    users = [env.reset(seed=0)[0]]
    for text in replies:
        user, _, _, _, info = env.step(text)
        users.append(user)
    assert info["shown_turns"] == shown
    expected = [info["messages"][0]]
    for turn in shown:
        expected.append({"role": "user", "content": users[turn]})
        expected.append({"role": "assistant", "content": replies[turn]})
    assert info["messages"] == [*expected, {"role": "user", "content": users[3]}]


def test_messages_are_new_objects_each_step():
    env = wrapped()
    first = env.step(reply("right"))[4]["messages"]
    kept = copy.deepcopy(first)
    second = env.step(reply("right"))[4]["messages"]
    assert first == kept
    second[0]["content"] = "changed"
    assert env.step(reply("right"))[4]["messages"][0] == kept[0]


def test_budget_is_told_and_counts_actions():
    gym.register("tests/Long-v0", entry_point=LongCorridor, max_episode_steps=7)
    try:
        env = LLMAgentWrapper(gym.make("tests/Long-v0"), max_turns=4)
        observation, _ = env.reset(seed=0)
        assert observation.endswith("\n\nActions left: 7. Replies left: 4.")
        observation, *_ = env.step(reply("right || right"))
        assert observation.endswith("\n\nActions left: 5. Replies left: 3.")
    finally:
        del gym.registry["tests/Long-v0"]


def test_turn_limit_is_max_turns_else_attempts_else_actions():
    assert wrapped(max_turns=2).turn_limit == 2
    assert wrapped(AnswerWorld()).turn_limit == 1
    assert LLMAgentWrapper(gym.make("ragen/Sokoban-v0")).turn_limit == 10
    assert wrapped(LongCorridor()).turn_limit is None


def test_info_has_the_same_keys_at_reset_and_step():
    env = LLMAgentWrapper(CorridorEnv())
    _, info = env.reset(seed=0)
    assert list(info) == list(env.step(reply("right"))[4])


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"response_format": "xml"}, "response_format must be one of .*, got 'xml'"),
        ({"max_actions_per_turn": 0}, "max_actions_per_turn must be >= 1, got 0"),
        ({"action_separator": " "}, "action_separator must be non-blank text, got ' '"),
        ({"action_separator": "i"}, "action_separator must not occur in 'right', got 'i'"),
        ({"action_separator": "</"}, "action_separator must not occur in '</answer>', got '</'"),
        (
            {"response_format": "raw", "max_actions_per_turn": 2},
            "max_actions_per_turn must be 1 with response_format 'raw', got 2",
        ),
        ({"format_penalty": 0.1}, r"format_penalty must be in \[-1000.0, 0.0\], got 0.1"),
        ({"format_penalty": float("nan")}, r"format_penalty must be in \[-1000.0, 0.0\], got nan"),
        ({"window": -1}, "window must be >= 0, got -1"),
        ({"max_turns": 0}, "max_turns must be >= 1, got 0"),
    ],
)
def test_wrong_argument_raises_and_names_itself(kwargs: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        LLMAgentWrapper(CorridorEnv(), **kwargs)


def test_wrapper_is_part_of_the_spec_and_survives_pickle_and_deepcopy():
    env = LLMAgentWrapper(gym.make("ragen/Countdown-v0"), format_penalty=-0.5)
    again = gym.make(env.spec)  # type: ignore[arg-type]
    assert isinstance(again, LLMAgentWrapper)
    assert again.format_penalty == -0.5
    env.reset(seed=3)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin.step(reply("1"))[:4] == copy.deepcopy(env).step(reply("1"))[:4]


def test_reply_of_100k_characters_is_a_step():
    for text in ("x" * 100_000, reply("y" * 100_000), "<think>" * 15_000):
        observation, _, terminated, _, info = wrapped().step(text)
        assert not info["action_is_valid"]
        assert not terminated
        assert len(observation) < 500


def test_make_vec_takes_the_wrapper():
    envs = gym.make_vec(
        "ragen/FrozenLake-v0", 2, vectorization_mode="sync", wrappers=[LLMAgentWrapper]
    )
    _, infos = envs.reset(seed=0)
    assert [message["role"] for message in infos["messages"][1]] == ["system", "user"]
    _, _, _, _, infos = envs.step((reply("Left || Down"), "junk"))
    assert infos["actions"].tolist() == [("Left", "Down"), ("",)]
    envs.close()
