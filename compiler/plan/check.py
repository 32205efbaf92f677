"""Whether a plan can be: what every pass leaves behind, as it must have found it.

The rules: a node that takes rows for good is not given rows that come and go; a column that is
named as such is one of the input; inputs of a union are equally wide; no node is its own input; a
query that another one writes writes none itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.diagnostics import InternalError
from compiler.memo import remembered
from compiler.plan.facts.columns import names_of
from compiler.plan.nodes import (
    Aggregate,
    Counted,
    Filled,
    Match,
    Output,
    Over,
    OverChanges,
    Plan,
    Program,
    Top,
    Totals,
    UnionAll,
    Watermarked,
    Windows,
    children,
    has_updates,
    walk,
)
from compiler.sql.names import own_name


def check_program(program: Program, made_by: str) -> None:
    """End the compile if a plan cannot be.

    Raises:
        InternalError: the pass `made_by` has broken one of the rules.
    """
    leaders = {each.sink.name: each.beside for each in program.outputs}
    for output in program.outputs:
        _refuse_cycle(output.plan, made_by)
        faults = [fault for node in walk(output.plan) for fault in _faults(node)]
        faults += _faults_of_output(output, leaders)
        if faults:
            raise InternalError(f"{made_by}, plan of {output.sink.name}: {faults[0]}")


def _faults_of_output(output: Output, leaders: dict[str, str | None]) -> list[str]:
    faults = []
    if output.beside is not None and leaders.get(output.beside, "") is not None:
        faults.append(f"nothing is written by the query of {output.beside}")
    if output.revised is not None:
        faults += _unknown(output.plan, [output.revised.bound])
    return faults


@remembered
def _faults(node: Plan) -> tuple[str, ...]:
    return tuple(_found(node))


def _found(node: Plan) -> Iterator[str]:
    match node:
        case Aggregate() | Over() | Filled() | Match() | Watermarked() if has_updates(node.input):
            yield f"{type(node).__name__} of rows that come and go"
        case Windows(kind="session") if has_updates(node.input):
            yield "sessions of rows that come and go"
        case UnionAll(inputs=inputs) | Counted(inputs=inputs) if len(set(map(_width, inputs))) > 1:
            yield f"inputs of {type(node).__name__} differ in width"
        case _:
            pass
    for below, names in _named(node):
        yield from _unknown(below, names)


def _width(node: Plan) -> int | None:
    names = names_of(node)
    return None if names is None else len(names)


def _named(node: Plan) -> Iterator[tuple[Plan, list[str]]]:
    """The columns that a node names, each with the input whose columns they are."""
    match node:
        case Totals(input=below, keys=keys, calls=calls):
            read = [name for each in calls for name in (*each.arguments, each.where) if name]
            yield below, [*keys, *read]
        case Top(input=below) | OverChanges(input=below):
            hidden = node.hidden if isinstance(node, Top) else ()
            yield below, [*node.partition, *(each.column for each in node.order), *hidden]
        case Filled(input=below, keys=keys, values=values, starts=starts, ends=ends):
            yield below, [*keys, *values, *filter(None, (starts, ends))]
        case Match(input=below, output=output):
            yield below, [*output]
        case _:
            return


def _unknown(node: Plan, names: list[str]) -> list[str]:
    known = names_of(node)
    if known is None:
        return []
    lower = {each.lower() for each in known}
    # Some nodes name columns in SQL, others as they are called.
    missing = [each for each in names if not {each.lower(), own_name(each).lower()} & lower]
    return [f"no column {each} in {type(node).__name__}" for each in missing]


def _refuse_cycle(plan: Plan, made_by: str) -> None:
    """Nodes on the way down from the top, each once: one that is met on its own way is a cycle."""
    above, done = set[int](), set[int]()
    stack = [(plan, False)]
    while stack:
        node, is_left = stack.pop()
        if is_left:
            above.discard(id(node))
            done.add(id(node))
        elif id(node) in above:
            raise InternalError(f"{made_by}: {type(node).__name__} is its own input")
        elif id(node) not in done:
            above.add(id(node))
            stack.append((node, True))
            stack.extend((each, False) for each in children(node))
