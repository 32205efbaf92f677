"""Expressions in two dialects: Spark SQL for the job, SQLite for the oracle.

In SQLite a TIMESTAMP is a number of microseconds since the epoch, and the clock is `clock()`.
"""

from __future__ import annotations

from typing import NamedTuple

SECOND = 1_000_000


class Pair(NamedTuple):
    """One expression, condition or query in both dialects."""

    spark: str
    lite: str


def both(template: str, *parts: Pair) -> Pair:
    """A template that is the same in both dialects."""
    return either(template, template, *parts)


def either(spark: str, lite: str, *parts: Pair) -> Pair:
    """A template for each dialect."""
    return Pair(
        spark.format(*(each.spark for each in parts)), lite.format(*(each.lite for each in parts))
    )


def seconds(number: int) -> Pair:
    """An interval of so many seconds."""
    return Pair(f"INTERVAL {number} SECONDS", str(number * SECOND))


def instant(millis: int) -> Pair:
    """A TIMESTAMP, in milliseconds since the epoch."""
    return Pair(f"timestamp_millis({millis})", str(millis * 1000))


def listed(parts: list[Pair], between: str = ", ") -> Pair:
    """Parts side by side."""
    return Pair(
        between.join(each.spark for each in parts), between.join(each.lite for each in parts)
    )
