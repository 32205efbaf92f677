"""From the grammar's rules to sqlglot's nodes: one function a rule, grouped by clause.

names · literals · types · expressions · functions (forms, special_functions) · scripts · clauses ·
relations · tables · joins · pivots · queries · hints · pipes are Spark SQL and build what sqlglot's
own Spark parser builds; streams · matches · statements build our nodes. A rule's function gets
the rule's values in order, None for an optional part left out. The automaton gives each node its
span.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compiler.syntax.from_tree import (
    clauses,
    expressions,
    functions,
    hints,
    joins,
    literals,
    matches,
    names,
    pipes,
    pivots,
    queries,
    relations,
    scripts,
    statements,
    streams,
    tables,
    types,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_MODULES = (
    clauses,
    expressions,
    functions,
    hints,
    joins,
    literals,
    matches,
    names,
    pipes,
    pivots,
    queries,
    relations,
    scripts,
    statements,
    streams,
    tables,
    types,
)

# What reduces a rule, by the name that the grammar gives it.
ACTIONS: dict[str, Callable[..., Any]] = {
    rule.__name__: rule for module in _MODULES for rule in module.RULES
}

# What a token becomes when it is shifted; the rest become their text in capitals.
SHIFTS: dict[str, Callable[[str], Any]] = {
    "NAME": names.plain_name,
    "QUOTED_NAME": names.quoted_name,
    "STRING": literals.string_token,
    "NUMBER": literals.number_token,
    "UNIT": literals.unit_token,
    "TYPED_LITERAL": literals.type_token,
    "PARAMETER": names.parameter_name,
}
