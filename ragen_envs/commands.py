"""`ragen envs`: what worlds there are, and everything about one."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from gymnasium import Env


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def envs(name: str | None, as_json: bool) -> None:
    """List the worlds, or show all about one: rules, rewards, a first observation."""
    if name is None:
        _list(as_json)
    else:
        _show(name, as_json)


def _list(as_json: bool) -> None:
    from ragen_envs.naming import open_world
    from ragen_envs.registration import ENVIRONMENTS
    from ragen_envs.terminal import print_table

    facts = [_facts(open_world(row.id)) for row in ENVIRONMENTS]
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    rows = [
        [fact["id"], _limit(fact), str(fact["actions_per_turn"]), fact["summary"]] for fact in facts
    ]
    print_table(["id", "ends after", "actions a reply", "world"], rows, right=[2])


def _show(name: str, as_json: bool) -> None:
    from ragen_envs.naming import open_world
    from ragen_envs.terminal import printable

    try:
        env = open_world(name)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    facts = _facts(env)
    observation, _ = env.reset(seed=0)
    facts["instructions"] = env.get_wrapper_attr("instructions")
    facts["observation"] = observation
    facts["documentation"] = inspect.getdoc(type(env.unwrapped)) or ""
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    arguments = ", ".join(f"{key}={value!r}" for key, value in facts["kwargs"].items())
    for title, text in (
        (facts["id"], facts["documentation"]),
        ("Arguments of this id", arguments or "the defaults"),
        ("Instructions", facts["instructions"]),
        ("First observation, seed 0", observation),
    ):
        click.echo(f"{title}\n{'-' * len(title)}\n{printable(text)}\n")


def _facts(env: Env[str, str]) -> dict[str, Any]:
    documentation = inspect.getdoc(type(env.unwrapped)) or ""
    spec = env.spec
    names = ("max_attempts", "actions_per_turn", "num_instances", "stochastic")
    return {
        "id": "" if spec is None else spec.id,
        "summary": documentation.partition("\n")[0],
        "max_episode_steps": None if spec is None else spec.max_episode_steps,
        "kwargs": {} if spec is None else spec.kwargs,
        **{n: env.get_wrapper_attr(n) if env.has_wrapper_attr(n) else None for n in names},
    }


def _limit(facts: dict[str, Any]) -> str:
    if facts["max_attempts"] is not None:
        return "1 attempt" if facts["max_attempts"] == 1 else f"{facts['max_attempts']} attempts"
    steps = facts["max_episode_steps"]
    return "no limit" if steps is None else f"{steps} actions"
