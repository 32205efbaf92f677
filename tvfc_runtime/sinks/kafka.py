"""Kafka, exactly once: the records of a batch and its number go in one transaction of Kafka's.

A batch that is run again after a crash finds its number and writes nothing. Whoever reads what is
committed (`isolation.level` read_committed) sees all records of a batch or none. A second job on
the same checkpoint shuts the first one out, as both are one producer for Kafka.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from tvfc_runtime.checkpoint.storage import exists, list_numbers, query_id
from tvfc_runtime.sinks.arrow_pieces import in_pieces
from tvfc_runtime.sinks.changes import two_rows
from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.kafka_batches import (
    PATIENCE_S,
    TOPIC,
    ensure_topic,
    last_batch,
    marker_key,
    marker_value,
)
from tvfc_runtime.sinks.kafka_client import client_settings
from tvfc_runtime.sinks.kafka_producer import in_transaction, kafka_errors, send
from tvfc_runtime.sinks.kafka_records import DIFF, message_key, net_records

if TYPE_CHECKING:
    from confluent_kafka import Producer

    from tvfc_runtime.spec.job import Output

EXACTLY_ONCE, AT_LEAST_ONCE = "exactly-once", "at-least-once"
TRANSACTION_MS = 15 * 60 * 1000
"""How long a batch may take from its first record on: as long as brokers allow by default."""
PRODUCER = {
    # As clients in Java do it: a key is in one partition, whoever writes it.
    "partitioner": "murmur2_random",
    "transaction.timeout.ms": str(TRANSACTION_MS),
    "linger.ms": "20",
    # It takes the producer nothing that can be measured, and the broker has half of the work.
    "compression.type": "lz4",
    "queue.buffering.max.messages": "500000",
    "queue.buffering.max.kbytes": "131072",
}


def is_transactional(output: Output) -> bool:
    """Whether an output goes to Kafka in transactions, as it does unless it says otherwise."""
    return output.format == "kafka" and _given(output).get("delivery") != AT_LEAST_ONCE


def _given(output: Output) -> dict[str, str]:
    return {name.lower(): value for name, value in output.options.items()}


@dataclass
class _Session:
    """The producer of a sink, and the last batch that Kafka has of it."""

    producer: Producer
    last: int | None


_SESSIONS: dict[str, _Session] = {}
"""By `transactional.id`: a producer stays from batch to batch."""


@dataclass(frozen=True, kw_only=True)
class KafkaWriter:
    """Writes each batch in a transaction; plain data, so that it may travel.

    Attributes:
        sink: its name in the query.
        topic: where records go that do not name another topic.
        batches: the topic of the numbers of batches.
        settings: of clients of Kafka, passwords among them.
        key: the columns of the key, for messages.
        is_netted: whether rows are changes, of which each key is to have the last.
        checkpoint: that of the query.
    """

    sink: str
    topic: str | None
    batches: str
    settings: Mapping[str, str] = field(repr=False)
    key: tuple[str, ...]
    is_netted: bool
    checkpoint: str

    @classmethod
    def of(cls, output: Output, columns: StructType, checkpoint: str) -> KafkaWriter:
        """The writer for an output of such records.

        Raises:
            SinkError: it cannot write there; nothing was written.
        """
        if importlib.util.find_spec("confluent_kafka") is None:
            raise SinkError(
                f"TVF707: sink {output.name}: exactly once into Kafka needs the package "
                "confluent-kafka: pip install 'tvfc[kafka]', or write OPTIONS (delivery "
                "'at-least-once')"
            )
        given = _given(output)
        topic = given.get("topic")
        if topic is None and "topic" not in {name.lower() for name in columns.names}:
            raise SinkError(
                f"TVF707: sink {output.name}: the topic is not said; write OPTIONS (topic '…')"
            )
        batches = given.get("batchestopic", TOPIC)
        settings = client_settings(output.name, output.options) | {"log_level": "0"}
        with kafka_errors(output.name):
            is_new = ensure_topic(output.name, settings, batches)
        writer = cls(
            sink=output.name,
            topic=topic,
            batches=batches,
            settings=settings,
            key=message_key(output),
            is_netted=DIFF in columns.names,
            checkpoint=checkpoint,
        )
        if exists(f"{checkpoint}/metadata"):
            session = writer._open(query_id(checkpoint))
            writer._check(session.last, is_new=is_new)
        return writer

    def __call__(self, records: DataFrame, number: int) -> None:
        """Write one batch.

        Raises:
            SinkError: Kafka has not taken it, or two rows have one key.
        """
        query = query_id(self.checkpoint)
        session = _SESSIONS.get(self._name(query)) or self._open(query)
        if session.last is not None and number <= session.last:
            if number < session.last:
                raise SinkError(self._is_ahead(session.last, number))
            # Nothing is written, but the clock and the state of the query move by its rows.
            records.write.format("noop").mode("overwrite").save()
            return
        try:
            self._write(session, records, query, number)
        except BaseException:
            # Its producer may be of no more use.
            _SESSIONS.pop(self._name(query), None)
            raise

    def _write(self, session: _Session, records: DataFrame, query: str, number: int) -> None:
        rows = net_records(records) if self.is_netted else records
        with (
            kafka_errors(self.sink),
            in_pieces(rows) as pieces,
            in_transaction(session.producer) as transaction,
        ):
            for piece in pieces.batches():
                transaction.begin()
                self._send(session.producer, piece)
            # The first batch says that there are numbers, so that one that is missing is missed.
            if transaction.is_begun or number == 0:
                transaction.begin()
                # From its number on, others may have to wait for this transaction: not for long.
                session.producer.flush()
                session.producer.produce(
                    self.batches, marker_value(number), marker_key(query, self.sink), 0
                )
                transaction.commit()
                session.last = number

    def _send(self, producer: Producer, piece: pa.RecordBatch) -> None:
        columns = {name.lower(): piece.column(name).to_pylist() for name in piece.schema.names}
        if self.is_netted:
            self._refuse_two_rows(columns)
        values = columns["value"]
        keys = columns.get("key") or [None] * len(values)
        if columns.keys() <= {"key", "value", "copies"}:
            assert self.topic is not None
            for key, value in zip(keys, values, strict=True):
                send(producer, self.topic, value, key, -1)
            return
        topics = columns.get("topic") or [self.topic] * len(values)
        partitions = columns.get("partition") or [-1] * len(values)
        headers = columns.get("headers") or [None] * len(values)
        for topic, key, value, partition, header in zip(
            topics, keys, values, partitions, headers, strict=True
        ):
            if (to := self.topic or topic) is None:
                raise SinkError(f"TVF707: sink {self.sink}: a record has no topic")
            pairs = [(each["key"], each["value"]) for each in header or ()]
            where = -1 if partition is None else partition
            send(producer, to, value, key, where, headers=pairs)

    def _refuse_two_rows(self, columns: Mapping[str, list[Any]]) -> None:
        for key, copies in zip(columns["key"], columns["copies"], strict=True):
            if copies > 1:
                raise two_rows((key.decode(),), (", ".join(self.key),))

    def _name(self, query: str) -> str:
        """What the sink is for Kafka: another producer of that name shuts this one out."""
        return f"tvfc-{query}-{self.sink}"

    def _open(self, query: str) -> _Session:
        """A producer in place of all others of this sink, and the last batch, which is settled.

        Raises:
            SinkError: Kafka does not let it, or does not say.
        """
        from confluent_kafka import Producer  # noqa: PLC0415  an extra

        name = self._name(query)
        _SESSIONS.pop(name, None)
        with kafka_errors(self.sink):
            given = {**PRODUCER, **self.settings, "transactional.id": name}
            producer = Producer(given)
            producer.init_transactions(PATIENCE_S)
            key = marker_key(query, self.sink)
            last = last_batch(self.sink, self.settings, self.batches, key)
        _SESSIONS[name] = _Session(producer, last)
        return _SESSIONS[name]

    def _check(self, last: int | None, *, is_new: bool) -> None:
        """See that nothing can be repeated or left out without a word.

        Args:
            last: the last batch that Kafka has.
            is_new: whether nobody can have said before which it has.
        """
        planned = max(list_numbers(f"{self.checkpoint}/offsets"), default=-1)
        done = max(list_numbers(f"{self.checkpoint}/commits"), default=-1)
        if last is not None and last > planned:
            raise SinkError(self._is_ahead(last, planned))
        if last is None and planned > done and (planned > 0 or is_new):
            raise SinkError(
                f"TVF742: sink {self.sink}: whether Kafka has batch {planned}, which was not "
                f"finished, is not known: the topic {self.batches} says nothing of this "
                "checkpoint. Finish it with OPTIONS (delivery 'at-least-once'), which may repeat "
                "its records, or begin with a new topic and checkpoint"
            )

    def _is_ahead(self, last: int, number: int) -> str:
        return (
            f"TVF742: sink {self.sink}: Kafka has batch {last}, and the checkpoint goes on with "
            f"batch {max(number, 0)}: it is older than what it has written; begin with a new topic "
            "and checkpoint"
        )
