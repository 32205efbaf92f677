"""Codes TVF60x, 61x and 67x: where rows come from and where they go, with what options."""

from __future__ import annotations

from compiler.diagnostics.code import Code

_ORDERS = """CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
"""
_COUNTS = "SELECT count(*) AS n FROM orders;"
_ITEMS = "CREATE TABLE items (id BIGINT, name STRING) USING parquet OPTIONS (path 'items');\n"

PLACE_CODES: tuple[Code, ...] = (
    Code(
        code="TVF601",
        title="unknown sink",
        explanation="INSERT INTO names a sink that CREATE SINK has declared before.",
        failing=_ORDERS + "INSERT INTO result SELECT id FROM orders;",
        mended="CREATE SINK result USING parquet OPTIONS (path 'result');\n"
        + _ORDERS
        + "INSERT INTO result SELECT id FROM orders;",
    ),
    Code(
        code="TVF602",
        title="a source without a format",
        explanation="USING says how the rows of a source or table are read. Scenarios need none.",
        failing="CREATE SOURCE orders (id BIGINT, ts TIMESTAMP);\nSELECT id FROM orders;",
        mended=_ORDERS + "SELECT id FROM orders;",
    ),
    Code(
        code="TVF603",
        title="a query that reads no stream",
        explanation="Tables alone make a batch query, which Spark runs without tvfc.",
        failing=_ITEMS + "SELECT name FROM items;",
        mended=_ORDERS + _ITEMS + "SELECT i.name FROM orders o JOIN items i ON o.id = i.id;",
    ),
    Code(
        code="TVF604",
        title="a sink without a query",
        explanation="CREATE SINK without AS needs an INSERT INTO.",
        failing="CREATE SINK result USING parquet OPTIONS (path 'result');\n"
        + _ORDERS
        + "SELECT id FROM orders;",
        mended="CREATE SINK result USING parquet OPTIONS (path 'result');\n"
        + _ORDERS
        + "INSERT INTO result SELECT id FROM orders;",
    ),
    Code(
        code="TVF605",
        title="a script without a query",
        explanation="There are declarations only; nothing would run.",
        failing=_ORDERS.rstrip(),
        mended=_ORDERS + "SELECT id FROM orders;",
    ),
    Code(
        code="TVF606",
        title="two queries for one sink",
        explanation=(
            "A sink takes the rows of one query, and no two sinks have one folder or table."
        ),
        failing="CREATE SINK result USING parquet OPTIONS (path 'result');\n"
        + _ORDERS
        + "INSERT INTO result SELECT id FROM orders;\nINSERT INTO result SELECT -id FROM orders;",
        mended="CREATE SINK result USING parquet OPTIONS (path 'result');\n"
        + _ORDERS
        + "INSERT INTO result SELECT id FROM orders UNION ALL SELECT -id FROM orders;",
    ),
    Code(
        code="TVF607",
        title="files without a path",
        explanation="A source or sink of files needs OPTIONS (path '…').",
        failing="CREATE SOURCE orders (id BIGINT, ts TIMESTAMP) USING parquet;\nSELECT id FROM orders;",
        mended=_ORDERS + "SELECT id FROM orders;",
    ),
    Code(
        code="TVF608",
        title="a changing result for a sink that takes rows for good",
        explanation=(
            "Rows of a changing result leave it again. A changelog sink (files, Kafka, the console,\n"
            "or mode 'changelog') takes every change as a row with _time and _diff; a sink with a\n"
            "key holds the result as it stands. Other formats, and mode 'append', take rows for\n"
            "good: EMIT ON WINDOW CLOSE gives only such."
        ),
        failing=_ORDERS
        + "CREATE SINK totals USING parquet OPTIONS (path 'totals', mode 'append') AS\n"
        + _COUNTS,
        mended=_ORDERS + "CREATE SINK totals USING parquet OPTIONS (path 'totals') AS\n" + _COUNTS,
    ),
    Code(
        code="TVF609",
        title="a sink whose key and mode do not go together",
        explanation=(
            "USING sqlite, and mode 'upsert', hold one row for each key, and need OPTIONS (key\n"
            "'column, …'). Files and the console add every row to those before, and have no key; in\n"
            "Kafka a key is that of the records, and means mode 'upsert' unless another is said. The\n"
            "modes are append, changelog and upsert."
        ),
        failing=_ORDERS
        + "CREATE SINK live USING sqlite OPTIONS (path 'live.db') AS SELECT id FROM orders;",
        mended=_ORDERS
        + "CREATE SINK live USING sqlite OPTIONS (path 'live.db', key 'id') AS SELECT id FROM orders;",
    ),
    Code(
        code="TVF610",
        title="rows without the key of their sink",
        explanation=(
            "The key names columns of the result, and a table has no two columns of one name."
        ),
        failing=_ORDERS
        + "CREATE SINK live USING sqlite OPTIONS (path 'live.db', key 'id') AS SELECT ts FROM orders;",
        mended=_ORDERS
        + "CREATE SINK live USING sqlite OPTIONS (path 'live.db', key 'id') AS SELECT id, ts FROM orders;",
    ),
    Code(
        code="TVF611",
        title="an option that its format does not have",
        explanation=(
            "Spark passes over an option that a format does not know, and reads something else than was\n"
            "meant. This name is nearly that of one which it has."
        ),
        failing="CREATE SOURCE orders (id BIGINT) USING csv OPTIONS (path 'orders', haeder 'true');\n"
        "SELECT id FROM orders;",
        mended="CREATE SOURCE orders (id BIGINT) USING csv OPTIONS (path 'orders', header 'true');\n"
        "SELECT id FROM orders;",
    ),
    Code(
        code="TVFW611",
        title="an option that nobody reads",
        explanation="The format of the source or sink has no such option, and none of a similar name.",
        failing="CREATE SOURCE orders (id BIGINT) USING csv OPTIONS (path 'orders', tenant 'acme');\n"
        "SELECT id FROM orders;",
        mended="CREATE SOURCE orders (id BIGINT) USING csv OPTIONS (path 'orders');\n"
        "SELECT id FROM orders;",
    ),
    Code(
        code="TVFW618",
        title="a password in a query",
        explanation=(
            "The text of a query is kept beside the job and in its checkpoint, and is shown to whoever\n"
            "reads them. Postgres' own client takes a password from PGPASSWORD or from ~/.pgpass."
        ),
        failing="CREATE SOURCE orders (id BIGINT) USING json OPTIONS (path 'orders');\n"
        "CREATE SINK out USING postgres OPTIONS (host 'db', user 'me', password 'secret') AS SELECT id FROM orders;",
        mended="CREATE SOURCE orders (id BIGINT) USING json OPTIONS (path 'orders');\n"
        "CREATE SINK out USING postgres OPTIONS (host 'db', user 'me') AS SELECT id FROM orders;",
    ),
    Code(
        code="TVF615",
        title="an option of bad rows that means nothing",
        explanation=(
            "OPTIONS (badRows 'fail') stops the job at the first row that does not fit its source,\n"
            "'drop' leaves it out; maxBadRows is how many may be left out before the job stops."
        ),
        failing="CREATE SOURCE orders (id BIGINT) USING json OPTIONS (path 'orders', maxBadRows 'few');\n"
        "SELECT id FROM orders;",
        mended="CREATE SOURCE orders (id BIGINT) USING json OPTIONS (path 'orders', maxBadRows '100');\n"
        "SELECT id FROM orders;",
    ),
    Code(
        code="TVF616",
        title="a sink in the folder of a source",
        explanation=(
            "A source of files reads all that is in its folder and below it, also what the job itself\n"
            "writes there. Names that begin with an underscore or a dot are passed over."
        ),
        failing="CREATE SOURCE orders (id BIGINT) USING json OPTIONS (path 'data');\n"
        "CREATE SINK copies USING json OPTIONS (path 'data/copies') AS SELECT id FROM orders;",
        mended="CREATE SOURCE orders (id BIGINT) USING json OPTIONS (path 'data/orders');\n"
        "CREATE SINK copies USING json OPTIONS (path 'data/copies') AS SELECT id FROM orders;",
    ),
    Code(
        code="TVF617",
        title="files that go before all have read them",
        explanation=(
            "cleanSource removes a file once one reader has read it. Where several streaming queries\n"
            "of a script, both sides of a join, or two sources read a folder, another of them may not\n"
            "have seen the file yet, and would miss its rows without a word."
        ),
        failing="CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts)\n"
        "USING json OPTIONS (path 'orders', cleanSource 'delete');\n"
        "SELECT a.id FROM orders AS a JOIN orders AS b\n"
        "ON a.id = b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR;",
        mended="CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts)\n"
        "USING json OPTIONS (path 'orders');\n"
        "SELECT a.id FROM orders AS a JOIN orders AS b\n"
        "ON a.id = b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR;",
    ),
    Code(
        code="TVF619",
        title="a database that is to be a stream",
        explanation=(
            "A table of Postgres or DuckDB is read as it is when a batch runs, as a static table: nobody\n"
            "says which of its rows are new. Tables of SQLite are written and not read."
        ),
        failing="CREATE SOURCE orders (id BIGINT) USING postgres OPTIONS (table 'orders');\n"
        "SELECT id FROM orders;",
        mended="CREATE SOURCE orders (id BIGINT) USING json OPTIONS (path 'orders');\n"
        "CREATE TABLE shops (id BIGINT, city STRING) USING postgres OPTIONS (table 'shops');\n"
        "SELECT o.id, s.city FROM orders AS o JOIN shops AS s ON o.id = s.id;",
    ),
    Code(
        code="TVFW601",
        title="an uncommon format",
        explanation=(
            "The format of a source or sink is nearly that of a common one. A library may bring a\n"
            "format of this name, so the job is compiled."
        ),
        failing="CREATE SOURCE orders (id BIGINT) USING cvs OPTIONS (path 'orders');\n"
        "SELECT id FROM orders;",
        mended="CREATE SOURCE orders (id BIGINT) USING csv OPTIONS (path 'orders');\n"
        "SELECT id FROM orders;",
    ),
    Code(
        code="TVFW606",
        title="a query that is not run",
        explanation=(
            "A job has one console, and the last query of the script that has no sink goes there. The\n"
            "others are checked and then dropped; each needs a sink of its own."
        ),
        failing=_ORDERS + "SELECT id FROM orders;\nSELECT count(*) FROM orders;",
        mended=_ORDERS
        + "CREATE SINK copies USING parquet OPTIONS (path 'copies') AS SELECT id FROM orders;\n"
        "SELECT count(*) FROM orders;",
    ),
    Code(
        code="TVF671",
        title="`${…}` that names no environment variable",
        explanation=(
            "`${NAME}` in the value of an option is the environment variable NAME as it is when the\n"
            "job starts. A name has letters, digits and `_`. To have the characters `${` in a value,\n"
            "write `$${`."
        ),
        failing="CREATE SOURCE orders (id BIGINT) USING csv OPTIONS (path '${DATA-DIR}/orders');\n"
        "SELECT id FROM orders;",
        mended="CREATE SOURCE orders (id BIGINT) USING csv OPTIONS (path '${DATA_DIR}/orders');\n"
        "SELECT id FROM orders;",
    ),
    Code(
        code="TVF672",
        title="a package whose source, sink or format cannot be loaded",
        explanation=(
            "An installed package has an entry point `tvfc.sources`, `tvfc.sinks` or `tvfc.formats` of\n"
            "this name, and loading it has failed, or what it stands for is none of these; the note\n"
            "says how."
        ),
        failing="-- USING name, where `tvfc.sinks` of a package has that name",
        mended="-- pip install --upgrade package",
    ),
)
