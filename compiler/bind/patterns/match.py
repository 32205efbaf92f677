"""MATCH_RECOGNIZE: rows of a relation in order of time, and the matches of a pattern in them.

Before   ticks MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES last(b.x) - a.x AS d …)
After    Project k, __measure_1 - __measure_2 AS d (Match … (rows that the clock has closed))
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from sqlglot import exp

from compiler.bind.closings.refusals import no_watermark, refuse_join
from compiler.bind.names.collations import refuse_collations
from compiler.bind.names.columns import reference
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.maps import refuse_maps
from compiler.bind.names.scope import OutColumn, Relation, Scope
from compiler.bind.over.keys import OrderKey, delayed
from compiler.bind.patterns import refusals
from compiler.bind.patterns.pattern import bind_pattern, skip_of, unknown_variable
from compiler.bind.patterns.rows import RefusedError, Rows
from compiler.bind.patterns.terms import Lowering
from compiler.diagnostics.problems import Problems
from compiler.plan.closings.closing import Closing
from compiler.plan.facts.properties import properties_of
from compiler.plan.nodes import Item, Match, MeasureColumn, Plan, Project
from compiler.plan.patterns import Term, variables_of
from compiler.sql.exprs import Expr, flat_text
from compiler.sql.lengths import interval_sql, length_of, moved
from compiler.sql.names import quoted_name, refuse_ours
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of
from compiler.syntax.nodes import MatchClauses, MatchRecognize

TIMESTAMP = SqlType(Kind.TIMESTAMP, "TIMESTAMP")


def bind_match(node: MatchRecognize, inner: Relation, problems: Problems) -> Relation | None:
    """The matches in the rows of a relation; None: they are at fault."""
    clauses: MatchClauses = node.args["clauses"]
    variables = bind_pattern(clauses, problems)
    if variables is None or _refuse_rows(node, inner, problems):
        return None
    rows = Rows(relation=inner, variables=variables, problems=problems)
    try:
        return _Binding(node, clauses, rows).relation()
    except RefusedError:
        return None


def _refuse_rows(node: MatchRecognize, inner: Relation, problems: Problems) -> bool:
    """Report rows in which nothing is ever final."""
    if inner.is_static:
        refusals.unsupported(node.this, "a table", problems)
        return True
    if inner.changes is not None or not properties_of(inner.plan).append_only:
        if not problems.has("TVF308", within=span_of(node)):
            refusals.changes(node, inner.changes or span_of(node.this), problems)
        return True
    return False


@dataclass
class _Binding:
    """One MATCH_RECOGNIZE whose names are known."""

    node: MatchRecognize
    clauses: MatchClauses
    rows: Rows

    def __post_init__(self) -> None:
        self._problems = self.rows.problems
        self._inner = self.rows.relation
        words = self.clauses.rows.upper()
        self._all_rows = words.startswith("ALL")
        self._omit_empty = words.endswith("OMIT EMPTY MATCHES")
        if words.endswith("WITH UNMATCHED ROWS"):
            what = "WITH UNMATCHED ROWS"
            refusals.unsupported(self.clauses.pattern, what, self._problems)
            raise RefusedError

    def relation(self) -> Relation:
        """The relation that it is.

        Raises:
            RefusedError: a part is refused; it has been reported.
        """
        keys = self._partition()
        if self._all_rows:
            self._take_all()
        output = self._inner.columns if self._all_rows else keys
        key, order = self._order()
        within = self._within()
        defines = tuple(self._defines())
        measures, items, columns = self._measures(output)
        if not output and not items:
            refusals.without_columns(self.node, self._problems)
            raise RefusedError
        skip, skip_to = skip_of(self.clauses, self.rows.variables, self._problems)
        below = Project(input=self._inner.plan, items=tuple(self.rows.columns.items.values()))
        closing = key.closing
        match = Match(
            input=delayed(below, key, self.node),
            partition=tuple(quoted_name(each.name) for each in keys),
            order=order,
            pattern=self.rows.variables.pattern,
            defines=defines,
            measures=measures,
            output=tuple(each.name for each in output),
            all_rows=self._all_rows,
            omit_empty=self._omit_empty,
            skip=skip,
            skip_to=skip_to,
            within=within,
            time=Expr(sql=closing.value.replace("{}", key.expr.sql), type=TIMESTAMP),
            closes=key.moment,
            closes_after=closing.after,
            ends=None if within is None else _ends(key, within),
            span=span_of(self.node),
        )
        plan: Plan = Project(input=match, items=(*_references(output), *items))
        return replace(
            self._inner,
            plan=plan,
            columns=(*(_without_clock(each) for each in output), *columns),
            alias=self.node.alias or None,
            again=None,
            has_proc_time=False,
            span=span_of(self.node),
        )

    def _take_all(self) -> None:
        """Have all columns of the relation, each under its own name."""
        names: set[str] = set()
        for column in self._inner.columns:
            if column.is_clock:
                refusals.clock(self.node.this, self._problems)
                raise RefusedError
            if column.name.lower() in names:
                refusals.repeated(self.node.this, column.name, "columns", self._problems)
                raise RefusedError
            names.add(column.name.lower())
            self.rows.columns.own(column)

    def _partition(self) -> tuple[OutColumn, ...]:
        found: list[OutColumn] = []
        for each in self.clauses.partition:
            self._bind_columns(each)
            column = self._column(each)
            if column is None:
                what = "PARTITION BY of what is no column"
                refusals.unsupported(each, what, self._problems)
                raise RefusedError
            self.rows.columns.own(column)
            found.append(column)
        binder = self.rows.binder()
        refuse_maps([binder.bind(each) for each in self.clauses.partition], self._problems)
        if refuse_collations("MATCH_RECOGNIZE", self.clauses.partition, binder):
            raise RefusedError
        return tuple(found)

    def _bind_columns(self, node: exp.Expression) -> None:
        if refusals.refuse_parts(node, self._problems):
            raise RefusedError
        self.rows.bind_columns(node)

    def _column(self, node: exp.Expression) -> OutColumn | None:
        """The column of the relation that a node is."""
        if not isinstance(node, exp.Column) or len(self.rows.parts(node)) > 1:
            return None
        column = self._inner.column(node.name)
        if column is None:
            raise RefusedError  # It has been reported as unknown.
        return column

    def _order(self) -> tuple[OrderKey, tuple[str, ...]]:
        """The time, and all sort keys."""
        order = self.clauses.order.expressions if self.clauses.order is not None else []
        for each in order:
            self._bind_columns(each.this)
        times = [c.name for c in self._inner.columns if c.closing is not None]
        column = self._column(order[0].this) if order else None
        closing = column.closing if column is not None else None
        if column is None or closing is None or closing.window is not None:
            self._refuse_order(order[0] if order else None, times)
            raise RefusedError
        if order[0].args.get("desc"):
            label = "the latest row is never known"
            refusals.not_by_time(span_of(order[0]), label, times, self._problems)
            raise RefusedError
        keys = [(self._key(each.this), each) for each in order]
        if refuse_collations("MATCH_RECOGNIZE", order, self.rows.binder()):
            raise RefusedError
        time = Expr(sql=quoted_name(column.name), type=column.type, reads=(column.name,))
        sorts = tuple(f"{quoted_name(name)}{_direction(each)}" for name, each in keys)
        return OrderKey(expr=time, closing=closing), sorts

    def _key(self, node: exp.Expression) -> str:
        return self.rows.columns.of(self.rows.binder().bind(node))

    def _refuse_order(self, first: exp.Expression | None, times: list[str]) -> None:
        place = span_of(first) if first is not None else span_of(self.node)
        if self._problems.has_names_at_fault or refuse_join(
            self._inner.plan, place, self._problems
        ):
            return
        if not self._inner.watermarks:
            if not self._problems.has("TVF301", within=span_of(self.node)):
                no_watermark(self._inner, self._problems, "MATCH_RECOGNIZE", place)
            return
        label = "no watermark closes it" if first is not None else "has no ORDER BY"
        refusals.not_by_time(place, label, times, self._problems)

    def _within(self) -> timedelta | None:
        node = self.clauses.within
        if node is None:
            return None
        length = length_of(node)
        if length is None or length <= timedelta(0):
            refusals.within(node, self._problems)
            raise RefusedError
        return length

    def _defines(self) -> list[tuple[str, Term]]:
        found: dict[str, Term] = {}
        names = variables_of(self.rows.variables.pattern)
        for each in self.clauses.defines:
            known = {name.lower(): name for name in names}
            name = known.get(each.alias.lower())
            if name is None:
                place = span_of(each.args["alias"])
                unknown_variable(each.alias, place, list(names), self._problems)
                continue
            if name in found:
                refusals.repeated(each.args["alias"], name, "conditions", self._problems)
            found[name] = Lowering(self.rows, current=name).condition(each.this)
        return list(found.items())

    def _measures(
        self, output: tuple[OutColumn, ...]
    ) -> tuple[tuple[MeasureColumn, ...], tuple[Item, ...], tuple[OutColumn, ...]]:
        """What the matcher gives, the items above it, and their columns."""
        given: dict[str, MeasureColumn] = {}
        items: list[Item] = []
        columns: list[OutColumn] = []
        names = {each.name.lower() for each in output}
        lowering = Lowering(self.rows)
        scope = Scope(self._problems)
        for each in self.clauses.measures:
            alias = each.args["alias"]
            refuse_ours(alias.name, span_of(alias), self._problems)
            if alias.name.lower() in names:
                refusals.repeated(alias, alias.name, "columns", self._problems)
                raise RefusedError
            names.add(alias.name.lower())
            for part, measure, kind in lowering.measured(each.this):
                text = flat_text(self._problems.source, span_of(part))
                column = MeasureColumn(name="", measure=measure, shown=text)
                name = given.setdefault(
                    repr(measure), replace(column, name=f"__measure_{len(given) + 1}")
                ).name
                scope.stands_for[span_of(part)] = Expr(sql=name, type=kind, reads=(name,))
            expr = ExpressionBinder(scope, self._problems).bind(each.this)
            items.append(Item(expr=expr, name=alias.name))
            columns.append(OutColumn(name=alias.name, type=expr.type))
        return tuple(given.values()), tuple(items), tuple(columns)


def _ends(key: OrderKey, within: timedelta) -> Expr:
    """When all rows have come that are less than some time after a row."""
    closing: Closing = key.closing
    value = closing.value.replace("{}", key.expr.sql)
    is_plain = closing.value == "{}" and closing.past == "{}"
    later = f"{value} + {interval_sql(within)}"
    moment = later if is_plain else closing.past.replace("{}", f"({later})")
    kind = TIMESTAMP if is_plain else SqlType(Kind.UNKNOWN, "")
    return Expr(sql=moved(moment, closing.reach + closing.later), type=kind, reads=key.expr.reads)


def _references(columns: tuple[OutColumn, ...]) -> tuple[Item, ...]:
    plain = (replace(each, sql=None) for each in columns)
    return tuple(Item(expr=reference(None, each), name=each.name) for each in plain)


def _without_clock(column: OutColumn) -> OutColumn:
    """A column of matches, which come whenever they are final."""
    return OutColumn(name=column.name, type=column.type)


def _direction(node: exp.Expression) -> str:
    """The direction of a sort key where that is not the usual one."""
    descending, nulls_first = bool(node.args.get("desc")), bool(node.args.get("nulls_first"))
    nulls = f" NULLS {'FIRST' if nulls_first else 'LAST'}" if nulls_first == descending else ""
    return f"{' DESC' if descending else ''}{nulls}"
