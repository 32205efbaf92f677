"""A real Kafka broker: one process in KRaft mode on a free port of this machine.

with broker() as kafka:
    kafka.produce("orders", [(b"key", b"value")])
    kafka.bootstrap                                 # 127.0.0.1:40233
"""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from field.servers.jars import cache, classpath, java

BROKER = ("org.apache.kafka:kafka_2.13:4.3.1", "org.slf4j:slf4j-simple:1.7.36")
QUIET = ("-Dorg.slf4j.simpleLogger.defaultLogLevel=error",)
CLUSTER = "dHZmYy10ZXN0LWJyb2tlcg"
"""Any 16 bytes in base64url."""
# The first compiler alone and no threads of a collector: a broker of seconds starts sooner.
SMALL = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", *QUIET)
PATIENCE_S = 120
TRIES = 3
"""A free port may be taken by another program before the broker has it."""


class Record(NamedTuple):
    """A record as a consumer reads it; a tombstone has the value None."""

    key: bytes | None
    value: bytes | None
    partition: int
    offset: int
    headers: tuple[tuple[str, bytes], ...]
    timestamp_ms: int


@dataclass(frozen=True)
class Broker:
    """A running broker."""

    bootstrap: str
    process: subprocess.Popen[bytes]

    def create(self, topic: str, partitions: int = 1, **settings: str) -> None:
        """Make a topic; settings with `_` for the dots, such as `cleanup_policy='compact'`."""
        config = {name.replace("_", "."): value for name, value in settings.items()}
        # What is asked of a client ends with it.
        admin = self.admin()
        for future in admin.create_topics([NewTopic(topic, partitions, 1, config=config)]).values():
            future.result(PATIENCE_S)

    def admin(self) -> AdminClient:
        """A client for all that is not records."""
        return AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0})

    def produce(
        self,
        topic: str,
        records: Iterable[tuple[bytes | str | None, bytes | str | None]],
        *,
        partition: int = -1,
        timestamp_ms: int = 0,
        headers: Sequence[tuple[str, bytes]] = (),
    ) -> None:
        """Write records, (key, value), and wait until the broker has them.

        Args:
            topic: made with one partition if it is not there.
            records: what to write; a value None is a tombstone.
            partition: where to; -1: by the hash of the key.
            timestamp_ms: their time; 0: now.
            headers: of each record.
        """
        producer = Producer({"bootstrap.servers": self.bootstrap, "linger.ms": 5, "log_level": 0})
        for key, value in records:
            while True:
                try:
                    producer.produce(
                        topic,
                        value,
                        key,
                        partition,
                        timestamp=timestamp_ms,
                        headers=list(headers),
                    )
                    break
                except BufferError:
                    producer.poll(1)
        assert not producer.flush(PATIENCE_S), "the broker did not take all records"

    def read(self, topic: str, *, isolation: str = "read_committed") -> list[Record]:
        """All records of a topic, partition by partition, each in order."""
        consumer = Consumer(
            {
                "bootstrap.servers": self.bootstrap,
                "group.id": "nobody",
                "enable.auto.commit": False,
                "isolation.level": isolation,
                "enable.partition.eof": True,
                "auto.offset.reset": "earliest",
                "log_level": 0,
            }
        )
        try:
            known = consumer.list_topics(topic, timeout=PATIENCE_S).topics[topic].partitions
            found: list[Record] = []
            for partition in sorted(known):
                found += _partition(consumer, topic, partition)
            return found
        finally:
            consumer.close()


def _partition(consumer: Consumer, topic: str, number: int) -> Iterator[Record]:
    """The records of a partition up to its end as it is now."""
    consumer.assign([TopicPartition(topic, number, 0)])
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        message = consumer.poll(1)
        if message is None:
            continue
        if (error := message.error()) is not None:
            # Its end is no fault: it comes as one.
            if error.name() == "_PARTITION_EOF":
                return
            raise AssertionError(str(error))
        # As a list of pairs of a name and bytes, whatever else its annotation allows.
        headers = tuple(cast("list[tuple[str, bytes]]", message.headers() or []))
        offset = message.offset()
        assert offset is not None
        yield Record(
            message.key(), message.value(), number, offset, headers, message.timestamp()[1]
        )
    raise AssertionError(f"partition {number} of {topic} has not ended in {PATIENCE_S} s")


@contextlib.contextmanager
def broker(**settings: str) -> Iterator[Broker]:
    """A broker of its own with an empty folder of data; it ends with the block.

    Args:
        settings: of `server.properties`, with `_` for the dots: `num_partitions='3'`.
    """
    formatted = _formatted()
    with tempfile.TemporaryDirectory(prefix="tvfc-kafka-") as folder:
        for last in range(TRIES):
            data = Path(folder, f"data{last}")
            shutil.copytree(formatted, data)
            server = _start(Path(folder), data, settings)
            try:
                if _is_ready(server):
                    yield server
                    return
            finally:
                server.process.kill()
                server.process.wait(PATIENCE_S)
        log = Path(folder, "log").read_text(encoding="utf-8", errors="replace")
    raise RuntimeError("the Kafka broker did not start:\n" + "\n".join(log.splitlines()[-25:]))


def _start(folder: Path, data: Path, settings: dict[str, str]) -> Broker:
    port, controller = _two_free_ports()
    properties = folder / "server.properties"
    given = {name.replace("_", "."): value for name, value in settings.items()}
    properties.write_text(_properties(data, port, controller, given), encoding="utf-8")
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            [*_program("400m"), "kafka.Kafka", str(properties)],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    return Broker(f"127.0.0.1:{port}", process)


def _program(memory: str) -> list[str]:
    return [java(), f"-Xmx{memory}", *SMALL, "-cp", classpath(*BROKER)]


def _is_ready(server: Broker) -> bool:
    """Wait until it answers; False: it has ended."""
    host, port = server.bootstrap.split(":")
    deadline = time.monotonic() + PATIENCE_S
    while server.process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection((host, int(port)), 1).close()
        except OSError:
            time.sleep(0.05)
            continue
        return bool(server.admin().list_topics(timeout=PATIENCE_S).brokers)
    return False


def _properties(data: Path, port: int, controller: int, given: dict[str, str]) -> str:
    wanted = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "controller.listener.names": "CONTROLLER",
        "log.dirs": str(data),
        "auto.create.topics.enable": "true",
        "group.initial.rebalance.delay.ms": "0",
        # One broker cannot keep three copies; fifty partitions of them take a second to make.
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "2",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "2",
        **given,
    }
    return "".join(f"{name}={value}\n" for name, value in wanted.items())


def _formatted() -> Path:
    """A folder of data as a broker wants it at first; made once a machine, in seconds."""
    kept = cache() / f"kafka-{BROKER[0].rpartition(':')[2]}"
    if kept.exists():
        return kept
    cache().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache()) as folder:
        data, properties = Path(folder, "data"), Path(folder, "server.properties")
        properties.write_text(_properties(data, *_two_free_ports(), {}), encoding="utf-8")
        tool = ["kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", str(properties)]
        done = subprocess.run(
            [*_program("256m"), *tool],
            check=False,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        if done.returncode:
            raise RuntimeError(f"Kafka's folder cannot be made: {done.stdout}{done.stderr}")
        # Another test run may have been faster.
        with contextlib.suppress(OSError):
            data.rename(kept)
    return kept


def _two_free_ports() -> tuple[int, int]:
    """Ports that no program has."""
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]
