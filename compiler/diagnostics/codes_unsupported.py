"""Codes TVF5xx: what is not supported."""

from __future__ import annotations

from compiler.diagnostics.code import Code

_ORDERS = """CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
"""
_ITEMS = "CREATE TABLE items (id BIGINT, name STRING) USING parquet OPTIONS (path 'items');\n"

UNSUPPORTED_CODES: tuple[Code, ...] = (
    Code(
        code="TVF501",
        title="not supported over a stream",
        explanation="This clause, function or relation is not supported over streams yet.",
        failing=_ORDERS + "SELECT id FROM orders SORT BY id;",
        mended=_ORDERS + "SELECT id FROM orders;",
    ),
    Code(
        code="TVF502",
        title="a join that is not supported",
        explanation=(
            "Under EMIT ON WINDOW CLOSE a table is asked by the rows of a stream, which a join with it\n"
            "keeps; two streams are joined by what is equal, and outer joins by times, too. ASOF JOIN\n"
            "compares a watermarked time of either side."
        ),
        failing=_ORDERS
        + _ITEMS
        + "SELECT i.name FROM orders o RIGHT JOIN items i ON o.id = i.id EMIT ON WINDOW CLOSE;",
        mended=_ORDERS + _ITEMS + "SELECT i.name FROM orders o RIGHT JOIN items i ON o.id = i.id;",
    ),
    Code(
        code="TVF503",
        title="the clock in ON of an outer join",
        explanation=(
            "A row without a partner would have to leave as such and come back with one. In WHERE,\n"
            "or in ON of an inner join, the clock says when the joined row leaves."
        ),
        failing=_ORDERS
        + _ITEMS
        + "SELECT o.id FROM orders o LEFT JOIN items i ON o.id = i.id AND o.ts <= WATERMARK_TS();",
        mended=_ORDERS
        + _ITEMS
        + "SELECT o.id FROM orders o LEFT JOIN items i ON o.id = i.id WHERE o.ts <= WATERMARK_TS();",
    ),
    Code(
        code="TVF504",
        title="a use of the clock that cannot be solved",
        explanation=(
            "A condition must say from when on it is true. The clock plus or minus an interval, a\n"
            "moment subtracted from it, and date_trunc() of it are solved; other functions are not."
        ),
        failing=_ORDERS + "SELECT id FROM orders WHERE hour(WATERMARK_TS()) = 12;",
        mended=_ORDERS
        + "SELECT id FROM orders WHERE date_trunc('DAY', ts) + INTERVAL 12 HOURS <= WATERMARK_TS();",
    ),
    Code(
        code="TVF506",
        title="a clock without a value",
        explanation=(
            "WATERMARK_TS() in a SELECT list is the watermark at which the row is emitted. Inside a\n"
            "subquery or a UNION the row is not emitted yet."
        ),
        failing=_ORDERS + "SELECT w FROM (SELECT date(WATERMARK_TS()) AS w FROM orders);",
        mended=_ORDERS + "SELECT date(WATERMARK_TS()) AS w FROM orders;",
    ),
    Code(
        code="TVF507",
        title="IDLE AFTER without a fixed interval",
        explanation=(
            "A source that has been silent for so long lets the watermark follow the wall clock. The\n"
            "time is the same for all rows: weeks, days, hours, minutes or seconds, and at least one\n"
            "second."
        ),
        failing="CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts IDLE AFTER INTERVAL 1 MONTH) USING parquet OPTIONS (path 'orders');\n"
        "SELECT id FROM orders;",
        mended="CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts IDLE AFTER INTERVAL 30 DAYS) USING parquet OPTIONS (path 'orders');\n"
        "SELECT id FROM orders;",
    ),
    Code(
        code="TVF509",
        title="an aggregate that cannot be kept up",
        explanation=(
            "Where rows come and go, a total is kept up by adding and taking away. This function\n"
            "would need all rows of the group again. In groups that EMIT ON WINDOW CLOSE every\n"
            "aggregate of Spark works."
        ),
        failing=_ORDERS + "SELECT histogram_numeric(id, 5) FROM orders WHERE mz_now() < ts;",
        mended=_ORDERS + "SELECT avg(id) FROM orders WHERE mz_now() < ts;",
    ),
)
