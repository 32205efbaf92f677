"""The command line: `tvfc COMMAND`. Each command is a file in `commands/`, loaded when called."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS = {
    "compile": "Write a job that spark-submit runs.",
    "explain": "Show the plan of a query, or what an error code means.",
    "run": "Compile a query and run it on local Spark.",
    "status": "Tell what a job does, and why nothing comes out, by its checkpoint.",
    "top": "Show that over and over, in a terminal.",
    "state": "Show the rows that a job holds, by its checkpoint.",
    "why": "Tell what has become of a row, and what rows that are held wait for.",
    "plan": "Tell what becomes of a job's state if another query goes on with it.",
    "upgrade": "Make a checkpoint for another query out of that of a job.",
    "savepoint": "Copy the checkpoint of a job, also while it runs.",
    "diff": "Compare what two jobs have written, by their checkpoints.",
    "switch": "Have the tables of two jobs take each other's names.",
    "test": "Run scenario files on local Spark.",
    "check": "Report what is wrong with queries, and nothing else.",
}
"""In the order of the help text; a command's own file is not loaded to show it."""


class LazyGroup(click.Group):
    """Loads a command's module when the command is called: `compile` must not wait for PySpark."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The commands, in order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name, loaded."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"commands.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list in `tvfc --help`."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - 20 ms for the e-mail library

    try:
        return version("tvfc")
    except PackageNotFoundError:  # called from a source tree that is not installed
        return "unknown"


def _show_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:  # noqa: FBT001
    if wanted:
        click.echo(f"tvfc {_version()}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version and exit.",
)
def tvfc() -> None:
    """Compile streaming SQL, Spark SQL plus time, to PySpark Structured Streaming jobs."""


def main(run: Callable[[], object] = tvfc) -> None:
    """Entry point; whatever is nobody else's fault is a bug in tvfc, exit status 70."""
    try:
        run()
    except Exception as error:
        crash = importlib.import_module("commands.crash")
        click.echo(crash.report(error, sys.argv[1:], _version()), err=True)
        sys.exit(70)


if __name__ == "__main__":
    main()
