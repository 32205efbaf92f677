"""A Delta table, written without Spark's own library: a batch is one commit with its number.

The number is an application transaction of the table's log, under the id of the streaming query;
so a job that Spark's own sink has written before goes on here. Another one, `tvfc.owner`, holds the
number of the query whose table it is.
"""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyspark.sql import Column

from tvfc_runtime.checkpoint.storage import local_path
from tvfc_runtime.rows.sql_text import quoted
from tvfc_runtime.sinks.arrow_pieces import FEW_BYTES, Pieces
from tvfc_runtime.sinks.delta_features import refuse_written, takes_files
from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.lake_types import arrow_schema, stored
from tvfc_runtime.sinks.lake_values import refuse_unfit
from tvfc_runtime.sinks.merging import (
    DELETED,
    TRIES,
    WHAT,
    check_columns,
    foreign,
    key_places,
    own_name,
    partition_columns,
    settings,
    staged,
)
from tvfc_runtime.sinks.net import NetChanges, refuse_known
from tvfc_runtime.sinks.parquet import write_parquet
from tvfc_runtime.sinks.tables import SinkTable

OWNER = "tvfc.owner"
SHARED = 0
"""The number of the owner of a table that queries share."""


@dataclass(frozen=True, kw_only=True)
class DeltaSink:
    """Writes one table.

    Attributes:
        table: what it is to hold.
        uri: where it is.
        storage: options of the store.
        partitioned: columns by whose values files are apart, in a table that is yet to be made.
        evolves: whether the table gets the columns that it lacks.
    """

    table: SinkTable
    uri: str
    storage: Mapping[str, str] = field(repr=False)
    partitioned: tuple[str, ...]
    evolves: bool

    @classmethod
    def of(cls, table: SinkTable) -> DeltaSink:
        """The sink with its OPTIONS.

        Raises:
            SinkError: they do not fit, or the library is not there.
        """
        options = table.options
        local = local_path(options.get("path", ""))
        sink = cls(
            table=table,
            uri=options.get("path", "") if local is None else str(local.absolute()),
            storage=settings(options, "storage."),
            partitioned=partition_columns(table),
            evolves=options.get("mergeschema", "false").lower() == "true",
        )
        _library(f"sink {table.sink}")
        return sink

    def check(self, query: str | None) -> None:
        """See that the table, if there is one, is this query's and takes the columns."""
        with self._told():
            found = self._open()
            if found is not None:
                self._check_owner(found, query)
                self._check_columns(found)

    def stored(self, columns: Sequence[Column]) -> list[Column]:
        """The columns as lakes have them."""
        kinds = (field.dataType for field in self.table.columns)
        return [stored(column, kind) for column, kind in zip(columns, kinds, strict=True)]

    def append(self, query: str, batch: int, rows: Pieces) -> None:
        """Add the rows of a batch; those of a large one are written by tasks."""

        def add(table: Any, properties: Any) -> None:
            if rows.size > FEW_BYTES and takes_files(table):
                self._add_files(table, rows, properties)
            elif rows.size:
                self._add_rows(table, rows, properties)

        self._commit(query, batch, add)

    def merge(self, query: str, batch: int, changes: NetChanges) -> None:
        """Carry out a batch."""
        if changes.upserts.num_rows + changes.deletes.num_rows:
            self._commit(query, batch, lambda *given: self._merge(changes, *given))
        else:
            self._commit(query, batch, lambda *_: None)

    def _open(self) -> Any:
        """The table as it stands; None if there is none."""
        from deltalake import DeltaTable  # noqa: PLC0415  an extra

        if not DeltaTable.is_deltatable(self.uri, dict(self.storage)):
            return None
        return DeltaTable(self.uri, storage_options=dict(self.storage))

    def _made(self) -> Any:
        from deltalake import DeltaTable  # noqa: PLC0415  an extra

        found = self._open()
        if found is not None:
            return found
        return DeltaTable.create(
            self.uri,
            arrow_schema(self.table.columns),
            mode="ignore",
            partition_by=list(self.partitioned) or None,
            storage_options=dict(self.storage),
        )

    def _commit(self, query: str, batch: int, write: Callable[[Any, Any], None]) -> None:
        """Write a batch as one commit, again if somebody else was faster."""
        from deltalake import CommitProperties, Transaction  # noqa: PLC0415  an extra
        from deltalake.exceptions import CommitFailedError  # noqa: PLC0415  an extra

        for attempt in range(TRIES):
            with self._told():
                table = self._made()
                self._check_owner(table, query)
                self._check_columns(table)
                last = table.transaction_version(query)
                if last is not None and batch <= last:
                    return
                notes = [Transaction(query, batch)]
                owner = self._owner(query)
                if table.transaction_version(OWNER) is None or owner != SHARED:
                    notes.append(Transaction(OWNER, owner))
                try:
                    table = self._evolved(table)
                    write(table, CommitProperties(app_transactions=notes))
                except CommitFailedError as error:
                    if "Unsupported table features" in str(error):
                        raise self._says(error) from error
                    if attempt == TRIES - 1:
                        raise
                else:
                    return
            time.sleep(0.1 * 2**attempt)

    def _evolved(self, table: Any) -> Any:
        """The table with the columns that it lacks, if it is to get them: NULL in what is there."""
        from deltalake import Schema  # noqa: PLC0415  an extra

        there = _schema_of(table).names
        wanted = Schema.from_arrow(self._named(table)).fields
        missing = [each for each in wanted if each.name not in there]
        if not missing:
            return table
        table.alter.add_columns(missing)
        return self._open()

    def _add_rows(self, table: Any, rows: Pieces, properties: Any) -> None:
        from deltalake import write_deltalake  # noqa: PLC0415  an extra

        schema = self._named(table)
        reader = rows.reader().cast(arrow_schema(self.table.columns, rows.schema.names))
        faults: list[SinkError] = []

        def fitting() -> Iterator[pa.RecordBatch]:
            for each in reader:
                try:
                    refuse_unfit(f"sink {self.table.sink}", each, schema)
                except SinkError as error:
                    faults.append(error)
                    raise
                yield each.rename_columns(schema.names)

        named = pa.RecordBatchReader.from_batches(schema, fitting())
        more = set(_schema_of(table).names) != set(schema.names)
        try:
            write_deltalake(
                table,
                named,
                mode="append",
                schema_mode="merge" if more else None,
                commit_properties=properties,
            )
        except Exception:
            if faults:
                # The library wraps an error of its reader in its own.
                raise faults[0] from None
            raise

    def _add_files(self, table: Any, rows: Pieces, properties: Any) -> None:
        """Tasks write files into the folder of the table; the commit makes them part of it."""
        from deltalake.transaction import AddAction  # noqa: PLC0415  an extra

        schema = self._named(table)
        what = f"sink {self.table.sink}"
        files = rows.written_by_tasks(_FileWriter(what, self.uri, dict(self.storage), schema))
        now = int(time.time() * 1000)
        actions = [
            AddAction(each["path"], each["size"], {}, now, True, json.dumps(each["stats"]))  # noqa: FBT003
            for each in map(json.loads, files)
        ]
        table.create_write_transaction(
            actions, "append", table.schema(), commit_properties=properties
        )

    def _merge(self, changes: NetChanges, table: Any, properties: Any) -> None:
        named = self._named(table)
        names = named.names
        refuse_unfit(f"sink {self.table.sink}", changes.upserts, named)
        places = key_places(self.table)
        if changes.new_keys.num_rows:
            own = [names[place] for place in places]
            there = table.to_pyarrow_dataset().to_table(columns=own)
            keys = there.rename_columns(changes.deletes.column_names)
            refuse_known(changes.new_keys, keys, changes.names)
        schema = arrow_schema(self.table.columns, changes.upserts.column_names)
        rows = staged(changes).cast(schema.append(pa.field(WHAT, pa.int16())))
        values = {quoted(name): f"s.c{place}" for place, name in enumerate(names)}
        same = [f"(t.{quoted(names[at])} IS NOT DISTINCT FROM s.c{at})" for at in places]
        merge = table.merge(
            rows,
            " AND ".join(same),
            source_alias="s",
            target_alias="t",
            commit_properties=properties,
        )
        merge = merge.when_matched_delete(f"s.{WHAT} = {DELETED}")
        merge = merge.when_matched_update(values, f"s.{WHAT} <> {DELETED}")
        merge.when_not_matched_insert(values, f"s.{WHAT} <> {DELETED}").execute()

    def _named(self, table: Any) -> pa.Schema:
        """The columns of the rows under the names that the table has for them."""
        there = _schema_of(table).names
        own = [own_name(name, there) or name for name in self.table.columns.names]
        return arrow_schema(self.table.columns, own)

    def _check_columns(self, table: Any) -> None:
        from deltalake import Schema  # noqa: PLC0415  an extra

        wanted = Schema.from_arrow(arrow_schema(self.table.columns))
        names, is_keyed = self.table.columns.names, bool(self.table.key)
        refuse_written(f"sink {self.table.sink}", table, names, is_keyed=is_keyed)
        check_columns(self.table, _kinds(table.schema()), _kinds(wanted), evolves=self.evolves)
        there = table.metadata().partition_columns
        if self.partitioned and [*self.partitioned] != there:
            raise SinkError(
                f"TVF707: sink {self.table.sink}: the table is partitioned by "
                f"{', '.join(there) or 'nothing'}; leave partitionBy out, or give another path"
            )

    def _check_owner(self, table: Any, query: str | None) -> None:
        owner = table.transaction_version(OWNER)
        if owner not in (None, self._owner(query)) and not self.table.is_shared:
            remedy = "give another path, or remove this table"
            if not self.table.key:
                remedy += "; or let queries share it: OPTIONS (shared 'true')"
            raise foreign(self.table.sink, f"the Delta table {self.uri}", remedy)

    def _owner(self, query: str | None) -> int:
        if self.table.is_shared:
            return SHARED
        return int(hashlib.sha256((query or "").encode()).hexdigest()[:15], 16)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Faults of the library are the sink's."""
        from deltalake.exceptions import CommitFailedError, DeltaError  # noqa: PLC0415  an extra

        try:
            yield
        except CommitFailedError as error:
            raise SinkError(
                f"TVF707: sink {self.table.sink}: others write to the Delta table {self.uri} at "
                f"the same time, {TRIES} times over: {error}"
            ) from error
        except (DeltaError, OSError) as error:
            raise self._says(error) from error

    def _says(self, error: Exception) -> SinkError:
        return SinkError(f"TVF707: sink {self.table.sink}: Delta says: {error}")


@dataclass(frozen=True)
class _FileWriter:
    """Writes rows to a new file of a table, in a task."""

    what: str
    uri: str
    storage: dict[str, str] = field(repr=False)
    schema: pa.Schema

    def __call__(self, rows: pa.RecordBatchReader) -> str:
        """The file, as JSON; until it is committed it is in no table."""
        from deltalake.fs import DeltaStorageHandler  # noqa: PLC0415  an extra

        store = pa.fs.PyFileSystem(DeltaStorageHandler(self.uri, self.storage))
        path = f"part-{uuid.uuid4()}.parquet"
        number = write_parquet(self.what, store.open_output_stream(path), rows, self.schema)
        size = store.get_file_info(path).size
        return json.dumps({"path": path, "size": size, "stats": {"numRecords": number}})


def _library(what: str) -> None:
    try:
        import deltalake  # noqa: F401, PLC0415  an extra
    except ImportError as error:
        raise SinkError(
            f"TVF707: {what}: Delta needs a package more: pip install 'tvfc[delta]'"
        ) from error


def _kinds(schema: Any) -> dict[str, str]:
    """Columns and their types, as the log of a table spells them."""
    found = ((each.name, json.loads(each.to_json())["type"]) for each in schema.fields)
    return {name: kind if isinstance(kind, str) else json.dumps(kind) for name, kind in found}


def _schema_of(table: Any) -> pa.Schema:
    return pa.schema(table.schema().to_arrow())
