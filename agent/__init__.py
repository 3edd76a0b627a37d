"""Agents for text worlds: the standard wrapper, simple agents, grouped rollouts, and episodes."""

from agent.agents import (
    Agent,
    Conversation,
    HumanAgent,
    OracleAgent,
    RandomAgent,
    ScriptedAgent,
    load_agent,
)
from agent.episode import (
    Episode,
    EpisodeWriter,
    Response,
    Sampling,
    Turn,
    Usage,
    read_episodes,
    write_episodes,
)
from agent.rollout import collect, iter_episodes
from agent.wrapper import LLMAgentWrapper

__all__ = [
    "Agent",
    "Conversation",
    "Episode",
    "EpisodeWriter",
    "HumanAgent",
    "LLMAgentWrapper",
    "OracleAgent",
    "RandomAgent",
    "Response",
    "Sampling",
    "ScriptedAgent",
    "Turn",
    "Usage",
    "collect",
    "iter_episodes",
    "load_agent",
    "read_episodes",
    "write_episodes",
]
