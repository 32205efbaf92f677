"""What one batch of a query has done, and how the query stands after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tvfc_runtime.counters.progress import Counters


@dataclass(frozen=True, kw_only=True)
class Batch:
    """A batch that is done. Fields are named as in `batches/N`; see `Counters`.

    Attributes:
        query: what Spark calls the query.
        batch: its number.
        began_ms: when it began, milliseconds since the epoch.
        took_ms: how long it took, in milliseconds.
        phases_ms: where that time went, by Spark's names of phases.
        watermark_ms: its clock, milliseconds since the epoch; None: there is none yet.
        watermarks_ms: how far each source has come, likewise.
        rows: rows that it read, by source, late ones included.
        late: of these, those that the watermark refused.
        without_time: of these, those whose time is NULL.
        bad: records that did not fit, by source.
        out: rows that it wrote, by sink.
        held: rows that are held after it, by operator.
    """

    query: str
    batch: int
    began_ms: int | None
    took_ms: int | None
    phases_ms: dict[str, int]
    watermark_ms: int | None
    watermarks_ms: dict[str, int]
    rows: dict[str, int]
    late: dict[str, int]
    without_time: dict[str, int]
    bad: dict[str, int]
    out: dict[str, int]
    held: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def batch_of(query: str, counters: Counters, outputs: Mapping[str, str]) -> Batch:
    """The batch that was counted last.

    Args:
        query: what Spark calls the query.
        counters: what is counted of it.
        outputs: the output of each operator that holds rows, by the operator's name.
    """
    done = counters.of_batch
    by_sink: Counter[str] = Counter()
    for name, rows in done.get("out", {}).items():
        by_sink[outputs.get(name, name)] += rows
    by_source = {kind: dict(done.get(kind, {})) for kind in ("rows", "late", "without_time", "bad")}
    return Batch(
        query=query,
        batch=counters.batch,
        began_ms=counters.began_ms,
        took_ms=counters.took_ms,
        phases_ms=dict(counters.phases_ms),
        watermark_ms=counters.watermark_ms,
        watermarks_ms=dict(counters.watermarks_ms),
        **by_source,
        out=dict(by_sink),
        held=dict(counters.held),
    )
