"""A producer of Kafka: records, and transactions of which nobody sees a part."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.kafka_batches import PATIENCE_S

if TYPE_CHECKING:
    from confluent_kafka import Producer


class Transaction:
    """A transaction that begins with its first record, so that it is open for a short time."""

    def __init__(self, producer: Producer) -> None:
        self._producer = producer
        self.is_begun = False

    def begin(self) -> None:
        """Begin, unless that is done."""
        if not self.is_begun:
            self._producer.begin_transaction()
            self.is_begun = True

    def commit(self) -> None:
        """Let everybody see what was sent.

        Raises:
            KafkaException: nobody ever will.
        """
        from confluent_kafka import KafkaException  # noqa: PLC0415  an extra

        while True:
            try:
                self._producer.commit_transaction()
            except KafkaException as error:
                if error.args[0].retriable():
                    continue
                raise
            self.is_begun = False
            return


@contextlib.contextmanager
def in_transaction(producer: Producer) -> Iterator[Transaction]:
    """A transaction; unless it is committed, nobody sees anything of it."""
    transaction = Transaction(producer)
    try:
        yield transaction
    except BaseException as error:
        cause = _cause(producer, error) if transaction.is_begun else None
        if transaction.is_begun:
            # It may be beyond that, and Kafka gives it up by itself.
            with contextlib.suppress(Exception):
                producer.abort_transaction(PATIENCE_S)
        if cause is not None:
            raise cause from None
        raise


def _cause(producer: Producer, error: BaseException) -> Exception | None:
    """Why a producer takes no more records, where it says no more than that; else None.

    A transaction in which a record was refused can only be given up, and says why when it is asked
    to end otherwise.
    """
    from confluent_kafka import KafkaError, KafkaException  # noqa: PLC0415  an extra

    if isinstance(error, KafkaException) and error.args[0].code() == KafkaError._STATE:  # noqa: SLF001
        try:
            producer.commit_transaction(PATIENCE_S)
        except KafkaException as told:
            return told
    return None


def send(
    producer: Producer,
    topic: str,
    value: bytes | None,
    key: bytes | None,
    partition: int,
    **more: Any,
) -> None:
    """Hand a record over; `more` is as `Producer.produce` has it.

    Raises:
        KafkaException: it is not taken, or one before it was not.
    """
    while True:
        try:
            producer.produce(topic, value, key, partition, **more)
        except BufferError:
            # Kafka takes them more slowly than they come.
            producer.poll(0.1)
        else:
            return


@contextlib.contextmanager
def kafka_errors(sink: str) -> Iterator[None]:
    """What Kafka says, as what a sink refuses."""
    from confluent_kafka import KafkaError, KafkaException  # noqa: PLC0415  an extra

    try:
        yield
    except KafkaException as caught:
        error = caught.args[0]
        code = error.code() if isinstance(error, KafkaError) else None
        text = error.str() if isinstance(error, KafkaError) else str(error)
        if code in (KafkaError._FENCED, KafkaError.INVALID_PRODUCER_EPOCH):  # noqa: SLF001
            raise SinkError(
                f"TVF709: sink {sink}: another job writes for this checkpoint, and has shut this "
                "one out"
            ) from None
        raise SinkError(f"TVF741: sink {sink}: Kafka says: {text}") from None
