"""Names and texts as parts of SQL."""

from __future__ import annotations


def quote(name: str) -> str:
    """A name as Spark SQL takes it whatever characters it has."""
    return "`" + name.replace("`", "``") + "`"


def quoted(name: str) -> str:
    """A name as SQL of the standard has it, for databases, whatever characters it has."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text as Spark SQL takes it."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
