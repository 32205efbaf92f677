"""`WATERMARK FOR … PER column`: by what a source's rows are grouped, each group with its own mark.

PER PARTITION of a Kafka source is by the partitions of its topics, which need be no column.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import did_you_mean
from compiler.plan.nodes import Column
from compiler.sql.names import same
from compiler.syntax import span_of

PARTITION = "partition"
KAFKA_PARTITION = "__partition"
"""The runtime's name for the topic and partition of a record."""

_NO_GROUPS = ("ARRAY", "MAP", "STRUCT", "VARIANT")


def group_column(
    node: exp.Expression,
    columns: Sequence[Column],
    included: Sequence[str],
    medium: str | None,
    problems: Problems,
) -> str | None:
    """The column by which rows are grouped; None if it is at fault.

    Args:
        node: the name behind PER.
        columns: those of the source.
        included: the names of those that are none of a record's value.
        medium: the format of the source.
        problems: takes what is at fault.
    """
    name = node.name
    column = next((each for each in columns if same(each.name, name)), None)
    is_field = column is not None and column.name not in included
    if medium == "kafka" and name.lower() == PARTITION and not is_field:
        return KAFKA_PARTITION
    if column is None:
        names = [each.name for each in columns]
        problems.add(
            "TVF634",
            f"the watermark is per `{name}`, which is no column",
            span_of(node),
            "no such column",
            advice=did_you_mean(name, names)
            or "name a column of the source; of Kafka, PER PARTITION",
        )
        return None
    if column.type.ddl.upper().startswith(_NO_GROUPS):
        problems.add(
            "TVF634",
            f"rows cannot be grouped by `{column.name}`, {column.type.ddl}",
            span_of(node),
            "no single value",
            advice="name a column of text, numbers, BINARY, BOOLEAN or times",
        )
        return None
    return column.name
