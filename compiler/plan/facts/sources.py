"""Facts about sources: whether their records say what has become of rows, and what that needs."""

from __future__ import annotations

from compiler.plan.nodes import Source

CHANGELOG = "changelog"
UPSERT = "upsert"
ENVELOPES = frozenset({"debezium", "maxwell"})
CHANGING = frozenset({CHANGELOG, UPSERT}) | ENVELOPES
"""Forms of records that change rows which have come before."""

IMAGES, WHOLE = "before.images", "whole"


def is_changing(source: Source) -> bool:
    """Whether rows of a source come and go."""
    return source.record is not None and source.record.form in CHANGING


def keeps_last(source: Source) -> bool:
    """Whether the last row of each key is kept, since records need not tell what a row was."""
    return bool(
        source.record is not None
        and source.key
        and dict(source.record.options).get(IMAGES) != WHOLE
    )
