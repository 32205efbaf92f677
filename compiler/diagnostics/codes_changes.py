"""Codes TVF66x: sources whose records change rows that have come before."""

from __future__ import annotations

from compiler.diagnostics.code import Code

_PLAIN = "CREATE SOURCE orders (id BIGINT, status STRING)\n"
_KAFKA = "USING kafka OPTIONS (subscribe 'orders', kafka.bootstrap.servers 'broker:9092')\n"
_ROWS = "SELECT status, count(*) AS n FROM orders GROUP BY status;"
_KEYED = "CREATE SOURCE orders (id BIGINT, status STRING, PRIMARY KEY (id))\n"

CHANGE_CODES: tuple[Code, ...] = (
    Code(
        code="TVF661",
        title="a source of changes without a PRIMARY KEY",
        explanation=(
            "Records of FORMAT UPSERT say what the row of a key is, and those of DEBEZIUM and MAXWELL\n"
            "need not say what a row was before. So the job keeps the last row of each key, to take\n"
            "it back, and PRIMARY KEY names the columns of the key.\n"
            "A database that always logs rows as they were, Postgres with REPLICA IDENTITY FULL or\n"
            "MySQL with binlog_row_image = FULL, needs no state: ENCODE JSON (before.images =\n"
            "'whole'). Records that come twice count twice then."
        ),
        failing=_PLAIN + _KAFKA + "FORMAT DEBEZIUM ENCODE JSON;\n" + _ROWS,
        mended=_KEYED + _KAFKA + "FORMAT DEBEZIUM ENCODE JSON;\n" + _ROWS,
    ),
    Code(
        code="TVF662",
        title="a PRIMARY KEY that tells nothing apart",
        explanation=(
            "PRIMARY KEY names the columns by which rows of FORMAT UPSERT, DEBEZIUM or MAXWELL are\n"
            "told apart. Rows of other sources come and stay, whatever others are like them."
        ),
        failing=_KEYED + _KAFKA + "FORMAT PLAIN ENCODE JSON;\n" + _ROWS,
        mended=_KEYED + _KAFKA + "FORMAT UPSERT ENCODE JSON;\n" + _ROWS,
    ),
    Code(
        code="TVF663",
        title="a watermark of a source of changes",
        explanation=(
            "A watermark refuses rows that come later than their time allows. A change takes a row\n"
            "back with the time at which the row was made: it would be refused, and the row would\n"
            "stay for ever. So changes count from their arrival on.\n"
            "The clock of the query is the watermark of its other sources, or the wall clock."
        ),
        failing="CREATE SOURCE orders (id BIGINT, status STRING, ts TIMESTAMP, PRIMARY KEY (id),\n"
        "  WATERMARK FOR ts AS ts)\n" + _KAFKA + "FORMAT DEBEZIUM ENCODE JSON;\n" + _ROWS,
        mended="CREATE SOURCE orders (id BIGINT, status STRING, ts TIMESTAMP, PRIMARY KEY (id))\n"
        + _KAFKA
        + "FORMAT DEBEZIUM ENCODE JSON;\n"
        + _ROWS,
    ),
    Code(
        code="TVF664",
        title="a source of changes that cannot be read so",
        explanation=(
            "DEBEZIUM, MAXWELL and UPSERT are read from Kafka and from files of a record a line,\n"
            "ENCODE JSON. A CHANGELOG is read from Kafka and from any files of rows; their columns\n"
            "`_time` and `_diff` are not declared.\n"
            "Options of ENCODE are `before.images = 'whole'`, `timestamp.handling.mode`, which says\n"
            "whether a number for a TIMESTAMP is 'milli', 'micro' or 'nano' seconds,\n"
            "`decimal.handling.mode`, Debezium's own, of 'string' or 'double' (its 'precise' is not\n"
            "read), `unavailable.value.placeholder`, its own, too, and `table.name`, if a topic has\n"
            "the changes of several tables."
        ),
        failing=_KEYED
        + _KAFKA
        + "FORMAT DEBEZIUM ENCODE JSON (timestamp.handling.mode = 'guess');\n"
        + _ROWS,
        mended=_KEYED
        + _KAFKA
        + "FORMAT DEBEZIUM ENCODE JSON (timestamp.handling.mode = 'micro');\n"
        + _ROWS,
    ),
    Code(
        code="TVF665",
        title="final or late rows of a source of changes",
        explanation=(
            "Any row of a source of changes may be changed or taken away at any time. So none is\n"
            "final, as EMIT ON WINDOW CLOSE, SESSION and MATCH_RECOGNIZE need it; none is late; and\n"
            "none has one time of arrival. Without these, the result changes with its sources.\n"
            "Time comes in by conditions on the clock: `WHERE mz_now() < ts + INTERVAL 1 DAY`."
        ),
        failing=_KEYED
        + _KAFKA
        + "FORMAT UPSERT ENCODE JSON;\nSELECT status, count(*) AS n FROM orders GROUP BY status\n"
        "EMIT ON WINDOW CLOSE;",
        mended=_KEYED + _KAFKA + "FORMAT UPSERT ENCODE JSON;\n" + _ROWS,
    ),
)
