"""What is refused of sources of changes, and why: their rows are never final, and never late."""

from __future__ import annotations

from compiler.bind.names.scope import Relation
from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import Changed, walk
from compiler.source import Span

_WAYS = {
    "LATE()": "read the records that do not fit, `BAD(…)`, or what has changed",
    "PROC_TIME()": "select a time of the row, or `INCLUDE timestamp AS changed`",
    "WATERMARK_TS()": "write mz_now(), the wall clock; or join a source with a watermark",
    "FOR SYSTEM_TIME": "write `JOIN … ON`, which follows the changes of both sides",
}
_FINAL = "leave out what needs final rows: the result then changes with its sources"


def refuse_changes(relation: Relation, what: str, place: Span, problems: Problems) -> bool:
    """Whether a relation is of a source of changes, over which a construct has no meaning.

    Args:
        relation: what it is over.
        what: the construct.
        place: where it stands.
        problems: takes the fault.
    """
    found = next((each for each in walk(relation.plan) if isinstance(each, Changed)), None)
    if found is None:
        return False
    source = found.input.source
    problems.add(
        "TVF665",
        f"{what} over `{source.name}`, whose rows come and go",
        place,
        "asks for rows that stay as they are",
        more=[(source.span, "a source of changes")],
        notes=["any row of it may be changed or taken away at any time"],
        advice=_WAYS.get(what, _FINAL),
    )
    return True
