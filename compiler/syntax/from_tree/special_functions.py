"""Functions that sqlglot's table does not cover, and our own clocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp
from sqlglot.parsers.spark import SparkParser

from compiler.source import Span
from compiler.syntax.nodes import MzNow, ProcTime, WatermarkTs
from compiler.syntax.nodes.spans import span_of
from compiler.syntax.refusal import RefusalError
from compiler.syntax.tokens.words import words

if TYPE_CHECKING:
    from collections.abc import Callable

    from compiler.syntax.from_tree.arguments import Arguments


def _watermark_ts(given: Arguments) -> exp.Expression:
    if not given.items:
        return WatermarkTs()
    first = given.items[0]
    if len(given.items) > 1 or type(first) is not exp.Column or first.table:
        raise RefusalError(
            "TVF110",
            "WATERMARK_TS takes the name of one input, or nothing",
            help="write WATERMARK_TS() or WATERMARK_TS(orders)",
        )
    return WatermarkTs(this=first.this)


def _without_arguments(name: str, kind: type[exp.Expression]) -> Callable[[Arguments], Any]:
    def build(given: Arguments) -> exp.Expression:
        if given.items:
            raise RefusalError("TVF110", f"{name} takes no arguments", help=f"write {name}()")
        return kind()

    return build


def _struct_like_if(given: Arguments) -> exp.Expression:
    items = [*given.items, None, None, None][:3]
    return exp.If(this=items[0], true=items[1], false=items[2])


def _position(given: Arguments) -> exp.Expression:
    part, whole, start = [*given.items, None, None, None][:3]
    return exp.StrPosition(this=whole, substr=part, position=start)


def _substring(given: Arguments) -> exp.Expression:
    return exp.Substring.from_arg_list(given.items)


def _overlay(given: Arguments) -> exp.Expression:
    value, other, start, length = [*given.items, None, None, None, None][:4]
    return exp.Overlay(this=value, expression=other, from_=start, for_=length)


def _trim(given: Arguments) -> exp.Expression:
    if len(given.items) == 2:
        return exp.Trim(this=given.items[1], expression=given.items[0])
    return exp.Trim(this=given.items[0] if given.items else None)


def _decode(given: Arguments) -> exp.Expression:
    if len(given.items) < 3:
        this, charset = [*given.items, None, None][:2]
        return exp.Decode(this=this, charset=charset)
    return exp.DecodeCase(expressions=given.items)


def _distinct_first(written: exp.Distinct) -> exp.Distinct:
    """DISTINCT around the first of its arguments."""
    first = written.expressions[0]
    node = exp.Distinct(expressions=[first])
    node.meta["span"] = Span(span_of(written).start, span_of(first).end)
    return node


def _first_distinct(kind: Any) -> Callable[[Arguments], Any]:
    """PERCENTILE and its like: DISTINCT belongs to the first argument alone."""

    def build(given: Arguments) -> exp.Expression:
        items = list(given.items)
        if given.distinct is not None:
            items[0] = _distinct_first(given.distinct)
        result: exp.Expression = kind.from_arg_list(items)
        return result

    return build


def _list_aggregate(given: Arguments) -> exp.Expression:
    items: list[Any] = list(given.items)
    if given.distinct is not None:
        items[0] = _distinct_first(given.distinct)
    result: exp.Expression = exp.GroupConcat.from_arg_list(items)
    return result


def _connector(build: Any) -> Callable[[Arguments], Any]:
    def make(given: Arguments) -> exp.Expression:
        return exp.Paren(this=build(*given.items, copy=False))

    return make


def _extract(given: Arguments) -> exp.Expression:
    part, value = [*given.items, None, None][:2]
    if isinstance(part, exp.Column):
        part = exp.Var(this=part.name.upper())
    return exp.Extract(this=part, expression=value)


def _any(given: Arguments) -> exp.Expression:
    """Sqlglot takes the aggregate ANY for the quantifier of a comparison."""
    items = given.items
    inside = exp.Paren(this=items[0]) if len(items) == 1 else exp.Tuple(expressions=items)
    return exp.Any(this=inside)


def _initcap(given: Arguments) -> exp.Expression:
    node = exp.Initcap.from_arg_list(given.items)
    if node.args.get("expression") is None:
        node.set("expression", exp.Literal.string(" "))
    return node


def _dated(name: str) -> Callable[[Arguments], Any]:
    """DATEADD and its like: the unit is a word, not a string."""

    def build(given: Arguments) -> exp.Expression:
        items = given.items
        if len(items) == 3 and items[0].is_string:
            unit = items[0].name
            raise RefusalError(
                "TVF109",
                f"the unit of {name} is a word, not a string",
                items[0].meta.get("span"),
                help=f"write {name}({unit.upper()}, ...)",
            )
        builder = SparkParser.FUNCTIONS.get(name)
        if builder is None:
            return exp.Anonymous(this=name, expressions=items)
        node: exp.Expression = builder(items)
        return node

    return build


SPECIAL_FUNCTIONS: dict[str, Callable[[Arguments], Any]] = {
    "WATERMARK_TS": _watermark_ts,
    "MZ_NOW": _without_arguments("mz_now", MzNow),
    "PROC_TIME": _without_arguments("PROC_TIME", ProcTime),
    "IF": _struct_like_if,
    "POSITION": _position,
    "SUBSTRING": _substring,
    "SUBSTR": _substring,
    "OVERLAY": _overlay,
    "TRIM": _trim,
    "DECODE": _decode,
    "EXTRACT": _extract,
    "PERCENTILE": _first_distinct(exp.Quantile),
    "PERCENTILE_APPROX": _first_distinct(exp.ApproxQuantile),
    "APPROX_PERCENTILE": _first_distinct(exp.ApproxQuantile),
    "MAX_BY": _first_distinct(exp.ArgMax),
    "MIN_BY": _first_distinct(exp.ArgMin),
    "ARG_MAX": _first_distinct(exp.ArgMax),
    "ARG_MIN": _first_distinct(exp.ArgMin),
    "LISTAGG": _list_aggregate,
    "STRING_AGG": _list_aggregate,
    "ANY": _any,
    "INITCAP": _initcap,
    **{
        name: _dated(name)
        for name in words("DATEADD DATE_ADD TIMESTAMPADD TIMEDIFF DATEDIFF DATE_DIFF TIMESTAMPDIFF")
    },
    "AND": _connector(exp.and_),
    "OR": _connector(exp.or_),
}
