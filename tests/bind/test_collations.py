"""What compares strings itself refuses those with a collation; Spark's joins know collations."""

from __future__ import annotations

import pytest
from compiled import faults_of
from sqlglot import exp

from compiler.bind.groups.aggregates import compared_arguments
from tvfc_runtime.changing.calls import FUNCTIONS, Call

_COLUMNS = "id INT, c STRING COLLATE UTF8_LCASE, k STRING, ts TIMESTAMP"
DECLARED = "".join(
    f"CREATE SOURCE {name} ({_COLUMNS}, WATERMARK FOR ts AS ts)"
    f" USING json OPTIONS (path '{name}');\n"
    for name in "ab"
)
LATEST = "(SELECT max_by(c, ts) AS c, k FROM a GROUP BY k)"

COMPARED = {
    "SELECT count(*) FROM a GROUP BY c": "c",
    "SELECT count(*) FROM a GROUP BY k COLLATE UTF8_LCASE": "k COLLATE UTF8_LCASE",
    "SELECT count(DISTINCT c) FROM a": "c",
    "SELECT max(c) FROM a": "c",
    "SELECT max_by(id, c) FROM a": "c",
    "SELECT DISTINCT c FROM a": "SELECT DISTINCT c FROM a",
    "SELECT c FROM a EXCEPT SELECT c FROM b": "SELECT c FROM a EXCEPT SELECT c FROM b",
    "SELECT c FROM a UNION SELECT c FROM b": "SELECT c FROM a UNION SELECT c FROM b",
    "SELECT id FROM a QUALIFY row_number() OVER (PARTITION BY c ORDER BY id) = 1": "c",
    "SELECT id FROM a ORDER BY c LIMIT 3": "ORDER BY c",
    f"SELECT b.id FROM {LATEST} AS x JOIN b ON x.c = b.c": "JOIN b ON x.c = b.c",
    f"SELECT id FROM b WHERE c IN (SELECT c FROM {LATEST})": f"c IN (SELECT c FROM {LATEST})",
    "SELECT lag(id) OVER (PARTITION BY c ORDER BY ts) FROM a EMIT ON WINDOW CLOSE": "c",
    "SELECT count(*) FROM TUMBLE(a, ts, INTERVAL 1 HOUR) GROUP BY window_end, c"
    " EMIT ON WINDOW CLOSE": "c",
    "SELECT count(DISTINCT c) FROM TUMBLE(a, ts, INTERVAL 1 HOUR) GROUP BY window_end"
    " EMIT ON WINDOW CLOSE": "c",
    "SELECT collect_set(c) FROM TUMBLE(a, ts, INTERVAL 1 HOUR) GROUP BY window_end"
    " EMIT ON WINDOW CLOSE": "c",
}

TAKEN = (
    "SELECT count(c), collect_list(c), max_by(c, ts) FROM a",
    "SELECT count(*) FROM a GROUP BY lower(CAST(c AS STRING))",
    "SELECT max(c) FROM TUMBLE(a, ts, INTERVAL 1 HOUR) GROUP BY window_end EMIT ON WINDOW CLOSE",
    "SELECT a.id FROM a JOIN b ON a.c = b.c AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR",
    "SELECT id FROM a WHERE c = 'x' AND WATERMARK_TS() >= ts",
)


@pytest.mark.parametrize("query", COMPARED)
def test_compared_by_a_collation(query: str) -> None:
    found = [(each.code, each.at) for each in faults_of(f"{query};", DECLARED)]
    assert ("TVF501", COMPARED[query]) in found


@pytest.mark.parametrize("query", TAKEN)
def test_not_compared_by_us(query: str) -> None:
    assert [each for each in faults_of(f"{query};", DECLARED) if "W" not in each.code] == []


@pytest.mark.parametrize("function", sorted(FUNCTIONS))
@pytest.mark.parametrize("is_distinct", [False, True])
def test_as_the_runtime_compares(function: str, *, is_distinct: bool) -> None:
    names = ("a", "b") if function in ("MAX_BY", "MIN_BY") else ("a",)
    # DISTINCT makes no difference to the one value of the greatest: such calls come without it.
    distinct = is_distinct and len(names) == 1
    call = Call(name="n", function=function, arguments=names, distinct=distinct)
    values = [exp.column(each) for each in names]
    found = compared_arguments(function.lower(), values, is_distinct=is_distinct)
    assert tuple(each.name for each in found) == call.compared
