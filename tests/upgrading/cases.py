"""Kinds of change to a query that runs."""

from __future__ import annotations

from upgrading.upgraded import Case, Files

EVENTS = """CREATE SOURCE events (id STRING, ts TIMESTAMP, price INT, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in', maxFilesPerTrigger '1');
"""
OUT = "CREATE SINK out USING json OPTIONS (path 'out') AS "
DELAYED = (
    f"{EVENTS}{OUT}SELECT id, price FROM events WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS();"
)
ALL = f"{EVENTS}{OUT}SELECT * FROM events WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS();"
WINDOWS = f"""{EVENTS}{OUT}SELECT window_start, count(*) AS n
FROM TUMBLE(events, ts, INTERVAL 10 SECONDS) GROUP BY window_start, window_end EMIT ON WINDOW CLOSE;
"""


WINDOWS_BESIDE = (
    WINDOWS.replace(EVENTS, "").replace("SINK out", "SINK wins").replace("'out'", "'w'")
)
EXTRA = "CREATE SINK extra USING json OPTIONS (path 'extra') AS SELECT id FROM LATE(events);\n"
"""A query with several sinks writes files otherwise than one with one."""


FIRST_SINK = (
    "CREATE SINK first USING json OPTIONS (path 'first') AS SELECT id, ts FROM events "
    "WHERE ts + INTERVAL 7 SECONDS <= WATERMARK_TS();\n"
)


def events(*rows: tuple[str, float, int]) -> Files:
    """A file of the source `events`."""
    return {"in": [{"id": id_, "ts": ts, "price": price} for id_, ts, price in rows]}


BEFORE = [
    events(("a", 1, 1), ("b", 4, 2)),
    events(("c", 9, 3), ("d", 8, 9)),
    events(("e", 12, 5)),
]
"""The clock is at 12 then; of a delay of 5 seconds a and b have left, c, d and e are held."""

AFTER = [events(("f", 14, 6)), events(("g", 31, 7)), events(("h", 60, 8))]

HELD = [("c", 3), ("d", 9), ("e", 5), ("f", 6), ("g", 7)]
TIMES = [("c", 9), ("d", 8), ("e", 12), ("f", 14), ("g", 31)]
"""What is held then and what comes, as far as AFTER lets it leave."""

CASES = [
    Case(
        "a longer delay whose columns are not held",
        DELAYED,
        DELAYED.replace("5 SECONDS", "7500 MILLISECONDS"),
        {"delay out": "converted", "source events": "same", "sink out": "same"},
        BEFORE,
        [events(("f", 16.4, 6)), events(("g", 16.5, 7))],
        {"out": [{"id": "c", "price": 3}, {"id": "d", "price": 9}]},
    ),
    Case(
        "a shorter delay",
        DELAYED,
        DELAYED.replace("5 SECONDS", "3 SECONDS"),
        {"delay out": "converted"},
        BEFORE,
        [events(("f", 13, 6))],
        {"out": [{"id": "c", "price": 3}, {"id": "d", "price": 9}]},
    ),
    Case(
        "another guard",
        ALL,
        ALL.replace("WHERE ", "WHERE price <> 9 AND "),
        {"delay out": "converted"},
        BEFORE,
        [events(("f", 14, 6))],
        {"out": [{"id": "c", "ts": "2026-01-01T00:00:09.000Z", "price": 3}]},
    ),
    Case(
        "a guard over what is not held",
        DELAYED,
        DELAYED.replace("WHERE ", "WHERE date_trunc('MINUTE', ts) = ts AND "),
        {"delay out": "lost"},
        BEFORE,
        AFTER,
        {"out": [{"id": "h", "price": 8}][:0]},
        accept=True,
    ),
    Case(
        "a column that is selected no more, and one that is computed of another",
        DELAYED,
        DELAYED.replace("id, price", "price * 2 AS twice, price"),
        {"delay out": "converted"},
        BEFORE,
        [events(("f", 14, 6))],
        {"out": [{"price": 3, "twice": 6}, {"price": 9, "twice": 18}]},
    ),
    Case(
        "a column that is not held",
        DELAYED,
        DELAYED.replace("id, price", "id, date_trunc('MINUTE', ts) AS minute"),
        {"delay out": "lost"},
        BEFORE,
        [events(("f", 13, 6)), events(("g", 18, 6))],
        {"out": [{"id": "f", "minute": "2026-01-01T00:00:00.000Z"}]},
        accept=True,
    ),
    Case(
        "a column that is selected no more, with the time held",
        ALL,
        ALL.replace("*", "id, ts"),
        {"delay out": "converted"},
        BEFORE,
        [events(("f", 14, 6))],
        {
            "out": [
                {"id": "c", "ts": "2026-01-01T00:00:09.000Z"},
                {"id": "d", "ts": "2026-01-01T00:00:08.000Z"},
            ]
        },
    ),
    Case(
        "a column that the source has from now on",
        ALL,
        ALL.replace("price INT", "price INT, note STRING"),
        {"delay out": "converted", "source events": "converted"},
        BEFORE,
        [{"in": [{"id": "f", "ts": 14, "price": 6, "note": "n"}]}, events(("g", 20, 1))],
        {
            "out": [
                {"id": "c", "ts": "2026-01-01T00:00:09.000Z", "price": 3},
                {"id": "d", "ts": "2026-01-01T00:00:08.000Z", "price": 9},
                {"id": "e", "ts": "2026-01-01T00:00:12.000Z", "price": 5},
                {"id": "f", "ts": "2026-01-01T00:00:14.000Z", "price": 6, "note": "n"},
            ]
        },
    ),
    Case(
        "another name for a column",
        ALL,
        ALL.replace("*", "id AS name, ts, price"),
        {"delay out": "converted"},
        BEFORE,
        [events(("f", 14, 6))],
        {
            "out": [
                {"name": "c", "ts": "2026-01-01T00:00:09.000Z", "price": 3},
                {"name": "d", "ts": "2026-01-01T00:00:08.000Z", "price": 9},
            ]
        },
    ),
    Case(
        "a wider type",
        ALL,
        ALL.replace("price INT", "price BIGINT"),
        {"delay out": "converted", "source events": "converted"},
        BEFORE,
        [events(("f", 14, 10_000_000_000)), events(("g", 20, 1))],
        {
            "out": [
                {"id": "c", "ts": "2026-01-01T00:00:09.000Z", "price": 3},
                {"id": "d", "ts": "2026-01-01T00:00:08.000Z", "price": 9},
                {"id": "e", "ts": "2026-01-01T00:00:12.000Z", "price": 5},
                {"id": "f", "ts": "2026-01-01T00:00:14.000Z", "price": 10_000_000_000},
            ]
        },
    ),
    Case(
        "a narrower type",
        ALL,
        ALL.replace("price INT", "price SMALLINT"),
        {"delay out": "lost"},
        BEFORE,
        [events(("f", 14, 6)), events(("g", 20, 1))],
        {"out": [{"id": "f", "ts": "2026-01-01T00:00:14.000Z", "price": 6}]},
        accept=True,
    ),
    Case(
        "another sink",
        DELAYED,
        DELAYED.replace("'out'", "'elsewhere'"),
        {"delay out": "same", "sink out": "converted"},
        BEFORE,
        [events(("f", 14, 6))],
        {"elsewhere": [{"id": "c", "price": 3}, {"id": "d", "price": 9}]},
    ),
    Case(
        "other names of source and view",
        f"{EVENTS}CREATE VIEW v AS SELECT id, ts FROM events; {OUT}SELECT id FROM v "
        "WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS();",
        f"{EVENTS.replace('events', 'things')}CREATE VIEW w AS SELECT id, ts FROM things; {OUT}"
        "SELECT id FROM w WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS();",
        {"delay out": "same", "source things": "converted"},
        BEFORE,
        [events(("f", 14, 6))],
        {"out": [{"id": "c"}, {"id": "d"}]},
    ),
    Case(
        "one sink more, before the others",
        WINDOWS + EXTRA,
        WINDOWS.replace(
            OUT,
            "CREATE SINK first USING json OPTIONS (path 'first') AS SELECT id FROM events "
            f"WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS(); {OUT}",
        )
        + EXTRA,
        {"delay first": "needs history", "spark/groups out": "same", "sink first": "new"},
        BEFORE,
        AFTER[:2],
    ),
    Case(
        "another delay, and a new sink with the delay that it had",
        DELAYED + EXTRA,
        DELAYED.replace("5 SECONDS", "7 SECONDS").replace(
            OUT,
            "CREATE SINK first USING json OPTIONS (path 'first') AS SELECT id, price FROM events "
            f"WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS(); {OUT}",
        )
        + EXTRA,
        {"delay first": "same", "delay out": "converted"},
        BEFORE,
        AFTER,
        {name: [{"id": i, "price": p} for i, p in HELD] for name in ("first", "out")},
    ),
    Case(
        "another delay, and a new sink with another one",
        DELAYED + EXTRA,
        DELAYED.replace("5 SECONDS", "6 SECONDS").replace(OUT, FIRST_SINK + OUT) + EXTRA,
        {"delay first": "needs history", "delay out": "converted"},
        BEFORE,
        AFTER,
        {
            "first": [{"id": i, "ts": f"2026-01-01T00:00:{s:02}.000Z"} for i, s in TIMES],
            "out": [{"id": i, "price": p} for i, p in HELD],
        },
    ),
    Case(
        "another SELECT above windows",
        WINDOWS,
        WINDOWS.replace(f"{OUT}SELECT", "CREATE VIEW w AS SELECT").replace(
            "CLOSE;", f"CLOSE; {OUT}SELECT n * 2 AS twice FROM w WHERE n > 1;"
        ),
        {"spark/groups w": "same"},
        BEFORE,
        AFTER,
    ),
    Case(
        "another aggregate",
        WINDOWS,
        WINDOWS.replace("count(*) AS n", "count(*) AS n, sum(price) AS total"),
        {"spark/groups out": "needs history", "sink out": "same"},
        BEFORE,
        AFTER,
    ),
    Case(
        "another condition before windows",
        WINDOWS,
        WINDOWS.replace("GROUP", "WHERE price <> 5 GROUP"),
        {"spark/groups out": "needs history"},
        BEFORE,
        AFTER,
    ),
    Case(
        "larger windows, and rows that came late",
        WINDOWS,
        WINDOWS.replace("10 SECONDS", "20 SECONDS"),
        {"spark/groups out": "needs history"},
        [*BEFORE, events(("late", 11, 1))],
        AFTER,
    ),
    Case(
        "another watermark",
        WINDOWS,
        WINDOWS.replace("AS ts)", "AS ts - INTERVAL 3 SECONDS)"),
        {"spark/groups out": "same", "source events": "converted"},
        BEFORE,
        [events(("f", 31, 6)), events(("g", 34, 7))],
        {"out": [{"window_start": "2026-01-01T00:00:10.000Z", "n": 1}]},
    ),
    Case(
        "a sink less",
        DELAYED + WINDOWS_BESIDE + EXTRA,
        EVENTS + WINDOWS_BESIDE + EXTRA,
        {"delay out": "lost", "spark/groups wins": "same", "sink out": "converted"},
        BEFORE,
        AFTER[:2],
        {"w": [{"window_start": "2026-01-01T00:00:10.000Z", "n": 2}]},
        accept=True,
    ),
]
