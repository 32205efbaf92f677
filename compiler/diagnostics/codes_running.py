"""Codes TVF7xx: what a job that runs stops at, or warns of."""

from __future__ import annotations

from compiler.diagnostics.code import Code

RUNNING_CODES: tuple[Code, ...] = (
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
            "also not those of a new checkpoint. A folder of one of several outputs has files with the\n"
            "numbers of batches in their names, and a new checkpoint would add all rows once more.\n"
            "Give the sink another table or path, or go on from the checkpoint that wrote it."
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
    Code(
        code="TVF753",
        title="a checkpoint that has lost how far groups had come",
        explanation=(
            "The watermark of a source with PER is the least of its groups, and how far each has come is\n"
            "in files of the checkpoint, below tvfc/groups. The file of the last batch is missing, so\n"
            "that which rows are late is not known."
        ),
        failing="-- a checkpoint that was copied without its folder tvfc",
        mended="-- copy all of it, or begin with a new checkpoint",
    ),
    Code(
        code="TVF757",
        title="a query started before its history is read",
        explanation=(
            "A source with OPTIONS (backfill …) stands still until its history is read to the end, which\n"
            "is a run of its own. A job that is started as a program, or by tvfc run, does one after the\n"
            "other; a program of one's own starts what tvfc_runtime.phases yields, in turn."
        ),
        failing="-- tvfc_runtime.start(…) of such a query, in a notebook",
        mended="-- for trigger, queries in tvfc_runtime.phases(job.JOB, 'checkpoint', {}, None): …",
    ),
)
