"""Joins of streams and closing: a row that waits for partners closes later, by the join's reach.

Before   a.ts closes when the clock has passed it, and so does b.ts
After    above ON b.ts BETWEEN a.ts AND a.ts + INTERVAL 10 SECONDS, a.ts closes ten seconds later
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from compiler.plan.scope import Closing, OutColumn, Relation, same
from compiler.plan.time_bounds import TimeBound

BOUNDS = frozenset({"window_start", "window_end"})


def closings_of_join(
    lefts: list[Relation], right: Relation, kind: str, bounds: tuple[TimeBound, ...]
) -> list[Relation]:
    """The relations of a join of streams, with the closings that hold for its rows."""
    right = _with_own_events(right, {each.event for each in _closings(lefts)})
    left_stays, right_stays = kind not in ("right", "full"), kind not in ("left", "full")
    return [
        *(_reached(each, _of_left(each, bounds)) if left_stays else _none(each) for each in lefts),
        _reached(right, _of_right(bounds)) if right_stays else _none(right),
    ]


Reach = tuple[OutColumn, timedelta]
"""A column, and how much later than its time rows are joined."""


def _of_left(relation: Relation, bounds: tuple[TimeBound, ...]) -> list[Reach]:
    return [
        (each.left_column, -each.apart + _later(each.right_column))
        for each in bounds
        if each.ends_left and same(each.left, relation.alias or "")
    ]


def _of_right(bounds: tuple[TimeBound, ...]) -> list[Reach]:
    return [
        (each.right_column, each.apart + _later(each.left_column))
        for each in bounds
        if each.ends_right
    ]


def _reached(relation: Relation, reaches: list[Reach]) -> Relation:
    columns = tuple(
        replace(each, closing=_closing(each, reaches)) if each.closing else each
        for each in relation.columns
    )
    return replace(relation, columns=columns)


def _closing(column: OutColumn, reaches: list[Reach]) -> Closing | None:
    own = column.closing
    found = [later for compared, later in reaches if is_not_before(column, compared)]
    if own is None or not found:
        return None
    return replace(own, later=max(own.later, min(found)))


def is_same_moment(column: OutColumn, other: OutColumn) -> bool:
    """Whether two columns of a relation have one moment, their reaches included."""
    if column.name == other.name:
        return True
    own, theirs = column.closing, other.closing
    if {column.name, other.name} != BOUNDS or own is None or theirs is None:
        return False
    return bool(own.event) and own.event == theirs.event


def is_not_before(column: OutColumn, other: OutColumn) -> bool:
    """Whether the moment of a column, its reach included, is never before that of another."""
    own, theirs = column.closing, other.closing
    if is_same_moment(column, other) or (column.name, other.name) == ("window_start", "window_end"):
        return True
    if own is None or theirs is None or not own.event:
        return False
    is_event = theirs.reach == timedelta(0) and not theirs.has_calendar
    return own.event == theirs.event and is_event and other.name not in BOUNDS


def _later(column: OutColumn) -> timedelta:
    return column.closing.later if column.closing else timedelta(0)


def _none(relation: Relation) -> Relation:
    """A side that is left out where there is no partner."""
    return replace(
        relation, columns=tuple(replace(each, closing=None) for each in relation.columns)
    )


def _closings(relations: list[Relation]) -> list[Closing]:
    return [each.closing for r in relations for each in r.columns if each.closing is not None]


def _with_own_events(relation: Relation, known: set[str]) -> Relation:
    """A source that is joined with itself has two times in a row."""
    columns = tuple(
        replace(each, closing=replace(each.closing, event=f"{each.closing.event} {relation.alias}"))
        if each.closing is not None and each.closing.event in known - {""}
        else each
        for each in relation.columns
    )
    return replace(relation, columns=columns)
