"""The simple agents answer from their conversation alone."""

from __future__ import annotations

import gymnasium as gym
import pytest

from agent import (
    Conversation,
    HumanAgent,
    LLMAgentWrapper,
    OracleAgent,
    RandomAgent,
    ScriptedAgent,
    load_agent,
)
from agent.response import parse_reply
from tests.ragen_envs.corridor import CorridorEnv


def conversation(env: LLMAgentWrapper, seed: int = 0) -> Conversation:
    _, info = env.reset(seed=seed)
    return Conversation(info["messages"], info, seed=seed, env=env)


def test_random_agent_depends_on_the_seed_of_the_conversation_alone():
    env = LLMAgentWrapper(CorridorEnv())
    talk = [conversation(env, seed) for seed in range(20)]
    together = RandomAgent().respond(talk)
    one_by_one = [RandomAgent().respond([c])[0] for c in talk]
    assert together == one_by_one
    assert len({response.text for response in together}) == 2


def test_random_reply_is_well_formed_in_every_format():
    for response_format in ("think-answer", "answer-only", "native-thinking", "raw"):
        env = LLMAgentWrapper(CorridorEnv(), response_format=response_format)
        text = RandomAgent().respond([conversation(env)])[0].text
        parsed = parse_reply(text, response_format)
        assert parsed.problem == ""
        assert parsed.answer in ("left", "right")


def test_oracle_plays_as_much_of_the_plan_as_a_reply_may_hold():
    env = LLMAgentWrapper(CorridorEnv())
    talk = conversation(env)
    env.unwrapped.goal = 4  # type: ignore[attr-defined]
    reply = parse_reply(OracleAgent().respond([talk])[0].text, "think-answer")
    assert reply.answer == "right || right || right"


def test_oracle_reasoning_depends_on_the_state():
    env = LLMAgentWrapper(CorridorEnv())
    reasonings = set()
    for seed in range(40):
        talk = conversation(env, seed)
        reply = parse_reply(OracleAgent().respond([talk])[0].text, "think-answer")
        assert reply.problem == ""
        assert talk.messages[-1]["content"].rstrip(".") in reply.reasoning
        reasonings.add(reply.reasoning)
    assert len(reasonings) == 4


def test_oracle_of_a_stochastic_world_plays_one_action():
    env = LLMAgentWrapper(gym.make("ragen/FrozenLake-v0"))
    reply = parse_reply(OracleAgent().respond([conversation(env)])[0].text, "think-answer")
    assert reply.answer in ("Left", "Down", "Right", "Up")


def test_world_without_a_solution_has_no_oracle():
    class Unsolvable(CorridorEnv):
        def solution(self) -> list[str] | None:
            return None

    with pytest.raises(ValueError, match="no solution for train-0"):
        OracleAgent().respond([conversation(LLMAgentWrapper(Unsolvable()))])


def test_agent_that_plays_in_process_worlds_refuses_a_remote_one():
    _, info = LLMAgentWrapper(CorridorEnv()).reset(seed=0)
    for agent in (RandomAgent(), OracleAgent()):
        with pytest.raises(ValueError, match="in-process worlds only"):
            agent.respond([Conversation(info["messages"], info, seed=0)])


def test_scripted_agent_replies_by_turn_and_repeats_the_last():
    env = LLMAgentWrapper(CorridorEnv())
    agent = ScriptedAgent(["a", "b"])
    _, info = env.reset(seed=0)
    texts = []
    for _ in range(3):
        texts.append(agent.respond([Conversation(info["messages"], info, 0)])[0].text)
        info = env.step(texts[-1])[4]
    assert texts == ["a", "b", "b"]


def test_scripted_agent_without_replies_raises():
    with pytest.raises(ValueError, match="at least one reply"):
        ScriptedAgent([])


def test_human_types_actions_or_a_whole_reply():
    talk = conversation(LLMAgentWrapper(CorridorEnv()))
    shown: list[str] = []

    def ask(observation: str) -> str:
        shown.append(observation)
        return "right || left"

    (response,) = HumanAgent(ask).respond([talk])
    assert response.text == "<think></think>\n<answer>right || left</answer>"
    assert shown == [talk.messages[-1]["content"]]
    whole = "<think>hm</think><answer>left</answer>"
    assert HumanAgent(lambda _: whole).respond([talk])[0].text == whole


def test_load_agent_suggests_the_closest_name():
    assert isinstance(load_agent("oracle"), OracleAgent)
    with pytest.raises(ValueError, match="got 'orcale'; did you mean 'oracle'"):
        load_agent("orcale")
