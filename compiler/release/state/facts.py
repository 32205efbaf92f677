"""Parts of release plans as facts of a description: in words, whatever our classes are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import TypeAlias

from compiler.release.nodes import (
    Branch,
    Call,
    Carries,
    Framed,
    Input,
    Item,
    Leaves,
    Lower,
    RecordFormat,
    SortKey,
    Until,
    Upper,
)
from compiler.secrets import is_secret
from compiler.sql.names import own_name, quoted_name
from compiler.sql.spelling import one_spelling

Fact: TypeAlias = "str | int | Sequence[Fact] | Mapping[str, Fact]"
Facts: TypeAlias = dict[str, Fact]

Names = Mapping[str, str]


def given(facts: Mapping[str, Fact | None]) -> Facts:
    """Facts without those of which there are none."""
    return {
        name: list(fact) if isinstance(fact, tuple) else fact
        for name, fact in facts.items()
        if fact is not None and fact not in ([], (), {})
    }


def options(options: Iterable[tuple[str, str]], free: frozenset[str]) -> Fact:
    """Options that are neither free nor secret, their names in one case.

    Settings of clients of Kafka say who reads or writes, and not what, but for the servers.
    """
    found = ((key.lower(), value) for key, value in sorted(options))
    return {
        key: value
        for key, value in found
        if key not in free and not is_secret(key) and not _is_of_client(key)
    }


def _is_of_client(key: str) -> bool:
    return key.startswith("kafka.") and key != "kafka.bootstrap.servers"


_OF_SCHEMAS = frozenset({"schema"})
"""Records of today's schema are read by tomorrow's; which columns come of them is said."""


def record_format(record: RecordFormat | None) -> dict[str, Fact | None]:
    """How records are written; nothing if that is not said."""
    if record is None:
        return {}
    return {
        "records": f"{record.form} {record.encode}",
        "record options": options(record.options, _OF_SCHEMAS),
    }


def relations(inputs: Sequence[Input]) -> dict[str, str]:
    """What stands for the aliases of inputs: their places, as aliases may be others."""
    return {each.alias.lower(): f"#{place}" for place, each in enumerate(inputs, 1) if each.alias}


def named(name: str) -> str:
    """The name of a column, whose case does not matter, as SQL."""
    return quoted_name(name).lower()


def spelled(texts: Iterable[str], names: Names | None = None, *, in_order: bool = True) -> Fact:
    """Several expressions, in one spelling."""
    found = [one_spelling(each, names) for each in texts]
    return found if in_order else sorted(found)


def columns(items: Iterable[Item], names: Names) -> Fact:
    """The columns that a step makes."""
    return [_column(each, names) for each in items]


def _column(item: Item, names: Names) -> str:
    sql = one_spelling(item.sql, names)
    is_own = item.name is None or item.name.lower() == own_name(sql)
    return sql if is_own else f"{sql} as {str(item.name).lower()}"


def watermark(time: str, strategy: str, input_: Input | None = None) -> dict[str, Fact | None]:
    """What moves a watermark."""
    names = relations([input_]) if input_ else {}
    return {"time": one_spelling(time, names), "watermark": one_spelling(strategy, names)}


def branches(branches: Iterable[Branch], names: Names) -> Fact:
    """When rows are in the result; neither branches nor what is in one are in any order."""
    return sorted(_branch(each, names) for each in branches)


def _branch(branch: Branch, names: Names) -> str:
    guards = sorted(one_spelling(each.sql, names) for each in branch.guards)
    lowers = sorted(lower(each, names) for each in branch.lowers)
    uppers = sorted(_upper(each, names) for each in branch.uppers)
    from_ = " and ".join(lowers) or "at once"
    until = f" until {' or '.join(uppers)}" if uppers else ""
    condition = f" if {' and '.join(f'({each})' for each in guards)}" if guards else ""
    return f"{from_}{until}{condition}"


def lower(lower: Lower, names: Names) -> str:
    """When something begins: at a moment or after it."""
    return f"{'after' if lower.strict else 'at'} {one_spelling(lower.bound, names)}"


def _upper(upper: Upper, names: Names) -> str:
    return f"{'at' if upper.strict else 'after'} {one_spelling(upper.bound, names)}"


def untils(untils: Iterable[Until], names: Names) -> Fact:
    """When rows find no more partners, for the first of several reasons."""
    return sorted(
        f"{names.get(each.alias.lower(), each.alias)} leaves"
        if isinstance(each, Leaves)
        else lower(each, names)
        for each in untils
    )


def frame(frame: Framed, names: Names) -> Facts:
    """How far window functions look."""
    return given(
        {
            "key": spelled(frame.partition, names),
            "order": spelled(frame.order, names),
            "rows before": "all" if frame.before is None else frame.before,
            "rows after": frame.after,
            "until": None if frame.until is None else lower(frame.until, names),
            "last": frame.last or None,
            "where": None if frame.where is None else one_spelling(frame.where, names),
        }
    )


def total(call: Call) -> str:
    """An aggregate of changing rows."""
    values = ", ".join(map(named, call.arguments))
    distinct = "distinct " if call.distinct else ""
    where = f" where {named(call.where)}" if call.where else ""
    limit = f" limit {call.limit}" if call.limit is not None else ""
    constants = f" with {', '.join(map(repr, call.constants))}" if call.constants else ""
    order = " descending" if call.descending else ""
    how = f"{where}{limit}{constants}{order}"
    return f"{call.function.lower()}({distinct}{values}){how} as {named(call.name)}"


def sort_key(key: SortKey) -> str:
    """A column to sort by."""
    direction = "desc" if key.descending else "asc"
    return f"{named(key.column)} {direction} nulls {'first' if key.nulls_first else 'last'}"


def is_held(rows: Input) -> str | None:
    """Whether rows wait before they come to an operator, each until it is due."""
    return yes(rows.carries is Carries.DUE)


def yes(is_so: bool) -> str | None:  # noqa: FBT001
    """A fact that is there or not."""
    return "yes" if is_so else None


def length(length: timedelta) -> str:
    """A length of time."""
    return str(length)
