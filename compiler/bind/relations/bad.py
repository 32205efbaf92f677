"""`BAD(source)`: the records of a source that do not fit its columns, as a relation.

They have no values to filter or project, so they are those of a source itself.

Before   BAD(Scan)
After    Bad(Scan)
"""

from __future__ import annotations

from dataclasses import replace

from compiler.bind.names.scope import OutColumn, Relation
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import listed
from compiler.plan.nodes import Alias, Bad, Changed, Scan
from compiler.source import Span
from compiler.sqltypes import Kind, SqlType

_TEXT = SqlType(Kind.STRING, "STRING")
COLUMNS = tuple(OutColumn(name=name, type=_TEXT) for name in ("record", "reason", "file"))
"""The record as it stands in its file or message, why it does not fit, and where it stands."""


def bad_rows(relation: Relation, span: Span, problems: Problems) -> Relation:
    """The records of a source that do not fit; faults are reported."""
    if relation.is_open:
        return replace(relation, columns=COLUMNS)
    scan = relation.plan
    while isinstance(scan, Alias | Changed):
        scan = scan.input
    if not isinstance(scan, Scan) or scan.source.static:
        _need_source(relation, span, problems)
        return replace(relation, columns=COLUMNS, is_open=True)
    return replace(
        relation,
        plan=Bad(input=scan),
        columns=COLUMNS,
        watermarks=frozenset(),
        has_proc_time=True,
        changes=None,
    )


def _need_source(relation: Relation, span: Span, problems: Problems) -> None:
    names = sorted(relation.streams)
    problems.add(
        "TVF326",
        "bad rows are those of a source",
        span,
        f"made of {listed(names)}" if names else "a table",
        notes=["a record that does not fit the columns of its source has none of their values"],
        advice=f"read those of the source: {' or '.join(f'`BAD({name})`' for name in names)}"
        if names
        else "declare it with CREATE SOURCE",
    )
