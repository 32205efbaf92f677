"""An entry of the register of codes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """What a code means: `failing` is a query that draws it, `mended` the same one put right."""

    code: str
    title: str
    explanation: str
    failing: str
    mended: str
