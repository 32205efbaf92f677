"""The arguments of a call, between its parentheses."""

from __future__ import annotations

from sqlglot import exp


class Arguments:
    """The arguments of a call as written: a quantifier and a list."""

    __slots__ = ("distinct", "items", "quantifier")

    def __init__(
        self,
        quantifier: str | None,
        items: list[exp.Expression],
        distinct: exp.Distinct | None = None,
    ) -> None:
        self.quantifier = quantifier
        self.items = items
        self.distinct = distinct
