"""By what window functions are ordered or closed, and rows in that order."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from compiler.bind.where.temporal import waiting_for
from compiler.plan.closings.closing import Closing
from compiler.plan.conditions.predicates import ClockAtom, Op
from compiler.plan.nodes import (
    Aggregate,
    Join,
    Over,
    Plan,
    Scan,
    TemporalFilter,
    Watermarked,
    Windows,
    held_by,
    walk,
)
from compiler.source import Span
from compiler.sql.exprs import Expr
from compiler.sql.names import own_name
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of


@dataclass(frozen=True, kw_only=True)
class OrderKey:
    """A column whose values the clock closes, and when."""

    expr: Expr
    closing: Closing

    @property
    def moment(self) -> Expr:
        """The moment in SQL."""
        return self.moved("")

    def closed(self, place: Span) -> ClockAtom:
        """That the clock has closed it."""
        return ClockAtom(op=Op.GT if self.closing.after else Op.GE, bound=self.moment, span=place)

    def moved(self, by: str) -> Expr:
        """The moment for a value that is later by some time."""
        value = f"{self.expr.sql} + {by}" if by else self.expr.sql
        template = self.closing.moment
        inside = value if template == "{}" or not by else f"({value})"
        is_timestamp = template.startswith("{}") and self.expr.type.kind is Kind.TIMESTAMP
        kind = SqlType(Kind.TIMESTAMP, "TIMESTAMP") if is_timestamp else SqlType(Kind.UNKNOWN, "")
        return Expr(sql=self.closing.at(inside), type=kind, reads=self.expr.reads)


def delayed(plan: Plan, key: OrderKey, node: exp.Expression) -> Plan:
    """Rows that come when the clock closes the key, all of one value in one batch."""
    below = list(held_by(plan))
    in_order = not any(comes_in_other_order(each) for each in below)
    if key.closing.after and in_order:
        return plan
    comes_whole = (
        key.closing.moment == "{}"
        and not key.closing.after
        and not key.closing.reach
        and not any(
            isinstance(each, TemporalFilter | Over)
            or (isinstance(each, Windows) and each.kind != "session")
            for each in below
        )
    )
    if comes_whole and in_order and any(isinstance(each, Aggregate | Windows) for each in below):
        return plan
    return waiting_for(plan, key.closed(span_of(node)), span_of(node))


def comes_in_other_order(node: Plan) -> bool:
    """Whether rows come when a condition or a join says so, and not when they are past."""
    if isinstance(node, TemporalFilter):
        return not isinstance(node.input, Scan | Watermarked)
    return isinstance(node, Join) and node.has_range


def keeps_order(plan: Plan, key: OrderKey) -> bool:
    """Whether rows that come window by window come in order of a key, those of a value at once."""
    name = own_name(key.expr.sql).lower()
    kinds = {each.kind for each in walk(plan) if isinstance(each, Windows)}
    if name == "window_end":
        return True
    if name == "window_start":
        return kinds <= {"tumble", "hop"}
    return kinds == {"tumble"} and not any(isinstance(each, Aggregate) for each in held_by(plan))
