"""The status of a query: what it has done, what it holds and what it waits for.

Made of its counters and of the description of its state; `tvfc status` reads both in a checkpoint,
the page of a running job has them at hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tvfc_runtime.clock.group_marks import Holding, holding_group
from tvfc_runtime.counters.progress import Counters


@dataclass(frozen=True)
class SourceStatus:
    """A source, or a view or query that has a watermark of its own.

    Attributes:
        name: as the query has it.
        rows: read since the first start, late ones included; None: an earlier version has not
            counted them by source.
        late: of these, those that the watermark refused.
        without_time: of these, those whose time is NULL.
        bad: records that did not fit its columns, which are no rows.
        example: one of the latest of these: `record`, `reason` and `file`.
        has_watermark: whether it takes part in the clock.
        watermark_ms: how far it has come, milliseconds since the epoch; None: it has not begun.
        arrived_ms: when the batch began that read its last rows, milliseconds since the epoch.
        idle_after: the silence after which the wall clock moves it, such as `5 minutes`.
        holds_clock: whether the clock waits for it while others have gone on, or for its first row.
        per: the column by which its rows are grouped, each group with a watermark of its own.
        group: the group that holds it, where it has any.
    """

    name: str
    rows: int | None
    late: int
    without_time: int
    bad: int
    example: dict[str, str | None] | None
    has_watermark: bool
    watermark_ms: int | None
    arrived_ms: int | None
    idle_after: str | None
    holds_clock: bool
    per: str | None = None
    group: Holding | None = None


@dataclass(frozen=True)
class QueryStatus:
    """A streaming query of a job.

    Attributes:
        place: its checkpoint.
        sinks: what it writes.
        runs: whether a process runs it; None: that cannot be told from here.
        batch: the last batch that is done, -1 before the first.
        counted: the last batch that was counted, likewise; what follows is as of that one.
        began_ms: when that began, milliseconds since the epoch.
        took_ms: how long that took, in milliseconds.
        phases_ms: where that time went, by Spark's names of phases.
        unfinished: a batch that was begun and is not done.
        unfinished_ms: when that began, milliseconds since the epoch.
        on_wall_clock: whether its clock is the wall clock.
        clock_ms: the clock of the last batch, milliseconds since the epoch; None: it has no value.
        sources: in the order of the query.
        rows_in: rows read since the first start.
        rows_out: rows written since then.
        out: the same by sink, as far as that is counted.
        held: rows that are held now, by kind of operator.
        held_by: the same by operator, as `tvfc state` calls it.
        state_bytes: the files of all state, without what has changed since the last snapshot; None:
            unknown.
        never_due: rows lost since a bound or their time could not be computed.
        waits: whether anything in the query waits for the clock.
        due: when rows that are held come out, in words, by operator.
        parts: the description of its state.
    """

    place: str
    sinks: tuple[str, ...]
    runs: bool | None
    batch: int
    counted: int
    began_ms: int | None
    took_ms: int | None
    phases_ms: dict[str, int]
    unfinished: int | None
    unfinished_ms: int | None
    on_wall_clock: bool
    clock_ms: int | None
    sources: tuple[SourceStatus, ...]
    rows_in: int
    rows_out: int
    out: dict[str, int]
    held: dict[str, int]
    held_by: dict[str, int]
    state_bytes: int | None
    never_due: int
    waits: bool
    due: tuple[str, ...]
    parts: list[dict[str, Any]]


def status_from(
    place: str, parts: list[dict[str, Any]], counters: Counters, outputs: Mapping[str, str]
) -> QueryStatus:
    """The status of a query that runs, and has ended no batch but the last one counted.

    Args:
        place: its checkpoint.
        parts: the description of its state.
        counters: what was counted last.
        outputs: the output of each operator that holds rows, by the operator's name.
    """
    return QueryStatus(
        place=place,
        sinks=tuple(part["sink"] for part in parts if "sink" in part),
        runs=True,
        batch=counters.batch,
        counted=counters.batch,
        began_ms=counters.began_ms,
        took_ms=counters.took_ms,
        phases_ms=dict(counters.phases_ms),
        unfinished=None,
        unfinished_ms=None,
        on_wall_clock=any(part.get("clock") == "the wall clock" for part in parts),
        clock_ms=counters.watermark_ms,
        sources=_sources(place, parts, counters),
        rows_in=counters.rows_in,
        rows_out=counters.rows_out,
        out=_out_by_sink(counters, outputs),
        held=dict(counters.held_by_kind()),
        held_by=dict(+counters.held),
        state_bytes=counters.state_bytes,
        never_due=counters.never_due,
        waits=any(_WAITING & part.keys() for each in parts for part in (each, *_joins(each))),
        due=tuple(_due(parts)),
        parts=parts,
    )


def _out_by_sink(counters: Counters, outputs: Mapping[str, str]) -> dict[str, int]:
    """Rows written by sink: of rows that a delay has held, its output is looked up."""
    found: Counter[str] = Counter()
    for name, rows in counters.out.items():
        found[outputs.get(name, name)] += rows
    return dict(found)


def _sources(
    place: str, parts: list[dict[str, Any]], counters: Counters
) -> tuple[SourceStatus, ...]:
    known = [part for part in parts if part.get("operator") in ("source", "watermark")]
    by_name = {part["name"]: part for part in known}
    timed = {name for name, part in by_name.items() if "watermark" in part}
    holding = _holding({name: counters.watermarks_ms.get(name) for name in timed})
    return tuple(
        SourceStatus(
            name=name,
            rows=counters.rows.get(name, 0) if counters.began_ms is not None else None,
            late=counters.late.get(name, 0),
            without_time=counters.without_time.get(name, 0),
            bad=counters.bad.get(name, 0),
            example=counters.examples.get(name),
            has_watermark=name in timed,
            watermark_ms=counters.watermarks_ms.get(name),
            arrived_ms=counters.arrived_ms.get(name),
            idle_after=part.get("idle after"),
            holds_clock=name in holding,
            per=part.get("per"),
            group=holding_group(place, name) if part.get("per") else None,
        )
        for name, part in by_name.items()
    )


def _holding(watermarks: dict[str, int | None]) -> set[str]:
    """The sources for which the clock waits, which is the least of them."""
    silent = {name for name, value in watermarks.items() if value is None}
    values = {value for value in watermarks.values() if value is not None}
    if silent or len(values) < 2:
        return silent
    return {name for name, value in watermarks.items() if value == min(values)}


_WAITING = {"due", "closed", "complete", "left", "gap", "left until", "right until"}
"""What an operator says of itself that waits for the clock."""


def _joins(part: dict[str, Any]) -> list[dict[str, Any]]:
    return list(part.get("with") or [])


def _due(parts: list[dict[str, Any]]) -> Iterator[str]:
    """What the operators say of when their rows come out, such as `groups after window_end`."""
    for part in parts:
        branches = [" or ".join(each) for each in part.get("due") or []]
        closed = [part["closed"]] if part.get("closed") else []
        yield from (f"{part['operator']} {each}" for each in [*branches, *closed])
