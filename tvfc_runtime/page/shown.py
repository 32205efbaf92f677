"""All that the page is told of a query, as plain data. Times are milliseconds since the epoch.

Values of rows are told only if that was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tvfc_runtime.counters.due_times import put_together
from tvfc_runtime.counters.holdings import Holding
from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.page.graph import Part
from tvfc_runtime.page.history import Point
from tvfc_runtime.page.holders import holders
from tvfc_runtime.records.read import PARTITION
from tvfc_runtime.reports.query_status import QueryStatus, SourceStatus
from tvfc_runtime.reports.verdicts import verdicts

REASON_ALONE = ("reason",)
WITH_VALUES = ("reason", "record", "file")


def shown(
    status: QueryStatus,
    counters: Counters,
    held: Sequence[Holding],
    now_ms: int,
    *,
    with_rows: bool,
) -> dict[str, Any]:
    """What the page shows of a query as it is now.

    Args:
        status: the status of the query.
        counters: those it was made of.
        held: what operators of the runtime hold.
        now_ms: the time of the wall clock.
        with_rows: tell values of rows, too.
    """
    told = status if with_rows else _without_examples(status)
    return {
        "runs": status.runs,
        "batch": status.batch,
        "began_ms": status.began_ms,
        "took_ms": status.took_ms,
        "phases_ms": status.phases_ms,
        "on_wall_clock": status.on_wall_clock,
        "clock_ms": status.clock_ms,
        "rows_in": status.rows_in,
        "rows_out": status.rows_out,
        "rows_held": counters.rows_held,
        "rows_waiting": _waiting(counters),
        "due": put_together([], [each for bins in counters.due.values() for each in bins], None),
        "never_due": status.never_due,
        "state_bytes": status.state_bytes,
        "sources": [_source(each, counters, with_rows=with_rows) for each in status.sources],
        "out": [status.out.get(name, 0) for name in status.sinks],
        "held": _held(status.parts, held, counters.held),
        "why": verdicts(told, now_ms),
    }


def point_of(status: QueryStatus, counters: Counters) -> Point:
    """A point of the history."""
    return [
        status.began_ms,
        status.clock_ms,
        counters.rows_held,
        sum(counters.late.values()),
        sum(counters.bad.values()),
        *(each.watermark_ms for each in status.sources),
        *(each.rows for each in status.sources),
        *(status.out.get(name, 0) for name in status.sinks),
    ]


def _source(source: SourceStatus, counters: Counters, *, with_rows: bool) -> dict[str, Any]:
    example = source.example
    keys = WITH_VALUES if with_rows else REASON_ALONE
    return {
        "name": source.name,
        "rows": source.rows,
        "late": source.late,
        "bad": source.bad,
        "without_time": source.without_time,
        "has_watermark": source.has_watermark,
        "watermark_ms": source.watermark_ms,
        "arrived_ms": source.arrived_ms,
        "holds_clock": source.holds_clock,
        "bad_example": None if example is None else {key: example.get(key) for key in keys},
        "late_example": counters.late_examples.get(source.name) if with_rows else None,
    }


def _held(
    parts: Sequence[Part], held: Sequence[Holding], rows: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Each operator that holds rows, or has done so, with its node where that is known."""
    places = holders(parts, held, rows)
    outputs = {each.operator: each.output for each in held}
    return [
        {
            "operator": name,
            "output": outputs.get(name),
            "rows": number,
            "node": places.get(name),
        }
        for name, number in sorted(rows.items())
    ]


def _waiting(counters: Counters) -> int:
    """The rows that wait for a due time of their own."""
    return sum(rows for name, rows in counters.held.items() if name.startswith(("delay/", "held/")))


def _without_examples(status: QueryStatus) -> QueryStatus:
    """A status without bad rows, and without names of groups, which are values of rows."""
    sources = tuple(
        replace(each, example=None, group=each.group if each.per == PARTITION else None)
        for each in status.sources
    )
    return replace(status, sources=sources)
