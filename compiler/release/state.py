"""What a streaming query keeps in its checkpoint, as data: whose state may be continued by whom.

Two queries with the same description find in each other's checkpoints what they would have written
themselves. So it says, in the terms of the query and not of our classes, everything that decides
what is kept: which rows come into state, their columns and types, by which keys they are found
again, when they are due and until when they stay, and in which order Spark numbers sources and
operators. What is done to rows after they have left the last state is not in it, nor how SQL is
spelled, nor what aliases and views are called.

What is in doubt is in it: a query that is refused can be given another checkpoint, while state of
two queries, mixed, would be wrong in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import TypeAlias, TypeGuard, assert_never

from compiler.plan.names import own_name, parts_of
from compiler.plan.spelling import one_spelling
from compiler.release.nodes import (
    Bad,
    Branch,
    Call,
    Carries,
    CountedRows,
    Framed,
    Grouped,
    Input,
    Item,
    JoinWith,
    Late,
    Leaves,
    Lower,
    Output,
    OverRows,
    PairedRows,
    Read,
    ReleaseJob,
    Select,
    Sessions,
    SortKey,
    Static,
    Step,
    TopRows,
    Totaled,
    Union,
    Until,
    UntilPartnered,
    Upper,
    Watermarked,
    Windowed,
)

VERSION = 1
"""Of the form of descriptions; those of different versions cannot be compared."""

Fact: TypeAlias = "str | int | Sequence[Fact] | Mapping[str, Fact]"
Facts: TypeAlias = dict[str, Fact]

Names = Mapping[str, str]

FREE_OF_SOURCES = frozenset(
    {"badrows", "maxbadrows", "cleansource", "sourcearchivedir", "maxtriggerdelay"}
    | {"maxfilespertrigger", "maxbytespertrigger", "maxoffsetspertrigger", "minoffsetspertrigger"}
)
"""Options that say how much is read at a time, or what becomes of what was read or does not fit."""

FREE_OF_SINKS = frozenset({"compression", "truncate", "numrows"})
"""Options that say how rows look where they are written."""


def states_of(job: ReleaseJob) -> dict[str, list[Facts]]:
    """The state of each streaming query of a job, by the name of the output that leads it.

    The first of its parts is the version of their form; operators, in the order in which they are
    read from the sinks down, and sinks follow.
    """
    queries: dict[str, list[Output]] = {}
    for output in job.outputs:
        queries.setdefault(output.beside or output.name, []).append(output)
    return {name: _state_of(outputs, job) for name, outputs in queries.items()}


def _state_of(outputs: list[Output], job: ReleaseJob) -> list[Facts]:
    described = _Operators({step.name: step for step in job.steps}, keeps=_keeps_rows(outputs, job))
    sinks = [described.sink(each) for each in outputs]
    functions: list[Facts] = [{"function": each} for each in job.functions]
    return [{"version": VERSION}, *described.operators, *sinks, *functions]


def _keeps_rows(outputs: list[Output], job: ReleaseJob) -> bool:
    """Whether any row is in state between two batches."""
    by_name = {step.name: step for step in job.steps}
    pending, seen = [each.step for each in outputs], set()
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            pending += _read_by(by_name[name])
    plain = (Read, Watermarked, Late, Bad, Static, Union)
    steps = [by_name[name] for name in seen]
    return any(each.carries is not Carries.NOTHING or each.key for each in outputs) or not all(
        isinstance(each, plain)
        or (isinstance(each, Select) and not each.joins and each.carries is Carries.NOTHING)
        for each in steps
    )


def _read_by(step: Step) -> list[str]:
    match step:
        case Read():
            return []
        case Late(of=of) | Bad(of=of):
            return [of]
        case Static(tables=tables):
            return list(tables)
        case Union() | CountedRows() | UntilPartnered() | PairedRows():
            return [each.step for each in step.inputs]
        case Select():
            inputs = [step.input, *(join.input for join in step.joins)]
            return [*(each.step for each in inputs), *step.tables]
        case Grouped() | Sessions():
            return [step.input.step, *step.tables]
        case Watermarked() | Windowed() | OverRows() | Totaled() | TopRows():
            return [step.input.step]
        case _:
            assert_never(step)


class _Operators:
    """Operators of a query, in the order in which they are read from its outputs down.

    Each is described once; others name it by its place in the list, from 1.
    """

    def __init__(self, steps: Mapping[str, Step], *, keeps: bool) -> None:
        self.operators: list[Facts] = []
        self._steps = steps
        self._keeps = keeps
        self._places: dict[str, int] = {}

    def sink(self, output: Output) -> Facts:
        """An output, and the place of the rows that it is made of."""
        facts: Facts = {"sink": output.name, "format": output.format}
        options = {
            key.lower(): value
            for key, value in sorted(output.options)
            if key.lower() not in FREE_OF_SINKS
        }
        is_bound = output.carries is not Carries.NOTHING or bool(output.key)
        step = output.step if is_bound else self._below_what_is_free(output.step)
        is_read_by_spark = not is_bound and step == output.step
        more: dict[str, Fact | None] = {
            "options": options,
            "key": [each.lower() for each in output.key],
            "rows": self._place(step),
            "held until due": _yes(output.carries is Carries.DUE),
            "columns": _columns(output.emitted, {}) if is_read_by_spark else None,
            "changes": _yes(output.changes),
        }
        return {**facts, **_given(more)}

    def _below_what_is_free(self, name: str) -> str:
        """The step whose rows an output selects from, where no state of Spark's lies below.

        Spark itself keeps in the state of its own joins and groups what is used above them; what
        the operators of the runtime keep does not depend on that.
        """
        step = self._steps[name]
        while isinstance(step, Select) and not step.joins and not step.tables:
            below = self._steps[step.input.step]
            if not isinstance(below, Select | Read | Watermarked | Late | Bad | OverRows):
                return name
            step = below
        return step.name if isinstance(step, Read | Watermarked | Late | Bad | OverRows) else name

    def _place(self, name: str) -> int:
        """Where the operator of a step stands, after those that it reads."""
        if name not in self._places:
            step = self._steps[name]
            if _is_only_a_name(step):
                self._places[name] = self._place(step.input.step)
            else:
                facts = _given(self._facts(step))
                if facts not in self.operators:
                    self.operators.append(facts)
                self._places[name] = self.operators.index(facts) + 1
        return self._places[name]

    def _facts(self, step: Step) -> dict[str, Fact | None]:  # noqa: C901  a line for each kind
        match step:
            case Read():
                return self._read(step)
            case Watermarked():
                of = self._place(step.input.step)
                facts: dict[str, Fact | None] = {"operator": "watermark", "name": step.source}
                return {**facts, "of": of, **_watermark(step.time, step.strategy, step.input)}
            case Late():
                return {"operator": "late rows", "of": self._place(step.of)}
            case Bad():
                is_beside = _yes(step.beside_clock)
                return {
                    "operator": "bad rows",
                    "of": self._place(step.of),
                    "beside the clock": is_beside,
                }
            case Static():
                tables = self._tables(step.tables)
                return {
                    "operator": "static query",
                    "query": one_spelling(step.sql),
                    "tables": tables,
                }
            case Select():
                return self._select(step)
            case Union():
                return {"operator": "union", "of": [self._place(each.step) for each in step.inputs]}
            case Windowed():
                return self._windowed(step)
            case Grouped():
                return self._grouped(step)
            case Sessions():
                return self._sessions(step)
            case OverRows():
                return self._over(step)
            case _:
                return self._changing(step)

    def _read(self, step: Read) -> dict[str, Fact | None]:
        columns = [
            f"{each.name} {each.type}{' NOT NULL' if each.required else ''}" for each in step.fields
        ]
        options = {
            key.lower(): value
            for key, value in sorted(step.options)
            if key.lower() not in FREE_OF_SOURCES
        }
        return {
            "operator": "table" if step.static else "source",
            "name": step.source,
            "format": step.format,
            "options": options,
            "columns": columns if self._keeps else None,
            **(_watermark(step.time, step.strategy) if step.time and step.strategy else {}),
            "idle after": None if step.idle_after is None else _length(step.idle_after),
            "times in milliseconds": step.epoch_ms,
            "clock": "the wall clock" if step.ticks else None,
            "beside the clock": _yes(step.beside_clock),
        }

    def _select(self, step: Select) -> dict[str, Fact | None]:
        names = _relations([step.input, *(join.input for join in step.joins)])
        return {
            "operator": "join" if step.joins else "rows",
            "of": self._place(step.input.step),
            "with": [self._joined(each, names) for each in step.joins],
            "conditions": _spelled(step.where, names, in_order=False),
            "due": [_branches(each, names) for each in step.releases],
            "columns": _columns(step.items, names),
            "tables": self._tables(step.tables),
        }

    def _joined(self, join: JoinWith, names: Names) -> Facts:
        return _given(
            {
                "rows": self._place(join.input.step),
                "kind": join.kind,
                "on": None if join.on is None else one_spelling(join.on, names),
                "using": [each.lower() for each in join.using],
                "left until": _untils(join.left_until, names),
                "right until": _untils(join.right_until, names),
            }
        )

    def _windowed(self, step: Windowed) -> dict[str, Fact | None]:
        names = _relations([step.input])
        return {
            "operator": f"{step.kind} windows",
            "of": self._place(step.input.step),
            "time": one_spelling(step.time, names),
            **{name: _length(length) for name, length in step.sizes},
            "key": _spelled(step.keys, names),
            "later by": _length(step.later) if step.later else None,
            "held until due": _is_held(step.input) if step.kind == "session" else None,
        }

    def _grouped(self, step: Grouped) -> dict[str, Fact | None]:
        names = _relations([step.input])
        return {
            "operator": "groups",
            "of": self._place(step.input.step),
            "key": _spelled(step.group, names),
            "columns": _columns(step.items, names),
            "having": None if step.having is None else one_spelling(step.having, names),
            "closed": _lower(step.closes, names),
            "types": [f"{name} {one_spelling(sql, names)}" for name, sql in step.types],
            "tables": self._tables(step.tables),
            "whole groups come": _yes(step.held),
            "held until due": _is_held(step.input),
        }

    def _sessions(self, step: Sessions) -> dict[str, Fact | None]:
        names = _relations([step.input])
        return {
            "operator": "sessions",
            "of": self._place(step.input.step),
            "key": _spelled(step.keys, names),
            "time": one_spelling(step.time, names),
            "gap": _length(step.gap),
            "later by": _length(step.later) if step.later else None,
            "without time zone": _yes(step.without_zone),
            "columns": _columns(step.items, names),
            "having": None if step.having is None else one_spelling(step.having, names),
            "types": [f"{name} {one_spelling(sql, names)}" for name, sql in step.types],
            "tables": self._tables(step.tables),
            "held until due": _is_held(step.input),
        }

    def _over(self, step: OverRows) -> dict[str, Fact | None]:
        names = _relations([step.input])
        functions = [
            f"{one_spelling(each.call, names)} "
            f"over ({' '.join(one_spelling(part, names) for part in each.over or ())}) "
            f"as {each.name.lower()}"
            for each in step.columns
        ]
        return {
            "operator": "window functions",
            "of": self._place(step.input.step),
            "functions": functions,
            "frames": [_frame(each, names) for each in step.frames],
            "closed": _lower(step.closes, names),
            "complete": [_lower(each, names) for each in step.complete],
            "left": None if step.release is None else _lower(step.release, names),
            "held until due": _is_held(step.input),
        }

    def _changing(
        self, step: Totaled | CountedRows | UntilPartnered | PairedRows | TopRows
    ) -> dict[str, Fact | None]:
        match step:
            case Totaled():
                return {
                    "operator": "totals",
                    "of": self._place(step.input.step),
                    "key": _spelled(step.keys),
                    "totals": [_total(each) for each in step.calls],
                }
            case CountedRows():
                return {
                    "operator": "multiplicity",
                    "of": [self._place(each.step) for each in step.inputs],
                    "rule": step.rule.value,
                }
            case UntilPartnered():
                return {
                    "operator": "rows without partner",
                    "of": [self._place(each.step) for each in step.inputs],
                }
            case PairedRows():
                return {
                    "operator": "join of changing rows",
                    "of": [self._place(each.step) for each in step.inputs],
                    "kind": step.kind,
                    "key": [" = ".join(map(one_spelling, pair)) for pair in step.keys],
                }
            case TopRows():
                return {
                    "operator": "first rows",
                    "of": self._place(step.input.step),
                    "key": _spelled(step.partition),
                    "order": [_sort_key(each) for each in step.order],
                    "limit": step.limit,
                    "offset": step.offset or None,
                    "counted by": step.kind,
                    "number": None if step.number is None else step.number.lower(),
                }
            case _:
                assert_never(step)

    def _tables(self, names: Iterable[str]) -> dict[str, Fact]:
        """Tables that SQL reads, by the names that it has for them."""
        found: dict[str, Fact] = {}
        for name in names:
            step = self._steps[name]
            match step:
                case Static(view=view):
                    name_in_sql = view
                case Read(source=source):
                    name_in_sql = source
                case _:
                    name_in_sql = name
            found[name_in_sql.lower()] = self._place(name)
        return found


def _given(facts: Mapping[str, Fact | None]) -> Facts:
    """Facts without those that there are none of."""
    return {
        name: list(fact) if isinstance(fact, tuple) else fact
        for name, fact in facts.items()
        if fact is not None and fact not in ([], (), {})
    }


def _is_only_a_name(step: Step) -> TypeGuard[Select]:
    """Whether rows pass through a step as they are."""
    return isinstance(step, Select) and not (
        step.joins or step.where or step.releases or step.items or step.tables
    )


def _relations(inputs: Sequence[Input]) -> dict[str, str]:
    """What stands for the aliases of inputs: their places, as aliases may be others."""
    return {each.alias.lower(): f"#{place}" for place, each in enumerate(inputs, 1) if each.alias}


def _spelled(texts: Iterable[str], names: Names | None = None, *, in_order: bool = True) -> Fact:
    found = [one_spelling(each, names) for each in texts]
    return found if in_order else sorted(found)


def _columns(items: Iterable[Item], names: Names) -> Fact:
    return [_column(each, names) for each in items]


def _column(item: Item, names: Names) -> str:
    sql = one_spelling(item.sql, names)
    is_own = item.name is None or item.name.lower() == own_name(sql)
    return sql if is_own else f"{sql} as {str(item.name).lower()}"


def _watermark(time: str, strategy: str, input_: Input | None = None) -> dict[str, Fact | None]:
    names = _relations([input_]) if input_ else {}
    return {"time": one_spelling(time, names), "watermark": one_spelling(strategy, names)}


def _branches(branches: Iterable[Branch], names: Names) -> Fact:
    """When rows are in the result; neither branches nor what is in one are in any order."""
    return sorted(_branch(each, names) for each in branches)


def _branch(branch: Branch, names: Names) -> str:
    guards = sorted(one_spelling(each.sql, names) for each in branch.guards)
    lowers = sorted(_lower(each, names) for each in branch.lowers)
    uppers = sorted(_upper(each, names) for each in branch.uppers)
    from_ = " and ".join(lowers) or "at once"
    until = f" until {' or '.join(uppers)}" if uppers else ""
    condition = f" if {' and '.join(f'({each})' for each in guards)}" if guards else ""
    return f"{from_}{until}{condition}"


def _lower(lower: Lower, names: Names) -> str:
    return f"{'after' if lower.strict else 'at'} {one_spelling(lower.bound, names)}"


def _upper(upper: Upper, names: Names) -> str:
    return f"{'at' if upper.strict else 'after'} {one_spelling(upper.bound, names)}"


def _untils(untils: Iterable[Until], names: Names) -> Fact:
    return sorted(
        f"{names.get(each.alias.lower(), each.alias)} leaves"
        if isinstance(each, Leaves)
        else _lower(each, names)
        for each in untils
    )


def _frame(frame: Framed, names: Names) -> Facts:
    return _given(
        {
            "key": _spelled(frame.partition, names),
            "order": _spelled(frame.order, names),
            "rows before": "all" if frame.before is None else frame.before,
            "rows after": frame.after,
            "until": None if frame.until is None else _lower(frame.until, names),
        }
    )


def _total(call: Call) -> str:
    values = ", ".join(map(one_spelling, call.arguments))
    distinct = "distinct " if call.distinct else ""
    where = f" where {one_spelling(call.where)}" if call.where else ""
    limit = f" limit {call.limit}" if call.limit is not None else ""
    return f"{call.function.lower()}({distinct}{values}){where}{limit} as {call.name.lower()}"


def _sort_key(key: SortKey) -> str:
    column = parts_of(key.column)[-1].lower() if parts_of(key.column) else key.column
    direction = "desc" if key.descending else "asc"
    return f"{column} {direction} nulls {'first' if key.nulls_first else 'last'}"


def _is_held(rows: Input) -> str | None:
    """Whether rows wait before they come to an operator, each until it is due."""
    return _yes(rows.carries is Carries.DUE)


def _yes(is_so: bool) -> str | None:  # noqa: FBT001
    """A fact that is there or not."""
    return "yes" if is_so else None


def _length(length: timedelta) -> str:
    return str(length)
