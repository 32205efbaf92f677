"""What follows from a plan node, or from other frozen data, is found out once a compile.

Each node asks its inputs, and several ask each node, so that asking anew would double the work with
each join.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

N = TypeVar("N")
R = TypeVar("R")

_known: ContextVar[dict[tuple[Any, int], tuple[Any, Any]] | None] = ContextVar(
    "known", default=None
)


@contextmanager
def remembering() -> Iterator[None]:
    """While this lasts, answers are kept, with the nodes that they are of."""
    token = _known.set({})
    try:
        yield
    finally:
        _known.reset(token)


def remembered(function: Callable[[N], R]) -> Callable[[N], R]:
    """A function of something frozen, whose answer so stays right; it is told by its identity."""

    @wraps(function)
    def answer(node: N) -> R:
        known = _known.get()
        if known is None:
            with remembering():
                return answer(node)
        key = (function, id(node))
        if key not in known:
            known[key] = (node, function(node))
        found: R = known[key][1]
        return found

    return answer
