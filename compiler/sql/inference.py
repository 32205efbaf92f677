"""Types of an expression and of its parts, by sqlglot, given those of its columns.

sqlglot annotates the whole expression once, however many of its parts are asked for; where it would
guess about moments and intervals, the type follows from those of the parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types

from compiler.source import Span
from compiler.sql.structs import field_type, window_type
from compiler.sqltypes import UNKNOWN, Kind, SqlType, kind_of
from compiler.syntax import span_of
from compiler.syntax.nodes import MzNow, ProcTime, WatermarkTs

MOMENTS = frozenset({Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ, Kind.DATE})

TYPES = {
    Kind.TIMESTAMP: "TIMESTAMP",
    Kind.TIMESTAMP_NTZ: "TIMESTAMP_NTZ",
    Kind.DATE: "DATE",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.STRING: "STRING",
    Kind.NUMBER: "DECIMAL(38, 18)",
}
"""Stand-ins by which types are inferred; arrays, maps and structs stand for themselves."""


_OF_TRUTH: tuple[type[exp.Expr], ...] = (exp.Connector, exp.Predicate)
_ARITHMETIC: tuple[type[exp.Expr], ...] = (exp.Add, exp.Sub, exp.Mul, exp.Div)


class Inference:
    """Answers for the types of one expression and its parts.

    Args:
        root: the expression.
        columns: types of its columns, and of subqueries if they are known, by their spans.
    """

    def __init__(self, root: exp.Expression, columns: Mapping[Span, SqlType]) -> None:
        self._root = root
        self._columns = columns
        self._known: dict[int, SqlType] = {}

    def type_of(self, node: exp.Expression) -> SqlType:
        """The type of a part."""
        if id(node) not in self._known:
            self._known[id(node)] = self._inferred(node)
        return self._known[id(node)]

    def _inferred(self, node: exp.Expression) -> SqlType:
        if isinstance(node, exp.Column | exp.Subquery):
            return self._columns.get(span_of(node), UNKNOWN)
        if id(node) in self._with_queries:
            return UNKNOWN
        if isinstance(node, exp.Literal):
            kind = Kind.STRING if node.is_string else Kind.NUMBER
            return SqlType(kind, kind.value)
        if isinstance(node, exp.Paren):
            return self.type_of(node.this)
        if isinstance(node, exp.Anonymous) and is_call(node, "window"):
            return window_type(self.type_of(node.expressions[0]))
        if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
            return field_type(self.type_of(node.this), node.expression.name)
        of_operands = self._of_operands(node)
        if of_operands is not None:
            return of_operands
        of_results = self._of_results(node)
        if of_results is not None:
            return of_results
        typed = self._annotated.get(id(node))
        kind = kind_of(typed)
        return (
            UNKNOWN if kind is Kind.UNKNOWN or typed is None else SqlType(kind, typed.sql("spark"))
        )

    def _of_operands(self, node: exp.Expression) -> SqlType | None:
        """The type of a binary operator, where that is known without sqlglot."""
        if not isinstance(node, exp.Binary):
            return None
        if isinstance(node, _OF_TRUTH):
            return SqlType(Kind.BOOLEAN, "BOOLEAN")
        if isinstance(node, _ARITHMETIC):
            return _of_time(node, self.type_of(node.this), self.type_of(node.expression))
        return None

    @cached_property
    def _with_queries(self) -> set[int]:
        """Nodes that have a subquery in them, of which sqlglot knows no columns here."""
        found: set[int] = set()
        for query in self._root.find_all(exp.Query):
            node: exp.Expr | None = query
            while node is not None and id(node) not in found:
                found.add(id(node))
                node = None if node is self._root else node.parent
        return found

    @cached_property
    def _annotated(self) -> dict[int, exp.DataType | None]:
        """What sqlglot makes of each node."""
        stand_ins = self._root.copy()
        pairs = list(zip(self._root.walk(), stand_ins.walk(), strict=True))
        copies = {id(copied): original for original, copied in pairs}
        typed = annotate_types(
            stand_ins.transform(lambda node: self._stand_in(node, copies), copy=False),
            dialect="spark",
        )
        nodes = {id(original): copied for original, copied in pairs}
        nodes[id(self._root)] = typed
        return {place: node.type for place, node in nodes.items()}

    def _stand_in(self, node: exp.Expr, copies: Mapping[int, exp.Expr]) -> exp.Expr:
        if isinstance(node, WatermarkTs | MzNow | ProcTime):
            return _null_of("TIMESTAMP")
        if isinstance(node, exp.Query):
            return exp.Null()
        if not isinstance(node, exp.Column):
            return node
        known = self._columns.get(span_of(copies.get(id(node), node)), UNKNOWN)
        return _null_of(TYPES.get(known.kind, known.ddl if known.kind is Kind.OTHER else None))

    def _of_results(self, node: exp.Expression) -> SqlType | None:
        """The type of a choice between moments or intervals, of which sqlglot would guess again."""
        match node:
            case exp.Case():
                results = [each.args["true"] for each in node.args["ifs"]]
                results.append(node.args.get("default"))
            case exp.If():
                results = [node.args.get("true"), node.args.get("false")]
            case exp.Coalesce() | exp.Greatest() | exp.Least():
                results = [node.this, *node.expressions]
            case _:
                return None
        found = [self.type_of(each) for each in results if each is not None]
        ranks = (Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ, Kind.DATE, Kind.INTERVAL)
        of_time = [each for each in found if each.kind in ranks]
        return min(of_time, key=lambda each: ranks.index(each.kind)) if of_time else None


def infer(node: exp.Expression, columns: Mapping[Span, SqlType]) -> SqlType:
    """The type of an expression, given those of its columns."""
    return Inference(node, columns).type_of(node)


def is_call(node: exp.Expr | None, name: str) -> bool:
    """Whether a node is a call of a function that sqlglot does not know, with arguments."""
    is_named = isinstance(node, exp.Anonymous) and node.name.lower() == name
    return is_named and bool(node is not None and node.expressions)


def _of_time(node: exp.Expression, left: SqlType, right: SqlType) -> SqlType | None:
    """The type of arithmetic with moments and intervals, at which sqlglot guesses."""
    intervals = [each for each in (left, right) if each.kind is Kind.INTERVAL]
    if isinstance(node, exp.Mul | exp.Div):
        return intervals[0] if intervals else None
    if left.kind in MOMENTS:
        is_difference = isinstance(node, exp.Sub) and right.kind in MOMENTS
        return SqlType(Kind.INTERVAL, "INTERVAL DAY TO SECOND") if is_difference else left
    if left.kind is Kind.INTERVAL:
        return right
    return left if intervals else None


def _null_of(name: str | None) -> exp.Expression:
    """A NULL of a type, if sqlglot has that."""
    kind = _built(name) if name else None
    return exp.Null() if kind is None else exp.Cast(this=exp.Null(), to=kind.copy())


@lru_cache(maxsize=256)
def _built(name: str) -> exp.DataType | None:
    try:
        return exp.DataType.build(name, dialect="spark")
    except SqlglotError:  # a type that Spark has and sqlglot does not
        return None
