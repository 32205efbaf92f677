"""The lineage of the outputs of a script, as text and as data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from compiler.escapes import visible
from compiler.lineage.expressions import TracedColumn
from compiler.lineage.origins import How, Origin, Origins
from compiler.lineage.traced import relations_read, traced, tracing
from compiler.plan.nodes import Output, Program, Scan, Source, walk
from compiler.sql.names import is_ours

_ORDER = list(How)


def lineage_text(program: Program) -> str:
    """A line for each column of each output, and one for what decides which rows there are."""
    with tracing(program):
        return "\n\n".join("\n".join(_lines(each)) for each in program.outputs) + "\n"


def _lines(output: Output) -> Iterator[str]:
    yield f"lineage of {visible(output.sink.name)}"
    found = traced(output.plan)
    named = [(column.name, _shown(column.trace.origins)) for column in _columns(output)]
    rows = [("(rows)", _shown(found.rows))] if found.rows else []
    width = max((len(name) for name, _ in [*named, *rows]), default=0)
    for name, origins in [*named, *rows]:
        yield visible(f"  {name.ljust(width)}  {origins}".rstrip())


def _columns(output: Output) -> list[TracedColumn]:
    """The columns that the query names, without those that the job adds."""
    columns = traced(output.plan).columns
    if output.revised is not None:
        columns = columns[:-1]
    return [each for each in columns if not is_ours(each.name)]


def _shown(origins: Origins) -> str:
    """Origins by how they take part, such as `orders.price; filter orders.ts`."""
    parts = []
    for how in _ORDER:
        named = [f"{each.source}.{each.column}" for each in _sorted(origins) if each.how is how]
        if named:
            parts.append(", ".join(named) if how is How.IDENTITY else _by(how, named))
    return "; ".join(parts) or "-"


def _by(how: How, named: list[str]) -> str:
    return f"{how.value} {', '.join(named)}"


def _sorted(origins: Origins) -> list[Origin]:
    return sorted(origins, key=lambda each: (each.source, each.column, _ORDER.index(each.how)))


def lineage_data(program: Program) -> dict[str, Any]:
    """The same as plain data: inputs by name, outputs by name, with their columns."""
    scanned = {name: e for output in program.outputs for name, e in _scanned(output).items()}
    with tracing(program):
        outputs = {each.sink.name: _output(each) for each in program.outputs}
    inputs = {
        name: {
            "format": source.format,
            "columns": [{"name": e.name, "type": e.type.ddl} for e in source.columns],
        }
        for name, source in sorted(scanned.items())
    }
    return {"inputs": inputs, "outputs": outputs}


def _scanned(output: Output) -> dict[str, Source]:
    """The sources and tables that an output is made of, by name."""
    nodes = (*walk(output.plan), *relations_read(output.plan))
    return {each.source.name: each.source for each in nodes if isinstance(each, Scan)}


def _output(output: Output) -> dict[str, Any]:
    found = traced(output.plan)
    return {
        "format": output.sink.format,
        "reads": sorted(_scanned(output)),
        "columns": [
            {"name": each.name, "type": each.type.ddl, "from": _data(each.trace.origins)}
            for each in _columns(output)
        ],
        "rows": _data(found.rows),
    }


def _data(origins: Origins) -> list[dict[str, str]]:
    return [
        {"source": each.source, "column": each.column, "how": each.how.name}
        for each in _sorted(origins)
    ]


def lineage_json(program: Program) -> str:
    """The data as JSON."""
    return json.dumps(lineage_data(program), indent=1)
