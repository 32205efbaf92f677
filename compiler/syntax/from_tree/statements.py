"""Statements: sources, tables, views, sinks, INSERT."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from compiler.syntax import nodes
from compiler.syntax.from_tree.queries import query_with
from compiler.syntax.refusal import RefusalError


class Elements(list[Any]):
    """The columns and watermarks between the parentheses of CREATE SOURCE."""


def create_source(
    kind: str, exists: str | None, name: exp.Table, elements: Elements | None, *clauses: Any
) -> nodes.CreateSource:
    """`CREATE SOURCE name (...) USING ... OPTIONS (...)`."""
    columns, watermarks, keys = _split(elements)
    return nodes.CreateSource(
        this=_single_name(name),
        columns=columns,
        watermarks=watermarks,
        keys=keys,
        kind=kind,
        exists=bool(exists),
        **_clauses(clauses),
    )


def create_table(
    exists: str | None, name: exp.Table, elements: Elements | None, *clauses: Any
) -> nodes.CreateTable:
    """`CREATE TABLE name (...) USING ... OPTIONS (...)`."""
    columns, watermarks, keys = _split(elements)
    return nodes.CreateTable(
        this=_single_name(name),
        columns=columns,
        watermarks=watermarks,
        keys=keys,
        kind="TABLE",
        exists=bool(exists),
        **_clauses(clauses),
    )


def _single_name(name: exp.Table) -> exp.Expression:
    if name.args.get("db"):
        raise RefusalError(
            "TVF111",
            "names of sources, tables, views and sinks have one part",
            name.meta.get("span"),
            help=f"write {name.name}",
        )
    result: exp.Expression = name.this
    return result


def _split(
    elements: Elements | None,
) -> tuple[list[exp.Expression], list[exp.Expression], list[exp.Expression]]:
    """Columns, watermarks and keys."""
    columns: list[exp.Expression] = []
    watermarks: list[exp.Expression] = []
    keys: list[exp.Expression] = []
    for element in elements or ():
        match element:
            case nodes.WatermarkFor():
                watermarks.append(element)
            case nodes.PrimaryKey():
                keys.append(element)
            case _:
                columns.append(element)
    return columns, watermarks, keys


def _clauses(clauses: tuple[Any, ...]) -> dict[str, Any]:
    result: dict[str, Any] = {"format": None, "options": [], "included": [], "record": None}
    for clause in clauses:
        if isinstance(clause, nodes.RecordFormat):
            _refuse_second_record(result["record"], clause)
            result["record"] = clause
        if not isinstance(clause, tuple):
            continue  # COMMENT says nothing that a job needs
        key, value = clause
        if key == "format":
            result["format"] = value
        else:
            result[key] = [*result[key], *value]
    if result["format"] is None:
        _take_connector(result)
    return result


def _refuse_second_record(first: exp.Expression | None, second: exp.Expression) -> None:
    if first is not None:
        raise RefusalError(
            "TVF109",
            "FORMAT ... ENCODE says once how records are written",
            second.meta.get("span"),
            help="keep one of them",
        )


def _take_connector(result: dict[str, Any]) -> None:
    """RisingWave names the format by an option: WITH ('connector' = 'kafka')."""
    for option_ in result["options"]:
        if option_.this.lower() == "connector":
            value = option_.expression
            result["format"] = exp.Identifier(this=value.name, quoted=False)
            result["format"].meta.update(value.meta)
            result["options"] = [each for each in result["options"] if each is not option_]
            return


def source_elements(*elements: Any) -> Elements:
    """Columns and watermarks."""
    return Elements(elements)


def column_definition(
    name: exp.Identifier, kind: exp.DataType, *constraints: exp.Expression
) -> exp.ColumnDef:
    """`name type NOT NULL COMMENT '...'`."""
    return exp.ColumnDef(this=name, kind=kind, constraints=list(constraints))


def own_key() -> exp.ColumnConstraint:
    """`PRIMARY KEY` behind the type of a column."""
    return exp.ColumnConstraint(kind=exp.PrimaryKeyColumnConstraint())


def primary_key(names: list[exp.Identifier]) -> nodes.PrimaryKey:
    """`PRIMARY KEY (a, b)` among the columns."""
    return nodes.PrimaryKey(expressions=names)


def watermark_for(
    name: exp.Identifier,
    strategy: exp.Expression,
    per: exp.Identifier | None,
    idle: exp.Expression | None,
    skew: exp.Expression | None,
) -> nodes.WatermarkFor:
    """`WATERMARK FOR name AS strategy PER ... IDLE AFTER ... MAX FUTURE SKEW ...`."""
    return nodes.WatermarkFor(
        this=name, expression=strategy, per=per, idle_after=idle, max_future_skew=skew
    )


def watermark_per(column: exp.Identifier) -> exp.Identifier:
    """`PER column`."""
    return column


def idle_after(duration: exp.Expression) -> exp.Expression:
    """`IDLE AFTER duration`."""
    return duration


def max_future_skew(duration: exp.Expression) -> exp.Expression:
    """`MAX FUTURE SKEW duration`."""
    return duration


def using_format(name: exp.Identifier) -> tuple[str, exp.Identifier]:
    """`USING format`."""
    return "format", name


def options(*given: nodes.SourceOption) -> tuple[str, list[nodes.SourceOption]]:
    """`OPTIONS (key 'value', ...)`."""
    return "options", list(given)


def with_options(*given: nodes.SourceOption) -> tuple[str, list[nodes.SourceOption]]:
    """`WITH ('key' = 'value', ...)`."""
    return "options", list(given)


def record_format(
    name: exp.Identifier, encode: exp.Identifier, *given: nodes.SourceOption | None
) -> nodes.RecordFormat:
    """`FORMAT name ENCODE name (key = 'value', ...)`."""
    return nodes.RecordFormat(
        this=name, encode=encode, options=[each for each in given if each is not None]
    )


def include(*given: nodes.Included) -> tuple[str, list[nodes.Included]]:
    """`INCLUDE key, timestamp AS ts`."""
    return "included", list(given)


def included(what: exp.Identifier, alias: exp.Identifier | None) -> nodes.Included:
    """`key AS name`."""
    return nodes.Included(this=what, alias=alias)


def option(key: str | exp.Expression, value: exp.Expression) -> nodes.SourceOption:
    """One option; the key is text."""
    text = key if isinstance(key, str) else key.name
    return nodes.SourceOption(this=text, expression=_option_value(value))


def _option_value(value: exp.Expression) -> exp.Expression:
    """A value whose `this` is all of it, as text."""
    match value:
        case exp.Literal() | exp.RawString() | exp.Boolean():
            return value
        case exp.Neg(this=exp.Literal(is_string=False) as number):
            return exp.Literal.number(f"-{number.this}")
        case exp.Concat(expressions=parts):
            return exp.Literal.string("".join(_option_value(each).this for each in parts))
        case _:
            raise RefusalError(
                "TVF109",
                "the value of an option is a string, a number, TRUE or FALSE",
                help="write it as a string: 'value'",
            )


def dotted_key(*names: exp.Identifier) -> str:
    """An option key written as names."""
    return ".".join(name.this for name in names)


def create_view(
    replace: str | None,
    temporary: str | None,
    materialized: str | None,
    exists: str | None,
    name: exp.Table,
    columns: list[exp.Identifier] | None,
    _comment: Any,
    query: exp.Expression,
) -> nodes.CreateView:
    """`CREATE VIEW name AS query`."""
    return nodes.CreateView(
        this=_single_name(name),
        columns=columns,
        expression=query,
        replace=bool(replace),
        temporary=bool(temporary),
        materialized=bool(materialized),
        exists=bool(exists),
    )


def create_sink(exists: str | None, name: exp.Table, *parts: Any) -> nodes.CreateSink:
    """`CREATE SINK name USING ... OPTIONS (...) AS query`."""
    *clauses, query = parts
    return nodes.CreateSink(
        this=_single_name(name),
        expression=query,
        exists=bool(exists),
        **_clauses(tuple(clauses)),
    )


def create_function(
    _replace: str | None,
    _temporary: str | None,
    _exists: str | None,
    name: exp.Table,
    body: nodes.FunctionBody | None,
) -> nodes.CreateFunction:
    """`CREATE FUNCTION name AS 'class'`."""
    return nodes.CreateFunction(this=_single_name(name), body=body)


def function_of_class(name: exp.Expression, resources: list[Any] | None) -> nodes.FunctionBody:
    """`AS 'class' USING JAR 'path'`."""
    return nodes.FunctionBody(this=name, expressions=resources or [])


def function_of_expression(
    parameters: list[Any] | None, returns: exp.DataType | None, value: exp.Expression
) -> nodes.FunctionBody:
    """`(a INT, b INT) RETURNS INT RETURN a + b`."""
    return nodes.FunctionBody(this=value, expressions=parameters or [], returns=returns)


def function_list(*parts: Any) -> list[Any]:
    """Parameters, or resources."""
    return list(parts)


def function_resource(kind: str, path: exp.Expression) -> nodes.FunctionResource:
    """`JAR 'path'`."""
    return nodes.FunctionResource(this=path, kind=kind)


def function_parameter(name: exp.Identifier, kind: exp.DataType) -> exp.ColumnDef:
    """`name type`."""
    return exp.ColumnDef(this=name, kind=kind)


def insert_into(
    with_: exp.With | None,
    name: exp.Table,
    columns: list[exp.Identifier] | None,
    query: exp.Expression,
) -> nodes.InsertInto:
    """`[WITH ...] INSERT INTO name (columns) query`."""
    if with_ is not None:
        query = query_with(with_, query)
    return nodes.InsertInto(this=_single_name(name), columns=columns, expression=query)


RULES: tuple[Any, ...] = (
    column_definition,
    create_function,
    create_sink,
    create_source,
    create_table,
    create_view,
    dotted_key,
    function_list,
    function_of_class,
    function_of_expression,
    function_parameter,
    function_resource,
    idle_after,
    include,
    included,
    insert_into,
    max_future_skew,
    own_key,
    primary_key,
    option,
    options,
    record_format,
    source_elements,
    using_format,
    watermark_for,
    watermark_per,
    with_options,
)
