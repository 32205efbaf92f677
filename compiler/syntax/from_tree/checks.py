"""What Spark's parser refuses beyond its grammar: wrong literals and intervals, names twice."""

from __future__ import annotations

import re
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
    elif suffix in ("D", "F") or (not suffix and "e" in text.lower()):
        most = _MAX_FLOAT if suffix == "F" else float("1.7976931348623157e308")
        if float(text) > most:
            raise _number_out_of_range(text, "FLOAT" if suffix == "F" else "DOUBLE")
    elif _precision(text) > MAX_PRECISION:
        raise RefusalError(
            "TVF107",
            f"this number has more than {MAX_PRECISION} digits",
            help="write it as a DOUBLE, with the suffix D",
        )


def _precision(text: str) -> int:
    """The digits before and behind the point that a DECIMAL needs for this number."""
    _, digits, exponent = Decimal(text).as_tuple()
    scale = -int(exponent)
    return max(len(digits), scale) if scale >= 0 else len(digits) - scale


def is_least(text: str, suffix: str) -> bool:
    """128Y is out of range, -128Y is not."""
    return suffix in _INTEGER_BITS and int(text) == 2 ** (_INTEGER_BITS[suffix][0] - 1)


def refuse_least(node: exp.Expression) -> None:
    """The least value of a type, found without its sign."""
    raise RefusalError(
        "TVF107",
        f"`{node.this.name}` is out of range for {node.args['to'].sql('spark')}",
        node.meta.get("span"),
        help="use a wider type",
    )


def _number_out_of_range(text: str, name: str) -> RefusalError:
    return RefusalError("TVF107", f"`{text}` is out of range for {name}", help="use a wider type")


_UNIT_FAMILY = {
    **dict.fromkeys(("YEAR", "MONTH"), "year-month"),
    **dict.fromkeys(
        ("WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"), "day-time"
    ),
}
_UNITS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
_MONTHS = {"YEAR": 12, "MONTH": 1}
_MICROS = {
    "WEEK": 604_800_000_000,
    "DAY": 86_400_000_000,
    "HOUR": 3_600_000_000,
    "MINUTE": 60_000_000,
    "SECOND": 1_000_000,
    "MILLISECOND": 1_000,
    "MICROSECOND": 1,
}
_MOST_DECIMALS = 9
# A quarter is a unit of functions only, nanoseconds are finer than Spark's clock.
_TEXT_PART = re.compile(r"\s*([+-]?)\s*(\d*\.?\d*)\s+([a-z]+)(?=\s|$)", re.IGNORECASE)
_FIELD = {
    ("YEAR", "MONTH"): r"\d+-\d{1,2}",
    ("DAY", "HOUR"): r"\d+ \d{1,2}",
    ("DAY", "MINUTE"): r"\d+ \d{1,2}:\d{1,2}",
    ("DAY", "SECOND"): r"\d+ \d{1,2}:\d{1,2}:\d{1,2}(\.\d{1,9})?",
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


def check_interval_range(value: exp.Expression, first: str, last: str, sign: str = "") -> None:
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
    if not re.fullmatch(rf"\s*[+-]?{pattern}\s*", text) or _field_too_large(text, first):
        raise RefusalError(
            "TVF106",
            f"`{text}` does not fit {first} TO {last}",
            value.meta.get("span"),
            help=f"write {example}",
        )
    numbers = re.findall(r"\d+(?:\.\d+)?", text)
    first_place = _UNITS.index(first)
    sign = "-" if text.strip().startswith("-") != (sign == "-") else ""
    fields = [(sign + each, _UNITS[first_place + n]) for n, each in enumerate(numbers)]
    check_interval_size(fields, value)


def check_interval_size(fields: Iterable[tuple[str, str]], value: exp.Expression) -> None:
    """Numbers and units together fit Spark's types: 32 bits of months, 64 of microseconds."""
    months, micros = 0, Decimal(0)
    for number, unit in fields:
        if len(number.partition(".")[2]) > _MOST_DECIMALS:
            raise RefusalError(
                "TVF106",
                f"seconds have at most {_MOST_DECIMALS} decimals",
                value.meta.get("span"),
                help="leave the further ones out",
            )
        if unit in _MONTHS:
            months += _MONTHS[unit] * int(number)
        else:
            micros += _MICROS[unit] * Decimal(number)
    if not (-(2**31) <= months < 2**31 and -(2**63) <= int(micros) < 2**63):
        raise RefusalError(
            "TVF106",
            "this interval is too long",
            value.meta.get("span"),
            help="an interval has at most 178956970 years, or 106751991 days",
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
    fields: list[tuple[str, str]] = []
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
        fields.append((found[1] + found[2].rstrip("."), unit))
        place = found.end()
    if not fields:
        raise RefusalError(
            "TVF106", "this interval is empty", value.meta.get("span"), help="write INTERVAL 1 DAY"
        )
    check_interval_families([unit for _, unit in fields])
    check_interval_size(fields, value)


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
    wanted = _width(rows[0])
    for row in rows[1:]:
        if wanted and _width(row) not in (0, wanted):
            first = Label(rows[0].meta["span"], _values(wanted), primary=False)
            raise RefusalError(
                "TVF109",
                "the rows of VALUES differ in length",
                row.meta["span"],
                _values(_width(row)),
                others=(first,),
                help="give every row the same number of values, NULL where there is none",
            )


def check_row_names(rows: Sequence[exp.Expression], alias: exp.TableAlias | None) -> None:
    """The alias of VALUES names all columns, or none."""
    names = alias.args.get("columns") if alias is not None else None
    if names and _width(rows[0]) not in (0, len(names)):
        given = "1 name" if len(names) == 1 else f"{len(names)} names"
        raise RefusalError(
            "TVF109",
            f"{given} for rows of {_values(_width(rows[0]))}",
            names[0].meta["span"].cover(names[-1].meta["span"]),
            others=(Label(rows[0].meta["span"], _values(_width(rows[0])), primary=False),),
            help="name every column; a row is written in parentheses: VALUES (1, 2), (3, 4)",
        )


def _width(row: exp.Expression) -> int:
    """A struct alone in its row is the row; 0 where Spark counts only once it knows columns."""
    only = row.expressions[0] if len(row.expressions) == 1 else None
    if isinstance(only, exp.Struct) and not only.meta.get("constant"):
        return 0
    return len((only if isinstance(only, (exp.Struct, exp.Tuple)) else row).expressions)


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"
