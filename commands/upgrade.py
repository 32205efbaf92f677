"""`tvfc upgrade`: a checkpoint with which another query goes on where a job has stopped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from commands.files import PARAMETERS, QUERY
from commands.plan import OPTIONS
from commands.spark_settings import Settings, with_spark_settings
from compiler.escapes import visible

if TYPE_CHECKING:
    from commands.upgrading.taken_over import Whole
    from tvfc_runtime.reports.query_status import QueryStatus


@click.command()
@click.argument("folder", metavar="DIR")
@click.argument("query", type=QUERY)
@click.option("--to", "target", required=True, metavar="DIR2", help="The new checkpoint.")
@click.option("--accept-loss", is_flag=True, help="Go on although something is lost.")
@with_spark_settings
@PARAMETERS
@OPTIONS
def command(
    folder: str,
    query: Path,
    target: str,
    accept_loss: bool,  # noqa: FBT001 - click passes it by name
    settings: Settings,
    parameters: tuple[str, ...],
    options: tuple[str, ...],
) -> None:
    """Make the checkpoint DIR2, with which QUERY goes on where the job with DIR has stopped."""
    from commands.upgrading.taken_over import Asked, as_text, examined, statuses  # noqa: PLC0415

    for each in statuses(folder):
        check_at_rest(each)
    with examined(Asked(folder, query, parameters, options, settings)) as whole:
        click.echo(as_text(whole))
        if whole.lost and not accept_loss:
            raise click.ClickException(
                "TVF756: what is marked lost above would be given up; run it with --accept-loss if "
                "that is right, or start the new query on a checkpoint of its own"
            )
        _carry_out(whole, target)
    click.echo(
        f"{visible(target)} is ready: start the new query with --checkpoint {visible(target)}"
    )


def check_at_rest(status: QueryStatus) -> None:
    """See that a job has stopped behind a batch.

    Raises:
        ClickException: it runs, or has stopped in a batch.
    """
    place = visible(status.place)
    if status.runs:
        raise click.ClickException(f"TVF755: a job runs on {place}: stop it first")
    if status.unfinished is not None:
        raise click.ClickException(
            f"TVF755: batch {status.unfinished} of {place} was begun and is not done, so that its "
            "sinks may have some of it; start the old job once more, with --available-now, which "
            "ends it"
        )


def _carry_out(whole: Whole, target: str) -> None:
    from commands.upgrading.assembly import put_together  # noqa: PLC0415
    from commands.upgrading.taken_over import wanted_by  # noqa: PLC0415
    from tvfc_runtime.checkpoint.storage import exists, lock, unlock  # noqa: PLC0415

    locks = [f"{found.status.place}/tvfc/lock" for _, found, _ in whole.takeovers]
    # No job starts meanwhile.
    if not all(lock(each) for each in locks if exists(each)):
        raise click.ClickException("TVF755: a job has started on the old checkpoint; stop it first")
    try:
        put_together(target, wanted_by(whole, target))
    finally:
        for each in locks:
            unlock(each)
