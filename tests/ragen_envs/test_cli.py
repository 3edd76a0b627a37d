"""The command line, as a person types it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from ragen_envs import ENVIRONMENTS, __version__, cli


def ragen(*args: str, cwd: Path | None = None, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", "from ragen_envs.cli import main; main()", *args],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "80"},
    )


def test_bare_command_says_what_to_try():
    result = ragen()
    assert result.returncode == 0
    assert "ragen play sokoban" in result.stdout


def test_version_and_help():
    assert ragen("--version").stdout == f"ragen, version {__version__}\n"
    text = ragen("--help").stdout
    assert all(command in text for command in ("bench", "envs", "play", "serve"))
    assert "-n" in ragen("bench", "-h").stdout


def test_envs_lists_every_id():
    facts = json.loads(ragen("envs", "--json").stdout)
    assert {"ragen/Sokoban-v0", "ragen/Countdown-v0"} <= {fact["id"] for fact in facts}
    lines = ragen("envs").stdout.splitlines()
    assert len(lines) == len(facts) + 1


def test_envs_shows_one_world():
    text = ragen("envs", "frozen-lake").stdout
    assert "First observation, seed 0" in text
    assert "## Rewards" in text
    data = json.loads(ragen("envs", "countdown", "--json").stdout)
    assert data["observation"].startswith("Target: ")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("envs", "sokobn"), "no environment 'sokobn'. Did you mean 'ragen/Sokoban-v0'?"),
        (("play", "frozenlak"), "Did you mean 'ragen/FrozenLake-v0'?"),
        (("bench", "countdwn"), "Did you mean 'ragen/Countdown-v0'?"),
        (("bench", "--agent", "orcle"), "did you mean 'oracle'?"),
        (("bench", "--set", "size"), "--set must be NAME=VALUE, got 'size'"),
        (("bench", "--set", "split=test"), "the split is given by --split"),
        (("bench", "countdown", "--set", "colour=red"), "colour"),
        (("bench", "countdown", "--split", "dev"), "split must be one of"),
        (("bench", "-n", "0"), "Invalid value for '-n'"),
        (("bench", "--no-such-flag"), "No such option"),
        (("benhc",), "no command 'benhc'. Did you mean 'bench'?"),
        (("play", "sokoban", "--seed", "-1"), "Invalid value for '--seed'"),
        (("play", "CartPole-v1"), "CartPole-v1 is no text world"),
        (("envs", "nosuch:foo"), "there is no module 'nosuch'"),
        (("bench", "sokoban", "--set", "num_boxes=2.5"), "num_boxes must be an int, got 2.5"),
        (("bench", "--quick", "-n", "20"), "give -n or --quick, not both"),
    ],
)
def test_error_is_one_sentence_with_the_fix(tmp_path: Path, args: tuple[str, ...], message: str):
    result = ragen(*args, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("ragen: ")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_error_is_json_where_json_was_asked_for():
    result = ragen("envs", "sokobn", "--json")
    error = json.loads(result.stdout)["error"]
    assert "Did you mean" in error["message"]
    assert result.returncode == 2


def test_bench_prints_a_table_and_keeps_the_run(tmp_path: Path):
    args = ("bench", "countdown", "frozen-lake", "-n", "8", "-o", "run")
    result = ragen(*args, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    header, *rows = result.stdout.splitlines()[:5]
    assert header.split() == [
        "environment", "agent", "success", "95%", "interval", "return", "turns", "invalid", "errors"
    ]  # fmt: skip
    assert [row.split()[:2] for row in rows] == [
        ["ragen/Countdown-v0", "random"],
        ["ragen/Countdown-v0", "oracle"],
        ["ragen/FrozenLake-v0", "random"],
        ["ragen/FrozenLake-v0", "oracle"],
    ]
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {"run.json", "episodes.jsonl", "summary.json"}
    assert "\x1b" not in result.stdout + result.stderr
    again = ragen(*args, cwd=tmp_path)
    assert again.returncode == 0
    assert "0 of 32 episodes to play" in again.stderr
    assert again.stdout.splitlines()[:5] == result.stdout.splitlines()[:5]
    other = ragen(*args[:-3], "9", "-o", "run", cwd=tmp_path)
    assert other.returncode == 2
    assert "instances is 8 there and 9 here" in other.stderr


def test_bench_prints_json(tmp_path: Path):
    result = ragen(
        "bench", "countdown", "--agent", "oracle", "-n", "4", "--set", "count=3", "--json",
        cwd=tmp_path,
    )  # fmt: skip
    data = json.loads(result.stdout)
    assert (data["schema"], data["status"], data["exit_code"]) == (1, "done", 0)
    assert data["rows"][0]["success"] == 1.0
    assert (tmp_path / data["run_dir"] / "summary.json").exists()


def test_bench_without_names_plays_every_world_once():
    from benchmarks.commands import _env_ids

    worlds = ("Countdown", "FrozenLake", "MetaMathQA", "Sokoban")
    assert _env_ids(()) == tuple(f"ragen/{world}-v0" for world in worlds)
    assert len(_env_ids(("all",))) == len(ENVIRONMENTS)


def test_failed_episodes_exit_with_3(tmp_path: Path):
    (tmp_path / "faulty.py").write_text(
        "import gymnasium as gym\n"
        "from tests.agent.test_rollout import FaultyEnv\n"
        "gym.register('tests/Cli-v0', entry_point=FaultyEnv, kwargs={'fault': 'service'})\n"
    )
    root = str(Path(__file__).parents[2])
    code = (
        f"import sys; sys.path[:0] = [{root!r}, '.']; from ragen_envs.cli import run; "
        "sys.exit(run(['bench', 'faulty:tests/Cli-v0', '-n', '3', '-o', 'run']))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode == 3, result.stderr
    assert "Finished episodes are kept; to go on: ragen bench" in result.stderr


def test_play_asks_hints_and_ends():
    result = ragen("play", "frozenlakedeterministic", stdin="hint\nquit\n")
    assert "Hint: " in result.stdout
    assert result.returncode == 130


def test_play_takes_a_typed_tag_as_a_reply():
    result = ragen("play", "frozenlakedeterministic", stdin="<think>\nquit\n")
    assert "Your reply was malformed" in result.stdout
    assert result.returncode == 130


def test_envs_takes_an_id_with_its_module():
    result = ragen("envs", "ragen_envs:ragen/Sokoban-v0", "--json")
    assert json.loads(result.stdout)["id"] == "ragen/Sokoban-v0"


def test_play_shows_an_agent():
    result = ragen("play", "countdown", "--agent", "oracle", "--seed", "3")
    assert result.returncode == 0
    assert "<answer>" in result.stdout
    assert result.stdout.endswith("Solved after 1 replies, return 1.\n")


def test_text_of_worlds_is_never_markup(capsys: pytest.CaptureFixture[str]):
    from ragen_envs.terminal import print_table, printable

    nasty = "[bold]x[/bold] :smile: [link=http://a]"
    print_table(["a", "b"], [[nasty, "1"]], right=[1])
    assert nasty in capsys.readouterr().out
    assert printable("a\x1b[31m\x00\n\ud800√") == "a\\x1b[31m\\x00\n\\ud800√"


def test_broken_plug_in_breaks_only_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    broken = EntryPoint("broken", "no_such_module:command", "ragen.commands")
    installed = cli._installed()
    monkeypatch.setattr(cli, "_installed", lambda: {**installed, "broken": broken})
    assert cli.run(["--help"]) == 0
    assert "no_such_module:command cannot be loaded" in capsys.readouterr().out
    assert cli.run(["broken"]) == 2
    assert "cannot be loaded: No module named 'no_such_module'" in capsys.readouterr().err
    assert cli.run(["envs", "--json"]) == 0
