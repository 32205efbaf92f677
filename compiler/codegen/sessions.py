"""Steps whose groups are sessions: Spark's own session_window, made exact."""

from __future__ import annotations

from datetime import timedelta

from compiler.codegen.fragments import aliased, braced, delayed, grouped_query, quoted
from compiler.codegen.shifts import timedelta_code
from compiler.codegen.writer import (
    Code,
    assignment,
    call,
    clause,
    function,
    keyword,
    literal,
)
from compiler.release.nodes import Sessions

TIME = "__session_time"
ALL = "__all"
"""The key of sessions that have none."""
MICROSECOND = timedelta(microseconds=1)


def sessions_step(step: Sessions, names: dict[str, str]) -> str:
    """The function of a step whose groups are sessions."""
    arguments: list[Code] = [delayed(step.input, names), literal(step.time)]
    if step.later:
        arguments.append(keyword("later", timedelta_code(step.later)))
    members = call("tvfc.in_sessions", *arguments)
    alias = f" AS {quoted(step.input.alias)}" if step.input.alias else ""
    window = f"session_window({TIME}, '{step.gap // MICROSECOND - 1} microseconds')"
    clauses = [
        clause("SELECT", [aliased(each) for each in step.items]),
        f"FROM {{members}}{alias}",
        clause("GROUP BY", [*(braced(each) for each in step.keys or (ALL,)), window]),
        *([f"HAVING {braced(step.having)}"] if step.having else []),
    ]
    query, result = grouped_query(clauses, step.types, step.input.alias)
    statements = [f"    {names[table]}(job)" for table in step.tables]
    statements += [assignment("members", members, 1), *query]
    doc = f"Sessions of {step.input.step}, each when it is final."
    return function(names[step.name], doc, statements, result)
