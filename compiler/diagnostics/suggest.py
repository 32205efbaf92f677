"""The nearest name, for "did you mean"."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def suggest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like `name`, case aside, or None if none is near enough to help."""
    by_lower = {candidate.lower(): candidate for candidate in candidates}
    lowered = name.lower()
    if lowered in by_lower:
        return by_lower[lowered]
    # Short names have few letters to agree in: one slip in three letters is a ratio of 0.67.
    cutoff = 0.6 if len(name) <= 4 else 0.7
    nearest = get_close_matches(lowered, by_lower, n=1, cutoff=cutoff)
    return by_lower[nearest[0]] if nearest else None


def listed(names: list[str], most: int = 12) -> str:
    """Names for a message."""
    shown = ", ".join(f"`{name}`" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def counted(number: int, what: str) -> str:
    """`1 column`, `2 columns`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def did_you_mean(name: str, names: list[str]) -> str | None:
    """Advice that gives the nearest name, if one is near."""
    near = suggest(name, names)
    return f"did you mean `{near}`?" if near else None
