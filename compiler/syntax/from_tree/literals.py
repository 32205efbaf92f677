"""Literals: strings, numbers, typed literals, intervals."""

from __future__ import annotations

import re
import sys
from contextvars import ContextVar
from decimal import Decimal
from functools import partial
from typing import Any

from sqlglot import exp

from compiler.syntax.from_tree import checks
from compiler.syntax.from_tree.times import check_typed_literal
from compiler.syntax.from_tree.types import named_type
from compiler.syntax.refusal import RefusalError

# Numbers that only a sign brings into range; the sign takes them out of the list again.
unsigned: ContextVar[list[exp.Expression]] = ContextVar("unsigned")

_NUMBER_SUFFIXES = {"L": "BIGINT", "S": "SMALLINT", "Y": "TINYINT", "D": "DOUBLE", "F": "FLOAT"}


def string_token(text: str) -> exp.Expression:
    """A string in any of its spellings: '...', "...", r'...', X'...'."""
    if text[0] in "rR":
        return exp.RawString(this=text[2:-1])
    if text[0] in "xX":
        return exp.HexString(this=_hex(text[2:-1]))
    quote, body = text[0], text[1:-1]
    return exp.Literal.string(_ESCAPE.sub(partial(_unescaped, quote), body))


def _hex(digits: str) -> str:
    if re.fullmatch("[0-9A-Fa-f]*", digits) is None:
        raise RefusalError(
            "TVF107", f"`{digits}` is not a hexadecimal number", help="write X'1F', of 0-9 and A-F"
        )
    return digits


_ESCAPE = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([01][0-7]{2})|(.))|''|\"\"", re.DOTALL
)
_CONTROL = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}


def _unescaped(quote: str, found: re.Match[str]) -> str:
    """What a backslash and what is behind it stand for, or a quote twice, as Spark reads them."""
    if found[0] in ("''", '""'):
        return quote if found[0][0] == quote else found[0]
    four, eight, octal, one = found.groups()
    if one is None:
        number = int(octal, 8) if octal else int(four or eight, 16)
        # What is no character Spark takes for the letter behind the backslash.
        return chr(number) if number <= sys.maxunicode else found[0][1:]
    # Patterns of LIKE keep theirs.
    return found[0] if one in "%_" else _CONTROL.get(one, one)


def number_token(text: str) -> exp.Expression:
    """A number; a suffix makes it a cast."""
    if text[0] == ".":
        text = "0" + text
    upper = text.upper()
    if upper.endswith("BD"):
        return _decimal(text[:-2])
    suffix = _NUMBER_SUFFIXES.get(upper[-1])
    if suffix is None:
        if len(text) > checks.MAX_PRECISION or "E" in upper:
            checks.check_number(text, "")
        return exp.Literal.number(text)
    checks.check_number(text[:-1], upper[-1])
    node = exp.TryCast(this=exp.Literal.number(text[:-1]), to=named_type(suffix))
    if checks.is_least(text[:-1], upper[-1]):
        unsigned.get().append(node)
    return node


def _decimal(digits_text: str) -> exp.Expression:
    checks.check_number(digits_text, "BD")
    _, digits, exponent = Decimal(digits_text).as_tuple()
    precision, scale = len(digits), -int(exponent)
    if scale < 0:
        precision, scale = precision - scale, 0
    parameters = [
        exp.DataTypeParam(this=exp.Literal.number(value))
        for value in (max(precision, scale), scale)
    ]
    return exp.TryCast(
        this=exp.Literal.string(digits_text),
        to=exp.DataType(this=exp.DataType.Type.DECIMAL, expressions=parameters),
    )


def adjacent_strings(first: exp.Expression, second: exp.Expression) -> exp.Concat:
    """Strings side by side are one string; bytes are not."""
    if isinstance(first, exp.HexString) or isinstance(second, exp.HexString):
        raise RefusalError("TVF109", "bytes cannot stand side by side", help="join them with ||")
    if isinstance(first, exp.Concat):
        return exp.Concat(expressions=[*first.expressions, second], coalesce=False)
    return exp.Concat(expressions=[first, second], coalesce=False)


def type_token(text: str) -> exp.Expression:
    """The type before a string; X is none, it makes a hex string."""
    upper = text.upper()
    return exp.Var(this=upper) if upper == "X" else named_type(upper)


def typed_literal(kind: exp.Expression, value: exp.Expression) -> exp.Expression:
    """`DATE '2020-01-01'`; X before a string apart is a hex string still."""
    if isinstance(kind, exp.Var):
        return exp.HexString(this=_hex(value.name))
    check_typed_literal(kind.this.name, value.name)
    return exp.Cast(this=value, to=kind)


def null() -> exp.Null:
    """NULL."""
    return exp.Null()


def true() -> exp.Boolean:
    """TRUE."""
    return exp.Boolean(this=True)


def false() -> exp.Boolean:
    """FALSE."""
    return exp.Boolean(this=False)


def positional_parameter() -> exp.Placeholder:
    """`?`."""
    return exp.Placeholder()


def named_parameter(name: exp.Identifier) -> exp.Placeholder:
    """`:name`."""
    return exp.Placeholder(this=name.this)


def unit_token(text: str) -> exp.Var:
    """The unit of an interval."""
    return exp.Var(this=text.upper())


def interval(*parts: exp.Interval) -> exp.Expression:
    """`INTERVAL 1 DAY 2 HOURS`: a sum, grouped to the right."""
    if len(parts) > 1:
        _check_parts(parts)
    if not isinstance(parts[0].unit, exp.IntervalSpan):
        checks.check_interval_size([_field(part) for part in parts], parts[0])
    node: exp.Expression = parts[-1]
    for part in reversed(parts[:-1]):
        node = exp.Add(this=part, expression=node)
    return node


def _field(part: exp.Interval) -> tuple[str, str]:
    value = part.this
    sign, text = ("-", value.this.name) if isinstance(value, exp.Neg) else ("", value.name)
    number = sign + re.sub(r"\s", "", text)
    return number.removeprefix("--").rstrip("."), checks.singular(part.text("unit"))


def _check_parts(parts: tuple[exp.Interval, ...]) -> None:
    for part in parts:
        if isinstance(part.unit, exp.IntervalSpan):
            raise RefusalError(
                "TVF106",
                "an interval has one range, and nothing beside it",
                part.meta.get("span"),
                help="add two intervals: INTERVAL '1' DAY + INTERVAL '2:30' HOUR TO MINUTE",
            )
    checks.check_interval_families([checks.singular(part.text("unit")) for part in parts])


def interval_part(
    sign: str | None, value: exp.Expression, unit: exp.Var, end: exp.Var | None
) -> exp.Interval:
    """A value and its unit, or `'1-2' YEAR TO MONTH`."""
    text = value.this if isinstance(value, exp.Literal) else value.name
    if end is not None:
        checks.check_interval_range(value, unit.name, end.name, sign or "")
    else:
        checks.check_interval_value(value, checks.singular(unit.name))
    if sign == "-" and value.is_string:
        negated: exp.Expression = exp.Neg(this=value)
    else:
        negated = exp.Literal.string(f"-{text}" if sign == "-" else text)
    span = exp.IntervalSpan(this=unit, expression=end) if end is not None else unit
    node = exp.Interval(this=negated, unit=span)
    _keep_spans(node, value, unit, end)
    return node


def _keep_spans(
    node: exp.Interval, value: exp.Expression, unit: exp.Expression, end: exp.Var | None
) -> None:
    """A new Interval makes new nodes of its value and unit; they stand where the old ones did."""
    node.this.meta.update(value.meta)
    kept = node.args["unit"]
    if end is None:
        kept.meta.update(unit.meta)
    else:
        kept.this.meta.update(unit.meta)
        kept.expression.meta.update(end.meta)


def interval_to(unit: exp.Var) -> exp.Var:
    """`TO unit`."""
    return unit


def interval_text(value: exp.Expression) -> exp.Expression:
    """`INTERVAL '1 day 2 hours'`: one value and unit are taken apart, more stay text."""
    text = value.name
    checks.check_interval_text(value)
    parts = exp.INTERVAL_STRING_RE.findall(text)
    if len(parts) != 1:
        return exp.Interval(this=value)
    number, unit = parts[0]
    node = exp.Interval(
        this=exp.Literal.string(number),
        unit=exp.Var(this=unit.upper()),
        fraction_in_string="." in number or None,
    )
    _keep_spans(node, value, value, None)
    return node


RULES: tuple[Any, ...] = (
    adjacent_strings,
    false,
    interval,
    interval_part,
    interval_text,
    interval_to,
    named_parameter,
    null,
    positional_parameter,
    true,
    typed_literal,
)
