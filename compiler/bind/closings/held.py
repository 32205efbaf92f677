"""Groups above rows that wait for rows that follow them: they are final when none of theirs waits.

Before   TUMBLE(rows with lead(x) OVER (PARTITION BY k ORDER BY ts), ts, INTERVAL 10 SECONDS)
After    rows leave the window function together with all of their ten seconds, once the clock has
         reached the end of those and no older row waits; then the group is there as a whole
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from sqlglot import exp

from compiler.bind.closings.expressions import closing_as
from compiler.bind.names.scope import Held, OutColumn, Scope
from compiler.plan.closings.closing import grids_of
from compiler.plan.nodes import Aggregate, Alias, Filter, Named, Over, Plan, Project, Windows
from compiler.sql.exprs import Expr, renamed
from compiler.sql.lengths import moved
from compiler.sql.names import parts_of


def held_of(node: exp.Expression, expr: Expr, scope: Scope) -> Held | None:
    """What an expression over times that are held is computed from, and when it would close."""
    columns = {name: _column(name, scope) for name in expr.reads}
    known = {name: each.held for name, each in columns.items() if each and each.held}
    if not known or len(known) < len(columns):
        return None
    as_below = Scope(
        scope.problems,
        [
            replace(relation, columns=tuple(_as_below(each) for each in relation.columns))
            for relation in scope.relations
        ],
    )
    closing = closing_as(node, expr.sql, as_below)
    if closing is None or closing.window is not None:
        return None
    if expr.sql in known:
        return replace(known[expr.sql], closing=closing)
    values = {name: _operand(each.value) for name, each in known.items()}
    return Held(value=renamed(expr.sql, values), closing=closing)


def held_bounds(
    kind: str, column: OutColumn, lengths: dict[str, timedelta], bounds: tuple[OutColumn, OutColumn]
) -> tuple[OutColumn, OutColumn]:
    """The bounds of windows of a time that is held; a row of windows that overlap is in several."""
    size, held = lengths.get("size"), column.held
    overlap = kind in ("cumulate", "session") or lengths.get("slide", size) != size
    if held is None or size is None or overlap:
        return replace(bounds[0], closing=None), replace(bounds[1], closing=None)
    starts, _ = grids_of("tumble", lengths)
    start = starts.until(held.closing.value.replace("{}", _operand(held.value)))
    return _held(bounds[0], start), _held(bounds[1], moved(start, size))


def released(plan: Plan, moment: Expr, *, after: bool) -> Plan | None:
    """Rows that leave the window function below together; None: there is none that could do so."""
    match plan:
        case Over(frames=frames) if any(each.after for each in frames):
            return replace(plan, release=moment, release_after=after)
        case Alias() | Named() | Project() | Filter() | Windows() | Aggregate():
            if isinstance(plan, Aggregate) and not plan.held:
                return None
            inner = released(plan.input, moment, after=after)
            return None if inner is None else replace(plan, input=inner)
        case _:
            return None


def _held(bound: OutColumn, value: str) -> OutColumn:
    closing = bound.closing
    return replace(
        bound, closing=None, held=Held(value=value, closing=closing) if closing else None
    )


def _as_below(column: OutColumn) -> OutColumn:
    return replace(column, closing=column.held.closing if column.held else None)


def _column(name: str, scope: Scope) -> OutColumn | None:
    parts = parts_of(name)
    found = (each.column(parts[-1]) for each in scope.relations) if parts else iter(())
    return next((each for each in found if each is not None), None)


def _operand(sql: str) -> str:
    return sql if parts_of(sql) else f"({sql})"
