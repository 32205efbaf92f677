"""What operators keep whose rows come once the clock has closed them; see plan/nodes/final.py.

`of` is the place of the operator whose rows they take, `tables` are those of their subqueries.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from compiler.plan.patterns import shown, term_text
from compiler.release.nodes import (
    FilledRows,
    Grouped,
    MatchRows,
    OverItem,
    OverRows,
    PanedRows,
    Sessions,
    TotaledSessions,
    Windowed,
)
from compiler.release.state.facts import (
    Fact,
    Names,
    columns,
    frame,
    is_held,
    length,
    lower,
    named,
    relations,
    spelled,
    total,
    yes,
)
from compiler.sql.spelling import one_spelling


def windowed(step: Windowed, of: int) -> dict[str, Fact | None]:
    """Windows; sessions, where the rows of each stay rows."""
    names = relations([step.input])
    return {
        "operator": f"{step.kind} windows",
        "of": of,
        "time": one_spelling(step.time, names),
        **{name: length(size) for name, size in step.sizes},
        "gap of rows": spelled_or_none(step.gap, names),
        "key": spelled(step.keys, names),
        "later by": length(step.later) if step.later else None,
        "held until due": is_held(step.input) if step.kind == "session" else None,
    }


def grouped(step: Grouped, of: int, tables: dict[str, Fact]) -> dict[str, Fact | None]:
    """Groups that come once the clock has closed them."""
    names = relations([step.input])
    return {
        "operator": "groups",
        "of": of,
        "key": spelled(step.group, names),
        "columns": columns(step.items, names),
        "having": spelled_or_none(step.having, names),
        "closed": lower(step.closes, names),
        "types": [f"{name} {one_spelling(sql, names)}" for name, sql in step.types],
        "tables": tables,
        "whole groups come": yes(step.held),
        "held until due": is_held(step.input),
    }


def sessions(step: Sessions, of: int, tables: dict[str, Fact]) -> dict[str, Fact | None]:
    """Sessions, likewise."""
    names = relations([step.input])
    return {
        "operator": "sessions",
        "of": of,
        "key": spelled(step.keys, names),
        "time": one_spelling(step.time, names),
        "gap": gap(step.gap, names),
        "later by": length(step.later) if step.later else None,
        "without time zone": yes(step.without_zone),
        "columns": columns(step.items, names),
        "having": spelled_or_none(step.having, names),
        "types": [f"{name} {one_spelling(sql, names)}" for name, sql in step.types],
        "tables": tables,
        "held until due": is_held(step.input),
    }


def totaled_sessions(step: TotaledSessions, of: int) -> dict[str, Fact | None]:
    """Sessions of which totals are kept, likewise."""
    names = relations([step.input])
    return {
        "operator": "sessions",
        "of": of,
        "key": [named(each) for each in step.keys],
        "time": named(step.time),
        "gap": gap(step.gap, names),
        "later by": length(step.later) if step.later else None,
        "columns": columns(step.rows, names),
        "kept": [total(each) for each in step.calls] or ["the bounds alone"],
        "held until due": is_held(step.input),
    }


def over(step: OverRows, of: int) -> dict[str, Fact | None]:
    """Window functions, likewise."""
    names = relations([step.input])
    functions = [function(each, names) for each in step.columns]
    return {
        "operator": "window functions",
        "of": of,
        "functions": functions,
        "frames": [frame(each, names) for each in step.frames],
        "closed": lower(step.closes, names),
        "complete": [lower(each, names) for each in step.complete],
        "left": None if step.release is None else lower(step.release, names),
        "held until due": is_held(step.input),
    }


def matched(step: MatchRows, of: int) -> dict[str, Fact | None]:
    """Matches of a row pattern, likewise."""
    names = relations([step.input])
    return {
        "operator": "row pattern",
        "of": of,
        "key": spelled(step.partition, names),
        "order": spelled(step.order, names),
        "pattern": shown(step.pattern).lower(),
        "conditions": [f"{name} {term_text(term)}".lower() for name, term in step.defines],
        # Some of them look back at rows before the match.
        "measures": [term_text(measure).lower() for _, measure in step.measures],
        "gives": "all rows" if step.all_rows else "one row",
        "without empty matches": yes(step.omit_empty),
        "columns": [named(each) for each in step.output],
        "time": one_spelling(step.time, names),
        "within": None
        if step.within_us is None
        else length(timedelta(microseconds=step.within_us)),
        "next": " ".join([step.skip, *step.skip_to]).lower(),
        "closed": lower(step.closes, names),
        "held until due": is_held(step.input),
    }


def filled(step: FilledRows, of: int) -> dict[str, Fact | None]:
    """Windows without rows."""
    return {
        "operator": "fill",
        "of": of,
        "key": [named(each) for each in step.keys],
        "window": [named(each) for each in (step.starts, step.ends) if each is not None],
        "size": length(step.size),
        "slide": None if step.slide is None else length(step.slide),
        "step": None if step.step is None else length(step.step),
        "later by": length(step.later) if step.later else None,
        "values": [named(each) for each in step.values],
        "how": step.how.value,
        "for": None if step.silence is None else length(step.silence),
    }


def paned(step: PanedRows, of: int) -> dict[str, Fact | None]:
    """Windows out of panes: what is kept is a row for each key and pane."""
    return {
        "operator": f"panes of {step.kind} windows",
        "of": of,
        "time": one_spelling(step.time, {}),
        **{name: length(size) for name, size in step.sizes},
        "key": [named(each) for each in step.keys],
        "totals": [total(each) for each in step.calls],
        "later by": length(step.later) if step.later else None,
        "held until due": is_held(step.input),
    }


def gap(gap: timedelta | str, names: Names) -> str:
    """The gap of sessions, or that of each row."""
    return one_spelling(gap, names) if isinstance(gap, str) else length(gap)


def spelled_or_none(sql: str | None, names: Names) -> str | None:
    """An expression in the one spelling, if there is one."""
    return None if sql is None else one_spelling(sql, names)


def function(item: OverItem, names: Mapping[str, str]) -> str:
    """A window function; what follows from its place in the job it does not say."""
    over = " ".join(one_spelling(part, names) for part in item.over or ())
    return f"{one_spelling(item.call, names)} over ({over}) as {item.name.lower()}"
