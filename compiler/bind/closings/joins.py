"""Joins of streams and closing: what closes a time above a join.

A joined row comes with the later of its two, so no row with a value of a time comes any more when
neither such a row of its own side comes nor a partner for one: when both the closing below the
join and the end of the search for partners (time_bounds.py) are over. A row without a partner
comes when that search ends, thus no later. A search that the clock does not end leaves nothing to
close, and a side that an outer join may leave out has no times.

Before   a.ts closes when the clock has passed it, and so does b.ts
After    above ON b.ts BETWEEN a.ts AND a.ts + INTERVAL 10 SECONDS, a.ts closes ten seconds later

The search may be by the time of another relation of the side. What an inner join below has said of
the two (`Closing.others`) then tells by how much that is later at most: behind the join above, one
on `b.ts` with a third stream closes `a.ts` later, too, by ten seconds more.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from compiler.bind.closings.time_bounds import MICROSECOND, Time, TimeBound
from compiler.bind.names.scope import OutColumn, Relation
from compiler.plan.closings.closing import Closing
from compiler.sql.names import same

BOUNDS = frozenset({"window_start", "window_end"})
ZERO = timedelta(0)

_Wait = tuple[timedelta, bool]
"""How long rows with a value may still come, and whether until the clock is past that."""


def closings_of_join(
    lefts: list[Relation], right: Relation, kind: str, bounds: tuple[TimeBound, ...]
) -> list[Relation]:
    """The relations of a join of streams, with the closings that hold for its rows."""
    right, bounds = _with_own_events(right, bounds, _events(lefts))
    mirrored = tuple(each.mirrored for each in bounds)
    keeps_pairs_alone = kind in ("inner", "cross")
    left_stays, right_stays = kind not in ("right", "full"), kind not in ("left", "full")
    found = [_searched(each, bounds) if left_stays else _none(each) for each in lefts]
    other = _searched(right, mirrored) if right_stays else _none(right)
    if not keeps_pairs_alone:
        return [*found, other]
    return [*(_related(each, bounds) for each in found), _related(other, mirrored)]


def _searched(relation: Relation, bounds: tuple[TimeBound, ...]) -> Relation:
    """A relation of the left side whose rows have looked for partners."""
    columns = tuple(
        replace(each, closing=_closing(Time(alias=relation.alias or "", column=each), bounds))
        for each in relation.columns
    )
    return replace(relation, columns=columns)


def _closing(time: Time, bounds: tuple[TimeBound, ...]) -> Closing | None:
    own = time.column.closing
    if own is None:
        return None
    found = []
    for each in bounds:
        ahead = how_much_later(time, each.left) if each.ends_left else None
        if ahead is not None:
            wait, is_past = each.left_wait
            found.append((ahead + wait - each.left.closing.reach, is_past))
    if not found:
        return None
    later, after = max((own.later, own.after), min(found, key=_end), key=_end)
    return replace(own, later=later, after=after)


def _end(wait: _Wait) -> timedelta:
    """The clock has whole milliseconds, and moments microseconds: past one is at the next one."""
    length, is_past = wait
    return length + (MICROSECOND if is_past else ZERO)


def how_much_later(time: Time, other: Time) -> timedelta | None:
    """By how much the moment of a column, its reach included, is earlier than another's at most.

    None where nothing is known of that.
    """
    if same(time.alias, other.alias) and _is_not_before(time.column, other.column):
        return ZERO
    own, theirs = time.closing, other.closing
    if not theirs.is_event or not theirs.event:
        return None
    return ZERO if own.event == theirs.event else dict(own.others).get(theirs.event)


def is_same_moment(column: OutColumn, other: OutColumn) -> bool:
    """Whether two columns of a relation have one moment, their reaches included."""
    if column.name == other.name:
        return True
    own, theirs = column.closing, other.closing
    if {column.name, other.name} != BOUNDS or own is None or theirs is None:
        return False
    return bool(own.event) and own.event == theirs.event


def _is_not_before(column: OutColumn, other: OutColumn) -> bool:
    """Whether the moment of a column of a relation is never before that of another."""
    is_window = (column.name, other.name) == ("window_start", "window_end")
    return is_window or is_same_moment(column, other)


def _related(relation: Relation, bounds: tuple[TimeBound, ...]) -> Relation:
    """A relation of the left side of pairs, with what they say of the times of the right side."""
    columns = tuple(
        replace(each, closing=_with_others(Time(alias=relation.alias or "", column=each), bounds))
        for each in relation.columns
    )
    return replace(relation, columns=columns)


def _with_others(time: Time, bounds: tuple[TimeBound, ...]) -> Closing | None:
    own = time.column.closing
    if own is None:
        return None
    others = dict(own.others)
    for each in bounds:
        ahead = how_much_later(time, each.left) if each.ends_left else None
        if ahead is None:
            continue
        # right <= left - length, and its own others and event are not much later than that.
        right = each.right.closing
        apart = ahead - each.left.closing.reach - each.length + right.reach
        for event, later in ((right.event, ZERO), *right.others):
            if event and event != own.event:
                others[event] = min(others.get(event, apart + later), apart + later)
    return replace(own, others=tuple(others.items()))


def _none(relation: Relation) -> Relation:
    """A side that is left out where there is no partner."""
    return replace(
        relation, columns=tuple(replace(each, closing=None) for each in relation.columns)
    )


def _events(relations: list[Relation]) -> frozenset[str]:
    closings = (each.closing for r in relations for each in r.columns if each.closing)
    return frozenset(name for each in closings for name in (each.event, *dict(each.others)))


def _with_own_events(
    relation: Relation, bounds: tuple[TimeBound, ...], known: frozenset[str]
) -> tuple[Relation, tuple[TimeBound, ...]]:
    """A source that is joined with itself has two times in a row."""

    def named(event: str) -> str:
        return f"{event} {relation.alias}" if event and event in known else event

    def renamed(column: OutColumn) -> OutColumn:
        closing = column.closing
        if closing is None:
            return column
        others = tuple((named(event), later) for event, later in closing.others)
        return replace(column, closing=replace(closing, event=named(closing.event), others=others))

    def compared(time: Time) -> Time:
        return replace(time, column=renamed(time.column))

    columns = tuple(map(renamed, relation.columns))
    return (
        replace(relation, columns=columns),
        tuple(replace(each, right=compared(each.right)) for each in bounds),
    )
