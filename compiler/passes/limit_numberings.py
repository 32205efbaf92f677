"""A condition on a numbering tells how far it must count: the first rows of each partition.

Before   Filter n <= 3
           Project …, n
             Top all of shop by sold desc
After    the same, with Top first 3 of shop by sold desc
"""

from __future__ import annotations

import re
from dataclasses import replace

from compiler.diagnostics.problems import Problems
from compiler.passes.each import in_each_plan
from compiler.plan.nodes import Alias, Filter, Named, Plan, Program, Project, Top
from compiler.sql.names import own_name, parts_of


def limit_numberings(program: Program, _problems: Problems) -> Program:
    """Numberings that a condition limits count no further than it lets through."""
    return in_each_plan(program, _limited)


def _limited(node: Plan) -> Plan:
    bound = _bound(node.predicate.sql) if isinstance(node, Filter) else None
    if not isinstance(node, Filter) or bound is None:
        return node
    return replace(node, input=_pushed(node.input, *bound))


def _bound(condition: str) -> tuple[str, int] | None:
    """A column, and the number that it is not above where a condition holds."""
    for pattern, is_below in _BOUNDS:
        found = pattern.fullmatch(condition)
        if found is not None:
            return found["name"], int(found["number"]) - is_below
    return None


_NAME = r"(?P<name>(?:`[^`]+`|\w+)(?:\.(?:`[^`]+`|\w+))?)"
_NUMBER = r"(?P<number>\d{1,9})"
_BOUNDS = (
    (re.compile(rf"{_NAME} <?= {_NUMBER}"), False),
    (re.compile(rf"{_NAME} < {_NUMBER}"), True),
    (re.compile(rf"{_NUMBER} >?= {_NAME}"), False),
    (re.compile(rf"{_NUMBER} > {_NAME}"), True),
    (re.compile(rf"{_NAME} BETWEEN \d+ AND {_NUMBER}", re.IGNORECASE), False),
)
"""Conditions, and whether the number itself is left out."""


def _pushed(node: Plan, name: str, limit: int) -> Plan:
    """The limit of a column, taken down to the numbering that it comes from."""
    bare = own_name(name).lower()
    match node:
        case Alias() | Named() | Filter():
            return replace(node, input=_pushed(node.input, name, limit))
        case Project(items=items):
            names = [(each.name or own_name(each.expr.sql)).lower() for each in items]
            same = [item for item, name in zip(items, names, strict=True) if name == bare]
            if len(same) != 1 or not parts_of(same[0].expr.sql):
                return node
            return replace(node, input=_pushed(node.input, same[0].expr.sql, limit))
        case Top(number=number, limit=None) if number is not None and number.lower() == bare:
            return replace(node, limit=limit)
        case _:
            return node
