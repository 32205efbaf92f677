"""Warnings: legal SQL that does not do what its author will expect of a stream."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from compiler.bind.sources.plugins import SINKS, SOURCES, names_of, plugin_of
from compiler.diagnostics import suggest
from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import Sink, Source
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


def check_format(place: Source | Sink, problems: Problems) -> None:
    """A format that is nearly one there is, that nobody here knows, or that cannot be loaded."""
    group = SOURCES if isinstance(place, Source) else SINKS
    plugin = plugin_of(group, place.format)
    if plugin is not None and plugin.fault is not None:
        problems.add(
            "TVF672",
            f"{place.format} of the package {plugin.package} cannot be loaded",
            place.span,
            "declared with this format",
            notes=[plugin.fault],
            advice="mend the package, or install another version of it",
        )
    if place.format is None or place.format in FORMATS or plugin is not None:
        return
    near = suggest(place.format, (*FORMATS, *names_of(group)))
    other = plugin_of(SINKS if group == SOURCES else SOURCES, place.format)
    if other is not None:
        what = ("source", "sink") if group == SOURCES else ("sink", "source")
        advice = f"{other.package} has it as a {what[1]}, and not as a {what[0]}"
    elif near is not None:
        advice = f"did you mean `USING {near}`?"
    else:
        advice = (
            "Spark must have it when the job runs: `--packages` or `--jars` with a connector; or "
            f"install a package with an entry point `{group}`"
        )
    problems.add(
        "TVFW601",
        f"there is no common format `{place.format}`",
        place.span,
        "declared with this format",
        advice=advice,
    )
