"""FILL: the plan of windows without rows, and what is refused."""

from __future__ import annotations

import pytest
from compiled import Fault, faults_of, job_of, plan_of

WINDOWS = "TUMBLE(orders, ts, INTERVAL 1 MINUTE)"


def query(fill: str, group: str = "name, window_start", items: str = "count(*) AS n") -> str:
    return f"SELECT {items} FROM {WINDOWS} {fill} GROUP BY {group} EMIT ON WINDOW CLOSE;"


def test_aggregates_are_computed_below_and_used_above() -> None:
    plan = plan_of(
        f"SELECT upper(name) AS k, sum(price) / 2 AS h FROM {WINDOWS} FILL (0) FOR INTERVAL 1 HOUR "
        "GROUP BY upper(name), window_end HAVING h > 1 AND sum(price) < 9 EMIT ON WINDOW CLOSE;"
    )
    assert plan[:5] == [
        "Project upper(name) AS k, sum(price) / 2 AS h",
        "Filter sum(price) < 9",
        "Filter (sum(price) / 2) > 1",
        "Fill (0) for INTERVAL 1 HOUR windows of INTERVAL 1 MINUTE of each upper(name)",
        "Aggregate upper(name), window_end, sum(price) by upper(name), window_end, "
        "closes at window_end",
    ]


def test_windows_that_close_later() -> None:
    delayed = "(SELECT * FROM orders WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS())"
    for bound in ("window_start", "window_end"):
        text = job_of(query("FILL (0)", bound).replace("orders", delayed)).text
        assert "later=timedelta(seconds=5)" in text
        assert "size=timedelta(minutes=1)" in text


def test_keys_without_an_end_are_warned_of() -> None:
    assert faults_of(query("FILL (0)")) == [Fault("TVFW302", "FILL (0)")]
    assert faults_of(query("FILL (0) FOR INTERVAL 1 HOUR")) == []
    assert faults_of(query("FILL (0)", "window_start")) == []


def test_above_linear_without_an_end_nothing_closes() -> None:
    inner = query("FILL (LINEAR)", "window_start", "window_start AS at, count(*) AS n")
    above = (
        f"SELECT sum(n) FROM TUMBLE(({inner.removesuffix(' EMIT ON WINDOW CLOSE;')}), at, "
        "INTERVAL 1 HOUR) GROUP BY window_end EMIT ON WINDOW CLOSE;"
    )
    assert [each.code for each in faults_of(above)] == ["TVF302"]
    assert faults_of(above.replace("(LINEAR)", "(LINEAR) FOR INTERVAL 1 HOUR")) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (query("FILL (0)").replace(" EMIT ON WINDOW CLOSE", ""), Fault("TVF302", "FILL (0)")),
        (query("FILL (1)"), Fault("TVF110", "1")),
        (query("FILL ('0')"), Fault("TVF110", "'0'")),
        (query("FILL (next)"), Fault("TVF110", "next")),
        (query("FILL (0)").replace("TUMBLE", "CUMULATE").replace("ts,", "ts, INTERVAL 7 SECONDS,"),
         Fault("TVF501", "INTERVAL 7 SECONDS")),
        (query("FILL (0) FOR INTERVAL 1 MONTH"), Fault("TVF206", "INTERVAL 1 MONTH")),
        (query("FILL (0) FOR INTERVAL 1 SECOND"), Fault("TVF206", "INTERVAL 1 SECOND")),
        (query("FILL (0)", "name"), Fault("TVF302", "GROUP BY name")),
        (query("FILL (0)", "window_end, hour(ts)"), Fault("TVF501", "hour(ts)")),
        (query("FILL (0)", "window_end, date_trunc('HOUR', window_start)"),
         Fault("TVF501", "date_trunc('HOUR', window_start)")),
        (query("FILL (0)", "ROLLUP (name, window_end)"),
         Fault("TVF501", "GROUP BY ROLLUP (name, window_end)")),
        (query("FILL (0)", items="max(name)"), Fault("TVF206", "max(name)")),
        (query("FILL (LINEAR)", items="max(ts)"), Fault("TVF206", "max(ts)")),
        (query("FILL (0)", items="id"), Fault("TVF209", "id")),
        (query("FILL (0)", items="rank() OVER (ORDER BY count(*))"), Fault("TVF501", "FILL (0)")),
        (f"SELECT id FROM {WINDOWS} FILL (0) EMIT ON WINDOW CLOSE;", Fault("TVF501", "FILL (0)")),
        (f"SELECT DISTINCT window_end FROM {WINDOWS} FILL (0) EMIT ON WINDOW CLOSE;",
         Fault("TVF501", "FILL (0)")),
        (f"SELECT a.window_end FROM {WINDOWS} FILL (0) a JOIN items ON a.id = items.id"
         " GROUP BY a.window_end EMIT ON WINDOW CLOSE;", Fault("TVF501", "FILL (0)")),
        (f"SELECT count(*) FROM HOP({WINDOWS} FILL (0), ts, INTERVAL 1 MINUTE, INTERVAL 2 MINUTES)"
         " GROUP BY window_end EMIT ON WINDOW CLOSE;", Fault("TVF501", "FILL (0)")),
        ("CREATE VIEW v AS SELECT CAST(ts AS TIMESTAMP_NTZ) AS t FROM orders;"
         "SELECT count(*) FROM TUMBLE(v, t, INTERVAL 1 MINUTE) FILL (0) GROUP BY window_end"
         " EMIT ON WINDOW CLOSE;", Fault("TVF501", "t")),
        ("CREATE VIEW v AS SELECT ts, lead(id) OVER (ORDER BY ts) AS n FROM orders;"
         "SELECT sum(n) FROM TUMBLE(v, ts, INTERVAL 1 MINUTE) FILL (0) GROUP BY window_end"
         " EMIT ON WINDOW CLOSE;", Fault("TVF501", "ts")),
        ("CREATE VIEW v AS SELECT date_trunc('DAY', ts) AS day FROM orders;"
         "SELECT count(*) FROM TUMBLE(v, day, INTERVAL 1 DAY) FILL (0) GROUP BY window_end"
         " EMIT ON WINDOW CLOSE;", Fault("TVF501", "day")),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, fault: Fault) -> None:
    assert fault in faults_of(text)
