"""Nodes whose rows wait for the clock, as steps; see plan/nodes/final.py.

Each function takes the node, the rows below, and what to call the step.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from compiler.plan import nodes as plan
from compiler.release.lowering.items import given_name
from compiler.release.nodes import (
    FilledRows,
    Framed,
    Grouped,
    Input,
    Item,
    Lower,
    MatchRows,
    OverItem,
    OverRows,
)
from compiler.sql.exprs import Expr
from compiler.sqltypes import Kind


def grouped(node: plan.Aggregate, below: Input, name: str, tables: tuple[str, ...]) -> Grouped:
    """Groups, with the steps that their subqueries read."""
    return Grouped(
        input=replace(below, alias=node.alias),
        name=name,
        items=tuple(Item(sql=each.expr.sql, name=given_name(each)) for each in node.items),
        group=tuple(each.sql for each in node.group),
        having=node.having.sql if node.having else None,
        types=tuple((name, each.sql) for name, each in node.types),
        closes=_at(node.closes, strict=node.closes_after),
        tables=tables,
        held=node.held,
    )


def over(node: plan.Over, below: Input, name: str) -> OverRows:
    """Window functions."""

    def at(moment: Expr) -> Lower:
        return _at(moment, strict=node.closes_after)

    return OverRows(
        input=replace(below, alias=node.alias),
        name=name,
        columns=tuple(
            OverItem(name=each.name, call=each.call, over=each.over) for each in node.columns
        ),
        frames=tuple(
            Framed(
                partition=each.partition,
                order=each.order,
                before=each.before,
                after=each.after,
                until=at(each.until) if each.until else None,
                last=each.last,
                where=each.where,
            )
            for each in node.frames
        ),
        closes=at(node.closes),
        complete=tuple(at(each) for each in node.complete),
        release=replace(at(node.release), strict=node.release_after) if node.release else None,
    )


def matched(node: plan.Match, below: Input, name: str) -> MatchRows:
    """Matches of a row pattern."""
    return MatchRows(
        input=below,
        name=name,
        partition=node.partition,
        order=node.order,
        pattern=node.pattern,
        defines=node.defines,
        measures=tuple((each.name, each.measure) for each in node.measures),
        output=node.output,
        all_rows=node.all_rows,
        omit_empty=node.omit_empty,
        skip=node.skip,
        skip_to=node.skip_to,
        within_us=None if node.within is None else node.within // timedelta(microseconds=1),
        time=node.time.sql,
        closes=_at(node.closes, strict=node.closes_after),
        ends=None if node.ends is None else _at(node.ends, strict=False),
    )


def filled(node: plan.Filled, below: Input, name: str) -> FilledRows:
    """Windows without rows."""
    return FilledRows(
        input=below,
        name=name,
        keys=node.keys,
        starts=node.starts,
        ends=node.ends,
        values=node.values,
        how=node.how,
        size=node.size,
        later=node.later,
        silence=node.silence,
        slide=node.slide,
        step=node.step,
    )


def _at(moment: Expr, *, strict: bool) -> Lower:
    """That the clock has reached a moment, or passed it."""
    is_timestamp = moment.type.kind is Kind.TIMESTAMP
    return Lower(bound=moment.sql, strict=strict, is_timestamp=is_timestamp)
