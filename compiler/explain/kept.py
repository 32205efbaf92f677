"""What each part of a query keeps, as data: of which rows or groups, and for how long.

By this and a sample of the input `tvfc explain --sample` estimates how large state will be. A time
that is no column and a fixed length after it is not told: nothing is made up.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from compiler.passes.carry_time import AT
from compiler.plan.facts.properties import is_of_streams, own_state, properties_of
from compiler.plan.nodes import (
    Aggregate,
    Filled,
    Join,
    Output,
    Over,
    Plan,
    Program,
    Source,
    TemporalFilter,
    Totals,
    Windows,
    held_by,
    walk,
)
from compiler.release.nodes import Carries, ReleaseJob, Select
from compiler.sql.lengths import interval_apart, length_of_text

UNBOUNDED = "unbounded"

Facts = dict[str, Any]


def kept_json(job: ReleaseJob, program: Program) -> str:
    """A list, of each part: `output`, `text`, `kind` and what else its kind has.

    `rows` have `until`, pairs of a column and seconds after it, the last of which counts; `groups`
    have `keys`, those of each of `windows_s`, their size and slide in seconds, or of all time.
    `unbounded` and `other` have no more. `columns` are those that are kept; null: all of them.
    """
    outputs = {each.name: each for each in job.outputs}
    found: list[Facts] = []
    for output in program.outputs:
        carries = outputs[output.sink.name].carries
        lifts = carries not in (Carries.NOTHING, Carries.UPDATES)
        found += _of_output(output, job, lifts=lifts)
    return json.dumps(found, indent=1)


def sources_json(program: Program) -> str:
    """By source: `format`, `path` of files, `column` of its watermark and `delay_s`.

    The last is how far the watermark is behind the column, in seconds; null: that is not told.
    """
    return json.dumps({each.name: _source(each) for each in program.sources if not each.static})


def _source(source: Source) -> Facts:
    options = {key.lower(): value for key, value in source.options}
    mark = source.watermark
    return {
        "format": source.format,
        "path": options.get("path"),
        "column": None if mark is None else mark.column,
        "delay_s": None if mark is None else _delay(mark.strategy, mark.time),
    }


def _delay(strategy: str, time: str) -> float | None:
    if strategy == time:
        return 0.0
    after = _after(strategy)
    return None if after is None or after[1] > 0 else -after[1]


def _of_output(output: Output, job: ReleaseJob, *, lifts: bool) -> Iterator[Facts]:
    held = list(held_by(output.plan))
    # What waits above a join are its pairs, of which a sample of its inputs tells nothing.
    pairs = lifts and any(isinstance(each, Join) and is_of_streams(each) for each in held)
    for node in walk(output.plan):
        waits = isinstance(node, TemporalFilter)
        of_pairs = pairs and waits and any(each is node for each in held)
        for text in own_state(node):
            facts = None if of_pairs else _kept(node)
            # What is kept of each key grows with the keys, and not with the rows.
            by_key = facts is not None and facts["kind"] == "groups"
            if text.startswith(UNBOUNDED) and not by_key:
                facts = {"kind": UNBOUNDED}
            yield {
                "output": output.sink.name,
                "text": text,
                "sources": sorted(properties_of(node).streams),
                "columns": _columns(node, job) if isinstance(node, TemporalFilter) else None,
                **(facts or {"kind": "other"}),
            }


def _columns(node: TemporalFilter, job: ReleaseJob) -> list[str] | None:
    """The columns of the rows that wait, as the step selects them that has the conditions."""
    for step in job.steps:
        if isinstance(step, Select) and step.items and node.branches in step.releases:
            return [each.sql for each in step.items if each.name != AT]
    return None


def _kept(node: Plan) -> Facts | None:
    """For how long a node keeps what it keeps; None: that is not told."""
    match node:
        case TemporalFilter(branches=branches):
            ends = [each.bound for branch in branches for each in branch.uppers or branch.lowers]
            return _rows_until(ends)
        case Join(left_until=left, right_until=right):
            return _rows_until([each.bound for each in (*left, *right)])
        case Over(frames=frames) if frames and all(each.until is not None for each in frames):
            return _rows_until([each.until.sql for each in frames if each.until is not None])
        case Aggregate(group=group):
            windows = next((each for each in walk(node.input) if isinstance(each, Windows)), None)
            if windows is None or windows.kind == "session":
                return None
            sizes = dict(windows.sizes)
            size = sizes.get("size")
            if size is None:
                return None
            slide = sizes.get("slide", sizes.get("step", size))
            keys = [each.sql for each in group if not _is_of_windows(each.sql)]
            spans = size.total_seconds(), slide.total_seconds()
            return {"kind": "groups", "keys": keys, "windows_s": spans}
        case Totals(keys=keys) | Filled(keys=keys):
            return {"kind": "groups", "keys": list(keys), "windows_s": None}
        case _:
            return None


def _is_of_windows(sql: str) -> bool:
    return sql.rpartition(".")[2] in ("window_start", "window_end", "window")


def _rows_until(bounds: list[str]) -> Facts | None:
    ends = [_after(each) for each in dict.fromkeys(bounds)]
    if not ends or None in ends:
        return None
    return {"kind": "rows", "until": ends}


def _after(moment: str) -> tuple[str, float] | None:
    """A moment as a column and the seconds after it; None: it is no such."""
    apart = interval_apart(moment)
    if apart is None:
        return (moment, 0.0) if moment.replace("_", "").replace(".", "").isalnum() else None
    base, interval = apart
    length = length_of_text(interval)
    found = _after(base)
    if length is None or found is None:
        return None
    return found[0], found[1] + length.total_seconds()
