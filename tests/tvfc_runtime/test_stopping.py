"""Signals that ask to stop, and the batches that still run then."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import pytest

from tvfc_runtime.job.stopping import SIGNALS, Stopping


@pytest.fixture
def stopping() -> Iterator[Stopping]:
    known = {number: signal.getsignal(number) for number in SIGNALS}
    yield Stopping()
    for number, handler in known.items():
        signal.signal(number, handler)


@dataclass(eq=False)
class Query:
    """What is asked of a query, while its batch runs or once it is done."""

    batch: int = 3
    is_busy: bool = True
    isActive: bool = True  # noqa: N815 - as Spark calls it

    @property
    def status(self) -> dict[str, Any]:
        return {"isTriggerActive": self.is_busy}

    @property
    def lastProgress(self) -> dict[str, Any]:  # noqa: N802
        return {"batchId": self.batch}


def waits(stopping: Stopping, query: Query, then: Any) -> float:
    """How long a stop takes where something happens in a third of a second."""
    began = time.monotonic()
    timer = threading.Timer(0.3, then)
    timer.start()
    stopping.let_batches_end([cast("Any", query)])
    timer.join()
    return time.monotonic() - began


def test_a_signal_asks_once_though_it_reaches_program_and_jvm(stopping: Stopping) -> None:
    assert not stopping
    os.kill(os.getpid(), signal.SIGINT)
    stopping.take(signal.SIGTERM, "JVM")
    assert stopping
    assert stopping.signal is signal.SIGINT
    assert not stopping.insists
    os.kill(os.getpid(), signal.SIGINT)
    assert stopping.insists


@pytest.mark.slow
def test_the_batch_that_runs_is_waited_for_and_no_other(stopping: Stopping) -> None:
    idle = Query(is_busy=False)
    assert waits(stopping, idle, lambda: None) < 5
    query = Query()
    assert waits(stopping, query, lambda: setattr(query, "is_busy", False)) >= 0.3
    # The next one has begun at once.
    query = Query()
    assert waits(stopping, query, lambda: setattr(query, "batch", 4)) >= 0.3
    query = Query()
    assert waits(stopping, query, lambda: setattr(query, "isActive", False)) >= 0.3


def test_who_asks_again_does_not_wait(stopping: Stopping) -> None:
    stopping.take(signal.SIGTERM, "here")
    assert 0.3 <= waits(stopping, Query(), lambda: stopping.take(signal.SIGTERM, "here")) < 5
