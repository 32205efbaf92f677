"""Under EMIT ON WINDOW CLOSE, EXISTS and IN over a stream are semi and anti joins that end.

Before   FROM a WHERE a.x > 1 AND NOT EXISTS (SELECT 1 FROM b WHERE id = a.id AND ts >= a.ts)
After    FROM a LEFT ANTI JOIN b ON b.id = a.id AND b.ts >= a.ts WHERE a.x > 1

So all that holds of such a join, what it refuses among it, holds of the condition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from sqlglot import exp

from compiler.bind.clock.conditions import conjuncts
from compiler.bind.joins.exists import SemiTerm, is_plain, own_terms, semi_terms
from compiler.bind.joins.kinds import ASKS_ONLY, join_kind
from compiler.bind.joins.pairs import fresh
from compiler.bind.joins.terms import unwrapped
from compiler.bind.names.scope import Relation
from compiler.bind.names.shapes import subqueries, unaliased, without_parentheses
from compiler.sql.names import qualified
from compiler.syntax import span_of
from compiler.syntax.nodes.made import made_equality, made_identifier, under_another_name
from compiler.syntax.nodes.spans import set_span


def with_asked_joins(
    node: exp.Select,
    is_static: Callable[[exp.Expression], bool],
    relation: Callable[[exp.Expression], Relation],
) -> exp.Select:
    """A SELECT with joins in the place of the conditions on partners that its WHERE has.

    What a join cannot say stays: a subquery that is grouped, that joins or that has others in it.

    Args:
        node: the SELECT; it is not changed.
        is_static: whether a subquery reads tables alone.
        relation: binds what stands in a FROM clause.
    """
    where = node.args.get("where")
    terms = semi_terms(where.this) if where is not None else []
    made_rows = _names_of_views(node)
    asked = [
        each
        for each in terms
        if not is_static(each.query) and _is_simple(each) and not _names(each, made_rows)
    ]
    if where is None or not asked:
        return node
    made = node.copy()
    made.parent = node.parent
    taken = {each.alias_or_name.lower() for each in node.find_all(exp.Table, exp.Subquery)}
    around = {
        each.alias_or_name.lower()
        for place in _in_from(node)
        for each in place.find_all(exp.Table, exp.Subquery)
    }
    rows = _Rows(made, [_named(each, taken) for each in _relations(made)], relation)
    for each in asked:
        made.append("joins", _join(each, relation, around, taken, rows))
    rest = [each for each in conjuncts(where.this) if not any(each is one.term for one in asked)]
    made.set("where", exp.Where(this=exp.and_(*rest)) if rest else None)
    return made


def _is_simple(semi: SemiTerm) -> bool:
    """Whether a subquery is of one relation, and its WHERE of terms that ON can have."""
    query = semi.query
    if not is_plain(query) or query.args.get("joins"):
        return False
    if query.args["from_"].this.args.get("joins"):
        return False
    if any(subqueries(each) for each in own_terms(query)):
        return False
    return semi.needle is None or len(_needles(semi)) == len(_values(semi))


def _names_of_views(node: exp.Select) -> set[str]:
    """The LATERAL VIEWs and their columns, which are made of the rows that the joins give."""
    aliases = [each.args.get("alias") for each in node.args.get("laterals") or ()]
    return {
        name.lower()
        for alias in aliases
        if alias is not None
        for name in (alias.name, *(each.name for each in alias.args.get("columns") or ()))
    }


def _names(semi: SemiTerm, names: set[str]) -> bool:
    """Whether a condition reads a column, or one of a relation, of these names."""
    columns = semi.term.find_all(exp.Column)
    return any(part.name.lower() in names for each in columns for part in each.parts[:2])


def _join(
    semi: SemiTerm,
    relation: Callable[[exp.Expression], Relation],
    around: set[str],
    taken: set[str],
    rows: _Rows,
) -> exp.Join:
    """The join that asks what a term does; its relation has a name that no other one has."""
    source = semi.query.args["from_"].this.copy()
    source.parent = semi.query
    bound = relation(source)
    columns = {each.name.lower() for each in bound.columns}
    name = own = bound.alias or ""
    if not name or name.lower() in around:
        own = _give_name(source, name or "asked", taken)
    around.add(own.lower())
    inside = [_of(each, name, own, columns) for each in own_terms(semi.query)]
    for needle, value in zip(_needles(semi), _values(semi), strict=True):
        mine, other = rows.named(needle), _of(value, name, own, columns)
        inside.append(made_equality(mine, other, span_of(semi.term)))
    join = exp.Join(
        this=source,
        side="LEFT",
        kind="ANTI" if semi.negated else "SEMI",
        on=exp.and_(*inside, copy=False) if inside else None,
    )
    set_span(join, span_of(semi.term))
    return join


def _of(term: exp.Expression, name: str, own: str, columns: set[str]) -> exp.Expression:
    """A term with the columns of the subquery's relation under the name it has in the join."""
    found = term.copy()
    for column in list(found.find_all(exp.Column)):
        first, *others = column.parts
        if others and first.name.lower() == name.lower():
            _qualify(column, own, others)
        elif first.name.lower() in columns:
            _qualify(column, own, [first, *others])
    return found


class _Rows:
    """The rows that look for a partner: of which relation a column of theirs is."""

    def __init__(
        self,
        node: exp.Select,
        sources: Sequence[exp.Expression],
        relation: Callable[[exp.Expression], Relation],
    ) -> None:
        joins = node.args.get("joins") or ()
        self.sources = sources
        self.relation = relation
        self.using = {name.name.lower() for each in joins for name in each.args.get("using") or ()}
        # A column of USING is of neither side of such a join.
        self.is_told = not any(join_kind(each) in ("right", "full") for each in joins)

    @cached_property
    def relations(self) -> list[Relation]:
        """Bound when they are asked for: subqueries in each other would be bound 2^depth times."""
        return [self.relation(each) for each in self.sources]

    def named(self, value: exp.Expression) -> exp.Expression:
        """A value of the rows whose columns say of which relation they are."""
        found = value.copy()
        for column in list(found.find_all(exp.Column)) if self.is_told else ():
            if owner := self._owner(column):
                _qualify(column, owner, column.parts)
        return found

    def _owner(self, column: exp.Column) -> str | None:
        only = self.sources[0].alias_or_name if len(self.sources) == 1 else ""
        if only and len(column.parts) == 1:
            return only
        first = column.parts[0].name
        if len(column.parts) > 1 and any(
            (each.alias or "").lower() == first.lower() for each in self.relations
        ):
            return None
        owners = [each.alias for each in self.relations if each.column(first)]
        return owners[0] if len(owners) == 1 or (owners and first.lower() in self.using) else None


def _qualify(column: exp.Column, relation: str, names: Sequence[exp.Expr]) -> None:
    parts = [made_identifier(relation, column), *(each.copy() for each in names)]
    for key, part in zip(_PARTS[-len(parts) :], parts, strict=False):
        column.set(key, part)
    under_another_name(column, qualified(*(each.name for each in parts)))


_PARTS = ("catalog", "db", "table", "this")
"""Where sqlglot keeps the names of `a.b.c.d`, of which a shorter column has the last ones."""


def _needles(semi: SemiTerm) -> Sequence[exp.Expression]:
    if semi.needle is None:
        return ()
    needle = unwrapped(semi.needle)
    return needle.expressions if isinstance(needle, exp.Tuple) else (needle,)


def _values(semi: SemiTerm) -> Sequence[exp.Expression]:
    """What IN compares, but for a star, whose columns have no names here."""
    if semi.needle is None or any(each.is_star for each in semi.query.expressions):
        return ()
    return [unaliased(each) for each in semi.query.expressions]


def _in_from(node: exp.Select) -> list[exp.Expression]:
    return [node.args["from_"], *(node.args.get("joins") or ())]


def _named(source: exp.Expression, taken: set[str]) -> exp.Expression:
    """What stands in FROM, with a name if it has none: a condition of a join has to name it."""
    if isinstance(source, exp.Subquery) and not source.alias:
        _give_name(source, "rows", taken)
    return source


def _give_name(source: exp.Expression, like: str, taken: set[str]) -> str:
    """Give it a name like another, which nothing else has."""
    name = fresh(like, taken | {like.lower()})
    taken.add(name.lower())
    source.set("alias", exp.TableAlias(this=exp.to_identifier(name)))
    return name


def _relations(node: exp.Select) -> list[exp.Expression]:
    """What FROM names, but for what joins that ask name, whose columns are not in the rows."""
    first, joins = without_parentheses(node.args["from_"].this, node.args.get("joins") or ())
    return [first, *(each.this for each in joins if join_kind(each) not in ASKS_ONLY)]
