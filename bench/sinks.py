"""How fast tables with keys take changes: netted by key, merged, and committed with the batch.

    python bench/sinks.py [--keys 1000000] [--changes 10000] [--batches 5] [SYSTEM …]

A table of so many keys is filled in one batch. Then each batch changes random rows: half of its
changes take a row back, half bring one in its place; one in ten is a row that goes or comes for
good. What Spark does before, to compute the rows and to hand them over, is not in the figures.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import types as t

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from field.servers.postgres import postgres
from field.systems import SYSTEMS, system

from tvfc_runtime.sinks.net import net_changes
from tvfc_runtime.sinks.tables import SinkTable
from tvfc_runtime.sinks.writers import TABLES

COLUMNS = t.StructType().add("id", "long").add("name", "string").add("n", "long")
COLUMNS = COLUMNS.add("x", "double")


def main() -> None:
    """A line for each system."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--changes", type=int, default=10_000)
    parser.add_argument("--batches", type=int, default=5)
    parser.add_argument("systems", nargs="*", default=SYSTEMS)
    options = parser.parse_args()
    with ExitStack() as stack:
        url = stack.enter_context(postgres()) if "postgres" in options.systems else ""
        for name in options.systems:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
            given = {
                key.lower(): value
                for key, value in system(name, folder, url).options("live").items()
            }
            table = SinkTable(sink="live", columns=COLUMNS, key=("id",), options=given)
            first, *seconds = _timed(TABLES[name](table), options)
            median = float(np.median(seconds))
            print(
                f"{name:<10}{first:>7.1f} s to fill{median:>9.2f} s a batch"
                f"{options.changes / median:>12,.0f} changes/s",
                flush=True,
            )


def _timed(sink: object, options: argparse.Namespace) -> Iterator[float]:
    for number, (rows, diff) in enumerate(_batches(options)):
        begin = time.perf_counter()
        net = net_changes(rows, diff, ["c0"], ("id",))
        sink.merge("bench", number, net)  # type: ignore[attr-defined]
        yield time.perf_counter() - begin


def _batches(options: argparse.Namespace) -> Iterator[tuple[pa.Table, pa.ChunkedArray]]:
    rng = np.random.default_rng(1)
    version = np.zeros(options.keys, np.int64)
    there = np.ones(options.keys, np.bool_)
    there[::20] = False
    ids = np.flatnonzero(there)
    yield _rows(ids, version), pa.chunked_array([np.ones(len(ids), np.int32)])
    for _ in range(options.batches):
        chosen = rng.choice(options.keys, options.changes // 2, replace=False)
        old = chosen[there[chosen]]
        before = _rows(old, version)
        version[chosen] += 1
        there[chosen] = rng.random(len(chosen)) > 0.05
        new = chosen[there[chosen]]
        diff = np.concatenate([np.full(len(old), -1, np.int32), np.ones(len(new), np.int32)])
        yield pa.concat_tables([before, _rows(new, version)]), pa.chunked_array([diff])


def _rows(ids: np.ndarray, version: np.ndarray) -> pa.Table:
    number = version[ids]
    names = pa.array([f"device {at}" for at in ids.tolist()])
    return pa.table({"c0": ids, "c1": names, "c2": number, "c3": number * 0.5})


if __name__ == "__main__":
    main()
