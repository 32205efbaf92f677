"""`tvfc savepoint`: a copy of a checkpoint as it was after its last batch, to be continued."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from compiler.escapes import visible

if TYPE_CHECKING:
    from tvfc_runtime.reports.query_status import QueryStatus

ATTEMPTS = 5
"""A job that runs meanwhile removes what it does not need any more, after a hundred batches."""


@click.command()
@click.argument("folder", metavar="DIR")
@click.option("--to", "target", required=True, metavar="DIR2", help="Where the copy is to lie.")
def command(folder: str, target: str) -> None:
    """Copy the checkpoint DIR, beside its job or after it, to DIR2."""
    from commands.upgrading.assembly import begin, end  # noqa: PLC0415 - PyArrow takes long
    from commands.upgrading.queries import UpgradeError  # noqa: PLC0415
    from tvfc_runtime.checkpoint.whole import CheckpointError  # noqa: PLC0415

    try:
        begin(target)
        batches = _copied_at_last(folder, target)
        end(target)
    except (UpgradeError, CheckpointError, OSError) as error:
        raise click.ClickException(visible(str(error))) from None
    for place, batch in batches.items():
        click.echo(f"{visible(place)} as it was after batch {batch}")


def _copied_at_last(folder: str, target: str) -> dict[str, int]:
    """A copy; if what it needs goes meanwhile, one of a later batch."""
    from commands.upgrading.assembly import begin  # noqa: PLC0415
    from commands.upgrading.queries import UpgradeError  # noqa: PLC0415
    from tvfc_runtime.checkpoint.whole import CheckpointError  # noqa: PLC0415

    for _ in range(ATTEMPTS - 1):
        try:
            return _copied(folder, target)
        except (FileNotFoundError, UpgradeError, CheckpointError):
            begin(target)
    return _copied(folder, target)


def _copied(folder: str, target: str) -> dict[str, int]:
    from commands.upgrading.assembly import Stock, Wanted, assemble  # noqa: PLC0415
    from commands.upgrading.queries import UpgradeError  # noqa: PLC0415
    from commands.upgrading.taken_over import statuses  # noqa: PLC0415
    from tvfc_runtime.checkpoint.storage import list_numbers, read_text  # noqa: PLC0415

    done = {}
    for each in statuses(folder):
        batch = _batch_of(each)
        if batch < 0:
            continue  # What has not begun begins in the copy as well.
        below = each.place.removeprefix(folder.rstrip("/"))
        numbers = list_numbers(f"{each.place}/state")
        stocks = {number: Stock(each.place, number, batch + 1) for number in numbers}
        identity = json.loads(read_text(f"{each.place}/tvfc/query.json"))
        assemble(Wanted(each.place, batch, f"{target}{below}", identity, stocks))
        done[f"{target}{below}"] = batch
    if not done:
        raise UpgradeError(f"TVF755: {folder} has no batch that is done")
    return done


def _batch_of(query: QueryStatus) -> int:
    """The batch after which a query is copied: of one that runs, the last one that is counted.

    The counts of a batch come a moment after it, and a copy without them would count on without it.
    """
    is_counted = query.runs and 0 <= query.counted < query.batch
    return query.counted if is_counted else query.batch
