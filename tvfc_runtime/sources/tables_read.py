"""Static tables of databases and lakes: read anew by every batch, as Arrow, by their own libraries.

Spark asks a source of Python for its partitions when it plans a batch. A lake's version is fixed
then, so that all tasks of a batch read one and the same; a database is read by a single task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StringType, StructType

from tvfc_runtime.checkpoint.storage import local_path
from tvfc_runtime.rows.sql_text import quoted
from tvfc_runtime.sinks.delta_features import refuse_mapping
from tvfc_runtime.sinks.duckdb_file import file_of, opened
from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.iceberg import identifier_of
from tvfc_runtime.sinks.merging import own_name, settings
from tvfc_runtime.sinks.postgres_place import Place

FORMAT = "tvfc_table"
LIBRARIES = {
    "delta": "deltalake",
    "iceberg": "pyiceberg",
    "postgres": "adbc_driver_postgresql",
    "duckdb": "duckdb",
}
"""What reads the tables of a format."""

OF_SPARK = frozenset({"delta", "iceberg"})
"""Formats that Spark has a library for, too: it reads them where ours is not installed."""

ROWS_A_BATCH = 65_536


def reads(form: str) -> bool:
    """Whether static tables of a format are read here."""
    return form in LIBRARIES and (form not in OF_SPARK or find_spec(LIBRARIES[form]) is not None)


def read_table(
    spark: SparkSession, form: str, name: str, schema: str, options: Mapping[str, str]
) -> DataFrame:
    """The rows of a table as it is when a batch runs."""
    own = {"tvfc.format": form, "tvfc.name": name}
    return spark.read.format(FORMAT).schema(schema).options(**options, **own).load()


class TableSource(DataSource):
    """A table of a database or lake; OPTIONS are those of the table."""

    @classmethod
    def name(cls) -> str:
        """What Spark calls it."""
        return FORMAT

    def reader(self, schema: StructType) -> DataSourceReader:
        """What reads it, with the columns that are declared."""
        options = {name.lower(): value for name, value in self.options.items()}
        return TableReader(schema, options)


class TableReader(DataSourceReader):
    """Reads a table as it is when its partitions are planned."""

    def __init__(self, schema: StructType, options: dict[str, str]) -> None:
        self._schema = schema
        self._options = options
        self._what = f"table {options['tvfc.name']}"

    def partitions(self) -> list[InputPartition]:
        """What tasks read: of a lake, a version and the number of a file."""
        match self._options["tvfc.format"]:
            case "delta":
                table = self._delta(None)
                files = len(list(table.to_pyarrow_dataset().get_fragments()))
                return [InputPartition((table.version(), at)) for at in range(files)]
            case "iceberg":
                return [InputPartition((self._iceberg().metadata.current_snapshot_id, 0))]
            case _:
                return [InputPartition((None, 0))]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a partition."""
        version, at = partition.value
        match self._options["tvfc.format"]:
            case "delta":
                found = self._read_delta(version, at)
            case "iceberg":
                found = self._read_iceberg(version)
            case "postgres":
                found = self._read_postgres()
            case _:
                found = self._read_duckdb()
        wanted = to_arrow_schema(self._schema, timezone="UTC")
        for batch in found:
            yield from self._fitted(batch, wanted)

    def _delta(self, version: int | None) -> Any:
        deltalake = self._library("deltalake", "delta")
        path = self._options.get("path", "")
        local = local_path(path)
        uri = path if local is None else str(local.absolute())
        table = deltalake.DeltaTable(
            uri, version=version, storage_options=settings(self._options, "storage.")
        )
        refuse_mapping(self._what, table)
        return table

    def _read_delta(self, version: int, at: int) -> Iterator[pa.RecordBatch]:
        dataset = self._delta(version).to_pyarrow_dataset()
        fragment = list(dataset.get_fragments())[at]
        names = self._names(dataset.schema.names)
        yield from fragment.to_batches(
            schema=dataset.schema, columns=names, batch_size=ROWS_A_BATCH
        )

    def _iceberg(self) -> Any:
        self._library("pyiceberg", "iceberg")
        from pyiceberg.catalog import load_catalog  # noqa: PLC0415  an extra

        name = self._options.get("table", self._options["tvfc.name"])
        catalog = load_catalog(
            self._options.get("catalog", "default"), **settings(self._options, "catalog.")
        )
        return catalog.load_table(identifier_of(name))

    def _read_iceberg(self, snapshot: int | None) -> Iterator[pa.RecordBatch]:
        if snapshot is not None:
            table = self._iceberg()
            names = self._names([each.name for each in table.schema().fields])
            scan = table.scan(selected_fields=tuple(names), snapshot_id=snapshot)
            for batch in scan.to_arrow_batch_reader():
                yield batch.select(names)

    def _read_postgres(self) -> Iterator[pa.RecordBatch]:
        place = Place.of(self._what, self._options["tvfc.name"], self._options)
        with place.connected(self._what) as database, database.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {place.named} LIMIT 0")
            names = self._names([column[0] for column in cursor.description])
            # JSON, enumerations and the like have a text.
            texts = [isinstance(each.dataType, StringType) for each in self._schema]
            columns = [
                f"{quoted(name)}::text" if is_text else quoted(name)
                for name, is_text in zip(names, texts, strict=True)
            ]
            cursor.execute(f"SELECT {', '.join(columns)} FROM {place.named}")
            yield from cursor.fetch_record_batch()

    def _read_duckdb(self) -> Iterator[pa.RecordBatch]:
        name = quoted(self._options.get("table", self._options["tvfc.name"]))
        path = file_of(self._what, self._options)
        with opened(self._what, path, read_only=True) as database:
            names = self._names(database.sql(f"FROM {name}").columns)
            rows = database.sql(f"SELECT {', '.join(map(quoted, names))} FROM {name}")
            yield from rows.to_arrow_reader(ROWS_A_BATCH)

    def _names(self, there: list[str]) -> list[str]:
        """What the table calls the declared columns."""
        found = []
        for field in self._schema:
            own = own_name(field.name, there)
            if own is None:
                raise SinkError(f"TVF707: {self._what} has no column {field.name}")
            found.append(own)
        return found

    def _fitted(self, batch: pa.RecordBatch, wanted: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The rows in the declared types; what does not fit stops the job."""
        columns = []
        for column, field in zip(batch.columns, wanted, strict=True):
            if isinstance(column, pa.ExtensionArray):
                # Postgres' numeric comes as text.
                column = column.storage
            without_zone = pa.types.is_timestamp(column.type) and column.type.tz is None
            if without_zone != (pa.types.is_timestamp(field.type) and field.type.tz is None) and (
                pa.types.is_timestamp(column.type) and pa.types.is_timestamp(field.type)
            ):
                kind = "TIMESTAMP_NTZ" if without_zone else "TIMESTAMP"
                raise SinkError(
                    f"TVF707: column {field.name} of {self._what} is a time "
                    f"{'without' if without_zone else 'with'} a zone; declare it {kind}"
                )
            try:
                columns.append(column.cast(field.type))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                raise SinkError(
                    f"TVF707: column {field.name} of {self._what} does not fit the declared type: "
                    f"{error}"
                ) from error
        yield pa.RecordBatch.from_arrays(columns, schema=wanted)

    def _library(self, name: str, extra: str) -> Any:
        from importlib import import_module  # noqa: PLC0415

        try:
            return import_module(name)
        except ImportError as error:
            raise SinkError(
                f"TVF707: {self._what} needs a package more: pip install 'tvfc[{extra}]'"
            ) from error
