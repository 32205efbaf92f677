"""State of each kind of operator goes on under another number, and is made anew of the history.

The kinds are sinks of one query, since each batch has its price whatever it does.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from upgrading.cases import AFTER, BEFORE, EVENTS, EXTRA, FIRST_SINK, events
from upgrading.upgraded import Files, Out, Site, since, verdicts

from commands.upgrading import compare

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from commands.upgrading.anatomy import Operator

pytestmark = [pytest.mark.spark, pytest.mark.thorough]

OTHERS = """CREATE SOURCE others (id STRING, ts TIMESTAMP, size INT, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'others', maxFilesPerTrigger '1');
"""
LIVE = "FROM events WHERE ts <= WATERMARK_TS() AND WATERMARK_TS() < ts + INTERVAL 9 SECONDS"
CLOSED = "GROUP BY window_start, window_end EMIT ON WINDOW CLOSE"
VIEWS = """CREATE VIEW w AS SELECT window_end AS till, price, count(*) AS n
FROM TUMBLE(events, ts, INTERVAL 4 SECONDS) GROUP BY window_start, window_end, price
EMIT ON WINDOW CLOSE;
CREATE VIEW d AS SELECT ts, price FROM events WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS();
"""
CLOSING = {
    "levels": f"SELECT window_start, sum(n) AS n FROM TUMBLE(w, till, INTERVAL 8 SECONDS) {CLOSED}",
    "values": "SELECT window_end, count(DISTINCT price) AS n "
    f"FROM TUMBLE(events, ts, INTERVAL 10 SECONDS) {CLOSED}",
    "held": "SELECT window_start, sum(price) AS total "
    f"FROM TUMBLE(d, ts, INTERVAL 4 SECONDS) {CLOSED}",
    "functions": "SELECT id, lag(id) OVER w AS last, lead(id) OVER w AS next "
    "FROM events WINDOW w AS (PARTITION BY price % 2 ORDER BY ts) EMIT ON WINDOW CLOSE",
    "pattern": "SELECT * FROM events MATCH_RECOGNIZE (ORDER BY ts MEASURES a.id AS a, b.id AS b "
    "PATTERN (a b) WITHIN INTERVAL 1 MINUTE DEFINE a AS price < 4, b AS price > 2) AS m",
    "fill": "SELECT window_start, count(*) AS n "
    f"FROM TUMBLE(events, ts, INTERVAL 4 SECONDS) FILL (0) {CLOSED}",
    "panes": "SELECT window_end, count(*) AS n, max(price) AS most "
    f"FROM HOP(events, ts, INTERVAL 2 SECONDS, INTERVAL 8 SECONDS) {CLOSED}",
    "in_order": "SELECT id, ts FROM events EMIT ON WINDOW CLOSE",
}
CHANGING = {
    "live": f"SELECT id, price {LIVE}",
    "totals": f"SELECT price % 2 AS odd, count(*) AS n, max(id) AS last {LIVE} GROUP BY price % 2",
    "top": f"SELECT id, price {LIVE} ORDER BY price DESC LIMIT 2",
    "whole": "SELECT count(*) AS n, sum(price) AS total FROM events",
    "numbered": "SELECT id, row_number() OVER (PARTITION BY price % 2 ORDER BY ts) AS n "
    "FROM events",
}
SESSIONS = {
    "sessions": "SELECT price, window_start, count(*) AS n FROM SESSION(events, ts, price, "
    "INTERVAL 5 SECONDS) GROUP BY price, window_start, window_end EMIT ON WINDOW CLOSE",
    "beside": f"SELECT window_start, count(*) AS n FROM HOP(events, ts, INTERVAL 5 SECONDS, "
    f"INTERVAL 10 SECONDS) {CLOSED}",
}
JOINS = {
    "inner": "SELECT e.id, o.size FROM events AS e JOIN others AS o ON e.id = o.id "
    "AND o.ts BETWEEN e.ts - INTERVAL 9 SECONDS AND e.ts + INTERVAL 9 SECONDS",
    "outer_closed": "SELECT e.id, o.size FROM events AS e LEFT JOIN others AS o ON e.id = o.id "
    "AND o.ts BETWEEN e.ts AND e.ts + INTERVAL 9 SECONDS EMIT ON WINDOW CLOSE",
    "outer": "SELECT e.id, o.size FROM events AS e LEFT JOIN others AS o ON e.id = o.id",
}
GROUPS = {"windows": f"SELECT count(*) AS n FROM TUMBLE(events, ts, INTERVAL 4 SECONDS) {CLOSED}"}


def others(*rows: tuple[str, float, int]) -> Files:
    """A file of the source `others`."""
    return {"others": [{"id": id_, "ts": ts, "size": size} for id_, ts, size in rows]}


@dataclass(frozen=True)
class Kinds:
    """Kinds of operators, each in a sink of its own, and what comes before a change and after.

    Of `never_anew` the rows that wait for the sink are pairs: they go on, or are lost.
    """

    sinks: dict[str, str]
    declared: str = EVENTS
    before: list[Files] = field(default_factory=lambda: BEFORE)
    after: list[Files] = field(default_factory=lambda: AFTER)
    never_anew: str = ""

    @property
    def query(self) -> str:
        own = (
            f"CREATE SINK {name} USING json OPTIONS (path '{name}') AS {query};\n"
            for name, query in self.sinks.items()
        )
        return "".join([self.declared, *own, EXTRA])

    @property
    def renumbered(self) -> str:
        """The same with an operator before all others."""
        return self.query.replace("CREATE SINK", f"{FIRST_SINK}CREATE SINK", 1)


ALL = {
    "closing": Kinds(CLOSING, EVENTS + VIEWS),
    "changing": Kinds(CHANGING),
    "sessions": Kinds(SESSIONS),
    "joins": Kinds(
        JOINS,
        EVENTS + OTHERS,
        [*BEFORE, others(("c", 10, 7), ("f", 12, 8)), others(("a", 13, 1))],
        [*AFTER, others(("g", 35, 9)), others(("x", 60, 9))],
        never_anew="outer_closed",
    ),
    "a clock of groups": Kinds(
        GROUPS,
        EVENTS.replace("AS ts)", "AS ts PER id)"),
        [events(("a", 1, 1), ("b", 3, 1)), events(("a", 9, 1)), events(("b", 5, 1))],
        [events(("a", 30, 1)), events(("b", 12, 1), ("b", 2, 1)), events(("b", 40, 1))],
    ),
}


@pytest.mark.parametrize("name", ALL)
def test_state_goes_on_and_is_made_anew(
    name: str, tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = ALL[name]
    site = _run(kinds, kinds.query, tmp_path / "one", spark)
    begun = _sinks(site, kinds)
    shutil.copytree(site.folder, tmp_path / "saved")

    told = _followed(site, kinds, "cp2")
    anew = {each for each in told if "operator" in each or "/" in each}
    assert {told[each] for each in anew if not each.endswith("first")} <= {"same"}
    goes_on = since(begun, _sinks(site, kinds))

    _put_back(site, tmp_path / "saved", len(kinds.before))
    alike = compare._alike

    def goes_on_as_it_is(one: Operator, other: Operator, keeps: Any) -> bool:
        is_kept = compare.is_last_delay(other) and other.output == kinds.never_anew
        return is_kept and alike(one, other, keeps)

    monkeypatch.setattr(compare, "_alike", goes_on_as_it_is)
    assert "needs history" in _followed(site, kinds, "cp3").values()
    made_anew = since(begun, _sinks(site, kinds))

    other = _run(kinds, kinds.renumbered, tmp_path / "other", spark)
    before_change = _sinks(other, kinds)
    other.arrive(kinds.after)
    other.run(kinds.renumbered, "cp")
    expected = since(before_change, _sinks(other, kinds))
    assert goes_on == expected
    assert made_anew == expected


def _run(kinds: Kinds, query: str, folder: Path, spark: SparkSession) -> Site:
    folder.mkdir()
    site = Site(spark, folder)
    site.arrive(kinds.before)
    site.run(query, "cp")
    return site


def _followed(site: Site, kinds: Kinds, checkpoint: str) -> dict[str, str]:
    """Go on with the renumbered query; answers the verdicts."""
    with site.examined("cp", kinds.renumbered) as whole:
        told = verdicts(whole)
        assert not whole.lost
        site.carry_out(whole, checkpoint)
    site.arrive(kinds.after)
    site.run(kinds.renumbered, checkpoint)
    return told


def _put_back(site: Site, saved: Path, kept: int) -> None:
    """Have files of sources and sinks as they were, of the former so many."""
    site.files = kept
    for folder in site.folder.iterdir():
        if folder.is_dir() and not folder.name.startswith("cp"):
            shutil.rmtree(folder)
            if (saved / folder.name).exists():
                shutil.copytree(saved / folder.name, folder)


def _sinks(site: Site, kinds: Kinds) -> Out:
    found = {name: site.rows(name) for name in (*kinds.sinks, "first", "extra")}
    return {name: rows for name, rows in found.items() if rows}
