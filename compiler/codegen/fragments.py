"""Parts of steps: names and templates of SQL, moments of the clock."""

from __future__ import annotations

from compiler.codegen.shifts import shift_of, timedelta_code
from compiler.codegen.writer import Code, call, keyword, literal
from compiler.release.nodes import Carries, Input, Item, Lower


def bound(lower: Lower) -> Code:
    """When the clock has reached or passed a moment."""
    function = "tvfc.passed" if lower.strict else "tvfc.reached"
    shift = shift_of(lower.bound) if lower.is_timestamp else None
    if shift is None:
        return call(function, literal(lower.bound))
    column, amount = shift
    plus = (keyword("plus", timedelta_code(amount)),) if amount else ()
    return call(function, literal(column), *plus)


def quoted(name: str) -> str:
    """A name in SQL, in backquotes if it needs them."""
    plain = name.replace("_", "a").isalnum() and name.isascii() and not name[0].isdigit()
    return name if plain else "`" + name.replace("`", "``") + "`"


def braced(sql: str) -> str:
    """SQL for a template in which `{members}` is replaced."""
    return sql.replace("{", "{{").replace("}", "}}")


def aliased(item: Item) -> str:
    """An item of a SELECT list for such a template."""
    return braced(item.sql if item.name is None else f"{item.sql} AS {quoted(item.name)}")


def delayed(rows: Input, names: dict[str, str]) -> Code:
    """The rows of a step, each when it is due."""
    code = call(names[rows.step], "job")
    return call("job.delay", code) if rows.carries is Carries.DUE else code
