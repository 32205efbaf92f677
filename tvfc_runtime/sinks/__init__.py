"""Where rows go when Spark's own sink does not do: several outputs of one query, keyed tables.

In order of flow:

    together.py       several outputs as one frame, cut apart again in every batch
    writers.py        the writer for an output: by its format, and by whether it has a key
    files.py          files that come batch by batch, each whole or not at all
    changes.py        a batch of a result as upserts and deletes by key
    keyed.py          the interface of keyed sinks, and those that are known
    json_text.py      rows and values as JSON
    kafka_records.py  rows as records of Kafka, and changes as a record for each key
    kafka.py          Kafka in transactions; kafka_batches.py the numbers of batches that it has,
                      kafka_client.py settings of its clients, kafka_producer.py transactions
    pieces.py         large batches, for what is written by the driver
    sqlite.py         the keyed sink on SQLite; sqlite_values.py the form of its values
"""

from tvfc_runtime.sinks.changes import Changes
from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.keyed import KeyedSink, KeyedTable, register_keyed_sink
from tvfc_runtime.sinks.together import SeveralWriters, Together, together
from tvfc_runtime.sinks.writers import Writer, batch_writer, is_table

__all__ = [
    "Changes",
    "KeyedSink",
    "KeyedTable",
    "SeveralWriters",
    "SinkError",
    "Together",
    "Writer",
    "batch_writer",
    "is_table",
    "register_keyed_sink",
    "together",
]
