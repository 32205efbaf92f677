"""MATCH_RECOGNIZE: what is computed by whom, what is refused, and what follows from a pattern."""

from __future__ import annotations

import pytest
from compiled import ITEMS, Fault, columns_of, diagnostics_of, faults_of, job_of, plan_of

from compiler.plan.patterns import Choice, Pattern, Repeat, Sequence, Shape, most_rows, shapes_of

TICKS = """CREATE SOURCE t (
  k STRING, ts TIMESTAMP, v INT, d DECIMAL(10, 2), f FLOAT, m MAP<STRING, INT>, at STRUCT<x: INT>,
  WATERMARK FOR ts AS ts
) USING parquet OPTIONS (path 't');
"""
DECLARED = TICKS + ITEMS


def query_of(pattern: str, define: str = "", measures: str = "a.v AS v", more: str = "") -> str:
    defined = f" DEFINE {define}" if define else ""
    return (
        f"SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES {measures} "
        f"{more} PATTERN ({pattern}) WITHIN INTERVAL 1 HOUR{defined});"
    )


@pytest.mark.parametrize(
    ("define", "shown"),
    [
        # What reads one row is a column, also of another row, and with a struct's field.
        ("b.v > 1 AND upper(b.k) = 'X'", "b as (v > 1 AND upper(k) = 'X')"),
        ("b.v > abs(a.v) * 2", "b as (v > (abs(v) * 2) of a)"),
        ("b.at.x = PREV(b.at.x, 2)", "b as (at.x = prev(at.x, 2))"),
        # The last row of the variable itself is the row in question; not an earlier one.
        ("v > LAST(b.v) + LAST(b.v, 1)", "b as (v > (v + last(b.v, 1)))"),
        ("v > PREV(LAST(a.v, 1), 3)", "b as (v > prev(last(a.v, 1), 3))"),
        ("u.v > FIRST(u.v)", "b as (v > first((a, b).v))"),
        ("b.v NOT BETWEEN a.v AND a.v + 1",
         "b as not(((v >= a.v) and (v <= (v + 1) of a)))"),
        ("b.v IS NOT NULL AND b.v <> count(a.*)", "b as ((v IS NOT NULL) and (v <> count(a.*)))"),
        ("CASE b.v WHEN a.v THEN true ELSE b.v > avg(v) END",
         "b as case((v = a.v), true, (v > avg(v)))"),
    ],
)  # fmt: skip
def test_conditions(define: str, shown: str) -> None:
    query = query_of("a b", f"b AS {define}", more="SUBSET u = (a, b)")
    found = next(line for line in plan_of(query, DECLARED) if line.startswith("Match "))
    assert shown in found


@pytest.mark.parametrize(
    ("query", "code", "place"),
    [
        (query_of("a b", "b AS concat(a.k, b.k) = 'x'"), "TVF510", "concat(a.k, b.k)"),
        (query_of("a b", "b AS b.f > a.f"), "TVF510", "b.f"),
        (query_of("a b", "b AS b.v = a.v < 3"), "TVF510", "b.v = a.v"),
        (query_of("a b", "b AS b.v > PREV(a.v + b.v)"), "TVF510", "PREV(a.v + b.v)"),
        (query_of("a b", "b AS b.v > PREV(v, a.v)"), "TVF510", "a.v"),
        (query_of("a b", "b AS b.v > FIRST(PREV(v))"), "TVF510", "FIRST(PREV(v))"),
        (query_of("a b", "b AS b.v > FINAL sum(a.v)"), "TVF510", "FINAL sum(a.v)"),
        (query_of("a b", "b AS EXISTS (SELECT 1 FROM items)"), "TVF510",
         "SELECT 1 FROM items"),
        (query_of("a b", "b AS rand() > 0.5"), "TVF510", "rand()"),
        (query_of("a b", "b AS b.ts < WATERMARK_TS()"), "TVF506", "WATERMARK_TS()"),
        (query_of("a b", "b AS b.k = a.v"), "TVF206", "b.k = a.v"),
        (query_of("a b", "b AS c.v > 1"), "TVF119", "c.v"),
        (query_of("a b", "c AS c.v > 1"), "TVF119", "c"),
        (query_of("a b", "b AS b.w > 1"), "TVF202", "b.w"),
        (query_of("a b", measures="median(a.v) AS v"), "TVF510", "median(a.v)"),
        (query_of("a b", measures="count(DISTINCT a.v) AS v"), "TVF510", "count(DISTINCT a.v)"),
        (query_of("a b", measures="CLASSIFIER(a) AS v"), "TVF510", "CLASSIFIER(a)"),
        (query_of("a b", measures="sum(a.v) OVER () AS v"), "TVF510", "sum(a.v) OVER ()"),
        (query_of("a b", measures="a.v AS K"), "TVF204", "K"),
        (query_of("a b", measures="a.v AS __match_1"), "TVF210", "__match_1"),
        (query_of("a b", measures="prev() AS v"), "TVF211", "prev()"),
        (query_of("a b", measures="nope(a.v) AS v"), "TVF208", "nope(a.v)"),
        (query_of("(a{50}){50}"), "TVF510", "(a{50}){50}"),
        (query_of("PERMUTE(a, b, c, d, e, f, g)"), "TVF510", "PERMUTE(a, b, c, d, e, f, g)"),
        (query_of("(" * 60 + "a b" + ")*" * 60), "TVF510", "(" * 60 + "a b" + ")*" * 60),
        (query_of("a b", more="ALL ROWS PER MATCH WITH UNMATCHED ROWS"), "TVF510", "a b"),
        (query_of("a b*", more="AFTER MATCH SKIP TO b"), "TVF327", "b"),
        (query_of("a b", more="AFTER MATCH SKIP TO FIRST a"), "TVF327", "a"),
        (query_of("a+ b", more="AFTER MATCH SKIP TO LAST a"), "TVF327", "a"),
        (query_of("a b", more="AFTER MATCH SKIP TO c"), "TVF119", "c"),
        ("SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts PATTERN (a));", "TVF119",
         "t MATCH_RECOGNIZE (ORDER BY ts PATTERN (a))"),
        ("SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY m ORDER BY ts PATTERN (a));", "TVF206",
         "m"),
        ("SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY v + 1 ORDER BY ts PATTERN (a));",
         "TVF510", "v + 1"),
        ("SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY v PATTERN (a));", "TVF306", "v"),
        ("SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts DESC PATTERN (a));",
         "TVF306", "ts DESC"),
        ("SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts PATTERN (a b) "
         "WITHIN INTERVAL 1 MONTH);", "TVF510", "INTERVAL 1 MONTH"),
        ("SELECT * FROM items MATCH_RECOGNIZE (ORDER BY id MEASURES a.id AS x PATTERN (a));",
         "TVF510", "items"),
        ("SELECT * FROM (SELECT k, count(*) AS n FROM t GROUP BY k) MATCH_RECOGNIZE "
         "(ORDER BY n MEASURES a.n AS n PATTERN (a));", "TVF302", "GROUP BY k"),
    ],
)  # fmt: skip
def test_what_is_refused(query: str, code: str, place: str) -> None:
    assert Fault(code, place) in faults_of(query, DECLARED)


@pytest.mark.parametrize(
    "more",
    [
        "AFTER MATCH SKIP TO LAST b",
        "AFTER MATCH SKIP TO FIRST b",
        "AFTER MATCH SKIP TO NEXT ROW",
        "AFTER MATCH SKIP PAST LAST ROW",
        "ALL ROWS PER MATCH SHOW EMPTY MATCHES",
    ],
)
def test_what_is_taken(more: str) -> None:
    assert job_of(query_of("a b+", measures="a.v AS of_a", more=more), DECLARED).text


def test_the_columns_of_a_match() -> None:
    query = query_of("a b", measures="a.v AS x, count(*) AS n")
    assert columns_of(query, DECLARED) == "k, x, n"


def test_words_of_a_match_are_names_elsewhere() -> None:
    query = "SELECT k AS pattern, v AS define, ts AS measures FROM t AS final WHERE final.v > 1;"
    assert job_of(query, DECLARED).text


def test_a_pattern_that_may_go_on_for_ever_is_warned_of() -> None:
    bounded, endless = (
        f"SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts PATTERN ({pattern}));"
        for pattern in ("a b{2,5}", "a b+")
    )
    codes = [[each.code for each in job_of(q, DECLARED).warnings] for q in (bounded, endless)]
    assert codes == [[], ["TVFW302"]]
    assert not diagnostics_of(bounded, DECLARED)


MAYBE_B = Repeat("b", 0, 1, greedy=True)


@pytest.mark.parametrize(
    ("pattern", "shapes"),
    [
        ("b", {(True, True, False)}),
        (Sequence(()), {(False, False, False)}),
        (Sequence(("a", MAYBE_B)), {(True, False, False), (True, False, True)}),
        (Choice(("a", Sequence(("b", "b")))), {(True, False, False), (True, True, True)}),
        (Repeat(Choice(("a", "b")), 2, None, greedy=False),
         {(True, one, other) for one in (True, False) for other in (True, False)}),
    ],
)  # fmt: skip
def test_where_a_variable_may_stand(pattern: Pattern, shapes: set[tuple[bool, bool, bool]]) -> None:
    assert shapes_of(pattern, frozenset({"b"})) == {Shape(*each) for each in shapes}


@pytest.mark.parametrize(
    ("pattern", "rows"),
    [
        (Sequence(("a", Repeat("b", 1, 3, greedy=True))), 4),
        (Choice(("a", Sequence(("a", "b")))), 2),
        (Repeat("a", 5, None, greedy=True), None),
        (Repeat(Sequence(()), 0, None, greedy=True), 0),
    ],
)
def test_how_many_rows_a_match_has(pattern: Pattern, rows: int | None) -> None:
    assert most_rows(pattern) == rows
