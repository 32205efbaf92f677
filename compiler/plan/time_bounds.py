"""How far apart in time the rows of a join may be: conditions from which Spark bounds its state.

Spark drops rows of a join that can find no partner any more, if ON compares columns that carry the
watermark. It takes a row at the watermark for late, though, which here is on time. So each side is
given `__event`, a little after its time, and the conditions are repeated on those. Spark rounds
what a row may still wait for to whole milliseconds, a `<=` one up. A side whose rows come out
without a partner must not wait longer than they have to: it is given a millisecond, the other one
a microsecond, and `<=` is written as `<` a microsecond further on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from sqlglot import exp

from compiler.plan.lengths import interval_sql, length_of, moved
from compiler.plan.names import qualified, quoted_name
from compiler.plan.scope import Closing, OutColumn, Relation

EVENT = "__event"
EXACT = timedelta(milliseconds=1)
"""What is added to the times of the side whose rows are dropped at the very millisecond."""
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
class TimeBound:
    """`left.__event OP right.__event + reach`; the relations by alias, their events in SQL.

    `op` is `<`, `=` or `>`. `apart` is the reach between the columns that are compared, each with
    its own reach.
    """

    left: str
    left_event: str
    left_column: OutColumn
    op: str
    right: str
    right_event: str
    right_column: OutColumn
    reach: timedelta
    apart: timedelta

    @property
    def sql(self) -> str:
        """The condition."""
        sign, length = ("-", -self.reach) if self.reach < timedelta(0) else ("+", self.reach)
        shift = f" {sign} {interval_sql(length)}" if length else ""
        left, right = (qualified(each, EVENT) for each in (self.left, self.right))
        return f"{left} {self.op} {right}{shift}"

    @property
    def ends_left(self) -> bool:
        """Whether a row of the left side finds no partner once the clock is far enough."""
        return self.op in "=>"

    @property
    def ends_right(self) -> bool:
        """The same of the right side."""
        return self.op in "=<"


def time_bounds(
    terms: list[exp.Expression], kind: str, lefts: list[Relation], right: Relation
) -> tuple[TimeBound, ...]:
    """The time bounds among the conditions of ON, for a join of a kind."""
    shifts = (MICROSECOND, EXACT) if kind == "right" else (EXACT, MICROSECOND)
    found = (
        _bound(one, op, other, lefts, right, shifts)
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
    one: exp.Expression,
    op: str,
    other: exp.Expression,
    lefts: list[Relation],
    right: Relation,
    shifts: tuple[timedelta, timedelta],
) -> TimeBound | None:
    first, second = _shifted(one), _shifted(other)
    if first is None or second is None:
        return None
    relations = [*lefts, right]
    owner, column = _owner(first[0], relations)
    other_owner, other_column = _owner(second[0], relations)
    if owner is None or other_owner is None or column is None or other_column is None:
        return None
    reach = second[1] - first[1]
    if owner is right:
        owner, other_owner, column, other_column = other_owner, owner, other_column, column
        op, reach = _MIRRORED[op], -reach
    closing, other_closing = column.closing or Closing(), other_column.closing or Closing()
    if owner is right or other_owner is not right or not _comparable(closing, other_closing):
        return None
    if closing.has_calendar and (op != "=" or reach):
        return None
    left_shift, right_shift = shifts if closing.after else (ZERO, ZERO)
    left_shift, right_shift = left_shift + closing.later, right_shift + other_closing.later
    further = {">=": -MICROSECOND, "<=": MICROSECOND}.get(op, ZERO)
    apart = reach + closing.reach - other_closing.reach
    return TimeBound(
        left=owner.alias or "",
        left_event=_event(column, closing, left_shift),
        left_column=column,
        op=op[0],
        right=right.alias or "",
        right_event=_event(other_column, other_closing, right_shift),
        right_column=other_column,
        reach=apart + left_shift - right_shift + further,
        apart=apart,
    )


ZERO = timedelta(0)


def _comparable(one: Closing, other: Closing) -> bool:
    return (one.moment, one.after) == (other.moment, other.after)


def _event(column: OutColumn, closing: Closing, shift: timedelta) -> str:
    """A moment at which a row with this column is past, as a TIMESTAMP."""
    moment = closing.moment.replace("{}", quoted_name(column.name))
    return moved(moment, closing.reach + shift)


def _shifted(node: exp.Expression) -> tuple[exp.Column, timedelta] | None:
    """A column and what is added to it."""
    if isinstance(node, exp.Paren):
        return _shifted(node.this)
    if isinstance(node, exp.Column):
        return node, timedelta(0)
    if not isinstance(node, exp.Add | exp.Sub):
        return None
    inner, length = _shifted(node.this), length_of(node.expression)
    if inner is None or length is None:
        return None
    return inner[0], inner[1] + (length if isinstance(node, exp.Add) else -length)


def _owner(node: exp.Column, relations: list[Relation]) -> tuple[Relation | None, OutColumn | None]:
    for relation in relations:
        if node.table and (relation.alias or "").lower() != node.table.lower():
            continue
        column = relation.column(node.name)
        if column is not None and column.closing is not None and relation.alias:
            return relation, column
    return None, None
