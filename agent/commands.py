"""`ragen play`: play a world yourself, or watch an agent play it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from agent.agents import Agent
    from agent.wrapper import LLMAgentWrapper

_HELP = "Type an action, several separated by ||, or: hint, quit."


@click.command()
@click.argument("name", metavar="ENV")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Episode seed.")
@click.option("--agent", "agent_name", default="human", show_default=True, help="Who plays.")
def play(name: str, seed: int, agent_name: str) -> None:
    """Play ENV yourself, or watch an agent play it."""
    from agent.agents import HumanAgent, load_agent
    from agent.wrapper import LLMAgentWrapper
    from ragen_envs.naming import open_world

    try:
        env = LLMAgentWrapper(open_world(name))
        human = agent_name == "human"
        player = HumanAgent(lambda _: _ask(env)) if human else load_agent(agent_name)
        _play(env, player, seed, echo=not human)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _play(env: LLMAgentWrapper, player: Agent, seed: int, *, echo: bool) -> None:
    from agent.agents import Conversation
    from agent.rollout import turn_seed
    from ragen_envs.terminal import printable

    observation, info = env.reset(seed=seed)
    click.echo(printable(env.system_message if echo else env.get_wrapper_attr("instructions")))
    total, ended = 0.0, False
    while not ended:
        click.echo(f"\n{printable(observation)}")
        reply_seed = turn_seed(seed, info["instance_id"], 0, info["turn"])
        conversation = Conversation(info["messages"], info, reply_seed, env)
        reply = player.respond([conversation])[0].text
        if echo:
            click.echo(f"\n> {printable(reply)}")
        observation, reward, terminated, truncated, info = env.step(reply)
        total += reward
        ended = terminated or truncated
    click.echo(f"\n{printable(observation)}\n")
    outcome = "Solved" if info["success"] else "Not solved"
    click.echo(f"{outcome} after {info['turn']} replies, return {total:g}.")


def _ask(env: LLMAgentWrapper) -> str:
    while True:
        typed: str = click.prompt(_HELP, prompt_suffix="\n> ", default="", show_default=False)
        word = typed.strip().casefold()
        if word == "quit":
            raise click.Abort
        if word != "hint":
            return typed
        plan = env.get_wrapper_attr("solution")()
        click.echo(f"Hint: {plan[0]}" if plan else "Hint: nothing solves it from here.")
