"""Codes TVF7xx: what a job is told when it starts."""

from __future__ import annotations

from compiler.diagnostics.code import Code

START_CODES: tuple[Code, ...] = (
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
        code="TVF716",
        title="a folder that the job may not use",
        explanation="The user that runs the job may not write to its checkpoint or sink, or read its input.",
        failing="-- --checkpoint on a read-only disk",
        mended="-- chown or chmod the folder, and start the job again",
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
            "are not installed where the job's main program runs; or lineage.json, which is compiled\n"
            "with a job, does not lie beside it."
        ),
        failing="-- spark-submit job.py --checkpoint cp --otel http://localhost:4318",
        mended="-- pip install 'tvfc[otel,lineage]', and the job started again",
    ),
    Code(
        code="TVF681",
        title="a history that cannot be read before its source",
        explanation=(
            "OPTIONS (backfill 'parquet', backfill.path '…') say that files hold what there was before:\n"
            "they are read to their end, and then the source itself. They are of parquet, orc, json or\n"
            "csv, and have the columns of the source; it is of Kafka or files, its rows stay, and it has\n"
            "one watermark."
        ),
        failing="CREATE SOURCE orders (id BIGINT) USING json\n"
        "OPTIONS (path 'new', backfill.path 'old');\n"
        "SELECT id FROM orders;",
        mended="CREATE SOURCE orders (id BIGINT) USING json\n"
        "OPTIONS (path 'new', backfill 'parquet', backfill.path 'old');\n"
        "SELECT id FROM orders;",
    ),
    Code(
        code="TVF731",
        title="an environment variable that is not set",
        explanation=(
            "OPTIONS of a source or sink have `${NAME}`, and the job was started without the\n"
            "environment variable NAME. Nothing was read."
        ),
        failing="-- OPTIONS (path '${DATA_DIR}/orders'), and: spark-submit job.py --checkpoint cp",
        mended="-- DATA_DIR=/data spark-submit job.py --checkpoint cp",
    ),
    Code(
        code="TVF732",
        title="an option that cannot be given at the start",
        explanation=(
            "`--option NAME.OPTION=VALUE` stands in place of a value that the source, table or sink NAME\n"
            "has in its OPTIONS. What is not there cannot be given, but for options that say how much a\n"
            "source reads at a time (maxFilesPerTrigger and the like), badRows and maxBadRows."
        ),
        failing="-- spark-submit job.py --checkpoint cp --option orders.pth=/data/orders",
        mended="-- spark-submit job.py --checkpoint cp --option orders.path=/data/orders",
    ),
    Code(
        code="TVF733",
        title="a checkpoint of a run that has ended for good",
        explanation=(
            "A run with --flush-at-end ends with the clock at the end of time, one with --until at the\n"
            "time that is given. Rows that come after it would be late, and windows that are closed\n"
            "would not open again. So its checkpoint is not continued."
        ),
        failing="-- spark-submit job.py --checkpoint cp --available-now --flush-at-end, twice",
        mended="-- spark-submit job.py --checkpoint another --available-now --flush-at-end",
    ),
    Code(
        code="TVF734",
        title="a source of files that has moved",
        explanation=(
            "A checkpoint knows the files that were read by their paths. A source that lies elsewhere,\n"
            "by another environment variable or --option, would have them all read again; Spark does\n"
            "not start then."
        ),
        failing="-- DATA_DIR=/data spark-submit job.py --checkpoint cp; then with DATA_DIR=/other",
        mended="-- DATA_DIR=/other spark-submit job.py --checkpoint another",
    ),
    Code(
        code="TVF735",
        title="a run that would have no end",
        explanation=(
            "FILL without FOR makes a row for each window up to the clock. With --flush-at-end that is\n"
            "the end of time, and so the rows would have no end."
        ),
        failing="-- TUMBLE(…) FILL (0), and: spark-submit job.py … --available-now --flush-at-end",
        mended="-- TUMBLE(…) FILL (0) FOR INTERVAL 1 HOUR, or --until '2026-02-01 00:00:00'",
    ),
    Code(
        code="TVF736",
        title="a format that Spark does not have",
        explanation=(
            "The connectors of Kafka, Avro and others are no part of Spark: they are fetched with\n"
            "--packages, or given as files with --jars. `tvfc run`, spark-submit and a job that is\n"
            "started as a program of Python take both."
        ),
        failing="-- USING kafka, and: tvfc run query.sql",
        mended="-- tvfc run query.sql --packages org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",
    ),
)
