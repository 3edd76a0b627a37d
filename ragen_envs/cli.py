"""The `ragen` command: finds its sub-commands through the entry-point group `ragen.commands`."""

from __future__ import annotations

import difflib
import json
import signal
import sys
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click

from ragen_envs import __version__

# Exit codes. 1 is for a gate or an alarm that did not hold.
DONE, USAGE, INCOMPLETE, INTERRUPTED = 0, 2, 3, 130

_FIRST_STEPS = """\
ragen {version}: text worlds for LLM agents.

  ragen envs              what there is
  ragen play sokoban      play one yourself
  ragen bench --quick     random and oracle agents on every world, in seconds
  ragen --help            everything else
"""


class CommandGroup(click.Group):
    """Sub-commands from the entry points of installed packages, loaded when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all installed sub-commands."""
        return sorted(_installed())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The sub-command; one that cannot be loaded says why when it is called."""
        entry = _installed().get(cmd_name)
        return None if entry is None else _load(entry)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The sub-command of the arguments, or an error that suggests the closest name."""
        name = args[0]
        if name not in _installed() and not name.startswith("-"):
            close = difflib.get_close_matches(name, _installed(), n=1)
            hint = f" Did you mean '{close[0]}'?" if close else ""
            raise click.UsageError(f"no command '{name}'.{hint} See: ragen --help")
        return super().resolve_command(ctx, args)


def _installed() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group="ragen.commands")}


def _load(entry: EntryPoint) -> click.Command:
    try:
        command = entry.load()
    except Exception as error:  # noqa: BLE001 (a broken plug-in must not break the others)
        reason = f"{entry.value} cannot be loaded: {error}"

        def fail() -> None:
            raise click.ClickException(reason)

        return click.Command(entry.name, callback=fail, help=reason)
    assert isinstance(command, click.Command)
    return command


@click.command(
    cls=CommandGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="ragen")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Text worlds for LLM agents: list them, play them, score agents on them."""
    if ctx.invoked_subcommand is None:
        click.echo(_FIRST_STEPS.format(version=__version__), nl=False)


def main() -> None:
    """Run the command line; errors are one sentence on standard error.

    Exit codes: 0 done, 1 a gate did not hold, 2 usage, 3 incomplete, 130 interrupted.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # As with python -m: `ragen bench my_worlds:mine/World-v0` finds my_worlds.py in this folder.
    sys.path.insert(0, "")
    sys.exit(run(sys.argv[1:]))


def run(args: list[str]) -> int:
    """Run the command line with `args` and return its exit code."""
    try:
        code: Any = cli.main(args, prog_name="ragen", standalone_mode=False)
    except click.ClickException as error:
        return _fail(error.format_message(), as_json="--json" in args)
    except (click.Abort, KeyboardInterrupt):
        click.echo("ragen: interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe has gone, as `ragen envs | head` does
        sys.stderr.close()
        return DONE
    except OSError as error:
        return _fail(str(error), as_json="--json" in args)
    return code if isinstance(code, int) else DONE


def _fail(text: str, *, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps({"schema": 1, "error": {"kind": "usage", "message": text}}))
    click.echo(f"ragen: {text}", err=True)
    return USAGE
