"""Groups that are sessions: those Spark forms and aggregates in one operator.

Before   GROUP BY k, window_start, window_end over SESSION(rel, ts, k, gap)
After    one group for each session, without a list of its rows in between
"""

from __future__ import annotations

from compiler.bind.names.scope import Relation
from compiler.plan.facts.sessions import BOUNDS, sessions_of
from compiler.plan.nodes import Filter, Plan, Windows
from compiler.sql.exprs import Expr
from compiler.sql.names import parts_of, qualified

SPARKS_NAME = "session_window"
"""What Spark calls the session in the SELECT list; no column may have that name."""


def are_whole_sessions(plan: Plan, keys: list[Expr], relation: Relation) -> bool:
    """Whether groups of a relation, of that plan, are its sessions: by all keys and a bound."""
    found = sessions_of(plan)
    if found is None or relation.column(SPARKS_NAME) is not None:
        return False
    grouped, wanted = _grouped(found, keys, relation)
    return bool(grouped & BOUNDS) and grouped - BOUNDS == wanted


def close_with_sessions(plan: Plan, keys: list[Expr], relation: Relation) -> bool:
    """Whether each group is of one session: by all keys and the start, which tell the end."""
    while isinstance(plan, Filter):
        plan = plan.input
    found = sessions_of(plan)
    if found is None:
        return False
    grouped, wanted = _grouped(found, keys, relation)
    return "window_start" in grouped and wanted <= grouped


def _grouped(
    sessions: Windows, keys: list[Expr], relation: Relation
) -> tuple[frozenset[str], frozenset[str]]:
    """The names of the keys, and those of the keys of sessions."""
    alias = relation.alias or ""
    names = frozenset(name for key in keys for name in _names(key, alias))
    return names, frozenset(_normal(key.sql, alias) for key in sessions.keys)


def _names(key: Expr, alias: str) -> frozenset[str]:
    """What a key stands for; session_window() is both bounds."""
    both = key.sql == ", ".join(key.reads) and frozenset(key.reads) == BOUNDS
    return BOUNDS if both else frozenset({_normal(key.sql, alias)})


def _normal(sql: str, alias: str) -> str:
    """A key without its qualifier; names of one column are equal whatever their case."""
    parts = parts_of(sql)
    own = parts[1:] if len(parts) > 1 and parts[0].lower() == alias.lower() else parts
    return qualified(*own).lower() if own else sql
