"""`tvfc explain --sample`: how large state will be, by rows of the input."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import csv, parquet

from commands import explain

SOURCE = """CREATE SOURCE clicks (id BIGINT, ts TIMESTAMP, page STRING, due TIMESTAMP,
WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE) USING {form} OPTIONS (path 'in', header 'true');
"""
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def rows(number: int = 601) -> pa.Table:
    """A row a second, on one of three pages, each due 100 seconds after its time."""
    times = [BEGIN + timedelta(seconds=each) for each in range(number)]
    kind = pa.timestamp("us", "UTC")
    return pa.table(
        {
            "id": pa.array(range(number), pa.int64()),
            "ts": pa.array(times, kind),
            "page": [f"page {each % 3}" for each in range(number)],
            "due": pa.array([each + timedelta(seconds=100) for each in times], kind),
            "more": ["not declared"] * number,
        }
    )


def told(
    folder: Path, query: str, sample: str, form: str = "parquet", *, fails: bool = False
) -> str:
    path = folder / "q.sql"
    path.write_text(SOURCE.format(form=form) + query, encoding="utf-8")
    words = [str(path), "--sample", sample]
    done = CliRunner().invoke(explain.command, words, catch_exceptions=False)
    assert (done.exit_code != 0) == fails, done.output
    return done.output


def held(text: str) -> list[int]:
    return [int(each.replace(",", "")) for each in re.findall(r"= ([\d,]+) (?:rows|groups)", text)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    parquet.write_table(rows().slice(0, 300), tmp_path / "in/1.parquet")
    parquet.write_table(rows().slice(300), tmp_path / "in/2.parquet")
    return tmp_path


@pytest.mark.parametrize(
    ("query", "number"),
    [
        # A minute of the watermark comes to each of them.
        ("SELECT id FROM clicks WHERE ts + INTERVAL 5 MINUTES <= WATERMARK_TS()", 360),
        ("SELECT id FROM clicks WHERE due + INTERVAL 20 SECONDS <= WATERMARK_TS()", 180),
        ("SELECT id FROM clicks WHERE WATERMARK_TS() < ts + INTERVAL 2 MINUTES", 180),
        # Three pages in each of two minutes, and of that which begins.
        (
            "SELECT page, count(*) FROM TUMBLE(clicks, ts, INTERVAL 1 MINUTE) "
            "GROUP BY page, window_end EMIT ON WINDOW CLOSE",
            9,
        ),
    ],
)
def test_rows_and_groups(folder: Path, query: str, number: int) -> None:
    (found,) = held(told(folder, f"{query};", "1000"))
    assert abs(found - number) <= (0.01 if number > 100 else 0.15) * number


def test_bytes_are_those_of_the_columns_that_are_held(folder: Path) -> None:
    held_until = "FROM clicks WHERE ts + INTERVAL 5 MINUTES <= WATERMARK_TS();"
    numbers = [
        int(
            re.findall(
                r"rows \* ([\d,]+) bytes", told(folder, f"SELECT {each} {held_until}", "9999")
            )[0]
        )
        for each in ("id", "id, ts", "id, page")
    ]
    assert numbers[0] == 8 + 8
    assert numbers[1] == 16 + 8
    assert 8 + 6 + 8 <= numbers[2] <= 8 + 6 + 8 + 8


def test_what_is_unbounded_stays_so(folder: Path) -> None:
    query = "SELECT a.id FROM clicks AS a JOIN clicks AS b ON a.id = b.id;"
    text = told(folder, query, "1000")
    assert "unbounded: all rows of both sides" in text
    assert "unbounded: grows by" in text
    assert "in all 0 bytes, beside what is unbounded" in text


def test_where_the_rows_are(folder: Path) -> None:
    query = "SELECT id FROM clicks WHERE ts + INTERVAL 5 MINUTES <= WATERMARK_TS();"
    assert held(told(folder, query, str(folder / "in/1.parquet"))) == [361]
    csv.write_csv(rows(), folder / "some.csv")
    assert held(told(folder, query, str(folder / "some.csv"), "csv")) == [361]
    lines = [json.dumps({"id": 1, "ts": f"2026-01-01T00:00:0{each}Z"}) for each in range(9)]
    (folder / "some.json").write_text("\n".join(lines))
    assert held(told(folder, query, f"clicks={folder}/some.json", "orc")) == [405]
    for bad in (f"{folder}/no.parquet", f"{folder}/q.sql", f"other={folder}/some.csv"):
        assert "Error" in told(folder, query, bad, fails=True)
    for number in ("0", "-5", "1.5"):
        text = told(folder, query, number, fails=True)
        assert f"--sample {number}: write a whole number of rows, 1 or more" in text


def test_windows_that_are_filled_keep_a_row_for_each_key(folder: Path) -> None:
    query = (
        "SELECT page, count(*) AS n FROM TUMBLE(clicks, ts, INTERVAL 1 MINUTE) FILL (0) "
        "GROUP BY page, window_start, window_end EMIT ON WINDOW CLOSE;"
    )
    text = told(folder, query, "1000")
    assert "unbounded: the last window with rows of each page, for ever" in text
    assert "3 groups in the sample, and more with each new key" in text
    assert "grows by" not in text
