"""Which batch of a query a sink in Kafka has: a topic of its own, written with the batch.

A record for each sink of each checkpoint: the key says whose, the value which batch was the last.
The topic is compacted, so that the last one is never dropped, however old it is.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tvfc_runtime.sinks.errors import SinkError

if TYPE_CHECKING:
    from confluent_kafka import Consumer

TOPIC = "_tvfc_batches"
SETTINGS = {
    "cleanup.policy": "compact",
    # What is superseded goes soon, so that a start has little to read.
    "segment.bytes": str(16 * 1024 * 1024),
    "min.cleanable.dirty.ratio": "0.1",
}
PATIENCE_S = 60
"""How long Kafka may take to answer, and another job's transaction to end."""


def marker_key(query: str, sink: str) -> bytes:
    """Whose batches a record counts."""
    return json.dumps({"query": query, "sink": sink}, ensure_ascii=False).encode()


def marker_value(batch: int) -> bytes:
    """That a batch is there."""
    return json.dumps({"batch": batch}).encode()


def ensure_topic(sink: str, settings: Mapping[str, str], topic: str) -> bool:
    """Make the topic if it is not there; answers whether it was not.

    Raises:
        SinkError: it drops records when they are old.
        KafkaException: Kafka cannot be reached, or forbids it.
    """
    from confluent_kafka import KafkaError, KafkaException  # noqa: PLC0415  an extra
    from confluent_kafka.admin import AdminClient  # noqa: PLC0415
    from confluent_kafka.admin._config import ConfigResource  # noqa: PLC0415
    from confluent_kafka.cimpl import NewTopic  # noqa: PLC0415

    admin = AdminClient(dict(settings))
    if topic not in admin.list_topics(timeout=PATIENCE_S).topics:
        made = admin.create_topics([NewTopic(topic, 1, config=SETTINGS)])
        try:
            made[topic].result(PATIENCE_S)
        except KafkaException as error:
            # Another job was faster.
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise
        else:
            return True
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
    (told,) = admin.describe_configs([resource]).values()
    policy = told.result(PATIENCE_S)["cleanup.policy"].value
    if policy != "compact":
        raise SinkError(
            f"TVF742: sink {sink}: the topic {topic} has cleanup.policy {policy}, and would forget "
            "which batches are there: set it to compact, or name another topic with OPTIONS "
            "(batchesTopic '…')"
        )
    return False


def last_batch(sink: str, settings: Mapping[str, str], topic: str, key: bytes) -> int | None:
    """The last batch that Kafka has of those that a key counts; None: it has none.

    Raises:
        SinkError: it cannot be known yet, for another job's transaction is open before it.
        KafkaException: Kafka cannot be reached, or forbids it.
    """
    from confluent_kafka import KafkaError, KafkaException, TopicPartition  # noqa: PLC0415

    # As far as anybody has written. Whoever reads what is committed alone comes to an end before
    # the oldest open transaction, and what lies behind it may be ours.
    with _consumer(settings, "read_uncommitted") as consumer:
        _, end = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=PATIENCE_S)
    found = None
    with _consumer(settings, "read_committed") as consumer:
        consumer.assign([TopicPartition(topic, 0, 0)])
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            message = consumer.poll(0.2)
            if message is None:
                continue
            error = message.error()
            if error is None:
                value = message.value()
                if message.key() == key and value is not None:
                    found = int(json.loads(value)["batch"])
            elif error.code() != KafkaError._PARTITION_EOF:  # noqa: SLF001  its public name
                raise KafkaException(error)
            elif (message.offset() or 0) >= end:
                return found
    raise SinkError(
        f"TVF742: sink {sink}: the topic {topic} does not end: a job that writes to it was killed "
        "in a transaction; start that job again, or wait until Kafka has given it up, and start "
        "this one again"
    )


@contextlib.contextmanager
def _consumer(settings: Mapping[str, str], isolation: str) -> Iterator[Consumer]:
    """A consumer that leaves no trace: it is in no group and commits nothing."""
    from confluent_kafka import Consumer  # noqa: PLC0415  an extra

    consumer = Consumer(
        {
            **settings,
            "group.id": "tvfc",
            "enable.auto.commit": "false",
            "enable.partition.eof": "true",
            "isolation.level": isolation,
            "auto.offset.reset": "earliest",
        }
    )
    try:
        yield consumer
    finally:
        consumer.close()
