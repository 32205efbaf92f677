"""Groups of windows out of panes -> what panes are made of, and what is selected of the windows."""

from __future__ import annotations

from dataclasses import replace

from compiler.plan import nodes as plan
from compiler.plan.facts.panes import windows_below
from compiler.release.lowering.items import given_name
from compiler.release.nodes import Input, Item, PanedRows, Select


def paned(node: plan.Aggregate, parts: plan.Parts, below: Input, name: str) -> PanedRows:
    """The step for windows of a key, over rows with what `parts` asks for."""
    windows = windows_below(node.input)
    assert windows is not None
    return PanedRows(
        name=name,
        input=below,
        kind=windows.kind,
        sizes=windows.sizes,
        time=parts.time,
        keys=parts.keys,
        calls=parts.calls,
        later=parts.later,
    )


def of_panes(node: plan.Aggregate, parts: plan.Parts, panes: Input, name: str) -> Select:
    """The groups, over the windows of keys."""
    return Select(
        name=name,
        input=replace(panes, alias=node.alias),
        joins=(),
        where=() if parts.having is None else (parts.having.sql,),
        items=tuple(Item(sql=each.expr.sql, name=given_name(each)) for each in parts.items),
        releases=(),
    )
