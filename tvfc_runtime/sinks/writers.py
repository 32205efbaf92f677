"""The writer for an output: by its format, and by whether it has a key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from tvfc_runtime.plugins import SINKS, plugin_of
from tvfc_runtime.sinks.delta import DeltaSink
from tvfc_runtime.sinks.duckdb_file import DuckDbSink
from tvfc_runtime.sinks.files import FILE_FORMATS, FileWriter
from tvfc_runtime.sinks.iceberg import IcebergSink
from tvfc_runtime.sinks.kafka import KafkaWriter, is_transactional
from tvfc_runtime.sinks.kafka_records import DIFF, net_records, one_row_a_key
from tvfc_runtime.sinks.keyed import KeyedWriter
from tvfc_runtime.sinks.postgres import PostgresSink
from tvfc_runtime.sinks.tables import SinkTable, TableSink, TableWriter

if TYPE_CHECKING:
    from tvfc_runtime.spec.job import Output

Writer = Callable[[DataFrame, int], None]
"""Writes the rows of a batch; the number of the batch is the same when it is replayed."""

TABLES: Mapping[str, Callable[[SinkTable], TableSink]] = {
    "delta": DeltaSink.of,
    "duckdb": DuckDbSink.of,
    "iceberg": IcebergSink.of,
    "postgres": PostgresSink.of,
}
"""Formats that are tables with batches of their own."""


def is_table(form: str) -> bool:
    """Whether batches of a format are written to a table, with or without a key.

    Spark has a library for Delta as well: without a key it writes where ours is not installed.
    """
    return form in TABLES and (form != "delta" or find_spec("deltalake") is not None)


def batch_writer(output: Output, columns: StructType, checkpoint: str) -> Writer:
    """What writes the batches of an output whose rows have these columns.

    Raises:
        SinkError: the sink does not fit; nothing was written.
    """
    if is_table(output.format) or (output.key and output.format in TABLES):
        return TableWriter.of(output, columns, checkpoint, TABLES[output.format])
    if is_transactional(output):
        return KafkaWriter.of(output, columns, checkpoint)
    if output.format == "kafka":
        return SparkWriter(output.format, output.options, is_netted=DIFF in columns.names)
    if output.key:
        return KeyedWriter.of(output, columns, checkpoint)
    plugin = plugin_of(SINKS, output.format)
    if plugin is not None:
        writer: Writer = plugin.writer(output.name, columns, dict(output.options), checkpoint)
        return writer
    if output.format in FILE_FORMATS:
        return FileWriter.of(output, checkpoint)
    return SparkWriter(output.format, output.options)


@dataclass(frozen=True)
class SparkWriter:
    """Appends with Spark's batch writer: at least once, for a replayed batch comes again.

    `is_netted` if the rows are changes of records of Kafka, of which each key is to have the last.
    """

    format: str
    options: Mapping[str, str]
    is_netted: bool = False

    def __call__(self, rows: DataFrame, number: int) -> None:  # noqa: ARG002
        """Write one batch."""
        if self.is_netted:
            rows = one_row_a_key(net_records(rows))
        given = {"truncate": "false"} if self.format == "console" else {}
        rows.write.format(self.format).options(**given, **self.options).mode("append").save()
