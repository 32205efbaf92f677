"""Signatures of Spark's functions: grammar/spark_functions.txt, written from its registry.

A line is `max_by 2,3 aggregate DISTINCT`: a name, the numbers of arguments that a call may have
(`2+` is two or more), what the function is, and the modifiers that it takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from compiler.syntax.grammar.tables import grammar_folder

FILE = "spark_functions.txt"

_WITH_UNITS = ("dateadd", "date_add", "timestampadd", "datediff", "date_diff", "timestampdiff")
"""Calls of these may begin with a unit of time, which Spark parses by itself."""

_OF_THE_PARSER = (*_WITH_UNITS, "timediff")


@dataclass(frozen=True, slots=True)
class Signature:
    """What a call of a function may have.

    Attributes:
        counts: the numbers of arguments; empty: any, as far as is known.
        least: from how many on any number will do; None: there is a most.
        kind: `scalar`, `aggregate`, `window` or `table`.
        modifiers: of DISTINCT, IGNORE NULLS and WITHIN GROUP, what an aggregate takes.
    """

    counts: frozenset[int] = frozenset()
    least: int | None = None
    kind: str = "scalar"
    modifiers: frozenset[str] = frozenset()

    def takes(self, count: int) -> bool:
        """Whether a call may have so many arguments."""
        if self.least is not None:
            return count >= self.least
        return not self.counts or count in self.counts

    @property
    def shown(self) -> str:
        """How many arguments it takes, in words."""
        if self.least is not None:
            return f"{self.least} or more"
        numbers = [str(each) for each in sorted(self.counts)]
        return " or ".join([", ".join(numbers[:-1]), numbers[-1]] if numbers[1:] else numbers)


@cache
def signatures() -> dict[str, Signature]:
    """All functions of Spark by name."""
    text = (grammar_folder() / FILE).read_text(encoding="utf-8")
    found = dict(_signature(line) for line in text.splitlines())
    for name in _OF_THE_PARSER:
        known = found.get(name, Signature())
        found[name] = Signature(known.counts | {3})
    return found


def _signature(line: str) -> tuple[str, Signature]:
    name, counts, kind, *modifiers = line.split()
    least = int(counts.removesuffix("+")) if counts.endswith("+") else None
    numbers = frozenset(int(each) for each in counts.split(",") if each.isdigit())
    words = frozenset(each.replace("_", " ") for each in modifiers)
    return name, Signature(numbers if least is None else frozenset(), least, kind, words)
