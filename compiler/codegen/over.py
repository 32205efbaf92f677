"""Steps with window functions: the rows that they look at, then Spark's own functions on those."""

from __future__ import annotations

from compiler.codegen.fragments import bound, braced, delayed, from_members
from compiler.codegen.quoting import literal
from compiler.codegen.writer import (
    WIDTH,
    Call,
    Chain,
    Code,
    Term,
    assignment,
    call,
    clause,
    function,
    keyword,
    text_block,
)
from compiler.release.nodes import Framed, OverItem, OverRows

EMIT = "__emit"


def over_step(step: OverRows, names: dict[str, str]) -> str:
    """The function of a step with window functions."""
    rows = delayed(step.input, names)
    columns = [_column(each) for each in step.columns]
    lines = [*clause("SELECT", ["*", *columns]), from_members(step.input.alias)]
    sql = text_block("sql", lines)
    result: Code = call("job.sql", "sql", "members=members")
    doc = f"Rows of {step.input.step} with window functions, each when they are final."
    if not step.frames:
        return function(names[step.name], doc, [assignment("members", rows, 1), sql], result)
    if step.input.alias:
        rows = Chain((rows, call(".alias", literal(step.input.alias))))
    result = Chain((result, f'.where("{EMIT}")', f'.drop("{EMIT}")'))
    return function(
        names[step.name], doc, [assignment("members", _looked_at(step, rows), 1), sql], result
    )


def _column(item: OverItem) -> Term:
    """A window function; what is in its OVER has lines of its own where it is long."""
    call, over = braced(item.call), [braced(each) for each in item.over or ()]
    if item.over is None:
        return f"{call} AS {item.name}"
    line = f"{call} OVER ({' '.join(over)}) AS {item.name}"
    if len(line) <= LINE:
        return line
    return (f"{call} OVER (", *(f"    {each}" for each in over), f"  ) AS {item.name}")


LINE = WIDTH - len("          ,")
"""What fits a line of a SELECT list in a function."""


def _looked_at(step: OverRows, rows: Code) -> Code:
    arguments = [rows, *(_frame(each) for each in step.frames)]
    arguments.append(keyword("closes", bound(step.closes)))
    complete = [bound(each) for each in step.complete]
    if complete:
        last = complete[0] if len(complete) == 1 else call("tvfc.latest", *complete)
        arguments.append(keyword("complete", last))
    if step.release is not None:
        arguments.append(keyword("release", bound(step.release)))
    return call("job.over", *arguments)


def _frame(frame: Framed) -> Code:
    arguments: list[Code] = []
    if frame.partition:
        arguments.append(keyword("partition", Call("", tuple(map(literal, frame.partition)))))
    arguments.append(keyword("order", Call("", tuple(map(literal, frame.order)))))
    if frame.before != 0:
        arguments.append(keyword("before", str(frame.before)))
    if frame.after:
        arguments.append(keyword("after", str(frame.after)))
    if frame.until is not None:
        arguments.append(keyword("until", bound(frame.until)))
    if frame.where is not None:
        arguments.append(keyword("last", str(frame.last)))
        arguments.append(keyword("where", literal(frame.where)))
    return call("tvfc.Frame", *arguments)
