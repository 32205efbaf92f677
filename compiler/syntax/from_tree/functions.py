"""Calls: sqlglot's table of Spark functions, the forms with words of their own, and windows."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from compiler.syntax.from_tree.arguments import Arguments
from compiler.syntax.from_tree.forms import (
    cast,
    extract,
    overlay,
    position,
    struct,
    substring,
    trim,
    try_cast,
)
from compiler.syntax.from_tree.special_functions import SPECIAL_FUNCTIONS
from compiler.syntax.nodes import WRITTEN, WrittenCall
from compiler.syntax.refusal import RefusalError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot.dialects.dialect import Dialect


_NONE = Arguments(None, [])
OFFSET = "offset"
"""Under which the meta of first() and last() has a second argument, for which they have no arg."""
_NULLS_INSIDE = frozenset({"FIRST", "LAST", "ANY_VALUE"})


@cache
def _builders() -> dict[str, Callable[..., exp.Expression]]:
    from sqlglot.parsers.spark import SparkParser  # noqa: PLC0415 (import cycle in sqlglot)

    return dict(SparkParser.FUNCTIONS)


@cache
def _dialect() -> Dialect:
    from sqlglot.dialects.dialect import Dialect  # noqa: PLC0415

    return Dialect.get_or_raise("spark")


def arguments(quantifier: str | None, *items: exp.Expression) -> Arguments:
    """`a, b`, `ALL a, b`."""
    for item, following in pairwise(items):
        if item.meta.pop("open_list", False) and not isinstance(following, exp.Kwarg):
            raise RefusalError(
                "TVF109",
                "several keys of a table argument stand in parentheses",
                following.meta.get("span"),
                help="write PARTITION BY (a, b) ORDER BY (c, d)",
            )
    return Arguments(quantifier, list(items))


def distinct(*items: exp.Expression) -> exp.Distinct:
    """`DISTINCT a, b` in a call."""
    return exp.Distinct(expressions=list(items))


def distinct_arguments(node: exp.Distinct) -> Arguments:
    """Arguments of which each counts once."""
    return Arguments("DISTINCT", node.expressions, node)


def call(name: exp.Identifier, given: Arguments | None) -> exp.Expression:
    """`name(arguments)`; how it was written stays with the node, since sqlglot forgets some."""
    given = given or _NONE
    node = _called(name, given)
    node.meta[WRITTEN] = written_call(name, given)
    if isinstance(node, exp.First | exp.Last) and len(given.items) > 1:
        node.meta[OFFSET] = given.items[1]
    return node


def written_call(name: exp.Identifier, given: Arguments) -> WrittenCall:
    """A call as it was written."""
    items = given.items if given.distinct is None else given.distinct.expressions
    return WrittenCall(
        name=name.name,
        arguments=len(items),
        is_distinct=given.distinct is not None,
        nulls_inside=any(isinstance(e, exp.IgnoreNulls | exp.RespectNulls) for e in items),
        has_star=any(each.is_star for each in items),
    )


def _called(name: exp.Identifier, given: Arguments) -> exp.Expression:
    if name.args.get("quoted"):
        return _unknown_or_known(name, given)
    special = SPECIAL_FUNCTIONS.get(name.this.upper())
    if special is None:
        return _unknown_or_known(name, given)
    node: exp.Expression = special(given)
    if _is_whole(node, name, len(given.items)):
        return node
    return exp.Anonymous(this=name.this, expressions=_plain_arguments(given))


def identifier_clause(text: exp.Expression) -> exp.Anonymous:
    """`IDENTIFIER(text)`: a name that is a value."""
    return exp.Anonymous(this="IDENTIFIER", expressions=[text])


def identifier_call(name: exp.Anonymous, given: Arguments | None) -> exp.Anonymous:
    """`IDENTIFIER(text)(arguments)`."""
    return exp.Anonymous(this=name, expressions=_plain_arguments(given or _NONE))


def identifier_path(
    first: exp.Expression, name: exp.Identifier | None = None, given: Any = ()
) -> exp.Table:
    """`IDENTIFIER(text).name` in FROM, where a further IDENTIFIER is a part, too, no function."""
    if name is None:
        return exp.Table(this=first)
    text = first.this.expressions[0] if not first.args.get("db") else None
    if text is not None and not text.is_string:
        raise RefusalError(
            "TVF109",
            "only an IDENTIFIER of plain text may be part of a name",
            first.meta.get("span"),
            help="put the whole name into it: IDENTIFIER('shop.' || :table)",
        )
    part: exp.Expression = name
    if given != ():
        part = exp.Anonymous(this=name.this, expressions=_plain_arguments(given or _NONE))
    return exp.Table(this=part, db=first.this, catalog=first.args.get("db"))


def _plain_arguments(given: Arguments) -> list[exp.Expression]:
    return given.items if given.distinct is None else [given.distinct]


def _unknown_or_known(name: exp.Identifier, given: Arguments) -> exp.Expression:
    for item in given.items:
        if isinstance(item, (exp.IgnoreNulls, exp.RespectNulls)) and item.meta.pop("inside", False):
            return _lift_nulls_option(name, item, given)
    return _build(name, _plain_arguments(given))


def _lift_nulls_option(
    name: exp.Identifier, option: exp.Expression, given: Arguments
) -> exp.Expression:
    """`first(x IGNORE NULLS)` is `first(x) IGNORE NULLS`; only few functions take it inside."""
    alone = len(given.items) == 1 and not given.quantifier
    known = name.this.upper() in _NULLS_INSIDE and isinstance(option, exp.IgnoreNulls)
    if not (alone and known):
        raise _nulls_option_inside(name.this, option)
    node = exp.IgnoreNulls(this=_build(name, [option.this]))
    node.meta["complete"] = name.this
    return node


def _refuse_behind(function: exp.Expression) -> None:
    """To Spark `first(x IGNORE NULLS)` is whole: no FILTER, no OVER stands behind it."""
    name = function.meta.pop("complete", None)
    if name is not None:
        raise _nulls_option_inside(name, function)


def _nulls_option_inside(name: str, option: exp.Expression) -> RefusalError:
    words = "IGNORE NULLS" if isinstance(option, exp.IgnoreNulls) else "RESPECT NULLS"
    return RefusalError(
        "TVF109",
        f"{words} stands behind the parentheses of {name}",
        option.meta.get("span"),
        help=f"write {name}(...) {words} OVER (...)",
    )


def _build(name: exp.Identifier, items: list[exp.Expression]) -> exp.Expression:
    builder = _builders().get(name.this.upper())
    node = _built(builder, items) if builder else None
    if node is None or not _is_whole(node, name, len(items)):
        return exp.Anonymous(this=name if name.args.get("quoted") else name.this, expressions=items)
    return node


def _built(
    builder: Callable[..., exp.Expression], items: list[exp.Expression]
) -> exp.Expression | None:
    """A call of a function that sqlglot knows; None if not with so many arguments."""
    try:
        return builder(items)
    except TypeError:
        return builder(items, dialect=_dialect())
    except (AttributeError, IndexError, ValueError):
        return None


def _is_whole(node: exp.Expression, name: exp.Identifier, count: int) -> bool:
    """Whether a call has the arguments that its function takes; if not, Spark is to say so."""
    if any(needed and not _has(node, key) for key, needed in node.arg_types.items()):
        return False
    return _takes_columns(name.this.upper(), count) or _is_printable(node)


def _has(node: exp.Expression, key: str) -> bool:
    value = node.args.get(key)
    return value is not None and value != []


@cache
def _takes_columns(name: str, count: int) -> bool:
    """Whether sqlglot can print a call of a function with so many columns."""
    columns: list[exp.Expression] = [exp.column(f"x{place}") for place in range(count)]
    builder, special = _builders().get(name), SPECIAL_FUNCTIONS.get(name)
    try:
        if special is not None:
            return _is_printable(special(Arguments(None, columns)))
        node = _built(builder, columns) if builder else None
    except RefusalError:
        return False
    return node is not None and _is_printable(node)


def _is_printable(node: exp.Expression) -> bool:
    try:
        node.sql("spark")
    except (AttributeError, LookupError, SqlglotError, TypeError, ValueError):
        return False
    return True


def method(base: exp.Expression, name: exp.Identifier, given: Arguments | None) -> exp.Expression:
    """`db.name(arguments)`: a qualified function is never a known one."""
    if isinstance(base, exp.Literal) and given is None:
        raise RefusalError(
            "TVF109",
            f"a string has no function `{name.name}`",
            base.meta.get("span"),
            help="quote names in backquotes",
        )
    items = _plain_arguments(given or _NONE)
    function = exp.Anonymous(this=name if name.args.get("quoted") else name.this, expressions=items)
    return exp.Dot(this=_as_names(base), expression=function)


def table_method(name: exp.Table, given: Arguments | None) -> exp.Table:
    """`db.name(arguments)` in FROM."""
    function = method(exp.Column(this=name.args["db"]), name.this, given).expression
    name.set("this", function)
    return name


def _as_names(base: exp.Expression) -> exp.Expression:
    if isinstance(base, exp.Column):
        parts = [base.args.get(key) for key in ("catalog", "db", "table", "this")]
        names = [part for part in parts if part is not None]
        node: exp.Expression = names[0]
        for name in names[1:]:
            node = exp.Dot(this=node, expression=name)
        return node
    return base


def lambda_(*parts: exp.Expression) -> exp.Lambda:
    """`(x, y) -> body`: the parameters are bare names in the body."""
    *parameters, body = parts
    return exp.Lambda(this=_bind(body, {each.name for each in parameters}), expressions=parameters)


def _bind(body: exp.Expression, names: set[str]) -> Any:
    for node in list(body.find_all(exp.Column)):
        first = node.parts[0]
        if first.name not in names:
            continue
        bound = node.to_dot() if node.table else node.this
        bound.meta.update(node.meta)
        if node is body:
            return bound
        node.replace(bound)
    return body


def named_argument(name: exp.Identifier, value: exp.Expression) -> exp.Kwarg:
    """`name => value`."""
    word = exp.Var(this=name.this)
    word.meta.update(name.meta)
    return exp.Kwarg(this=word, expression=value)


def nulls_option(value: exp.Expression, option: str) -> exp.Expression:
    """`IGNORE NULLS`, inside the parentheses or behind them."""
    _refuse_behind(value)
    kind = exp.IgnoreNulls if option == "IGNORE NULLS" else exp.RespectNulls
    return kind(this=value)


def nulls_inside(value: exp.Expression, option: str) -> exp.Expression:
    """`IGNORE NULLS` behind an argument, which few functions take."""
    node = nulls_option(value, option)
    node.meta["inside"] = True
    return node


def within_group(function: exp.Expression, order: exp.Order) -> exp.Expression:
    """`f(...) WITHIN GROUP (ORDER BY ...)`."""
    if isinstance(function, exp.GroupConcat):
        order.set("this", function.this)
        function.set("this", order)
        return function
    return exp.WithinGroup(this=function, expression=order)


def filter_(function: exp.Expression, condition: exp.Where) -> exp.Filter:
    """`f(...) FILTER (WHERE condition)`."""
    _refuse_behind(function)
    return exp.Filter(this=function, expression=condition)


def over(function: exp.Expression, window: exp.Window) -> exp.Window:
    """`f(...) OVER window`."""
    _refuse_behind(function)
    window.set("this", function)
    window.set("over", "OVER")
    return window


def _named(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    function.__name__ = name
    return function


RULES: tuple[Any, ...] = (
    arguments,
    call,
    cast,
    distinct,
    distinct_arguments,
    extract,
    identifier_call,
    identifier_clause,
    identifier_path,
    _named(filter_, "filter"),
    _named(lambda_, "lambda"),
    method,
    named_argument,
    nulls_inside,
    nulls_option,
    over,
    overlay,
    position,
    struct,
    substring,
    table_method,
    trim,
    try_cast,
    within_group,
)
