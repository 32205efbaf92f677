"""A condition on a numbering tells how far it must count: the first rows of each partition.

Before   Filter n <= 3
           Project …, n
             Top all of shop by sold desc
After    the same, with Top first 3 of shop by sold desc
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from compiler.diagnostics.problems import Problems
from compiler.passes.each import in_each_plan
from compiler.plan.nodes import Alias, Filter, Named, Plan, Program, Project, Top, walk
from compiler.sql.names import own_name, parts_of, qualified
from compiler.sql.texts import parsed


def limit_numberings(program: Program, _problems: Problems) -> Program:
    """Numberings that a condition limits count no further than it lets through."""
    nodes = (node for output in program.outputs for node in walk(output.plan))
    if not any(isinstance(node, Top) and node.limit is None for node in nodes):
        return program
    return in_each_plan(program, _limited)


def _limited(node: Plan) -> Plan:
    condition = parsed(node.predicate.sql) if isinstance(node, Filter) else None
    bound = _bound(condition.unnest()) if condition is not None else None
    if not isinstance(node, Filter) or bound is None:
        return node
    return replace(node, input=_pushed(node.input, *bound))


def _bound(condition: exp.Expr) -> tuple[str, int] | None:
    """A column, and the number that it is not above where a condition holds."""
    match condition:
        case exp.LTE(this=less, expression=more) | exp.GTE(this=more, expression=less):
            return _at_most(less, more)
        case exp.LT(this=less, expression=more) | exp.GT(this=more, expression=less):
            return _at_most(less, more, left_out=1)
        case exp.EQ(this=one, expression=other):
            return _at_most(one, other) or _at_most(other, one)
        case exp.Between(this=column, args={"high": high}) if not condition.args.get("symmetric"):
            return _at_most(column, high)
        case exp.In(this=column, expressions=[_, *_] as values):
            bounds = [_at_most(column, each) for each in values]
            return None if None in bounds else max(each for each in bounds if each is not None)
        case _:
            return None


def _at_most(column: exp.Expr, number: exp.Expr, left_out: int = 0) -> tuple[str, int] | None:
    column, number = column.unnest(), number.unnest()
    is_number = isinstance(number, exp.Literal) and number.is_int and len(number.name) < MOST_DIGITS
    if not isinstance(column, exp.Column) or not is_number:
        return None
    return qualified(*(each.name for each in column.parts)), int(number.name) - left_out


MOST_DIGITS = 10
"""A number of so many is none of rows, which are counted by an INT."""


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
