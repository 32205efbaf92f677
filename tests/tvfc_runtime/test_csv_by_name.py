"""CSV files whose columns stand in any order: their lines, and what becomes of them."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from tvfc_runtime.records.bad_rows import BAD, FAULT
from tvfc_runtime.sources.csv_by_name import Dialect, by_name, layout_of, rearranged
from tvfc_runtime.sources.read import read_source
from tvfc_runtime.spec.source import Source

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

PLAIN = Dialect()


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("", [""]),
        ("a,b", ["a", "b"]),
        (",,", ["", "", ""]),
        ('"a,b",c', ['"a,b"', "c"]),
        (' "a,b" ,c', [' "a,b" ', "c"]),
        ('"a\\",b",c', ['"a\\",b"', "c"]),
        ('"a"",b",c', ['"a"",b"', "c"]),
        ('a"b,c"d', ['a"b', 'c"d']),
        ('"a\nb",c', ['"a\nb"', "c"]),
        ('"open,c', ['"open', "c"]),
        ('a,"",', ["a", '""', ""]),
    ],
)
def test_fields(line: str, fields: list[str]) -> None:
    assert PLAIN.fields(line) == fields


def test_other_separators() -> None:
    tabs = Dialect.of({"sep": "\\t", "quote": "'", "escape": "'"})
    assert tabs.fields("'it''s\t'\t2") == ["'it''s\t'", "2"]
    bars = Dialect.of({"delimiter": "||"})
    assert bars.fields('"a||b"||c|d||') == ['"a||b"', "c|d", ""]


@pytest.mark.parametrize(
    ("header", "places"),
    [
        ("id,name", (0, 1)),
        ("\ufeffNAME, Id", (1, 0)),
        ('"name",more,"id"', (2, 0)),
        ("more,id,MORE", (1, None)),
    ],
)
def test_layouts(header: str, places: tuple[int | None, ...]) -> None:
    layout = layout_of(header, ["id", "name"], "file:/in/a.csv", PLAIN)
    assert layout.places == places
    assert layout.is_as_declared is (places == (0, 1) and layout.width == 2)


def test_files_that_cannot_be_read_by_name() -> None:
    twice = layout_of("id,ID", ["id"], "a.csv", PLAIN)
    assert rearranged("1,2", twice, PLAIN) == (
        None,
        "the header of the file has the column id twice: id,ID",
    )
    data = layout_of("1,x", ["id", "name"], "a.csv", PLAIN)
    assert rearranged("2,y", data, PLAIN) == (
        None,
        "the first line of the file names none of the columns: 1,x",
    )


def test_columns_that_are_folders() -> None:
    path = "file:/in/day=2024-02-29/city=a%2520b/none=__HIVE_DEFAULT_PARTITION__/x=1/f.csv"
    layout = layout_of("id,x", ["id", "DAY", "city", "none", "x"], path, PLAIN)
    assert rearranged("7,8", layout, PLAIN) == ('7,"2024-02-29","a b",,8', None)


def test_lines_with_another_number_of_fields() -> None:
    layout = layout_of("name,id", ["id"], "a.csv", PLAIN)
    assert rearranged("a", layout, PLAIN) == (None, "1 field, and the header of the file has 2")
    assert rearranged("a,1,2", layout, PLAIN)[0] is None


def batch(*lines: tuple[str, int, str]) -> tuple[pa.Array, pa.Array, pa.Array]:
    paths, starts, texts = zip(*lines, strict=True)
    return pa.array(paths), pa.array(starts), pa.array(texts)


def test_a_header_is_dropped_once_whatever_the_batches(tmp_path: Path) -> None:
    long = tmp_path / "long.csv"
    long.write_text("\n# no header\nid,name\nnever,looked at\n")
    convert = by_name(["name", "id"], Dialect(comment="#"))
    batches = [
        batch(("a", 0, "")),
        batch(("a", 0, "name,id"), ("a", 0, "x,1"), ("a", 0, "name,id")),
        batch(("a", 0, "# y"), ("b", 0, "id"), ("b", 0, "2"), (str(long), 128, "3,z")),
    ]
    rows = [row for result in convert(iter(batches)) for row in result.to_pylist()]
    assert [row["record"] for row in rows if row["keep"]] == ["x,1", "name,id", ",2", "z,3"]
    assert len(rows) == 8


def write(path: Path, text: str, encoding: str = "utf-8") -> None:
    path.write_bytes(text.encode(encoding))


@pytest.mark.spark
def test_each_file_by_its_own_header(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "a.csv", 'id,name,at\n1,a,2024-01-01 00:00:00\n"2","b\\"q",\n\nid,name,at\n')
    write(tmp_path / "b.csv", "x,ID\r\n5,6\r\n,7\r\n")
    write(tmp_path / "c.csv", "id\n8\nq\n", "utf-8-sig")
    write(tmp_path / "d.csv", 'name,more,id\n"z, \\"y",1,9\n1,2\n')
    write(tmp_path / "e.csv", "")
    write(tmp_path / "f.csv", "id,name\n")
    with gzip.open(tmp_path / "g.csv.gz", "wt") as file:
        file.write("name,id\ngz,11\n")
    write(tmp_path / "h.csv", "1,2\n3,4\n")
    found = read(spark, tmp_path, header="true")
    assert found.good == [
        (1, "a", "2024-01-01 00:00:00"),
        (2, 'b"q', None),
        (6, None, None),
        (7, None, None),
        (8, None, None),
        (9, 'z, "y', None),
        (11, "gz", None),
    ]
    assert found.bad == [
        ("1,2", "2 fields, and the header of the file has 3"),
        ("3,4", "the first line of the file names none of the columns: 1,2"),
        ("id,name,at", "id is no INT"),
        ("q", "id is no INT"),
    ]


@pytest.mark.spark
def test_records_of_several_lines_and_other_characters(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "a.csv", 'name;id\n"Mül\n ler";1\n;2\n3\n', "latin-1")
    found = read(spark, tmp_path, header="true", multiLine="true", encoding="iso-8859-1", sep=";")
    assert found.good == [(1, "Mül\n ler", None), (2, None, None)]
    assert found.bad == [("3", "1 field, and the header of the file has 2")]


@pytest.mark.spark
def test_without_a_header_by_place(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "1,a,2024-01-01 00:00:00\n2,b\n3,c,,4\nx,d,\n")
    found = read(spark, tmp_path)
    assert found.good == [(1, "a", "2024-01-01 00:00:00")]
    assert found.bad == [
        ("2,b", "it has not 3 fields"),
        ("3,c,,4", "it has not 3 fields"),
        ("x,d,", "id is no INT"),
    ]


class Found:
    """What is read of a folder, in order."""

    def __init__(self, rows: list[tuple[object, ...]], bad: list[tuple[str, str]]) -> None:
        self.good = sorted(rows, key=lambda row: int(str(row[0])))
        self.bad = sorted(bad)


def read(spark: SparkSession, folder: Path, **options: str) -> Found:
    source = Source(
        name="s",
        columns={"id": "INT", "name": "STRING", "at": "TIMESTAMP"},
        format="csv",
        options={"path": str(folder), **options},
        static=True,
    )
    read_rows = read_source(spark, source)
    rows = read_rows.withColumn("at", read_rows["at"].cast("string")).collect()
    return Found(
        [(row.id, row.name, row.at) for row in rows if row[FAULT] is None],
        [(row[BAD], row[FAULT]) for row in rows if row[FAULT] is not None],
    )
