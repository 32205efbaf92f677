"""What operators on rows that come and go keep; see plan/nodes/changing.py."""

from __future__ import annotations

from typing import assert_never

from compiler.release.nodes import (
    ChangedRows,
    CountedRows,
    OverChanged,
    PairedRows,
    TableRows,
    TopRows,
    Totaled,
    UntilPartnered,
)
from compiler.release.state.facts import (
    Fact,
    named,
    sort_key,
    spelled,
    total,
    yes,
)
from compiler.release.state.final import function


def changing(
    step: ChangedRows
    | TableRows
    | Totaled
    | CountedRows
    | UntilPartnered
    | PairedRows
    | TopRows
    | OverChanged,
    of: list[int],
) -> dict[str, Fact | None]:
    """The facts of an operator on rows of the operators at `of`."""
    match step:
        case ChangedRows():
            return {
                "operator": "last rows" if step.key else "changes",
                "of": of[0],
                "key": [named(each) for each in step.key],
            }
        case TableRows():
            return {
                "operator": "rows of a table",
                "name": step.table,
                "of": of[0],
                "beside the clock": yes(step.beside_clock),
            }
        case Totaled():
            return {
                "operator": "totals",
                "of": of[0],
                "key": [named(each) for each in step.keys],
                "totals": [total(each) for each in step.calls],
            }
        case CountedRows():
            return {
                "operator": "multiplicity",
                "of": of,
                "rule": step.rule.value,
            }
        case UntilPartnered():
            return {
                "operator": "rows without partner",
                "of": of,
            }
        case PairedRows():
            return {
                "operator": "join of changing rows",
                "of": of,
                "kind": step.kind,
                "key": [spelled(pair) for pair in step.keys],
            }
        case TopRows():
            return {
                "operator": "first rows",
                "of": of[0],
                "key": [named(each) for each in step.partition],
                "order": [sort_key(each) for each in step.order],
                "limit": step.limit,
                "offset": step.offset or None,
                "counted by": step.kind,
                "number": None if step.number is None else named(step.number),
            }
        case OverChanged():
            return {
                "operator": "window functions of changing rows",
                "of": of[0],
                "key": [named(each) for each in step.partition],
                "order": [sort_key(each) for each in step.order],
                "functions": [function(each, {}) for each in step.columns],
            }
        case _:
            assert_never(step)
