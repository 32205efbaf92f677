"""What becomes of a signal that asks a program to stop.

Under spark-submit it is the JVM that is told, or both; a service manager tells every process. Left
to itself the JVM would end at once, in the middle of a batch and with errors from all its threads.
So it hands the signal on to the main program, which ends its queries and then the JVM.
"""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from pyspark import SparkContext, java_gateway
from pyspark.sql.streaming.query import StreamingQuery

SIGNALS = (signal.SIGTERM, signal.SIGINT)
TICK_S = 0.05


LONGEST_S = 60
"""For a batch; service managers kill those that take much longer to stop."""


class Stopping:
    """Whether a signal has asked the program to stop.

    Attributes:
        signal: the first that has come; None: none has.
    """

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None
        self._times: Counter[str] = Counter()
        self.listen()

    def __bool__(self) -> bool:
        return self.signal is not None

    @property
    def insists(self) -> bool:
        """Whether it was asked again; a terminal asks the program and the JVM, which is once."""
        return max(self._times.values(), default=0) > 1

    def listen(self) -> None:
        """Take signals; PySpark takes SIGINT for itself when it makes a session."""
        for number in SIGNALS:
            signal.signal(number, lambda received, _frame: self.take(received, "here"))

    def listen_in_jvm(self) -> None:
        """Take those that the JVM is sent, once there is one."""
        context: Any = SparkContext
        gateway, jvm = context._gateway, context._jvm  # noqa: SLF001 - PySpark offers no more
        java_gateway.ensure_callback_server_started(gateway)  # type: ignore[no-untyped-call]
        for number in SIGNALS:
            own = jvm.sun.misc.Signal(number.name.removeprefix("SIG"))
            jvm.sun.misc.Signal.handle(own, _Handler(self, number))

    def take(self, number: int, place: str) -> None:
        """A signal has come, to this process or to the JVM."""
        self.signal = self.signal or signal.Signals(number)
        self._times[place] += 1

    def let_batches_end(self, queries: Sequence[StreamingQuery]) -> None:
        """Wait for the batches that run now, for a while, and if it is not asked once more."""
        deadline = time.monotonic() + LONGEST_S
        running = {query: _last_batch(query) for query in queries if _is_busy(query)}
        while running and not self.insists and time.monotonic() < deadline:
            time.sleep(TICK_S)
            running = {
                query: last
                for query, last in running.items()
                if _is_busy(query) and _last_batch(query) == last
            }


class _Handler:
    """Takes a signal for the JVM."""

    def __init__(self, stopping: Stopping, number: signal.Signals) -> None:
        self._stopping = stopping
        self._number = number

    def handle(self, _signal: Any) -> None:
        """The JVM was told."""
        self._stopping.take(self._number, "JVM")

    class Java:
        implements = ("sun.misc.SignalHandler",)


def _is_busy(query: StreamingQuery) -> bool:
    return query.isActive and bool(query.status["isTriggerActive"])


def _last_batch(query: StreamingQuery) -> int:
    last = query.lastProgress
    return -1 if last is None else int(last["batchId"])
