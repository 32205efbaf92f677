"""What Spark's parser refuses beyond its grammar: wrong literals and intervals, names twice."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from compiler.diagnostics.diagnostic import Label
from compiler.diagnostics.suggest import suggest
from compiler.syntax.refusal import RefusalError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_INTEGER_BITS = {"Y": (8, "TINYINT"), "S": (16, "SMALLINT"), "L": (64, "BIGINT")}
MAX_PRECISION = 38
_MAX_FLOAT = 3.4028234663852886e38


def check_number(text: str, suffix: str) -> None:
    """A number must fit the type that its suffix names, else 38 digits."""
    if suffix in _INTEGER_BITS:
        bits, name = _INTEGER_BITS[suffix]
        # The sign is an operator of its own, so the least value must pass without it.
        if "." in text or "e" in text.lower() or int(text) > 2 ** (bits - 1):
            raise _number_out_of_range(text, name)
    elif suffix in ("D", "F") or "e" in text.lower():
        most = _MAX_FLOAT if suffix == "F" else float("1.7976931348623157e308")
        if float(text) > most:
            raise _number_out_of_range(text, "FLOAT" if suffix == "F" else "DOUBLE")
    elif len(Decimal(text).as_tuple().digits) > MAX_PRECISION:
        raise RefusalError(
            "TVF107",
            f"this number has more than {MAX_PRECISION} digits",
            help="write it as a DOUBLE, with the suffix D",
        )


def _number_out_of_range(text: str, name: str) -> RefusalError:
    return RefusalError("TVF107", f"`{text}` is out of range for {name}", help="use a wider type")


_DATE = re.compile(r"[+-]?\d{4,7}(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ].*)?)?)?$", re.DOTALL)
_TIME = re.compile(r"(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.\d{1,9})?)?(?: *[AP]M)?$", re.IGNORECASE)
_SPECIAL_DATES = frozenset({"epoch", "now", "today", "tomorrow", "yesterday"})


def check_typed_literal(kind: str, text: str) -> None:
    """The text of DATE '...' and TIME '...' must be a date and a time of day."""
    stripped = text.strip()
    if kind == "DATE" and not _is_date(stripped):
        raise RefusalError(
            "TVF107", f"`{text}` is not a date", help="write it as DATE '2024-02-29'"
        )
    if kind == "TIME" and not _is_time(stripped):
        raise RefusalError(
            "TVF107", f"`{text}` is not a time of day", help="write it as TIME '23:59:59'"
        )
    if kind.startswith("TIMESTAMP") and not _is_timestamp(stripped):
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
    hour, minute, second = (int(part or 0) for part in found.groups())
    return hour < 24 and minute < 60 and second < 60


def _is_timestamp(text: str) -> bool:
    """A date, or a time of day; the zone behind it is Spark's to judge."""
    if text.lower().split(" ")[0] in _SPECIAL_DATES:
        return True
    return _is_date(text) or bool(re.match(r"T?\d{1,2}:\d{1,2}", text))


_UNIT_FAMILY = {
    **dict.fromkeys(("YEAR", "MONTH"), "year-month"),
    **dict.fromkeys(
        ("WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"), "day-time"
    ),
}
# A quarter is a unit of functions only, nanoseconds are finer than Spark's clock.
_TEXT_PART = re.compile(r"\s*([+-]?)\s*(\d*\.?\d*)\s+([a-z]+)(?=\s|$)", re.IGNORECASE)
_FIELD = {
    ("YEAR", "MONTH"): r"\d+-\d{1,2}",
    ("DAY", "HOUR"): r"\d+\s+\d{1,2}",
    ("DAY", "MINUTE"): r"\d+\s+\d{1,2}:\d{1,2}",
    ("DAY", "SECOND"): r"\d+\s+\d{1,2}:\d{1,2}:\d{1,2}(\.\d{1,9})?",
    ("HOUR", "MINUTE"): r"\d+:\d{1,2}",
    ("HOUR", "SECOND"): r"\d+:\d{1,2}:\d{1,2}(\.\d{1,9})?",
    ("MINUTE", "SECOND"): r"\d+:\d{1,2}(\.\d{1,9})?",
}
_RANGE_EXAMPLES = {
    ("YEAR", "MONTH"): "'1-6'",
    ("DAY", "HOUR"): "'1 12'",
    ("DAY", "MINUTE"): "'1 12:30'",
    ("DAY", "SECOND"): "'1 12:30:00'",
    ("HOUR", "MINUTE"): "'12:30'",
    ("HOUR", "SECOND"): "'12:30:00'",
    ("MINUTE", "SECOND"): "'30:00'",
}


def singular(unit: str) -> str:
    """The unit without its plural S."""
    return unit[:-1] if unit.endswith("S") else unit


def check_interval_value(value: exp.Expression, unit: str) -> None:
    """A value before a unit is a number."""
    if unit not in _UNIT_FAMILY:
        help_text = "use INTERVAL 3 MONTHS for a quarter" if unit == "QUARTER" else None
        raise RefusalError("TVF106", f"an interval has no unit {unit}", help=help_text)
    text = value.name.strip()
    if not re.fullmatch(r"[+-]?\s*\d*\.?\d*", text) or not re.search(r"\d", text):
        raise RefusalError(
            "TVF106",
            f"`{value.name}` is not a number of {unit.lower()}s",
            value.meta.get("span"),
            help=f"write INTERVAL 5 {unit}S, or INTERVAL '5 {unit.lower()}s'",
        )
    if "." in text and unit != "SECOND":
        raise RefusalError(
            "TVF106",
            "only seconds may have a fraction",
            value.meta.get("span"),
            help="write a whole number, of a smaller unit if need be",
        )


def check_interval_range(value: exp.Expression, first: str, last: str) -> None:
    """`'1-6' YEAR TO MONTH`: the value has the fields that the units name."""
    pattern = _FIELD.get((first, last))
    if pattern is None:
        raise RefusalError(
            "TVF106",
            f"an interval cannot run from {first} to {last}",
            help="the ranges are YEAR TO MONTH, and DAY, HOUR, MINUTE TO a smaller one to SECOND",
        )
    example = f"INTERVAL {_RANGE_EXAMPLES[first, last]} {first} TO {last}"
    if not value.is_string:
        raise RefusalError(
            "TVF106", "the value of an interval range is text", help=f"write {example}"
        )
    text = value.name
    if not re.fullmatch(rf"\s*[+-]?\s*{pattern}\s*", text) or _field_too_large(text, first):
        raise RefusalError(
            "TVF106",
            f"`{text}` does not fit {first} TO {last}",
            value.meta.get("span"),
            help=f"write {example}",
        )


def _field_too_large(text: str, first: str) -> bool:
    fields = [int(each) for each in re.findall(r"(?<![.\d])\d+", text)]
    limits = [11] if first == "YEAR" else {"DAY": [23, 59, 59], "HOUR": [59, 59]}.get(first, [59])
    return any(field > limit for field, limit in zip(fields[1:], limits, strict=False))


def check_interval_families(units: Iterable[str]) -> None:
    """Months have no fixed length, so they do not mix with days."""
    families = {_UNIT_FAMILY[unit] for unit in units}
    if len(families) > 1:
        raise RefusalError(
            "TVF106",
            "an interval is made of years and months, or of weeks and smaller units, not of both",
            help="add two intervals: INTERVAL 1 MONTH + INTERVAL 2 DAYS",
        )


def check_interval_text(value: exp.Expression) -> None:
    """`INTERVAL '1 day 2 hours'`: numbers and units in turn."""
    text = re.sub(r"^\s*interval\s", " ", value.name, flags=re.IGNORECASE)
    if re.fullmatch(r"\s*[+-]?\d+\s*", text):
        raise RefusalError(
            "TVF106",
            "this interval has no unit",
            value.meta.get("span"),
            help=f"write INTERVAL '{text.strip()}' MINUTES, or whatever the unit is",
        )
    units: list[str] = []
    place = 0
    while place < len(text.rstrip()):
        found = _TEXT_PART.match(text, place)
        unit = singular(found[3].upper()) if found else ""
        if found is None or not found[2].strip("."):
            raise RefusalError(
                "TVF106",
                f"`{value.name}` is not an interval",
                value.meta.get("span"),
                help="write INTERVAL '5 minutes', or INTERVAL 5 MINUTES",
            )
        if unit not in _UNIT_FAMILY:
            raise _unknown_unit(found[3], value)
        units.append(unit)
        place = found.end()
    if not units:
        raise RefusalError(
            "TVF106", "this interval is empty", value.meta.get("span"), help="write INTERVAL 1 DAY"
        )
    check_interval_families(units)


def _unknown_unit(word: str, value: exp.Expression) -> RefusalError:
    near = suggest(word, [unit.lower() for unit in _UNIT_FAMILY])
    return RefusalError(
        "TVF106",
        f"`{word}` is not a unit of time",
        value.meta.get("span"),
        help=f"did you mean {near}?" if near else "the units are year, month, week, day, hour, ...",
    )


def check_distinct_names(names: Sequence[Any], what: str) -> None:
    """The names of common tables and of windows must differ."""
    seen: dict[str, Any] = {}
    for name in names:
        key = name.name.lower()
        if key in seen:
            first = Label(seen[key].meta["span"], "first here", primary=False)
            raise RefusalError(
                "TVF105",
                f"two {what} have the name `{name.name}`",
                name.meta["span"],
                "again here",
                others=(first,),
                help="rename one of them",
            )
        seen[key] = name


def check_row_lengths(rows: Sequence[exp.Expression]) -> None:
    """All rows of VALUES have as many values as the first."""
    wanted = len(rows[0].expressions)
    for row in rows[1:]:
        if len(row.expressions) != wanted:
            first = Label(rows[0].meta["span"], _values(wanted), primary=False)
            raise RefusalError(
                "TVF109",
                "the rows of VALUES differ in length",
                row.meta["span"],
                _values(len(row.expressions)),
                others=(first,),
                help="give every row the same number of values, NULL where there is none",
            )


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"
