"""Parts of steps: names and templates of SQL, moments of the clock."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from compiler.codegen.quoting import literal
from compiler.codegen.shifts import shift_of, timedelta_code
from compiler.codegen.writer import Call, Chain, Code, assignment, call, keyword, text_block
from compiler.release.nodes import Carries, Input, Item, Lower, interval_apart


def bound(lower: Lower) -> Code:
    """When the clock has reached or passed a moment."""
    function = "tvfc.passed" if lower.strict else "tvfc.reached"
    if lower.about is not None:
        return call(function, literal(lower.bound), keyword("about", literal(lower.about)))
    shift = shift_of(lower.bound) if lower.is_timestamp else None
    if shift is not None:
        column, amount = shift
        plus = (keyword("plus", timedelta_code(amount)),) if amount else ()
        return call(function, literal(column), *plus)
    added = interval_apart(lower.bound)
    if added is None:
        return call(function, literal(lower.bound))
    base, interval = added
    return call(function, literal(base), keyword("plus", literal(interval)))


_NO_RELATION = frozenset(
    {
        *("left", "right", "full", "inner", "cross", "semi", "anti", "natural", "lateral"),
        *("join", "on", "using", "union", "intersect", "except", "minus"),
    }
)
"""Words that Spark does not take for the name of a relation."""


def quoted(name: str) -> str:
    """A name in SQL, in backquotes if it needs them."""
    plain = name.replace("_", "a").isalnum() and name.isascii() and not name[0].isdigit()
    plain = plain and name.lower() not in _NO_RELATION
    return name if plain else "`" + name.replace("`", "``") + "`"


def braced(sql: str) -> str:
    """SQL for a template in which `{members}` is replaced."""
    return sql.replace("{", "{{").replace("}", "}}")


def item_sql(item: Item) -> str:
    """An item of a SELECT list."""
    return item.sql if item.name is None else f"{item.sql} AS {quoted(item.name)}"


def aliased(item: Item) -> str:
    """An item of a SELECT list for such a template."""
    return braced(item_sql(item))


def selected(items: Iterable[Item]) -> Call:
    """`.selectExpr(…)` of some items."""
    return Call(".selectExpr", tuple(literal(item_sql(each)) for each in items))


def from_members(alias: str | None) -> str:
    """The FROM clause of such a template."""
    return f"FROM {{members}} AS {braced(quoted(alias))}" if alias else "FROM {members}"


_QUOTED = r"""(?<!\w)[rR](?:'[^']*'|"[^"]*")|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`]|``)*`"""
"""A string or a quoted name of SQL."""


def swapped(sql: str, names: Mapping[str, str]) -> str:
    """A template with `{placeholders}` for names of ours; strings that look like them stay."""
    if not any(name in sql for name in names):
        return sql
    ours = "|".join(map(re.escape, names))
    return re.sub(
        rf"{_QUOTED}|\b(?P<name>{ours})\b",
        lambda found: f"{{{names[found['name']]}}}" if found["name"] else found[0],
        sql,
        flags=re.DOTALL,
    )


def grouped_query(
    clauses: list[str], types: tuple[tuple[str, str], ...], alias: str | None, *texts: Code
) -> tuple[list[str], Code]:
    """Statements for SQL over `members`, and the call that runs it, with `texts` for its names.

    Types that Spark alone knows have names in the SQL; the job asks for them.
    """
    rows: Code = Chain(("members", call(".alias", literal(alias)))) if alias else "members"
    statements, named = [], []
    variables = {name: name.strip("_") for name, _ in types}
    for name, sql in types:
        variable = variables[name]
        statements.append(assignment(variable, call("tvfc.type_of", rows, literal(sql)), 1))
        named.append(keyword(variable, variable))
    statements.append(text_block("sql", [swapped(each, variables) for each in clauses]))
    return statements, call("job.sql", "sql", "members=members", *texts, *named)


def delayed(rows: Input, names: dict[str, str]) -> Code:
    """The rows of a step inside the query, each when it is due."""
    code = call(names[rows.step], "job")
    is_due = rows.carries is Carries.DUE
    return call("job.delay", code, "inside=True") if is_due else code
