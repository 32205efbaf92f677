"""Codes TVF5xx: what is not supported; TVF6xx: sources and sinks; TVF7xx: run time."""

from __future__ import annotations

from compiler.diagnostics.code import Code

_ORDERS = """CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
"""
_COUNTS = "SELECT count(*) AS n FROM orders;"
_ITEMS = "CREATE TABLE items (id BIGINT, name STRING) USING parquet OPTIONS (path 'items');\n"

SUPPORT_CODES: tuple[Code, ...] = (
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
            "A table is asked by the rows of a stream, which a join with it keeps. Under EMIT ON\n"
            "WINDOW CLOSE two streams are joined by what is equal, and outer joins by times, too;\n"
            "ASOF JOIN compares a watermarked time of either side."
        ),
        failing=_ORDERS + _ITEMS + "SELECT i.name FROM orders o RIGHT JOIN items i ON o.id = i.id;",
        mended=_ORDERS + _ITEMS + "SELECT i.name FROM orders o LEFT JOIN items i ON o.id = i.id;",
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
        code="TVF701",
        title="the checkpoint of another query",
        explanation=(
            "A checkpoint holds the state of one query and can be continued by one that keeps the\n"
            "same, however it is written. The message shows in words what differs, and then the\n"
            "texts of both; nothing in the checkpoint was touched. Give a new --checkpoint, or run\n"
            "the query as it was."
        ),
        failing="-- spark-submit job.py --checkpoint used-by-another-query",
        mended="-- spark-submit job.py --checkpoint new-folder",
    ),
    Code(
        code="TVF702",
        title="no Java",
        explanation="Spark 4 runs on Java 17 or newer; compile, explain and check need none.",
        failing="-- tvfc run query.sql",
        mended="-- apt-get install openjdk-17-jre-headless && tvfc run query.sql",
    ),
    Code(
        code="TVF703",
        title="a runtime of another version",
        explanation="job.py and the tvfc_runtime.zip beside it come from one `tvfc compile`.",
        failing="-- job.py beside a tvfc_runtime.zip of another version",
        mended="-- tvfc compile query.sql",
    ),
    Code(
        code="TVF704",
        title="a row that does not fit its source",
        explanation=(
            "With OPTIONS (badRows 'fail') a row that does not fit the declared columns stops the\n"
            "job. By default it is left out and counted."
        ),
        failing="CREATE SOURCE orders (id BIGINT NOT NULL) USING json OPTIONS (path 'orders', badRows 'fail');\n"
        "SELECT id FROM orders;",
        mended="CREATE SOURCE orders (id BIGINT) USING json OPTIONS (path 'orders', badRows 'drop');\n"
        "SELECT id FROM orders;",
    ),
    Code(
        code="TVFW704",
        title="rows that do not fit their source",
        explanation=(
            "Records that do not fit the declared columns are left out and counted. The job says so\n"
            "with an example as soon as there are any, and again each time they are tenfold.\n"
            "BAD(source) in FROM has all of them, with the reason and the file."
        ),
        failing='-- {"id": "one"} in a file of CREATE SOURCE orders (id BIGINT) USING json …',
        mended="CREATE SOURCE orders (id BIGINT) USING json OPTIONS (path 'orders');\n"
        "CREATE SINK unread USING json OPTIONS (path 'unread') AS SELECT * FROM BAD(orders);\n"
        "SELECT id FROM orders;",
    ),
    Code(
        code="TVFW721",
        title="many rows come late",
        explanation=(
            "More than a tenth of the rows of a source was behind its watermark when they came, and is\n"
            "left out. Rows do not come in order of their times as far as the watermark takes them to:\n"
            "devices send again what they could not send before, or files are read in another order\n"
            "than they were written. LATE(source) in FROM has these rows; a longer delay lets them in."
        ),
        failing="CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) …",
        mended="CREATE SOURCE orders (\n  id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 HOUR\n) "
        "USING parquet OPTIONS (path 'orders');\nSELECT id FROM orders;",
    ),
    Code(
        code="TVF705",
        title="a sink that holds rows of another query",
        explanation=(
            "A table holds the result of one checkpoint: a new one would write all rows once more.\n"
            "OPTIONS (shared 'true') lets several queries append to a table of Postgres, DuckDB, Delta\n"
            "or Iceberg. A folder that a query with one output has written has a list of its files and\n"
            "of the numbers of its batches: Spark reads no others there, and writes no batch again,\n"
            "also not those of a new checkpoint. Give the sink another table or path, or go on from\n"
            "the checkpoint that wrote it."
        ),
        failing="-- a new --checkpoint, and the table that another one has filled",
        mended="-- a new --checkpoint, and OPTIONS (table 'live_2', …)",
    ),
    Code(
        code="TVF706",
        title="two rows of one key",
        explanation=(
            "A keyed sink holds one row for each key, and the result has two; the message names the\n"
            "key. Only of a result that never changes the later row takes the earlier one's place."
        ),
        failing="-- OPTIONS (key 'carrier') for a result by carrier and day",
        mended="-- OPTIONS (key 'carrier, day')",
    ),
    Code(
        code="TVF707",
        title="a sink that does not fit",
        explanation=(
            "There is no keyed sink of this name, a package is missing, a table lacks a column of the\n"
            "result or has one of another type, its database cannot be reached or refuses the rows, or\n"
            "the driver does not see the files that Spark has written. The message says which, and\n"
            "what to do. register_keyed_sink() makes a sink of one's own known."
        ),
        failing="-- CREATE SINK live USING sqlite OPTIONS (path 's3://bucket/live.db', key 'id')",
        mended="-- CREATE SINK live USING sqlite OPTIONS (path '/data/live.db', key 'id')",
    ),
    Code(
        code="TVF708",
        title="too many rows that do not fit",
        explanation=(
            "More rows of a source did not fit its columns than OPTIONS (maxBadRows 'n') allows since\n"
            "the job was first started on its checkpoint. The results of the batches so far stand.\n"
            "Mend the declaration and take a new checkpoint, or allow more: the option may change."
        ),
        failing="CREATE SOURCE orders (id BIGINT) USING csv OPTIONS (path 'orders', maxBadRows '100');\n"
        "SELECT id FROM orders;",
        mended="CREATE SOURCE orders (id BIGINT) USING csv OPTIONS (path 'orders', maxBadRows '1000');\n"
        "SELECT id FROM orders;",
    ),
    Code(
        code="TVF709",
        title="two jobs on one checkpoint",
        explanation=(
            "A checkpoint belongs to one running job. The second one stops before it has written\n"
            "anything; the first one goes on."
        ),
        failing="-- spark-submit job.py --checkpoint c, twice at once",
        mended="-- spark-submit job.py --checkpoint c, after the first one has ended",
    ),
    Code(
        code="TVF710",
        title="no space left",
        explanation=(
            "The disk of the checkpoint, of a sink or of Spark's own files (spark.local.dir) is full.\n"
            "Make room and start the job again: it repeats the batch that it could not finish."
        ),
        failing="-- a full disk",
        mended="-- rm what is not needed, and start the job again",
    ),
    Code(
        code="TVF716",
        title="a folder that the job may not use",
        explanation="The user that runs the job may not write to its checkpoint or sink, or read its input.",
        failing="-- --checkpoint on a read-only disk",
        mended="-- chown or chmod the folder, and start the job again",
    ),
    Code(
        code="TVF712",
        title="a folder that is not there",
        explanation=(
            "A source reads a folder, which must be there when the job starts. It may be empty: files\n"
            "that come later are read when they come."
        ),
        failing="-- OPTIONS (path 'orders') before there is a folder orders",
        mended="-- mkdir orders",
    ),
    Code(
        code="TVF713",
        title="a file that is gone",
        explanation=(
            "A file that a batch was to read, or the job's checkpoint or sink, was taken away while\n"
            "the job ran. Put it back before the job is started again, which then reads it; if it is\n"
            "not there, its rows are passed over."
        ),
        failing="-- rm of a file that is not read yet",
        mended="-- move files away only once they are read: OPTIONS (cleanSource 'archive', …)",
    ),
    Code(
        code="TVF714",
        title="a file with a column of another type",
        explanation=(
            "A Parquet, ORC or Avro file has a column of a type that cannot be read as the declared\n"
            "one. Wider is possible: INT in the file, BIGINT in the declaration. The job stops at the\n"
            "file, and again at each start, until it is moved away or the declaration fits."
        ),
        failing="-- a column id of type STRING in a file of CREATE SOURCE orders (id BIGINT) USING parquet …",
        mended="-- the file moved away",
    ),
    Code(
        code="TVF715",
        title="a job that has failed",
        explanation="Anything else that Spark or Python reports; the message begins with what they say.",
        failing="-- a function of one's own that raises an error",
        mended="-- mended, and the job started again: it goes on from its checkpoint",
    ),
    Code(
        code="TVF717",
        title="metrics or a page that cannot be served",
        explanation=(
            "A job that is started with --metrics serves its counters over HTTP at the host and port\n"
            "that are given, and with --ui a page. Another process has that port, or the machine has no\n"
            "such address."
        ),
        failing="-- spark-submit job.py --checkpoint cp --metrics 9464, twice on a machine",
        mended="-- spark-submit job.py --checkpoint other --metrics 9465",
    ),
    Code(
        code="TVF770",
        title="metrics or lineage that cannot be sent",
        explanation=(
            "A job that is started with --otel sends its counters to a collector of OpenTelemetry, and\n"
            "with --lineage its lineage to a server or a file. The packages that do so are extras, and\n"
            "are not installed where the job's main program runs; or the place is no place for them."
        ),
        failing="-- spark-submit job.py --checkpoint cp --otel http://localhost:4318",
        mended="-- pip install 'tvfc[otel,lineage]', and the job started again",
    ),
    Code(
        code="TVF711",
        title="a checkpoint that is not whole",
        explanation=(
            "A file of the checkpoint, or of the list that Spark keeps beside the files of a sink, is\n"
            "torn or missing: after a loss of power, a copy made beside a running job, a clean-up.\n"
            "Continuing could lose or repeat rows; nothing was touched. The message names the file,\n"
            "and says so where it can simply be removed."
        ),
        failing="-- spark-submit job.py --checkpoint copied-while-the-job-ran",
        mended="-- spark-submit job.py --checkpoint copied-after-it-had-stopped",
    ),
)
