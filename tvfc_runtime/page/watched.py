"""Looks at the counters of the queries of a job, and wakes those who wait for news of them."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from threading import Condition, Thread
from typing import Any

from tvfc_runtime.checkpoint.storage import list_numbers
from tvfc_runtime.clock.of_batch import noted_of_batch
from tvfc_runtime.counters.holdings import Holding
from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.page.graph import graph_of
from tvfc_runtime.page.history import History
from tvfc_runtime.page.shown import point_of, shown
from tvfc_runtime.reports.query_status import QueryStatus, status_from
from tvfc_runtime.reports.verdicts import LONG_MS

EVERY_S = 0.5
"""How often to look."""

NEWS_S = 5.0
"""Without news the page is told so often that all is as it was, with sentences on silences."""


@dataclass(frozen=True)
class Query:
    """A streaming query that is watched.

    Attributes:
        name: what Spark calls it, by which its counters are found.
        checkpoint: of the query.
        parts: the description of its state.
        held: what operators of the runtime hold.
        is_active: tells whether it runs; asks nothing of Spark, which may be gone.
        history: of its counters.
    """

    name: str
    checkpoint: str
    parts: list[dict[str, Any]]
    held: tuple[Holding, ...]
    is_active: Callable[[], bool]
    history: History = field(default_factory=History)


class Watched:
    """The queries of a job, looked at by a thread of its own.

    Args:
        job: the name of the job.
        read: gives a copy of the counters of each query, by name.
        with_rows: tell values of rows, too.
    """

    def __init__(
        self, job: str, read: Callable[[], Mapping[str, Counters]], *, with_rows: bool = False
    ) -> None:
        self._job = job
        self._read = read
        self._with_rows = with_rows
        self._queries: list[Query] = []
        self._news = Condition()
        self._version = 0
        self._seen: tuple[Any, ...] = ()
        self._told_s = 0.0

    def add(self, query: Query) -> None:
        """Watch one more query, or one that goes on in another run."""
        with self._news:
            for place, known in enumerate(self._queries):
                if known.name == query.name:
                    self._queries[place] = replace(query, history=known.history)
                    return
            self._queries.append(query)

    def begin(self) -> None:
        """Look at the counters until the process ends."""
        Thread(target=self._watch, name="tvfc page", daemon=True).start()

    def _watch(self) -> None:
        while True:
            self.look()
            time.sleep(EVERY_S)

    def look(self) -> None:
        """Look at the counters once."""
        counters = self._read()
        with self._news:
            for query in self._queries:
                _remember(query, counters.get(query.name))
            seen = (
                len(self._queries),
                *((name, each.batch) for name, each in counters.items()),
                *(query.is_active() for query in self._queries),
            )
            if seen != self._seen or time.monotonic() - self._told_s >= NEWS_S:
                self._seen, self._told_s = seen, time.monotonic()
                self._version += 1
                self._news.notify_all()

    def wait(self, version: int, patience_s: float) -> int:
        """The number of the newest news, once it is another one than `version`, or time is up."""
        with self._news:
            self._news.wait_for(lambda: self._version != version, patience_s)
            return self._version

    def everything(self) -> str:
        """All that the page is told, as JSON: the plan and history of each query, and its state."""
        counters = self._read()
        with self._news:
            return json.dumps(
                {
                    "job": self._job,
                    "with_rows": self._with_rows,
                    "now_ms": now_ms(),
                    "queries": [
                        {
                            "name": each.name,
                            "sinks": [part["sink"] for part in each.parts if "sink" in part],
                            "graph": graph_of(each.parts).to_json(),
                            "history": each.history.points,
                            "state": self._shown(each, counters),
                        }
                        for each in self._queries
                    ],
                },
                ensure_ascii=False,
            )

    def news(self) -> str:
        """What may have changed, as JSON: the state of each query, and its newest point."""
        counters = self._read()
        with self._news:
            return json.dumps(
                {
                    "now_ms": now_ms(),
                    "queries": [
                        {
                            "name": each.name,
                            "point": each.history.points[-1] if each.history.points else None,
                            "state": self._shown(each, counters),
                        }
                        for each in self._queries
                    ],
                },
                ensure_ascii=False,
            )

    def _shown(self, query: Query, counters: Mapping[str, Counters]) -> dict[str, Any]:
        own = counters.get(query.name, Counters())
        now = now_ms()
        status = _with_process(query, _status(query, own), now)
        return shown(status, own, query.held, now, with_rows=self._with_rows)


def now_ms() -> int:
    """The wall clock, milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def copied(counters: Mapping[str, Counters]) -> dict[str, Counters]:
    """Counters that stay as they are."""
    return {name: copy.deepcopy(each) for name, each in counters.items()}


def _status(query: Query, counters: Counters) -> QueryStatus:
    outputs = {each.operator: each.output for each in query.held}
    return status_from(query.checkpoint, query.parts, counters, outputs)


def _remember(query: Query, counters: Counters | None) -> None:
    """A point of the batch that was counted last, if it is new."""
    if counters is None or counters.began_ms is None:
        return
    points = query.history.points
    if not points or points[-1][0] != counters.began_ms:
        query.history.add(point_of(_status(query, counters), counters))


def _with_process(query: Query, status: QueryStatus, now: int) -> QueryStatus:
    """A status with what the process does: whether the query runs, and a batch that takes long."""
    status = replace(status, runs=query.is_active())
    if status.runs and status.began_ms is not None and now - status.began_ms < LONG_MS:
        return status
    # Spark's logs of batches are read only if none was counted for long.
    begun = max(list_numbers(f"{query.checkpoint}/offsets"), default=-1)
    done = max(list_numbers(f"{query.checkpoint}/commits"), default=-1)
    if begun <= done:
        return status
    try:
        began = int(noted_of_batch(query.checkpoint, begun)["batchTimestampMs"])
    except (ValueError, TypeError, IndexError, KeyError, OSError):
        return status  # It is being written just now.
    return replace(status, unfinished=begun, unfinished_ms=began)
