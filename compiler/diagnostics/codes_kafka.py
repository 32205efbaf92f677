"""Codes of Kafka and of schema registries: as sinks, and at run time."""

from __future__ import annotations

from compiler.diagnostics.code import Code

_ORDERS = (
    "CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts)\n"
    "USING parquet OPTIONS (path 'orders');\n"
)

KAFKA_CODES: tuple[Code, ...] = (
    Code(
        code="TVF641",
        title="a delivery that Kafka does not have",
        explanation=(
            "Each record comes exactly once: a batch and its number are one transaction of Kafka.\n"
            "OPTIONS (delivery 'at-least-once') takes Spark's own sink, which needs no package and\n"
            "writes from all executors, and after a crash may write the last batch again."
        ),
        failing=_ORDERS
        + "CREATE SINK out USING kafka OPTIONS (topic 'out', delivery 'at-most-once') AS\n"
        "SELECT id FROM orders;",
        mended=_ORDERS
        + "CREATE SINK out USING kafka OPTIONS (topic 'out', delivery 'at-least-once') AS\n"
        "SELECT id FROM orders;",
    ),
    Code(
        code="TVF741",
        title="Kafka does not take a batch",
        explanation=(
            "Kafka cannot be reached, forbids it, or has refused a record; the message says which. The\n"
            "transaction is given up, and nobody sees anything of the batch. Started again, the job\n"
            "writes it anew. A batch that takes longer than kafka.transaction.timeout.ms (15 minutes)\n"
            "is given up, too: read less at a time, or let the broker allow more."
        ),
        failing="-- a broker that is down, or a record larger than kafka.message.max.bytes",
        mended="-- the broker is up, or OPTIONS (`kafka.message.max.bytes` '10000000', …)",
    ),
    Code(
        code="TVF742",
        title="Kafka and the checkpoint do not go together",
        explanation=(
            "The topic _tvfc_batches says which batch of a checkpoint Kafka has. It is ahead of a\n"
            "checkpoint that was put back from a copy; it says nothing where the topic was removed while\n"
            "a batch was under way; and it cannot be read to its end while another job's transaction\n"
            "is open. To go on would repeat records or leave some out."
        ),
        failing="-- a checkpoint of yesterday, put back in place of today's",
        mended="-- a new checkpoint and a new topic",
    ),
    Code(
        code="TVF751",
        title="a schema registry that does not answer",
        explanation=(
            "Records name their schemas by numbers that a schema registry knows. It could not be reached,\n"
            "or has refused what was asked. The batch is not written; the next start goes on with it."
        ),
        failing="-- FORMAT PLAIN ENCODE AVRO (schema.registry = 'http://registry:8081'), and it is down",
        mended="-- start the registry, and the job again on its checkpoint",
    ),
    Code(
        code="TVF752",
        title="records that cannot be read or written so",
        explanation=(
            "As the job starts it is known which types the columns have. A type has no form in the\n"
            "encoding that is asked for, a name is none of Avro's, the schema is missing, or the package\n"
            "that reads such records is not installed. The message says which, and what to do."
        ),
        failing="-- FORMAT PLAIN ENCODE AVRO, where fastavro is not installed",
        mended="-- pip install 'tvfc[avro]'",
    ),
)
