"""Rows that leave in order of their time carry it, whether or not it is selected.

Before   Project k (TemporalFilter clock > ts (…))
After    Project k, unix_micros(ts) AS __at (TemporalFilter clock > ts (…))

The clock has whole milliseconds, so that when rows are due does not order them within one. Comes
after `emit_clock`: rows that are computed as they leave have been held, too.
"""

from __future__ import annotations

from dataclasses import replace

from compiler.bind.names.scope import Relation
from compiler.diagnostics.problems import Problems
from compiler.passes.closed_columns import relations_of
from compiler.passes.each import for_each_output, with_plan
from compiler.plan.nodes import (
    Item,
    Named,
    Output,
    Plan,
    Program,
    Project,
    UnionAll,
    comes_and_goes,
)
from compiler.sql.exprs import Expr
from compiler.sql.names import qualified, quoted_name

AT = "__at"


def carry_time(program: Program, _problems: Problems) -> Program:
    """Rows that leave in order of their time have it as their last column, in microseconds."""
    return for_each_output(program, _timed)


def _timed(output: Output) -> Output:
    waits = bool(output.emitted) or comes_and_goes(output.plan)
    timed = _with_time(output.plan) if output.in_order and waits else None
    return output if timed is None else with_plan(output, timed)


def _with_time(plan: Plan) -> Plan | None:
    """The same rows with their time; None: they have none."""
    match plan:
        case Project(items=items, input=inner):
            times = [time for each in relations_of(inner) if (time := _time(each)) is not None]
            if not times:
                return None
            sql = times[0] if len(times) == 1 else f"greatest({', '.join(times)})"
            return replace(plan, items=(*items, Item(expr=Expr(sql=sql), name=AT)))
        case UnionAll(inputs=inputs):
            sides = tuple(each for each in map(_with_time, inputs) if each is not None)
            return UnionAll(inputs=sides) if len(sides) == len(inputs) else None
        case Named(input=inner):
            timed = _with_time(inner)
            return replace(plan, input=timed) if timed is not None else None
        case _:
            return None


def _time(relation: Relation) -> str | None:
    """The time of the rows of one relation."""
    column = next((each for each in relation.columns if each.closing is not None), None)
    if column is None or column.closing is None:
        return None
    name = qualified(relation.alias, column.name) if relation.alias else quoted_name(column.name)
    return f"unix_micros({column.closing.moment.replace('{}', name)})"
