"""FROM and WHERE: in which order relations are joined, and by which terms each of them.

Spark joins streams by what is equal in them, so each stream comes behind one that a term of WHERE
or ON ties it to. What stands between commas is joined by itself first, as in Spark.

Before   FROM a, b, c WHERE a.k = c.k AND b.k = c.k AND b.ts <= a.ts
After    a, then c by a.k = c.k, then b by b.k = c.k AND b.ts <= a.ts
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from sqlglot import exp

from compiler.bind.clock.conditions import conjuncts
from compiler.bind.joins.kinds import has_one_row, join_kind
from compiler.bind.joins.terms import Owners, Term, bounds_between, terms_of, ties
from compiler.bind.names.scope import Relation
from compiler.syntax import span_of

INNER = ("inner", "cross")
_KEEPS_RIGHT = ("right", "full")


@dataclass(frozen=True, slots=True, kw_only=True)
class Joining:
    """A relation of FROM that is joined to those before it.

    Attributes:
        node: the join as it is written.
        right: the relation.
        place: its place in FROM, from 0.
        kind: the kind of join in the words of DataFrame.join().
        using: the columns of USING, or those that NATURAL finds on both sides.
        on: the terms of its condition: those of ON, and for an inner join what WHERE says of both
            of its sides.
        taken: those terms of WHERE that `on` has as a whole.
    """

    node: exp.Join
    right: Relation
    place: int = 0
    kind: str = "inner"
    using: tuple[exp.Identifier, ...] = ()
    on: tuple[exp.Expression, ...] = ()
    taken: tuple[exp.Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class _Side:
    """A relation of FROM and the join that names it, which the first one has not."""

    place: int
    relation: Relation
    node: exp.Join | None

    @property
    def kind(self) -> str:
        return "cross" if self.node is None else join_kind(self.node)

    @property
    def by_name(self) -> bool:
        """USING or NATURAL."""
        return self.node is not None and bool(self.node.args.get("using") or is_natural(self.node))


@dataclass(frozen=True, slots=True)
class _Where:
    """What WHERE says of the relations of FROM, in the order in which they are written."""

    owners: Owners
    terms: tuple[Term, ...]


def is_natural(node: exp.Join) -> bool:
    """NATURAL JOIN."""
    return (node.args.get("method") or "").lower() == "natural"


def condition_of(node: exp.Join | None) -> exp.Expression | None:
    """What ON says; TRUE, which also stands for a missing ON, says nothing."""
    on: exp.Expression | None = node.args.get("on") if node is not None else None
    return None if isinstance(on, exp.Boolean) and on.this else on


def joined_in_order(
    first: Relation, joins: Sequence[tuple[exp.Join, Relation]], condition: exp.Expression | None
) -> tuple[Relation, int, list[Joining]]:
    """The relation to begin with, its place in FROM, and the joins one after the other."""
    sides = [_Side(0, first, None)]
    sides += [_Side(n, relation, node) for n, (node, relation) in enumerate(joins, 1)]
    using = [each.name.lower() for node, _ in joins for each in node.args.get("using") or ()]
    owners = Owners(tuple(each.relation for each in sides), frozenset(using))
    where = _Where(owners, tuple(terms_of(condition, owners)))
    orders = _orders(sides, where)
    first_of_all = next(orders)
    in_turn = chain([first_of_all], orders)
    found = next((each for each in in_turn if _is_tied(each, where)), first_of_all)
    return found[0].relation, found[0].place, _joinings(found, where)


def _orders(sides: list[_Side], where: _Where) -> Iterator[list[_Side]]:
    """The orders in which relations may be joined: as they are written, if they may be so."""
    groups: list[list[_Side]] = []
    for side in sides:
        if side.node is None or side.node.meta.get("comma"):
            groups.append([])
        groups[-1].append(side)
    alone = [
        n
        for n, group in enumerate(groups)
        if any(each.kind in _KEEPS_RIGHT or each.by_name for each in group[1:])
    ]
    for head in alone[:1] or range(len(groups)):
        others = [group for n, group in enumerate(groups) if n != head]
        written = [side for group in (groups[head], *others) for side in group]
        yield written
        yield _reordered(written, where)


def _reordered(written: list[_Side], where: _Where) -> list[_Side]:
    """The inner joins that come first so that each relation is tied to those before it."""
    run = [written[0]]
    for side in written[1:]:
        if side.kind not in INNER or side.by_name:
            break
        run.append(side)
    conditions = [on for on in (condition_of(each.node) for each in run) if on is not None]
    found = [term for each in conditions for term in terms_of(each, where.owners)]
    if sum(each.whole for each in found) < sum(len(conjuncts(each)) for each in conditions):
        return written  # A name in ON might mean another relation elsewhere.
    terms = [each.node for each in (*where.terms, *found)]
    chosen, rest = run[:1], run[1:]
    while rest:
        tied = [each for each in rest if _ties_any(terms, chosen, each, where)]
        loose = [each for each in rest if not _needs_equality(chosen, each)]
        best = (tied or loose or rest)[0]
        chosen.append(best)
        rest.remove(best)
    return [*chosen, *written[len(run) :]]


def _is_tied(order: list[_Side], where: _Where) -> bool:
    """Whether each join of streams has something that is equal."""
    for n, joining in enumerate(_joinings(order, where), 1):
        before, side = order[:n], order[n]
        by_values = bool(joining.using) or _ties_any(joining.on, before, side, where)
        if _needs_equality(before, side) and not by_values:
            return False
    return True


def _needs_equality(before: Sequence[_Side], side: _Side) -> bool:
    """Whether a join is one of streams, of more than a row each."""
    return needs_equality([each.relation for each in before], side.relation)


def is_joinable(joining: Joining, lefts: list[Relation], merged: frozenset[str]) -> bool:
    """Whether a join is none of streams, or one by what is equal in them.

    Args:
        joining: the join.
        lefts: the relations on its left.
        merged: the columns of USING in them, in lower case.
    """
    relations = (*lefts, joining.right)
    if joining.using or any(each.is_open for each in relations):
        return True
    before, owners = frozenset(range(len(lefts))), Owners(relations, merged)
    equal = any(ties(each, owners, before, len(lefts)) for each in joining.on)
    return equal or not needs_equality(lefts, joining.right)


def needs_equality(lefts: Sequence[Relation], right: Relation) -> bool:
    """Whether a join is one of streams, of more than a row each."""
    if not right.streams or not any(each.streams for each in lefts):
        return False
    return not (has_one_row(right.plan) or (len(lefts) == 1 and has_one_row(lefts[0].plan)))


def _ties_any(
    terms: Sequence[exp.Expression], before: Sequence[_Side], side: _Side, where: _Where
) -> bool:
    places = frozenset(each.place for each in before)
    return any(ties(each, where.owners, places, side.place) for each in terms)


def _joinings(order: list[_Side], where: _Where) -> list[Joining]:
    """The joins of an order, each with its terms."""
    waiting: list[exp.Expression] = []
    taken: list[exp.Expression] = []
    found: list[Joining] = []
    for n, side in enumerate(order[1:], 1):
        before, places = order[:n], frozenset(each.place for each in order[: n + 1])
        own = condition_of(side.node)
        waiting += conjuncts(own) if own is not None else []
        own_terms = [
            each
            for each in waiting
            if side.kind not in INNER or (where.owners.of(each) or places) <= places
        ]
        waiting = [each for each in waiting if not any(each is one for one in own_terms)]
        implied = [
            term.node
            for each in own_terms
            for term in terms_of(each, where.owners)
            if not term.whole and _ties_any([term.node], before, side, where)
        ]
        later = (each.kind for each in order[n + 1 :])
        is_inner = side.kind in INNER and not any(kind in _KEEPS_RIGHT for kind in later)
        more = _terms_between(before, side, where, has_own=bool(own_terms)) if is_inner else []
        more = [each for each in more if not any(each.node is one for one in taken)]
        whole = [each.node for each in more if each.whole]
        taken += whole
        first = [key.name.lower() for each in reversed(found) for key in each.using]
        joining = Joining(
            # The first relation in FROM, if it comes later, has no join of its own.
            node=side.node or _node_of(order),
            right=side.relation,
            place=side.place,
            kind="inner" if side.kind == "cross" and (own_terms or more) else side.kind,
            using=_using(side, [each.relation for each in before], first),
            on=(*own_terms, *implied, *(each.node for each in more)),
            taken=tuple(whole),
        )
        found.append(joining)
    return found


def _node_of(order: list[_Side]) -> exp.Join:
    node = next(each.node for each in order if each.node is not None)
    assert node is not None
    return node


def _terms_between(before: list[_Side], side: _Side, where: _Where, *, has_own: bool) -> list[Term]:
    """The terms of WHERE that an inner join takes: what is equal, and how far apart times are."""
    places = frozenset(each.place for each in before)
    lefts = [each.relation for each in before]
    of_streams = side.relation.streams and any(each.streams for each in lefts)
    found: list[Term] = []
    for term in where.terms:
        if side.place not in term.of or not term.of <= {*places, side.place} or len(term.of) < 2:
            continue
        if ties(term.node, where.owners, places, side.place):
            found += [term] if of_streams or not has_own else []
        elif of_streams and bounds_between([term.node], lefts, side.relation):
            found.append(term)
    return found


def _using(side: _Side, lefts: list[Relation], first: list[str]) -> tuple[exp.Identifier, ...]:
    """The columns by whose names a join is made; `first` are those of the joins before it.

    NATURAL has them in the order of the columns to the left, as a star shows these.
    """
    if side.node is None or not is_natural(side.node):
        return tuple(side.node.args.get("using") or ()) if side.node is not None else ()
    others = {each.name.lower(): each.name for each in side.relation.columns if not each.is_clock}
    known = (each.name.lower() for left in lefts for each in left.columns if not each.is_clock)
    found: list[exp.Identifier] = []
    for each in dict.fromkeys([*first, *known]):
        if each in others:
            name = exp.to_identifier(others[each], quoted=True)
            name.meta["span"] = span_of(side.node)
            found.append(name)
    return tuple(found)
