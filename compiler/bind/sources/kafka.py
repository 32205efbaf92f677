"""OPTIONS of a Kafka source: in Spark's names, whatever they were written in.

RisingWave                             Spark
topic                                  subscribe
properties.bootstrap.server            kafka.bootstrap.servers
properties.NAME                        kafka.NAME
scan.startup.mode 'earliest'           startingOffsets 'earliest'
scan.startup.timestamp.millis          startingTimestamp
"""

from __future__ import annotations

from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import Source

KAFKA = "kafka"
_TOPICS = ("subscribe", "subscribepattern", "assign")
_NAMES = {
    "topic": "subscribe",
    "properties.bootstrap.server": "kafka.bootstrap.servers",
    "scan.startup.mode": "startingOffsets",
    "scan.startup.timestamp.millis": "startingTimestamp",
}
_OWN = {
    "key": "BINARY",
    "value": "BINARY",
    "topic": "STRING",
    "partition": "INT",
    "offset": "BIGINT",
    "timestamp": "TIMESTAMP",
    "timestampType": "INT",
    "headers": "",
}
"""Columns of Kafka and their types; a source of these alone has them as they are."""
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


def _warn_of_names(source: Source, problems: Problems) -> None:
    """`timestamp TIMESTAMP` beside fields of the value: a field as well, and not Kafka's own."""
    if source.record is not None or all(each.name in _OWN for each in source.columns):
        return
    included = dict(source.included)
    for each in source.columns:
        is_own = _OWN.get(each.name) == each.type.ddl.upper() and each.name not in included
        if is_own and each.name not in included.values():
            problems.add(
                "TVFW633",
                f"`{each.name}` is a field of the record's value, like the others",
                each.span,
                f"not the {each.name} of the record",
                advice=f"for that of the record write `INCLUDE {each.name}` in place of it; FORMAT "
                "PLAIN ENCODE JSON says that the value is meant",
            )


def check_kafka_source(source: Source, problems: Problems) -> None:
    """See that it says which topics to read, and where."""
    if source.format != KAFKA:
        return
    _warn_of_names(source, problems)
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
