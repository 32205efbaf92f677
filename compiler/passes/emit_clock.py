"""What the outermost SELECT list computes from the clock waits until rows are emitted.

Before   Project k, WATERMARK_TS() - ts AS wait (TemporalFilter …)
After    Project k AS __c1, ts AS __c2_1 (TemporalFilter …), emitted as k, WATERMARK_TS() - ts
"""

from __future__ import annotations

from dataclasses import replace

from compiler.diagnostics.problems import Problems
from compiler.passes.each import for_each_output
from compiler.plan.nodes import Item, Output, Program, Project
from compiler.sql.exprs import Expr, renamed, shown_clocks


def emit_clock(program: Program, _problems: Problems) -> Program:
    """The part of the outermost SELECT list that reads the clock is computed as rows leave."""
    return for_each_output(program, _emitted)


def _emitted(output: Output) -> Output:
    node = output.plan
    if not isinstance(node, Project) or not any(each.expr.reads_clock for each in node.items):
        return output
    carried: list[Item] = []
    emitted: list[Item] = []
    for number, item in enumerate(node.items, 1):
        shown = item.name or shown_clocks(item.expr.sql)
        if not item.expr.reads_clock:
            name = f"__c{number}"
            carried.append(Item(expr=item.expr, name=name))
            emitted.append(Item(expr=Expr(sql=name), name=shown))
            continue
        names = {read: f"__c{number}_{n}" for n, read in enumerate(item.expr.reads, 1)}
        carried += [Item(expr=Expr(sql=old), name=new) for old, new in names.items()]
        expr = replace(item.expr, sql=renamed(item.expr.sql, names))
        emitted.append(Item(expr=expr, name=shown))
    if not carried:
        carried.append(Item(expr=Expr(sql="1"), name="__c0"))
    rows = Project(input=node.input, items=tuple(carried), reads=node.reads)
    return replace(output, plan=rows, emitted=tuple(emitted))
