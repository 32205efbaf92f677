"""CREATE SOURCE, STREAM and TABLE -> sources of the plan."""

from __future__ import annotations

import re
from dataclasses import replace

from sqlglot import exp

from compiler.bind.clock.folding import fold_constants
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import OutColumn, Relation, Scope
from compiler.bind.sources.changes import check_declared, declared_key
from compiler.bind.sources.idle import idle_after
from compiler.bind.sources.kafka import KAFKA, in_names_of_spark, topics_of
from compiler.bind.sources.record_options import check_fields
from compiler.bind.sources.records import Declared, declare_record, included_columns
from compiler.bind.sources.schemas import Schemas, derived, with_schema
from compiler.bind.sources.watermark_groups import group_column
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import did_you_mean
from compiler.plan.closings.closing import Closing
from compiler.plan.facts.sources import is_changing, keeps_last
from compiler.plan.nodes import Changed, Column, Plan, RecordFormat, Scan, Source, Watermark
from compiler.source import Span
from compiler.sql.constants import interval_of, number_of
from compiler.sql.exprs import Expr, flat_text
from compiler.sql.names import PROC_TIME_COLUMN, quoted_name, refuse_ours, same
from compiler.sqltypes import TIME_KINDS, Kind, SqlType, kind_of
from compiler.syntax import span_of
from compiler.syntax.nodes import CreateSource, CreateTable, WatermarkFor


def _has_columns(record: RecordFormat) -> bool:
    """Whether the schema of records says which columns they have; one of changes is of those."""
    return record.encode == "avro" and record.form == "plain"


def declare_source(
    node: CreateSource | CreateTable, problems: Problems, schemas: Schemas
) -> Source:
    """A source as declared; faults are reported."""
    medium = node.args["format"].name.lower() if node.args.get("format") else None
    fields = tuple(_column(each, problems) for each in node.args["columns"] or ())
    declared = _records(node, medium, schemas, problems)
    span = span_of(node.this)
    if declared.record is not None and not fields and _has_columns(declared.record):
        topics = topics_of(declared.options)
        record, fields = derived(declared.record, topics, schemas, span, problems)
        declared = replace(declared, record=record)
    included = included_columns(node, problems)
    for column, _ in included:
        refuse_ours(column.name, column.span, problems)
    columns = (*fields, *(column for column, _ in included))
    _refuse_twins(columns, problems)
    watermarks = node.args.get("watermarks") or []
    static = isinstance(node, CreateTable)
    if not fields and not problems.has("TVF637", within=span):
        problems.add(
            "TVF205",
            f"`{node.this.name}` declares no columns",
            span,
            "no column list",
            advice=f"list them: `CREATE SOURCE {node.this.name} (id BIGINT, ts TIMESTAMP) …`",
        )
    if static and watermarks:
        problems.add(
            "TVF303",
            "a table has no watermark",
            span_of(watermarks[0]),
            "tables do not move in time",
            more=[(span, "declared as a table")],
            advice=f"write CREATE SOURCE {node.this.name}",
        )
    if declared.record is not None and fields:
        clause = node.args.get("record") or node.this
        check_fields(declared.record, fields, span_of(clause), problems)
    mark = _watermark(watermarks, columns, problems) if watermarks and not static else None
    per = watermarks[0].args.get("per") if watermarks else None
    if mark is not None and per is not None:
        names = [column.name for column, _ in included]
        mark = replace(mark, per=group_column(per, columns, names, medium, problems))
    source = Source(
        name=node.this.name,
        columns=columns,
        format=medium,
        options=declared.options,
        watermark=mark,
        static=static,
        record=declared.record,
        included=tuple((column.name, what) for column, what in included),
        key=declared_key(node, columns, declared.record, problems),
        span=span,
    )
    check_declared(source, node, problems)
    return source


def _records(
    node: CreateSource | CreateTable, medium: str | None, schemas: Schemas, problems: Problems
) -> Declared:
    """How records are written, and the other options."""
    given = tuple(_option(each) for each in node.args.get("options") or ())
    if medium == KAFKA:
        given = in_names_of_spark(given)
    declared = declare_record(node, given, problems)
    if declared.record is None:
        return declared
    clause = node.args.get("record") or node.this
    return replace(
        declared, record=with_schema(declared.record, schemas, span_of(clause), problems)
    )


def scan(source: Source) -> Relation:
    """The relation of a source."""
    streams = frozenset() if source.static else frozenset({source.name})
    rows = Scan(source=source)
    plan: Plan = rows
    if changes := is_changing(source):
        plan = Changed(input=rows, key=source.key if keeps_last(source) else ())
    return Relation(
        plan=plan,
        columns=tuple(
            OutColumn(name=each.name, type=each.type, closing=_closing(source, each))
            for each in source.columns
        ),
        streams=streams,
        watermarks=streams if source.watermark else frozenset(),
        # Of a source whose columns are not known, all names may be.
        is_open=not source.columns,
        has_proc_time=not source.static and not changes,
        changes=source.span if changes else None,
        span=source.span,
    )


def _closing(source: Source, column: Column) -> Closing | None:
    mark = source.watermark
    if mark is None or not same(mark.column, column.name):
        return None
    event = f"{source.name}.{column.name}"
    return Closing(value=as_timestamp("{}", column.type), after=True, event=event, is_event=True)


def _column(node: exp.ColumnDef, problems: Problems) -> Column:
    ddl = flat_text(problems.source, span_of(node.args["kind"]))
    required = any(
        isinstance(each.kind, exp.NotNullColumnConstraint) and not each.kind.args.get("allow_null")
        for each in node.args.get("constraints") or ()
    )
    refuse_ours(node.name, span_of(node.this), problems)
    return Column(
        name=node.name,
        type=SqlType(kind_of(node.kind), ddl),
        required=required,
        span=span_of(node.this),
    )


def _refuse_twins(columns: tuple[Column, ...], problems: Problems) -> None:
    for place, column in enumerate(columns):
        twin = next((each for each in columns[:place] if same(each.name, column.name)), None)
        if twin is not None:
            problems.add(
                "TVF204",
                f"column `{column.name}` is declared twice",
                column.span,
                "again here",
                more=[(twin.span, "first here")],
                advice="give one of them another name",
            )


def _option(node: exp.Expression) -> tuple[str, str]:
    value = node.expression
    text = value.this if isinstance(value, exp.Literal | exp.Boolean) else value.sql("spark")
    return str(node.this), str(text).lower() if isinstance(value, exp.Boolean) else str(text)


def _watermark(
    nodes: list[WatermarkFor], columns: tuple[Column, ...], problems: Problems
) -> Watermark:
    node, *others = nodes
    for other in others:
        problems.add(
            "TVF304",
            "a source has one watermark",
            span_of(other),
            "a second one",
            more=[(span_of(node), "the first one")],
            advice="keep one of them",
        )
    name = node.this.name
    column = next((each for each in columns if same(each.name, name)), None)
    if column is None:
        names = [each.name for each in columns]
        problems.add(
            "TVF202",
            f"the watermark is for a column `{name}` that is not declared",
            span_of(node.this),
            "no such column",
            advice=did_you_mean(name, names) or "name a column of the list",
        )
        return _broken(node)
    if not is_time_column(name, column.type, span_of(node.this), problems):
        return _broken(node)
    return _strategy(node, column, columns, problems)


def is_time_column(name: str, kind: SqlType, span: Span, problems: Problems) -> bool:
    """Whether a column may have a watermark; one that may not is reported."""
    may = kind.kind in TIME_KINDS or kind.ddl.upper() in ("BIGINT", "LONG")
    if may:
        return True
    problems.add(
        "TVF206",
        f"a watermark needs a time column; `{name}` is {kind.ddl or kind.kind.value}",
        span,
        "not a time",
        notes=["time columns are TIMESTAMP, TIMESTAMP_NTZ, DATE, or BIGINT epoch milliseconds"],
        advice=f"make `{name}` a TIMESTAMP, or a BIGINT if it is epoch milliseconds",
    )
    return False


def _broken(node: WatermarkFor) -> Watermark:
    """What stands for a watermark at fault, so that nobody misses it as well."""
    return Watermark(column=node.this.name, time="NULL", strategy="NULL", span=span_of(node))


def _strategy(
    node: WatermarkFor, column: Column, columns: tuple[Column, ...], problems: Problems
) -> Watermark:
    offered = tuple(OutColumn(name=each.name, type=each.type) for each in columns)
    relation = Relation(plan=None, columns=offered, has_proc_time=True)  # type: ignore[arg-type]
    strategy = strategy_of(node.expression, column.type, relation, problems).sql
    quoted = quoted_name(column.name)
    skew = node.args.get("max_future_skew")
    if skew is not None:
        # The node may stand for the interval alone or for its clause.
        written = flat_text(problems.source, span_of(skew))
        interval = re.sub(r"^MAX FUTURE SKEW ", "", written, flags=re.IGNORECASE)
        limit = f"{PROC_TIME_COLUMN} + {interval}"
        strategy = (
            f"CASE WHEN {as_timestamp(quoted, column.type)} > {limit} THEN NULL ELSE {strategy} END"
        )
    idle = node.args.get("idle_after")
    return Watermark(
        column=column.name,
        time=as_timestamp(quoted, column.type),
        strategy=strategy,
        idle_after=idle_after(idle, problems) if idle is not None else None,
        span=span_of(node),
    )


def strategy_of(
    node: exp.Expression, kind: SqlType, relation: Relation, problems: Problems
) -> Expr:
    """A strategy over the columns of a relation as a TIMESTAMP; `kind` is that of its column."""
    binder = ExpressionBinder(Scope(problems, [relation]), problems)
    if binder.reads_clock(node):
        problems.add(
            "TVF403",
            "a watermark strategy cannot read the clock that it moves",
            span_of(node),
            "reads the clock",
            advice="use PROC_TIME() for the time of arrival",
        )
    fold_constants(binder, node)
    bound = binder.bind(node)
    known = kind if bound.type.kind is Kind.UNKNOWN else bound.type
    is_text = known.kind is Kind.STRING and isinstance(node, exp.Column)
    if is_text or known.kind in (Kind.BOOLEAN, Kind.INTERVAL):
        problems.add(
            "TVF206",
            f"a watermark is a moment; this is {known.kind.value}",
            span_of(node),
            "not a moment",
            advice="write the time column, or that less an interval",
        )
    _warn_of_ahead(node, problems)
    return replace(bound, sql=as_timestamp(bound.sql, known))


def _warn_of_ahead(node: exp.Expression, problems: Problems) -> None:
    """`ts + INTERVAL 1 MINUTE`: the rows of the last minute are all late."""
    added = node.expression if isinstance(node, exp.Add) else None
    length, number = interval_of(added), number_of(added)
    ahead = bool(length and length.micros > 0) or bool(number and number.value > 0)
    if added is not None and ahead and isinstance(node.this, exp.Column):
        problems.add(
            "TVFW303",
            "the watermark is ahead of its column",
            span_of(node),
            "a row moves it past itself, and past the rows that come with it",
            advice=f"write `{node.this.name} - …` for rows that come late by so much",
        )


def as_timestamp(sql: str, kind: SqlType) -> str:
    """A value as a TIMESTAMP; a number is epoch milliseconds."""
    if kind.kind is Kind.TIMESTAMP:
        return sql
    if kind.kind is Kind.NUMBER:
        return f"timestamp_millis(CAST({sql} AS BIGINT))"
    return f"CAST({sql} AS TIMESTAMP)"
