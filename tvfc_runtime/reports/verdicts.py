"""Why nothing, or not all, comes out of a query: sentences, each with what helps.

Rows are in one of few places: not read, refused as bad or late, held until the clock reaches
something, or left out by the query. The counts of a checkpoint tell which.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from tvfc_runtime.reports.query_status import QueryStatus, SourceStatus

LONG_MS = 60_000
"""A batch or a silence of so many milliseconds is worth a word."""


def verdicts(query: QueryStatus, now_ms: int) -> list[str]:
    """What keeps rows from coming out, the most likely first; nothing if nothing does.

    Args:
        query: its status.
        now_ms: the time of the wall clock, milliseconds since the epoch.
    """
    if query.counted < 0 <= query.batch:
        return [
            *_of_process(query, now_ms),
            "What the batches have done is not known: tvfc/batches of the checkpoint is gone.",
        ]
    return [
        *_of_process(query, now_ms),
        *_of_input(query),
        *_of_clock(query, now_ms),
        *_of_losses(query),
        *_of_held(query),
        *_of_conditions(query),
    ]


def _of_process(query: QueryStatus, now_ms: int) -> Iterator[str]:
    if query.runs is False:
        is_done = query.unfinished is None and query.batch >= 0
        has_ended = ", and its last batch has ended" if is_done else ""
        yield f"No process runs it{has_ended}: a start on this checkpoint goes on from there."
    if query.unfinished is None:
        return
    since = "" if query.unfinished_ms is None else f" {ago(now_ms - query.unfinished_ms)} ago"
    if query.runs is False:
        yield f"Batch {query.unfinished} was begun{since} and not ended: the next start runs it."
    elif query.unfinished_ms is not None and now_ms - query.unfinished_ms > LONG_MS:
        yield (
            f"Batch {query.unfinished} began{since} and has not ended: "
            + ("if the job still runs, " if query.runs is None else "")
            + "Spark's web interface shows at which task it is."
        )


def _of_input(query: QueryStatus) -> Iterator[str]:
    if query.batch < 0 <= query.counted:
        yield f"The checkpoint is not whole: batch {query.counted} was counted, commits has none."
    elif query.batch < 0:
        yield "No batch has ended yet: there was no input, or the first batch is still at work."
    for each in query.sources if query.batch >= 0 else ():
        if each.rows == 0 and each.bad == 0 and not (query.waits and each.holds_clock):
            yield f"`{each.name}` has had no rows yet."


def _of_clock(query: QueryStatus, now_ms: int) -> Iterator[str]:
    if query.on_wall_clock or not query.waits or query.counted < 0:
        return
    holding = [each for each in query.sources if each.holds_clock]
    for each in holding:
        if each.watermark_ms is None:
            yield f"The clock has no value before {_first_row(each)}."
            continue
        ahead = max(other.watermark_ms or 0 for other in query.sources) - each.watermark_ms
        if ahead < LONG_MS and not _is_silent(each, now_ms):
            continue  # Two sources are never in step.
        since = "" if each.arrived_ms is None else f", whose last rows came {_since(each, now_ms)}"
        yield (
            f"The clock waits for `{each.name}`{since}: it stands at {moment(each.watermark_ms)}, "
            f"and another source is {ago(ahead)} ahead"
            f"{_remedy(each) if _is_silent(each, now_ms) else ''}."
        )
    yield from _of_groups(query, now_ms)
    timed = [each for each in query.sources if each.watermark_ms is not None]
    silent = [each for each in timed if _is_silent(each, now_ms)]
    if query.held and timed and len(silent) == len(timed) and not holding:
        newest = max(timed, key=lambda each: each.arrived_ms or 0)
        yield (
            f"The clock stands: the last rows, of `{newest.name}`, came "
            f"{_since(newest, now_ms)}, and only rows move it{_remedy_of_all(query, newest)}."
        )


def _of_groups(query: QueryStatus, now_ms: int) -> Iterator[str]:
    """The group of a source that is far behind the others."""
    for each in query.sources:
        group = each.group
        if group is None or group.ahead_ms < LONG_MS:
            continue
        kind = "partition" if each.per == "__partition" else each.per
        named = "no" if group.name is None else f"`{group.name}`"
        excuse = _remedy(each) if now_ms - group.seen_ms > LONG_MS else ""
        yield (
            f"`{each.name}` waits for {kind} {named}, one of {group.groups:,}, whose last rows "
            f"came {ago(now_ms - group.seen_ms)} ago: it stands at {moment(group.watermark_ms)}, "
            f"and another is {ago(group.ahead_ms)} ahead{excuse}."
        )


def _is_silent(source: SourceStatus, now_ms: int) -> bool:
    return source.arrived_ms is not None and now_ms - source.arrived_ms > LONG_MS


def _first_row(source: SourceStatus) -> str:
    if source.rows and source.rows == source.without_time:
        return f"`{source.name}` has a row with a time: all of its rows have none"
    return f"`{source.name}` has had a row{_remedy(source)}"


def _remedy(source: SourceStatus) -> str:
    if source.idle_after is not None:
        return f"; IDLE AFTER moves it once it has been silent for {source.idle_after}"
    return "; `WATERMARK FOR … IDLE AFTER INTERVAL 5 MINUTES` would excuse its silence"


def _remedy_of_all(query: QueryStatus, source: SourceStatus) -> str:
    """What moves a clock that waits for no source before others."""
    if query.runs is not False:
        return _remedy(source)
    return "; a run with `--flush-at-end` ends with all rows that are held"


def holding_back(query: QueryStatus, now_ms: int) -> str:
    """What holds the clock back, to be put behind its value; empty if nothing does.

    Args:
        query: its status.
        now_ms: the time of the wall clock, milliseconds since the epoch.
    """
    if query.on_wall_clock:
        return ""
    timed = [each for each in query.sources if each.has_watermark]
    holding = [each for each in timed if each.holds_clock] or timed
    silent = [each for each in holding if each.rows == 0 or _is_silent(each, now_ms)]
    if not silent:
        return ""
    first = silent[0]
    since = "has had no rows yet"
    if first.arrived_ms is not None:
        since = f"is silent for {ago(now_ms - first.arrived_ms)}"
    remedy = _remedy(first) if first.holds_clock else _remedy_of_all(query, first)
    return f", held back by `{first.name}`, which {since}{remedy}"


def _of_losses(query: QueryStatus) -> Iterator[str]:
    for each in query.sources:
        if each.bad:
            yield (
                f"{_rows(each.bad)} of `{each.name}` did not fit its columns"
                f"{_example(each)}; BAD({each.name}) has them all."
            )
        if each.late:
            share = "" if not each.rows else f" of {each.rows:,}"
            yield (
                f"{_rows(each.late)}{share} of `{each.name}` came late, behind the watermark; "
                f"LATE({each.name}) has them, a longer delay in WATERMARK FOR lets them in."
            )
        if each.without_time:
            yield (
                f"{_rows(each.without_time)} of `{each.name}` had no time: they move no clock, and "
                "what waits for their time never comes."
            )
    if query.never_due:
        yield (
            f"{_rows(query.never_due)} are never due, since a bound or their time is out of range."
        )


def _example(source: SourceStatus) -> str:
    if source.example is None:
        return ""
    reason = source.example.get("reason")
    return f", such as {source.example.get('record')}{f' ({reason})' if reason else ''}"


def _of_held(query: QueryStatus) -> Iterator[str]:
    if not query.held or not query.waits:
        return  # Groups and joins keep rows for as long as they are in the result.
    kinds = ", ".join(f"{kind} {rows:,}" for kind, rows in query.held.items())
    due = f"; what is waited for: {', '.join(query.due)}" if query.due else ""
    yield f"{_rows(sum(query.held.values()))} are held ({kinds}){due}."


def _of_conditions(query: QueryStatus) -> Iterator[str]:
    refused = sum(each.late + each.without_time for each in query.sources) + query.never_due
    if query.rows_in > refused and not query.rows_out and not query.held:
        yield (
            "Rows have been read, none is held and none has come out: no row has met the "
            "conditions of the query (WHERE, ON, HAVING) so far."
        )


def _rows(number: int) -> str:
    return f"{number:,} {'row' if number == 1 else 'rows'}"


def _since(source: SourceStatus, now_ms: int) -> str:
    return f"{ago(now_ms - (source.arrived_ms or now_ms))} ago"


def moment(milliseconds: int, zone: str = "") -> str:
    """A moment in UTC, to the millisecond if it needs them, with the name of the zone."""
    try:
        found = datetime.fromtimestamp(milliseconds / 1000, tz=UTC)
    except (OverflowError, ValueError, OSError):
        return f"{milliseconds} ms"
    return (
        found.strftime("%Y-%m-%d %H:%M:%S")
        + (f".{milliseconds % 1000:03}" if milliseconds % 1000 else "")
        + zone
    )


def ago(milliseconds: int) -> str:
    """A length of time in its largest unit: `40 s`, `6 min`, `3 h`, `12 d`."""
    seconds = max(0, milliseconds) / 1000
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
