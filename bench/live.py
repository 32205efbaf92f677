"""TPC-H and Nexmark as live results: rows a second in, on two cores, and the state a row leaves.

    python bench/live.py              a table (half an hour)
    python bench/live.py QUERY        one measurement, as JSON

The queries are those of tests/tpch and tests/nexmark, over files of 50,000 rows of all tables or
streams, one of each a batch. TPC-H is of scale 0.1; its rows come in any order, as in the tests.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import delay as bench

# The nexmark of the tests is meant, not the bench of this name.
sys.path[:] = [each for each in sys.path if each != str(Path(__file__).resolve().parent)]
sys.path[:0] = [str(bench.ROOT), str(bench.ROOT / "tests")]

SCALE = "0.1"
EACH, BATCHES = 50_000, 16
QUERIES = {
    "TPC-H": ("q3", "q5", "q17", "q18"),
    "Nexmark": ("q4", "q9", "q18", "q19"),
}


def main() -> None:
    """Run one query, or all in turn, each in a process of its own."""
    if len(sys.argv) > 1:
        print(json.dumps(measured(sys.argv[1])))
        return
    for suite, names in QUERIES.items():
        for name in names:
            found = bench.apart(__file__, f"{suite} {name}")
            print(
                f"{suite} {name:<6}{found['rows_per_s']:>10,.0f} rows/s"
                f"{found['bytes_a_row']:>10,.0f} bytes of state a row",
                flush=True,
            )


def measured(name: str) -> dict[str, Any]:
    """One measurement."""
    suite, query = name.split()
    with tempfile.TemporaryDirectory() as folder:
        script, rows = SUITES[suite](Path(folder), query)
        found = bench.run(lambda spark, checkpoint: frame(spark, checkpoint, script), BATCHES - 1)
    times = [millis for _, millis in found["batches"]]
    return {
        "rows_per_s": rows / BATCHES * len(times) / sum(times) * 1000,
        "bytes_a_row": found["state_bytes"] / rows,
    }


def frame(spark: Any, checkpoint: str, script: str) -> Any:
    """The result of a script of one output, over files."""
    from compiler import compile_script
    from compiler.source import SourceText
    from scenario.job_module import load_job
    from tvfc_runtime import Job

    text = compile_script(SourceText("bench.sql", script)).text
    spec = load_job(text, bench.ROOT / "bench" / "job.py").JOB
    return spec.outputs[0].build(Job(spark, checkpoint))


def tpch(folder: Path, query: str) -> tuple[str, int]:
    """TPC-H's tables as files, and a query of them; how many rows these are that it reads."""
    from tpch.tables import batches, queries
    from tpch.test_queries import declared

    text, rows = queries()[query], 0
    for batch, tables in enumerate(batches(SCALE, BATCHES)):
        for name, table in tables.items():
            write(folder, name, batch, table)
            rows += len(table) if name in text else 0
    return one_a_batch(folder, declared(SCALE, expire=False)) + text, rows


def nexmark(folder: Path, query: str) -> tuple[str, int]:
    """Nexmark's events as files, and a query of them; how many events these are that it reads."""
    from nexmark.events import COLUMNS, House
    from nexmark.test_queries import DECLARED, QUERIES, as_table

    streams, text = QUERIES[query]
    house, rows = House(Random("Nexmark"), a_second=5_000), 0
    for batch in range(BATCHES):
        for name, events in house.events(EACH).items():
            write(folder, name, batch, as_table(events, COLUMNS[name]))
            rows += len(events) if name in streams else 0
    return one_a_batch(folder, DECLARED) + text, rows


def write(folder: Path, name: str, batch: int, table: Any) -> None:
    """A file of a source; the file source takes them in order of their times."""
    import pyarrow.parquet as pq

    path = folder / name / f"{batch:03}.parquet"
    path.parent.mkdir(exist_ok=True)
    pq.write_table(table, path)
    os.utime(path, (1_600_000_000 + batch, 1_600_000_000 + batch))


def one_a_batch(folder: Path, script: str) -> str:
    """A script whose sources read a file of the folder in each batch."""
    sources, table, rest = script.replace("FOLDER", str(folder)).partition("CREATE TABLE")
    return sources.replace("')", "', maxFilesPerTrigger '1')") + table + rest


SUITES = {"TPC-H": tpch, "Nexmark": nexmark}

if __name__ == "__main__":
    main()
