"""What the clock closes, as it follows from a plan, is what the binder knows of its relations."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from compiler.bind.names.scope import Relation
from compiler.bind.relations.derived import rename
from compiler.bind.script import bind
from compiler.diagnostics.problems import Problems
from compiler.passes.closed_columns import columns_of, order_of
from compiler.plan.facts.properties import own_state
from compiler.source import SourceText
from compiler.syntax import parse_script

QUERIES = sorted(
    path
    for path in (Path(__file__).parents[2] / "golden").glob("*/*/query.sql")
    if not (path.parent / "error.txt").exists()
)


def bound(text: str, monkeypatch: pytest.MonkeyPatch) -> list[Relation]:
    """The relations of the outputs of a script."""
    found: list[Relation] = []

    def keep(relation: Relation, *others: Any) -> Relation:
        found.append(rename(relation, *others))
        return found[-1]

    monkeypatch.setattr("compiler.bind.script.rename", keep)
    source = SourceText("query.sql", text)
    bind(parse_script(source), Problems(source), scenario=True)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("path", QUERIES, ids=lambda path: f"{path.parts[-3]}/{path.parts[-2]}")
def test_plan_and_binder_agree(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for relation in bound(path.read_text(encoding="utf-8"), monkeypatch):
        known = [(each.name, each.closing) for each in relation.columns if each.closing]
        derived = columns_of(relation.plan)
        assert [(each.name, each.closing) for each in derived if each.closing] == known


SOURCES = """
CREATE SOURCE a (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts);
CREATE SOURCE b (id INT, ts TIMESTAMP, due TIMESTAMP, WATERMARK FOR ts AS ts);
"""


def closings(query: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """When the columns of a query close, by name."""
    (relation,) = bound(SOURCES + query, monkeypatch)
    return {each.name: each.closing.at("x") for each in relation.columns if each.closing}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT ts + INTERVAL 5 MINUTES AS t FROM a", {"t": "x - INTERVAL 5 MINUTES"}),
        ("SELECT date_trunc('HOUR', ts) AS t FROM a", {"t": "x + INTERVAL 1 HOUR"}),
        ("SELECT DATE(ts) AS t FROM a", {"t": "CAST(x AS TIMESTAMP) + INTERVAL 1 DAY"}),
        ("SELECT CAST(ts AS TIMESTAMP) AS t FROM a", {"t": "x"}),
        ("SELECT hour(ts) AS t FROM a", {}),
        (
            "SELECT window_start, window_end FROM TUMBLE(a, ts, INTERVAL 1 MINUTE)",
            {"window_start": "x + INTERVAL 1 MINUTE", "window_end": "x"},
        ),
        (
            "SELECT window_end FROM TUMBLE((SELECT ts + INTERVAL 1 HOUR AS t FROM a), t, "
            "INTERVAL 1 DAY)",
            {"window_end": "x - INTERVAL 1 HOUR"},
        ),
        (
            "SELECT window_end FROM TUMBLE((SELECT date_trunc('DAY', ts) AS t FROM a), t, "
            "INTERVAL 1 DAY)",
            {
                "window_end": "date_trunc('DAY', x - INTERVAL 1 MICROSECOND) + INTERVAL 1 DAY",
            },
        ),
        (
            "SELECT a.ts AS at, b.ts AS bt FROM a JOIN b "
            "ON a.id = b.id AND b.ts > a.ts - INTERVAL 1 MINUTE",
            {"bt": "x + INTERVAL 1 MINUTE"},
        ),
        (
            "SELECT a.ts AS at, b.ts AS bt FROM a JOIN b "
            "ON a.id = b.id AND b.ts = a.ts + INTERVAL 1 HOUR",
            {"at": "x + INTERVAL 1 HOUR", "bt": "x"},
        ),
        (
            "SELECT x.ts AS t, x.d, y.d AS e FROM (SELECT ts, DATE(ts) AS d FROM a) AS x "
            "JOIN (SELECT DATE(ts) AS d FROM b) AS y ON x.d = y.d",
            dict.fromkeys("de", "CAST(x AS TIMESTAMP) + INTERVAL 1 DAY"),
        ),
        (
            "SELECT one.ts AS t, two.ts AS u FROM a AS one JOIN a AS two "
            "ON one.id = two.id AND two.ts BETWEEN one.ts AND one.ts + INTERVAL 2 DAYS",
            {"t": "x + INTERVAL 2 DAYS", "u": "x"},
        ),
    ],
)
def test_closings(query: str, expected: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert closings(f"{query};", monkeypatch) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("ts + INTERVAL 5 MINUTES <= WATERMARK_TS()", "x + INTERVAL 5 MINUTES"),
        ("due <= WATERMARK_TS()", None),
        ("due <= WATERMARK_TS() OR ts + INTERVAL 1 DAY <= WATERMARK_TS()", "x + INTERVAL 1 DAY"),
        ("due <= WATERMARK_TS() AND ts + INTERVAL 1 DAY <= WATERMARK_TS()", None),
        ("id = 1 OR ts + INTERVAL 1 DAY <= WATERMARK_TS()", "x + INTERVAL 1 DAY"),
        ("(id = 1 AND ts <= WATERMARK_TS()) OR id = 2", "x"),
        ("CASE WHEN id = 1 THEN due <= WATERMARK_TS() ELSE ts <= WATERMARK_TS() END", None),
        ("NOT (WATERMARK_TS() < ts + INTERVAL 1 HOUR OR id = 3)", "x + INTERVAL 1 HOUR"),
        ("WATERMARK_TS() - INTERVAL 90 SECONDS > ts", "x + INTERVAL 90 SECONDS"),
        ("ts - INTERVAL 1 HOUR <= WATERMARK_TS()", "x"),
    ],
)
def test_closings_of_rows_that_wait(
    condition: str, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = closings(f"SELECT ts FROM b WHERE {condition} EMIT ON WINDOW CLOSE;", monkeypatch)
    assert found.get("ts") == expected


@pytest.mark.parametrize(
    ("relation", "condition", "expected"),
    [
        (
            "TUMBLE(a, ts, INTERVAL 1 MINUTE)",
            "ts + INTERVAL 1 HOUR <= WATERMARK_TS()",
            (60, 61, 60),
        ),
        (
            "TUMBLE(a, ts, INTERVAL 1 MINUTE)",
            "window_end + INTERVAL 1 HOUR <= WATERMARK_TS()",
            (None, 61, 60),
        ),
        (
            "TUMBLE(a, ts, INTERVAL 1 MINUTE)",
            "window_start + INTERVAL 1 HOUR <= WATERMARK_TS()",
            (None, 60, 59),
        ),
        (
            "CUMULATE(a, ts, INTERVAL 1 MINUTE, INTERVAL 5 MINUTES)",
            "window_start + INTERVAL 1 HOUR <= WATERMARK_TS()",
            (None, 60, None),
        ),
        (
            "CUMULATE(a, ts, INTERVAL 1 MINUTE, INTERVAL 5 MINUTES)",
            "window_end + INTERVAL 1 HOUR <= WATERMARK_TS()",
            (None, 65, 60),
        ),
    ],
)
def test_closings_of_windows_that_wait(
    relation: str,
    condition: str,
    expected: tuple[int | None, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    query = f"SELECT ts, window_start, window_end FROM {relation} WHERE {condition};"
    (bound_relation,) = bound(SOURCES + query, monkeypatch)
    closings_ = [each.closing for each in bound_relation.columns]
    minutes = [
        (each.reach + each.later) // timedelta(minutes=1) if each else None for each in closings_
    ]
    assert tuple(minutes) == expected


def test_order_and_state(monkeypatch: pytest.MonkeyPatch) -> None:
    query = (
        "SELECT window_end, count(*) AS n FROM TUMBLE(a, ts, INTERVAL 1 MINUTE) GROUP BY window_end"
    )
    (relation,) = bound(f"{SOURCES}{query} EMIT ON WINDOW CLOSE;", monkeypatch)
    assert order_of(relation.plan) == "window_end"
    assert own_state(relation.plan) == ("a row for each window_end until window_end",)
