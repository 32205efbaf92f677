"""EMIT, which ends a query: what leaves it, and when."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp


class EmitOnWindowClose(exp.Expression):
    """`EMIT ON WINDOW CLOSE [revision]`, in the arg `emit` of the query that it ends."""

    arg_types: ClassVar[dict[str, bool]] = {"revision": False}


class Revision(exp.Expression):
    """`THEN REVISE [FOR allowance]`."""

    arg_types: ClassVar[dict[str, bool]] = {"allowance": False}


class EmitChanges(exp.Expression):
    """`EMIT CHANGES [EVERY every]`, likewise."""

    arg_types: ClassVar[dict[str, bool]] = {"every": False}


def is_final(query: exp.Expression) -> bool:
    """Whether a query says that it emits final rows alone."""
    emit = query.args.get("emit")
    return isinstance(emit, EmitOnWindowClose) and emit.args.get("revision") is None
