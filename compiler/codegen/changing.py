"""Steps whose rows change: groups, set operations and first rows, kept up by the runtime."""

from __future__ import annotations

from compiler.codegen.names import Names
from compiler.codegen.quoting import literal
from compiler.codegen.writer import Call as CodeCall
from compiler.codegen.writer import Chain, Code, call, function, keyword
from compiler.release.nodes import (
    Call,
    Carries,
    ChangedRows,
    CountedRows,
    Input,
    OverChanged,
    PairedRows,
    Rule,
    SortKey,
    TableRows,
    TopRows,
    Totaled,
    UntilPartnered,
)

_MEANING = {
    Rule.DISTINCT: "Each row of {} once, as it comes and goes.",
    Rule.INTERSECT: "Each row that is in both {} and {} once, as it comes and goes.",
    Rule.INTERSECT_ALL: "Rows that are in both {} and {}, as they come and go.",
    Rule.EXCEPT: "Each row of {} that is not in {} once, as it comes and goes.",
    Rule.EXCEPT_ALL: "Rows of {} without those of {}, as they come and go.",
    Rule.MATCHED: "Rows of {} that are in {}, as they come and go.",
    Rule.UNMATCHED: "Rows of {} that are not in {}, as they come and go.",
}
"""How often a row stands in the result, for the reader of a job."""


def changing_step(
    step: ChangedRows
    | TableRows
    | Totaled
    | CountedRows
    | UntilPartnered
    | PairedRows
    | TopRows
    | OverChanged,
    names: Names,
) -> str:
    """The function of a step whose rows come and go."""
    match step:
        case ChangedRows():
            return _changes(step, names)
        case TableRows():
            return _table(step, names)
        case Totaled():
            return _totals(step, names)
        case CountedRows():
            return _counted(step, names)
        case UntilPartnered(inputs=(rows, gone)):
            doc = f"Rows of {rows.step}, each until it is in {gone.step}."
            both = (call(names[each.step], "job") for each in (rows, gone))
            return function(names[step.name], doc, [], call("tvfc.until_in", *both))
        case PairedRows():
            return _paired(step, names)
        case TopRows():
            return _top(step, names)
        case OverChanged():
            return _over(step, names)


def updates_of(side: Input, names: Names) -> Code:
    """The rows of another step as they come and go."""
    rows = call(names[side.step], "job")
    return rows if side.carries is Carries.UPDATES else call("job.updates", rows)


def _changes(step: ChangedRows, names: Names) -> str:
    records = call(names[step.input.step], "job")
    if not step.key:
        doc = "Rows as they come and go, which the records tell."
        return function(names[step.name], doc, [], call("job.changes", records))
    doc = f"The last row of each {', '.join(step.key)}, as they come and go."
    keys = keyword("key", _list(map(literal, step.key)))
    return function(names[step.name], doc, [], call("job.latest", records, keys))


def _table(step: TableRows, names: Names) -> str:
    rows = call("job.from_start", literal(step.table), call(names[step.input.step], "job"))
    rows = call("job.beside_clock", rows) if step.beside_clock else rows
    doc = f"Rows of {step.input.step}, there from the start."
    return function(names[step.name], doc, [], call("job.changes", rows))


def _totals(step: Totaled, names: Names) -> str:
    keys = _list(map(literal, step.keys))
    arguments = [updates_of(step.input, names), keys, *map(totals_call, step.calls), *_timing(step)]
    if not step.input.carries.changes and any(each.is_at_end for each in step.calls):
        arguments.append("grows=True")
    by = f" by {', '.join(step.keys)}" if step.keys else ""
    doc = f"Totals of {step.input.step}{by}, as they change."
    return function(names[step.name], doc, [], call("job.aggregate", *arguments))


def totals_call(each: Call) -> Code:
    """A call of an aggregate of the runtime."""
    arguments: list[Code] = [
        keyword("name", literal(each.name)),
        keyword("function", literal(each.function)),
    ]
    if each.arguments:
        values = CodeCall("", tuple(map(literal, each.arguments)))
        arguments.append(keyword("arguments", values))
    if each.where:
        arguments.append(keyword("filter", literal(each.where)))
    if each.distinct:
        arguments.append("distinct=True")
    if each.limit is not None:
        arguments.append(keyword("limit", str(each.limit)))
    if each.constants:
        constants = CodeCall("", tuple(map(_constant, each.constants)))
        arguments.append(keyword("constants", constants))
    if each.descending:
        arguments.append("descending=True")
    return call("tvfc.Call", *arguments)


def _constant(value: float | str) -> str:
    return literal(value) if isinstance(value, str) else repr(value)


def _counted(step: CountedRows, names: Names) -> str:
    legs = [updates_of(each, names) for each in step.inputs]
    doc = _MEANING[step.rule].format(*(each.step for each in step.inputs))
    rule = keyword("rule", literal(step.rule.value))
    result = call("job.multiplicity", *legs, rule, *_timing(step))
    return function(names[step.name], doc, [], result)


def _paired(step: PairedRows, names: Names) -> str:
    sides = [updates_of(each, names) for each in step.inputs]
    keys = _list(CodeCall("", tuple(map(literal, key))) for key in step.keys)
    doc = _PAIRED[step.kind].format(*(each.step for each in step.inputs))
    how = () if step.kind == "inner" else (keyword("how", literal(step.kind)),)
    arguments = (*sides, keyword("on", keys), *how, *_timing(step))
    return function(names[step.name], doc, [], call("job.join", *arguments))


_PAIRED = {
    "inner": "Pairs of rows of {} and {}, as they come and go.",
    "left": "Rows of {}, paired with those of {} if there are any, as they come and go.",
    "right": "Rows of {1}, paired with those of {0} if there are any, as they come and go.",
    "full": "Rows of {} and {}, in pairs if there are any, as they come and go.",
    "leftsemi": "Rows of {} that have a partner in {}, as they come and go.",
    "leftanti": "Rows of {} that have no partner in {}, as they come and go.",
}


def _top(step: TopRows, names: Names) -> str:
    arguments: list[Code] = [updates_of(step.input, names)]
    if step.partition:
        arguments.append(keyword("partition", _list(map(literal, step.partition))))
    arguments.append(keyword("order", _list(map(sort_key, step.order))))
    arguments.append(keyword("limit", str(step.limit)))
    if step.offset:
        arguments.append(keyword("offset", str(step.offset)))
    if step.kind != "row_number":
        arguments.append(keyword("kind", literal(step.kind)))
    if step.number:
        arguments.append(keyword("number_column", literal(step.number)))
    arguments += _timing(step)
    of = f" of each {', '.join(step.partition)}" if step.partition else ""
    doc = f"The first rows of {step.input.step}{of}, as they change."
    rows: Code = call("job.top", *arguments)
    if step.hidden:
        rows = Chain((rows, call(".drop", *map(literal, step.hidden))))
    return function(names[step.name], doc, [], rows)


def _over(step: OverChanged, names: Names) -> str:
    arguments: list[Code] = [updates_of(step.input, names)]
    for each in step.columns:
        parts = [keyword("name", literal(each.name)), keyword("call", literal(each.call))]
        parts += [keyword("frame", literal(" ".join(each.over)))] if each.over else []
        arguments.append(call("tvfc.WindowFunction", *parts))
    if step.partition:
        arguments.append(keyword("partition", _list(map(literal, step.partition))))
    if step.order:
        arguments.append(keyword("order", _list(map(sort_key, step.order))))
    arguments += _timing(step)
    doc = f"Rows of {step.input.step} with window functions, as they change."
    return function(names[step.name], doc, [], call("job.windows", *arguments))


def _timing(step: Totaled | CountedRows | PairedRows | TopRows | OverChanged) -> list[Code]:
    """Whether changes are told batch by batch, and wait for the clock."""
    waits = isinstance(step, CountedRows | PairedRows) and step.waits
    found = [("per_batch=True", step.per_batch), ("waits=True", waits)]
    return [text for text, is_so in found if is_so]


def sort_key(key: SortKey) -> Code:
    """A column to sort by, and how."""
    arguments: list[Code] = [literal(key.column)]
    if key.descending:
        arguments.append("descending=True")
    if key.nulls_first == key.descending:
        arguments.append(f"nulls_first={key.nulls_first}")
    return call("tvfc.Sort", *arguments)


def _list(items: object) -> CodeCall:
    return CodeCall("", tuple(items), "[]")  # type: ignore[arg-type]
