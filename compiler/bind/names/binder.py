"""What those who bind parts of a query ask of the one who binds queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from sqlglot import exp

from compiler.bind.names.scope import Emit, Relation, Scope
from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import Plan


class Binder(Protocol):
    """What binds queries; see query/queries.py."""

    @property
    def names(self) -> Mapping[str, Relation]:
        """Relations by casefolded name."""

    @property
    def problems(self) -> Problems:
        """Takes the faults."""

    @property
    def is_final(self) -> bool:
        """Whether only final rows are emitted."""

    @property
    def emit(self) -> Emit:
        """Which rows the queries of this place give, and when."""

    def emitting(self, emit: Emit) -> Binder:
        """A binder of the same place whose queries emit otherwise."""

    def seeing(self, names: Mapping[str, Relation]) -> Binder:
        """A binder of the same place whose queries see other relations."""

    def bind(self, node: exp.Expression) -> Relation:
        """A query."""

    def bind_from(self, node: exp.Select, scope: Scope) -> Plan:
        """The FROM clause of a query, whose relations the scope takes."""

    def is_static(self, node: exp.Expression) -> bool:
        """Whether a query reads tables only."""
