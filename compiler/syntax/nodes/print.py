"""SQL text of our own nodes, so that `.sql("spark")` works on any tree of ours.

sqlglot looks printers up in a table per dialect; `register` adds ours to it. What comes out
parses to the same tree again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp
from sqlglot.generators.spark import SparkGenerator

from compiler.syntax import nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot.generator import Generator


def _create_source(generator: Generator, node: exp.Expression) -> str:
    kind = node.text("kind") or "SOURCE"
    elements = [
        each for part in ("columns", "watermarks", "keys") for each in node.args.get(part) or ()
    ]
    inside = ", ".join(generator.sql(each) for each in elements)
    body = f" ({inside})" if elements else ""
    name = generator.sql(node, "this")
    return f"CREATE {kind}{_exists(node)} {name}{body}{_storage(generator, node)}"


def _exists(node: exp.Expression) -> str:
    return " IF NOT EXISTS" if node.args.get("exists") else ""


def _storage(generator: Generator, node: exp.Expression) -> str:
    parts = ""
    included = node.args.get("included")
    if included:
        parts += f" INCLUDE {', '.join(generator.sql(each) for each in included)}"
    if node.args.get("format"):
        parts += f" USING {generator.sql(node, 'format')}"
    given = node.args.get("options")
    if given:
        parts += f" OPTIONS ({', '.join(generator.sql(each) for each in given)})"
    if node.args.get("record"):
        parts += f" {generator.sql(node, 'record')}"
    return parts


def _primary_key(generator: Generator, node: exp.Expression) -> str:
    return f"PRIMARY KEY ({', '.join(generator.sql(each) for each in node.expressions)})"


def _record_format(generator: Generator, node: exp.Expression) -> str:
    text = f"FORMAT {generator.sql(node, 'this')} ENCODE {generator.sql(node, 'encode')}"
    given = node.args.get("options")
    return f"{text} ({', '.join(generator.sql(each) for each in given)})" if given else text


def _included(generator: Generator, node: exp.Expression) -> str:
    alias = generator.sql(node, "alias")
    return f"{generator.sql(node, 'this')}{f' AS {alias}' if alias else ''}"


def _option(generator: Generator, node: exp.Expression) -> str:
    key = exp.Literal.string(node.this)
    return f"{generator.sql(key)} {generator.sql(node, 'expression')}"


def _watermark_for(generator: Generator, node: exp.Expression) -> str:
    text = f"WATERMARK FOR {generator.sql(node, 'this')} AS {generator.sql(node, 'expression')}"
    if node.args.get("per"):
        text += f" PER {generator.sql(node, 'per')}"
    if node.args.get("idle_after"):
        text += f" IDLE AFTER {generator.sql(node, 'idle_after')}"
    if node.args.get("max_future_skew"):
        text += f" MAX FUTURE SKEW {generator.sql(node, 'max_future_skew')}"
    return text


def _create_function(generator: Generator, node: exp.Expression) -> str:
    name, body = generator.sql(node, "this"), generator.sql(node, "body")
    return f"CREATE FUNCTION {name}{f' {body}' if body else ''}"


def _function_body(generator: Generator, node: exp.Expression) -> str:
    this, inside = generator.sql(node, "this"), ", ".join(map(generator.sql, node.expressions))
    returns = generator.sql(node, "returns")
    is_class = not node.args.get("returns") and isinstance(node.this, exp.Literal)
    if is_class and all(isinstance(each, nodes.FunctionResource) for each in node.expressions):
        return f"AS {this}{f' USING {inside}' if inside else ''}"
    return f"({inside}){f' RETURNS {returns}' if returns else ''} RETURN {this}"


def _function_resource(generator: Generator, node: exp.Expression) -> str:
    return f"{node.text('kind')} {generator.sql(node, 'this')}"


def _best(name: str) -> Callable[[Generator, Any], str]:
    """max_by() and min_by() may say how many values they give."""

    def print_call(generator: Generator, node: exp.Expression) -> str:
        return generator.func(name, node.this, node.expression, node.args.get("count"))

    return print_call


def _create_view(generator: Generator, node: exp.Expression) -> str:
    words = ["CREATE"]
    for key, word in (
        ("replace", "OR REPLACE"),
        ("temporary", "TEMPORARY"),
        ("materialized", "MATERIALIZED"),
    ):
        if node.args.get(key):
            words.append(word)
    words.append(f"VIEW{_exists(node)} {generator.sql(node, 'this')}")
    if node.args.get("columns"):
        words.append(f"({', '.join(generator.sql(each) for each in node.args['columns'])})")
    return f"{' '.join(words)} AS {generator.sql(node, 'expression')}"


def _create_sink(generator: Generator, node: exp.Expression) -> str:
    name = generator.sql(node, "this")
    text = f"CREATE SINK{_exists(node)} {name}{_storage(generator, node)}"
    query = generator.sql(node, "expression")
    return f"{text} AS {query}" if query else text


def _insert_into(generator: Generator, node: exp.Expression) -> str:
    columns = node.args.get("columns")
    listed = f" ({', '.join(generator.sql(each) for each in columns)})" if columns else ""
    name = generator.sql(node, "this")
    return f"INSERT INTO {name}{listed} {generator.sql(node, 'expression')}"


def _relation(name: str, *keys: str) -> Callable[[Generator, Any], str]:
    def write(generator: Generator, node: exp.Expression) -> str:
        given = [_argument(generator, node, key) for key in ("this", *keys) if node.args.get(key)]
        filling = generator.sql(node, "fill")
        text = f"{name}({', '.join(given)}){f' {filling}' if filling else ''}"
        return text + _dress(generator, node)

    return write


def _fill(generator: Generator, node: exp.Expression) -> str:
    silence = generator.sql(node, "silence")
    return f"FILL ({node.text('this')}){f' FOR {silence}' if silence else ''}"


def _final(generator: Generator, node: exp.Expression) -> str:
    return f"EMIT ON WINDOW CLOSE {generator.sql(node, 'revision')}".rstrip()


def _revision(generator: Generator, node: exp.Expression) -> str:
    allowance = generator.sql(node, "allowance")
    return f"THEN REVISE FOR {allowance}" if allowance else "THEN REVISE"


def _changes(generator: Generator, node: exp.Expression) -> str:
    every = generator.sql(node, "every")
    return f"EMIT CHANGES EVERY {every}" if every else "EMIT CHANGES"


def _argument(generator: Generator, node: exp.Expression, key: str) -> str:
    value = node.args[key]
    if not isinstance(value, list):
        return generator.sql(value)
    if len(value) == 1:
        return generator.sql(value[0])
    return f"({', '.join(generator.sql(each) for each in value)})"


def _dress(generator: Generator, node: exp.Expression) -> str:
    """What may follow any relation: a sample, an alias, pivots, joins in parentheses."""
    text = generator.sql(node, "sample")
    alias = generator.sql(node, "alias")
    text += f" AS {alias}" if alias else ""
    for key in ("pivots", "joins", "laterals"):
        for each in node.args.get(key) or ():
            text += f" {generator.sql(each).strip()}"
    return text


def _stream(generator: Generator, node: exp.Expression) -> str:
    watermark = node.args.get("watermark")
    source = generator.sql(node, "this")
    is_name = isinstance(node.this, nodes.ChangeFeed) or isinstance(node.this.this, exp.Identifier)
    options = _options(generator, node)
    text = f"STREAM {source}{options}" if is_name or options else source
    if watermark is not None:
        text += f" WATERMARK {generator.sql(watermark)}"
        if node.args.get("watermark_alias"):
            text += f" AS {generator.sql(node, 'watermark_alias')}"
        text += f" DELAY OF {generator.sql(node, 'delay')}"
    return text + _dress(generator, node)


def _options(generator: Generator, node: exp.Expression) -> str:
    given = node.args.get("options")
    if not given:
        return ""
    keys = [generator.sql(exp.Literal.string(each.this)) for each in given]
    values = [generator.sql(each, "expression") for each in given]
    pairs = ", ".join(f"{key} = {value}" for key, value in zip(keys, values, strict=True))
    return f" WITH ({pairs})"


def _table_with_options(generator: Generator, node: exp.Expression) -> str:
    return f"{generator.sql(node, 'this')}{_options(generator, node)}{_dress(generator, node)}"


def _change_feed(generator: Generator, node: exp.Expression) -> str:
    kind = node.text("kind")
    text = f"{generator.sql(node, 'this')} CHANGES FROM {kind} {generator.sql(node, 'start')}"
    text += f" {node.text('start_side')}".rstrip()
    if node.args.get("end") is not None:
        text += f" TO {kind} {generator.sql(node, 'end')} {node.text('end_side')}".rstrip()
    return text + _options(generator, node) + _dress(generator, node)


def _match_recognize(generator: Generator, node: exp.Expression) -> str:
    clauses: nodes.MatchClauses = node.args["clauses"]
    parts = []
    if clauses.partition:
        parts.append(f"PARTITION BY {', '.join(map(generator.sql, clauses.partition))}")
    if clauses.order is not None:
        parts.append(generator.sql(clauses.order).strip())
    if clauses.measures:
        parts.append(f"MEASURES {', '.join(map(generator.sql, clauses.measures))}")
    to = f" {generator.sql(clauses.skip_to)}" if clauses.skip_to is not None else ""
    parts += [clauses.rows, f"AFTER MATCH SKIP {clauses.skip}{to}"]
    parts.append(f"PATTERN ({generator.sql(clauses.pattern)})")
    if clauses.within is not None:
        parts.append(f"WITHIN {generator.sql(clauses.within)}")
    if clauses.subsets:
        parts.append(f"SUBSET {', '.join(map(generator.sql, clauses.subsets))}")
    if clauses.defines:
        conditions = (f"{each.alias} AS {generator.sql(each.this)}" for each in clauses.defines)
        parts.append(f"DEFINE {', '.join(conditions)}")
    source = generator.sql(node, "this")
    return f"{source} MATCH_RECOGNIZE ({' '.join(parts)}){_dress(generator, node)}"


def _subset(generator: Generator, node: exp.Expression) -> str:
    return f"{generator.sql(node, 'this')} = ({', '.join(map(generator.sql, node.expressions))})"


def _row_repeat(generator: Generator, node: exp.Expression) -> str:
    least, most = node.args["least"], node.args.get("most")
    times = f"{{{least},{'' if most is None else most}}}"
    return f"{generator.sql(node, 'this')}{times}{'?' if node.args.get('reluctant') else ''}"


def _row_list(before: str, between: str, after: str) -> Callable[[Generator, Any], str]:
    def write(generator: Generator, node: exp.Expression) -> str:
        return f"{before}{between.join(map(generator.sql, node.expressions))}{after}"

    return write


def _nearest(generator: Generator, node: exp.Expression) -> str:
    count = generator.sql(node, "count")
    how = "EXACT" if node.args["exact"] else "APPROX"
    text = f"{generator.sql(node, 'this')} {how} NEAREST {count}".rstrip()
    return f"{text} BY {node.text('measure')} {generator.sql(node, 'expression')}"


def _call(name: str) -> Callable[[Generator, Any], str]:
    def write(generator: Generator, node: exp.Expression) -> str:
        return f"{name}({generator.sql(node, 'this')})"

    return write


_PRINTERS: dict[type[exp.Expression], Callable[[Generator, Any], str]] = {
    # As it is written: sqlglot would make a number of it.
    exp.HexString: lambda _, node: f"X'{node.this}'",
    nodes.CreateSource: _create_source,
    nodes.CreateTable: _create_source,
    nodes.SourceOption: _option,
    nodes.PrimaryKey: _primary_key,
    nodes.RecordFormat: _record_format,
    nodes.Included: _included,
    nodes.WatermarkFor: _watermark_for,
    exp.ArgMax: _best("max_by"),
    exp.ArgMin: _best("min_by"),
    nodes.CreateFunction: _create_function,
    nodes.FunctionBody: _function_body,
    nodes.FunctionResource: _function_resource,
    nodes.CreateView: _create_view,
    nodes.CreateSink: _create_sink,
    nodes.InsertInto: _insert_into,
    nodes.WatermarkTs: _call("WATERMARK_TS"),
    nodes.MzNow: _call("mz_now"),
    nodes.ProcTime: _call("PROC_TIME"),
    nodes.WatermarkRelation: _relation("WATERMARK", "column", "expression"),
    nodes.TumbleRelation: _relation("TUMBLE", "column", "size", "offset"),
    nodes.Fill: _fill,
    nodes.HopRelation: _relation("HOP", "column", "slide", "size", "offset"),
    nodes.CumulateRelation: _relation("CUMULATE", "column", "step", "size"),
    nodes.SessionRelation: _relation("SESSION", "column", "keys", "gap"),
    nodes.LateRelation: _relation("LATE"),
    nodes.BadRelation: _relation("BAD"),
    nodes.StreamRelation: _stream,
    nodes.TableWithOptions: _table_with_options,
    nodes.ChangeFeed: _change_feed,
    nodes.NearestRelation: _nearest,
    nodes.MatchRecognize: _match_recognize,
    nodes.MatchSubset: _subset,
    nodes.MatchScope: lambda generator, node: f"{node.text('kind')} {generator.sql(node, 'this')}",
    nodes.RowVariable: lambda generator, node: generator.sql(node, "this"),
    nodes.RowSequence: _row_list("(", " ", ")"),
    nodes.RowChoice: _row_list("(", " | ", ")"),
    nodes.RowPermute: _row_list("PERMUTE(", ", ", ")"),
    nodes.RowRepeat: _row_repeat,
    nodes.RowExcluded: lambda generator, node: f"{{- {generator.sql(node, 'this')} -}}",
    nodes.EmitOnWindowClose: _final,
    nodes.Revision: _revision,
    nodes.EmitChanges: _changes,
}


def _query(plain: Callable[[Any, Any], str]) -> Callable[[Any, Any], str]:
    """A printer of queries that writes EMIT behind what sqlglot writes."""

    def write(generator: Generator, node: exp.Expression) -> str:
        text = plain(generator, node)
        emit = node.args.get("emit")
        return f"{text} {generator.sql(emit)}" if emit is not None else text

    return write


def register() -> None:
    """Make sqlglot's Spark generator know our nodes."""
    transforms: dict[Any, Any] = SparkGenerator.TRANSFORMS
    transforms.update(_PRINTERS)
    methods: dict[type[exp.Expression], Any] = {
        exp.Select: transforms.get(exp.Select, SparkGenerator.select_sql),
        exp.Union: transforms.get(exp.Union, SparkGenerator.set_operations),
        exp.Except: transforms.get(exp.Except, SparkGenerator.set_operations),
        exp.Intersect: transforms.get(exp.Intersect, SparkGenerator.set_operations),
        exp.Subquery: transforms.get(exp.Subquery, SparkGenerator.subquery_sql),
    }
    for kind, plain in methods.items():
        transforms[kind] = _query(plain)
