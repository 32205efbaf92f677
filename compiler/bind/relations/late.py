"""`LATE(rel)`: the rows that a watermark refused, as a relation.

A view over a watermarked source has late rows, too: those of the source, seen through the view.

Before   LATE(Filter(Scan))
After    Filter(Late(Scan))
"""

from __future__ import annotations

from dataclasses import replace

from compiler.bind.names.columns import reference
from compiler.bind.names.refusals import refuse_changes
from compiler.bind.names.scope import OutColumn, Relation
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import listed
from compiler.plan.nodes import (
    Alias,
    Filter,
    Item,
    Late,
    Named,
    Plan,
    Project,
    Scan,
    UnionAll,
    Watermarked,
)
from compiler.source import Span
from compiler.sqltypes import Kind, SqlType

WATERMARK = OutColumn(name="_watermark", type=SqlType(Kind.TIMESTAMP, "TIMESTAMP"))
"""The watermark by which a row was late."""


def late_rows(relation: Relation, span: Span, problems: Problems) -> Relation:
    """The late rows of a relation: its columns and `_watermark`; faults are reported."""
    columns = (*relation.columns, WATERMARK)
    if relation.is_open:
        return replace(relation, columns=columns)
    own = relation.column(WATERMARK.name)
    if own is not None:
        problems.add(
            "TVF204",
            f"LATE() adds a column `{WATERMARK.name}`, and there is one already",
            span,
            "has such a column",
            advice="give that column another name in a view",
        )
    if not relation.watermarks:
        if refuse_changes(relation, "LATE()", span, problems):
            return replace(relation, columns=columns, is_open=True)
        _need_watermark(relation, span, problems)
        return replace(relation, columns=columns, is_open=True)
    plan = _late(relation.plan)
    if plan is None:
        problems.add(
            "TVF322",
            "these rows have no late rows of their own",
            span,
            "waits for the clock, or joins rows",
            notes=["rows are refused as they arrive, before a join or a condition on the clock"],
            advice="read the late rows of a source: "
            + " or ".join(f"`LATE({name})`" for name in sorted(relation.watermarks)),
        )
        return replace(relation, columns=columns, is_open=True)
    return replace(relation, plan=plan, columns=columns)


def _need_watermark(relation: Relation, span: Span, problems: Problems) -> None:
    streams = sorted(relation.streams)
    name = streams[0] if streams else "source"
    problems.add(
        "TVF321",
        "late rows need a watermark that refuses them",
        span,
        f"{listed(streams)} has no watermark" if streams else "reads no stream",
        advice=f"declare one: `CREATE SOURCE {name} (…, WATERMARK FOR ts AS ts)`, "
        f"or write `LATE(WATERMARK({name}, ts, ts))`",
    )


def _late(node: Plan) -> Plan | None:
    """The late rows of a plan, with `_watermark` as a further column; None if there are none."""
    match node:
        case Scan(source=source):
            return Late(input=node, source=source.name) if source.watermark else None
        case Watermarked(source=name):
            return Late(input=node, source=name)
        case Named(name=name):
            inner = _late(node.input)
            return None if inner is None else Named(name=f"late_{name}", input=inner)
        case Alias() | Filter():
            inner = _late(node.input)
            return None if inner is None else replace(node, input=inner)
        case Project():
            inner = _late(node.input)
            if inner is None:
                return None
            items = (*node.items, Item(expr=reference(None, WATERMARK), name=WATERMARK.name))
            return replace(node, input=inner, items=items)
        case UnionAll(inputs=inputs):
            sides = tuple(each for each in map(_late, inputs) if each is not None)
            return UnionAll(inputs=sides) if len(sides) == len(inputs) else None
        case _:
            return None
