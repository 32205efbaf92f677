"""Why groups under EMIT ON WINDOW CLOSE are never final, and what to write instead.

A name or type at fault makes every group wait for ever; then that alone is reported.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from compiler.bind.names.refusals import refuse_changes
from compiler.bind.names.scope import OutColumn, Relation, Scope
from compiler.diagnostics.problems import Problems
from compiler.plan.facts.properties import is_of_streams
from compiler.plan.nodes import Join, Over, Plan, Scan, TemporalFilter, held_by, walk
from compiler.source import Span
from compiler.sql.names import own_name, qualified, quoted_name, same
from compiler.sqltypes import TIME_KINDS, Kind
from compiler.syntax import span_of
from compiler.syntax.nodes import (
    CumulateRelation,
    HopRelation,
    SessionRelation,
    TumbleRelation,
)

_BOUNDS = ("window_start", "window_end")


def waits_too_long(node: exp.Expression, held: TemporalFilter, problems: Problems) -> None:
    """Rows of a group may come at any time, since a condition on the clock holds them back."""
    if problems.has_names_at_fault:
        return
    problems.add(
        "TVF309",
        "the groups are never final, since their rows may wait for any time",
        _place(node),
        "no key closes at a known time",
        more=[(held.span, "holds the rows back")],
        notes=["a row must come in a fixed time after that by which it is grouped"],
        advice="end the wait at some time, such as `… OR ts + INTERVAL 1 DAY <= WATERMARK_TS()`",
    )


def never_final(
    node: exp.Select,
    plan: Plan,
    scope: Scope,
    problems: Problems,
    *,
    several: bool,
    computed: bool,
) -> None:
    """No key closes: there is no watermark, it is on another column, or no key is a time.

    Args:
        node: the query with the groups.
        plan: the rows that are grouped.
        scope: what it reads.
        problems: takes the fault.
        several: it has several groupings, as of ROLLUP.
        computed: a key is an expression of which little is known.
    """
    relations = [each for each in scope.relations if each.streams]
    if problems.has_names_at_fault or problems.has("TVF301", "TVF302", within=span_of(node)):
        return
    without = next((each for each in relations if each.streams - each.watermarks), None)
    if without is not None:
        no_watermark(without, problems, "EMIT ON WINDOW CLOSE")
        return
    if refuse_join(plan, _place(node), problems):
        return
    marked = [
        qualified(*([each.alias] if each.alias and len(relations) > 1 else []), column.name)
        for each in relations
        for column in _marked(each)
    ]
    notes: list[str] = []
    if several:
        notes.append("it must be in each of the groupings; ROLLUP and CUBE leave keys out")
    elif computed:
        notes.append(
            "a computed key closes if it grows with the time, as date_trunc(), CAST(… AS DATE), "
            "date_format() with all units from the year down, time_bucket(), or "
            "from_utc_timestamp() with a zone that is written out"
        )
    if any(isinstance(each, Over) and any(f.after for f in each.frames) for each in walk(plan)):
        notes.append(
            "rows that wait for those that follow, as with LEAD, are final in groups of TUMBLE "
            "and of what is computed of their time; not in windows that overlap, in sessions, or "
            "behind a join, a union or another window function"
        )
    joins = (each for each in walk(plan) if isinstance(each, Join) and is_of_streams(each))
    outer = any(each.kind in ("left", "right") for each in joins)
    if outer:
        notes.append(
            "a row without a partner has no time of the side that an outer join leaves out, so "
            "that only those of the other side close"
        )
    wrong = _window_time(node)
    if wrong is not None and not several:
        parts = wrong.parts if isinstance(wrong, exp.Column) else []
        shown = ".".join(each.name for each in parts) or wrong.sql("spark")
        if _is_of_sessions(node) and _has_watermark(plan, wrong.name):
            _of_sessions(node, problems)
            return
        problems.add(
            "TVF302",
            f"EMIT ON WINDOW CLOSE needs windows of the column with the watermark; `{shown}` "
            "has none",
            span_of(wrong),
            "no watermark closes its windows",
            notes=notes,
            advice=f"write `{marked[0]}` in its place"
            + ("" if outer else f", or declare the watermark for `{shown}`")
            if marked
            else f"take the windows of the column that has the watermark, and keep it in the "
            f"subqueries below; or declare the watermark for `{shown}`",
        )
        return
    time = marked[0] if marked else "time"
    name = relations[0].alias if len(relations) == 1 else None
    column = f"column `{marked[0]}`, which" if marked else "column that"
    problems.add(
        "TVF302",
        "EMIT ON WINDOW CLOSE needs a window or a watermarked column among the keys",
        _place(node),
        "no group is ever final",
        notes=notes,
        advice=f"add window_start of TUMBLE({name or 'relation'}, {time}, size) to GROUP BY, "
        f"or the {column} has the watermark",
    )


def _is_of_sessions(node: exp.Select) -> bool:
    clause = node.args.get("from_")
    return clause is not None and isinstance(clause.this, SessionRelation)


def _has_watermark(plan: Plan, name: str) -> bool:
    """Whether a source that is read declares its watermark for a column of a name."""
    marks = (each.source.watermark for each in walk(plan) if isinstance(each, Scan))
    return any(mark is not None and same(own_name(mark.column), name) for mark in marks)


def _of_sessions(node: exp.Select, problems: Problems) -> None:
    """Sessions of several keys in one group: by their start alone they do not end together."""
    problems.add(
        "TVF302",
        "EMIT ON WINDOW CLOSE needs the key of the sessions, or window_end, among the keys",
        _place(node),
        "no group is ever final",
        notes=["sessions of several keys that begin together end at different times"],
        advice="group by the key of SESSION as well, or by window_end",
    )


def no_time_in_both(
    node: exp.Expression, sides: Sequence[Relation], plan: Plan, problems: Problems
) -> None:
    """Rows of a set operation are never final: no column closes on both sides.

    Args:
        node: the set operation.
        sides: what it is of.
        plan: the rows of both.
        problems: takes the fault.
    """
    if problems.has_names_at_fault or any(each.is_open for each in sides):
        return
    if problems.has("TVF301", "TVF302", "TVF308", "TVF309", within=span_of(node)):
        return
    without = next((each for each in sides if each.streams - each.watermarks), None)
    if without is not None:
        no_watermark(without, problems, "EMIT ON WINDOW CLOSE")
        return
    held = next((each for each in held_by(plan) if isinstance(each, TemporalFilter)), None)
    if held is not None:
        waits_too_long(node, held, problems)
        return
    if refuse_join(plan, span_of(node), problems):
        return
    word = node.key.upper()
    problems.add(
        "TVF302",
        f"{word} with EMIT ON WINDOW CLOSE needs a window or a watermarked column on both sides",
        span_of(node),
        "no row is ever final",
        notes=["a row may come on either side as long as nothing in it is a time that closes"],
        advice="select the column that has the watermark, or window_end, on both sides and at the "
        "same place",
    )


def refuse_join(plan: Plan, place: Span, problems: Problems) -> bool:
    """Report a join of streams above which no group closes, if there is one.

    Args:
        plan: the rows that are grouped.
        place: what groups them.
        problems: takes the fault.
    """
    joins = [each for each in held_by(plan) if isinstance(each, Join) and is_of_streams(each)]
    endless = next((each for each in joins if not each.has_range), None)
    if endless is not None:
        problems.add(
            "TVF302",
            "EMIT ON WINDOW CLOSE above a join whose rows may find a partner at any time",
            endless.span,
            "says nothing of how far apart in time partners are",
            more=[(place, "no group is ever final")],
            advice="say it in ON, `b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR`, of the columns "
            "with the watermarks",
        )
        return True
    full = next((each for each in joins if each.kind == "full"), None)
    if full is not None:
        problems.add(
            "TVF501",
            "groups above a FULL JOIN, under EMIT ON WINDOW CLOSE, are not supported yet",
            full.span,
            "of either side its rows may have no time",
            more=[(place, "no group is ever final")],
            advice="group the rows of each side before they are joined, or write LEFT JOIN",
        )
        return True
    return False


def no_watermark(
    relation: Relation, problems: Problems, what: str, span: Span | None = None
) -> None:
    """A construct that waits for a watermark, over sources that have none."""
    if relation.watermarks and problems.has_names_at_fault:
        return  # the one that it has is at fault
    if refuse_changes(relation, what, span or relation.span, problems):
        return
    source = min(relation.streams - relation.watermarks, default=relation.alias or "source")
    times = [each for each in relation.columns if each.type.kind in TIME_KINDS]
    times = [each for each in times if each.name not in _BOUNDS]
    time = quoted_name(times[0].name) if times else "ts"
    is_date = bool(times) and times[0].type.kind is Kind.DATE
    strategy = time if is_date else f"{time} - INTERVAL 1 MINUTE"
    types = "; its column is a TIMESTAMP, a DATE, or a BIGINT of epoch milliseconds"
    problems.add(
        "TVF301",
        f"{what} needs a watermark, and `{source}` has none",
        span or relation.span,
        "has no watermark",
        advice=f"declare one: `CREATE SOURCE {source} (…, WATERMARK FOR {time} AS {strategy})`"
        + ("" if times else types),
    )


def _place(node: exp.Expression) -> Span:
    grouped = node.args.get("group")
    if grouped:
        return span_of(grouped)
    return span_of(node.expressions[0] if node.expressions else node)


def _marked(relation: Relation) -> list[OutColumn]:
    """The columns that the clock closes and that no window has added."""
    return [
        each
        for each in relation.columns
        if each.closing is not None and each.name.lower() not in _BOUNDS
    ]


def _window_time(node: exp.Select) -> exp.Expression | None:
    """The time column of the windows that a query groups by, in FROM or in GROUP BY."""
    clause, group = node.args.get("from_"), node.args.get("group")
    relation = clause.this if clause else None
    if isinstance(relation, TumbleRelation | HopRelation | CumulateRelation | SessionRelation):
        found: exp.Expression = relation.args["column"]
        keys = group.expressions if group else []
        is_key = any(each.name.lower() in _BOUNDS for each in keys)
        return found if is_key else None
    for key in group.expressions if group else []:
        if isinstance(key, exp.Anonymous) and key.name.lower() in ("window", "session_window"):
            time: exp.Expression = key.expressions[0]
            return time
    return None


def refuse_final_of_changing(node: exp.Expression, changes: Span, problems: Problems) -> None:
    """EMIT ON WINDOW CLOSE over rows that come and go."""
    problems.add(
        "TVF308",
        "EMIT ON WINDOW CLOSE over rows that may leave again",
        changes,
        "ends before the window may be closed",
        more=[(span_of(node), "emits final rows only")],
        advice="leave out the end, or EMIT ON WINDOW CLOSE: the result then changes",
    )
