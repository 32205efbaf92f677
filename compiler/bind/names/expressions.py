"""AST expression -> Expr: names checked, type inferred, the clock under its own name."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from compiler.bind.names.maps import has_map, refuse_maps_in
from compiler.bind.names.refusals import refuse_changes
from compiler.bind.names.scope import Scope
from compiler.bind.names.stars import is_argument, is_star
from compiler.diagnostics.problems import Problems
from compiler.source import Span
from compiler.sql.exprs import Clock, Expr, binding_of, equal, flat_text
from compiler.sql.inference import Inference, is_call
from compiler.sql.names import PROC_TIME_COLUMN, parts_of, qualified, quoted_name
from compiler.sql.structs import field_type, is_window, time_in
from compiler.sqltypes import UNKNOWN, Kind, SqlType
from compiler.syntax import span_of
from compiler.syntax.nodes import MzNow, ProcTime, WatermarkTs
from compiler.syntax.nodes.made import gives_its_name, is_made_equality, is_of_star, made_name

_LEAVES = (exp.Column, WatermarkTs, MzNow, ProcTime)


class ExpressionBinder:
    """Binds expressions in a scope.

    `stands_for` has the SQL for nodes, by their span, that are not what they are in the text. Where
    `is_of_groups`, a column that it does not have is one of the rows below, and has no value.
    """

    def __init__(self, scope: Scope, problems: Problems) -> None:
        self.scope = scope
        self.problems = problems
        self.stands_for: dict[Span, Expr] = dict(scope.stands_for)
        self.is_of_groups = False
        self._inferences: dict[int, Inference] = {}

    def bind(self, node: exp.Expression) -> Expr:
        """An expression as SQL for Spark."""
        if is_made_equality(node):
            return equal(self.bind(node.args["this"]), self.bind(node.args["expression"]))
        types = {place: each.type for place, each in self.scope.stands_for.items()}
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
            elif self._is_star_of_known(leaf):
                self._refuse_star(leaf)
            elif isinstance(leaf, exp.Column):
                reads.append(self._column(leaf, replaced, types))
        inference = Inference(node, types)
        self._check_sums(node, inference)
        self._check_maps(node, types, inference)
        return Expr(
            sql=flat_text(self.problems.source, span_of(node), replaced),
            type=inference.type_of(node),
            binding=binding_of(node),
            reads=tuple(dict.fromkeys(reads)),
            clock=clock,
            span=span_of(node),
        )

    def _column(
        self, leaf: exp.Column, replaced: dict[Span, str], types: dict[Span, SqlType]
    ) -> str:
        """What SQL calls a column; put down, as is its type, where its text says something else."""
        span, column = span_of(leaf), self.scope.resolve(leaf)
        is_another = is_of_star(leaf) and span in replaced
        text = column.sql or made_name(leaf)
        types[span] = UNKNOWN if is_another else column.type
        if text is not None:
            self._check_parameters(leaf, text)
            before = f"{replaced[span]}, " if is_another else ""
            replaced[span] = f"{before}{_in_struct(text, leaf)}"
        if _is_windowed(leaf) and is_window(column.type):
            replaced[span] = time_in(replaced.get(span) or self._text(leaf))
            types[span] = field_type(column.type, "end")
        return text or self._text(leaf)

    def _check_parameters(self, leaf: exp.Column, text: str) -> None:
        """A column that SQL calls like a parameter of the lambda function around it is none."""
        function = leaf.find_ancestor(exp.Lambda)
        while function is not None:
            if any(parts_of(text)[:1] == (each.name,) for each in function.expressions):
                self.problems.add(
                    "TVF203",
                    f"the parameter of a lambda function is called like the column `{leaf.name}`",
                    span_of(leaf),
                    "which of the two?",
                    advice="give the parameter another name",
                )
            function = function.find_ancestor(exp.Lambda)

    def _is_star_of_known(self, node: exp.Expression) -> bool:
        """Whether a leaf is a star, of all relations or of one that there is."""
        is_of_known = not isinstance(node, exp.Column) or self.scope.offers(node.parts[0].name)
        return is_star(node) and is_of_known

    def _refuse_star(self, node: exp.Expression) -> None:
        self.problems.add(
            "TVF211",
            "`*` as an argument is not supported here",
            span_of(node),
            "which columns?",
            advice="list the columns",
        )

    def _text(self, node: exp.Expression) -> str:
        return flat_text(self.problems.source, span_of(node))

    def kind_of(self, node: exp.Expression) -> Kind:
        """The kind of an expression's type; parts of one that was asked for before know theirs."""
        if id(node) not in self._inferences:
            columns = [each for each in self.leaves(node) if isinstance(each, exp.Column)]
            types = {span_of(each): self._type_of(each) for each in columns}
            inference = Inference(node, types)
            self._inferences.update((id(each), inference) for each in node.walk())
        return self._inferences[id(node)].type_of(node).kind

    def _type_of(self, column: exp.Column) -> SqlType:
        """The type of a column where it stands: of a struct that window() takes, its time."""
        kind = self.scope.resolve(column).type
        return field_type(kind, "end") if _is_windowed(column) and is_window(kind) else kind

    def _check_sums(self, node: exp.Expression, inference: Inference) -> None:
        """A number is no span of time: `ts + 5` has no unit."""
        for each in node.find_all(exp.Add, exp.Sub):
            kinds = {inference.type_of(side).kind for side in (each.this, each.expression)}
            if kinds in ({Kind.TIMESTAMP, Kind.NUMBER}, {Kind.TIMESTAMP_NTZ, Kind.NUMBER}):
                self.problems.add(
                    "TVF206",
                    "a number cannot be added to a TIMESTAMP",
                    span_of(each),
                    "a number has no unit of time",
                    advice="write an interval, such as `+ INTERVAL 5 MINUTES`; for a column of "
                    "numbers, `+ n * INTERVAL 1 MINUTE`",
                )

    def _check_maps(
        self, node: exp.Expression, types: dict[Span, SqlType], inference: Inference
    ) -> None:
        if any(has_map(each) for each in types.values()):
            refuse_maps_in(node, inference.type_of, self.problems)

    def is_clock(self, node: exp.Expression) -> bool:
        """Whether a node is a clock itself, also under a column's name."""
        return self.clock_of(node) is not None

    def clock_of(self, node: exp.Expression) -> Clock | None:
        """The clock that a node is, also under a column's name."""
        if isinstance(node, WatermarkTs | MzNow):
            return Clock.WALL if isinstance(node, MzNow) else Clock.WATERMARK
        return self._named_clock(node) if isinstance(node, exp.Column) else None

    def has_stand_in(self, node: exp.Expression) -> bool:
        """Whether something else stands for a node."""
        return span_of(node) in self.stands_for

    def reads_clock(self, node: exp.Expression) -> bool:
        """Whether the clock occurs in a node."""
        return any(self.is_clock(leaf) for leaf in self.leaves(node))

    def leaves(self, node: exp.Expression) -> Iterator[exp.Expression]:
        """Columns, clocks and stars of an expression; subqueries have scopes of their own."""
        stack: list[exp.Expression] = [node]
        while stack:
            each = stack.pop()
            stands = bool(self.stands_for) and span_of(each) in self.stands_for
            is_leaf = isinstance(each, _LEAVES) or is_argument(each)
            if stands or is_leaf or is_call(each, "window_time"):
                yield each
            elif not isinstance(each, exp.Query):
                stack.extend(each.iter_expressions(reverse=True))

    def _named_clock(self, node: exp.Column) -> Clock | None:
        for relation in self.scope.having(node.name):
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
            if any(refuse_changes(each, "PROC_TIME()", span, self.problems) for each in relations):
                return PROC_TIME_COLUMN
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


def _in_struct(text: str, column: exp.Column) -> str:
    """A column by the name that SQL has for it; a field that it becomes keeps its own."""
    needs_name = gives_its_name(column) and parts_of(text)[-1:] != (column.name,)
    return f"{text} AS {quoted_name(column.name)}" if needs_name else text


def _is_windowed(node: exp.Expression) -> bool:
    """Whether a node is what window() makes windows of."""
    return is_call(node.parent, "window") and node.arg_key == "expressions" and not node.index
