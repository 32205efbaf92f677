"""`tvfc status`: what a job has done, what it holds, and why nothing comes out, by its checkpoint.

Runs beside the job or after it, without Spark, and writes nothing.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from commands.checkpoint import Damaged, NoCheckpointError, status_of
from compiler.escapes import visible
from tvfc_runtime.reports.query_status import QueryStatus
from tvfc_runtime.reports.verdicts import ago, moment, verdicts

if TYPE_CHECKING:
    from tvfc_runtime.reports.query_status import SourceStatus


@click.command()
@click.argument("folder", metavar="DIR")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print it.",
)
def command(folder: str, form: str) -> None:
    """Tell what the job with the checkpoint DIR does, and why nothing comes out of it."""
    queries, damaged = queries_in(folder)
    now_ms = time.time_ns() // 1_000_000
    if form == "json":
        click.echo(json.dumps([_as_data(each, now_ms) for each in queries], indent=1))
    elif queries:
        click.echo(_texts(queries, now_ms, several=len(queries) + len(damaged) > 1))
    if damaged:
        raise click.ClickException("\n".join(damaged))


def status_text(folder: str) -> str:
    """The status of all queries of a job as it is now, in lines.

    Raises:
        ClickException: it is no checkpoint of one.
    """
    queries, damaged = queries_in(folder)
    now_ms = time.time_ns() // 1_000_000
    shown = _texts(queries, now_ms, several=len(queries) + len(damaged) > 1)
    return "\n".join(filter(None, [shown, *damaged]))


def queries_in(folder: str) -> tuple[list[QueryStatus], list[str]]:
    """The queries of a job, and what is said of those that are damaged.

    Raises:
        ClickException: it is no checkpoint of one.
    """
    try:
        found = status_of(folder)
    except NoCheckpointError as error:
        raise click.ClickException(visible(str(error))) from None
    damaged = [visible(f"{each.place}: {each.what}") for each in found if isinstance(each, Damaged)]
    return [each for each in found if isinstance(each, QueryStatus)], damaged


def _texts(queries: list[QueryStatus], now_ms: int, *, several: bool) -> str:
    return "\n\n".join(text(each, now_ms, with_place=several) for each in queries)


def _as_data(query: QueryStatus, now_ms: int) -> dict[str, Any]:
    """The status of a query as plain data; what its description says stands in `due`."""
    known = {name: value for name, value in asdict(query).items() if name != "parts"}
    return {**known, "why": verdicts(query, now_ms)}


def text(query: QueryStatus, now_ms: int, *, with_place: bool = False) -> str:
    """The status of a query in lines.

    Args:
        query: its status.
        now_ms: the time of the wall clock, milliseconds since the epoch.
        with_place: say where its checkpoint is, as for one of several.
    """
    name = " + ".join(query.sinks) or query.place
    name += f" ({query.place})" if with_place and query.sinks else ""
    held = ", ".join(f"{kind} {rows:,}" for kind, rows in query.held.items()) or "nothing"
    lines = [
        f"{name}: {_state(query, now_ms)}",
        f"  clock   {_clock(query)}",
        *_table([_source(each, now_ms) for each in query.sources]),
        f"  held    {held}{_files(query)}",
        f"  out     {query.rows_out:,}{_by_sink(query)}",
        *_time(query),
        *(f"  why     {each}" for each in verdicts(query, now_ms)),
    ]
    return "\n".join(map(visible, lines))


def _state(query: QueryStatus, now_ms: int) -> str:
    runs = {True: "runs", False: "does not run", None: "may run"}[query.runs]
    if query.batch < 0:
        return f"{runs}, no batch is done"
    if query.began_ms is None:
        return f"{runs}, batch {query.batch} is done"
    took = "" if query.took_ms is None else f" and took {ago(query.took_ms)}"
    counted = f"batch {query.counted} began {ago(now_ms - query.began_ms)} ago{took}"
    if query.counted == query.batch:
        return f"{runs}, {counted}"
    return f"{runs}, batch {query.batch} is done; counts are as of an earlier one: {counted}"


def _files(query: QueryStatus) -> str:
    """What state takes on disk, as far as Spark has told; of little state it is in no file yet."""
    return f"; {size(query.state_bytes)} in files of state" if query.state_bytes else ""


def size(number: int) -> str:
    """A number of bytes in its largest unit: `12 kB`, `3.4 GB`."""
    for unit, power in (("GB", 3), ("MB", 2), ("kB", 1)):
        if number >= 1000**power:
            value = number / 1000**power
            return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
    return f"{number} bytes"


def _by_sink(query: QueryStatus) -> str:
    if len(query.sinks) < 2 or not query.out:
        return ""
    return f" ({', '.join(f'{name} {rows:,}' for name, rows in query.out.items())})"


def _time(query: QueryStatus) -> list[str]:
    """Where the time of the last batch went, the longest first; what took less is left out."""
    by_length = sorted(query.phases_ms.items(), key=lambda each: -each[1])
    some = [f"{name} {ago(ms)}" for name, ms in by_length if ms >= SHORTEST_MS]
    return [f"  time    {', '.join(some)}"] if some else []


SHORTEST_MS = 50


def _clock(query: QueryStatus) -> str:
    if query.on_wall_clock:
        return "the wall clock"
    return "no value yet" if query.clock_ms is None else moment(query.clock_ms, " UTC")


HEADING = ("source", "rows", "late", "bad", "last rows", "watermark", "")


def _source(source: SourceStatus, now_ms: int) -> tuple[str, ...]:
    arrived = source.arrived_ms
    if not source.has_watermark:
        watermark = "none"
    else:
        watermark = "not yet" if source.watermark_ms is None else moment(source.watermark_ms)
    return (
        source.name,
        "?" if source.rows is None else f"{source.rows:,}",
        f"{source.late:,}",
        f"{source.bad:,}",
        "?" if arrived is None else f"{ago(now_ms - arrived)} ago",
        watermark,
        "holds the clock back" if source.holds_clock else _group(source),
    )


def _group(source: SourceStatus) -> str:
    """Which group of a source its watermark is that of."""
    group = source.group
    if group is None or group.groups < 2:
        return ""
    return f"that of {'NULL' if group.name is None else group.name}, one of {group.groups:,}"


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    """Columns below their headings; those of numbers are flushed right."""
    whole = [HEADING, *rows]
    widths = [max(map(len, column)) for column in zip(*whole, strict=True)]
    return [
        "  "
        + "  ".join(
            cell.rjust(width) if 0 < place < 4 else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in whole
    ]
