"""The rows that sinks of files had after a batch, by the names of files and by Spark's log."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from commands.comparing.files import rows_up_to
from commands.comparing.sinks import CompareError, Sink

ID = "01234567-89ab-cdef-0123-456789abcdef"


def sink(folder: Path, form: str = "json", *, changes: bool = False, **options: str) -> Sink:
    place = folder / "cp"
    place.mkdir(exist_ok=True)
    (place / "metadata").write_text(json.dumps({"id": ID}))
    (folder / "out").mkdir(exist_ok=True)
    given = {"path": str(folder / "out"), **options}
    return Sink("out", str(place), form, given, (), changes)


def ids(of: Sink, batch: int) -> list[int]:
    return sorted(rows_up_to(of, batch)["id"].to_pylist())


def test_files_say_which_batch_they_are_and_whose(tmp_path: Path) -> None:
    out = sink(tmp_path)
    for number, own in ((0, ID), (3, ID), (4, ID), (4, "f" * 8)):
        path = tmp_path / f"out/part-{number:09}-{own[:8]}.json"
        path.write_text(f'{{"id":{number}}}\n')
    (tmp_path / "out/_part-000000004-01234567").mkdir()
    assert ids(out, 4) == [0, 3, 4]
    assert ids(out, 3) == [0, 3]
    assert rows_up_to(out, -1).num_rows == 0


def log(folder: Path, name: str, *files: int) -> None:
    entries = [
        json.dumps({"path": (folder / f"out/part {each}.json").as_uri(), "action": "add"})
        for each in files
    ]
    (folder / f"out/_spark_metadata/{name}").write_text("\n".join(["v1", *entries]))
    for each in files:
        (folder / f"out/part {each}.json").write_text(f'{{"id":{each}}}\n')


def test_spark_s_log_up_to_a_batch(tmp_path: Path) -> None:
    out = sink(tmp_path)
    (tmp_path / "out/_spark_metadata").mkdir()
    for each in (7, 8):
        log(tmp_path, str(each), each)
    log(tmp_path, "9.compact", *range(10))
    log(tmp_path, "10", 10)
    log(tmp_path, "11", 11)
    (tmp_path / "out/part-00000-x.json").write_text('{"id":99}\n')
    assert ids(out, 11) == list(range(12))
    assert ids(out, 10) == list(range(11))
    assert ids(out, 9) == list(range(10))
    # What was before 7 stands in the compaction alone, with all up to 9.
    with pytest.raises(CompareError, match="put the batches"):
        ids(out, 8)


def test_formats(tmp_path: Path) -> None:
    name = tmp_path / f"out/part-000000000-{ID[:8]}"
    table = pa.table({"id": [1, None], "x": [[1], []]})
    out = sink(tmp_path, "parquet")
    parquet.write_table(table, f"{name}.snappy.parquet")
    assert rows_up_to(out, 0).equals(table)
    Path(f"{name}.snappy.parquet").unlink()

    Path(f"{name}.csv").write_text('id,x\n1,"a\nb"\n2,"say \\"x\\""\n')
    found = rows_up_to(sink(tmp_path, "csv", header="true"), 0)
    assert found.to_pydict() == {"line": ['1,"a\nb"', '2,"say \\"x\\""']}
    Path(f"{name}.csv").write_text("1;a;2026-01-01T00:00:01.000Z;1\n1;a;;-1\n")
    found = rows_up_to(sink(tmp_path, "csv", changes=True, sep=";"), 0)
    assert found.to_pydict() == {
        "line": ["1;a", "1;a"],
        "_time": ["2026-01-01T00:00:01.000Z", None],
        "_diff": [1, -1],
    }
    Path(f"{name}.csv").unlink()

    Path(f"{name}.json").write_text('{"a":1.10}\n{"b":{"c":1}}\n')
    assert rows_up_to(sink(tmp_path), 0).to_pydict() == {
        "a": ["1.10", None],
        "b": [None, '{"c": 1}'],
    }
    Path(f"{name}.json").unlink()
    Path(f"{name}.xml").write_text("<a/>")
    with pytest.raises(CompareError, match="nothing here reads files of xml"):
        rows_up_to(sink(tmp_path, "xml"), 0)
