"""Rows as lineage knows them: columns with their origins, and what decides which rows there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from types import MappingProxyType

from compiler.lineage.expressions import Scope, TracedColumn
from compiler.lineage.origins import NONE, How, Origins, Trace, all_origins, taken
from compiler.plan.nodes import SortKey

Tables = Mapping[str, tuple[TracedColumn, ...]]
_tables: ContextVar[Tables] = ContextVar("tables", default=MappingProxyType({}))
"""What subqueries may name, wherever in a plan they stand."""


@dataclass(frozen=True)
class Traced:
    """Columns in their order, and the origins of what decides which rows there are."""

    columns: tuple[TracedColumn, ...]
    rows: Origins = NONE

    def deciding(self, how: How, *traces: Trace) -> Traced:
        """The same rows, where these take part in that way."""
        return replace(self, rows=self.rows | taken(all_origins(traces), how))

    def scope(self, alias: str | None = None) -> Scope:
        """What expressions over these rows may name."""
        named = [each._replace(qualifier=alias) for each in self.columns] if alias else []
        return Scope((*self.columns, *named), _tables.get())


@contextmanager
def with_tables(tables: Tables) -> Iterator[None]:
    """While this lasts, subqueries may name these."""
    token = _tables.set(tables)
    try:
        yield
    finally:
        _tables.reset(token)


def by_names(names: Iterable[str], below: Traced) -> list[Trace]:
    """The traces of columns that are called so, not as SQL writes them."""
    wanted = [name.lower() for name in names]
    return [each.trace for each in below.columns if each.name.lower() in wanted]


def names_of_keys(order: Iterable[SortKey]) -> list[str]:
    """The columns that rows are in order of."""
    return [each.column for each in order]
