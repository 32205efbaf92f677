"""Room for deep recursion: it is there while it is needed, and the limit is what it was after."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest

from compiler.depth import with_room

VARIABLE: ContextVar[str] = ContextVar("variable", default="unset")


@with_room
def deep(levels: int) -> int:
    """Through C and back at each level, as generators within any() and sorted() do."""

    def below(level: int) -> int:
        return max(map(below, [level - 1])) + 1 if level else 0

    return below(levels)


def test_calls_may_be_deep() -> None:
    before = sys.getrecursionlimit()
    assert deep(20_000) == 20_000
    assert sys.getrecursionlimit() == before


@pytest.mark.slow
def test_too_deep_is_an_error_and_no_crash() -> None:
    with pytest.raises(RecursionError):
        deep(1_000_000)


@pytest.mark.slow
def test_several_at_a_time() -> None:
    before = sys.getrecursionlimit()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(deep, [5_000] * 8)) == [5_000] * 8
    assert sys.getrecursionlimit() == before


def test_errors_and_context_pass_through() -> None:
    @with_room
    def read() -> str:
        if VARIABLE.get() == "wrong":
            raise ValueError("wrong")
        return with_room(VARIABLE.get)()

    VARIABLE.set("set")
    assert read() == "set"
    VARIABLE.set("wrong")
    with pytest.raises(ValueError, match="wrong"):
        read()
