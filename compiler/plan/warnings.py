"""Warnings: legal SQL that does not do what its author will expect of a stream."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from compiler.diagnostics import suggest
from compiler.plan.problems import Problems
from compiler.source import Span
from compiler.syntax import span_of


def warn_of_now(condition: exp.Expression, problems: Problems) -> None:
    """`ts > now()` is decided once, on arrival."""
    for node in condition.find_all(exp.CurrentTimestamp, exp.CurrentDate, exp.Anonymous):
        if isinstance(node, exp.Anonymous) and node.name.lower() != "now":
            continue
        comparison = node.find_ancestor(exp.Predicate)
        if comparison is None or comparison.find(exp.Column) is None:
            continue
        problems.add(
            "TVFW401",
            "the current time is read once, when a row arrives",
            span_of(node),
            "does not move with the clock",
            advice="compare with mz_now(), the wall clock, or WATERMARK_TS(), the clock of event "
            "time, if the row is to appear or leave later",
        )


def warn_of_order(order: exp.Expression, problems: Problems) -> None:
    """ORDER BY without LIMIT, of a result whose rows come, and perhaps go, one after the other."""
    problems.add(
        "TVFW305",
        "rows that come one after the other are in no order",
        span_of(order),
        "has no effect",
        advice="leave it out, and sort where the result is read; with LIMIT the first rows are "
        "kept up to date, and EMIT ON WINDOW CLOSE gives final rows in order of time",
    )


def warn_of_unread(queries: Iterable[exp.Expression], problems: Problems) -> None:
    """Bare queries before the last one: a job has one console."""
    for query in queries:
        problems.add(
            "TVFW606",
            "this query is not run: the last query of a script alone goes to the console",
            span_of(query),
            "its rows go nowhere",
            advice="give it a sink, `CREATE SINK name USING parquet OPTIONS (path '…') AS "
            "SELECT …` or `INSERT INTO name SELECT …`; or take it out",
        )


FORMATS = (
    *("parquet", "json", "csv", "orc", "text", "xml", "avro", "kafka", "delta", "iceberg", "hudi"),
    *("console", "noop", "memory", "rate", "rate-micro-batch", "socket", "jdbc", "binaryfile"),
    *("sqlite", "duckdb", "postgres"),
)


def warn_of_format(name: str | None, span: Span, problems: Problems) -> None:
    """A format that is nearly one of the common ones; any other may be a library's."""
    near = None if name is None or name in FORMATS else suggest(name, FORMATS)
    if near is not None:
        problems.add(
            "TVFW601",
            f"there is no common format `{name}`",
            span,
            "declared with this format",
            advice=f"did you mean `USING {near}`?",
        )
