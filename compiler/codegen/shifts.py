"""Times as Python code."""

from __future__ import annotations

from datetime import timedelta

from compiler.codegen.writer import Code, call, keyword


def timedelta_code(amount: timedelta) -> Code:
    """A time in the largest unit of which it is a whole number."""
    unit = next(each for each in _UNITS if amount % timedelta(**{each: 1}) == timedelta(0))
    return call("timedelta", keyword(unit, str(amount // timedelta(**{unit: 1}))))


_UNITS = ("days", "hours", "minutes", "seconds", "milliseconds", "microseconds")
