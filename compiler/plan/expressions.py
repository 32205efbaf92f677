"""AST expression -> Expr: names checked, type inferred, the clock under its own name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types

from compiler.plan.exprs import Clock, Expr, binding_of, flat_text
from compiler.plan.names import qualified
from compiler.plan.problems import Problems
from compiler.plan.scope import Scope
from compiler.plan.structs import field_type, is_window, time_in, window_type
from compiler.source import Span
from compiler.sqltypes import UNKNOWN, Kind, SqlType, kind_of
from compiler.syntax import span_of
from compiler.syntax.nodes import MzNow, ProcTime, WatermarkTs

PROC_TIME_COLUMN = "__proc_time"

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


class ExpressionBinder:
    """Binds expressions in a scope.

    `stands_for` has the SQL for nodes, by their span, that are not what they are in the text.
    """

    def __init__(self, scope: Scope, problems: Problems) -> None:
        self.scope = scope
        self.problems = problems
        self.stands_for: dict[Span, Expr] = {}

    def bind(self, node: exp.Expression) -> Expr:
        """An expression as SQL for Spark."""
        types: dict[Span, SqlType] = {}
        replaced: dict[Span, str] = {}
        reads: list[str] = []
        clock: Clock | None = None
        for leaf in self.leaves(node):
            span = span_of(leaf)
            if span in self.stands_for:
                replaced[span] = self.stands_for[span].sql
                reads.extend(self.stands_for[span].reads)
            elif self.is_clock(leaf):
                clock = self.clock_of(leaf)
                replaced[span] = clock.column if clock else ""
            elif isinstance(leaf, exp.Anonymous):
                window = self.bind(leaf.expressions[0])
                replaced[span] = f"({time_in(window.sql)})"
                reads.extend(window.reads)
            elif isinstance(leaf, ProcTime):
                replaced[span] = self._proc_time(span)
                reads.append(replaced[span])
            elif isinstance(leaf, exp.Column):
                column = self.scope.resolve(leaf)
                types[span] = column.type
                if column.sql is not None:
                    replaced[span] = column.sql
                if _is_windowed(leaf) and is_window(column.type):
                    replaced[span] = time_in(replaced.get(span) or self._text(leaf))
                    types[span] = field_type(column.type, "end")
                reads.append(column.sql or self._text(leaf))
        known: dict[int, SqlType] = {}
        self._check_sums(node, types, known)
        self._check_comparisons(node, types, known)
        return Expr(
            sql=flat_text(self.problems.source, span_of(node), replaced),
            type=infer(node, types, known),
            binding=binding_of(node),
            reads=tuple(dict.fromkeys(reads)),
            clock=clock,
            span=span_of(node),
        )

    def _text(self, node: exp.Expression) -> str:
        return flat_text(self.problems.source, span_of(node))

    def _check_sums(
        self, node: exp.Expression, types: dict[Span, SqlType], known: dict[int, SqlType]
    ) -> None:
        """A number is no span of time: `ts + 5` has no unit."""
        for each in node.find_all(exp.Add, exp.Sub):
            kinds = {infer(side, types, known).kind for side in (each.this, each.expression)}
            if kinds in ({Kind.TIMESTAMP, Kind.NUMBER}, {Kind.TIMESTAMP_NTZ, Kind.NUMBER}):
                self.problems.add(
                    "TVF206",
                    "a number cannot be added to a TIMESTAMP",
                    span_of(each),
                    "a number has no unit of time",
                    advice="write an interval, such as `+ INTERVAL 5 MINUTES`; for a column of "
                    "numbers, `+ n * INTERVAL 1 MINUTE`",
                )

    def _check_comparisons(
        self, node: exp.Expression, types: dict[Span, SqlType], known: dict[int, SqlType]
    ) -> None:
        """Maps have no order of their entries: Spark compares none."""
        if not any(is_map(each) for each in types.values()):
            return
        for each in node.find_all(*_COMPARISONS):
            for side in (each.this, each.expression):
                if is_map(infer(side, types, known)):
                    refuse_map(span_of(side), self.problems)

    def is_clock(self, node: exp.Expression) -> bool:
        """Whether a node is a clock itself, also under a column's name."""
        return self.clock_of(node) is not None

    def clock_of(self, node: exp.Expression) -> Clock | None:
        """The clock that a node is, also under a column's name."""
        if isinstance(node, WatermarkTs | MzNow):
            return Clock.WALL if isinstance(node, MzNow) else Clock.WATERMARK
        return self._named_clock(node) if isinstance(node, exp.Column) else None

    def reads_clock(self, node: exp.Expression) -> bool:
        """Whether the clock occurs in a node."""
        return any(self.is_clock(leaf) for leaf in self.leaves(node))

    def leaves(self, node: exp.Expression) -> Iterator[exp.Expression]:
        """Columns and clocks of an expression; subqueries have scopes of their own."""
        if self.stands_for and span_of(node) in self.stands_for:
            yield node
            return
        if isinstance(node, exp.Column | WatermarkTs | MzNow | ProcTime) or is_call(
            node, "window_time"
        ):
            yield node
            return
        if isinstance(node, exp.Query):
            return
        for child in node.iter_expressions():
            yield from self.leaves(child)

    def _named_clock(self, node: exp.Column) -> Clock | None:
        for relation in self.scope.relations:
            if node.table and relation.alias and node.table.lower() != relation.alias.lower():
                continue
            column = relation.column(node.name)
            if column is not None and column.is_clock:
                return column.clock
        return None

    def _proc_time(self, span: Span) -> str:
        """The arrival of the row; views and subqueries do not hand it on."""
        relations = self.scope.relations
        owners = [each for each in relations if each.has_proc_time]
        if not owners:
            self.problems.add(
                "TVF501",
                "PROC_TIME() is not supported above a view or subquery yet",
                span,
                "no source here",
                advice="select it where the source is in FROM: `SELECT *, PROC_TIME() AS arrived`",
            )
            return PROC_TIME_COLUMN
        several = len(relations) > 1 and owners[0].alias
        return qualified(several, PROC_TIME_COLUMN) if several else PROC_TIME_COLUMN


def is_call(node: exp.Expr | None, name: str) -> bool:
    """Whether a node is a call of a function that sqlglot does not know, with arguments."""
    is_named = isinstance(node, exp.Anonymous) and node.name.lower() == name
    return is_named and bool(node is not None and node.expressions)


def _is_windowed(node: exp.Expression) -> bool:
    """Whether a node is what window() makes windows of."""
    return is_call(node.parent, "window") and node.arg_key == "expressions" and not node.index


_COMPARISONS = (exp.EQ, exp.NullSafeEQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)


def is_map(kind: SqlType) -> bool:
    """Whether values are maps."""
    return kind.ddl.upper().startswith("MAP<")


def refuse_maps(keys: Sequence[Expr], problems: Problems) -> None:
    """Maps among keys that are hashed or put in order."""
    for each in keys:
        if is_map(each.type):
            refuse_map(each.span, problems)


def refuse_map(place: Span, problems: Problems) -> None:
    """A comparison of maps."""
    problems.add(
        "TVF206",
        "a MAP cannot be compared",
        place,
        "has no order of its entries",
        advice="compare an entry, `m['key']`, or `array_sort(map_entries(m))`",
    )


def infer(
    node: exp.Expression, types: dict[Span, SqlType], known: dict[int, SqlType] | None = None
) -> SqlType:
    """The type of an expression, by sqlglot, given those of its columns.

    `known` are types by the id of the node; what is found is added, since sums are long.
    """
    known = {} if known is None else known
    if id(node) not in known:
        known[id(node)] = _inferred(node, types, known)
    return known[id(node)]


def _inferred(
    node: exp.Expression, types: dict[Span, SqlType], known: dict[int, SqlType]
) -> SqlType:
    if isinstance(node, exp.Column):
        return types.get(span_of(node), UNKNOWN)
    if node.find(exp.Query):
        return UNKNOWN
    if isinstance(node, exp.Literal):
        kind = Kind.STRING if node.is_string else Kind.NUMBER
        return SqlType(kind, kind.value)
    if isinstance(node, exp.Paren):
        return infer(node.this, types, known)
    if isinstance(node, exp.Anonymous) and is_call(node, "window"):
        return window_type(infer(node.expressions[0], types, known))
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        return field_type(infer(node.this, types, known), node.expression.name)
    if isinstance(node, exp.Add | exp.Sub | exp.Mul | exp.Div):
        left, right = (infer(each, types, known) for each in (node.this, node.expression))
        of_time = _of_time(node, left, right)
        if of_time is not None:
            return of_time
    of_results = _of_results(node, types, known)
    if of_results is not None:
        return of_results
    typed = annotate_types(node.copy().transform(_stand_in, types), dialect="spark").type
    kind = kind_of(typed)
    return UNKNOWN if kind is Kind.UNKNOWN or typed is None else SqlType(kind, typed.sql("spark"))


def _of_results(
    node: exp.Expression, types: dict[Span, SqlType], known: dict[int, SqlType]
) -> SqlType | None:
    """The type of a choice between moments or intervals, of which sqlglot would guess again."""
    match node:
        case exp.Case():
            results = [each.args["true"] for each in node.args["ifs"]] + [node.args.get("default")]
        case exp.If():
            results = [node.args.get("true"), node.args.get("false")]
        case exp.Coalesce() | exp.Greatest() | exp.Least():
            results = [node.this, *node.expressions]
        case _:
            return None
    found = [infer(each, types, known) for each in results if each is not None]
    ranks = (Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ, Kind.DATE, Kind.INTERVAL)
    of_time = [each for each in found if each.kind in ranks]
    return min(of_time, key=lambda each: ranks.index(each.kind)) if of_time else None


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


def _stand_in(node: exp.Expression, types: dict[Span, SqlType]) -> exp.Expression:
    if isinstance(node, WatermarkTs | MzNow | ProcTime):
        return exp.cast(exp.Null(), exp.DataType.build("timestamp", dialect="spark"))
    if not isinstance(node, exp.Column):
        return node
    known = types.get(span_of(node), UNKNOWN)
    name = TYPES.get(known.kind, known.ddl if known.kind is Kind.OTHER else None)
    if not name:
        return exp.Null()
    try:
        return exp.cast(exp.Null(), exp.DataType.build(name, dialect="spark"))
    except SqlglotError:  # a type that Spark has and sqlglot does not
        return exp.Null()
