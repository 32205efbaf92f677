"""`tvfc check`: diagnostics of query files, and nothing else."""

from __future__ import annotations

from pathlib import Path

import click

from commands.files import PARAMETERS, QUERY, STRICT, QueryFault, WarningFault, compile_file


@click.command()
@click.argument("queries", metavar="QUERY...", type=QUERY, nargs=-1, required=True)
@PARAMETERS
@STRICT
@click.pass_context
def command(
    ctx: click.Context,
    queries: tuple[Path, ...],
    parameters: tuple[str, ...],
    strict: bool,  # noqa: FBT001
) -> None:
    """Report what is wrong with each QUERY."""
    faulty = False
    for query in queries:
        try:
            compile_file(query, query.parent, strict=strict, parameters=parameters)
        except (QueryFault, WarningFault) as fault:
            fault.show()
            faulty = True
    if faulty:
        ctx.exit(1)
