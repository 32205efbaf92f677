"""Unions of branches without those that add nothing.

Conditions expand to thousands of branches before most of them go, so the parts of a branch (guards
and bounds) are bits of a number: one branch contains another where its bits are among the other's.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from compiler.plan.conditions.branches import Branch, Guard, guard_sql
from compiler.sql.exprs import Binding


def absorbed(branches: tuple[Branch, ...]) -> tuple[Branch, ...]:
    """Without branches that another one contains, and without those that no row can take."""
    places: dict[object, int] = {}
    first: dict[int, Branch] = {}
    for branch in dict.fromkeys(branches):
        bits = 0
        for part in (*branch.guards, *branch.lowers, *branch.uppers):
            bits |= 1 << places.setdefault(part, len(places))
        if bits not in first and not _contradicts_itself(branch):
            first[bits] = branch
    kept: list[int] = []
    for bits in sorted(first, key=int.bit_count):
        if not any(bits & wide == wide for wide in kept):
            kept.append(bits)
    wanted = set(kept)
    return tuple(branch for bits, branch in first.items() if bits in wanted)


def needed_by(branches: Iterable[Branch]) -> str | None:
    """What a row must satisfy to be in any of some branches, in SQL; None: each may be."""
    needed = absorbed(tuple(Branch(guards=each.guards) for each in branches))
    if not needed or _takes_every_row(needed):
        return None
    return " OR ".join(" AND ".join(guard_sql(each)) for each in needed)


def _takes_every_row(branches: tuple[Branch, ...]) -> bool:
    """Whether each row is in a branch: one has no guard, or two a guard and its contrary."""
    alone = [branch.guards[0] for branch in branches if len(branch.guards) == 1]
    texts = {guard.sql for guard in alone}
    return any(not branch.guards for branch in branches) or any(
        f"{operand} IS NOT TRUE" in texts
        for guard in alone
        for operand in (guard.inside(Binding.COMPARISON), f"({guard.sql})")
    )


def _contradicts_itself(branch: Branch) -> bool:
    texts = {guard.sql for guard in branch.guards}
    return any(not texts.isdisjoint(_opposites(guard)) for guard in branch.guards)


@lru_cache(maxsize=4096)
def _opposites(guard: Guard) -> frozenset[str]:
    """Guards of which none is true where this one is."""
    # `NOT a OR b` is no opposite of `a OR b`: only an operand that stands for itself counts.
    found = {f"NOT {guard.inside(Binding.NOT)}", f"NOT ({guard.sql})"}
    for operand in (guard.inside(Binding.COMPARISON), f"({guard.sql})"):
        found |= {f"{operand} IS {what}" for what in _NOT_SO}
    return frozenset(found)


_NOT_SO = ("NOT TRUE", "NULL")
