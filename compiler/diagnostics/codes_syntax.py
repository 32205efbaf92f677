"""Codes TVF1xx: the text is not in the language."""

from __future__ import annotations

from compiler.diagnostics.code import Code

SYNTAX_CODES: tuple[Code, ...] = (
    Code(
        code="TVF100",
        title="unexpected token",
        explanation="The text stops making sense at the marked place. The label says what may\n"
        "stand there instead.",
        failing="SELECT price FROM orders LIMIT 10 20;",
        mended="SELECT price FROM orders LIMIT 10;",
    ),
    Code(
        code="TVF101",
        title="character outside the language",
        explanation="SQL has no such sign. In names with unusual characters, use backquotes.",
        failing="SELECT price # 2 FROM orders;",
        mended="SELECT `price # 2` FROM orders;",
    ),
    Code(
        code="TVF102",
        title="something is not closed",
        explanation="A string, a quoted name, a comment, a parenthesis or a CASE has no end, or\n"
        "an end has no beginning.",
        failing="SELECT round(price FROM orders;",
        mended="SELECT round(price) FROM orders;",
    ),
    Code(
        code="TVF103",
        title="not a name",
        explanation="A name is wanted here. Keywords and names with spaces stand in backquotes;\n"
        "quotes make a string.",
        failing="SELECT price AS 'net price' FROM orders;",
        mended="SELECT price AS `net price` FROM orders;",
    ),
    Code(
        code="TVF104",
        title="clause out of place",
        explanation="The clauses of a query have one order: SELECT, FROM, LATERAL VIEW, WHERE,\n"
        "GROUP BY, HAVING, QUALIFY, WINDOW, ORDER BY, LIMIT, OFFSET, EMIT ON WINDOW CLOSE.",
        failing="SELECT price FROM orders ORDER BY price WHERE price > 10;",
        mended="SELECT price FROM orders WHERE price > 10 ORDER BY price;",
    ),
    Code(
        code="TVF105",
        title="a name given twice",
        explanation="Common tables of one WITH, and windows of one WINDOW, have different names.",
        failing="WITH a AS (SELECT 1), a AS (SELECT 2) SELECT * FROM a;",
        mended="WITH a AS (SELECT 1), b AS (SELECT 2) SELECT * FROM b;",
    ),
    Code(
        code="TVF106",
        title="wrong interval",
        explanation="An interval is INTERVAL, a number and a unit: INTERVAL 5 MINUTES, INTERVAL\n"
        "'5' MINUTE and INTERVAL '5 minutes' are the same. Years and months do not mix with days\n"
        "and smaller units. A number of a column is multiplied: n * INTERVAL 1 MINUTE.",
        failing="SELECT ts - INTERVAL 5 MINS FROM orders;",
        mended="SELECT ts - INTERVAL 5 MINUTES FROM orders;",
    ),
    Code(
        code="TVF107",
        title="wrong literal",
        explanation="A number must fit its type; the text of DATE and TIMESTAMP must be one.",
        failing="SELECT DATE '2024-02-30';",
        mended="SELECT DATE '2024-02-29';",
    ),
    Code(
        code="TVF108",
        title="wrong type",
        explanation="Spark has no type of this name, or the type needs more than its name.",
        failing="CREATE SOURCE orders (id BIGNT);",
        mended="CREATE SOURCE orders (id BIGINT);",
    ),
    Code(
        code="TVF109",
        title="malformed construct",
        explanation="The parts are there, but they do not go together in this way.",
        failing="SELECT * FROM VALUES (1, 2), (3) AS t(a, b);",
        mended="SELECT * FROM VALUES (1, 2), (3, NULL) AS t(a, b);",
    ),
    Code(
        code="TVF110",
        title="wrong arguments of a streaming function",
        explanation="TUMBLE(rel, column, size [, offset]),\n"
        "HOP(rel, column, slide, size [, offset]),\n"
        "CUMULATE(rel, column, step, size), SESSION(rel, column, key, gap), LATE(rel),\n"
        "WATERMARK(rel, column, strategy), WATERMARK_TS([alias]), mz_now() and PROC_TIME().",
        failing="SELECT * FROM TUMBLE(orders, INTERVAL 1 MINUTE, ts);",
        mended="SELECT * FROM TUMBLE(orders, ts, INTERVAL 1 MINUTE);",
    ),
    Code(
        code="TVF111",
        title="name of several parts",
        explanation="What a file creates has a plain name.",
        failing="CREATE SOURCE shop.orders (id BIGINT);",
        mended="CREATE SOURCE orders (id BIGINT);",
    ),
    Code(
        code="TVF112",
        title="join condition that cannot be",
        explanation="A NATURAL join brings its condition along; a LATERAL join has ON only.",
        failing="SELECT * FROM a NATURAL JOIN b ON a.id = b.id;",
        mended="SELECT * FROM a JOIN b ON a.id = b.id;",
    ),
    Code(
        code="TVF113",
        title="misspelt or incomplete keyword",
        explanation="With another word here the text would go on to make sense.",
        failing="SELECT price FORM orders;",
        mended="SELECT price FROM orders;",
    ),
    Code(
        code="TVF114",
        title="missing comma",
        explanation="Two things stand side by side where a list goes on.",
        failing="CREATE SOURCE orders (id BIGINT ts TIMESTAMP);",
        mended="CREATE SOURCE orders (id BIGINT, ts TIMESTAMP);",
    ),
    Code(
        code="TVF115",
        title="comma too many",
        explanation="Nothing of the list follows the comma. Only the columns of CREATE SOURCE and\n"
        "the options may end in one.",
        failing="SELECT id, price, FROM orders;",
        mended="SELECT id, price FROM orders;",
    ),
    Code(
        code="TVF116",
        title="no statement of tvfc",
        explanation="A file creates sources, tables, views and sinks, and holds queries.",
        failing="DROP TABLE orders;",
        mended="SELECT * FROM orders;",
    ),
    Code(
        code="TVF117",
        title="something is missing",
        explanation="A clause, an operator or a keyword has not got what it needs.",
        failing="SELECT price FROM orders WHERE;",
        mended="SELECT price FROM orders WHERE price > 10;",
    ),
    Code(
        code="TVF118",
        title="syntax of another dialect",
        explanation="Another system writes it so; the help says how Spark or tvfc does.",
        failing="SELECT TOP 10 price FROM orders;",
        mended="SELECT price FROM orders LIMIT 10;",
    ),
)
