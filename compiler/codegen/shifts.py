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
_INTERVAL = re.compile(
    rf"INTERVAL\s*(?:'?(\d{{1,6}})'?\s*({_WORDS})s?|'(\d{{1,6}}) ({_WORDS})s?')", re.IGNORECASE
)
_SUM = re.compile(rf"(\(*\s*{_COLUMN}\s*\)*)(?:\s*([+-])(.*))?")
_NAMES_AND_PARENTHESES = re.compile(r"`[^`]*`|'[^']*'|[()]")


def shift_of(moment: str) -> tuple[str, timedelta] | None:
    """A moment in SQL as a column and a time less than a day; None if it is anything else."""
    found = _SUM.fullmatch(_bare(moment))
    column = _bare(found[1]) if found else ""
    if found is None or not re.fullmatch(_COLUMN, column):
        return None
    if found[2] is None:
        return column, timedelta(0)
    amount = _amount(_bare(found[3]))
    if amount is None or amount >= timedelta(days=1):
        return None
    return column, -amount if found[2] == "-" else amount


def _amount(interval: str) -> timedelta | None:
    found = _INTERVAL.fullmatch(interval)
    if found is None:
        return None
    number, unit, quoted_number, quoted_unit = found.groups()
    return timedelta(**{f"{(unit or quoted_unit).lower()}s": int(number or quoted_number)})


def _bare(text: str) -> str:
    """SQL without parentheses around the whole."""
    text = text.strip()
    while text.startswith("(") and _end_of(text) == len(text) - 1:
        text = text[1:-1].strip()
    return text


def _end_of(text: str) -> int:
    """Where the parenthesis is closed with which a text begins; -1: nowhere."""
    depth = 0
    for each in _NAMES_AND_PARENTHESES.finditer(text):
        depth += (each[0] == "(") - (each[0] == ")")
        if not depth:
            return each.start()
    return -1


def timedelta_code(amount: timedelta) -> Code:
    """A time in the largest unit of which it is a whole number."""
    unit = next(each for each in _UNITS if amount % timedelta(**{each: 1}) == timedelta(0))
    return call("timedelta", keyword(unit, str(amount // timedelta(**{unit: 1}))))


_UNITS = ("days", "hours", "minutes", "seconds", "milliseconds", "microseconds")
