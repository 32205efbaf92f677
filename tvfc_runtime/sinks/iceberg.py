"""An Iceberg table, written without Spark's own library: a batch and its number at once.

The number, by the id of the query, is a property of the table. A batch with keys writes
anew the files that have rows of them (copy-on-write).
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column

from tvfc_runtime.sinks.arrow_pieces import FEW_BYTES, Pieces
from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.lake_types import arrow_schema, stored
from tvfc_runtime.sinks.lake_values import refuse_unfit
from tvfc_runtime.sinks.merging import (
    TRIES,
    check_columns,
    foreign,
    key_places,
    own_name,
    partition_columns,
    settings,
)
from tvfc_runtime.sinks.net import NetChanges, are_among, refuse_known
from tvfc_runtime.sinks.parquet import write_parquet
from tvfc_runtime.sinks.tables import SinkTable

BATCH = "tvfc.batch."
"""Before the id of a query: its last batch that the table has."""

NAMESPACE = "default"


@dataclass(frozen=True, kw_only=True)
class IcebergSink:
    """Writes one table.

    Attributes:
        table: what it is to hold.
        catalog: the name of the catalog, which pyiceberg's own configuration may say more of.
        settings: the catalog's settings.
        identifier: namespace and name of the table.
        partitioned: columns by whose values files are apart, in a table that is yet to be made.
        evolves: whether the table gets the columns that it lacks.
    """

    table: SinkTable
    catalog: str
    settings: Mapping[str, str] = field(repr=False)
    identifier: tuple[str, ...]
    partitioned: tuple[str, ...]
    evolves: bool

    @classmethod
    def of(cls, table: SinkTable) -> IcebergSink:
        """The sink with its OPTIONS.

        Raises:
            SinkError: they do not fit, or the library is not there.
        """
        options = table.options
        _library(f"sink {table.sink}")
        return cls(
            table=table,
            catalog=options.get("catalog", "default"),
            settings=settings(options, "catalog."),
            identifier=identifier_of(options.get("table", table.sink)),
            partitioned=partition_columns(table),
            evolves=options.get("mergeschema", "false").lower() == "true",
        )

    def check(self, query: str | None) -> None:
        """See that the table, if there is one, is this query's and takes the columns."""
        with self._told():
            catalog = self._catalog()
            if catalog.table_exists(self.identifier):
                found = catalog.load_table(self.identifier)
                self._check_owner(found, query)
                self._check_columns(found)

    def stored(self, columns: Sequence[Column]) -> list[Column]:
        """The columns as lakes have them."""
        kinds = (field.dataType for field in self.table.columns)
        return [stored(column, kind) for column, kind in zip(columns, kinds, strict=True)]

    def append(self, query: str, batch: int, rows: Pieces) -> None:
        """Add the rows of a batch; those of a large one are written by tasks."""
        what = f"sink {self.table.sink}"

        def add(table: Any, transaction: Any, notes: dict[str, str]) -> None:
            schema = self._named(table)
            if rows.size > FEW_BYTES and not table.spec().fields:
                writer = _FileWriter(what, table.location(), dict(table.io.properties), schema)
                files = rows.written_by_tasks(writer)
                transaction.add_files(files, snapshot_properties=notes, check_duplicate_files=False)
            elif rows.size:
                found = rows.reader().read_all()
                refuse_unfit(what, found, schema)
                found = found.rename_columns(schema.names).cast(schema)
                transaction.append(found, snapshot_properties=notes)

        self._commit(query, batch, add)

    def merge(self, query: str, batch: int, changes: NetChanges) -> None:
        """Carry out a batch."""

        def rewrite(table: Any, transaction: Any, notes: dict[str, str]) -> None:
            schema = self._named(table)
            refuse_unfit(f"sink {self.table.sink}", changes.upserts, schema)
            upserts = changes.upserts.rename_columns(schema.names).cast(schema)
            kept, gone = self._kept(table, changes, schema)
            if gone:
                with transaction.update_snapshot(snapshot_properties=notes).overwrite() as cut:
                    for file in gone:
                        cut.delete_data_file(file)
            whole = pa.concat_tables([*kept, upserts], promote_options="default")
            if whole.num_rows:
                transaction.append(whole, snapshot_properties=notes)

        self._commit(query, batch, rewrite)

    def _kept(
        self, table: Any, changes: NetChanges, schema: pa.Schema
    ) -> tuple[list[pa.Table], list[Any]]:
        """Of the files that have rows of a batch's keys: the other rows, and the files."""
        from pyiceberg.expressions import AlwaysTrue  # noqa: PLC0415  an extra
        from pyiceberg.io.pyarrow import ArrowScan  # noqa: PLC0415  an extra

        own = [schema.names[place] for place in key_places(self.table)]
        kinds = changes.deletes.schema
        kept, gone = [], []

        def read(task: Any, projected: Any) -> pa.Table:
            scan = ArrowScan(table.metadata, table.io, projected, AlwaysTrue())
            return scan.to_table(tasks=[task])

        for task in table.scan().plan_files():
            keys = read(task, table.schema().select(*own)).select(own)
            keys = keys.rename_columns(kinds.names).cast(kinds)
            refuse_known(changes.new_keys, keys, changes.names)
            touched = are_among(keys, changes.touched)
            if pc.any(touched).as_py():
                kept.append(read(task, table.schema()).filter(pc.invert(touched)))
                gone.append(task.file)
        return kept, gone

    def _catalog(self) -> Any:
        from pyiceberg.catalog import load_catalog  # noqa: PLC0415  an extra

        return load_catalog(self.catalog, **self.settings)

    def _made(self) -> Any:
        catalog = self._catalog()
        if not catalog.table_exists(self.identifier):
            from pyiceberg.exceptions import TableAlreadyExistsError  # noqa: PLC0415  an extra

            catalog.create_namespace_if_not_exists(self.identifier[:-1])
            schema = arrow_schema(self.table.columns, leaf=_leaf)
            try:
                with (
                    catalog.create_table_transaction(self.identifier, schema=schema) as made,
                    made.update_spec() as spec,
                ):
                    for name in self.partitioned:
                        spec.add_identity(name)
            except TableAlreadyExistsError:
                pass
        return catalog.load_table(self.identifier)

    def _commit(
        self, query: str, batch: int, write: Callable[[Any, Any, dict[str, str]], None]
    ) -> None:
        """Write a batch as one transaction, again if somebody else was faster."""
        from pyiceberg.exceptions import CommitFailedException  # noqa: PLC0415  an extra

        for attempt in range(TRIES):
            with self._told():
                table = self._made()
                self._check_owner(table, query)
                self._check_columns(table)
                last = table.properties.get(BATCH + query)
                if last is not None and batch <= int(last):
                    return
                notes = {BATCH + query: str(batch)}
                try:
                    if self.evolves:
                        self._evolve(table)
                    # Whoever was faster may have written this very batch: we look again ourselves.
                    table.properties["commit.retry.num-retries"] = "0"
                    with table.transaction() as transaction:
                        write(table, transaction, notes)
                        transaction.set_properties(notes)
                except CommitFailedException:
                    if attempt == TRIES - 1:
                        raise
                else:
                    return
            time.sleep(0.1 * 2**attempt)

    def _evolve(self, table: Any) -> None:
        """Add the columns that the table lacks, before the batch: NULL in what is there."""
        schema = self._named(table)
        if any(name not in table.schema().column_names for name in schema.names):
            with table.update_schema() as update:
                update.union_by_name(schema)

    def _named(self, table: Any) -> pa.Schema:
        """The columns of the rows under the names that the table has for them.

        Those that the table requires are not nullable.
        """
        there = {each.name: each.required for each in table.schema().fields}
        own = [own_name(name, there) or name for name in self.table.columns.names]
        found = arrow_schema(self.table.columns, own, _leaf)
        return pa.schema([each.with_nullable(not there.get(each.name)) for each in found])

    def _check_columns(self, table: Any) -> None:
        wanted = arrow_schema(self.table.columns, leaf=_leaf)
        there = _kinds(table.schema().as_arrow())
        check_columns(self.table, there, _kinds(wanted), evolves=self.evolves)
        given = self._named(table).names
        where = f"TVF707: sink {self.table.sink}: the Iceberg table {'.'.join(self.identifier)}"
        for each in table.schema().as_arrow():
            if not each.nullable and each.name not in given:
                raise SinkError(
                    f"{where} requires a column {each.name}, which the rows do not have; SELECT "
                    "it, or let it be NULL"
                )
            if each.name in given and " not null" in str(each.type):
                raise SinkError(
                    f"{where} requires values inside of column {each.name}, {each.type}, which "
                    "rows may lack; let them be NULL"
                )

    def _check_owner(self, table: Any, query: str | None) -> None:
        batches = [name for name in table.properties if name.startswith(BATCH)]
        found = {name.removeprefix(BATCH) for name in batches}
        if found - {query} and not self.table.is_shared:
            remedy = "give another table, or drop this one"
            if not self.table.key:
                remedy += "; or let queries share it: OPTIONS (shared 'true')"
            name = ".".join(self.identifier)
            raise foreign(self.table.sink, f"the Iceberg table {name}", remedy)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Faults of the library are the sink's."""
        from pyiceberg import exceptions  # noqa: PLC0415  an extra

        kinds: list[type[Exception]] = [OSError, ValueError, OverflowError]
        for each in vars(exceptions).values():
            if isinstance(each, type) and issubclass(each, Exception):
                kinds.append(each)
        try:
            yield
        except tuple(kinds) as error:
            raise SinkError(f"TVF707: sink {self.table.sink}: Iceberg says: {error}") from error


@dataclass(frozen=True)
class _FileWriter:
    """Writes rows to a new file of a table, in a task."""

    what: str
    location: str
    properties: dict[str, str] = field(repr=False)
    schema: pa.Schema

    def __call__(self, rows: pa.RecordBatchReader) -> str:
        """The file; until it is committed it is in no table."""
        from pyiceberg.io import load_file_io  # noqa: PLC0415  an extra

        path = f"{self.location}/data/{uuid.uuid4()}.parquet"
        target = load_file_io(self.properties, path).new_output(path)
        write_parquet(self.what, target.create(), rows, self.schema)
        return path


def identifier_of(name: str) -> tuple[str, ...]:
    """Namespace and name of a table, `namespace.table`."""
    parts = tuple(part for part in name.split(".") if part)
    return parts if len(parts) > 1 else (NAMESPACE, *parts)


def _leaf(kind: pa.DataType) -> pa.DataType:
    """Iceberg has no integers of less than 32 bits."""
    return pa.int32() if kind in (pa.int8(), pa.int16()) else kind


def _kinds(schema: pa.Schema) -> dict[str, str]:
    """Columns and their types, without what sizes and names of inner fields differ in."""
    found = {}
    for each in schema:
        text = str(each.type).replace("large_", "").replace(" not null", "")
        found[each.name] = re.sub(r"<(?:element|item): ", "<", text)
    return found


def _library(what: str) -> None:
    try:
        import pyiceberg  # noqa: F401, PLC0415  an extra
    except ImportError as error:
        raise SinkError(
            f"TVF707: {what}: Iceberg needs a package more: pip install 'tvfc[iceberg]'"
        ) from error
