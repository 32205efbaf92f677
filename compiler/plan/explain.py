"""Plans as text: a tree, one node a line, inputs indented below their users."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from compiler.plan.exprs import Binding
from compiler.plan.nodes import (
    Aggregate,
    Alias,
    Filter,
    Item,
    Join,
    Named,
    Over,
    Plan,
    Program,
    Project,
    Scan,
    Source,
    StaticQuery,
    TemporalFilter,
    UnionAll,
    Windows,
    children,
)
from compiler.plan.predicates import (
    And,
    Choice,
    ClockAtom,
    Constant,
    IsNull,
    IsTrue,
    Not,
    Or,
    Ordinary,
    Predicate,
)
from compiler.plan.properties import properties_of


def explain_plan(program: Program) -> str:
    """The plan of each output, and what is known of its rows."""
    parts = []
    for output in program.outputs:
        lines = [f"plan of {output.sink.name}", *_tree(output.plan, 1), *_facts(output.plan)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _facts(node: Plan) -> list[str]:
    facts = properties_of(node)
    marks = ", ".join(f"{source}.{column}" for source, column in sorted(facts.watermarks))
    return [
        "properties",
        f"  result     {'append-only' if facts.append_only else 'changing'}",
        f"  watermark  {marks or 'none'}",
        *(f"  state      {line}" for line in facts.state or ("none",)),
    ]


def _tree(node: Plan, depth: int) -> Iterator[str]:
    yield "  " * depth + label(node)
    for child in children(node):
        yield from _tree(child, depth + 1)


def label(node: Plan) -> str:
    """One line for a node."""
    match node:
        case Scan(source=source):
            return _scan(source)
        case StaticQuery(sql=sql):
            return f"Tables {sql}"
        case Named(name=name) | Alias(name=name):
            return f"{'View' if isinstance(node, Named) else 'Alias'} {name}"
        case Join(kind=kind, on=on, using=using):
            condition = f" on {on.sql}" if on else f" using {', '.join(using)}" if using else ""
            return f"Join {kind}{condition}"
        case Filter(predicate=predicate):
            return f"Filter {predicate.sql}"
        case TemporalFilter(predicate=predicate):
            return f"TemporalFilter {show(predicate)}"
        case Project(items=items):
            return f"Project {', '.join(_item(each) for each in items)}"
        case UnionAll():
            return "UnionAll"
        case Windows() | Aggregate() | Over():
            return _of_windows(node)
        case _:
            assert_never(node)


def _of_windows(node: Windows | Aggregate | Over) -> str:
    match node:
        case Aggregate():
            return _aggregate(node)
        case Over():
            return _over(node)
        case Windows(kind=kind, time=time, sizes=sizes, keys=keys):
            lengths = ", ".join(f"{name} {length}" for name, length in sizes)
            of = f" of {', '.join(each.sql for each in keys)}" if keys else ""
            return f"Windows {kind} {time}{of}, {lengths}"


def _aggregate(node: Aggregate) -> str:
    keys = ", ".join(each.sql for each in node.group)
    having = f" having {node.having.sql}" if node.having else ""
    closes = f"after {node.closes.sql}" if node.closes_after else f"at {node.closes.sql}"
    items = ", ".join(_item(each) for each in node.items)
    return f"Aggregate {items} by {keys}{having}, closes {closes}"


def _over(node: Over) -> str:
    columns = ", ".join(f"{each.sql} AS {each.name}" for each in node.columns)
    word = "after" if node.closes_after else "at"
    last = dict.fromkeys(each.sql for each in (node.closes, *node.complete))
    return f"Over {columns}, complete {word} {' and '.join(last)}"


def _item(item: Item) -> str:
    sql = item.expr.sql.replace("__watermark", "WATERMARK_TS()")
    sql = sql.replace("__proc_time", "PROC_TIME()")
    own_name = sql.rsplit(".", 1)[-1].strip("`")
    return sql if item.name in (None, own_name) else f"{sql} AS {item.name}"


def _scan(source: Source) -> str:
    if source.static:
        return f"Table {source.name}"
    if source.watermark is None:
        return f"Source {source.name}"
    return f"Source {source.name} watermark {source.watermark.strategy}"


def show(predicate: Predicate) -> str:
    """A predicate as SQL, the clock on the left."""
    match predicate:
        case ClockAtom(op=op, bound=bound):
            return f"clock {op.value} {bound.inside(Binding.COMPARISON)}"
        case Ordinary(expr=expr):
            return expr.inside(Binding.NOT)
        case Constant(value=value):
            return "NULL" if value is None else str(value).upper()
        case Not(term=term):
            return f"NOT ({show(term)})"
        case And(terms=terms):
            return " AND ".join(_operand(each) for each in terms)
        case Or(terms=terms):
            return " OR ".join(_operand(each) for each in terms)
        case IsNull(term=term):
            return f"({show(term)}) IS NULL"
        case IsTrue(term=term):
            return f"({show(term)}) IS TRUE"
        case Choice(condition=condition, then=then, otherwise=otherwise):
            return f"CASE WHEN {show(condition)} THEN {show(then)} ELSE {show(otherwise)} END"
        case _:
            assert_never(predicate)


def _operand(predicate: Predicate) -> str:
    text = show(predicate)
    return f"({text})" if isinstance(predicate, And | Or) else text
