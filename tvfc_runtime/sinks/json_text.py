"""Values and rows as JSON: NULLs are written, and times with all their digits."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

OPTIONS = {
    "ignoreNullFields": "false",
    # Spark's own format stops at milliseconds.
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}


def json_text(value: Column) -> Column:
    """A struct, array or map as JSON."""
    return F.to_json(value, OPTIONS)


def kafka_records(rows: DataFrame) -> DataFrame:
    """Rows as Kafka takes them: what has no column `value` goes there as a whole, as JSON."""
    if any(name.lower() == "value" for name in rows.columns):
        return rows
    return rows.select(json_text(F.struct("*")).alias("value"))
