"""What formats of sinks can do: how they take a result that changes, and what makes a place one.

Formats that are not here are those of libraries: they append, or keep to a key if they are given
one.
"""

from __future__ import annotations

from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import Sink, Source

CHANGELOGS = frozenset(
    {"console", "noop", "memory", "json", "parquet", "orc", "csv", "xml", "avro", "kafka"}
)
"""Formats whose readers find `_time` and `_diff` as columns like others, and that have no key."""

KEYED = frozenset({"sqlite"})
"""Formats that hold a row for each key, and nothing else."""

TABLES = frozenset({"postgres", "duckdb", "delta", "iceberg"})
"""Formats that append, take changes as rows (`mode 'changelog'`), or hold a row for each key."""

IN_A_PATH = frozenset({"sqlite", "duckdb", "delta"})
"""Formats of tables whose `path` says where they are."""

_PLACES = {
    "postgres": ("url", "host", "port", "database"),
    "iceberg": ("catalog", "catalog.uri"),
    "sqlite": ("path",),
    "duckdb": ("path",),
}
"""Options that say where tables are, by format; then `table` says which."""


DATABASES = frozenset({"postgres", "duckdb"})
"""Formats that are read as static tables, and never as streams."""


def refuse_unreadable(source: Source, problems: Problems) -> None:
    """Databases have no streams to read, and SQLite nothing that a job reads."""
    if source.format in DATABASES and not source.static:
        problems.add(
            "TVF619",
            f"`{source.name}` cannot be read from {source.format}",
            source.span,
            "a table is no stream",
            advice=f"read it as it is when a batch runs, `CREATE TABLE {source.name} (…)`, or let "
            "its changes come through Kafka or files",
        )
    elif source.format == "sqlite":
        problems.add(
            "TVF619",
            f"`{source.name}` cannot be read from sqlite",
            source.span,
            "sqlite is for sinks",
            advice="write its rows to files, or to a table of DuckDB or Postgres",
        )


def place_of(sink: Sink) -> tuple[str | None, ...] | None:
    """What two sinks must not have in common; None: a format whose places nobody knows.

    Files and folders of all formats are one world.
    """
    options = {name.lower(): value for name, value in sink.options}
    if sink.format in _PLACES:
        where = [options.get(name, "").rstrip("/") for name in _PLACES[sink.format]]
        table = options.get("table", sink.name)
        # In Postgres and Iceberg `T` and `t` are two tables.
        is_exact = sink.format in ("postgres", "iceberg")
        return sink.format, *where, table if is_exact else table.lower()
    return (options["path"].rstrip("/"), None) if "path" in options else None
