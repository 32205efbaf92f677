"""How far apart in time the rows of a join may be, and until when they find partners.

ON may compare a time of the left side with one of the right side, `x < y + length`, and with
`<=`, `=`, `>=`, `>` likewise, where the clock closes both: it tells when no more rows with a value
of `x` come, and of `y`. Then a row of the right side finds partners until the clock has closed
the greatest `x` that it may meet, `y + length`; exactly, to the millisecond of the clock. That
depends on nothing but the closing of `x`, so it holds whatever the sides are: sources, joins,
closed groups, rows that have waited (joins.py says what closes above the join).

Before   ON b.ts BETWEEN a.ts AND a.ts + INTERVAL 10 SECONDS, closing after a.ts and after b.ts
After    a row of a finds partners until the clock has passed a.ts + INTERVAL 10 SECONDS, one of b
         until it has passed b.ts; of several such conditions the first to end counts
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

from sqlglot import exp

from compiler.bind.names.scope import OutColumn, Relation
from compiler.plan.closings.closing import Closing
from compiler.plan.conditions.branches import Lower
from compiler.sql.constants import number_of
from compiler.sql.lengths import length_of, moved
from compiler.sql.names import qualified
from compiler.sqltypes import Kind

MICROSECOND = timedelta(microseconds=1)

_OPS: dict[type[exp.Expression], str] = {
    exp.EQ: "=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """A column that the clock closes, of a relation by its alias."""

    alias: str
    column: OutColumn

    @property
    def closing(self) -> Closing:
        """When the clock closes it."""
        return self.column.closing or Closing()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBound:
    """`left OP right + length`, of the moments that the two columns are."""

    left: Time
    op: str
    right: Time
    length: timedelta

    @property
    def ends_left(self) -> bool:
        """Whether a row of the left side finds no partner once the clock is far enough."""
        return self.op in ("=", ">", ">=")

    @property
    def ends_right(self) -> bool:
        """The same of the right side."""
        return self.mirrored.ends_left

    @property
    def mirrored(self) -> TimeBound:
        """The same with the sides exchanged."""
        op = _MIRRORED[self.op]
        return TimeBound(left=self.right, op=op, right=self.left, length=-self.length)

    @property
    def left_wait(self) -> tuple[timedelta, bool]:
        """For how long after its moment a row of the left side may find partners.

        That is until the clock is there, or if the second value is true, until it is past that.
        """
        closing, is_strict = self.right.closing, self.op == ">"
        wait = closing.reach + closing.later - self.length
        # The clock is past a microsecond before a moment when it is at that moment.
        if is_strict and not closing.after:
            wait -= MICROSECOND
        return wait, closing.after and not is_strict


def until_left(bounds: tuple[TimeBound, ...]) -> tuple[Lower, ...]:
    """When rows of the left side find no more partners: at the first of these; none: never."""
    return tuple(dict.fromkeys(_until(each) for each in bounds if each.ends_left))


def until_right(bounds: tuple[TimeBound, ...]) -> tuple[Lower, ...]:
    """The same of the right side."""
    return until_left(tuple(each.mirrored for each in bounds))


def _until(bound: TimeBound) -> Lower:
    time, (wait, is_past) = bound.left, bound.left_wait
    is_timestamp = time.column.type.kind is Kind.TIMESTAMP and time.closing.moment == "{}"
    column = qualified(time.alias, time.column.name)
    moment = moved(time.closing.moment.replace("{}", column), wait)
    return Lower(bound=moment, strict=is_past, is_timestamp=is_timestamp)


def time_bounds(
    terms: list[exp.Expression], lefts: list[Relation], right: Relation
) -> tuple[TimeBound, ...]:
    """The time bounds among the conditions of ON."""
    found = (
        _bound(one, op, other, lefts, right)
        for term in terms
        for one, op, other in _comparisons(term)
    )
    return tuple(each for each in found if each is not None)


def _comparisons(
    node: exp.Expression,
) -> Iterator[tuple[exp.Expression, str, exp.Expression]]:
    if isinstance(node, exp.Paren):
        yield from _comparisons(node.this)
    elif isinstance(node, exp.Between):
        yield node.this, ">=", node.args["low"]
        yield node.this, "<=", node.args["high"]
    elif type(node) in _OPS:
        yield node.this, _OPS[type(node)], node.expression


def _bound(
    one: exp.Expression, op: str, other: exp.Expression, lefts: list[Relation], right: Relation
) -> TimeBound | None:
    first, second = _shifted(one), _shifted(other)
    if first is None or second is None:
        return None
    time, other_time = _time(first[0], [*lefts, right]), _time(second[0], [*lefts, right])
    if time is None or other_time is None:
        return None
    own, others = _length(time, first[1]), _length(other_time, second[1])
    if own is None or others is None:
        return None
    bound = TimeBound(left=time, op=op, right=other_time, length=others - own)
    if time.alias == right.alias:
        bound = bound.mirrored
    if bound.left.alias == right.alias or bound.right.alias != right.alias:
        return None
    return bound if _is_comparable(bound) else None


def _is_comparable(bound: TimeBound) -> bool:
    """Whether the moments of both columns are as far apart as their values are."""
    one, other = bound.left.closing, bound.right.closing
    if one.moment != other.moment:
        return False
    return not one.has_calendar or (bound.op == "=" and not bound.length)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shift:
    """What is added to a column: intervals, and whole numbers."""

    interval: timedelta = timedelta(0)
    number: int = 0


def _shifted(node: exp.Expression) -> tuple[exp.Column, _Shift] | None:
    """A column and what is added to it."""
    if isinstance(node, exp.Paren):
        return _shifted(node.this)
    if isinstance(node, exp.Column):
        return node, _Shift()
    if not isinstance(node, exp.Add | exp.Sub):
        return None
    inner, sign = _shifted(node.this), 1 if isinstance(node, exp.Add) else -1
    length, number = length_of(node.expression), number_of(node.expression)
    if inner is None:
        return None
    column, shift = inner
    if length is not None:
        return column, replace(shift, interval=shift.interval + sign * length)
    if number is not None and isinstance(number.value, int):
        return column, replace(shift, number=shift.number + sign * number.value)
    return None


def _length(time: Time, shift: _Shift) -> timedelta | None:
    """The length of time that is added to a column; to one of numbers, milliseconds."""
    if time.column.type.kind is not Kind.NUMBER:
        return None if shift.number else shift.interval
    try:
        return None if shift.interval else timedelta(milliseconds=shift.number)
    except OverflowError:  # longer than any interval of Python's
        return None


def _time(node: exp.Column, relations: list[Relation]) -> Time | None:
    for relation in relations:
        if node.table and (relation.alias or "").lower() != node.table.lower():
            continue
        column = relation.column(node.name)
        if column is not None and column.closing is not None and relation.alias:
            return Time(alias=relation.alias, column=column)
    return None
