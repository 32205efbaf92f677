"""What rows bring along of the clock, and from which step they come."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from compiler.plan.conditions.branches import Lower


class Carries(Enum):
    """What rows bring along of the clock.

    NOTHING: they are in the result from their arrival on. DUE: from `__due` on. VALIDITY: at the
    clock values in `__valid`. UPDATES: rows that come and go, by `__diff`, at `__time`. A condition
    on the clock over those has VALID_UPDATES: each counts where it is valid.
    """

    NOTHING = "nothing"
    DUE = "due"
    VALIDITY = "validity"
    UPDATES = "updates"
    VALID_UPDATES = "valid updates"

    @property
    def changes(self) -> bool:
        """Whether rows leave the result again."""
        return self not in (Carries.NOTHING, Carries.DUE)

    @property
    def has_validity(self) -> bool:
        """Whether rows have clock values at which they count."""
        return self in (Carries.VALIDITY, Carries.VALID_UPDATES)

    @property
    def has_updates(self) -> bool:
        """Whether rows come and go."""
        return self in (Carries.UPDATES, Carries.VALID_UPDATES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """Rows of another step, and what they carry."""

    step: str
    alias: str | None
    carries: Carries = Carries.NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaves:
    """When rows of an input leave the result for good; `alias` is its name."""

    alias: str


Until: TypeAlias = Lower | Leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinWith:
    """One more input of a step, joined to those before it.

    Rows of those find no more partners at the first of `left_until`, rows of the input at the first
    of `right_until`; without any, that never ends. A row of a side that an outer join keeps has a
    partner only if it satisfies `left_only_if`, or `right_only_if`. `read_first` is the side,
    `left` or `right`, whose rows go through a shuffle before; see passes/read_wholly.py.
    """

    input: Input
    kind: str
    on: str | None
    left_only_if: str | None = field(default=None, repr=False)
    right_only_if: str | None = field(default=None, repr=False)
    using: tuple[str, ...] = ()
    left_until: tuple[Until, ...] = ()
    right_until: tuple[Until, ...] = ()
    read_first: str | None = field(default=None, repr=False)

    @property
    def has_range(self) -> bool:
        """Whether the clock ends the search for partners, of one side at least."""
        return bool(self.left_until or self.right_until)
