"""A table in Postgres: rows come by binary COPY, and a batch is one transaction with its number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from pyspark.sql import Column

from tvfc_runtime.rows.sql_text import quoted
from tvfc_runtime.sinks.arrow_pieces import Pieces
from tvfc_runtime.sinks.changes import two_rows
from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.merging import (
    DELETED,
    NEW,
    REPLACED,
    WHAT,
    foreign,
    key_places,
    own_name,
    staged,
)
from tvfc_runtime.sinks.net import NetChanges
from tvfc_runtime.sinks.postgres_columns import is_replaced, own_columns
from tvfc_runtime.sinks.postgres_place import Database, Place, refuse_long_names
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
                there.carry_out(patterns, changes.names)

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
        self._own = own_columns(self._rows, self._place)

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
        self._own = own_columns(self._rows, self._place)

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
        names = ", ".join(quoted(self._own_name(each.name)) for each in self._columns)
        self._run(
            f"INSERT INTO {self._place.named} ({names}) SELECT {', '.join(self._values())} "
            f"FROM {STAGING} AS s {condition}"
        )

    def carry_out(self, patterns: Sequence[tuple[bool, ...]], names: tuple[str, ...]) -> None:
        """Take rows out, change those that are there, put the others in.

        Args:
            patterns: which columns of the keys are NULL: all ways in which that occurs.
            names: what the query calls the columns of the key.

        Raises:
            SinkError: the table has two rows of one key.
        """
        table = self._sink.table
        columns = {self._own_name(name) for name in table.columns.names}
        key = {self._own_name(name) for name in table.key}
        if is_replaced(self._rows, self._place, columns, key):
            for pattern in patterns:
                self._delete(pattern, f"<> {NEW}")
            self.insert(f"WHERE s.{WHAT} <> {DELETED}")
            return
        for pattern in patterns:
            self._delete(pattern, f"= {DELETED}")
        for pattern in patterns:
            self._update(pattern, names)
        unknown = " AND ".join(
            f"NOT EXISTS (SELECT FROM {self._place.named} AS t WHERE {self._same_key(pattern)})"
            for pattern in patterns
        )
        self.insert(f"WHERE s.{WHAT} = {REPLACED} AND {unknown}")
        self.insert(f"WHERE s.{WHAT} = {NEW}")

    def _delete(self, nulls: tuple[bool, ...], what: str) -> None:
        """Take out rows whose keys are staged so; those with such NULLs."""
        self._run(
            f"DELETE FROM {self._place.named} AS t USING {STAGING} AS s "
            f"WHERE s.{WHAT} {what} AND {self._same_key(nulls)}"
        )

    def _update(self, nulls: tuple[bool, ...], names: tuple[str, ...]) -> None:
        """Change rows whose keys are staged as not new; those with such NULLs."""
        places = key_places(self._sink.table)
        values = [
            f"{quoted(self._own_name(each.name))} = {value}"
            for place, (each, value) in enumerate(zip(self._columns, self._values(), strict=True))
            if place not in places
        ]
        if not values:
            return
        keys = ", ".join(f"c{place}" for place in places)
        staged_keys = ", ".join(f"s.c{place}" for place in places)
        twice = self._rows(
            f"WITH changed AS (UPDATE {self._place.named} AS t SET {', '.join(values)} "
            f"FROM {STAGING} AS s WHERE s.{WHAT} = {REPLACED} AND {self._same_key(nulls)} "
            f"RETURNING {staged_keys}) "
            f"SELECT {keys} FROM changed GROUP BY {keys} HAVING count(*) > 1 LIMIT 1"
        )
        if twice:
            raise two_rows(twice[0], names)

    def _values(self) -> list[str]:
        """The columns of staged rows, as SQL, in the types of the table."""
        casts = {"jsonb": "::jsonb", "json": "::json"}
        return [
            f"s.c{place}{casts.get(self._own[self._own_name(each.name)].kind, '')}"
            for place, each in enumerate(self._columns)
        ]

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

    def _own_name(self, name: str) -> str:
        return own_name(name, self._own) or name

    def _check_columns(self) -> None:
        where = f"TVF707: sink {self._sink.table.sink}: table {self._place.named} has"
        given = set()
        for each in self._columns if self._own else ():
            own = self._own_name(each.name)
            found, wanted = self._own.get(own), declared(each.dataType)
            given.add(own)
            if found is None:
                raise SinkError(f"{where} no column {each.name}; add it: {own} {wanted}")
            if found.is_computed:
                raise SinkError(
                    f"{where} a column {own} that is GENERATED ALWAYS, and takes no values; leave "
                    "it out of the SELECT"
                )
            if not takes(wanted, found.kind):
                raise SinkError(
                    f"{where} a column {own} of type {found.kind}, which does not take each "
                    f"{each.dataType.simpleString()} as it is; make it {wanted}, or CAST the value"
                )
            if each.name in self._sink.table.key and not found.is_exact:
                raise SinkError(
                    f"{where} a column {own} of the key in whose collation different texts are "
                    "equal; make it a deterministic one"
                )
        for own, column in self._own.items():
            if column.is_needed and own not in given:
                raise SinkError(
                    f"{where} a column {own} that is NOT NULL and has no default, and the rows "
                    "have none; SELECT it, or give it a DEFAULT"
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
