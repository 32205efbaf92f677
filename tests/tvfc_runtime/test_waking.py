"""An operator that tells which timers it sets: its own frames, and rows of `wake` behind them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from tvfc_runtime.clock.waking import WAKE, Telling
from tvfc_runtime.queue.released import frame_of_columns
from tvfc_runtime.rows.worker import State

FORMS = {
    "named": lambda: pd.DataFrame({"text": ["a", None], "rows": [3, 0]}),
    "plain": lambda: frame_of_columns([pa.array(["a", None]), pa.array([3, 0])]),
}


class Setting:
    """An operator that sets timers and gives one frame."""

    def __init__(self, form: str, *timers: int) -> None:
        self._form, self._timers = form, timers

    @property
    def state(self) -> State:
        raise NotImplementedError

    def open(self, handle: Any, state: Any) -> None:  # noqa: ARG002
        self._handle = handle

    def handleInputRows(self, *_: Any) -> Iterator[pd.DataFrame]:  # noqa: N802
        for timer in self._timers:
            self._handle.registerTimer(timer)
        self._handle.deleteTimer(7)
        yield FORMS[self._form]()

    handleExpiredTimer = handleInputRows  # noqa: N815


class Handle:
    """What Spark gives to an operator."""

    def __init__(self) -> None:
        self.set: list[int] = []
        self.deleted: list[int] = []

    def registerTimer(self, expiry: int) -> None:  # noqa: N802
        self.set.append(expiry)

    def deleteTimer(self, expiry: int) -> None:  # noqa: N802
        self.deleted.append(expiry)


@pytest.mark.parametrize("form", FORMS)
def test_timers_come_behind_the_rows(form: str) -> None:
    operator, handle = Telling(Setting(form, 30, 20, 30), 2), Handle()
    operator.open(handle, None)  # type: ignore[arg-type]
    for handled in (operator.handleInputRows, operator.handleExpiredTimer):
        given, wakes = list(handled(None, None, None))  # type: ignore[arg-type]
        assert given.iloc[:, 0].tolist()[:1] == ["a"]
        assert given.shape == (2, 3)
        assert given.iloc[:, 2].isna().all()
        assert wakes.iloc[:, 2].tolist() == [20, 30]
        assert wakes.iloc[:, :2].isna().all(axis=None)
    assert handle.set == [30, 20, 30] * 2
    assert handle.deleted == [7, 7]


def test_without_timers_there_are_no_rows_more() -> None:
    operator = Telling(Setting("named"), 2)
    operator.open(Handle(), None)  # type: ignore[arg-type]
    (given,) = operator.handleInputRows(None, None, None)  # type: ignore[arg-type]
    assert list(given.columns) == ["text", "rows", WAKE]
