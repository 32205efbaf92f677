"""Steps row by row: SELECT and UNION ALL, with the conditions on the clock that they compute."""

from __future__ import annotations

from dataclasses import dataclass, field

from compiler.plan.conditions.branches import Branch
from compiler.release.nodes.carries import Carries, Input, JoinWith


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One output column, in SQL; `name` is None where Spark is to choose it."""

    sql: str
    name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Select:
    """Inputs joined, filtered and projected.

    `releases` holds one tuple of branches for each condition on the clock; a row is due when all
    of them admit it, and when those of its inputs are. `tables` are steps that its subqueries
    read. With `wholly_read` its rows go through a shuffle before `where`, as
    passes/read_wholly.py says. If it is `netted`, updates that cancel out are left out.
    """

    name: str
    input: Input
    joins: tuple[JoinWith, ...]
    where: tuple[str, ...]
    releases: tuple[tuple[Branch, ...], ...]
    items: tuple[Item, ...]
    tables: tuple[str, ...] = ()
    wholly_read: bool = field(default=False, repr=False)
    netted: bool = field(default=False, repr=False)

    @property
    def carries(self) -> Carries:
        """What its rows carry of the clock."""
        below = {self.input.carries, *(join.input.carries for join in self.joins)}
        ends = any(branch.uppers for branches in self.releases for branch in branches)
        if any(each.has_updates for each in below):
            is_valid = bool(self.releases) or any(each.has_validity for each in below)
            return Carries.VALID_UPDATES if is_valid else Carries.UPDATES
        if ends or Carries.VALIDITY in below:
            return Carries.VALIDITY
        return Carries.DUE if self.releases or Carries.DUE in below else Carries.NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Union:
    """The rows of all inputs, columns by position."""

    name: str
    inputs: tuple[Input, ...]

    @property
    def carries(self) -> Carries:
        """What its rows carry of the clock: what all of its inputs can be made to carry."""
        below = {each.carries for each in self.inputs}
        if any(each.has_updates for each in below):
            return Carries.UPDATES
        most = (Carries.VALIDITY, Carries.DUE)
        return next((each for each in most if each in below), Carries.NOTHING)
