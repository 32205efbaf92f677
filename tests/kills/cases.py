"""The queries that are killed: each has other operators and writes to other kinds of sinks."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

from field.systems import SYSTEMS, system

SOURCE = """CREATE SOURCE events (id INT, k STRING, ts TIMESTAMP, until TIMESTAMP, v INT,
  WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING json OPTIONS (path 'in', maxFilesPerTrigger '1');
"""

HISTORY = "backfill 'json', backfill.path 'old', backfill.maxFilesPerTrigger '1'"
ROWS_A_FILE = 12
SECONDS_A_FILE = 6
BEGIN_S = 1_700_000_000

TABLES_OUTSIDE = ("rows", "history", "live")
OUTSIDE = """CREATE SINK rows {rows} AS
SELECT id, k, ts FROM events WHERE ts + INTERVAL 15 SECONDS <= WATERMARK_TS();
CREATE SINK history {history} AS
SELECT k, count(*) AS n, sum(v) AS total FROM events
WHERE WATERMARK_TS() >= ts AND WATERMARK_TS() < until GROUP BY k;
CREATE SINK live {live} AS
SELECT k, count(*) AS n, sum(v) AS total, max(until) AS until FROM events
WHERE WATERMARK_TS() >= ts AND WATERMARK_TS() < until GROUP BY k;
"""
"""What a system outside gets: rows for good, changes as rows, a row for each key."""


@dataclass(frozen=True)
class Case:
    """A script with sinks `files` in folders and `tables` in SQLite, all below its own folder.

    With `system`, it has the sinks of `OUTSIDE` there as well. With `history`, so many files of
    its feed are there before, as the history of its source.

    Of the sinks in Kafka, `topics` are compared record by record, and `held` by what each key has
    at last: which of its values were there in between depends on how the input was cut.
    """

    name: str
    sinks: str
    files: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    cluster: bool = False
    per: str = ""
    system: str | None = None
    history: int = 0

    def outside(self, folder: Path, url: str) -> str:
        """The sinks in its system, for a folder; a database that it may need has this URL."""
        if self.system is None:
            return ""
        there = system(self.system, folder, url)
        named = {
            "rows": there.using("rows"),
            "history": there.using("history", mode="changelog"),
            "live": there.using("live", key="k"),
        }
        return OUTSIDE.format(**named)

    def script(self, kafka: str, prefix: str) -> str:
        """The whole script, for a broker and topics whose names begin so."""
        source = SOURCE.replace("2 SECONDS)", f"2 SECONDS {self.per})") if self.per else SOURCE
        if self.history:
            source = source.replace("path 'in'", f"path 'in', {HISTORY}")
        return source + self.sinks.replace("{kafka}", kafka).replace("{prefix}", prefix)

    @property
    def master(self) -> str:
        """Where it runs: a cluster has executors of their own, and tries a lost task again."""
        return "local-cluster[2,1,1024]" if self.cluster else "local[2]"


CASES = (
    Case(
        "delay",
        """CREATE SINK out USING parquet OPTIONS (path 'out') AS
SELECT id, k, ts FROM events WHERE ts + INTERVAL 15 SECONDS <= WATERMARK_TS();
""",
        files=("out",),
    ),
    Case(
        "late_rows_beside",
        """CREATE SINK out USING json OPTIONS (path 'out') AS
SELECT id, v FROM events WHERE ts + INTERVAL 9 SECONDS <= WATERMARK_TS() OR v > 90;
CREATE SINK refused USING sqlite OPTIONS (path 'tables.db', table 'refused', key 'id') AS
SELECT id, ts, _watermark FROM LATE(events);
""",
        files=("out",),
        tables=("refused",),
    ),
    Case(
        "least_of_groups",
        """CREATE SINK out USING parquet OPTIONS (path 'out') AS
SELECT id, k, ts FROM events WHERE ts + INTERVAL 9 SECONDS <= WATERMARK_TS();
CREATE SINK refused USING sqlite OPTIONS (path 'tables.db', table 'refused', key 'id') AS
SELECT id, ts, _watermark FROM LATE(events);
""",
        files=("out",),
        tables=("refused",),
        per="PER k",
    ),
    Case(
        "history",
        """CREATE SINK out USING parquet OPTIONS (path 'out') AS
SELECT id, k, ts FROM events WHERE ts + INTERVAL 9 SECONDS <= WATERMARK_TS();
CREATE SINK refused USING sqlite OPTIONS (path 'tables.db', table 'refused', key 'id') AS
SELECT id, ts, _watermark FROM LATE(events);
""",
        files=("out",),
        tables=("refused",),
        history=40,
    ),
    Case(
        "live_totals",
        """CREATE SINK live USING sqlite OPTIONS (path 'tables.db', table 'live', key 'k') AS
SELECT k, count(*) AS n, sum(v) AS total, max(until) AS until FROM events
WHERE WATERMARK_TS() >= ts AND WATERMARK_TS() < until GROUP BY k;
CREATE SINK history USING parquet OPTIONS (path 'history') AS
SELECT k, count(*) AS n, sum(v) AS total FROM events
WHERE WATERMARK_TS() >= ts AND WATERMARK_TS() < until GROUP BY k;
""",
        files=("history",),
        tables=("live",),
    ),
    Case(
        "closed_windows",
        """CREATE SINK windows USING parquet OPTIONS (path 'windows') AS
SELECT window_start, k, count(*) AS n, sum(v) AS total
FROM TUMBLE(events, ts, INTERVAL 10 SECONDS) GROUP BY window_start, k EMIT ON WINDOW CLOSE;
CREATE SINK steps USING json OPTIONS (path 'steps') AS
SELECT id, k, v - lag(v) OVER (PARTITION BY k ORDER BY ts, id) AS step FROM events
EMIT ON WINDOW CLOSE;
CREATE SINK visits USING json OPTIONS (path 'visits') AS
SELECT k, window_start, window_end, count(*) AS n
FROM SESSION(events, ts, k, INTERVAL 3 SECONDS) GROUP BY k, window_start, window_end
EMIT ON WINDOW CLOSE;
""",
        files=("windows", "steps", "visits"),
    ),
    Case(
        "alerts_on_a_cluster",
        """CREATE SINK silent USING parquet OPTIONS (path 'silent') AS
SELECT id, k, ts FROM events AS e WHERE ts + INTERVAL 8 SECONDS <= WATERMARK_TS()
AND NOT EXISTS (SELECT 1 FROM events AS f WHERE f.k = e.k AND f.ts > e.ts
  AND f.ts <= e.ts + INTERVAL 8 SECONDS);
CREATE SINK newest USING sqlite OPTIONS (path 'tables.db', table 'newest', key 'k') AS
SELECT k, id, ts FROM events QUALIFY row_number() OVER (PARTITION BY k ORDER BY ts DESC, id) = 1;
""",
        files=("silent",),
        tables=("newest",),
        cluster=True,
    ),
    Case(
        "kafka",
        """CREATE SINK out USING kafka
OPTIONS (topic '{prefix}out', `kafka.bootstrap.servers` '{kafka}', key 'k', mode 'append') AS
SELECT id, k, ts FROM events WHERE ts + INTERVAL 9 SECONDS <= WATERMARK_TS() OR v > 90;
CREATE SINK history USING kafka
OPTIONS (topic '{prefix}history', `kafka.bootstrap.servers` '{kafka}') AS
SELECT id, k, v FROM events WHERE WATERMARK_TS() >= ts AND WATERMARK_TS() < until;
CREATE SINK live USING kafka
OPTIONS (topic '{prefix}live', `kafka.bootstrap.servers` '{kafka}', key 'id') AS
SELECT id, v, until FROM events WHERE WATERMARK_TS() >= ts AND WATERMARK_TS() < until;
""",
        topics=("out", "history"),
        held=("live",),
    ),
    Case(
        "kafka_alone",
        """CREATE SINK out USING kafka
OPTIONS (topic '{prefix}out', `kafka.bootstrap.servers` '{kafka}', key 'k', mode 'append') AS
SELECT id, k, ts FROM events WHERE ts + INTERVAL 9 SECONDS <= WATERMARK_TS() OR v > 90;
""",
        topics=("out",),
    ),
    *(Case(name, "", system=name) for name in SYSTEMS),
)


def write_file(folder: Path, number: int, rng: Random) -> None:
    """One file of the feed, which is moved to its place once it is whole.

    Rows are of `SECONDS_A_FILE` seconds of event time, in no order; some are late, some have no
    key, no value or no time.
    """
    begin = number * SECONDS_A_FILE
    rows = []
    for place in range(ROWS_A_FILE):
        at = begin + rng.uniform(0, SECONDS_A_FILE)
        if rng.random() < 0.1:
            at -= 20
        rows.append(
            {
                "id": number * ROWS_A_FILE + place,
                "k": rng.choice((*"abcdefgh", None)),
                "ts": None if rng.random() < 0.02 else moment(at),
                "until": moment(at + rng.uniform(0, 20)),
                "v": rng.choice((*range(0, 100, 7), None)),
            }
        )
    hidden = folder / f".{number:05}"
    hidden.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    # The file source reads files in order of their times.
    os.utime(hidden, (1_600_000_000 + number, 1_600_000_000 + number))
    hidden.rename(folder / f"{number:05}.json")


def moment(second: float) -> str:
    """An instant of the feed in words, to the millisecond."""
    whole, millis = divmod(round(second * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(BEGIN_S + whole)) + f".{millis:03}Z"
