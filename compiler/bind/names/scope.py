"""Names that an expression may use: relations in FROM and their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from itertools import takewhile

from sqlglot import exp

from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import did_you_mean, listed
from compiler.memo import remembered
from compiler.plan.closings.closing import Closing
from compiler.plan.conditions.branches import Lower
from compiler.plan.nodes import Plan
from compiler.source import Span
from compiler.sql.exprs import Clock, Expr
from compiler.sql.names import parts_of, qualified, same
from compiler.sql.structs import field_type
from compiler.sqltypes import UNKNOWN, SqlType
from compiler.syntax import span_of


class Emit(Enum):
    """When a query emits.

    NOW: each row at once. ROWS: each row when it can no longer change. GROUPS: rows at once, below
    an aggregate that emits when its groups can no longer change.
    """

    NOW = "now"
    ROWS = "rows"
    GROUPS = "groups"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A time above rows that wait for those that follow them: the clock alone does not close it.

    `value` is what it is computed from, in SQL over those rows; `closing` is as below them.
    """

    value: str
    closing: Closing


@dataclass(frozen=True, slots=True, kw_only=True)
class OutColumn:
    """A column that a relation offers.

    Attributes:
        name: as it is written.
        type: its type.
        clock: the clock that it is a name for, if it is one.
        closing: when the clock closes a value of it; None: never.
        sql: how it is read where its name is not what it is called there.
        held: when it would close if no row waited for those that follow it; see `closings/held.py`.
    """

    name: str
    type: SqlType = UNKNOWN
    clock: Clock | None = None
    closing: Closing | None = None
    sql: str | None = None
    held: Held | None = None

    @property
    def is_clock(self) -> bool:
        """Whether it is a clock under a name."""
        return self.clock is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A bound query or table.

    Attributes:
        plan: its rows.
        columns: what it offers, in order.
        streams: names of the sources that it reads as streams.
        watermarks: those of them that have a watermark.
        alias: the name by which its columns may be qualified.
        is_open: stands for a relation at fault, which may have any column.
        has_proc_time: whether its rows carry the time of their arrival.
        changes: what makes its rows change; None: they stay.
        again: binds it anew for a query that emits otherwise; for views and CTEs.
        revised: when a row changes no more, for the output alone: see emit/revisions.py.
    """

    plan: Plan
    columns: tuple[OutColumn, ...]
    streams: frozenset[str] = frozenset()
    watermarks: frozenset[str] = frozenset()
    alias: str | None = None
    is_open: bool = False
    has_proc_time: bool = False
    changes: Span | None = None
    again: Callable[[Emit], Relation] | None = field(default=None, compare=False, repr=False)
    revised: Lower | None = field(default=None, compare=False, repr=False)
    span: Span = field(default=Span(0, 0), compare=False, repr=False)

    @property
    def is_static(self) -> bool:
        """Whether nothing in it is a stream."""
        return not self.streams

    def column(self, name: str) -> OutColumn | None:
        """The column of a name; case does not matter, as in Spark."""
        return next(iter(self.named(name)), None)

    def named(self, name: str) -> tuple[OutColumn, ...]:
        """All columns of a name."""
        return _by_name(self.columns).get(name.lower(), ())


@remembered
def _by_name(columns: tuple[OutColumn, ...]) -> dict[str, tuple[OutColumn, ...]]:
    """Columns by their names in small letters."""
    found: dict[str, tuple[OutColumn, ...]] = {}
    for each in columns:
        found[each.name.lower()] = (*found.get(each.name.lower(), ()), each)
    return found


def streams_of(relations: Iterable[Relation]) -> frozenset[str]:
    """The sources that any of the relations reads as streams."""
    return frozenset().union(*(each.streams for each in relations))


def watermarks_of(relations: Iterable[Relation]) -> frozenset[str]:
    """Those of them that have a watermark."""
    return frozenset().union(*(each.watermarks for each in relations))


@dataclass
class Scope:
    """The relations of one FROM clause, in order.

    `merged` are the columns of USING, each with the aliases whose column it is, and `fronts` those
    of each join, which come first among the columns of a star; `outer` is the scope of the query
    around, for a subquery, and `beyond` one of which it sees nothing;
    `answered` are terms of the WHERE that hold already; `asked` are subqueries whose values the
    rows have in `with_values`, all their columns, and `stands_for` has what is read in their place,
    by their spans; `items` are relations of one column each, by its name in small letters: the
    items of the SELECT list that those behind them may name.
    """

    problems: Problems
    relations: list[Relation] = field(default_factory=list)
    merged: dict[str, set[str]] = field(default_factory=dict)
    fronts: list[tuple[str, ...]] = field(default_factory=list)
    outer: Scope | None = None
    beyond: Scope | None = None
    answered: list[exp.Expression] = field(default_factory=list)
    asked: list[exp.Expression] = field(default_factory=list)
    stands_for: dict[Span, Expr] = field(default_factory=dict)
    with_values: tuple[str, ...] = ()
    items: dict[str, Relation] = field(default_factory=dict)

    def add(self, relation: Relation) -> None:
        """Add a relation; two of one name are an error."""
        twin = self.relation(relation.alias) if relation.alias else None
        if twin is not None:
            self.problems.add(
                "TVF204",
                f"two relations are called `{relation.alias}`",
                relation.span,
                "the second one",
                more=[(twin.span, "the first one")],
                advice=f"give one of them another name: `… AS {relation.alias}_2`",
            )
        self.relations.append(relation)

    def merge(self, names: Iterable[str], relations: Iterable[Relation]) -> None:
        """Columns of USING: those of a name in all of some relations are one."""
        owners, columns = list(relations), [name.lower() for name in names]
        if columns:
            self.fronts.append(tuple(columns))
        for name in columns:
            aliases = {(each.alias or "").lower() for each in owners if each.column(name)}
            self.merged.setdefault(name, set()).update(aliases)

    def is_merged(self, relation: Relation, name: str) -> bool:
        """Whether a column of a relation is by USING that of one before it."""
        aliases = self.merged.get(name.lower(), set())
        if (relation.alias or "").lower() not in aliases:
            return False
        before = takewhile(lambda each: each is not relation, self.relations)
        return any((each.alias or "").lower() in aliases for each in before)

    def is_of_using(self, sql: str) -> bool:
        """Whether a column of a star, in SQL, is one of USING."""
        *aliases, name = (each.lower() for each in parts_of(sql) or ("",))
        return not aliases or aliases[-1] in self.merged.get(name, set())

    def relation(self, name: str | None) -> Relation | None:
        """The relation of a name."""
        found = (each for each in self.relations if each.alias and name and same(each.alias, name))
        return next(found, None)

    def owner(self, reads: Iterable[str]) -> Relation | None:
        """The one relation that has all of some columns, as written; None: several, or none."""
        found: set[int] = set()
        for text in reads:
            first, *others = parts_of(text) or (text,)
            named = self.relation(first) if others else None
            owners = [named] if named else [each for each, _ in self._candidates(first)]
            if len(owners) != 1 or owners[0] is None:
                return None
            found.add(self.relations.index(owners[0]))
        return self.relations[found.pop()] if len(found) == 1 else None

    def resolve(self, node: exp.Column) -> OutColumn:
        """The column that a name means; an unknown one is reported and stands for anything."""
        name = node.parts[0].name
        if self.outer is not None and not self.relation(name) and not self._candidates(name):
            return self.outer.resolve(node)
        if len(node.parts) > 1:
            relation = self.relation(name)
            if relation is not None:
                return self._in(relation, node)
            if len(node.parts) == 2 and not self._candidates(name):
                self._unknown_qualifier(node)
                return OutColumn(name=node.name)
        found = self._candidates(name)
        if not found:
            if not any(each.is_open for each in self.relations):
                self._unknown(node, name)
            return OutColumn(name=name)
        if not all(self.is_merged(relation, name) for relation, _ in found[1:]):
            self._ambiguous(node, name, found)
        return _field(found[0][1], [each.name for each in node.parts[1:]])

    def path(self, node: exp.Column) -> tuple[str | None, tuple[str, ...]]:
        """The relation that a name is of, and its column with the fields in it, in small letters.

        No relation: one that this scope does not know, or any of several that USING has made one.
        """
        parts = [each.name.lower() for each in node.parts]
        if len(parts) > 1 and self.relation(parts[0]) is not None:
            return parts[0], tuple(parts[1:])
        found = self._candidates(parts[0])
        alias = (found[0][0].alias or "").lower() if len(found) == 1 else None
        return alias, tuple(parts)

    def offers(self, name: str) -> bool:
        """Whether a name with fields behind it begins with a relation or column of FROM."""
        is_relation = self.relation(name) is not None
        return is_relation or any(each.column(name) for each in self.relations)

    def begins_with_column(self, node: exp.Column) -> bool:
        """Whether a name begins with that of a column of FROM."""
        return any(each.column(node.parts[0].name) for each in self.relations)

    def _candidates(self, name: str) -> list[tuple[Relation, OutColumn]]:
        return [(each, column) for each in self.having(name) for column in each.named(name)]

    def having(self, name: str) -> list[Relation]:
        """The relations with a column of a name, and the earlier item of that name."""
        found = [each for each in self.relations if each.named(name)]
        item = self.items.get(name.lower())
        return found if item is None else [*found, item]

    def _in(self, relation: Relation, node: exp.Column) -> OutColumn:
        """A column of a relation, or a field of one."""
        name = node.parts[1].name
        column = relation.column(name)
        if column is None and not relation.is_open:
            names = [each.name for each in relation.columns]
            self.problems.add(
                "TVF202",
                f"`{relation.alias}` has no column `{name}`",
                span_of(node),
                "no such column",
                notes=[f"it has {listed(names)}"],
                advice=did_you_mean(name, names) or "write one of these, or declare the column",
            )
        if column is None:
            return OutColumn(name=node.name)
        found = [(relation, each) for each in relation.named(name)]
        if len(found) > 1:
            self._ambiguous(node, name, found)
        return _field(column, [each.name for each in node.parts[2:]])

    def _unknown_qualifier(self, node: exp.Column) -> None:
        if any(each.is_open and not each.alias for each in self.relations):
            return  # It may be of what is at fault.
        names = [each.alias for each in self.relations if each.alias]
        if self.beyond is not None and self.beyond.relation(node.table):
            self._not_seen(node)
            return
        self.problems.add(
            "TVF201",
            f"there is no relation `{node.table}` here",
            span_of(node),
            "not in FROM",
            notes=[f"FROM has {listed(names)}"] if names else [],
            advice=did_you_mean(node.table, names) or f"add `{node.table}` to FROM",
        )

    def _not_seen(self, node: exp.Column) -> None:
        """A column of a query around that is named where it has none."""
        if isinstance(node.find_ancestor(exp.Join, exp.Where, exp.Select), exp.Join):
            self.problems.add(
                "TVF501",
                f"`{node.table}` of the query around is not seen in ON of a subquery",
                span_of(node),
                "in ON",
                advice="move the condition to the WHERE of the subquery; of an outer join, join "
                "a subquery that has its rows",
            )
            return
        self.problems.add(
            "TVF501",
            f"`{node.table}` is not of the query around this subquery, but further out",
            span_of(node),
            "not seen from here",
            advice="write both conditions in one subquery, with a join in its FROM",
        )

    def _unknown(self, node: exp.Column, name: str) -> None:
        if name.upper() == "DISTINCT" and isinstance(node.parent, exp.Alias):
            self._distinct_again(node)
            return
        known = (*self.relations, *self.items.values())
        names = list(dict.fromkeys(each.name for r in known for each in r.columns))
        self.problems.add(
            "TVF202",
            f"there is no column `{name}`",
            span_of(node),
            "no such column",
            notes=[f"there are {listed(names)}"] if names else ["there is no FROM"],
            advice=(f"write `{_CLOCKS[name.upper()]}()`" if name.upper() in _CLOCKS else None)
            or did_you_mean(name, names)
            or ("write one of these, or declare the column" if names else "add FROM"),
        )

    def _distinct_again(self, node: exp.Column) -> None:
        """`SELECT DISTINCT a, DISTINCT b`: the second one has been read as a column."""
        self.problems.add(
            "TVF202",
            "DISTINCT stands once, behind SELECT, and is of whole rows",
            span_of(node),
            "read as a column",
            advice="leave it out here; `count(DISTINCT a)` is of one column",
        )

    def _ambiguous(
        self, node: exp.Column, name: str, found: list[tuple[Relation, OutColumn]]
    ) -> None:
        owners = [relation.alias or "a subquery without a name" for relation, _ in found]
        self.problems.add(
            "TVF203",
            f"column `{name}` is ambiguous",
            span_of(node),
            f"in {listed(owners)}",
            advice=f"write `{found[0][0].alias or 'alias'}.{name}`"
            if found[0][0] is not found[1][0]
            else f"give one of them another name: `{name} AS {name}_2`",
        )


def _field(column: OutColumn, path: list[str]) -> OutColumn:
    """A field of a struct, a field of a field, or the column itself if `path` is empty."""
    if not path:
        return column
    sql = f"{column.sql}.{qualified(*path)}" if column.sql else None
    closing = column.closing.of_field(path[0]) if column.closing and len(path) == 1 else None
    kind = column.type
    for name in path:
        kind = field_type(kind, name)
    return OutColumn(name=path[-1], type=kind, sql=sql, closing=closing)


OWN_FUNCTIONS = ("WATERMARK_TS", "MZ_NOW", "PROC_TIME")
_CLOCKS = {
    **{each: each if each != "MZ_NOW" else "mz_now" for each in OWN_FUNCTIONS},
    "WATERMARK": "WATERMARK_TS",
    "CURRENT_WATERMARK": "WATERMARK_TS",
    "PROCTIME": "PROC_TIME",
}
"""Functions by the names without parentheses under which they are looked for."""
"""What else is unknown here may be a function of Spark's or the user's."""
