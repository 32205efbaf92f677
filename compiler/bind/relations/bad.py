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
from compiler.plan.nodes import Alias, Bad, Changed, Plan, Scan, walk, with_children
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


def as_read_elsewhere(plan: Plan, others: tuple[Plan, ...]) -> Plan:
    """A plan that reads the bad rows of a source as the source is read in it, or in `others`.

    By which watermark a source is read decides nothing about its bad rows. So they come from the
    very scan that the rows of the source come from, where there is one.
    """
    if not any(isinstance(each, Bad) for each in walk(plan)):
        return plan
    scans: dict[str, Scan] = {}
    for scan in (each for other in (plan, *others) for each in _scans(other)):
        scans.setdefault(scan.source.name, scan)

    def changed(node: Plan) -> Plan:
        if isinstance(node, Bad):
            return replace(node, input=scans.get(node.input.source.name, node.input))
        return with_children(node, changed)

    return changed(plan)


def _scans(node: Plan) -> list[Scan]:
    """The sources that a plan reads for their rows."""
    under_bad = {id(each.input) for each in walk(node) if isinstance(each, Bad)}
    return [each for each in walk(node) if isinstance(each, Scan) and id(each) not in under_bad]
