"""What the Python processes that run the operators are spared.

Wherever a query starts, Spark starts a process for each operator that only asks what its state
looks like. So this is said without loading the operator, for which pandas, PyArrow and NumPy are
needed: they would take most of a second, for each operator anew. The process that then runs it
serves one task after another, for as long as the job runs.
"""

from __future__ import annotations

import gc
import pickle
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)
from pyspark.sql.types import StructType

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class State:
    """The one state variable of an operator: Spark sets up each anew in every batch.

    Attributes:
        name: of the variable.
        value: its values.
        key: the keys of a map; a list has none.
    """

    name: str
    value: StructType
    key: StructType | None = None

    def opened(self, handle: StatefulProcessorHandle) -> Any:
        """The `MapState` or `ListState`."""
        if self.key is None:
            return handle.getListState(self.name, self.value)
        return handle.getMapState(self.name, self.key, self.value)


class Operator(Protocol):
    """What handles the rows of a batch; the parameters have the names by which Spark gives them."""

    @property
    def state(self) -> State:
        """What its state looks like."""

    def open(self, handle: StatefulProcessorHandle, state: Any) -> None:
        """Take the state, once in every task, before all rows."""

    def handleInputRows(  # noqa: N802
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """Rows of a batch."""

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """A timer has gone off."""


class Processor(StatefulProcessor):
    """An operator for Spark, which is loaded when there are rows or timers for it.

    Args:
        operator: the operator.
    """

    def __init__(self, operator: Operator) -> None:
        self._declared = operator.state
        self._text = pickle.dumps(operator)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """In the process that runs the operator, or asks what its state looks like."""
        self.__dict__.update(state)
        forgive_closed_sockets()

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state."""
        self._handle = handle
        self._state = self._declared.opened(handle)
        self._operator: Operator | None = None

    def handleInputRows(  # noqa: N802
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """Rows of a batch."""
        return self._loaded().handleInputRows(key, rows, timerValues)

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """A timer has gone off."""
        return self._loaded().handleExpiredTimer(key, timerValues, expiredTimerInfo)

    def _loaded(self) -> Operator:
        if self._operator is None:
            self._operator = pickle.loads(self._text)
            self._operator.open(self._handle, self._state)
            settle()
        return self._operator

    def close(self) -> None:
        """Nothing to close; Spark owns the state."""


@cache
def forgive_closed_sockets() -> None:
    """Have PySpark's daemon print no traceback where a task has ended before its worker.

    Spark has closed the socket then; the worker ends as well, and nothing is lost.
    """
    printed = traceback.print_exc

    def print_exc(*arguments: Any, **named: Any) -> None:
        if not isinstance(sys.exc_info()[1], BrokenPipeError):
            printed(*arguments, **named)

    traceback.print_exc = print_exc


@cache
def settle() -> None:
    """Take what this process has loaded out of its garbage collections, once.

    Spark has a worker collect after every task, and that looks at all objects of pandas and
    PySpark: 25 ms of a processor, some seven times a batch.
    """
    gc.freeze()
