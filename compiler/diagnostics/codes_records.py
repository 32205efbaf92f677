"""Codes TVF63x: records, how they are written and what of them is read."""

from __future__ import annotations

from compiler.diagnostics.code import Code

_ORDERS = "CREATE SOURCE orders (id BIGINT) "
_KAFKA = "USING kafka OPTIONS (subscribe 'orders', kafka.bootstrap.servers 'broker:9092')\n"
_ROWS = "SELECT id FROM orders;"

RECORD_CODES: tuple[Code, ...] = (
    Code(
        code="TVF631",
        title="a FORMAT or ENCODE that does not exist",
        explanation=(
            "FORMAT says what a record is of the relation: PLAIN, a row; UPSERT, the row of its key;\n"
            "DEBEZIUM and MAXWELL, the envelope of a change; CHANGELOG, a row with its `_diff`.\n"
            "ENCODE says how its fields are written: JSON, AVRO, PROTOBUF, CSV or BYTES.\n"
            "OPTIONS (format 'plain', encode 'json') says the same; one of both is enough."
        ),
        failing=_ORDERS + _KAFKA + "FORMAT PLAIN ENCODE JASON;\n" + _ROWS,
        mended=_ORDERS + _KAFKA + "FORMAT PLAIN ENCODE JSON;\n" + _ROWS,
    ),
    Code(
        code="TVF632",
        title="a FORMAT or ENCODE that is not supported here",
        explanation=(
            "FORMAT and ENCODE say how records of Kafka are written. Files and other formats say that\n"
            "themselves."
        ),
        failing=_ORDERS + "USING json OPTIONS (path 'orders')\nFORMAT PLAIN ENCODE JSON;\n" + _ROWS,
        mended=_ORDERS + "USING json OPTIONS (path 'orders');\n" + _ROWS,
    ),
    Code(
        code="TVF633",
        title="nothing of that name to INCLUDE",
        explanation=(
            "INCLUDE makes columns of what a record of Kafka has beside its value: `key` (BINARY),\n"
            "`timestamp` (TIMESTAMP), `partition` (INT), `offset` (BIGINT), `topic` (STRING) and\n"
            "`headers` (ARRAY<STRUCT<key: STRING, value: BINARY>>)."
        ),
        failing=_ORDERS + "INCLUDE time AS ts\n" + _KAFKA + ";\n" + _ROWS,
        mended=_ORDERS + "INCLUDE timestamp AS ts\n" + _KAFKA + ";\n" + _ROWS,
    ),
    Code(
        code="TVF635",
        title="a Kafka source without topics or servers",
        explanation=(
            "`subscribe` names topics, `subscribePattern` finds them by a regular expression, also\n"
            "those that come later, `assign` says which partitions; one of them is needed, and\n"
            "`kafka.bootstrap.servers`. RisingWave's `topic` and `properties.bootstrap.server` say\n"
            "the same."
        ),
        failing=_ORDERS + "USING kafka OPTIONS (subscribe 'orders');\n" + _ROWS,
        mended=_ORDERS + _KAFKA + ";\n" + _ROWS,
    ),
    Code(
        code="TVF636",
        title="an ENCODE that lacks what it needs",
        explanation=(
            "AVRO needs a schema: `schema.registry` is the address of a registry whose schemas the\n"
            "records name, `schema` the schema itself, or the path of a file that has it. BYTES\n"
            "gives one column, BINARY or STRING."
        ),
        failing=_ORDERS + _KAFKA + "FORMAT PLAIN ENCODE AVRO;\n" + _ROWS,
        mended=_ORDERS
        + _KAFKA
        + "FORMAT PLAIN ENCODE AVRO (schema.registry = 'http://registry:8081');\n"
        + _ROWS,
    ),
    Code(
        code="TVF637",
        title="a schema that cannot be had, or makes no columns",
        explanation=(
            "A source of ENCODE AVRO that declares no columns has those of its schema: that of the\n"
            "option `schema`, or the latest of the subject `topic-value` of `schema.registry`, which\n"
            "is asked when the query is compiled. The job keeps the schema, and reads records of\n"
            "other versions by it."
        ),
        failing="CREATE SOURCE orders "
        + _KAFKA
        + 'FORMAT PLAIN ENCODE AVRO (schema = \'{"type": "string"}\');\nSELECT * FROM orders;',
        mended="CREATE SOURCE orders "
        + _KAFKA
        + 'FORMAT PLAIN ENCODE AVRO (schema = \'{"type": "record", "name": "orders", "fields": [\n'
        + '  {"name": "id", "type": "long"}]}\');\nSELECT * FROM orders;',
    ),
    Code(
        code="TVFW633",
        title="a field that is called as a part of the record",
        explanation=(
            "The columns of a Kafka source are fields of the record's value, also one of the name and\n"
            "type of something beside it, such as the time of the record. It is NULL where the value\n"
            "has no such field. INCLUDE has what stands beside the value."
        ),
        failing="CREATE SOURCE orders (id BIGINT, timestamp TIMESTAMP)\n" + _KAFKA + ";\n" + _ROWS,
        mended=_ORDERS + "INCLUDE timestamp\n" + _KAFKA + ";\n" + _ROWS,
    ),
    Code(
        code="TVF634",
        title="a watermark PER something that has none",
        explanation=(
            "PER names a column of the source; each of its values has a watermark of its own, of which\n"
            "the least is that of the source. PER PARTITION of a Kafka source is by its partitions."
        ),
        failing="CREATE SOURCE orders (id BIGINT, ts TIMESTAMP,\n"
        "  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE PER device)\n" + _KAFKA + ";\n" + _ROWS,
        mended="CREATE SOURCE orders (id BIGINT, ts TIMESTAMP,\n"
        "  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE PER PARTITION)\n" + _KAFKA + ";\n" + _ROWS,
    ),
)
