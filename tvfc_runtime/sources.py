"""Reading declared sources: what does not fit the declared columns is kept out and counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

BAD = "__bad"
"""The column in which Spark's text formats put the record that they could not read."""

PARSED_FORMATS = frozenset({"json", "csv", "xml"})
KAFKA_COLUMNS = frozenset(
    {"key", "value", "topic", "partition", "offset", "timestamp", "timestampType", "headers"}
)
OWN_OPTIONS = frozenset({"badRows"})


@dataclass(frozen=True, kw_only=True)
class Source:
    """A source or table as declared.

    Attributes:
        name: its name in the query.
        columns: Spark types by column name, in order.
        format: a Spark data source; None if rows come from the caller.
        options: options of that data source, and `badRows`: `drop` (and count) or `fail`.
        required: columns declared NOT NULL.
        static: a table, read as it is when a batch runs, not a stream.
    """

    name: str
    columns: Mapping[str, str]
    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    static: bool = False

    @property
    def schema(self) -> str:
        """The columns as a Spark DDL string."""
        return ", ".join(f"{quote(name)} {kind}" for name, kind in self.columns.items())

    @property
    def fails_on_bad_rows(self) -> bool:
        """Whether a row that does not fit stops the job."""
        return self.options.get("badRows", "drop").lower() == "fail"


def quote(name: str) -> str:
    """A name as Spark SQL takes it whatever characters it has."""
    return "`" + name.replace("`", "``") + "`"


def read_source(spark: SparkSession, source: Source) -> DataFrame:
    """The rows of a source; column `__bad` is the record where one could not be read."""
    reader = spark.read if source.static else spark.readStream
    options = {key: value for key, value in source.options.items() if key not in OWN_OPTIONS}
    form = source.format or ""
    if form == "kafka":
        return _read_kafka(reader.format(form).options(**options).load(), source)
    if form not in PARSED_FORMATS:
        return reader.format(form).schema(source.schema).options(**options).load()
    return (
        reader.format(form)
        .schema(f"{source.schema}, {BAD} STRING")
        .options(**options, mode="PERMISSIVE", columnNameOfCorruptRecord=BAD)
        .load()
    )


def _read_kafka(records: DataFrame, source: Source) -> DataFrame:
    """Kafka's own columns if only those are declared; else the fields of a JSON value."""
    if set(source.columns) <= KAFKA_COLUMNS:
        return records.select(*(quote(name) for name in source.columns))
    return parse_json(records, source)


def parse_json(records: DataFrame, source: Source) -> DataFrame:
    """The declared columns out of the JSON in `value`."""
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": BAD}
    text = F.col("value").cast("string")
    parsed = F.from_json(text, f"{source.schema}, {BAD} STRING", options)
    return records.select(parsed.alias("record")).select("record.*")


def bad_row(rows: DataFrame, source: Source) -> str | None:
    """The condition under which a row does not fit its source; None if all do."""
    conditions = [f"{quote(name)} IS NULL" for name in source.required]
    if BAD in rows.columns:
        conditions.append(f"{BAD} IS NOT NULL")
    return " OR ".join(conditions) or None


def all_null(source: Source) -> str:
    """The condition that a row has nothing in any of its columns."""
    return " AND ".join(f"{quote(name)} IS NULL" for name in source.columns)


def refused(rows: DataFrame, source: Source, bad: str) -> Column:
    """True for rows that fit; one that does not stops the job, with the row in the message."""
    record = F.to_json(F.struct(*(quote(name) for name in source.columns)))
    if BAD in rows.columns:
        record = F.coalesce(F.col(BAD), record)
    message = F.lit(f"TVF704: a row of {source.name} does not fit its columns: ")
    failure = F.raise_error(F.concat(message, record)).cast("boolean")
    return F.when(F.expr(bad), failure).otherwise(F.lit(True))  # noqa: FBT003
