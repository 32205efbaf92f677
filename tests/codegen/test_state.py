"""What a job says that it keeps: the same however its query is spelled, and nothing less."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from codegen.respelled import respelled, with_other_names

from compiler import CompileError, compile_script
from compiler.source import SourceText
from compiler.syntax.tokens.lexer import tokenize
from tvfc_runtime.checkpoint.state import differences

GOLDEN = Path(__file__).parents[2] / "golden"
CASES = sorted(path.parent for path in GOLDEN.glob("*/*/job.py"))


@cache
def text_of(script: str) -> str:
    return compile_script(SourceText("query.sql", script)).text


def state_of(script: str) -> dict[str, list[dict[str, Any]]]:
    text = text_of(script)
    variables: dict[str, Any] = {}
    exec(text[text.index("STATE = ") : text.index("JOB = ")], variables)
    return dict(json.loads(variables["STATE"]))


def query_of(case: Path) -> str:
    return (case / "query.sql").read_text(encoding="utf-8")


of_each_golden = pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}"
)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])
@of_each_golden
def test_spelling_is_no_state(case: Path, seed: int) -> None:
    script = query_of(case)
    other = respelled(script, seed)
    assert other != script
    assert state_of(other) == state_of(script), other


@pytest.mark.slow
@of_each_golden
def test_names_of_views_and_aliases_are_no_state(case: Path) -> None:
    """But for columns that are called after them, and for those inside subqueries."""
    script = query_of(case)
    state = state_of(script)
    said = json.dumps(state).lower()
    other = with_other_names(script, lambda name: f"{name}_" in said or "select " in said)
    assert state_of(other) == state, other


DECLARED = """CREATE SOURCE orders (
  id INT, shop STRING, amount INT, ts TIMESTAMP, until TIMESTAMP, WATERMARK FOR ts AS ts
) USING parquet OPTIONS (path 'orders', maxFilesPerTrigger '1');
CREATE SOURCE payments (
  order_id INT, at TIMESTAMP, WATERMARK FOR at AS at
) USING parquet OPTIONS (path 'payments');
CREATE TABLE shops (shop STRING, city STRING) USING parquet OPTIONS (path 'shops');
"""
HELD = "SELECT id, shop FROM orders WHERE amount > 3 AND ts + INTERVAL 5 MINUTES <= WATERMARK_TS();"
TOTALS = """SELECT shop, sum(amount) AS total FROM orders
WHERE WATERMARK_TS() >= ts AND WATERMARK_TS() < until GROUP BY shop;"""
WINDOWS = """SELECT shop, window_end, count(*) AS n FROM TUMBLE(orders, ts, INTERVAL 1 HOUR)
GROUP BY shop, window_end EMIT ON WINDOW CLOSE;"""
SESSIONS = """SELECT shop, count(*) AS n FROM orders
GROUP BY shop, session_window(ts, '1 hour') EMIT ON WINDOW CLOSE;"""
OVER = """SELECT id, lag(amount) OVER (PARTITION BY shop ORDER BY ts) AS before
FROM orders EMIT ON WINDOW CLOSE;"""
JOIN = """SELECT o.id, p.at FROM orders AS o JOIN payments AS p
ON o.id = p.order_id AND p.at BETWEEN o.ts AND o.ts + INTERVAL 1 HOUR EMIT ON WINDOW CLOSE;"""
FIRST = "SELECT id, amount FROM orders WHERE WATERMARK_TS() < until ORDER BY amount DESC LIMIT 3;"
EXCEPT = """SELECT id FROM orders WHERE WATERMARK_TS() < until
EXCEPT SELECT order_id FROM payments WHERE WATERMARK_TS() < at;"""
PLAIN = "SELECT id, amount FROM orders WHERE amount > 3;"
KEYED = """CREATE SINK live USING sqlite OPTIONS (path 'live.db', table 'live', key 'shop') AS
SELECT shop, amount FROM orders WHERE WATERMARK_TS() < until;"""

RANKED = """SELECT shop, n, place FROM (
  SELECT *, rank() OVER (PARTITION BY window_start, window_end ORDER BY n DESC) AS place FROM (
    SELECT shop, window_start, window_end, count(*) AS n FROM TUMBLE(orders, ts, INTERVAL 1 HOUR)
    GROUP BY shop, window_start, window_end)) EMIT ON WINDOW CLOSE;"""
COUNTED = """CREATE VIEW counted AS SELECT shop, window_end, count(*) AS n
FROM TUMBLE(orders, ts, INTERVAL 1 HOUR) GROUP BY shop, window_end EMIT ON WINDOW CLOSE;
SELECT shop, n FROM counted;"""
LATER = """CREATE VIEW both AS SELECT o.shop, p.at FROM orders AS o JOIN payments AS p
ON o.id = p.order_id AND p.at BETWEEN o.ts AND o.ts + INTERVAL 1 HOUR;
SELECT shop, at FROM both;"""
KEPT = """CREATE SINK last USING sqlite OPTIONS (path 'live.db', table 'last', key 'shop') AS
SELECT shop, WATERMARK_TS() AS seen FROM orders WHERE ts <= WATERMARK_TS();"""

REAL_CHANGES = [
    # (query, what is replaced, by what, what the refusal says)
    (HELD, "id, shop", "id, amount", "columns, 2 of 2, was `shop`, is `amount`"),
    (HELD, "id, shop", "shop, id", "columns was `id`, `shop`, in this order, is `shop`, `id`"),
    (HELD, "id, shop", "id, upper(shop) AS shop", "was `shop`, is `upper(shop) as shop`"),
    (HELD, "5 MINUTES", "6 MINUTES", "due was `at ts + interval 5 minute`, is `at ts + interval 6"),
    (HELD, "<=", "<", "due was `at ts + interval 5 minute`, is `after ts + interval 5 minute`"),
    (HELD, "amount > 3", "amount > 4", "conditions was `amount > 3`, is `amount > 4`"),
    (HELD, "ts + INTERVAL 5 MINUTES <= WATERMARK_TS()", "true", "the rows of orders is gone"),
    (HELD, "WATERMARK_TS()", "mz_now()", "the source orders: clock is new: `the wall clock`"),
    (HELD, "FROM orders", "FROM orders JOIN shops USING (shop)", "the table shops is new"),
    (DECLARED + HELD, "AS ts\n", "AS ts - INTERVAL 1 MINUTE\n", "watermark was `ts`, is `ts - int"),
    (DECLARED + HELD, "shop STRING,", "shop INT,", "2 of 5, was `shop STRING`, is `shop INT`"),
    (DECLARED + HELD, "id INT,", "id INT NOT NULL,", "was `id INT`, is `id INT NOT NULL`"),
    (DECLARED + HELD, "'orders'", "'old'", "source orders: options: path was `orders`, is `old`"),
    (TOTALS, "BY shop", "BY shop, id", "the totals of orders: key has `id`, which is new"),
    (TOTALS, "sum(", "max(", "was `sum(amount) as sum_1`, is `max(amount) as max_1`"),
    (TOTALS, "sum(", "sum(DISTINCT ", "is `sum(distinct amount) as sum_1`"),
    (TOTALS, "amount)", "amount) FILTER (WHERE id > 1)", "which is new"),
    (TOTALS, "< until", "< until + INTERVAL 1 DAY", "is `at ts until at until + interval 1 day`"),
    (TOTALS, "AS total", "+ 1 AS total", "was `sum_1 as total`, is `sum_1 + 1 as total`"),
    (WINDOWS, "1 HOUR", "2 HOURS", "tumble windows of orders: size was `1:00:00`, is `2:00:00`"),
    (WINDOWS, "TUMBLE(orders, ts, ", "HOP(orders, ts, INTERVAL 30 MINUTES, ", "the hop windows"),
    (WINDOWS, "BY shop, window_end", "BY window_end, shop", "in this order"),
    (WINDOWS, "count(*)", "count(id)", "was `count(*) as n`, is `count(id) as n`"),
    (SESSIONS, "1 hour", "5 minutes", "sessions of orders: gap was `1:00:00`, is `0:05:00`"),
    (SESSIONS, "count(*)", "max(id)", "kept was `count() as count_1`, is `max(id) as max_1`"),
    # Spark's sessions, as those of older versions are, and those of the runtime.
    (SESSIONS, "count(*)", "collect_list(id)", "sessions of orders: kept was `count() as count_1`"),
    (SESSIONS.replace("count(*)", "mode(id)"), "mode(id)", "count(*)", "orders: kept is new"),
    (SESSIONS, "'1 hour'", "concat(id, ' s')", "gap was `1:00:00`, is `gap_3`"),
    (OVER, "lag(amount)", "lag(amount, 2)", "rows before was `1`, is `2`"),
    (OVER, "BY shop", "BY id", "frames: key was `shop`, is `id`"),
    (
        JOIN,
        "1 HOUR",
        "2 HOURS",
        "left until was `after #1.ts + interval 1 hour`, is `after",
    ),
    (JOIN, "JOIN", "LEFT JOIN", "kind was `inner`, is `left`"),
    (JOIN, "orders AS o JOIN payments AS p", "payments AS p JOIN orders AS o", "the join of"),
    (FIRST, "LIMIT 3", "LIMIT 4", "limit was `3`, is `4`"),
    (FIRST, "DESC", "ASC", "order was `amount desc nulls last`, is `amount asc nulls first`"),
    (EXCEPT, "EXCEPT", "INTERSECT", "rule was `except`, is `intersect`"),
    (DECLARED + PLAIN, "AS ts\n", "AS ts - INTERVAL 1 DAY\n", "watermark was `ts`"),
    (DECLARED + PLAIN, "'orders'", "'old'", "path was `orders`, is `old`"),
    (PLAIN, "> 3", "> 3 UNION ALL SELECT order_id, 1 FROM payments", "the source payments is new"),
    (RANKED, "shop, n, place", "shop, place", "columns had `n`, which is gone"),
    (RANKED, "shop, n, place", "shop, n + 1 AS n, place", "was `n`, is `n + 1 as n`"),
    (COUNTED, "shop, n", "n", "columns had `shop`, which is gone"),
    (LATER, "shop, at", "shop", "columns had `at`, which is gone"),
    (KEPT, "WATERMARK_TS() AS seen", "shop AS seen", "sink last: columns"),
    (KEYED, "key 'shop'", "key 'amount'", "the sink live: key was `shop`, is `amount`"),
    (KEYED, "'live.db'", "'other.db'", "options: path was `live.db`, is `other.db`"),
]


@pytest.mark.parametrize(("query", "old", "new", "words"), REAL_CHANGES)
def test_what_is_kept_otherwise_is_told_in_words(
    query: str, old: str, new: str, words: str
) -> None:
    declared = "" if query.startswith(DECLARED) else DECLARED
    (was,) = state_of(declared + query).values()
    (now,) = state_of(declared + query.replace(old, new, 1)).values()
    found = differences(was, now)
    assert any(words in each for each in found), "\n".join(found)


FREE_CHANGES = [
    (PLAIN, "id, amount", "id, amount * 2 AS twice, shop"),
    (PLAIN, "amount > 3", "amount > 4 OR shop IS NULL"),
    (DECLARED + PLAIN, "amount INT,", "amount INT, note STRING,"),
    (DECLARED + PLAIN, "'1'", "'100'"),
    (HELD, "amount > 3", "(`amount`>3) -- a comment\n"),
    (HELD, "5 MINUTES", "'5' MINUTE"),
    (
        HELD,
        "amount > 3 AND ts + INTERVAL 5 MINUTES <= WATERMARK_TS()",
        "WATERMARK_TS() >= ts + INTERVAL 5 MINUTES AND amount > 3",
    ),
    (OVER, "SELECT id, lag(amount)", "SELECT id + 1 AS next, lag(amount)"),
    (KEYED, "AS", "AS /* that is it */"),
    (JOIN, "o.id, p.at FROM orders AS o", "o.id, p.at FROM ORDERS o"),
]


@pytest.mark.parametrize(("query", "old", "new"), FREE_CHANGES)
def test_what_is_not_kept_may_change(query: str, old: str, new: str) -> None:
    declared = "" if query.startswith(DECLARED) else DECLARED
    changed = declared + query.replace(old, new, 1)
    assert changed != declared + query
    assert state_of(changed) == state_of(declared + query)


OTHER_WORDS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "+": "-", "-": "+", "AND": "OR"}
OTHER_WORDS |= {"OR": "AND", "MIN": "max", "MAX": "min", "SUM": "avg", "COUNT": "sum"}
OTHER_WORDS |= {"MINUTES": "HOURS", "MINUTE": "SECOND", "LEFT": "FULL", "EXCEPT": "INTERSECT"}


def mutants(script: str) -> Iterator[str]:
    """A script with another number, string or word in one place of its queries.

    How much a source reads at a time may change.
    """
    tokens = tokenize(script)
    before = ""
    for kind, text, start, end in zip(
        tokens.types, tokens.texts, tokens.starts, tokens.ends, strict=True
    ):
        other = OTHER_WORDS.get(text.upper(), text)
        if kind == "NUMBER" and text.isdigit():
            other = str(int(text) + 1)
        elif kind == "STRING" and "\\" not in text and not before.endswith("PerTrigger"):
            other = f"{text[:-1]}x{text[-1]}"
        before = text
        if other != text:
            yield script[:start] + other + script[end:]


def code_of(script: str) -> str | None:
    """The functions of a job; None where there is none."""
    try:
        text = text_of(script)
    except CompileError:
        return None
    return text[text.index("HERE = ") : text.index("# What each query")]


@pytest.mark.parametrize("step", [19, pytest.param(1, marks=pytest.mark.thorough)])
@of_each_golden
def test_a_job_that_does_something_else_before_rows_are_kept_keeps_something_else(
    case: Path, step: int
) -> None:
    """With a change in every place of its query, or in one of so many, each golden in others."""
    script = query_of(case)
    state, code = state_of(script), code_of(script)
    sinks = [part for parts in state.values() for part in parts if "sink" in part]
    are_bound = all("changes" in each or "held until due" in each for each in sinks)
    if not are_bound or "job.watermark_ts()" in str(code):
        pytest.skip("what is above all state is free")
    for other in islice(mutants(script), CASES.index(case) % step, None, step):
        other_code = code_of(other)
        if other_code is not None and other_code != code:
            assert state_of(other) != state, other
