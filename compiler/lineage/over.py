"""The origins of window functions, of first rows, and of what is computed of row patterns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from compiler.lineage.expressions import Scope, TracedColumn, trace_of_sql
from compiler.lineage.matches import column_of_measure, columns_of_term
from compiler.lineage.origins import How, Trace, all_origins, taken, together
from compiler.lineage.rows import Traced, by_names, names_of_keys
from compiler.plan.nodes import Match, Over, OverChanges, OverColumn, Top
from compiler.sql.names import ASOF_ROW, is_ours


def first_rows(node: Top, below: Traced) -> Traced:
    """Rows with their numbers, or the first of them."""
    by = [*by_names(node.partition, below), *by_names(names_of_keys(node.order), below)]
    place = Trace(taken(all_origins(by), How.WINDOW))
    number = [] if node.number is None else [TracedColumn(node.number, place)]
    kept = [each for each in below.columns if each.name not in node.hidden]
    found = replace(below, columns=(*kept, *number))
    # Without a limit it is a count alone, and a filter on that decides.
    return found if node.limit is None else found.deciding(How.SORT, *by)


def with_functions(node: Over | OverChanges, below: Traced) -> Traced:
    """Rows with window functions."""
    scope = below.scope(node.alias if isinstance(node, Over) else None)
    own = (TracedColumn(each.name, _function(each, node, below, scope)) for each in node.columns)
    return replace(below, columns=(*below.columns, *own))


def _function(column: OverColumn, node: Over | OverChanges, below: Traced, scope: Scope) -> Trace:
    """The trace of a window function; what the runtime does for it, its text need not say."""
    if isinstance(node, OverChanges):
        order = [] if _is_of_all(column) else names_of_keys(node.order)
        by = by_names([*node.partition, *order], below)
        return together([trace_of_sql(column.sql, scope), _deciding(by)])
    keys = [_key(key) for frame in node.frames for key in frame.order]
    if column.over is None:
        # A numbering, which the runtime counts.
        keys += [key for frame in node.frames for key in frame.partition]
        return _deciding(trace_of_sql(key, scope) for key in keys)
    by = [trace_of_sql(key, scope) for key in keys]
    return together([trace_of_sql(column.sql, scope), _deciding(by)])


def _is_of_all(column: OverColumn) -> bool:
    """Whether a function looks at all rows of its partition in any order."""
    shown = column.shown.upper()
    return _WHOLE in " ".join(column.over or ()) and " OVER (" in shown and "ORDER BY" not in shown


_WHOLE = "BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"


def _deciding(by: Iterable[Trace]) -> Trace:
    """The trace of what rows are put together by, and in order of."""
    return Trace(taken(all_origins(by), How.WINDOW))


def as_of(node: Over | OverChanges, left: Traced, right: Traced) -> Traced:
    """Rows of the one side of an ASOF JOIN, each with a row of the other; see bind/asof/."""
    terms = [
        each.trace
        for each in (*left.columns, *right.columns)
        if is_ours(each.name) and each.name != ASOF_ROW
    ]
    row = together(by_names([ASOF_ROW], right))
    own = (TracedColumn(each.name, row) for each in node.columns)
    found = Traced((*left.columns, *own), left.rows | right.rows)
    return found.deciding(How.JOIN, *terms)


def matches_of(node: Match, below: Traced) -> Traced:
    """Matches of a row pattern."""
    scope = below.scope()
    whole = [*by_names(node.partition, below), *(trace_of_sql(_key(e), scope) for e in node.order)]
    where = [name for _, term in node.defines for name in columns_of_term(term)]
    kept = [each for name in node.output for each in below.columns if each.name == name]
    measures = []
    for each in node.measures:
        column = column_of_measure(each.measure)
        traces = [] if column is None else by_names([column[0]], below)
        how = How.IDENTITY if column is None else column[1]
        measures.append(TracedColumn(each.name, together(traces).used(how)))
    return (
        replace(below, columns=(*kept, *measures))
        .deciding(How.WINDOW, *whole)
        .deciding(How.FILTER, *by_names(where, below))
    )


def _key(order: str) -> str:
    """What is sorted by, without DESC and NULLS."""
    return order.split(" NULLS ")[0].removesuffix(" DESC").removesuffix(" ASC")
