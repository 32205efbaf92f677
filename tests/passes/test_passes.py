"""Each pass by what it makes of a plan, and what `tvfc explain --stage passes` says of it."""

from __future__ import annotations

import inspect
from dataclasses import replace
from datetime import timedelta

import pytest
from compiled import job_of

from compiler import pipeline
from compiler.bind.script import bind
from compiler.diagnostics import CompileError
from compiler.diagnostics.problems import Problems
from compiler.explain.passes import PlanPass, ReleasePass
from compiler.passes.count_in_panes import count_in_panes
from compiler.passes.limit_numberings import limit_numberings
from compiler.passes.mark_beside_clock import mark_beside_clock
from compiler.passes.number_whole_partitions import number_whole_partitions
from compiler.passes.run_on_wall_clock import run_on_wall_clock
from compiler.passes.share_scans import share_scans
from compiler.plan.nodes import Aggregate, Bad, Output, OverChanges, Program, Scan, Top, walk
from compiler.source import SourceText
from compiler.syntax import parse_script

SOURCES = """
CREATE SOURCE a (id INT, v INT, ts TIMESTAMP, WATERMARK FOR ts AS ts);
CREATE SOURCE p (id INT, v INT);
"""
PASSES: tuple[PlanPass | ReleasePass, ...] = (
    *pipeline.PLAN_PASSES,
    *pipeline.HOLDING_PASSES,
    *pipeline.RELEASE_PASSES,
)
NAMES = [each.__name__ for each in PASSES]


def bound(queries: str) -> tuple[Program, Problems]:
    source = SourceText("query.sql", SOURCES + queries)
    problems = Problems(source)
    program = bind(parse_script(source), problems, scenario=True)
    problems.stop_if_any()
    return program, problems


def after(queries: str, *passes: PlanPass) -> tuple[Output, ...]:
    program, problems = bound(queries)
    for each in passes:
        program = each(program, problems)
    return program.outputs


@pytest.mark.parametrize("each", PASSES, ids=NAMES)
def test_a_pass_is_a_file_that_begins_with_what_it_does(each: PlanPass | ReleasePass) -> None:
    module = inspect.getmodule(each)
    assert module is not None
    assert module.__name__.rsplit(".", 1)[-1] == each.__name__
    text = module.__doc__ or ""
    assert ("\nBefore   " in text and "\nAfter    " in text) or "Changes nothing" in text


@pytest.mark.parametrize(
    ("condition", "limit"),
    [
        ("n <= 3", 3),
        ("n < 3", 2),
        ("3 >= n", 3),
        ("4 > n", 3),
        ("n BETWEEN 1 AND 5", 5),
        ("n<=3", 3),
        ("(n <= (3))", 3),
        ("1 = n", 1),
        ("n IN (1, 4, 2)", 4),
        ("`n`    between 2 and 3", 3),
        ("n NOT IN (1, 2)", None),
        ("n IN (1, id)", None),
        ("n <= 2.5", None),
        ("n = 1 OR n = 2", None),
        ("n > 3", None),
        ("n + 0 <= 3", None),
        ("n <= 12345678901", None),
    ],
)
def test_a_condition_limits_a_numbering(condition: str, limit: int | None) -> None:
    query = (
        "SELECT id, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY v) AS n FROM p) "
        f"WHERE {condition};"
    )
    (before,), (output,) = after(query), after(query, limit_numberings)
    (top,) = (each for each in walk(output.plan) if isinstance(each, Top))
    assert top.limit == limit
    assert (output == before) == (limit is None)
    (numbered,) = after(query, limit_numberings, number_whole_partitions)
    anew = [each for each in walk(numbered.plan) if isinstance(each, OverChanges)]
    assert [each.input for each in anew] == ([top.input] if limit is None else [])


def test_queries_on_the_wall_clock_have_ticks_and_no_watermarks() -> None:
    query = "CREATE SINK s AS SELECT id FROM a; SELECT id FROM a WHERE ts <= mz_now();"
    sink, console = after(query, run_on_wall_clock)
    (scan,) = (each for each in walk(console.plan) if isinstance(each, Scan))
    assert (scan.ticks, scan.source.watermark) == (True, None)
    assert sink == after(query)[0]


def test_bad_rows_come_from_the_scan_of_the_rows() -> None:
    query = "CREATE SINK s AS SELECT * FROM BAD(a); SELECT id FROM a WHERE ts <= mz_now();"
    bad, rows = after(query, run_on_wall_clock, share_scans)
    (refused,) = (each for each in walk(bad.plan) if isinstance(each, Bad))
    assert refused.input in list(walk(rows.plan))
    assert refused.input.ticks


def test_streams_beside_the_clock_are_marked() -> None:
    query = "SELECT id FROM a UNION ALL SELECT id FROM p;"
    (output,) = after(query, mark_beside_clock)
    scans = {each.source.name: each for each in walk(output.plan) if isinstance(each, Scan)}
    assert {name: each.beside_clock for name, each in scans.items()} == {"a": False, "p": True}
    assert after("SELECT id FROM p;", mark_beside_clock) == after("SELECT id FROM p;")


def test_a_pass_that_finds_nothing_gives_the_same_program() -> None:
    program, problems = bound("SELECT id FROM p;")
    for each in pipeline.PLAN_PASSES + pipeline.HOLDING_PASSES:
        assert each(program, problems) is program


def test_what_each_pass_has_changed_is_shown() -> None:
    query = "SELECT id, mz_now() AS at FROM orders WHERE ts <= mz_now();"
    paragraphs = job_of(query).stages["passes"].strip().split("\n\n")
    told = {each.partition(":")[0]: each.splitlines()[1:] for each in paragraphs}
    assert [*told] == NAMES
    assert told["limit_numberings"] == ["  nothing changes"]
    assert told["run_on_wall_clock"] == [
        "  plan of console",
        "  -     Source orders watermark ts",
        "  +     Source orders, with ticks",
    ]
    assert told["emit_clock"][2:] == [
        "  + emitted as id: __c1",
        "  + emitted as at: mz_now()",
        "  + Project id AS __c1",
    ]


HOP = "HOP(a, ts, INTERVAL 2 SECONDS, INTERVAL 10 SECONDS)"


@pytest.mark.parametrize(
    ("select", "rows", "pane"),
    [
        ("count(*)", HOP, 2),
        ("id, sum(v), avg(v), min(v)", HOP, 2),
        ("count(*)", "HOP(a, ts, INTERVAL 3 SECONDS, INTERVAL 10 SECONDS)", 1),
        ("count(*)", "HOP(a, ts, INTERVAL 4 SECONDS, INTERVAL 10 SECONDS)", None),
        ("count(*)", "CUMULATE(a, ts, INTERVAL 5 SECONDS, INTERVAL 2 MINUTES)", 5),
        ("count(*)", "TUMBLE(a, ts, INTERVAL 10 SECONDS)", None),
        ("count(DISTINCT v)", HOP, None),
        ("count(*), median(v)", HOP, None),
        ("sum(v / 2.0)", HOP, None),
        ("sum(CAST(v AS DECIMAL(9, 2)))", HOP, None),
    ],
)
def test_groups_of_windows_are_counted_in_panes(select: str, rows: str, pane: int | None) -> None:
    """If what they have follows from panes, and a row is in four windows at least."""
    by = "id, window_start, window_end" if select.startswith("id") else "window_start, window_end"
    query = f"SELECT {select} FROM {rows} GROUP BY {by} EMIT ON WINDOW CLOSE;"
    (one,), (other,) = after(query), after(query, count_in_panes)
    assert isinstance(one.plan, Aggregate)
    assert isinstance(other.plan, Aggregate)
    length = None if pane is None else timedelta(seconds=pane)
    assert other.plan.pane == length
    if length is not None:
        assert other.plan == replace(one.plan, pane=length)


@pytest.mark.parametrize(
    "by",
    [
        "date_trunc('MINUTE', window_end)",
        "v / 2, window_end",
        "ROLLUP (window_start, window_end)",
        "window_start",
    ],
)
def test_groups_of_several_windows_are_not_counted_in_panes(by: str) -> None:
    rows = HOP if by != "window_start" else "CUMULATE(a, ts, INTERVAL 1 SECOND, INTERVAL 1 MINUTE)"
    query = f"SELECT count(*) AS n FROM {rows} GROUP BY {by} EMIT ON WINDOW CLOSE;"
    try:
        outputs = after(query, count_in_panes)
    except CompileError:
        return  # Not every one of them is closed by the clock.
    nodes = [node for each in outputs for node in walk(each.plan)]
    assert [node.pane for node in nodes if isinstance(node, Aggregate)] == [None]


def test_conditions_on_rows_stand_below_panes_and_those_on_windows_keep_rows_from_them() -> None:
    query = "SELECT count(*) FROM " + HOP + " WHERE {} GROUP BY window_end EMIT ON WINDOW CLOSE;"
    (below,) = after(query.format("v > 1"), count_in_panes)
    (above,) = after(query.format("v > 1 AND ts < window_end"), count_in_panes)
    assert isinstance(below.plan, Aggregate)
    assert isinstance(above.plan, Aggregate)
    assert (below.plan.pane, above.plan.pane) == (timedelta(seconds=2), None)
