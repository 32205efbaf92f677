"""How much work something is, as a number that is the same on any machine."""

from __future__ import annotations

import cProfile
from collections.abc import Callable

from compiler.depth import with_room


@with_room
def calls_of(work: Callable[[], object]) -> int:
    """How often functions of Python are called.

    The compiler moves to a thread with a larger stack, where a profiler of this one sees nothing;
    here it has that stack already.
    """
    counted = cProfile.Profile(builtins=False)
    with counted:
        work()
    return sum(function.callcount for function in counted.getstats())
