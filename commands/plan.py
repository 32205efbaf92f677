"""`tvfc plan`: what becomes of each part of a job's checkpoint if another query goes on with it."""

from __future__ import annotations

import json
from pathlib import Path

import click

from commands.files import PARAMETERS, QUERY
from commands.spark_settings import Settings, with_spark_settings

OPTIONS = click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME.OPTION=VALUE",
    help="An option of a source, table or sink, as the job is started with it.",
)


@click.command()
@click.argument("folder", metavar="DIR")
@click.argument("query", type=QUERY)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print it.",
)
@with_spark_settings
@PARAMETERS
@OPTIONS
def command(
    folder: str,
    query: Path,
    form: str,
    settings: Settings,
    parameters: tuple[str, ...],
    options: tuple[str, ...],
) -> None:
    """Tell what `tvfc upgrade` would do with the checkpoint DIR for QUERY; nothing is written."""
    from commands.upgrading.taken_over import Asked, as_data, as_text, examined  # noqa: PLC0415

    with examined(Asked(folder, query, parameters, options, settings)) as whole:
        if form == "json":
            click.echo(json.dumps(as_data(whole), indent=1))
        else:
            click.echo(as_text(whole))
