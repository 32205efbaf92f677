"""Which joins are possible between streams and tables."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from itertools import takewhile

from sqlglot import exp
from sqlglot.optimizer.simplify import simplify

from compiler.bind.clock.conditions import conjuncts
from compiler.bind.closings.time_bounds import TimeBound
from compiler.bind.names.scope import Relation
from compiler.bind.names.shapes import free_columns, subqueries
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import did_you_mean, listed
from compiler.plan.facts.properties import properties_of
from compiler.plan.nodes import (
    Alias,
    Filter,
    Named,
    Plan,
    Project,
    TemporalFilter,
    Totals,
    has_updates,
    held_by,
)
from compiler.sql.names import same
from compiler.syntax import span_of
from compiler.syntax.nodes import MzNow, ProcTime, WatermarkTs

ASKS_FOR_PARTNER = frozenset({"left", "right", "full", "leftsemi", "leftanti"})
"""Joins whose rows depend on whether others have a partner."""

ASKS_ONLY = frozenset({"leftsemi", "leftanti"})
"""Those that give no columns of the partner."""

KEEPS_LEFT = frozenset({"left", "leftsemi", "leftanti"})


def join_kind(node: exp.Join) -> str:
    """A join's kind in the words of DataFrame.join(), or `asof`."""
    side, kind = (node.side or "").lower(), (node.kind or "").lower()
    if node.args.get("match_condition") is not None:
        return "asof"
    if kind in ("semi", "anti"):
        return f"left{kind}"
    if kind == "cross":
        return "cross"
    return side or "inner"


def partners_come_and_go(kind: str, left: Plan, lefts: list[Relation], right: Relation) -> bool:
    """Whether rows of a stream look for a partner in a table that the clock filters."""
    if kind == "right":
        stream, table, partners = bool(right.streams), not any(each.streams for each in lefts), left
    else:
        stream, table = any(each.streams for each in lefts), not right.streams
        partners = right.plan
    is_kept = kind in KEEPS_LEFT or kind == "right"
    filtered = any(isinstance(each, TemporalFilter) for each in held_by(partners))
    return is_kept and stream and table and filtered


def closes(kind: str, bounds: tuple[TimeBound, ...]) -> bool:
    """Whether the clock tells up to when rows of a join may find a partner."""
    if kind == "leftsemi":
        return bool(bounds)
    if kind in ("left", "leftanti"):
        return any(each.ends_left for each in bounds)
    ends_right = any(each.ends_right for each in bounds)
    if kind == "full":
        return ends_right and any(each.ends_left for each in bounds)
    return kind == "right" and ends_right


def refuse_clock_in_on(on: exp.Expression, problems: Problems) -> None:
    """An outer join decides by ON who has a partner."""
    problems.add(
        "TVF503",
        "the clock cannot stand in ON of an outer join",
        span_of(on),
        "reads the clock",
        advice="move the condition to WHERE, or filter the side in a subquery",
    )


def refuse_chance(terms: Sequence[exp.Expression], problems: Problems) -> None:
    """Spark asks of ON that it be the same each time."""
    for term in terms:
        for call in term.find_all(exp.Rand, exp.Randn, exp.Uuid):
            problems.add(
                "TVF501",
                "a condition by chance in ON is not supported",
                span_of(call),
                "another value each time",
                advice="move it to WHERE; of an outer join, into a subquery in FROM",
            )


def refuse_constants(terms: Sequence[exp.Expression], problems: Problems) -> None:
    """A join of streams by a condition that no row decides, unless that is always true.

    Spark makes one of it without any equality, for which it has no operator.
    """
    for term in terms:
        if term.find(exp.Column, exp.Query, WatermarkTs, MzNow, ProcTime):
            continue
        known = simplify(term.copy(), dialect="spark")
        if not (isinstance(known, exp.Boolean) and known.this):
            problems.add(
                "TVF502",
                "a join of two streams by a condition that reads no column",
                span_of(term),
                "is the same of every pair",
                advice="leave the join out if no row has a partner, and the condition if each has",
            )


def refuse_using(
    using: Sequence[exp.Identifier],
    lefts: list[Relation],
    right: Relation,
    merged: Container[str],
    problems: Problems,
) -> bool:
    """Whether USING names a column that is not on both sides, or on one twice; that is reported.

    Args:
        using: the columns.
        lefts: the relations on the left.
        right: the one on the right.
        merged: the columns of earlier USINGs, in lower case.
        problems: takes the faults.
    """
    missing = False
    for name in using:
        for side in (lefts, [right]):
            owners = [each for each in side if each.column(name.name)]
            if len(owners) > 1 and name.name.lower() not in merged:
                missing = True
                _refuse_twice_on_left(name, owners, problems)
            if owners:
                continue
            missing = True
            if any(each.is_open for each in side):
                continue
            names = list(dict.fromkeys(each.name for one in side for each in one.columns))
            problems.add(
                "TVF202",
                f"the {'right' if side == [right] else 'left'} side of this join has no column "
                f"`{name.name}`",
                span_of(name),
                "must be on both sides",
                notes=[f"it has {listed(names)}"],
                advice=did_you_mean(name.name, names) or "write JOIN … ON",
            )
    return missing


def _refuse_twice_on_left(name: exp.Identifier, owners: list[Relation], problems: Problems) -> None:
    aliases = [each.alias or "a subquery without a name" for each in owners]
    problems.add(
        "TVF203",
        f"column `{name.name}` is ambiguous on the left side of this join",
        span_of(name),
        f"in {listed(aliases)}",
        advice=f"write `JOIN … ON {owners[0].alias or 'a'}.{name.name} = …`",
    )


def refuse_without_equality(node: exp.Join, kind: str, problems: Problems) -> None:
    """Spark joins streams by the values that they have in common."""
    problems.add(
        "TVF502",
        "a join of two streams needs a column that is equal on both sides",
        span_of(node),
        "would compare every row with every other",
        advice=f"add one {_where_of(kind)}, such as `a.id = b.id`",
    )


def _where_of(kind: str) -> str:
    """Where the condition of a join may stand."""
    if kind in ("inner", "cross"):
        return "in ON or in WHERE"
    return "in ON or in the WHERE of EXISTS" if kind in ASKS_ONLY else "in ON"


def terms_of_where(node: exp.Join) -> list[exp.Expression]:
    """The terms of the WHERE around a join."""
    around = node.parent_select
    where = around.args.get("where") if around is not None else None
    return conjuncts(where.this) if where else []


def reads_only(
    term: exp.Expression, relations: list[Relation], names: Mapping[str, Relation]
) -> bool:
    """Whether a term of a subquery reads columns of what the subquery reads, and no others.

    Args:
        term: a term of its WHERE; what it may ask of tables is `names`.
        relations: those in its FROM.
        names: relations by casefolded name.
    """
    queries = subqueries(term)
    free = [column for query in queries for column in free_columns(query, names)]
    inside = {id(column) for query in queries for column in query.find_all(exp.Column)}
    own = [each for each in term.find_all(exp.Column) if id(each) not in inside]
    columns = [*own, *free]
    return bool(columns or queries) and all(_is_of(each, relations) for each in columns)


def reads_alone(term: exp.Expression, one: Relation, relations: list[Relation]) -> bool:
    """Whether a term names columns of one relation alone, and says so."""
    columns = list(term.find_all(exp.Column))
    others = [each for each in relations if each is not one]
    alone = (each.table and _is_of(each, [one]) and not _is_of(each, others) for each in columns)
    return bool(columns) and all(alone)


def has_one_row(plan: Plan, *, always: bool = False) -> bool:
    """Whether rows of a plan are a total of everything, of which a filter leaves one row or none.

    `always` asks for the one row at all times.
    """
    match plan:
        case Totals(keys=()):
            return True
        case Filter(input=inner):
            return not always and has_one_row(inner)
        case Named(input=inner) | Alias(input=inner) | Project(input=inner):
            return has_one_row(inner, always=always)
        case _:
            return False


def _is_of(column: exp.Column, relations: list[Relation]) -> bool:
    qualifier = column.parts[0].name if len(column.parts) > 1 else None
    return any(
        same(each.alias or "", qualifier) if qualifier else each.column(column.name) is not None
        for each in relations
    )


def refuse_updates(node: exp.Expression, left: Plan, right: Relation, problems: Problems) -> None:
    """Rows that come and go cannot be taken out of the state of a join."""
    for side in (left, right.plan):
        if has_updates(side):
            problems.add(
                "TVF502",
                "a join of a stream with groups or first rows that change",
                span_of(node),
                "joins rows that come and go",
                notes=["the join would have to keep every version of every group"],
                advice="join first, and group above the join; or make the groups final with a "
                "window and EMIT ON WINDOW CLOSE",
            )
            return


def refuse_changing_table(found: Relation, node: exp.Expression, problems: Problems) -> None:
    """Table rows that the clock filters are there in every batch: nothing can add them up."""
    if problems.has_names_at_fault:
        return
    if has_updates(found.plan) and found.is_static and not found.is_open:
        if properties_of(found.plan).streams:
            problems.add(
                "TVF502",
                "this would have to keep rows of a table that no stream has asked for",
                span_of(node),
                "asks a stream about rows of a table",
                advice="begin with the stream: `SELECT … FROM stream JOIN table ON …`; or put the "
                "condition on the clock into the outermost WHERE",
            )
            return
        problems.add(
            "TVF502",
            "groups, first rows or set operations of a table under a condition on the clock",
            span_of(node),
            "reads no stream",
            advice="join the table to the stream first, and group above the join",
        )


def refuse_join(
    node: exp.Join,
    kind: str,
    left: list[Relation],
    right: Relation,
    problems: Problems,
    *,
    is_closed: bool,
) -> None:
    """Report a join that has no meaning, or none yet, over streams.

    `is_closed` tells that the clock says when a row has no partner.
    """
    left_streams, right_streams = any(each.streams for each in left), bool(right.streams)
    if any(each.is_open for each in (*left, right)) or kind in ("inner", "cross"):
        return
    if not (left_streams or right_streams):
        return  # of tables, by Spark as it is
    if left_streams and right_streams:
        if is_closed:
            return
        message, advice = _of_streams(kind, node)
    elif (kind in KEEPS_LEFT and left_streams) or (kind == "right" and right_streams):
        return
    else:
        message = "this join would have to keep rows of a table that no stream has asked for"
        advice = (
            "put the stream on the side that the join keeps, `stream LEFT JOIN table`; or leave "
            "EMIT ON WINDOW CLOSE out, and rows of the table are there from the start"
        )
    problems.add("TVF502", message, span_of(node), "not supported", advice=advice)


def _of_streams(kind: str, node: exp.Join) -> tuple[str, str]:
    """What is wrong with a join of two streams, and what to write instead."""
    outer = (
        "the time of a side that an outer join before it leaves out may be missing, and ends "
        "nothing; "
        if _is_behind_outer(node)
        else ""
    )
    return (
        "this join of two streams has no time at which a row is without a partner",
        f"compare the watermarked times {_where_of(kind)}, `b.ts BETWEEN a.ts AND a.ts + INTERVAL "
        f"1 HOUR`, and end the query with EMIT ON WINDOW CLOSE; {outer}or use an inner join",
    )


def _is_behind_outer(node: exp.Join) -> bool:
    joins = node.parent.args.get("joins") or () if node.parent is not None else ()
    before = takewhile(lambda each: each is not node, joins)
    return any(join_kind(each) in ("left", "right", "full") for each in before)
