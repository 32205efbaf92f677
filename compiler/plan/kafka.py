"""OPTIONS of a Kafka source: in Spark's names, whatever they were written in.

RisingWave                             Spark
topic                                  subscribe
properties.bootstrap.server            kafka.bootstrap.servers
properties.NAME                        kafka.NAME
scan.startup.mode 'earliest'           startingOffsets 'earliest'
scan.startup.timestamp.millis          startingTimestamp
"""

from __future__ import annotations

from compiler.plan.nodes import Source
from compiler.plan.problems import Problems

KAFKA = "kafka"
_TOPICS = ("subscribe", "subscribepattern", "assign")
_NAMES = {
    "topic": "subscribe",
    "properties.bootstrap.server": "kafka.bootstrap.servers",
    "scan.startup.mode": "startingOffsets",
    "scan.startup.timestamp.millis": "startingTimestamp",
}
_PROPERTIES = "properties."
_SERVERS = "kafka.bootstrap.servers"


def in_names_of_spark(options: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """The options of a source under the names that Spark reads."""
    return tuple((_name(name), value) for name, value in options)


def _name(name: str) -> str:
    lower = name.lower()
    if lower in _NAMES:
        return _NAMES[lower]
    is_setting = lower.startswith(_PROPERTIES)
    return f"kafka.{name[len(_PROPERTIES) :]}" if is_setting else name


def topics_of(options: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """The topics that a source names."""
    named = [value for name, value in options if name.lower() == "subscribe"]
    return tuple(part.strip() for value in named for part in value.split(",") if part.strip())


def check_kafka_source(source: Source, problems: Problems) -> None:
    """See that it says which topics to read, and where."""
    if source.format != KAFKA:
        return
    names = [name.lower() for name, _ in source.options]
    topics = [name for name in names if name in _TOPICS]
    if len(topics) > 1:
        problems.add(
            "TVF635",
            f"`{source.name}` says more than once which topics it reads",
            source.span,
            f"by {' and '.join(topics)}",
            advice="keep one: subscribe 'a,b' names topics, subscribePattern 'orders-.*' finds "
            "them, also new ones",
        )
    elif not topics:
        problems.add(
            "TVF635",
            f"`{source.name}` does not say which topics it reads",
            source.span,
            "no subscribe",
            advice="add `subscribe 'orders'` to OPTIONS, or subscribePattern 'orders-.*'",
        )
    if _SERVERS not in names:
        problems.add(
            "TVF635",
            f"`{source.name}` does not say where Kafka is",
            source.span,
            f"no {_SERVERS}",
            advice=f"add `{_SERVERS} 'broker:9092'` to OPTIONS",
        )
