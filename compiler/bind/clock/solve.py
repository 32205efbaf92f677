"""Comparisons with the clock, solved for the clock: `clock OP bound`.

`c ± i OP e` moves the interval to the data side, `c - e OP i` the moment, and
`date_trunc(unit, c) OP e` asks for the first clock value that truncates so.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from compiler.bind.clock.folding import check_bound
from compiler.bind.clock.magnitudes import combined, epoch_magnitude, magnitude
from compiler.bind.names.expressions import ExpressionBinder
from compiler.plan.conditions.predicates import ClockAtom, Op
from compiler.source import Span
from compiler.sql.exprs import Binding, Clock, Expr
from compiler.sql.inference import MOMENTS
from compiler.sqltypes import Kind, SqlType, kind_of
from compiler.syntax import span_of

TIMESTAMP = SqlType(Kind.TIMESTAMP, "TIMESTAMP")

MIRRORED = {Op.GE: Op.LE, Op.GT: Op.LT, Op.LT: Op.GT, Op.LE: Op.GE, Op.EQ: Op.EQ, Op.NE: Op.NE}

INTEGERS = frozenset({"BIGINT", "LONG", "INT", "INTEGER", "SMALLINT", "SHORT", "TINYINT", "BYTE"})

UNITS = frozenset({"SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR"})


class UnsolvableError(Exception):
    """A form of the clock that cannot be solved for it; `node` is where it stands."""

    def __init__(self, node: exp.Expression) -> None:
        super().__init__()
        self.node = node


def solve(
    binder: ExpressionBinder, left: exp.Expression, op: Op, right: exp.Expression, span: Span
) -> ClockAtom:
    """The atom for `left op right`, exactly one of which reads the clock.

    Raises:
        UnsolvableError: the clock is on both sides, or inside something unknown.
    """
    if binder.reads_clock(right):
        if binder.reads_clock(left):
            raise UnsolvableError(right)
        left, op, right = right, MIRRORED[op], left
    return _solve(binder, left, op, moment(binder, op, right), span)


def moment(binder: ExpressionBinder, op: Op, node: exp.Expression) -> Expr:
    """A bound as a point in time; a number is epoch milliseconds.

    The clock has whole milliseconds: above 1.5 it is above 1, and at least 1.5 it is from 2 on.
    """
    check_bound(binder, node)
    bound = _measured(binder, node)
    if bound.type.kind is not Kind.NUMBER:
        return bound
    whole = bound.sql
    is_whole = whole.isdigit() and int(whole) < 2**63
    if not (is_whole or bound.type.ddl.upper() in INTEGERS):
        rounded = "floor" if op in (Op.GT, Op.LE) else "ceil"
        whole = f"CAST({rounded}({whole}) AS BIGINT)"
    sql = f"timestamp_millis({whole})"
    return replace(
        bound,
        sql=sql,
        type=TIMESTAMP,
        binding=Binding.ATOM,
        magnitude=epoch_magnitude(binder, node),
    )


def _measured(binder: ExpressionBinder, node: exp.Expression) -> Expr:
    return replace(binder.bind(node), magnitude=magnitude(binder, node))


def _solve(
    binder: ExpressionBinder, side: exp.Expression, op: Op, bound: Expr, span: Span
) -> ClockAtom:
    side = bare(side)
    if binder.is_clock(side):
        clock = binder.clock_of(side) or Clock.WATERMARK
        return ClockAtom(op=op, bound=bound, clock=clock, span=span)
    if isinstance(side, exp.Add | exp.Sub):
        return _solve_sum(binder, side, op, bound, span)
    unit = _truncated_to(side)
    if unit is not None:
        inner = side.this
        return _solve(binder, inner, *_untruncate(op, bound, unit), span)
    raise UnsolvableError(side)


def _solve_sum(
    binder: ExpressionBinder, side: exp.Add | exp.Sub, op: Op, bound: Expr, span: Span
) -> ClockAtom:
    left, right = side.this, side.expression
    if binder.reads_clock(left) and binder.reads_clock(right):
        raise UnsolvableError(side)
    if isinstance(side, exp.Add):
        clock, other = (left, right) if binder.reads_clock(left) else (right, left)
        term = _measured(binder, other)
        _check_units(binder, side, bound, term)
        return _solve(binder, clock, op, _combine(bound, "-", term), span)
    if binder.reads_clock(left):
        term = _measured(binder, right)
        _check_units(binder, side, bound, term)
        return _solve(binder, left, op, _combine(bound, "+", term), span)
    # e - c OP i  <=>  c MIRRORED(OP) e - i
    other = _measured(binder, left)
    _check_units(binder, side, bound, other)
    return _solve(binder, right, MIRRORED[op], _combine(other, "-", bound), span)


def _check_units(binder: ExpressionBinder, side: exp.Expression, bound: Expr, term: Expr) -> None:
    """Of a moment and the term beside the clock, one is a time and one a length of time."""
    kinds = {bound.type.kind, term.type.kind}
    if Kind.NUMBER not in kinds and not kinds <= MOMENTS:
        return
    is_number = term.type.kind is Kind.NUMBER
    binder.problems.add(
        "TVF206",
        "a number cannot be added to the clock, or taken from it"
        if is_number
        else "the time between the clock and a moment is compared with what is no interval",
        span_of(side),
        "a number has no unit of time" if is_number else "is an interval",
        advice="write an interval, such as `INTERVAL 5 SECONDS`; for a column of milliseconds, "
        "`ms * INTERVAL 0.001 SECONDS`",
    )


def _combine(left: Expr, sign: str, right: Expr) -> Expr:
    """A moment plus or minus an interval, or an interval plus a moment."""
    if left.type.kind is Kind.INTERVAL and sign == "+" and right.type.kind is not Kind.INTERVAL:
        left, right = right, left
    first = left.inside(Binding.BITWISE)
    second = right.inside(Binding.ARITHMETIC)
    return Expr(
        sql=f"{first} {sign} {second}",
        type=left.type if left.type.kind is Kind.INTERVAL else TIMESTAMP,
        binding=Binding.ARITHMETIC,
        reads=tuple(dict.fromkeys((*left.reads, *right.reads))),
        magnitude=combined(left.magnitude, sign, right.magnitude),
        span=left.span,
    )


def bare(node: exp.Expression) -> exp.Expression:
    """A side of a comparison without parentheses, and casts to what the clock is."""
    while isinstance(node, exp.Paren) or _is_to_timestamp(node):
        node = node.this
    return node


def _is_to_timestamp(node: exp.Expression) -> bool:
    return isinstance(node, exp.Cast) and kind_of(node.to) is Kind.TIMESTAMP


def _truncated_to(node: exp.Expression) -> str | None:
    """The unit of date_trunc() or of a cast to DATE; None if it is neither."""
    if isinstance(node, exp.TimestampTrunc | exp.DateTrunc):
        unit = node.args.get("unit")
        name = (unit.name if unit is not None else "").upper()
        return name if name in UNITS else None
    if isinstance(node, exp.Cast | exp.TryCast) and node.to.is_type(exp.DType.DATE):
        return "DAY"
    if isinstance(node, exp.TsOrDsToDate | exp.Date):
        return "DAY"
    return None


def is_truncated(node: exp.Expression) -> bool:
    """Whether a side of a comparison is a moment cut off to a unit."""
    return _truncated_to(bare(node)) is not None


def _untruncate(op: Op, bound: Expr, unit: str) -> tuple[Op, Expr]:
    """`trunc(c) OP e` as `c OP' e'`."""
    if op in (Op.EQ, Op.NE):
        raise UnsolvableError(exp.Null())
    floor = f"date_trunc('{unit}', {bound.sql})"
    step = "INTERVAL 3 MONTHS" if unit == "QUARTER" else f"INTERVAL 1 {unit}"
    after = f"{floor} + {step}"
    if op in (Op.GT, Op.LE):
        sql = after
    else:
        sql = (
            f"CASE WHEN {floor} = {bound.inside(Binding.COMPARISON)} THEN {floor} ELSE {after} END"
        )
    solved = replace(bound, sql=sql, type=TIMESTAMP, binding=Binding.ARITHMETIC)
    return (Op.GE if op in (Op.GE, Op.GT) else Op.LT), solved


def place_of(error: UnsolvableError, fallback: Span) -> Span:
    """Where an unsolvable form stands."""
    span = span_of(error.node)
    return span if span.end else fallback
