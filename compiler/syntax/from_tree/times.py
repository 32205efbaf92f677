"""Texts of dates and times: what Spark takes in DATE '...', TIME '...' and TIMESTAMP '...'."""

from __future__ import annotations

import re
from datetime import date

from compiler.syntax.refusal import RefusalError

_DATE = re.compile(r"[+-]?\d{4,7}(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ].*)?)?)?$", re.DOTALL)
_TIME = re.compile(
    r"(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.\d{1,9})?)?(?: *([AP]M))?$", re.IGNORECASE
)
# A zone stands behind seconds only.
_CLOCK = re.compile(r"(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.\d*)?(?P<zone>.*))?)?$", re.DOTALL)
_ZONE = re.compile(
    r"(?:Z|UTC|GMT|UT)?(?:[+-]\d{1,2}(?::?\d{1,2}(?::?\d{1,2})?)?)?|(?![AP]M$)[A-Z][A-Za-z0-9]+(?:/[\w+-]+)*"
)
_SPECIAL_DATES = frozenset({"epoch", "now", "today", "tomorrow", "yesterday"})


def check_typed_literal(kind: str, text: str) -> None:
    """The text of a typed literal must be what the type says."""
    stripped = text.strip()
    if kind == "DATE" and not _is_date(stripped):
        raise RefusalError(
            "TVF107", f"`{text}` is not a date", help="write it as DATE '2024-02-29'"
        )
    if kind == "TIME" and not _is_time(stripped):
        raise RefusalError(
            "TVF107", f"`{text}` is not a time of day", help="write it as TIME '23:59:59'"
        )
    if kind.startswith("TIMESTAMP") and not _is_timestamp(stripped, zoned=kind != "TIMESTAMPNTZ"):
        raise RefusalError(
            "TVF107",
            f"`{text}` is not a timestamp",
            help="write it as TIMESTAMP '2024-02-29 23:59:59'",
        )


def _is_date(text: str) -> bool:
    if text.lower() in _SPECIAL_DATES:
        return True
    found = _DATE.match(text)
    if found is None:
        return False
    month, day = int(found[1] or 1), int(found[2] or 1)
    year = int(text.lstrip("+-").split("-")[0])
    try:
        date(2000 + year % 400, month, day)  # the calendar repeats every 400 years
    except ValueError:
        return False
    return True


def _is_time(text: str) -> bool:
    found = _TIME.match(text)
    if found is None:
        return False
    hour, minute, second = (int(part or 0) for part in found.groups()[:3])
    hours = range(1, 13) if found[4] else range(24)
    return hour in hours and minute < 60 and second < 60


def _is_timestamp(text: str, *, zoned: bool) -> bool:
    """A date, a date and a time of day, or, with a zone, a time of day alone."""
    word = re.match(r"[a-z]+", text, re.IGNORECASE)
    if word is not None and word[0].lower() in _SPECIAL_DATES:
        rest = text[word.end() :]
        return not rest or (word[0].lower() != "now" and _is_zone(rest))
    parts = re.split(r"[T ]", text, maxsplit=1)
    if parts[0] and ":" not in parts[0]:
        return _is_date(parts[0]) and (len(parts) == 1 or _is_clock(parts[1]))
    return zoned and _is_clock(text.removeprefix("T"))


def _is_clock(text: str) -> bool:
    found = _CLOCK.match(text)
    if found is None or not _is_zone(found["zone"] or ""):
        return False
    hour, minute, second = (int(part or 0) for part in found.groups()[:3])
    return hour < 24 and minute < 60 and second < 60


def _is_zone(text: str) -> bool:
    """An offset or the name of a zone; whether a place has one is Spark's to know."""
    return _ZONE.fullmatch(text.strip()) is not None
