"""Which timers the operators of a query set: a query on the wall clock can sleep until then.

An operator of the runtime is shown a handle that notes what it asks for. What it has asked for
while it handled the rows of a shard it gives as rows of their own, in a column `wake` beside its
own ones; they are observed and go no further.

Spark's own operators tell nothing: a query with one whose output the clock decides never sleeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
from pandas.arrays import ArrowExtensionArray
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessorHandle,
    TimerValues,
)

from tvfc_runtime.counters.progress import PREFIX
from tvfc_runtime.rows.worker import Operator, State

TELLS = "spark.tvfc.tellsTimers"
SLEEPS = "spark.tvfc.sleeps"
TELLING = "spark.tvfc.telling"
WAKE = "wake"


def begin_telling(spark: SparkSession, *, tells: bool) -> None:
    """Say whether operators of the query that is built next tell which timers they set."""
    spark.conf.set(TELLS, str(tells).lower())
    spark.conf.set(SLEEPS, str(tells).lower())
    spark.conf.set(TELLING, 0)


def telling(spark: SparkSession) -> int:
    """How many operators of the query that was built last tell that."""
    return int(spark.conf.get(TELLING, "0") or 0)


def tells(spark: SparkSession) -> bool:
    """Whether they do."""
    return spark.conf.get(TELLS, "false") == "true"


def stay_awake(spark: SparkSession) -> None:
    """Say that the query has an operator of Spark's that waits for the clock."""
    spark.conf.set(SLEEPS, "false")


def may_sleep(spark: SparkSession) -> bool:
    """Whether all that waits for the clock in the query that was built last tells until when."""
    return spark.conf.get(SLEEPS, "false") == "true"


def without_wakes(given: DataFrame) -> DataFrame:
    """What an operator gives, `wake` taken out and observed."""
    spark = given.sparkSession
    place = telling(spark)
    spark.conf.set(TELLING, place + 1)
    observed = given.observe(f"{PREFIX}/wake/{place}", F.collect_set(WAKE).alias("at"))
    return observed.where(f"{WAKE} IS NULL").drop(WAKE)


class Telling:
    """An operator that tells which timers it sets.

    Args:
        inner: the operator.
        columns: how many it gives, without `wake`, which is the last one.
    """

    def __init__(self, inner: Operator, columns: int) -> None:
        self._inner = inner
        self._columns = columns

    @property
    def state(self) -> State:
        """That of the operator."""
        return self._inner.state

    def open(self, handle: StatefulProcessorHandle, state: Any) -> None:
        """Take the state."""
        self._set: set[int] = set()
        self._inner.open(_Handle(handle, self._set), state)  # type: ignore[arg-type]

    def handleInputRows(  # noqa: N802
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """Rows of a batch."""
        return self._told(self._inner.handleInputRows(key, rows, timerValues))

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """A timer has gone off."""
        return self._told(self._inner.handleExpiredTimer(key, timerValues, expiredTimerInfo))

    def _told(self, given: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in given:
            # Without names of columns PySpark takes them by their places.
            named = bool(len(frame.columns)) and isinstance(frame.columns[0], str)
            nothing = ArrowExtensionArray(pa.nulls(len(frame), pa.int64()))
            yield frame.assign(**{WAKE: nothing}) if named else _with_last(frame, nothing)
        if self._set:
            wakes = pa.array(sorted(self._set), pa.int64())
            self._set.clear()
            none = [ArrowExtensionArray(pa.nulls(len(wakes)))] * self._columns
            yield pd.DataFrame(dict(enumerate([*none, ArrowExtensionArray(wakes)])), copy=False)


def _with_last(frame: pd.DataFrame, column: ArrowExtensionArray) -> pd.DataFrame:
    columns = [frame[name].array for name in frame.columns]
    return pd.DataFrame(dict(enumerate([*columns, column])), copy=False)


class _Handle:
    """A handle that notes for when timers are set."""

    def __init__(self, handle: StatefulProcessorHandle, noted: set[int]) -> None:
        self._handle = handle
        self._noted = noted

    def registerTimer(self, expiry: int) -> None:  # noqa: N802
        self._noted.add(expiry)
        self._handle.registerTimer(expiry)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._handle, name)
