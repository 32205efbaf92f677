"""What a checkpoint tells of its queries, running or not, read without Spark and never written.

Counts and times are those of the last batch that was counted (tvfc_runtime/memory.py); what the
query keeps and waits for is as the job has described it (tvfc_runtime/state.py).
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyarrow import ArrowException

from tvfc_runtime.clock import noted_of_batch
from tvfc_runtime.group_marks import Holding, holding_group
from tvfc_runtime.progress import Counters
from tvfc_runtime.storage import exists, is_locked, list_names, list_numbers, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator


class NoCheckpointError(Exception):
    """A folder is no checkpoint of a tvfc job, or cannot be read; the message says why."""


@dataclass(frozen=True)
class Damaged:
    """A query whose checkpoint is not as a job writes it: where, and what of it."""

    place: str
    what: str


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


def status_of(folder: str) -> list[QueryStatus | Damaged]:
    """Each query of the job whose `--checkpoint` a folder is.

    Raises:
        NoCheckpointError: it is none, or cannot be read.
    """
    try:
        places = [place for place in _places(folder) if exists(f"{place}/tvfc/query.json")]
        if places:
            return [_query(place) for place in places]
        if not folder or not exists(folder):
            raise NoCheckpointError(f"there is no folder `{folder}`")
    except (OSError, ArrowException) as error:
        why = str(error).strip().partition("\n")[0]
        raise NoCheckpointError(f"{folder} cannot be read: {why}") from None
    raise NoCheckpointError(
        f"{folder} is no checkpoint of a tvfc job: it has no tvfc/query.json; name the folder that "
        "the job was given as --checkpoint"
    )


def _places(folder: str) -> Iterator[str]:
    """The folder itself, and those in it: a job of several queries has one for each."""
    root = folder.rstrip("/") or folder
    yield root
    yield from (f"{root}/{name}" for name in sorted(list_names(root)))


def _query(place: str) -> QueryStatus | Damaged:
    try:
        known = json.loads(read_text(f"{place}/tvfc/query.json"))
        return _status(place, known.get("state") or [])
    except (ValueError, TypeError, AttributeError, KeyError, IsADirectoryError):
        return Damaged(place, "tvfc/query.json is not as a job writes it")


def _status(place: str, parts: list[dict[str, Any]]) -> QueryStatus:
    counters = _counters(place)
    done = max(list_numbers(f"{place}/commits"), default=-1)
    begun = max(list_numbers(f"{place}/offsets"), default=-1)
    return QueryStatus(
        place=place,
        sinks=tuple(part["sink"] for part in parts if "sink" in part),
        runs=is_locked(f"{place}/tvfc/lock"),
        batch=done,
        counted=counters.batch,
        began_ms=counters.began_ms,
        took_ms=counters.took_ms,
        phases_ms=dict(counters.phases_ms),
        unfinished=begun if begun > done else None,
        unfinished_ms=_began_ms(place, begun) if begun > done else None,
        on_wall_clock=any(part.get("clock") == "the wall clock" for part in parts),
        clock_ms=counters.watermark_ms,
        sources=_sources(place, parts, counters),
        rows_in=counters.rows_in,
        rows_out=counters.rows_out,
        out=_out_by_sink(place, counters),
        held=dict(counters.held_by_kind()),
        held_by=dict(+counters.held),
        state_bytes=counters.state_bytes,
        never_due=counters.never_due,
        waits=any(_WAITING & part.keys() for each in parts for part in (each, *_joins(each))),
        due=tuple(_due(parts)),
        parts=parts,
    )


def _counters(place: str) -> Counters:
    """The newest counters; a batch whose counts are not there yet is counted by the next one."""
    folder = f"{place}/tvfc/batches"
    for number in sorted(list_numbers(folder), reverse=True):
        try:
            return Counters.from_json(json.loads(read_text(f"{folder}/{number}")))
        except (ValueError, TypeError, AttributeError, OSError):
            # Torn, or removed meanwhile by the job, which keeps the newest few.
            continue
    return Counters()


def _out_by_sink(place: str, counters: Counters) -> dict[str, int]:
    """Rows written by sink: of rows that a delay has held, its output is looked up."""
    found: Counter[str] = Counter()
    outputs = _outputs(place)
    for name, rows in counters.out.items():
        found[outputs.get(name, name)] += rows
    return dict(found)


def _outputs(place: str) -> dict[str, str]:
    """The output of each operator, as the job has described them (tvfc_runtime/holdings.py)."""
    try:
        known = json.loads(read_text(f"{place}/tvfc/operators.json"))["operators"]
        return {str(each["operator"]): str(each["output"]) for each in known}
    except (ValueError, TypeError, AttributeError, KeyError, OSError):
        return {}  # Of an earlier version, or torn.


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


def _began_ms(place: str, batch: int) -> int | None:
    """When a batch began, by the offset log; None if that is being written just now."""
    try:
        return int(noted_of_batch(place, batch)["batchTimestampMs"])
    except (ValueError, TypeError, IndexError, KeyError, OSError):
        return None
