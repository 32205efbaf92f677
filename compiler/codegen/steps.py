"""Steps of a release plan as functions of a job."""

from __future__ import annotations

from datetime import timedelta
from typing import assert_never

from compiler.codegen.changing import changing_step, sort_key, updates_of
from compiler.codegen.filled import filled_step
from compiler.codegen.fragments import (
    aliased,
    bound,
    braced,
    delayed,
    from_members,
    grouped_query,
    item_sql,
    quoted,
    selected,
)
from compiler.codegen.marks import VALID, marks_of
from compiler.codegen.matches import match_step
from compiler.codegen.names import Names, output_key
from compiler.codegen.over import over_step
from compiler.codegen.panes import panes_step
from compiler.codegen.quoting import literal
from compiler.codegen.sessions import sessions_step, totaled_sessions_step
from compiler.codegen.shifts import shift_of, timedelta_code
from compiler.codegen.writer import (
    Call,
    Chain,
    Code,
    assignment,
    call,
    clause,
    function,
    keyword,
)
from compiler.release.nodes import (
    Bad,
    Carries,
    ChangedRows,
    Clock,
    CountedRows,
    FilledRows,
    Grouped,
    Input,
    Item,
    JoinWith,
    Late,
    Leaves,
    Lower,
    MatchRows,
    Output,
    OverChanged,
    OverRows,
    PairedRows,
    PanedRows,
    Read,
    Select,
    Sessions,
    Static,
    Step,
    TableRows,
    TopRows,
    Totaled,
    TotaledSessions,
    Union,
    Until,
    UntilPartnered,
    Watermarked,
    Windowed,
)

_CLOCKS = {Clock.WATERMARK: "job.watermark_ts()", Clock.WALL: "job.mz_now()"}
"""What a SELECT list that reads a clock has under the name of its column."""

CLOSE = "__close"

VALUES = frozenset(
    {"true", "false", "null", "current_date", "current_timestamp", "current_time"}
    | {"localtimestamp", "current_user", "session_user", "user"}
)
"""Words that are values in SQL; select() would take them for columns."""


def step_function(step: Step, names: Names) -> str:  # noqa: C901  a line for each kind
    """The function of a step."""
    match step:
        case Read() | Watermarked() | Late() | Bad() | Static():
            return _input_step(step, names)
        case Union():
            first, *others = (_side(each, names, step.carries) for each in step.inputs)
            chain = Chain((first, *(call(".union", each) for each in others)))
            return function(names[step.name], f"All rows of {len(others) + 1} queries.", [], chain)
        case Select():
            return _select(step, names)
        case Windowed():
            return _windowed(step, names)
        case Grouped():
            return _grouped(step, names)
        case Sessions():
            return sessions_step(step, names)
        case TotaledSessions():
            return totaled_sessions_step(step, names)
        case OverRows():
            return over_step(step, names)
        case MatchRows():
            return match_step(step, names)
        case FilledRows():
            return filled_step(step, names)
        case PanedRows():
            return panes_step(step, names)
        case (
            ChangedRows()
            | TableRows()
            | Totaled()
            | CountedRows()
            | UntilPartnered()
            | PairedRows()
            | TopRows()
            | OverChanged()
        ):
            return changing_step(step, names)
        case _:
            assert_never(step)


def _input_step(step: Read | Watermarked | Late | Bad | Static, names: Names) -> str:
    match step:
        case Read():
            return _read(step, names)
        case Watermarked():
            return _watermarked(step, names)
        case Late():
            built = [f"    {names[step.of]}(job)"]
            result = call("job.late_rows", literal(step.source))
            doc = f"The rows that the watermark of {step.source} refuses."
            return function(names[step.name], doc, built, result)
        case Bad():
            built = [f"    {names[step.of]}(job)"]
            rows = _clocked(step, call("job.bad_rows", literal(step.source)))
            doc = f"The records of {step.source} that do not fit its columns."
            return function(names[step.name], doc, built, rows)
        case Static():
            registered = [f"    {names[table]}(job)" for table in step.tables]
            result = call("job.query", literal(step.view), literal(step.sql))
            return function(names[step.name], f"Static rows: {step.view}.", registered, result)


def output_function(output: Output, names: Names) -> str:
    """The function of an output that holds rows back or reads the clock."""
    rows: Code = call(names[output.step], "job")
    if output.carries.changes:
        doc, what = "Every change, with its _time and _diff.", "job.changelog"
        if not output.changes:
            doc, what = "Each row as it comes; none goes again.", "job.appended"
        every: list[Code] = []
        if output.revised is not None:
            doc = "Final rows, and what late ones change in them, with _time and _diff."
            every = [keyword("until", bound(output.revised))]
        if output.every is not None:
            doc = "What has changed, each time net of all before, with _time and _diff."
            every = [keyword("every", timedelta_code(output.every))]
        return function(names[output_key(output)], doc, [], call(what, rows, *every))
    in_order = ("in_order=True",) if output.in_order else ()
    is_held = output.carries is Carries.DUE
    links = [call("job.delay", rows, *in_order) if is_held else rows]
    if output.emitted:
        links += [
            Call(".withColumn", (literal(each.column), _CLOCKS[each])) for each in output.clocks
        ]
        links.append(selected(output.emitted))
    doc = "Each row when it is due." if is_held else "The rows as they are emitted."
    if output.order:
        doc = f"{doc[:-1]}, in order of {', '.join(each.column for each in output.order)}."
        keys = Call("", tuple(map(sort_key, output.order)), "[]")
        links.append(call(".transform", "tvfc.in_order", keys))
        links += [call(".drop", *map(literal, output.hidden))] if output.hidden else []
    return function(names[output_key(output)], doc, [], Chain(tuple(links)))


def _read(step: Read, names: Names) -> str:
    name, constant = names[step.name], names[step.name].upper()
    if step.static:
        return function(name, f"Table {step.source}.", [], call("job.table", constant))
    if step.ticks:
        doc = f"Source {step.source}, by the wall clock."
        return function(name, doc, [], call("job.on_wall_clock", constant))
    if step.strategy is None or step.time is None:
        result = _clocked(step, call("job.stream", constant))
        return function(name, f"Source {step.source}.", [], result)
    mark = _watermark(step.time, step.strategy, step.idle_after, step.allowance, step.per)
    doc = f"Source {step.source}, without the rows that its watermark refuses."
    result = call("job.watermarked", constant, "watermark")
    return function(name, doc, [assignment("watermark", mark, 1)], result)


def _clocked(step: Read | Bad, rows: Code) -> Code:
    """Rows that do not move the clock of their query; where it has one, it comes with them."""
    return call("job.beside_clock", rows) if step.beside_clock else rows


def _watermarked(step: Watermarked, names: Names) -> str:
    allowance = step.allowance
    mark = assignment("watermark", _watermark(step.time, step.strategy, allowance=allowance), 1)
    doc = f"Rows of {step.input.step}, without those that this watermark refuses."
    rows: Code = call(names[step.input.step], "job")
    if step.input.alias:
        rows = Chain((rows, call(".alias", literal(step.input.alias))))
    numbers = [] if step.epoch_ms is None else [keyword("epoch_ms", literal(step.epoch_ms))]
    result = call("job.on_time", literal(step.source), rows, "watermark", *numbers)
    return function(names[step.name], doc, [mark], result)


def _watermark(
    time: str,
    strategy: str,
    idle_after: timedelta | None = None,
    allowance: timedelta = timedelta(0),
    per: str | None = None,
) -> Code:
    arguments = [keyword("time", literal(time))]
    shift = shift_of(strategy)
    if shift is None or shift[0] != time or shift[1] > timedelta(0):
        arguments.append(keyword("strategy", literal(strategy)))
    elif shift[1]:
        arguments.append(keyword("delay", timedelta_code(-shift[1])))
    if per is not None:
        arguments.append(keyword("per", literal(per)))
    if idle_after is not None:
        arguments.append(keyword("idle_after", timedelta_code(idle_after)))
    if allowance:
        arguments.append(keyword("allowance", timedelta_code(allowance)))
    return call("tvfc.Watermark", *arguments)


def _side(each: Input, names: Names, carries: Carries) -> Code:
    """One side of a union, with what its peers carry of the clock."""
    rows = call(names[each.step], "job")
    if each.carries is carries:
        return rows
    if carries is Carries.UPDATES:
        return updates_of(each, names)
    if carries is Carries.DUE:
        return call("tvfc.with_due", rows, "tvfc.at_once()")
    return call("tvfc.with_validity", rows)


def _windowed(step: Windowed, names: Names) -> str:
    is_session = step.kind == "session"
    rows = delayed(step.input, names) if is_session else call(names[step.input.step], "job")
    arguments: list[Code] = [rows, literal(step.time)]
    if is_session:
        arguments.append(keyword("keys", Call("", tuple(map(literal, step.keys)), "[]")))
    arguments += [keyword(name, timedelta_code(length)) for name, length in step.sizes]
    if step.gap is not None:
        arguments.append(keyword("gap", literal(step.gap)))
    if is_session and step.later:
        arguments.append(keyword("later", timedelta_code(step.later)))
    doc = f"Rows of {step.input.step} with their windows."
    return function(names[step.name], doc, [], call(f"tvfc.{step.kind}", *arguments))


def _grouped(step: Grouped, names: Names) -> str:
    closes = "job.clock()" if step.held else bound(step.closes)
    members = call("tvfc.closing", delayed(step.input, names), closes)
    clauses = [
        *clause("SELECT", [aliased(each) for each in step.items]),
        from_members(step.input.alias),
        *clause("GROUP BY", [CLOSE, *(braced(each) for each in step.group)]),
        *([f"HAVING {braced(step.having)}"] if step.having else []),
    ]
    query, result = grouped_query(clauses, step.types, step.input.alias)
    statements = [f"    {names[table]}(job)" for table in step.tables]
    statements += [assignment("members", members, 1), *query]
    doc = f"Groups of {step.input.step}, each when it is final."
    return function(names[step.name], doc, statements, result)


def _select(step: Select, names: Names) -> str:
    statements = [f"    {names[table]}(job)" for table in step.tables]
    marks = marks_of(step)
    statements += [assignment(m.variable, m.value, 1) for m in marks if m.variable and m.value]
    links: list[Code] = [call(names[step.input.step], "job")]
    if step.input.alias:
        links.append(call(".alias", literal(step.input.alias)))
    lefts = [step.input]
    for each in step.joins:
        links += [_READ_FIRST] if each.read_first == "left" else []
        links += _join(each, names, lefts)
        if each.kind not in ("leftsemi", "leftanti"):
            lefts.append(each.input)
    links += [_READ_FIRST] if step.wholly_read else []
    links += [call(".where", literal(condition)) for condition in step.where]
    if step.items and not marks:
        links.append(selected(step.items))
    elif marks and not step.items:
        computed = [mark for mark in marks if mark.variable]
        links += [call(".withColumn", literal(m.name), m.variable or "") for m in computed]
    elif marks:
        columns = tuple(_column(each) for each in step.items)
        links.append(Call(".select", (*columns, *(mark.column for mark in marks))))
    links += [call(".transform", "tvfc.netted")] if step.netted else []
    return function(names[step.name], _doc(step), statements, Chain(tuple(links)))


def _join(join: JoinWith, names: Names, lefts: list[Input]) -> list[Code]:
    """The calls that join one more input to those on its left."""
    rows: Code = call(names[join.input.step], "job")
    if join.input.alias:
        rows = Chain((rows, call(".alias", literal(join.input.alias))))
    if join.read_first == "right":
        rows = Chain((rows, _READ_FIRST))
    if join.has_range:
        return _join_in_time(join, rows, lefts)
    if join.kind == "cross":
        return [call(".crossJoin", rows)]
    condition: Code = call("tvfc.sql", literal(join.on or "TRUE"))
    if join.using:
        condition = Call("", tuple(literal(name) for name in join.using), "[]")
    how = () if join.kind == "inner" else (literal(join.kind),)
    return [call(".join", rows, condition, *how)]


_READ_FIRST = call(".transform", "tvfc.wholly_read")


def _join_in_time(join: JoinWith, rows: Code, lefts: list[Input]) -> list[Code]:
    """A join whose rows find partners until some time; Spark has none that keeps the others."""
    sides = (("left_until", join.left_until), ("right_until", join.right_until))
    arguments = [keyword(name, _first(untils)) for name, untils in sides if untils]
    if join.kind == "leftsemi" and join.right_until:
        arguments.append(keyword("now", "job.clock()"))
    if join.right_only_if is not None:
        arguments.insert(0, keyword("right_only_if", literal(join.right_only_if)))
    if join.left_only_if is not None:
        arguments.insert(0, keyword("left_only_if", literal(join.left_only_if)))
    if join.kind not in ("inner", "cross"):
        arguments.insert(0, keyword("how", literal(join.kind)))
    on = literal(join.on or "TRUE")
    joined = call(".transform", "tvfc.join_in_time", rows, on, *arguments)
    if join.kind != "leftanti":
        return [joined]
    kept = [each.alias for each in lefts if each.alias]
    return [joined, call(".select", *(literal(f"{quoted(alias)}.*") for alias in kept))]


def _first(untils: tuple[Until, ...]) -> Code:
    """When the first of several moments is there."""
    found = [
        bound(each) if isinstance(each, Lower) else call("tvfc.gone", literal(_valid(each)))
        for each in untils
    ]
    return found[0] if len(found) == 1 else call("tvfc.earliest", *found)


def _valid(leaves: Leaves) -> str:
    return f"{quoted(leaves.alias)}.{VALID}"


def _column(item: Item) -> Code:
    """An item beside a due time: a plain name as it is, the rest by sql()."""
    parts = item.sql.split(".")
    plain = item.name is None and all(part.isidentifier() for part in parts)
    plain = plain and item.sql.lower() not in VALUES
    return literal(item.sql) if plain else call("tvfc.sql", literal(item_sql(item)))


def _doc(step: Select) -> str:
    others = [join.input.step for join in step.joins]
    what = f"Rows of {step.input.step}" + (f" joined with {', '.join(others)}" if others else "")
    return f"{what}, and {_WHEN[step.carries]}." if step.carries in _WHEN else f"{what}."


_WHEN = {
    Carries.DUE: "when each is due",
    Carries.VALIDITY: "when each is in the result",
    Carries.VALID_UPDATES: "when each counts",
}
