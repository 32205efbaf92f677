"""Steps whose groups are sessions: of the runtime, or Spark's own session_window, made exact."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from compiler.codegen.changing import totals_call
from compiler.codegen.fragments import (
    aliased,
    braced,
    delayed,
    from_members,
    grouped_query,
    selected,
    swapped,
)
from compiler.codegen.quoting import literal
from compiler.codegen.shifts import timedelta_code
from compiler.codegen.writer import Call as CodeCall
from compiler.codegen.writer import (
    Chain,
    assignment,
    call,
    clause,
    function,
    keyword,
)
from compiler.release.nodes import SESSION_END, SESSION_START, Sessions, TotaledSessions

TIME, GAP = "__session_time", "__session_gap"
ALL = "__all"
"""The key of sessions that have none."""
SPARKS_NAME, OWN_NAME = "session_window", "__session_window"
BOUNDS = {SESSION_START: "session_start", SESSION_END: "session_end"}
"""Names in a step, and those by which the runtime gives them to SQL."""
MICROSECOND = timedelta(microseconds=1)


def totaled_sessions_step(step: TotaledSessions, names: dict[str, str]) -> str:
    """The function of a step whose groups are sessions of which the runtime keeps totals."""
    members = delayed(step.input, names)
    statements: list[str] = []
    if not step.as_they_are:
        alias = [call(".alias", literal(step.input.alias))] if step.input.alias else []
        chosen = Chain((members, *alias, selected(step.rows)))
        statements, members = [assignment("members", chosen, 1)], "members"
    gap = literal(step.gap) if isinstance(step.gap, str) else timedelta_code(step.gap)
    later = [keyword("later", timedelta_code(step.later))] if step.later else []
    sessions = call(
        "job.sessions",
        members,
        *map(totals_call, step.calls),
        keyword("keys", CodeCall("", tuple(map(literal, step.keys)), "[]")),
        keyword("time", literal(step.time)),
        keyword("gap", gap),
        *later,
    )
    having = [call(".where", literal(each)) for each in step.having]
    result = Chain(("sessions", *having, selected(step.items)))
    doc = f"Sessions of {step.input.step}, each when it is final."
    statements.append(assignment("sessions", sessions, 1))
    return function(names[step.name], doc, statements, result)


def sessions_step(step: Sessions, names: dict[str, str]) -> str:
    """The function of a step whose groups are sessions."""
    later = [keyword("later", timedelta_code(step.later))] if step.later else []
    members = [delayed(step.input, names), literal(step.time), *later]
    if isinstance(step.gap, str):
        members.append(keyword("gap", literal(step.gap)))
        window = f"session_window({TIME}, {GAP})"
    else:
        window = f"session_window({TIME}, '{step.gap // MICROSECOND - 1} microseconds')"
    # Spark would take the user's column of that name for its own session, beside which it stands.
    is_own = [each.name == SPARKS_NAME for each in step.items]
    items = [
        replace(each, name=OWN_NAME) if own else each
        for each, own in zip(step.items, is_own, strict=True)
    ]
    clauses = [
        *clause("SELECT", [aliased(each) for each in items]),
        from_members(step.input.alias),
        *clause("GROUP BY", [*(braced(each) for each in step.keys or (ALL,)), window]),
        *([f"HAVING {braced(step.having)}"] if step.having else []),
    ]
    bounds: list[str] = []
    found_in = [swapped(each, BOUNDS) for each in clauses]
    if found_in != clauses:
        kind = [keyword("kind", literal("TIMESTAMP_NTZ"))] if step.without_zone else []
        found = call("tvfc.session_bounds", "members", *later, *kind)
        bounds.append(assignment("bounds", found, 1))
        clauses = found_in
    texts = ["**bounds"] if bounds else []
    query, result = grouped_query(clauses, step.types, step.input.alias, *texts)
    if any(is_own):
        renamed = call(".withColumnRenamed", literal(OWN_NAME), literal(SPARKS_NAME))
        result = Chain((result, renamed))
    statements = [f"    {names[table]}(job)" for table in step.tables]
    comment = "    # Spark merges rows that are a whole gap apart: its gap is a microsecond less."
    statements += [
        assignment("members", call("tvfc.in_sessions", *members), 1),
        *bounds,
        comment,
        *query,
    ]
    doc = f"Sessions of {step.input.step}, each when it is final."
    return function(names[step.name], doc, statements, result)
