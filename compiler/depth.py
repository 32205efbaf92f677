"""Room for deep queries: a compile runs in a thread of its own with a large stack.

Trees of expressions are walked by recursion, in sqlglot as here, a few calls a level, and a sum of
a thousand terms is a tree a thousand levels deep. The stack takes memory only as far as it is used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from functools import wraps
from threading import Lock, Thread, local, stack_size
from typing import ParamSpec, TypeVar

STACK_BYTES = 1 << 30
CALLS = 200_000
"""So many calls within each other fit that stack."""

P = ParamSpec("P")
R = TypeVar("R")

_here = local()
_settings = Lock()
_limits: list[int] = []
"""The limit before, and once more for each that needs more."""


def with_room(function: Callable[P, R]) -> Callable[P, R]:
    """A function that may call itself deeply; RecursionError if even that room is not enough."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if getattr(_here, "has_room", False):
            return function(*args, **kwargs)
        results: list[R] = []
        errors: list[BaseException] = []

        def work() -> None:
            _here.has_room = True
            try:
                results.append(function(*args, **kwargs))
            except BaseException as error:
                errors.append(error)

        with _more_calls():
            # A daemon: whoever interrupts the caller does not wait for it.
            thread = Thread(target=copy_context().run, args=(work,), daemon=True)
            _start(thread)
            thread.join()
        if errors:
            raise errors[0]
        return results[0]

    return run


@contextmanager
def _more_calls() -> Iterator[None]:
    """The limit is that of the process: the first that needs more raises it, the last puts it back.

    It is counted how many need more; several threads may compile at a time.
    """
    with _settings:
        if not _limits:
            sys.setrecursionlimit(max(CALLS, before := sys.getrecursionlimit()))
            _limits.append(before)
        _limits.append(_limits[0])
    try:
        yield
    finally:
        with _settings:
            _limits.pop()
            if len(_limits) == 1:
                sys.setrecursionlimit(_limits.pop())


def _start(thread: Thread) -> None:
    with _settings:
        before = stack_size(STACK_BYTES)
        try:
            thread.start()
        finally:
            stack_size(before)
