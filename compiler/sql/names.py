"""Names of columns in SQL: quoted where they must be, taken apart, and those that are taken."""

from __future__ import annotations

import re

from compiler.diagnostics.problems import Problems
from compiler.source import Span
from compiler.syntax.tokens.keyword_lists import RESERVED

PROC_TIME_COLUMN = "__proc_time"

NEVER_BARE = RESERVED | {
    *("NULL", "TRUE", "FALSE", "DISTINCT", "EXISTS", "CAST", "INTERVAL", "END"),
    *("CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP"),
    *("CURRENT_USER", "SESSION_USER", "USER"),
}
"""Words that SQL does not take for the name of a column unless they are quoted."""

_OURS = re.compile(
    r"__(all|asked|asking|at|bad|close|copies|copy|diff|due|emit|fault|file|gone|is_null|key|late|leaf|leg"
    r"|line|mz_now|named|number|one|order|part|partition|proc_time|rest|rows?|seed|side|steps"
    r"|session_(start|end|gap|time|window)|debezium_unavailable_value|cdc_\w*"
    r"|(left|right)_(beyond|fits|until)|time|times|tmp|until|valid|value|watermark|whole|window|wm"
    r"|c\d*(_\d+)?|(agg|asked|asking|asof|dense_rank|key|match|measure|order|over|rank|row_number|type)_\w*)",
    re.IGNORECASE,
)
"""The names of columns that a job adds to its rows."""


ASOF_ROW = "__asof_row"
"""The row of the other side of an ASOF JOIN."""


def is_ours(name: str) -> bool:
    """Whether a column could be called as one that a job adds."""
    return _OURS.fullmatch(name) is not None


def quoted_name(name: str) -> str:
    """A column's name as SQL."""
    plain = name.isidentifier() and name.isascii() and name.upper() not in NEVER_BARE
    return name if plain else "`" + name.replace("`", "``") + "`"


def qualified(*names: str) -> str:
    """A name of several parts as SQL."""
    return ".".join(map(quoted_name, names))


_PART = r"(?:`(?:[^`]|``)+`|(?!\d+\b)\w+)"
_NAME = re.compile(rf"{_PART}(?:\s*\.\s*{_PART})*")


def parts_of(sql: str) -> tuple[str, ...]:
    """The parts of a column's name, without quotes; none if the SQL is anything else."""
    if not _NAME.fullmatch(sql):
        return ()
    return tuple(
        part[1:-1].replace("``", "`") if part.startswith("`") else part
        for part in re.findall(_PART, sql)
    )


def own_name(sql: str) -> str:
    """What an expression is called by itself: the last part of a name, or its text."""
    parts = parts_of(sql)
    return parts[-1] if parts else sql


def refuse_ours(name: str, span: Span, problems: Problems) -> None:
    """Report a column that could be called as one that the job adds."""
    if is_ours(name):
        problems.add(
            "TVF210",
            f"the column name `{name}` is reserved",
            span,
            "kept for columns that the job adds",
            advice=f"call it `{name.lstrip('_') or 'value'}`",
        )


def same(left: str, right: str) -> bool:
    """Whether Spark takes two names for one."""
    return left.lower() == right.lower()
