"""Operators and predicates, as sqlglot's Spark parser builds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from compiler.syntax.from_tree.literals import unsigned
from compiler.syntax.from_tree.types import cast_type
from compiler.syntax.refusal import RefusalError

if TYPE_CHECKING:
    from collections.abc import Callable

_COMPARISONS = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)


def _binary(name: str, kind: type[exp.Expression]) -> Callable[..., exp.Expression]:
    """The action of an operator that just joins its sides."""

    def build(left: exp.Expression, right: exp.Expression) -> exp.Expression:
        return kind(this=left, expression=right)

    build.__name__ = name
    return build


def tested_again(predicate: exp.Expression, *_more: Any) -> exp.Expression:
    """To Spark a predicate ends an operand: nothing can be compared with it, parentheses apart."""
    raise RefusalError(
        "TVF109",
        "a predicate cannot be compared as it stands",
        predicate.meta.get("span"),
        help="put it in parentheses",
    )


def _guarded_predicate(
    kind: type[exp.Expression], left: exp.Expression, right: exp.Expression
) -> exp.Expression:
    """IS and its kin: a comparison on the left and a predicate on the right keep their grouping."""
    if isinstance(left, (exp.Connector, exp.Not, exp.NullSafeNEQ)) or type(left) in _COMPARISONS:
        left = exp.Paren(this=left)
    if isinstance(right, (exp.Predicate, exp.Connector, exp.Not, exp.Escape)):
        right = exp.Paren(this=right)
    return kind(this=left, expression=right)


def null_safe_equal(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    """`a <=> b`."""
    return _guarded_predicate(exp.NullSafeEQ, left, right)


def is_(left: exp.Expression, negated: str | None, value: exp.Expression) -> exp.Expression:
    """`a IS [NOT] NULL | TRUE | FALSE`."""
    node = _guarded_predicate(exp.Is, left, value)
    return exp.Not(this=node) if negated else node


def is_distinct(left: exp.Expression, negated: str | None, right: exp.Expression) -> exp.Expression:
    """`a IS [NOT] DISTINCT FROM b`."""
    return _guarded_predicate(exp.NullSafeEQ if negated else exp.NullSafeNEQ, left, right)


def _negate(node: exp.Expression, negated: str | None) -> exp.Expression:
    return exp.Not(this=node) if negated else node


def between(
    value: exp.Expression, negated: str | None, low: exp.Expression, high: exp.Expression
) -> exp.Expression:
    """`a [NOT] BETWEEN b AND c`."""
    return _negate(exp.Between(this=value, low=low, high=high), negated)


def in_(value: exp.Expression, negated: str | None, options: Any) -> exp.Expression:
    """`a [NOT] IN (...)`."""
    if isinstance(options, exp.Subquery) and isinstance(options.this, exp.Values):
        options = [options.this]
    if isinstance(options, exp.Subquery):
        return _negate(exp.In(this=value, query=options), negated)
    return _negate(exp.In(this=value, expressions=options), negated)


def in_list(*items: exp.Expression) -> Any:
    """What stands behind IN: values, or a query."""
    if len(items) == 1 and isinstance(items[0], exp.Subquery):
        return items[0]
    return list(items)


_LIKE: dict[str, type[exp.Expression]] = {"LIKE": exp.Like, "ILIKE": exp.ILike}


def like(
    value: exp.Expression,
    negated: str | None,
    operator: str,
    pattern: exp.Expression,
    escape_: exp.Expression | None,
) -> exp.Expression:
    """`a [NOT] LIKE b [ESCAPE c]`."""
    node = _LIKE[operator](this=value, expression=pattern, negate=bool(negated))
    return node if escape_ is None else exp.Escape(this=node, expression=escape_)


def escape(character: exp.Expression) -> exp.Expression:
    """The escape character of LIKE."""
    if len(character.name) != 1:
        raise RefusalError(
            "TVF107", "ESCAPE takes one character", help="write LIKE '10!%' ESCAPE '!'"
        )
    return character


def like_many(
    value: exp.Expression, negated: str | None, operator: str, patterns: list[exp.Expression]
) -> exp.Expression:
    """`a [NOT] LIKE ANY | SOME | ALL (b, c)`."""
    kind, _, quantifier = operator.partition(" ")
    if not patterns:
        raise RefusalError("TVF109", f"{operator} needs patterns", help="write at least one")
    alone = len(patterns) == 1
    listed = exp.Paren(this=patterns[0]) if alone else exp.Tuple(expressions=patterns)
    wrapper = exp.All if quantifier == "ALL" else exp.Any
    return _LIKE[kind](this=value, expression=wrapper(this=listed), negate=bool(negated))


def like_list(*patterns: exp.Expression | None) -> list[exp.Expression]:
    """The patterns of LIKE ANY and LIKE ALL."""
    return [each for each in patterns if each is not None]


def rlike(
    value: exp.Expression, negated: str | None, _operator: str, pattern: exp.Expression
) -> exp.Expression:
    """`a [NOT] RLIKE b`."""
    return _negate(exp.RegexpLike(this=value, expression=pattern), negated)


def not_(value: exp.Expression) -> exp.Not:
    """`NOT a`."""
    return exp.Not(this=value)


def divide(left: exp.Expression, right: exp.Expression) -> exp.Div:
    """`a / b`, which in Spark is NULL for b = 0 and never an integer."""
    return exp.Div(this=left, expression=right, typed=False, safe=True)


def concat(left: exp.Expression, right: exp.Expression) -> exp.DPipe:
    """`a || b`."""
    return exp.DPipe(this=left, expression=right, safe=True)


def subtract(left: exp.Expression, right: exp.Expression) -> exp.Sub:
    """`a - b`; behind the bare name of a collation Spark takes the sign for a part of it."""
    last = left
    while not isinstance(last, exp.Collate):
        if isinstance(last, exp.Binary):
            last = last.expression
        elif isinstance(last, exp.Neg | exp.BitwiseNot):
            last = last.this
        else:
            return exp.Sub(this=left, expression=right)
    raise RefusalError(
        "TVF109",
        "a name with a hyphen is none of a collation",
        last.meta.get("span"),
        help="put it in parentheses: `(a COLLATE UTF8_LCASE) - b`",
    )


def collate(value: exp.Expression, collation_: exp.Expression) -> exp.Collate:
    """`a COLLATE c`."""
    return exp.Collate(this=value, expression=collation_)


def collation(*names: exp.Identifier) -> exp.Expression:
    """The name of a collation, whatever catalog and schema it says: there are only Spark's own."""
    name = names[-1]
    return name if name.args.get("quoted") else exp.Var(this=name.this)


def negative(value: exp.Expression) -> exp.Neg:
    """`-a`."""
    if type(value) is exp.TryCast:
        unsigned.set([each for each in unsigned.get() if each is not value])
    return exp.Neg(this=value)


def positive(value: exp.Expression) -> exp.Expression:
    """`+a` is a."""
    return value


def bit_not(value: exp.Expression) -> exp.BitwiseNot:
    """`~a`."""
    return exp.BitwiseNot(this=value)


def element(base: exp.Expression, index: exp.Expression) -> exp.Expression:
    """`a[i]`."""
    return exp.Bracket(this=base, expressions=[index])


def double_colon(value: exp.Expression, kind: exp.DataType) -> exp.TryCast:
    """`a :: type`; sqlglot calls a Spark cast TryCast, since it may give NULL."""
    return exp.TryCast(this=value, to=cast_type(kind))


def shift_right_unsigned(left: exp.Expression, right: exp.Expression) -> exp.Anonymous:
    """`a >>> b`, for which sqlglot has no node."""
    return exp.Anonymous(this="SHIFTRIGHTUNSIGNED", expressions=[left, right])


def variant_field(base: exp.Expression, name: exp.Identifier) -> exp.JSONExtract:
    """`a:b`, a field of a VARIANT."""
    path = exp.JSONPath(expressions=[exp.JSONPathRoot(), exp.JSONPathKey(this=name.this)])
    return exp.JSONExtract(this=base, expression=path, variant_extract=True)


def variant_element(base: exp.Expression, index: exp.Expression) -> exp.JSONExtract:
    """`a:[0]`, an element of a VARIANT."""
    key = int(index.this) if index.is_int else index.name
    path = exp.JSONPath(expressions=[exp.JSONPathRoot(), exp.JSONPathSubscript(this=key)])
    return exp.JSONExtract(this=base, expression=path, variant_extract=True)


def parenthesis(value: exp.Expression) -> exp.Paren:
    """`(a)`."""
    return exp.Paren(this=value)


def row(*items: exp.Expression) -> exp.Tuple:
    """`(a, b)`."""
    return exp.Tuple(expressions=list(items))


def empty_tuple() -> exp.Tuple:
    """`()` among grouping sets."""
    return exp.Tuple()


def scalar_subquery(query: exp.Subquery) -> exp.Subquery:
    """A query in parentheses as a value."""
    return query


def exists(query: exp.Subquery) -> exp.Exists:
    """`EXISTS (query)`."""
    return exp.Exists(this=query.this)


def case(*parts: Any) -> exp.Case:
    """`CASE [value] WHEN ... THEN ... ELSE ... END`."""
    value, *branches, default = parts
    return exp.Case(this=value, ifs=branches, default=default)


def when(condition: exp.Expression, value: exp.Expression) -> exp.If:
    """`WHEN condition THEN value`."""
    return exp.If(this=condition, true=value)


RULES: tuple[Any, ...] = (
    _binary("or_", exp.Or),
    _binary("and_", exp.And),
    _binary("equal", exp.EQ),
    _binary("not_equal", exp.NEQ),
    _binary("less", exp.LT),
    _binary("less_equal", exp.LTE),
    _binary("greater", exp.GT),
    _binary("greater_equal", exp.GTE),
    _binary("bit_and", exp.BitwiseAnd),
    _binary("bit_or", exp.BitwiseOr),
    _binary("bit_xor", exp.BitwiseXor),
    _binary("shift_left", exp.BitwiseLeftShift),
    _binary("shift_right", exp.BitwiseRightShift),
    _binary("add", exp.Add),
    subtract,
    tested_again,
    _binary("multiply", exp.Mul),
    _binary("modulo", exp.Mod),
    _binary("integer_divide", exp.IntDiv),
    between,
    bit_not,
    case,
    collate,
    collation,
    concat,
    divide,
    double_colon,
    element,
    empty_tuple,
    escape,
    exists,
    in_,
    in_list,
    is_,
    is_distinct,
    like,
    like_list,
    like_many,
    negative,
    not_,
    null_safe_equal,
    parenthesis,
    positive,
    rlike,
    row,
    scalar_subquery,
    shift_right_unsigned,
    variant_element,
    variant_field,
    when,
)
