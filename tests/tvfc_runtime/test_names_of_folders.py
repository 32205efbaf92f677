"""Names of sinks as those of checkpoints: below the given folder, and different."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql.types import IntegerType, StructField, StructType

from tvfc_runtime.job.program import folder_name
from tvfc_runtime.sinks import SinkError
from tvfc_runtime.sinks.sqlite import SqliteSink

ODD = ["..", ".", "../x", "a/b", "a\\b", "a\0b", "a\nb", "%2F", "C:x", "a*", "x" * 5_000, "订" * 99]


@pytest.mark.parametrize("name", ["out", "Out 2", "größe", "a-b_c.d", "x (1)"])
def test_most_names_stay(name: str) -> None:
    assert folder_name(name) == name


def test_a_name_never_leads_out_of_its_folder(tmp_path: Path) -> None:
    found = {folder_name(name) for name in [*ODD, "x" * 5_001]}
    assert len(found) == len(ODD) + 1
    for each in found:
        folder = tmp_path / each
        folder.mkdir()
        assert folder.resolve().parent == tmp_path.resolve()


@pytest.mark.parametrize("table", ["a\0b", "sqlite_master", "SQLITE_x", "_tvfc_batches"])
def test_names_that_sqlite_has_not(table: str) -> None:
    columns = StructType([StructField("k", IntegerType())])
    with pytest.raises(SinkError, match="TVF707"):
        SqliteSink.of("o", columns, ("k",), {"path": "x.db", "table": table})
