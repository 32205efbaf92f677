"""AST -> plan: statements in order, each seeing what was declared before it."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from compiler.bind.clock.choose import clock_of
from compiler.bind.clock.names import NamedClock
from compiler.bind.emit.orders import in_order, is_sorted, renamed_in_order
from compiler.bind.emit.revisions import refuse_revisions
from compiler.bind.emit.throttles import refuse_inner_throttles, throttle_of
from compiler.bind.names.scope import Relation
from compiler.bind.query.calls import check_calls
from compiler.bind.query.queries import QueryBinder
from compiler.bind.query.warnings import check_format, warn_of_unread
from compiler.bind.relations.derived import rename, with_names
from compiler.bind.relations.watermarks import refuse_two_watermarks
from compiler.bind.sinks.declare import check_sink, declare_sink, refuse_same_place
from compiler.bind.sinks.formats import IN_A_PATH, refuse_unreadable
from compiler.bind.sources.backfill import check_backfill
from compiler.bind.sources.declare import declare_source, scan
from compiler.bind.sources.kafka import check_kafka_source
from compiler.bind.sources.options import check_options, check_variables, refuse_parameter
from compiler.bind.sources.places import (
    check_bad_row_options,
    refuse_sinks_in_sources,
)
from compiler.bind.sources.schemas import NoSchemas, Schemas, with_schema
from compiler.bind.top.first_rows import ordered
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import did_you_mean, listed
from compiler.plan.facts.properties import properties_of
from compiler.plan.nodes import Output, Program, Sink, Source
from compiler.sql.exprs import flat_text
from compiler.sql.names import quoted_name
from compiler.syntax import Script, span_of
from compiler.syntax.nodes import (
    CreateFunction,
    CreateSink,
    CreateSource,
    CreateTable,
    CreateView,
    InsertInto,
    is_final,
)

CONSOLE = "console"
FILE_FORMATS = frozenset({"parquet", "json", "csv", "orc", "text", "xml", "avro"})


def bind(
    script: Script,
    problems: Problems,
    schemas: Schemas | None = None,
    *,
    scenario: bool = False,
) -> Program:
    """The plan of a script, as far as it can be bound; in a scenario a source needs no USING.

    `problems` takes what is at fault with names, types and constructs.
    """
    binder = _ScriptBinder(problems, schemas or NoSchemas(), scenario=scenario)
    for statement in script.statements:
        binder.statement(statement)
    binder.finish(script)
    return Program(
        sources=tuple(binder.sources),
        outputs=tuple(binder.outputs),
        functions=tuple(binder.functions),
    )


class _ScriptBinder:
    """What the statements so far have declared."""

    def __init__(self, problems: Problems, schemas: Schemas, *, scenario: bool) -> None:
        self._schemas = schemas
        self.problems = problems
        self.sources: list[Source] = []
        self.outputs: list[Output] = []
        self._scenario = scenario
        self._names: dict[str, Relation] = {}
        self._sinks: dict[str, Sink] = {}
        self._clocks: list[NamedClock] = []
        self._bare: list[exp.Expression] = []
        self._functions: set[str] = set()
        self.functions: list[str] = []

    def statement(self, node: exp.Expression) -> None:
        self.problems.statement += 1
        check_calls(node, self._functions, self.problems)
        for each in node.find_all(exp.Placeholder, exp.Parameter):
            text = flat_text(self.problems.source, span_of(each))
            refuse_parameter(span_of(each), text, self.problems)
        match node:
            case CreateFunction():
                self._function(node)
            case CreateSource() | CreateTable():
                self._source(node)
            case CreateView():
                self._view(node)
            case CreateSink():
                self._sink(node)
            case InsertInto():
                self._insert(node)
            case _:
                self._query(node)

    def finish(self, script: Script) -> None:
        """A script needs an output, a sink a query and a place of its own."""
        refuse_same_place([*self._sinks.values()], self.problems)
        refuse_sinks_in_sources([*self._sinks.values()], self.sources, self.problems)
        warn_of_unread(self._bare[:-1], self.problems)
        for sink in self._sinks.values():
            if not any(output.sink is sink for output in self.outputs):
                self.problems.add(
                    "TVF604",
                    f"nothing is written to sink `{sink.name}`",
                    sink.span,
                    "no query",
                    advice=f"add `INSERT INTO {sink.name} SELECT …`",
                )
        if not self.outputs and not self.problems.errors:
            last = script.statements[-1] if script.statements else exp.Null()
            self.problems.add(
                "TVF605",
                "the script has no query",
                span_of(last),
                "nothing to run after this",
                advice="end it with a SELECT, or with INSERT INTO a sink",
            )

    def _function(self, node: CreateFunction) -> None:
        """A function of the user's own; with a body, the job makes it."""
        self._functions.add(node.this.name.lower())
        body = node.args.get("body")
        if body is not None:
            text = flat_text(self.problems.source, span_of(body))
            name = quoted_name(node.this.name)
            self.functions.append(f"CREATE OR REPLACE TEMPORARY FUNCTION {name} {text}")

    def _source(self, node: CreateSource | CreateTable) -> None:
        declared = declare_source(node, self.problems, self._schemas)
        if declared.format is None and not self._scenario:
            self.problems.add(
                "TVF602",
                f"`{declared.name}` does not say where its rows come from",
                declared.span,
                "no USING",
                advice="add `USING parquet OPTIONS (path '…')` behind the column list",
            )
        self._need_path(declared)
        refuse_unreadable(declared, self.problems)
        check_bad_row_options(declared, self.problems)
        check_kafka_source(declared, self.problems)
        check_format(declared, self.problems)
        check_options(declared, self.problems)
        check_backfill(declared, self.problems)
        check_variables(declared, self.problems)
        self.sources.append(declared)
        self._declare(node.this, scan(declared))

    def _view(self, node: CreateView) -> None:
        columns = exp.TableAlias(columns=node.args.get("columns") or [])
        binder = QueryBinder(dict(self._names), self.problems, self._clocks)
        refuse_inner_throttles(node, self.problems)
        refuse_revisions(node, self.problems)
        relation = binder.named(node.this.name, node.expression, columns, span_of(node.this))
        self._declare(node.this, relation, again=bool(node.args.get("replace")))

    def _declare(self, name: exp.Identifier, relation: Relation, *, again: bool = False) -> None:
        key = name.name.lower()
        if key in self._names and not again:
            self.problems.add(
                "TVF204",
                f"`{name.name}` is declared twice",
                span_of(name),
                "again here",
                more=[(self._names[key].span, "first here")],
                advice="give one of them another name, or write CREATE OR REPLACE VIEW",
            )
        self._names[key] = replace(relation, span=span_of(name))

    def _sink(self, node: CreateSink) -> None:
        sink = declare_sink(node, self.problems)
        if sink.record is not None:
            record = with_schema(sink.record, self._schemas, sink.span, self.problems)
            sink = replace(sink, record=record)
        self._check_sink(sink)
        self._sinks[sink.name.lower()] = sink
        if node.expression:
            self._output(sink, node.expression)

    def _check_sink(self, sink: Sink) -> None:
        if sink.format is None and not self._scenario:
            self.problems.add(
                "TVF602",
                f"`{sink.name}` does not say where its rows go",
                sink.span,
                "no USING",
                advice="add `USING parquet OPTIONS (path '…')` behind the name",
            )
        self._need_path(sink)
        check_format(sink, self.problems)
        check_options(sink, self.problems)
        check_variables(sink, self.problems)
        known = self._sinks.get(sink.name.lower())
        if known is not None or sink.name.lower() == CONSOLE:
            self.problems.add(
                "TVF204",
                f"there is a sink `{sink.name}` already",
                sink.span,
                "again here",
                more=[(known.span, "first here")] if known else [],
                advice="give it another name",
            )

    def _need_path(self, place: Source | Sink) -> None:
        """Files lie somewhere."""
        options = {key.lower() for key, _ in place.options}
        # What a stream of a lake needs, Spark's own library knows.
        is_stream = isinstance(place, Source) and not place.static
        formats = FILE_FORMATS if is_stream else FILE_FORMATS | IN_A_PATH
        if place.format in formats and "path" not in options and not self._scenario:
            self.problems.add(
                "TVF607",
                f"`{place.name}` does not say where its files lie",
                place.span,
                f"no path for {place.format}",
                advice="add `OPTIONS (path '…')`; relative paths count from the query's folder",
            )

    def _insert(self, node: InsertInto) -> None:
        sink = self._sinks.get(node.this.name.lower())
        if sink is None:
            names = [each.name for each in self._sinks.values()]
            self.problems.add(
                "TVF601",
                f"there is no sink `{node.this.name}`",
                span_of(node.this),
                "not declared before this place",
                advice=did_you_mean(node.this.name, names)
                or f"declare it: `CREATE SINK {node.this.name} USING parquet OPTIONS (path '…')`",
            )
            sink = Sink(name=node.this.name, format=None, options=(), span=span_of(node.this))
        if any(output.sink is sink for output in self.outputs):
            self.problems.add(
                "TVF606",
                f"two queries write to sink `{sink.name}`",
                span_of(node.this),
                "the second one",
                advice="put them together with UNION ALL, or declare a second sink",
            )
        self._output(sink, node.expression, exp.TableAlias(columns=node.args.get("columns") or []))

    def _query(self, node: exp.Expression) -> None:
        """A bare query; only the last one of a script has an output."""
        self._bare.append(node)
        self.outputs = [each for each in self.outputs if each.sink.name != CONSOLE]
        self._output(Sink(name=CONSOLE, format=CONSOLE, options=(), span=span_of(node)), node)

    def _bind(self, node: exp.Expression) -> Relation:
        return QueryBinder(self._names, self.problems, self._clocks).bind(node)

    def _check_clocks(self, output: Relation) -> None:
        """A query has one clock, the least of all watermarks, however its inputs are named."""
        for clock in self._clocks:
            if clock.watermarks < output.watermarks:
                one, all_of_them = sorted(clock.watermarks), sorted(output.watermarks)
                self.problems.add(
                    "TVF402",
                    "the query would need two clocks",
                    clock.span,
                    f"the watermark of {listed(one)} alone",
                    notes=[f"the query's clock is the least watermark of {listed(all_of_them)}"],
                    advice="write WATERMARK_TS(), the watermark of all inputs",
                )

    def _output(
        self, sink: Sink, node: exp.Expression, names: exp.Expression | None = None
    ) -> None:
        order = ordered(node, self.problems) if is_sorted(node) else None
        bound = self._bind(order.query if order else node)
        bound = in_order(bound, order, node, self.problems) if order else bound
        named = with_names(bound) if names else bound
        if order is None:
            relation = rename(named, names, self.problems)
        else:
            relation, order = renamed_in_order(named, names, order, self.problems)
        self._check_clocks(relation)
        refuse_two_watermarks(relation.plan, self.problems)
        if relation.is_static and not self.problems.errors:
            self.problems.add(
                "TVF603",
                "the query reads no stream",
                span_of(node),
                "reads tables only" if relation.columns else "nothing to read",
                advice="read from a CREATE SOURCE; Spark itself runs queries over tables",
            )
        plan, clock = relation.plan, clock_of(relation.plan, self.problems)
        hidden = order.hidden if order else ()
        visible = len(relation.columns) - len(hidden)
        columns = None if relation.is_open else relation.columns[:visible]
        refuse_inner_throttles(node, self.problems)
        refuse_revisions(node, self.problems, with_names=bool(names and names.args.get("columns")))
        is_in_order = is_final(node)
        changes = relation.changes
        if changes is None and not is_in_order and not properties_of(plan).append_only:
            # Whatever the query says of itself: rows that may go again are no rows for good.
            changes = span_of(node)
        every = None if relation.is_open else throttle_of(node, plan, changes, self.problems)
        check_sink(sink, columns, self.problems, changes=changes is not None)
        why = flat_text(self.problems.source, changes) if changes is not None else None
        self.outputs.append(
            Output(
                sink=sink,
                plan=plan,
                in_order=is_in_order and order is None,
                order=order.keys if order else (),
                hidden=hidden,
                changes=changes,
                why=why,
                every=every,
                revised=relation.revised,
                clock=clock,
            )
        )
