"""Write docs/samples and the table of scores in README.md: `python -m benchmarks.samples`."""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import asdict
from pathlib import Path

import gymnasium as gym
import numpy as np

from agent import LLMAgentWrapper, OracleAgent, RandomAgent, collect
from agent.episode import Episode
from benchmarks.evaluation import BenchConfig, Row, Run
from ragen_envs.metamathqa.problems import DIFFICULTIES, METHODS, TOPICS, pose
from ragen_envs.registration import ENVIRONMENTS

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "docs" / "samples"
README = ROOT / "README.md"
INSTANCES = 20
SCORE_INSTANCES = 128

_TABLE = re.compile(r"(<!-- scores -->\n).*?(<!-- /scores -->)", re.DOTALL)


def main() -> None:
    """Write everything; what is there is replaced."""
    for row in ENVIRONMENTS:
        path = SAMPLES / "instances" / f"{row.id.removeprefix('ragen/')}.md"
        write(path, instances_page(row.id))
        path = SAMPLES / "episodes" / f"{row.id.removeprefix('ragen/')}.md"
        write(path, episodes_page(row.id))
    write(SAMPLES / "metamathqa_templates.md", templates_page())
    rows = score_rows()
    scores = [asdict(row) for row in rows]
    write(SAMPLES / "scores.json", json.dumps(scores, indent=2) + "\n")
    README.write_text(with_scores(README.read_text(encoding="utf-8"), rows), encoding="utf-8")


def write(path: Path, text: str) -> None:
    """Write a sample file, with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def instances_page(env_id: str) -> str:
    """The first instances of an id with their solutions, as Markdown."""
    env = gym.make(env_id)
    parts = [
        f"# {env_id}\n\nInstances of seeds 0 to {INSTANCES - 1}, train split, each with the plan "
        "of the oracle (in stochastic worlds, its first action). Written by "
        "`python -m benchmarks.samples`.\n\n"
        f"## Instructions\n\n{_fenced(env.get_wrapper_attr('instructions'))}"
    ]
    for seed in range(INSTANCES):
        observation, info = env.reset(seed=seed)
        plan = " || ".join(env.get_wrapper_attr("solution")() or [])
        own = env.get_wrapper_attr("extra_info")()
        facts = ", ".join(f"{key} {value}" for key, value in own.items())
        parts.append(
            f"## {info['instance_id']}\n\n{_fenced(observation)}\n\nPlan: `{plan}`\n\nInfo: {facts}"
        )
    return "\n\n".join(parts) + "\n"


def episodes_page(env_id: str) -> str:
    """One episode of the oracle and one of the random agent, as the model sees them."""
    system = LLMAgentWrapper(gym.make(env_id)).system_message
    parts = [
        f"# {env_id}\n\nOne episode of each agent, instance train-0. Written by "
        f"`python -m benchmarks.samples`.\n\n## System message\n\n{_fenced(system)}"
    ]
    for agent in (OracleAgent(), RandomAgent()):
        (episode,) = collect(env_id, agent, ["train-0"])
        parts.append(_episode(episode))
    return "\n\n".join(parts) + "\n"


def _episode(episode: Episode) -> str:
    outcome = "solved" if episode.success else "not solved"
    parts = [f"## {episode.agent}: {outcome}, return {episode.total_return:g}"]
    for turn in episode.turns:
        parts.append(
            f"User:\n\n{_fenced(turn.observation)}\n\nReply:\n\n{_fenced(turn.response.text)}"
        )
        parts.append(f"Rewards: {list(turn.rewards)}, format penalty {turn.format_penalty:g}")
    parts.append(f"In the end:\n\n{_fenced(episode.final_observation)}")
    return "\n\n".join(parts)


def templates_page() -> str:
    """A problem of each type from each template of MetaMathQA."""
    parts = [
        "# Problems of MetaMathQA\n\nEach template in each of its types, with numbers of the "
        "normal difficulty. Written by `python -m benchmarks.samples`."
    ]
    scale = DIFFICULTIES["normal"].scale
    for topic in TOPICS:
        for number, template in enumerate(topic.templates):
            lines = [f"## {topic.name}: {template.name} (level {template.level})"]
            backward = METHODS if template.unknowns else METHODS[:2]
            for method in backward:
                rng = np.random.default_rng([number, METHODS.index(method)])
                question_type = f"{topic.source}_{method}"
                question, gold = pose(rng, template, template.draw(rng, scale), question_type)
                lines.append(f"{question_type}: {question}\n\n    {gold}")
            parts.append("\n\n".join(lines))
    return "\n\n".join(parts) + "\n"


def score_rows() -> list[Row]:
    """What `ragen bench all -n 128` finds for the random and the oracle agent."""
    config = BenchConfig(
        envs=tuple(row.id for row in ENVIRONMENTS),
        agents=("random", "oracle"),
        instances=SCORE_INSTANCES,
    )
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder) / "run", config)
        run.play(None, lambda _: None)
        return run.summary()


def with_scores(readme: str, rows: list[Row]) -> str:
    """The README with its table of ids and scores made from these rows."""
    table = "\n".join(_table(rows))
    return _TABLE.sub(lambda match: f"{match[1]}{table}\n{match[2]}", readme)


def _table(rows: list[Row]) -> list[str]:
    lines = [
        "| id | ends after | actions a reply | random | oracle |",
        "|---|---|---|---|---|",
    ]
    scores = {(row.env, row.agent): _score(row) for row in rows}
    for row in ENVIRONMENTS:
        env = gym.make(row.id)
        attempts = env.get_wrapper_attr("max_attempts")
        count, what = (
            (row.max_episode_steps, "action") if attempts is None else (attempts, "attempt")
        )
        limit = f"{count} {what}" if count == 1 else f"{count} {what}s"
        lines.append(
            f"| `{row.id}` | {limit} | {env.get_wrapper_attr('actions_per_turn')} "
            f"| {scores[row.id, 'random']} | {scores[row.id, 'oracle']} |"
        )
    return lines


def _score(row: Row) -> str:
    if row.success is None or row.ci is None:
        return "-"
    return f"{row.success:.2f} [{row.ci[0]:.2f}, {row.ci[1]:.2f}]"


def _fenced(text: str) -> str:
    return f"```text\n{text}\n```"


if __name__ == "__main__":
    main()
