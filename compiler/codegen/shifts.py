"""Moments that are a TIMESTAMP column and a fixed time: `published + INTERVAL 15 MINUTES`.

Spark adds an interval by way of the calendar, row by row. Less than a day it is plain arithmetic,
so such moments go to the runtime as a column and a `timedelta`, which cost next to nothing.
"""

from __future__ import annotations

import re
from datetime import timedelta

from compiler.codegen.writer import Code, call, keyword

_NAME = r"(?:`[^`]+`|[A-Za-z_]\w*)"
_COLUMN = rf"{_NAME}(?:\.{_NAME})*"
_WORDS = "second|minute|hour"
_INTERVAL = rf"INTERVAL (?:'?(\d{{1,6}})'? ({_WORDS})s?|'(\d{{1,6}}) ({_WORDS})s?')"
_SHIFTED = re.compile(rf"({_COLUMN})(?: ([+-]) {_INTERVAL})?", re.IGNORECASE)


def shift_of(moment: str) -> tuple[str, timedelta] | None:
    """A moment in SQL as a column and a time less than a day; None if it is anything else."""
    found = _SHIFTED.fullmatch(moment)
    if found is None:
        return None
    column, sign, number, unit, quoted_number, quoted_unit = found.groups()
    name = f"{(unit or quoted_unit or 'second').lower()}s"
    amount = timedelta(**{name: int(number or quoted_number or 0)})
    if amount >= timedelta(days=1):
        return None
    return column, -amount if sign == "-" else amount


def timedelta_code(amount: timedelta) -> Code:
    """A time in the largest unit of which it is a whole number."""
    unit = next(each for each in _UNITS if amount % timedelta(**{each: 1}) == timedelta(0))
    return call("timedelta", keyword(unit, str(amount // timedelta(**{unit: 1}))))


_UNITS = ("days", "hours", "minutes", "seconds", "milliseconds", "microseconds")
