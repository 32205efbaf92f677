"""What a Delta table asks of those who write to it, as far as deltalake leaves it to its callers.

deltalake's own writer, for rows and for MERGE, keeps constraints and computes generated columns,
and stops where it cannot. Two ways around it do not: files that tasks write, and reading a table
as a dataset of Arrow, which looks for columns by the names that they have in the table.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.merging import own_name

_MAPPING = "delta.columnMapping.mode"
_CONSTRAINT = "delta.constraints."
_GENERATED = "delta.generationExpression"
_CHECKED = (
    '"nullable": false',
    '"containsNull": false',
    '"valueContainsNull": false',
    '"delta.invariants"',
    f'"{_GENERATED}"',
)
"""What a schema has in its JSON where not every row fits."""

_HARMLESS = frozenset(
    {
        *("appendOnly", "changeDataFeed", "timestampNtz"),
        # Seen in the schema and in the properties, where they are in use.
        *("invariants", "checkConstraints", "generatedColumns"),
    }
)
"""Features of tables to which a file with rows may be added as it is."""

_LAST_VERSION = 4
"""Of writers, up to which there are no other features than harmless ones, and no list of them."""

_LISTED_VERSION = 7


def refuse_mapping(what: str, table: Any) -> None:
    """See that the columns of files have the names of those of the table.

    Raises:
        SinkError: the table has a column mapping.
    """
    mode = table.metadata().configuration.get(_MAPPING, "none")
    if mode != "none":
        raise SinkError(
            f"TVF707: {what}: the Delta table {table.table_uri} has a column mapping "
            f"({_MAPPING} = {mode}), with which its rows would come out as NULLs; give a table "
            "without one"
        )


def refuse_written(what: str, table: Any, names: Sequence[str], *, is_keyed: bool) -> None:
    """See that rows of these columns can be in a table.

    Raises:
        SinkError: they cannot.
    """
    refuse_mapping(what, table)
    fields = json.loads(table.schema().to_json())["fields"]
    given = {own_name(name, [each["name"] for each in fields]) for name in names}
    for each in fields:
        is_free = each["nullable"] or _GENERATED in each["metadata"]
        if not is_free and each["name"] not in given:
            raise SinkError(
                f"TVF707: {what}: the rows have no column {each['name']}, which is NOT NULL in the "
                f"Delta table {table.table_uri}; SELECT it, or let it be NULL"
            )
    is_fixed = table.metadata().configuration.get("delta.appendOnly", "false").lower() == "true"
    if is_keyed and is_fixed:
        raise SinkError(
            f"TVF707: {what}: the Delta table {table.table_uri} takes no updates "
            "(delta.appendOnly = true), and a sink with a key has some; leave the key out, or give "
            "another table"
        )


def takes_files(table: Any) -> bool:
    """Whether files with rows may be added that deltalake's own writer has not seen."""
    protocol = table.protocol()
    features = frozenset(protocol.writer_features or ())
    is_known = protocol.min_writer_version <= _LAST_VERSION or (
        protocol.min_writer_version == _LISTED_VERSION and features <= _HARMLESS
    )
    schema = json.dumps(json.loads(table.schema().to_json()))
    metadata = table.metadata()
    return (
        is_known
        and not metadata.partition_columns
        and not any(mark in schema for mark in _CHECKED)
        and not any(name.startswith(_CONSTRAINT) for name in metadata.configuration)
    )
