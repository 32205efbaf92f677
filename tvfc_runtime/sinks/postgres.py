"""A table in Postgres: rows come by binary COPY, and a batch is one transaction with its number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from pyspark.sql import Column

from tvfc_runtime.sinks.arrow_pieces import Pieces
from tvfc_runtime.sinks.changes import two_rows
from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.merging import DELETED, NEW, WHAT, foreign, key_places, own_name, staged
from tvfc_runtime.sinks.net import NetChanges
from tvfc_runtime.sinks.postgres_place import Database, Place, quoted, refuse_long_names
from tvfc_runtime.sinks.postgres_types import carried, declared, stored, takes
from tvfc_runtime.sinks.tables import SinkTable

BATCHES = "_tvfc_batches"
"""In the schema of a table: the last batch that it has of each query; written with the batch."""

STAGING = "_tvfc_staging"
"""Where the rows of a batch are before they come into the table; it goes with the transaction."""

CREATING = 0x74766663
"""The lock of those who create tables, which two at once cannot."""


@dataclass(frozen=True, kw_only=True)
class PostgresSink:
    """Writes one table."""

    table: SinkTable
    place: Place

    @classmethod
    def of(cls, table: SinkTable) -> PostgresSink:
        """The sink with its OPTIONS.

        Raises:
            SinkError: they name no table.
        """
        place = Place.of(f"sink {table.sink}", table.sink, table.options)
        refuse_long_names(f"sink {table.sink}", table.columns.names)
        if place.table == BATCHES:
            raise SinkError(f"TVF707: sink {table.sink}: the table name {BATCHES} is kept")
        return cls(table=table, place=place)

    def check(self, query: str | None) -> None:
        """See that the table, if there is one, is this query's and takes the columns."""
        with self._connected() as database:
            _Open(self, database).check(query)

    def stored(self, columns: Sequence[Column]) -> list[Column]:
        """The columns as they are carried."""
        kinds = (field.dataType for field in self.table.columns)
        return [stored(column, kind) for column, kind in zip(columns, kinds, strict=True)]

    def append(self, query: str, batch: int, rows: Pieces) -> None:
        """Add the rows of a batch."""
        with self._transaction(query, batch) as there:
            if there is not None:
                there.stage(rows.reader(), rows.schema.names)
                there.insert()

    def merge(self, query: str, batch: int, changes: NetChanges) -> None:
        """Carry out a batch."""
        with self._transaction(query, batch) as there:
            if there is not None:
                there.stage(staged(changes), [*changes.upserts.column_names, WHAT])
                patterns = _null_patterns(changes)
                for pattern in patterns if changes.is_new is not None else ():
                    there.refuse_known(pattern, changes.names)
                for pattern in patterns:
                    there.delete(pattern)
                there.insert(f"WHERE {WHAT} <> {DELETED}")

    def _connected(self) -> Any:
        return self.place.connected(f"sink {self.table.sink}")

    @contextmanager
    def _transaction(self, query: str, batch: int) -> Iterator[_Open | None]:
        """The database, to write a batch; None if the table has it."""
        with self._connected() as database:
            there = _Open(self, database)
            there.create()
            there.lock()
            last = there.check(query)
            if last is not None and batch <= last:
                yield None
                return
            yield there
            there.note(query, batch)
            database.commit()


class _Open:
    """The table of a sink, on a connection."""

    def __init__(self, sink: PostgresSink, database: Database) -> None:
        self._sink = sink
        self._database = database
        self._columns = [*sink.table.columns.fields]
        schema = sink.place.schema
        if schema is None:
            # The one where SQL finds the table, or would make it.
            found = self._rows(
                "SELECT coalesce((SELECT n.nspname FROM pg_class AS c JOIN pg_namespace AS n "
                "ON n.oid = c.relnamespace WHERE c.oid = to_regclass($1)), current_schema())",
                sink.place.named,
            )
            schema = found[0][0]
        self._place = replace(sink.place, schema=schema)
        self._batches = replace(self._place, table=BATCHES)
        self._own = self._own_columns()

    def check(self, query: str | None) -> int | None:
        """The last batch of this query that the table has; None before the first.

        Raises:
            SinkError: the table is another query's, or its columns do not fit.
        """
        self._check_columns()
        if not self._is_there(self._batches):
            return None
        found = self._rows(
            f"SELECT query, batch FROM {self._batches.named} WHERE sink_table = $1",
            self._place.table,
        )
        batches: dict[str, int] = dict(found)
        table = self._sink.table
        if batches.keys() - {query} and not table.is_shared:
            remedy = f"give another table, or drop this one and its row in {self._batches.named}"
            if not table.key:
                remedy += "; or let queries share it: OPTIONS (shared 'true')"
            raise foreign(table.sink, f"table {self._place.named}", remedy)
        return batches.get(query or "")

    def create(self) -> None:
        """Make the tables that are missing."""
        if self._own and self._is_there(self._batches):
            return
        self._run(f"SELECT pg_advisory_xact_lock({CREATING})")
        columns = [f"{quoted(each.name)} {declared(each.dataType)}" for each in self._columns]
        if self._sink.table.key:
            # NULL is one key. Before version 15 an index alone finds keys, and keeps none out.
            unique = (
                int(self._rows("SELECT current_setting('server_version_num')")[0][0]) >= 15_00_00
            )
            key = ", ".join(map(quoted, self._sink.table.key))
            columns += [f"UNIQUE NULLS NOT DISTINCT ({key})"] if unique else []
        self._run(f"CREATE TABLE IF NOT EXISTS {self._place.named} ({', '.join(columns)})")
        self._run(
            f"CREATE TABLE IF NOT EXISTS {self._batches.named} (sink_table text NOT NULL, "
            "query text NOT NULL, batch bigint NOT NULL, PRIMARY KEY (sink_table, query))"
        )
        self._database.commit()
        self._own = self._own_columns()

    def lock(self) -> None:
        """Let no other job in until the transaction ends."""
        self._run("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", self._place.named)

    def note(self, query: str, batch: int) -> None:
        """Keep the number of a batch."""
        self._run(
            f"INSERT INTO {self._batches.named} VALUES ($1, $2, $3) "
            "ON CONFLICT (sink_table, query) DO UPDATE SET batch = excluded.batch",
            *(self._place.table, query, batch),
        )

    def stage(self, rows: Any, names: Sequence[str]) -> None:
        """Bring the rows of a batch to the server."""
        kinds = [carried(each.dataType) for each in self._columns] + ["smallint"]
        columns = ", ".join(f"{name} {kind}" for name, kind in zip(names, kinds, strict=False))
        self._run(f"CREATE TEMP TABLE {STAGING} ({columns}) ON COMMIT DROP")
        with self._database.cursor() as cursor:
            cursor.adbc_ingest(STAGING, rows, mode="append", temporary=True)
        self._run(f"ANALYZE {STAGING}")

    def insert(self, condition: str = "") -> None:
        """Put staged rows into the table."""
        casts = {"jsonb": "::jsonb", "json": "::json"}
        values = [
            f"c{place}{casts.get(self._own_type(each.name), '')}"
            for place, each in enumerate(self._columns)
        ]
        names = ", ".join(quoted(self._own_name(each.name)) for each in self._columns)
        self._run(
            f"INSERT INTO {self._place.named} ({names}) SELECT {', '.join(values)} "
            f"FROM {STAGING} {condition}"
        )

    def delete(self, nulls: tuple[bool, ...]) -> None:
        """Take out rows whose keys are staged and not new; those with such NULLs."""
        self._run(
            f"DELETE FROM {self._place.named} AS t USING {STAGING} AS s "
            f"WHERE s.{WHAT} <> {NEW} AND {self._same_key(nulls)}"
        )

    def refuse_known(self, nulls: tuple[bool, ...], names: tuple[str, ...]) -> None:
        """See that keys that are new are not there; those with such NULLs.

        Raises:
            SinkError: one is.
        """
        keys = ", ".join(f"s.c{place}" for place in key_places(self._sink.table))
        known = self._rows(
            f"SELECT {keys} FROM {STAGING} AS s JOIN {self._place.named} AS t "
            f"ON {self._same_key(nulls)} WHERE s.{WHAT} = {NEW} LIMIT 1"
        )
        if known:
            raise two_rows(known[0], names)

    def _same_key(self, nulls: tuple[bool, ...]) -> str:
        """A condition that an index can answer, as IS NOT DISTINCT FROM cannot be."""
        terms = []
        for place, is_null in zip(key_places(self._sink.table), nulls, strict=True):
            own = quoted(self._own_name(self._columns[place].name))
            same = f"t.{own} IS NULL AND s.c{place} IS NULL"
            terms.append(same if is_null else f"t.{own} = s.c{place}")
        return " AND ".join(terms)

    def _own_columns(self) -> dict[str, str]:
        """The columns of the table and their types; none if there is no table."""
        found = self._rows(
            "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
            "WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped",
            self._place.named,
        )
        return dict(found)

    def _own_name(self, name: str) -> str:
        return own_name(name, self._own) or name

    def _own_type(self, name: str) -> str:
        return self._own[self._own_name(name)]

    def _check_columns(self) -> None:
        for each in self._columns if self._own else ():
            own = self._own_name(each.name)
            found, wanted = self._own.get(own), declared(each.dataType)
            where = f"TVF707: sink {self._sink.table.sink}: table {self._place.named} has"
            if found is None:
                raise SinkError(f"{where} no column {each.name}; add it: {own} {wanted}")
            if not takes(wanted, found):
                raise SinkError(
                    f"{where} a column {own} of type {found}, which does not take each "
                    f"{each.dataType.simpleString()} as it is; make it {wanted}, or CAST the value"
                )

    def _is_there(self, place: Place) -> bool:
        return bool(self._rows("SELECT to_regclass($1) IS NOT NULL", place.named)[0][0])

    def _run(self, statement: str, *values: object) -> None:
        with self._database.cursor() as cursor:
            cursor.execute(statement, values or None)

    def _rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with self._database.cursor() as cursor:
            cursor.execute(statement, values or None)
            return cursor.fetchall()


def _null_patterns(changes: NetChanges) -> list[tuple[bool, ...]]:
    """Which columns of the keys are NULL: all ways in which that occurs."""
    keys = changes.deletes.column_names
    every = pa.concat_tables([changes.upserts.select(keys), changes.deletes])
    nulls = pa.table({name: every[name].is_null() for name in keys})
    found = nulls.group_by(keys).aggregate([]).to_pylist()
    return [tuple(each[name] for name in keys) for each in found]
