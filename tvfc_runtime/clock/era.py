"""Spark's watermark, moved by an era in queries with sessions.

Spark has no watermark before 1970 and takes a session that ends before then for late. So in a query
with sessions all times that Spark compares with its watermark, and the watermark itself, are ten
thousand years later: 2026 is 12026 there. The calendar repeats after 400 years, so that nothing
else in a date changes. The clock of the query is not moved, and still begins with 1970.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessorHandle,
    TimerValues,
)
from pyspark.sql.types import LongType, StructField, StructType

from tvfc_runtime.clock.of_batch import ERA_MS, clock_ms
from tvfc_runtime.clock.waking import WAKE, Telling, stay_awake, tells, without_wakes
from tvfc_runtime.rows.worker import Operator, Processor, State

SETTING = "spark.tvfc.eraMs"

WATERMARKED = {"spark.watermarkDelayMs": 0}
"""What marks a column as event time for Spark's stateful operators."""


def begin_era(spark: SparkSession, *, sessions: bool) -> None:
    """Say whether the query that is built next has sessions."""
    spark.conf.set(SETTING, ERA_MS if sessions else 0)


def era_ms(spark: SparkSession) -> int:
    """By how much the times of the query that is built are moved."""
    return int(spark.conf.get(SETTING, "0") or 0)


def in_era(moment: Column, era: int) -> Column:
    """A TIMESTAMP for Spark to compare with its watermark; NULL beyond the last one there is."""
    micros = F.try_add(F.unix_micros(moment), F.lit(era * 1000))
    return F.timestamp_micros(micros) if era else moment


def as_event_time(rows: DataFrame, name: str, *, waits: bool = True) -> DataFrame:
    """Rows with a column that Spark's stateful operators compare with the watermark.

    Args:
        rows: the rows.
        name: of the column.
        waits: whether rows come out as the watermark goes on, not only with others.
    """
    if waits:
        stay_awake(rows.sparkSession)
    moved = in_era(F.col(name), era_ms(rows.sparkSession))
    return rows.withColumn(name, moved).withMetadata(name, WATERMARKED)


def with_state(packed: DataFrame, operator: Operator, output: str | StructType) -> DataFrame:
    """What an operator of our own makes of chunks of rows, by the column `shard`."""
    era = era_ms(packed.sparkSession)
    if not tells(packed.sparkSession):
        return _with_state(packed, operator, output, era)
    own = output if isinstance(output, StructType) else _schema(output)
    telling = Telling(operator, len(own))
    with_wakes = StructType([*own, StructField(WAKE, LongType())])
    return without_wakes(_with_state(packed, telling, with_wakes, era))


def _schema(text: str) -> StructType:
    found = StructType.fromDDL(text)
    assert isinstance(found, StructType)
    return found


def _with_state(
    packed: DataFrame, operator: Operator, output: str | StructType, era: int
) -> DataFrame:
    # The pandas form, since it hands on what the operator yields piece by piece;
    # the Row form gathers everything that a batch releases before it sends the first byte.
    return packed.groupBy("shard").transformWithStateInPandas(
        statefulProcessor=Processor(InEra(operator, era) if era else operator),
        outputStructType=output,
        outputMode="append",
        timeMode="eventTime",
    )


class InEra:
    """An operator that is shown the clock of the query, not the watermark that Spark has.

    Args:
        inner: the operator.
        era: by how much the latter is ahead, milliseconds.
    """

    def __init__(self, inner: Operator, era: int) -> None:
        self._inner = inner
        self._era = era

    @property
    def state(self) -> State:
        """That of the operator."""
        return self._inner.state

    def open(self, handle: StatefulProcessorHandle, state: Any) -> None:
        """Take the state."""
        self._inner.open(_Handle(handle, self._era), state)  # type: ignore[arg-type]

    def handleInputRows(  # noqa: N802
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """Rows of a batch."""
        return self._inner.handleInputRows(key, rows, _shown(timerValues))

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """A timer has gone off."""
        expiry = ExpiredTimerInfo(expiredTimerInfo.getExpiryTimeInMs() - self._era)
        return self._inner.handleExpiredTimer(key, _shown(timerValues), expiry)


class _Handle:
    """A handle whose timers are those of the query's clock."""

    def __init__(self, handle: StatefulProcessorHandle, era: int) -> None:
        self._handle = handle
        self._era = era

    def registerTimer(self, expiry: int) -> None:  # noqa: N802
        self._handle.registerTimer(expiry + self._era)

    def deleteTimer(self, expiry: int) -> None:  # noqa: N802
        self._handle.deleteTimer(expiry + self._era)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._handle, name)


def _shown(timers: TimerValues) -> TimerValues:
    now = clock_ms(timers.getCurrentWatermarkInMs())
    return TimerValues(timers.getCurrentProcessingTimeInMs(), now)
