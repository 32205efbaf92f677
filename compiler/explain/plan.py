"""Plans as text: a tree, one node a line, inputs indented below their users, and what is known.

Columns that the compiler has named are shown as what the query has written for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from compiler.bind.sources.watermark_groups import KAFKA_PARTITION
from compiler.escapes import visible
from compiler.explain.match import match_label
from compiler.explain.nodes import is_large, table_of_nodes
from compiler.plan.conditions.predicates import (
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
    clock_atoms,
)
from compiler.plan.facts.properties import properties_of
from compiler.plan.nodes import (
    Aggregate,
    Alias,
    Bad,
    Call,
    Changed,
    Counted,
    Filled,
    Filter,
    Item,
    Join,
    Late,
    Match,
    Named,
    Output,
    Over,
    OverChanges,
    Paired,
    Plan,
    Program,
    Project,
    Rule,
    Scan,
    Source,
    StaticQuery,
    TableRows,
    TemporalFilter,
    Top,
    Totals,
    UnionAll,
    Watermark,
    Watermarked,
    Windows,
    children,
    walk,
)
from compiler.plan.written_names import as_written, names_of_ours
from compiler.sql.exprs import Binding, Clock
from compiler.sql.lengths import interval_sql
from compiler.sql.names import is_ours, own_name


def explain_plan(program: Program) -> str:
    """The plan of each output, and what is known of its rows."""
    return "\n\n".join(map(_plan_of, program.outputs)) + "\n"


def _plan_of(output: Output) -> str:
    names = names_of_ours(output.plan)
    tree = [as_written(line, names) for line in _tree(output.plan)]
    lines = [f"plan of {output.sink.name}", *tree, *_facts(output, names)]
    return "\n".join(map(visible, lines))


def _facts(output: Output, names: dict[str, str]) -> list[str]:
    facts = properties_of(output.plan)
    lines = [
        ("result", "append-only" if facts.append_only else f"changing, by {output.why}"),
        *(("clock", clock) for clock in _clock(output.plan)),
        *(("watermark", each) for each in _watermarks(output.plan) or ("none",)),
        *(("state", line) for line in kept_for(output) or ("none",)),
        ("receives", _received(output)),
        *([("in order", _order(output))] if output.order else []),
        *([("delivery", _delivery(output))] if output.sink.format == "kafka" else []),
        *([("written", f"by the query of {output.beside}")] if output.beside else []),
    ]
    return [
        "properties",
        *(f"  {name:<9}  {as_written(text, names)}" for name, text in lines),
        *table_of_nodes(output.plan, names),
    ]


def kept_for(output: Output) -> tuple[str, ...]:
    """What is kept for a plan, and for its changes where they are told together."""
    kept = properties_of(output.plan).state
    return (
        kept
        if output.every is None
        else (*kept, f"what changes, until {interval_sql(output.every)} are over")
    )


def _clock(plan: Plan) -> list[str]:
    """The wall clock, if a query runs on it; else the watermarks say it all."""
    atoms = [
        atom
        for node in walk(plan)
        if isinstance(node, TemporalFilter)
        for atom in clock_atoms(node.predicate)
    ]
    return ["mz_now(), the wall clock"] if any(a.clock is Clock.WALL for a in atoms) else []


def _watermarks(plan: Plan) -> list[str]:
    """The columns that move the clock, each with its strategy; the least of them decides."""
    found: dict[str, None] = {}
    for node in walk(plan):
        match node:
            case Scan(source=Source(name=name, watermark=Watermark() as mark)):
                found[f"{name}.{mark.column}, {_strategy(mark)}"] = None
            case Watermarked(source=name, watermark=mark):
                found[f"{name}.{mark.column}, {_strategy(mark)}"] = None
            case _:
                pass
    return sorted(found)


def _strategy(mark: Watermark) -> str:
    idle = f", idle after {interval_sql(mark.idle_after)}" if mark.idle_after else ""
    late = f", late rows for {interval_sql(mark.allowance)}" if mark.allowance else ""
    per = f", the least of every {_group(mark.per)}" if mark.per else ""
    return f"the greatest {mark.strategy} so far{per}{idle}{late}"


def _group(per: str) -> str:
    return "partition" if per == KAFKA_PARTITION else per


def _received(output: Output) -> str:
    """What the sink is given."""
    if output.sink.key:
        keys = ", ".join(output.sink.key)
        if output.sink.format == "kafka" and not output.changes:
            return f"rows, once each, with the key {keys}"
        return (
            f"upserts and deletes by {keys}, net of {_each_time(output)}"
            if output.changes
            else f"upserts by {keys}"
        )
    if output.every is not None:
        return f"a row for each change, with _time and _diff, net of {_each_time(output)}"
    return "a row for each change, with _time and _diff" if output.changes else "rows, once each"


def _order(output: Output) -> str:
    """By what the rows of all batches are in order."""
    return ", ".join(f"{each.column}{' desc' if each.descending else ''}" for each in output.order)


def _delivery(output: Output) -> str:
    """How often Kafka gets a record."""
    given = {name.lower(): value for name, value in output.sink.options}
    if given.get("delivery") == "at-least-once":
        return "at least once: the last batch may come again after a crash"
    return "exactly once, a transaction for each batch"


def _each_time(output: Output) -> str:
    return "each batch" if output.every is None else f"every {interval_sql(output.every)}"


def _tree(plan: Plan) -> Iterator[str]:
    """A line a node. In a large plan, what several read is shown where it is read first."""
    seen: set[int] = set()
    stack = [(plan, 1)]
    while stack:
        node, depth = stack.pop()
        is_again = id(node) in seen and is_large(plan)
        yield "  " * depth + label(node) + (", as above" if is_again else "")
        seen.add(id(node))
        if not is_again:
            stack.extend((each, depth + 1) for each in reversed(children(node)))


def label(node: Plan) -> str:  # noqa: C901  a line for each kind of node
    """One line for a node."""
    match node:
        case Scan() | Watermarked() | Late() | Bad():
            return _input(node)
        case StaticQuery(sql=sql):
            return f"Tables {sql}"
        case Named(name=name, is_made=is_made):
            return f"{'Rows' if is_made else 'View'} {name}"
        case Changed(key=key):
            return (
                f"Changes{f', the last row of each {names}' if (names := ', '.join(key)) else ''}"
            )
        case TableRows(table=table):
            return f"Rows of {table}, there from the start"
        case Alias(name=name):
            return f"Alias {name}"
        case Join():
            return _join(node)
        case Filter(predicate=predicate):
            return f"Filter {predicate.sql}"
        case TemporalFilter(predicate=predicate):
            return f"TemporalFilter {show(predicate)}"
        case Project(items=items):
            return f"Project {', '.join(_item(each) for each in items)}"
        case UnionAll():
            return "UnionAll"
        case Windows() | Aggregate() | Over() | Filled():
            return _of_windows(node)
        case Totals() | Counted() | Paired() | Top() | OverChanges():
            return _changing(node)
        case Match():
            return match_label(node)
        case _:
            assert_never(node)


def _of_windows(node: Windows | Aggregate | Over | Filled) -> str:
    match node:
        case Filled():
            return _filled(node)
        case Aggregate():
            return _aggregate(node)
        case Over():
            return _over(node)
        case Windows():
            return _windows(node)


def _changing(node: Totals | Counted | Paired | Top | OverChanges) -> str:
    match node:
        case Totals(keys=keys, calls=calls):
            by = f" by {', '.join(keys)}" if keys else ""
            return f"Totals {', '.join(map(_call, calls)) or 'of rows'}{by}"
        case Counted(rule=rule):
            return _RULES[rule]
        case Paired(kind=kind, keys=keys):
            on = " and ".join(f"{one} = {two}" for one, two in keys)
            return f"Paired {kind}{f' on {on}' if on else ''}"
        case Top():
            return _top(node)
        case OverChanges(columns=columns):
            return f"OverChanges {', '.join(each.shown for each in columns)}"


_RULES = {
    Rule.DISTINCT: "Distinct",
    Rule.INTERSECT: "Intersect",
    Rule.INTERSECT_ALL: "Intersect all",
    Rule.EXCEPT: "Except",
    Rule.EXCEPT_ALL: "Except all",
    Rule.MATCHED: "Semi: rows of the first that the second has",
    Rule.UNMATCHED: "Anti: rows of the first that the second has not",
}


def _call(call: Call) -> str:
    distinct = "DISTINCT " if call.distinct else ""
    where = f" FILTER (WHERE {call.where})" if call.where else ""
    constants = [*([] if call.limit is None else [str(call.limit)]), *map(repr, call.constants)]
    given = ", ".join([*call.arguments, *constants])
    order = " descending" if call.descending else ""
    return f"{call.name} = {call.function}({distinct}{given or '*'}){order}{where}"


def _top(node: Top) -> str:
    first = f"first {node.limit}" if node.limit is not None else "all"
    offset = f" after {node.offset}" if node.offset else ""
    of = f" of {', '.join(node.partition)}" if node.partition else ""
    keys = ", ".join(f"{each.column}{' desc' if each.descending else ''}" for each in node.order)
    return f"Top {first}{offset}{of}{f' by {keys}' if keys else ''}"


def _windows(node: Windows) -> str:
    sizes = [f"{name} {interval_sql(length)}" for name, length in node.sizes]
    sizes += [f"gap {node.gap.sql}"] if node.gap else []
    lengths = ", ".join(sizes)
    keys = f" of {', '.join(each.sql for each in node.keys)}" if node.keys else ""
    return f"Windows {node.kind} {node.time}{keys}, {lengths}"


def _join(node: Join) -> str:
    using = f" using {', '.join(node.using)}" if node.using else ""
    asked = (("left", node.left_only_if), ("right", node.right_only_if))
    only_if = "".join(f" {side} only if {term.sql}" for side, term in asked if term)
    return f"Join {node.kind}{f' on {node.on.sql}' if node.on else using}{only_if}"


def _aggregate(node: Aggregate) -> str:
    keys = ", ".join(each.sql for each in node.group)
    having = f" having {node.having.sql}" if node.having else ""
    closes = f"after {node.closes.sql}" if node.closes_after else f"at {node.closes.sql}"
    items = ", ".join(_item(each) for each in node.items)
    held = ", once no older row waits" if node.held else ""
    return f"Aggregate {items} by {keys}{having}, closes {closes}{held}{_panes(node)}"


def _panes(node: Aggregate) -> str:
    """In which pieces windows are counted, or why not in pieces."""
    if node.pane is not None:
        return f", in panes of {interval_sql(node.pane)}"
    return f", not in panes: {node.whole}" if node.whole is not None else ""


def _over(node: Over) -> str:
    columns = ", ".join(each.shown for each in node.columns)
    word = "after" if node.closes_after else "at"
    last = dict.fromkeys(each.sql for each in (node.closes, *node.complete))
    text = f"Over {columns}, complete {word} {' and '.join(last)}"
    if node.release is None:
        return text
    word = "after" if node.release_after else "at"
    return f"{text}, leaves {word} {node.release.sql}, once no older row waits"


def _filled(node: Filled) -> str:
    of = f" of each {', '.join(node.keys)}" if node.keys else ""
    silence = f" for {interval_sql(node.silence)}" if node.silence else ""
    slide = f" every {interval_sql(node.slide)}" if node.slide else ""
    slide += f" growing by {interval_sql(node.step)}" if node.step else ""
    return f"Fill ({node.how.value}){silence} windows of {interval_sql(node.size)}{slide}{of}"


def _item(item: Item) -> str:
    sql = item.expr.sql
    is_as_named = item.name is None or item.name == own_name(sql) or is_ours(item.name)
    return sql if is_as_named else f"{sql} AS {item.name}"


def _input(node: Scan | Watermarked | Late | Bad) -> str:
    if isinstance(node, Bad):
        return f"Bad {node.input.source.name}"
    if isinstance(node, Late):
        return f"Late {node.source}"
    if isinstance(node, Watermarked):
        return f"Watermark {node.watermark.strategy}"
    source = node.source
    if source.static:
        return f"Table {source.name}"
    if source.watermark is None:
        return f"Source {source.name}"
    mark = source.watermark
    idle = f" idle after {interval_sql(mark.idle_after)}" if mark.idle_after else ""
    per = f" per {_group(mark.per)}" if mark.per else ""
    return f"Source {source.name} watermark {mark.strategy}{per}{idle}"


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
