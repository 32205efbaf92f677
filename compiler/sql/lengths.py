"""Fixed lengths of time, written as intervals: `INTERVAL 10 SECONDS`, `'10 seconds'`."""

from __future__ import annotations

import re
from datetime import timedelta

from sqlglot import exp

_UNITS = {
    "microsecond": timedelta(microseconds=1),
    "millisecond": timedelta(milliseconds=1),
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
_PART = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s+([a-z]+?)s?(?=\s|$)", re.IGNORECASE)
_ADDED = re.compile(
    r"(.+) ([+-]) (INTERVAL (?:'[^']*'|\d+(?:\.\d+)?)(?: \w+(?: TO \w+)?)?)", re.IGNORECASE
)
_CLOCK = re.compile(r"(?:(\d+) )?(\d+):(\d+)(?::(\d+(?:\.\d+)?))?")


def length_of(node: exp.Expression) -> timedelta | None:
    """The length of an interval; None if it is none, or not fixed (months have no length)."""
    if isinstance(node, exp.Literal) and node.is_string:
        return _parts(node.name)
    if isinstance(node, exp.Add):
        left, right = length_of(node.this), length_of(node.expression)
        return None if left is None or right is None else left + right
    if isinstance(node, exp.Neg):
        inner = length_of(node.this)
        return None if inner is None else -inner
    if not isinstance(node, exp.Interval) or not isinstance(node.this, exp.Literal):
        return None
    unit = node.args.get("unit")
    if unit is None:
        return _parts(node.this.name)
    if isinstance(unit, exp.IntervalSpan):
        return _from_clock(node.this.name)
    return _parts(f"{node.this.name} {unit.name}")


def interval_apart(moment: str) -> tuple[str, str] | None:
    """`moment + INTERVAL …` in SQL as both; None if it does not end in one literal interval."""
    found = _ADDED.fullmatch(moment)
    if found is None:
        return None
    base, sign, interval = found.groups()
    return base, interval if sign == "+" else f"-{interval}"


def length_of_text(interval: str) -> timedelta | None:
    """The length of a literal interval in SQL, `INTERVAL 10 SECONDS` or that with a minus."""
    length = _parts(interval.removeprefix("-").replace("'", ""))
    return -length if length is not None and interval.startswith("-") else length


def interval_sql(length: timedelta) -> str:
    """A length as Spark SQL, in the largest unit that is whole."""
    name, size = next(each for each in reversed(_UNITS.items()) if not length % each[1])
    name, size = ("day", _UNITS["day"]) if name == "week" else (name, size)
    return f"INTERVAL {length // size} {name.upper()}{'' if length == size else 'S'}"


def moved(sql: str, by: timedelta) -> str:
    """A moment in SQL, moved by a length of time."""
    if not by:
        return sql
    return f"{sql} - {interval_sql(-by)}" if by < timedelta(0) else f"{sql} + {interval_sql(by)}"


def _parts(text: str) -> timedelta | None:
    total, position = timedelta(0), 0
    text = re.sub(r"^\s*interval\s", "", text, flags=re.IGNORECASE)
    while position < len(text.rstrip()):
        found = _PART.match(text, position)
        unit = _UNITS.get(found[2].lower()) if found else None
        if found is None or unit is None:
            return None
        try:
            total += float(found[1]) * unit if "." in found[1] else int(found[1]) * unit
        except OverflowError:  # longer than any interval of Python's
            return None
        position = found.end()
    return total if position else None


def _from_clock(text: str) -> timedelta | None:
    found = _CLOCK.fullmatch(text)
    if found is None or found[4] is None:
        return None
    days, hours, minutes, seconds = found.groups()
    return timedelta(
        days=int(days or 0), hours=int(hours), minutes=int(minutes), seconds=float(seconds)
    )
