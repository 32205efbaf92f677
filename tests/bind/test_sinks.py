"""What sinks make of results that change."""

from __future__ import annotations

import pytest

from compiler.bind.names.scope import OutColumn
from compiler.bind.script import bind
from compiler.bind.sinks.declare import check_sink
from compiler.diagnostics import CompileError
from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import Sink, SinkKind
from compiler.source import SourceText
from compiler.syntax import parse_script


def declared(text: str) -> Sink:
    source = SourceText(
        "query.sql",
        f"CREATE SOURCE s (id INT, day DATE);\nCREATE SINK k {text} AS SELECT id, day FROM s;",
    )
    problems = Problems(source)
    program = bind(parse_script(source), problems, scenario=True)
    problems.stop_if_any()
    return program.outputs[0].sink


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("USING parquet OPTIONS (path 'p')", SinkKind.CHANGELOG, ()),
        ("USING kafka", SinkKind.CHANGELOG, ()),
        ("USING kafka OPTIONS (key 'id')", SinkKind.UPSERT, ("id",)),
        # The key of records, of which there may be many.
        ("USING kafka OPTIONS (key 'id', mode 'changelog')", SinkKind.CHANGELOG, ()),
        ("USING console OPTIONS (mode 'Append')", SinkKind.APPEND, ()),
        ("USING json OPTIONS (path 'p', mode 'append-only')", SinkKind.APPEND, ()),
        ("USING text OPTIONS (path 'p')", SinkKind.APPEND, ()),
        ("USING jdbc", SinkKind.APPEND, ()),
        ("USING delta OPTIONS (mode 'changelog')", SinkKind.CHANGELOG, ()),
        ("USING sqlite OPTIONS (path 'p', key 'id')", SinkKind.UPSERT, ("id",)),
        ("USING jdbc OPTIONS (Key ' ID , day ')", SinkKind.UPSERT, ("ID", "day")),
        ("WITH (connector = 'sqlite', path = 'p', primary_key = 'id')", SinkKind.UPSERT, ("id",)),
        ("USING mine OPTIONS (mode 'upsert', key 'id')", SinkKind.UPSERT, ("id",)),
    ],
)
def test_kinds(text: str, kind: SinkKind, key: tuple[str, ...]) -> None:
    sink = declared(text)
    assert (sink.kind, sink.key) == (kind, key)
    own = {name.lower(): value for name, value in sink.options}
    assert not own.keys() & {"primary_key", "mode"}
    assert own.get("key") == ("id" if "changelog" in text and "key" in text else None)


@pytest.mark.parametrize(
    ("text", "columns", "codes"),
    [
        ("USING jdbc", "id", ["TVF608"]),
        ("USING delta OPTIONS (mode 'changelog')", "id", []),
        ("USING sqlite OPTIONS (path 'p', key 'id')", "id", []),
        ("USING kafka", "key value", ["TVF608"]),
        ("USING kafka", "key id", []),
        ("USING kafka", "key value id", []),
        ("USING kafka OPTIONS (key 'id')", "id value", []),
        ("USING kafka OPTIONS (key 'ID', mode 'changelog')", "id", []),
        ("USING kafka OPTIONS (mode 'append')", "id", ["TVF608"]),
    ],
)
def test_a_changing_result(text: str, columns: str, codes: list[str]) -> None:
    problems = Problems(SourceText("query.sql", ""))
    offered = tuple(OutColumn(name=name) for name in columns.split())
    check_sink(declared(text), offered, problems, changes=True)
    assert [each.code for each in problems.errors] == codes
    check_sink(declared(text), offered, problems, changes=False)
    assert len(problems.errors) == len(codes)


def test_a_mode_that_needs_a_key() -> None:
    with pytest.raises(CompileError) as caught:
        declared("USING mine OPTIONS (mode 'upsert')")
    assert [each.code for each in caught.value.diagnostics] == ["TVF609"]
