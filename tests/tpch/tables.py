"""TPC-H's tables, by the generator of the registry, and how they arrive in ten batches."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

BATCHES = 10

TABLES = (
    "customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier",
)  # fmt: skip

_SQL_TYPES = {
    pa.int64(): "BIGINT",
    pa.int32(): "INT",
    pa.string(): "STRING",
    pa.date32(): "DATE",
    pa.decimal128(15, 2): "DECIMAL(15, 2)",
}


@cache
def queries() -> dict[str, str]:
    """The queries by their names, `q1` to `q22`."""
    text = Path(__file__).with_name("queries.sql").read_text(encoding="utf-8")
    return dict(re.findall(r"^-- (q\d+): .*\n((?:(?!--).*\n)+)", text, re.MULTILINE))


@cache
def tables(scale: str) -> dict[str, pa.Table]:
    """All rows of all tables.

    Args:
        scale: the scale factor, 1 for a gigabyte.
    """
    generator = Path(sysconfig.get_path("scripts"), "tpchgen-cli")
    with TemporaryDirectory() as folder:
        command = [str(generator), "parquet", "-s", scale, "--output-dir", folder, "--quiet"]
        subprocess.run(command, check=True)
        return {name: _plain(pq.read_table(Path(folder, f"{name}.parquet"))) for name in TABLES}


def _plain(table: pa.Table) -> pa.Table:
    """Texts as Spark's readers and `filter` take them."""
    fields = [
        field.with_type(pa.string()) if field.type == pa.string_view() else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


@cache
def batches(scale: str, number: int = BATCHES) -> list[dict[str, pa.Table]]:
    """The rows of each batch; which one a row comes in is chance, so that partners come apart."""
    rng = Random(f"TPC-H at {scale}")
    found: list[dict[str, pa.Table]] = [{} for _ in range(number)]
    for name, table in tables(scale).items():
        places = pa.array([rng.randrange(number) for _ in range(len(table))])
        for batch, rows in enumerate(found):
            rows[name] = table.filter(pc.equal(places, batch))
    return found


def columns(name: str, scale: str) -> str:
    """The columns of a table as they are declared."""
    return ", ".join(
        f"{field.name} {_SQL_TYPES[field.type]}" for field in tables(scale)[name].schema
    )
