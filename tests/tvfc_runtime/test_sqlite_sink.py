"""The keyed sink on SQLite: batches as they are, and again; keys; types."""

from __future__ import annotations

import pickle
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import types as t

from tvfc_runtime.sinks import SinkError
from tvfc_runtime.sinks.changes import Row, changed, grown
from tvfc_runtime.sinks.sqlite import SqliteSink
from tvfc_runtime.sinks.sqlite_values import declared

COLUMNS = t.StructType().add("carrier", "string").add("day", "string").add("flights", "long")
KEY = ("carrier", "day")


def sink(folder: Path, **options: str) -> SqliteSink:
    given = {"path": str(folder / "live.db"), **options}
    return SqliteSink.of("live", COLUMNS, KEY, given)


def rows(folder: Path) -> list[Row]:
    with closing(sqlite3.connect(folder / "live.db")) as database:
        return sorted(database.execute("SELECT * FROM live").fetchall(), key=repr)


def update(folder: Path, batch: int, *updates: tuple[Row, int], query: str = "q1") -> None:
    sink(folder).apply(query, batch, changed(updates, (0, 1), KEY))


def test_rows_come_change_and_go(tmp_path: Path) -> None:
    update(tmp_path, 0)
    assert rows(tmp_path) == []
    update(tmp_path, 1, (("UA", "1st", 2), +1), (("AA", "1st", 1), +1))
    update(tmp_path, 2, (("UA", "1st", 3), +1), (("UA", "1st", 2), -1), (("AA", "1st", 1), -1))
    assert rows(tmp_path) == [("UA", "1st", 3)]


def test_a_batch_that_is_there_does_nothing(tmp_path: Path) -> None:
    one, two = ("UA", "1st", 1), ("UA", "1st", 2)
    update(tmp_path, 4, (one, +1))
    update(tmp_path, 5, (one, -1), (two, +1))
    for batch in (5, 4):
        update(tmp_path, batch, (one, +1))
    assert rows(tmp_path) == [two]


def test_a_batch_that_fails_leaves_nothing(tmp_path: Path) -> None:
    update(tmp_path, 0, (("UA", "1st", 1), +1))
    with pytest.raises(SinkError, match=r"TVF706.*carrier = 'UA', day = '1st'"):
        update(tmp_path, 1, (("AA", "1st", 1), +1), (("UA", "1st", 2), +1))
    assert rows(tmp_path) == [("UA", "1st", 1)]
    update(tmp_path, 1, (("AA", "1st", 1), +1))
    assert len(rows(tmp_path)) == 2


def test_null_is_one_key(tmp_path: Path) -> None:
    update(tmp_path, 0, (("UA", None, 1), +1))
    update(tmp_path, 1, (("UA", None, 1), -1), (("UA", None, 2), +1))
    assert rows(tmp_path) == [("UA", None, 2)]
    with pytest.raises(SinkError, match=r"carrier = 'UA', day = None"):
        update(tmp_path, 2, (("UA", None, 3), +1))
    update(tmp_path, 2, (("UA", None, 2), -1))
    assert rows(tmp_path) == []


@pytest.mark.parametrize("numbers", [(1, 1), (1, 2)])
def test_two_rows_of_a_key_in_a_batch_are_refused(numbers: tuple[int, int]) -> None:
    updates = [(("UA", "1st", number), +1) for number in numbers]
    with pytest.raises(SinkError, match=r"TVF706.*carrier = 'UA'"):
        changed(updates, (0, 1), KEY)


def test_updates_of_a_batch_cancel_in_any_order() -> None:
    one, two = ("UA", "1st", 1), ("UA", "1st", 2)
    net = changed([(one, -1), (two, +1), (two, -1), (one, +1)], (0, 1), KEY)
    assert (net.upserts, net.deletes) == ({}, frozenset())
    net = changed([(two, -1), (two, +1), (one, -1), (two, +1)], (0, 1), KEY)
    assert (net.upserts, net.new) == ({("UA", "1st"): two}, frozenset())


def test_of_a_result_that_only_grows_the_last_row_of_a_key_stays(tmp_path: Path) -> None:
    for batch, numbers in enumerate([(1, 2), (5, 4)]):
        found = grown([("UA", None, number) for number in numbers], (0, 1))
        sink(tmp_path).apply("q1", batch, found)
    assert rows(tmp_path) == [("UA", None, 4)]


def test_the_table_of_another_checkpoint_is_refused_and_not_touched(tmp_path: Path) -> None:
    sink(tmp_path).check(None)
    update(tmp_path, 0, (("UA", "1st", 1), +1))
    sink(tmp_path).check("q1")
    before = (tmp_path / "live.db").read_bytes()
    for query in (None, "q2"):
        with pytest.raises(SinkError, match="TVF705: sink live: table live"):
            sink(tmp_path).check(query)
    with pytest.raises(SinkError, match="TVF705"):
        update(tmp_path, 1, (("AA", "1st", 1), +1), query="q2")
    assert (tmp_path / "live.db").read_bytes() == before
    sink(tmp_path, table="other").check("q2")


def test_a_table_of_the_users_own_must_have_the_columns(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "live.db")) as database:
        database.execute("CREATE TABLE live (carrier CHAR(2), day DATE, note TEXT)")
        with pytest.raises(SinkError, match=r"TVF707.*no column flights"):
            sink(tmp_path).check(None)
        database.execute("ALTER TABLE live ADD COLUMN Flights INT")
    sink(tmp_path).check(None)
    update(tmp_path, 0, (("UA", "1st", 1), +1))
    assert rows(tmp_path) == [("UA", "1st", None, 1)]


def test_names_of_any_letters(tmp_path: Path) -> None:
    columns = t.StructType().add('a "b"', "long").add("select", "string")
    odd = SqliteSink.of("live", columns, ('a "b"',), {"path": str(tmp_path / "live.db")})
    odd.apply("q1", 0, changed([((1, "x"), +1)], (0,), ('a "b"',)))
    odd.apply("q1", 1, changed([((1, "x"), -1), ((1, "y"), +1)], (0,), ('a "b"',)))
    assert rows(tmp_path) == [(1, "y")]


def test_only_local_files(tmp_path: Path) -> None:
    assert sink(tmp_path, path=(tmp_path / "live.db").as_uri()).path == str(tmp_path / "live.db")
    for path in ("s3://bucket/live.db", ""):
        with pytest.raises(SinkError, match="TVF707"):
            sink(tmp_path, path=path)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (t.BooleanType(), "INTEGER"),
        (t.LongType(), "INTEGER"),
        (t.DecimalType(18, 0), "INTEGER"),
        (t.DecimalType(19, 0), "TEXT"),
        (t.DecimalType(15, 2), "NUMERIC"),
        (t.DecimalType(16, 2), "TEXT"),
        (t.FloatType(), "REAL"),
        (t.BinaryType(), "BLOB"),
        (t.TimestampType(), "TEXT"),
        (t.ArrayType(t.IntegerType()), "TEXT"),
    ],
    ids=str,
)
def test_types_of_columns(kind: t.DataType, expected: str) -> None:
    assert declared(kind) == expected


def test_what_it_holds_can_be_sent_elsewhere(tmp_path: Path) -> None:
    again: Any = pickle.loads(pickle.dumps(sink(tmp_path)))
    assert again == sink(tmp_path)
