"""`tvfc diff`: what the sinks of two jobs have at one value of the clock, and in what they differ.

Runs beside the jobs or after them, without Spark, and writes nothing.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from commands.state import queries_of
from compiler.escapes import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from commands.comparing.answers import Compared
    from commands.comparing.moments import AsOf
    from commands.comparing.sinks import Sink

EXAMPLES = 5

OPTIONS = (
    click.option(
        "--option",
        "options",
        multiple=True,
        metavar="NAME.OPTION=VALUE",
        help="An option of a sink of DIR, as its job is started with it.",
    ),
    click.option(
        "--option2",
        "options2",
        multiple=True,
        metavar="NAME.OPTION=VALUE",
        help="The same of DIR2.",
    ),
)


@click.command()
@click.argument("folder", metavar="DIR")
@click.argument("folder2", metavar="DIR2")
@click.option(
    "--as-of",
    metavar="BATCH|TIMESTAMP",
    help="After a batch of DIR, or at a clock value  [default: the last one that both have had]",
)
@click.option("--sink", "names", multiple=True, metavar="NAME", help="This sink alone.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print it.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=EXAMPLES,
    show_default=True,
    metavar="ROWS",
    help="At most so many rows of each kind that differs.",
)
@OPTIONS[0]
@OPTIONS[1]
def command(
    folder: str,
    folder2: str,
    as_of: str | None,
    names: tuple[str, ...],
    form: str,
    limit: int,
    options: tuple[str, ...],
    options2: tuple[str, ...],
) -> None:
    """Compare what the jobs with DIR and DIR2 have written; exit status 1 if that differs."""
    from commands.comparing.answers import SAME, compared  # noqa: PLC0415 - PyArrow takes long

    moment = _moment(as_of)
    sinks = sinks_in(folder, options, names), sinks_in(folder2, options2, names)
    found = compared(sinks, moment, limit)
    if form == "json":
        click.echo(json.dumps([as_data(each) for each in found], indent=1))
    else:
        click.echo("\n".join(line for each in found for line in as_lines(each, folder, folder2)))
    sys.exit(any(each.verdict != SAME for each in found))


def sinks_in(folder: str, options: Sequence[str], names: Sequence[str] = ()) -> dict[str, Sink]:
    """The sinks of a job, or some of them.

    Raises:
        ClickException: it is no checkpoint, or has no such sinks.
    """
    from commands.comparing.sinks import CompareError, sinks_of  # noqa: PLC0415

    try:
        found = sinks_of(queries_of(folder), options)
    except CompareError as error:
        raise click.ClickException(visible(str(error))) from None
    if not found:
        raise click.ClickException(visible(f"{folder} does not say which sinks its job has"))
    return {name: each for name, each in found.items() if not names or name in names}


def _moment(text: str | None) -> AsOf:
    from commands.comparing.moments import AsOf  # noqa: PLC0415

    if text is None:
        return AsOf()
    if text.isascii() and text.isdigit():
        return AsOf(batch=int(text))
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise click.UsageError(
            "--as-of takes the number of a batch or a moment, such as '2026-01-31 12:00:00'"
        ) from None
    zoned = found if found.tzinfo else found.replace(tzinfo=UTC)
    return AsOf(clock_ms=(zoned - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1))


def as_lines(found: Compared, folder: str, folder2: str) -> Iterator[str]:
    """What is said of a sink, in lines."""
    from commands.comparing.answers import said  # noqa: PLC0415
    from commands.inside.shown import as_lines as lines_of  # noqa: PLC0415

    difference = found.difference
    if difference is None:
        yield visible(f"{found.sink}: {found.verdict}: {'; '.join(found.notes)}")
        return
    counts = f"{difference.both:,} rows"
    if any(difference.only):
        one, other = difference.only
        counts += f" in both, {one:,} in {folder} alone, {other:,} in {folder2} alone"
    yield visible(f"{found.sink}: {found.verdict}: {counts}, {said(found)}")
    for place, rows in zip((folder, folder2), difference.examples, strict=True):
        if rows.num_rows:
            yield visible(f"  in {place} alone, such as")
            yield from (f"    {line}" for line in lines_of(rows))
    yield from (visible(f"  {each}") for each in found.notes)


def as_data(found: Compared) -> dict[str, Any]:
    """The same as plain data; clock values in milliseconds since the epoch, null: none."""
    from commands.inside.shown import as_objects  # noqa: PLC0415

    data: dict[str, Any] = {"sink": found.sink, "verdict": found.verdict}
    if found.difference is not None and found.clocks_ms is not None:
        data |= {
            "clocks_ms": [each or None for each in found.clocks_ms],
            "batches": found.batches,
            "both": found.difference.both,
            "only": found.difference.only,
            "examples": [as_objects(each) for each in found.difference.examples],
            "columns": found.difference.columns,
        }
    return {**data, "notes": found.notes}
