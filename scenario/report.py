"""What `tvfc test` prints: a line a scenario, what differs, and a line at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from compiler.escapes import visible

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a scenario went; it passed if there are no faults."""

    title: str
    seconds: float
    faults: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether everything came as expected."""
        return not self.faults


def outcome_lines(outcome: Outcome) -> str:
    """One line, and the faults indented below it."""
    word = "ok  " if outcome.passed else "FAIL"
    lines = [f"{word} {visible(outcome.title)} ({outcome.seconds:.1f} s)"]
    for fault in outcome.faults:
        lines += [f"     {visible(line)}".rstrip() for line in fault.split("\n")]
    return "\n".join(lines)


def summary_line(outcomes: Sequence[Outcome]) -> str:
    """The last line."""
    passed = sum(outcome.passed for outcome in outcomes)
    return f"{passed} passed, {len(outcomes) - passed} failed"
