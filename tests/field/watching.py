"""A job as the page sees it, with counters as the runtime makes them and names from outside."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pyspark.sql.types import StringType, TimestampType

from tvfc_runtime.counters.holdings import Held, Holding
from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.page.watched import Query, Watched, copied

HOSTILE = "<img src=x onerror=\"document.title='caught'\"> ` ' & \u2028 \ud800"
BEGAN_MS = 1_700_000_000_000
PARTS: list[dict[str, Any]] = [
    {"version": 1},
    {
        "operator": "source",
        "name": HOSTILE,
        "format": "kafka",
        "options": {"password": "s3cret"},
        "columns": ["id STRING", "ts TIMESTAMP"],
        "watermark": "ts - interval 30 second",
    },
    {"operator": "source", "name": "orders", "format": "json", "watermark": "at", "columns": []},
    {
        "operator": "join",
        "of": 1,
        "with": [{"rows": 2, "kind": "inner", "on": "#1.id = #2.id"}],
        "due": [["at #1.ts + interval 5 minute if (#1.paid > 0)"]],
        "columns": ["#1.id", "#1.ts", "#2.total as sum"],
    },
    {"operator": "tumble windows", "of": 1, "time": "ts", "size": "0:01:00"},
    {"operator": "groups", "of": 4, "key": ["window_start"], "closed": "at window_end"},
    {"operator": "late rows", "of": 1},
    {"sink": HOSTILE, "format": "parquet", "rows": 3, "held until due": "yes"},
    {"sink": "minutes", "format": "json", "options": {"path": "minutes"}, "rows": 5},
    {"sink": "refused", "format": "json", "rows": 6},
]
HELD = (
    Holding(
        "delay/4",
        "delay",
        HOSTILE,
        (
            Held("c0", "id", StringType()),
            Held("c1", "ts", TimestampType()),
            Held("c2", "sum", StringType()),
            Held("c3", "__at", TimestampType()),
        ),
    ),
)


def counters(batch: int = 7) -> Counters:
    """Those after a batch."""
    return Counters(
        rows_in=12_345 + batch,
        rows_out=678,
        watermark_ms=BEGAN_MS - 90_000,
        held=Counter({"delay/4": 1_020, "spark/join/0": 31, "spark/groups/0": 2}),
        out=Counter({"delay/4": 600, "minutes": 70, "refused": 8}),
        rows=Counter({HOSTILE: 12_000 + batch, "orders": 345}),
        arrived_ms={HOSTILE: BEGAN_MS, "orders": BEGAN_MS - 60_000},
        late=Counter({HOSTILE: 8}),
        bad=Counter({HOSTILE: 3}),
        examples={HOSTILE: {"record": f"bad {HOSTILE}", "reason": "id is no INT", "file": "f"}},
        late_examples={HOSTILE: f"late {HOSTILE}"},
        due={"delay/4": [[BEGAN_MS - 80_000 + 9_000 * n, 10 + n * (30 - n)] for n in range(28)]},
        watermarks_ms={HOSTILE: BEGAN_MS, "orders": BEGAN_MS - 90_000},
        batch=batch,
        began_ms=BEGAN_MS + 10_000 * batch,
        took_ms=1_500,
        phases_ms={"addBatch": 1_200},
        state_bytes=184_342,
    )


def watched(known: dict[str, Counters], checkpoint: str, *, with_rows: bool = False) -> Watched:
    """What the page of a job shows whose counters are in `known`, which may change."""
    found = Watched(f"job {HOSTILE}", lambda: copied(known), with_rows=with_rows)
    found.add(Query("job/out", checkpoint, PARTS, HELD, lambda: True))
    return found
