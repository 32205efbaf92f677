"""Names that the compiler gives to columns, as a reader of `tvfc explain` knows them.

Before   amount - __over_1 AS d
After    amount - lag(amount) OVER w AS d
"""

from __future__ import annotations

import re

from compiler.plan.nodes import (
    Aggregate,
    Item,
    Match,
    Over,
    OverChanges,
    Plan,
    Project,
    Top,
    children,
)
from compiler.sql.exprs import Binding, Clock
from compiler.sql.names import PROC_TIME_COLUMN, is_ours

_OURS = re.compile(r"(?:\b\w+\.)?\b__[a-z]\w*")


def names_of_ours(*plans: Plan) -> dict[str, str]:
    """What each name of the compiler's stands for, in the words of the query."""
    names = {clock.column: clock.value for clock in Clock} | {PROC_TIME_COLUMN: "PROC_TIME()"}
    seen: set[int] = set()
    for each in plans:
        _collect(each, names, seen)
    return names


def as_written(text: str, names: dict[str, str]) -> str:
    """A text with the names of the compiler as the query has them; other names stay."""
    # Most texts have none, and some are long.
    return text if "__" not in text else _OURS.sub(lambda found: _known(found[0], names), text)


def _known(written: str, names: dict[str, str]) -> str:
    name = written.rsplit(".", 1)[-1]
    return names.get(name, written)


def _collect(node: Plan, names: dict[str, str], seen: set[int]) -> None:
    """Inputs first: what stands for a name may have another in it."""
    if id(node) in seen:
        return
    seen.add(id(node))
    for child in children(node):
        _collect(child, names, seen)
    match node:
        case Project(items=items):
            _collect_items(items, names)
        case Aggregate(items=items, types=types):
            names.update({name: f"typeof({as_written(e.sql, names)})" for name, e in types})
            _collect_items(items, names)
        case Match(measures=measures):
            names.update({each.name: each.shown for each in measures})
        case Over(columns=columns) | OverChanges(columns=columns):
            names.update({each.name: as_written(each.shown, names) for each in columns})
        case Top(number=number, kind=kind) if number is not None:
            names[number] = f"{kind}()"
        case _:
            pass


def _collect_items(items: tuple[Item, ...], names: dict[str, str]) -> None:
    for each in items:
        if each.expr.sql.isdigit() and str(each.name).endswith("_side"):
            # Of which side a row is: a number tells less than its name.
            continue
        if each.name is not None and is_ours(each.name) and each.name not in names:
            names[each.name] = as_written(each.expr.inside(Binding.ARITHMETIC), names)
