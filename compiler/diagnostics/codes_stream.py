"""Codes TVF3xx: stream properties; TVF4xx: release plans and clocks."""

from __future__ import annotations

from compiler.diagnostics.code import Code

_ORDERS = """CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
"""
_ITEMS = "CREATE TABLE items (id BIGINT, name STRING) USING parquet OPTIONS (path 'items');\n"
_PLAIN = "CREATE SOURCE orders (id BIGINT, ts TIMESTAMP) USING parquet OPTIONS (path 'orders');\n"
_VISITS = """CREATE SOURCE visits (ts TIMESTAMP, until TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'visits');
"""

STREAM_CODES: tuple[Code, ...] = (
    Code(
        code="TVF301",
        title="no watermark",
        explanation=(
            "WATERMARK_TS() is the least watermark of the sources that the query reads; at least\n"
            "one of them must declare a watermark. EMIT ON WINDOW CLOSE and SESSION wait for the\n"
            "watermark of every source; without one they would wait for ever."
        ),
        failing=_PLAIN + "SELECT id FROM orders WHERE ts <= WATERMARK_TS();",
        mended=_ORDERS + "SELECT id FROM orders WHERE ts <= WATERMARK_TS();",
    ),
    Code(
        code="TVF302",
        title="EMIT ON WINDOW CLOSE that could never emit",
        explanation=(
            "Under EMIT ON WINDOW CLOSE a row leaves when it can no longer change: when the watermark\n"
            "has passed its time or reached the end of its window. So every GROUP BY needs a window of\n"
            "the column that has the watermark, or that column itself. Sessions are final rows alone."
        ),
        failing=_ORDERS + "SELECT id, count(*) FROM orders GROUP BY id EMIT ON WINDOW CLOSE;",
        mended=_ORDERS
        + "SELECT id, count(*) FROM TUMBLE(orders, ts, INTERVAL 1 HOUR) GROUP BY id, window_start EMIT ON WINDOW CLOSE;",
    ),
    Code(
        code="TVF303",
        title="a table with a watermark",
        explanation="Tables are static: they are read as they are and move no clock.",
        failing="CREATE TABLE items (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'items');\n"
        + _ORDERS
        + "SELECT o.id FROM orders o JOIN items i ON o.id = i.id;",
        mended="CREATE TABLE items (id BIGINT, ts TIMESTAMP) USING parquet OPTIONS (path 'items');\n"
        + _ORDERS
        + "SELECT o.id FROM orders o JOIN items i ON o.id = i.id;",
    ),
    Code(
        code="TVF304",
        title="several watermarks on one source",
        explanation="A source has one watermark; which rows are late must not depend on two.",
        failing="CREATE SOURCE orders (id BIGINT, a TIMESTAMP, b TIMESTAMP, WATERMARK FOR a AS a, WATERMARK FOR b AS b) USING parquet OPTIONS (path 'orders');\n"
        "SELECT id FROM orders;",
        mended="CREATE SOURCE orders (id BIGINT, a TIMESTAMP, b TIMESTAMP, WATERMARK FOR a AS a) USING parquet OPTIONS (path 'orders');\n"
        "SELECT id FROM orders;",
    ),
    Code(
        code="TVF306",
        title="a window function or row pattern that is not in order of time",
        explanation=(
            "Under EMIT ON WINDOW CLOSE a row leaves with its window functions once they can no longer\n"
            "change. That is known if rows come in order of the watermarked column, or if a window of\n"
            "TUMBLE, HOP or SESSION is among the PARTITION BY keys; then any order will do. The same\n"
            "holds of MATCH_RECOGNIZE, whose first sort key is the watermarked column, always."
        ),
        failing=_ORDERS
        + "SELECT id, lag(id) OVER (ORDER BY ts DESC) AS next FROM orders EMIT ON WINDOW CLOSE;",
        mended=_ORDERS
        + "SELECT id, lead(id) OVER (ORDER BY ts) AS next FROM orders EMIT ON WINDOW CLOSE;",
    ),
    Code(
        code="TVF307",
        title="a frame that never ends",
        explanation=(
            "UNBOUNDED FOLLOWING, NTILE, PERCENT_RANK and CUME_DIST look at all rows of a partition.\n"
            "A stream has no last row, but a window has."
        ),
        failing=_ORDERS
        + "SELECT id, ntile(4) OVER (ORDER BY ts) AS part FROM orders EMIT ON WINDOW CLOSE;",
        mended=_ORDERS
        + "SELECT id, ntile(4) OVER (PARTITION BY window_start, window_end ORDER BY ts) AS part\n"
        "FROM TUMBLE(orders, ts, INTERVAL 1 HOUR) EMIT ON WINDOW CLOSE;",
    ),
    Code(
        code="TVF308",
        title="final rows of what may leave again",
        explanation=(
            "EMIT ON WINDOW CLOSE gives rows that can no longer change. An upper bound on the clock,\n"
            "or groups that change, can take a row away again, perhaps before its window closes."
        ),
        failing=_ORDERS
        + "SELECT ts, count(*) FROM orders WHERE WATERMARK_TS() < ts + INTERVAL 1 HOUR\n"
        "GROUP BY ts EMIT ON WINDOW CLOSE;",
        mended=_ORDERS
        + "SELECT ts, count(*) FROM orders WHERE WATERMARK_TS() < ts + INTERVAL 1 HOUR GROUP BY ts;",
    ),
    Code(
        code="TVF309",
        title="groups whose rows may wait for any time",
        explanation=(
            "A condition on the clock holds rows back, and their groups are final when the last one\n"
            "has come. That is known if the rows wait for a fixed time after the column with the\n"
            "watermark; a moment in another column may be at any distance."
        ),
        failing=_VISITS + "SELECT window_start, count(*) FROM TUMBLE(visits, ts, INTERVAL 1 HOUR)\n"
        "WHERE until <= WATERMARK_TS() GROUP BY window_start EMIT ON WINDOW CLOSE;",
        mended=_VISITS + "SELECT window_start, count(*) FROM TUMBLE(visits, ts, INTERVAL 1 HOUR)\n"
        "WHERE until <= WATERMARK_TS() OR ts + INTERVAL 1 DAY <= WATERMARK_TS()\n"
        "GROUP BY window_start EMIT ON WINDOW CLOSE;",
    ),
    Code(
        code="TVF311",
        title="an order in which final rows cannot leave",
        explanation=(
            "Rows under EMIT ON WINDOW CLOSE leave as the clock closes them. So ORDER BY begins with a\n"
            "time that the clock closes, ascending: the watermarked column, a bound of a window. All\n"
            "rows of one value leave together, in order of whatever follows it in ORDER BY."
        ),
        failing=_ORDERS + "SELECT id, ts FROM orders ORDER BY id EMIT ON WINDOW CLOSE;",
        mended=_ORDERS + "SELECT id, ts FROM orders ORDER BY ts, id EMIT ON WINDOW CLOSE;",
    ),
    Code(
        code="TVF312",
        title="LIMIT of final rows",
        explanation=(
            "LIMIT is of the whole result. Rows under EMIT ON WINDOW CLOSE leave for good, so after the\n"
            "first ones no more would ever come. The first rows of each window have a number in it;\n"
            "without EMIT the first rows so far are kept up, and change."
        ),
        failing=_ORDERS
        + "SELECT id, ts FROM TUMBLE(orders, ts, INTERVAL 1 MINUTE) ORDER BY id LIMIT 3\n"
        "EMIT ON WINDOW CLOSE;",
        mended=_ORDERS + "SELECT id, ts FROM TUMBLE(orders, ts, INTERVAL 1 MINUTE)\n"
        "QUALIFY row_number() OVER (PARTITION BY window_start, window_end ORDER BY id) <= 3\n"
        "EMIT ON WINDOW CLOSE;",
    ),
    Code(
        code="TVF310",
        title="changes, every so often, of what does not change",
        explanation=(
            "EMIT CHANGES EVERY INTERVAL 10 SECONDS tells what a result has gained and lost since it\n"
            "was told last. Rows of a result that only grows come once, each when it is there."
        ),
        failing=_ORDERS + "SELECT id FROM orders EMIT CHANGES EVERY INTERVAL 10 SECONDS;",
        mended=_ORDERS
        + "SELECT id, count(*) FROM orders GROUP BY id EMIT CHANGES EVERY INTERVAL 10 SECONDS;",
    ),
    Code(
        code="TVF326",
        title="bad rows of what is no source",
        explanation=(
            "BAD(source) holds the records that do not fit the columns of a source. They have no\n"
            "values that a view could select or a condition could test."
        ),
        failing=_ORDERS
        + "CREATE VIEW dear AS SELECT * FROM orders WHERE id > 100;\nSELECT * FROM BAD(dear);",
        mended=_ORDERS + "SELECT * FROM BAD(orders);",
    ),
    Code(
        code="TVF321",
        title="late rows without a watermark",
        explanation=(
            "LATE(rel) holds the rows that the watermark of `rel` refused. Without a watermark no row\n"
            "is ever late."
        ),
        failing=_PLAIN + "SELECT id FROM LATE(orders);",
        mended=_ORDERS + "SELECT id FROM LATE(orders);",
    ),
    Code(
        code="TVF322",
        title="a relation without late rows of its own",
        explanation=(
            "A row is refused when it arrives. What joins rows, or holds them until some clock value,\n"
            "never sees it; name a source, or a view that selects and filters its rows."
        ),
        failing=_ORDERS
        + _ITEMS
        + "SELECT id FROM LATE((SELECT o.id FROM orders o JOIN items i ON o.id = i.id));",
        mended=_ORDERS + _ITEMS + "SELECT o.id FROM LATE(orders) o JOIN items i ON o.id = i.id;",
    ),
    Code(
        code="TVF323",
        title="a watermark over rows that wait for one",
        explanation=(
            "WATERMARK(rel, …) moves the clock by the rows of `rel` as they arrive. Late rows, and rows\n"
            "that a condition on the clock holds, come when that clock says so. Rows that are taken back\n"
            "would stay, since what takes them back is of a time that has passed."
        ),
        failing=_ORDERS
        + "SELECT id FROM WATERMARK((SELECT id, ts FROM orders WHERE ts <= WATERMARK_TS()), ts, ts);",
        mended=_ORDERS + "SELECT id FROM WATERMARK(orders, ts, ts) WHERE ts <= WATERMARK_TS();",
    ),
    Code(
        code="TVF324",
        title="a watermark on an expression without a name",
        explanation="WATERMARK … DELAY OF follows a column; an expression becomes one by AS.",
        failing=_PLAIN
        + "SELECT id FROM STREAM orders WATERMARK ts + INTERVAL 1 HOUR DELAY OF INTERVAL 5 SECONDS;",
        mended=_PLAIN
        + "SELECT id FROM STREAM orders WATERMARK ts + INTERVAL 1 HOUR AS t DELAY OF INTERVAL 5 SECONDS;",
    ),
    Code(
        code="TVF325",
        title="two watermarks on a source in one query",
        explanation=(
            "Which rows of a source are late, and when others leave, follows from its watermark. A\n"
            "query reads a source under one of them; WATERMARK(rel, …) replaces a declared one."
        ),
        failing=_ORDERS
        + "SELECT id FROM orders UNION ALL SELECT id FROM WATERMARK(orders, ts, ts - INTERVAL 1 HOUR);",
        mended=_ORDERS
        + "CREATE VIEW slow AS SELECT * FROM WATERMARK(orders, ts, ts - INTERVAL 1 HOUR);\n"
        "SELECT id FROM slow UNION ALL SELECT id FROM slow;",
    ),
    Code(
        code="TVF401",
        title="too many branches",
        explanation=(
            "A condition on the clock is expanded to alternatives, each with a time of release; this\n"
            "one has more than 64. Compute the moment first and compare that with the clock once."
        ),
        failing=_ORDERS
        + "SELECT id FROM orders WHERE "
        + "\n  AND ".join(
            f"(id = {n} OR ts + INTERVAL {n} SECONDS <= WATERMARK_TS())" for n in range(7)
        )
        + ";",
        mended=_ORDERS
        + "SELECT id FROM orders WHERE ts + (7 - id) * INTERVAL 1 SECOND <= WATERMARK_TS();",
    ),
    Code(
        code="TVF402",
        title="two clocks in a query",
        explanation=(
            "A query has one clock: the least watermark of all sources that it reads. The watermark\n"
            "of one of several inputs would be a second one."
        ),
        failing=_ORDERS
        + "CREATE SOURCE bills (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'bills');\n"
        "SELECT id FROM orders AS o WHERE ts <= WATERMARK_TS(o) UNION ALL SELECT id FROM bills;",
        mended=_ORDERS
        + "CREATE SOURCE bills (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'bills');\n"
        "SELECT id FROM orders AS o WHERE ts <= WATERMARK_TS() UNION ALL SELECT id FROM bills;",
    ),
    Code(
        code="TVF403",
        title="a strategy that reads the clock",
        explanation="A watermark strategy says how far a row moves the clock; it cannot depend on it.",
        failing="CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS WATERMARK_TS()) USING parquet OPTIONS (path 'orders');\n"
        "SELECT id FROM orders;",
        mended=_ORDERS + "SELECT id FROM orders;",
    ),
    Code(
        code="TVF404",
        title="two clocks in a query",
        explanation=(
            "A query has one clock: the least watermark of its sources, or the wall clock. The first\n"
            "is read by WATERMARK_TS(), LATE() and EMIT ON WINDOW CLOSE, the second by mz_now()."
        ),
        failing=_ORDERS + "SELECT id FROM orders WHERE ts <= WATERMARK_TS() OR ts <= mz_now();",
        mended=_ORDERS + "SELECT id FROM orders WHERE ts <= WATERMARK_TS();",
    ),
    Code(
        code="TVF405",
        title="a constant out of range",
        explanation=(
            "Constants in a condition on the clock are numbers of any size: 30 * 24 * 3600 * 1000 is\n"
            "2592000000. This one has no value that SQL can hold, or takes every row beyond all time;\n"
            "the condition would hold for no row."
        ),
        failing=_ORDERS
        + "SELECT id FROM orders WHERE ts + 200000000 * INTERVAL 1 DAY <= WATERMARK_TS();",
        mended=_ORDERS + "SELECT id FROM orders WHERE ts + 20 * INTERVAL 1 DAY <= WATERMARK_TS();",
    ),
    Code(
        code="TVFW302",
        title="state that grows without bound",
        explanation=(
            "A join of two streams keeps every row of both, since a partner may still come. Nothing\n"
            "in the condition says how far apart the two may be in time. A window function whose frame\n"
            "begins with UNBOUNDED PRECEDING keeps every row as well, and so do the first rows of a\n"
            "stream whose rows never leave."
        ),
        failing=_ORDERS + "SELECT a.id FROM orders a JOIN orders b ON a.id = b.id;",
        mended=_ORDERS + _ITEMS + "SELECT a.id FROM orders a JOIN items b ON a.id = b.id;",
    ),
    Code(
        code="TVFW303",
        title="a watermark ahead of its column",
        explanation=(
            "The strategy adds to the time of a row. Each row then moves the watermark past itself: what\n"
            "comes after it with the same time is late. A watermark lags behind the times: `ts - INTERVAL …`."
        ),
        failing=_ORDERS.replace("AS ts)", "AS ts + INTERVAL 1 MINUTE)") + "SELECT id FROM orders;",
        mended=_ORDERS.replace("AS ts)", "AS ts - INTERVAL 1 MINUTE)") + "SELECT id FROM orders;",
    ),
    Code(
        code="TVFW304",
        title="a join without a key",
        explanation=(
            "Rows of two streams are joined by what is equal in them: each looks for partners among\n"
            "those with its key. Here nothing is equal, so each new row is compared with all rows of\n"
            "the other side, which one task keeps. That is right, and slow where both sides are large."
        ),
        failing=_ORDERS
        + "SELECT a.id FROM orders a JOIN orders b ON a.id < b.id WHERE mz_now() < a.ts AND\n"
        "  mz_now() < b.ts;",
        mended=_ORDERS
        + "SELECT a.id FROM orders a JOIN orders b ON a.id = b.id WHERE mz_now() < a.ts AND\n"
        "  mz_now() < b.ts;",
    ),
    Code(
        code="TVFW305",
        title="an order of rows that come one after the other",
        explanation=(
            "ORDER BY sorts a whole result. Here rows come as they arise, and leave again; what came\n"
            "before is in the sink already. The first rows by an order are a result that is kept up."
        ),
        failing=_ORDERS + "SELECT id, count(*) AS n FROM orders GROUP BY id ORDER BY n;",
        mended=_ORDERS + "SELECT id, count(*) AS n FROM orders GROUP BY id ORDER BY n LIMIT 10;",
    ),
    Code(
        code="TVFW306",
        title="clauses of a watermark that another one replaces",
        explanation=(
            "A watermark above a source takes the place of that which the source declares, with all\n"
            "its clauses: IDLE AFTER no longer moves the watermark of a silent source, and PER no\n"
            "longer keeps one for each group. Such clauses stand in CREATE SOURCE alone."
        ),
        failing="CREATE SOURCE orders (\n  id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts IDLE AFTER "
        "INTERVAL 30 SECONDS\n) USING parquet OPTIONS (path 'orders');\n"
        "SELECT id FROM WATERMARK(orders, ts, ts - INTERVAL 5 MINUTES)\n"
        "WHERE ts + INTERVAL 1 HOUR <= WATERMARK_TS();",
        mended="CREATE SOURCE orders (\n  id BIGINT, ts TIMESTAMP,\n  WATERMARK FOR ts AS ts - INTERVAL 5 "
        "MINUTES IDLE AFTER INTERVAL 30 SECONDS\n) USING parquet OPTIONS (path 'orders');\n"
        "SELECT id FROM orders WHERE ts + INTERVAL 1 HOUR <= WATERMARK_TS();",
    ),
    Code(
        code="TVFW401",
        title="the current time is read once",
        explanation=(
            "now() and current_timestamp() have Spark's meaning: they are evaluated when a row\n"
            "arrives. A row that is not in the result then never will be."
        ),
        failing=_ORDERS + "SELECT id FROM orders WHERE ts < now();",
        mended=_ORDERS + "SELECT id FROM orders WHERE ts < WATERMARK_TS();",
    ),
    Code(
        code="TVFW402",
        title="a watermark that does nothing",
        explanation=(
            "In a query on the wall clock no row is late, and watermarks do nothing. A query on\n"
            "WATERMARK_TS() refuses the rows that come too late."
        ),
        failing=_ORDERS + "SELECT id FROM orders WHERE ts <= mz_now();",
        mended=_PLAIN + "SELECT id FROM orders WHERE ts <= mz_now();",
    ),
)
