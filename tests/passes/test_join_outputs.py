"""Which outputs of a script are one streaming query."""

from __future__ import annotations

import pytest

from compiler.bind.script import bind
from compiler.diagnostics.problems import Problems
from compiler.passes.join_outputs import join_outputs
from compiler.source import SourceText
from compiler.syntax import parse_script

SOURCES = """
CREATE SOURCE a (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts);
CREATE SOURCE b (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts);
CREATE SOURCE p (id INT, ts TIMESTAMP);
CREATE SOURCE q (id INT, ts TIMESTAMP);
"""
BOTH = "SELECT id FROM (SELECT * FROM a UNION ALL SELECT * FROM b) AS u"


@pytest.mark.parametrize(
    ("queries", "expected"),
    [
        (["SELECT id FROM a", "SELECT ts FROM a"], [None, "s0"]),
        (["SELECT id FROM a", "SELECT id FROM b"], [None, None]),
        (["SELECT id FROM a", BOTH], [None, None]),
        (["SELECT id FROM a", "SELECT id FROM LATE(a)"], [None, "s0"]),
        (["SELECT id FROM LATE(b)", "SELECT id FROM a", BOTH], [None, None, "s0"]),
        (["SELECT id FROM a", BOTH, "SELECT id FROM LATE(a)"], [None, "s0", "s0"]),
        (["SELECT id FROM p", "SELECT ts FROM p", "SELECT id FROM q"], [None, "s0", None]),
        (["SELECT id FROM p", "SELECT id FROM WATERMARK(p, ts, ts)"], [None, None]),
        (
            # Whichever source each of them reads first.
            [
                "SELECT id FROM p WHERE mz_now() < ts",
                "SELECT q.id FROM q JOIN p ON q.id = p.id WHERE mz_now() < q.ts",
            ],
            [None, "s0"],
        ),
    ],
)
def test_outputs_of_one_clock_are_together(queries: list[str], expected: list[str | None]) -> None:
    assert beside(queries) == expected


def test_a_delay_above_an_interval_join_is_beside_groups_of_groups() -> None:
    join = (
        "SELECT a.id FROM a JOIN b ON a.id = b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR "
    )
    groups = (
        "SELECT window_start, sum(n) FROM TUMBLE((SELECT window_start AS s, count(*) AS n "
        "FROM TUMBLE((SELECT * FROM a UNION ALL SELECT * FROM b), ts, INTERVAL 1 MINUTE) "
        "GROUP BY window_start, window_end), s, INTERVAL 1 HOUR) "
        "GROUP BY window_start, window_end EMIT ON WINDOW CLOSE"
    )
    late = "SELECT id FROM LATE(a)"
    delayed = join + "WHERE b.ts + INTERVAL 1 HOUR <= WATERMARK_TS()"
    assert beside([join, groups, late]) == [None, "s0", "s0"]
    assert beside([delayed, groups, late]) == [None, "s0", "s0"]


def beside(queries: list[str]) -> list[str | None]:
    sinks = [f"CREATE SINK s{number} AS {query};" for number, query in enumerate(queries)]
    source = SourceText("query.sql", SOURCES + "\n".join(sinks))
    problems = Problems(source)
    program = join_outputs(bind(parse_script(source), problems, scenario=True), problems)
    problems.stop_if_any()
    return [output.beside for output in program.outputs]


def test_what_changes_by_operators_is_beside_groups_above_joins() -> None:
    join = "a JOIN b ON a.id = b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR"
    closed = f"SELECT a.ts, count(*) FROM {join} GROUP BY a.ts EMIT ON WINDOW CLOSE"
    changing = f"SELECT a.id, count(*) FROM {join} WHERE a.ts > WATERMARK_TS() GROUP BY a.id"
    assert beside([closed, changing]) == [None, "s0"]
