"""What the columns of a table in Postgres are, and whether a row may be put in another's place."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from tvfc_runtime.sinks.postgres_place import Place

Rows = Callable[..., list[tuple[Any, ...]]]
"""Runs a statement with values for its parameters; what it finds."""


@dataclass(frozen=True, kw_only=True)
class OwnColumn:
    """A column of a table.

    Attributes:
        kind: its type, as Postgres spells it.
        is_computed: whether Postgres alone says its value: GENERATED ALWAYS.
        is_needed: whether each row must give it a value.
        is_exact: whether texts that are equal are the same text.
    """

    kind: str
    is_computed: bool
    is_needed: bool
    is_exact: bool


def own_columns(rows: Rows, place: Place) -> dict[str, OwnColumn]:
    """The columns of a table by their names; none if there is no table."""
    found = rows(
        "SELECT a.attname, format_type(a.atttypid, a.atttypmod), "
        "a.attgenerated <> '' OR a.attidentity = 'a', "
        "(a.attnotnull OR k.typnotnull) AND NOT a.atthasdef AND a.attidentity = '' "
        "AND k.typdefault IS NULL, coalesce(c.collisdeterministic, true) "
        "FROM pg_attribute AS a JOIN pg_type AS k ON k.oid = a.atttypid "
        "LEFT JOIN pg_collation AS c ON c.oid = a.attcollation "
        "WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped",
        place.named,
    )
    return {
        name: OwnColumn(kind=kind, is_computed=computed, is_needed=needed, is_exact=exact)
        for name, kind, computed, needed, exact in found
    }


def is_replaced(rows: Rows, place: Place, columns: Collection[str], key: Collection[str]) -> bool:
    """Whether a row is better taken out and put in anew than updated where it is.

    Postgres sees to most unique columns row by row, so that two rows cannot change places in them
    by an UPDATE. If the table has such columns beside the key, rows are put in anew, as long as
    nothing hangs on them: columns that the result does not have, foreign keys, triggers.

    Args:
        rows: runs statements.
        place: the table.
        columns: those of its columns that the result has.
        key: those of the key.
    """
    ((others, more, referring, watching),) = rows(
        "SELECT EXISTS (SELECT FROM pg_index AS i, unnest(i.indkey::int2[]) AS n (attnum) "
        "LEFT JOIN pg_attribute AS a ON a.attrelid = to_regclass($1) AND a.attnum = n.attnum "
        "WHERE i.indrelid = to_regclass($1) AND i.indimmediate "
        "AND (i.indisunique OR i.indisexclusion) "
        "AND NOT coalesce(a.attname::text = ANY($3::text[]), false)), "
        "EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 "
        "AND NOT attisdropped AND NOT attname::text = ANY($2::text[])), "
        "EXISTS (SELECT FROM pg_constraint WHERE confrelid = to_regclass($1)), "
        "EXISTS (SELECT FROM pg_trigger WHERE tgrelid = to_regclass($1) AND NOT tgisinternal)",
        place.named,
        [*columns],
        [*key],
    )
    return bool(others and not more and not referring and not watching)
