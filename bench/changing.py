"""Aggregates over changing relations: each row comes as +1 and leaves some batches later as -1.

    python bench/changing.py                 a table (some minutes)
    python bench/changing.py MODE            one measurement, as JSON

The rows are those of bench/delay.py: 200,000 a batch. They fall on 10,000 keys and leave after two
batches, so that in the steady state a batch has 400,000 updates. Rows are counted as they come.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import delay as bench

BATCHES = 12
KEYS = 10_000
LEAVES_AFTER = 2 * bench.BATCH_ROWS

MODES: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    "count": [("count", ())],
    "sums": [("count", ()), ("sum", ("y",)), ("avg", ("x",)), ("stddev", ("x",))],
    "bags": [("min", ("y",)), ("max", ("y",))],
    "distinct": [("count distinct", ("z",))],
}
"""Calls by mode; y is an integer, x a double, z one of 100 values."""

AT_EVERY_TIME = " history"
"""Behind a mode: the rows of a batch have many clock values, and the result is told at each."""

ROWS_A_MS = 20

ROW = "named_struct('k', pmod(xxhash64({0}), {keys}), 'y', {0} * 7, 'x', {0} / 7, 'z', {0} % 100"


def main() -> None:
    """Run one mode, or all in turn, each in a process of its own."""
    if len(sys.argv) > 1:
        print(json.dumps(measured(sys.argv[1])))
        return
    for mode in [*MODES, f"count{AT_EVERY_TIME}", f"sums{AT_EVERY_TIME}", "top"]:
        found = bench.apart(__file__, mode)
        print(
            f"{mode:<16}{found['rows_per_s']:>12,.0f} rows/s   "
            f"last batches {found['last_ms']:,.0f} ms   {found['memory_mib']:,.0f} MiB",
            flush=True,
        )


def measured(mode: str) -> dict[str, Any]:
    """One measurement."""

    def build(spark: Any, checkpoint: str) -> Any:
        from tvfc_runtime import Job, Source, Watermark
        from tvfc_runtime.changing.calls import Call
        from tvfc_runtime.changing.ranks import Sort

        job = Job(spark, checkpoint, read=lambda _: bench.readings(spark))
        source = Source(name="readings", format="rate", columns=bench.COLUMNS)
        kind, is_exact = mode.removesuffix(AT_EVERY_TIME), mode.endswith(AT_EVERY_TIME)
        updates = updates_of(job.watermarked(source, Watermark(time="ts")), is_exact=is_exact)
        if mode == "top":
            order = (Sort("y", descending=True),)
            return job.top(
                updates,
                partition=("k",),
                order=order,
                limit=3,
                number_column="n",
                per_batch=True,
            )
        calls = [
            Call(
                name=f"r{place}",
                function=function.split()[0],
                arguments=arguments,
                distinct="distinct" in function,
            )
            for place, (function, arguments) in enumerate(MODES[kind])
        ]
        return job.aggregate(updates, ["k"], *calls, per_batch=not is_exact)

    return bench.run(build, BATCHES)


def updates_of(rows: Any, *, is_exact: bool) -> Any:
    """Each row as it comes, and the one that leaves then."""
    comes = ROW.format("id", keys=KEYS) + ", '__diff', 1)"
    leaves = ROW.format(f"(id - {LEAVES_AFTER})", keys=KEYS) + ", '__diff', -1)"
    both = f"IF(id < {LEAVES_AFTER}, array({comes}), array({comes}, {leaves}))"
    at = f"id div {ROWS_A_MS} + 1" if is_exact else "0L"
    return rows.selectExpr(f"inline({both})", f"{at} AS __time")


if __name__ == "__main__":
    main()
