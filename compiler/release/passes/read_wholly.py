"""Joins with tables that rows of stateful operators must not run into.

An inner join with a table that turns out to be empty does not read its other side at all. A
stateful operator there would not run, and Spark would commit a batch whose state is not written. So
such rows go through a shuffle first, which reads them whatever becomes of them. A condition with IN
or EXISTS over a table is such a join in Spark.

Before   Select from totals, joined with the table t
After    the same, with the rows of totals read first
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from compiler.release.nodes import (
    Bad,
    ChangedRows,
    CountedRows,
    FilledRows,
    Grouped,
    JoinWith,
    Late,
    MatchRows,
    OverChanged,
    OverRows,
    PairedRows,
    PanedRows,
    Read,
    ReleaseJob,
    Select,
    Sessions,
    Static,
    Step,
    TableRows,
    TopRows,
    Totaled,
    TotaledSessions,
    Union,
    UntilPartnered,
    Watermarked,
    Windowed,
)
from compiler.release.reading import inputs_of, streams_of


def read_wholly(job: ReleaseJob) -> ReleaseJob:
    """Rows out of state are read whatever becomes of them."""
    streams = streams_of(job)
    out_of_state: set[str] = set()
    steps: list[Step] = []
    for step in job.steps:
        if isinstance(step, Select):
            step, is_out = _of_select(step, streams, out_of_state)
        else:
            below = inputs_of(step)
            is_out = _has_state(step) or any(each in out_of_state for each in below)
        steps.append(step)
        out_of_state.update([step.name] if is_out else [])
    return replace(job, steps=tuple(steps))


def _has_state(step: Step) -> bool:
    match step:
        case Grouped() | Sessions() | TotaledSessions():
            return True
        case OverRows() | FilledRows() | MatchRows() | PanedRows():
            return True
        case Totaled() | CountedRows() | UntilPartnered() | PairedRows() | TopRows():
            return True
        case OverChanged():
            return True
        case ChangedRows(key=key):
            return bool(key)
        case Windowed(kind=kind):
            return kind == "session"
        case Read() | Watermarked() | Late() | Bad() | Static() | TableRows():
            return False
        case Select() | Union():
            return False
        case _:
            assert_never(step)


def _of_select(
    step: Select, streams: frozenset[str], out_of_state: set[str]
) -> tuple[Select, bool]:
    """A SELECT that reads what it must first, and whether its rows come right out of state."""
    is_stream, is_out = step.input.step in streams, step.input.step in out_of_state
    joins: list[JoinWith] = []
    for join in step.joins:
        other = join.input.step
        first = _first(
            join,
            left=is_out and other not in streams,
            right=other in out_of_state and not is_stream,
        )
        is_out = first is None and (
            is_out or other in out_of_state or (is_stream and other in streams)
        )
        is_stream = is_stream or other in streams
        joins.append(replace(join, read_first=first))
    wholly = bool(step.where and step.tables) and is_out
    return replace(step, joins=tuple(joins), wholly_read=wholly), is_out


def _first(join: JoinWith, *, left: bool, right: bool) -> str | None:
    """The side of a join of which an empty table would leave all unread, if that is so."""
    if join.kind not in ("inner", "leftsemi"):
        return None
    return "left" if left else "right" if right else None
