"""7xx: what a job is told when it starts."""

from __future__ import annotations

from compiler.diagnostics.code import Code

CODES_OF_THE_START = (
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
        title="a package whose source or sink cannot be loaded",
        explanation=(
            "An installed package has an entry point `tvfc.sources` or `tvfc.sinks` of this name, and\n"
            "loading it has failed, or what it stands for is none of these; the note says how."
        ),
        failing="-- USING name, where `tvfc.sinks` of a package has that name",
        mended="-- pip install --upgrade package",
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
