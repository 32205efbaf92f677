"""The rows of a changelog, as sinks of results that change write it: each with its `_diff`.

When a change was told, `_time`, is the clock of the job that has told it, and is not read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.records.bad_rows import FAULT
from tvfc_runtime.rows.updates import DIFF

if TYPE_CHECKING:
    from tvfc_runtime.spec.source import Source

TOLD = "_diff"
"""The column of a changelog that tells by how much more often a row is there."""


def with_told(source: Source) -> Source:
    """A source of the rows of a changelog, as rows with a column more."""
    assert source.record is not None
    # Only records of Kafka are written in a way that USING does not tell.
    record = replace(source.record, form="plain") if source.format == "kafka" else None
    return replace(source, columns={**source.columns, TOLD: "INT"}, record=record)


def counted(rows: DataFrame) -> DataFrame:
    """Rows with `_diff` as updates; without one, or with 0, they are at fault."""
    given = [FAULT] if FAULT in rows.columns else ["CAST(NULL AS STRING)"]
    fault = f"coalesce({given[0]}, CASE WHEN {TOLD} IS NULL THEN 'its _diff is no number' END)"
    marked = rows.withColumns({FAULT: F.expr(fault), DIFF: F.col(TOLD)})
    return marked.drop(TOLD).where(f"{FAULT} IS NOT NULL OR {DIFF} <> 0")
