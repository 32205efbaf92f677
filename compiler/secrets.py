"""Passwords and the like in options: no message, no plan and no checkpoint shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAME = (
    r"[\w.\-]*(?:password|passwd|passphrase|secret|token|credential|jaas|keystore\.key|user\.info"
    r"|(?:api|access|account|private)[._\-]?key)[\w.\-]*"
)
_SECRET = re.compile(_NAME, re.IGNORECASE)
_TEXT = r"'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\""
_SQL = re.compile(
    rf"(?P<before>(?P<quote>['\"`]?){_NAME}(?P=quote)\s*=?\s*)(?P<value>{_TEXT})",
    re.IGNORECASE | re.DOTALL,
)
_PYTHON = re.compile(
    rf"(?P<before>(?P<quote>['\"]){_NAME}(?P=quote):\s*)(?P<value>{_TEXT})",
    re.IGNORECASE | re.DOTALL,
)
_OPTIONS = re.compile(r"\b(?:OPTIONS|WITH|ENCODE\s+\w+)\s*\(", re.IGNORECASE)
_ITEM = re.compile(rf"{_TEXT}|[()]", re.DOTALL)


def is_secret(name: str) -> bool:
    """Whether the value of an option is nobody's business."""
    return _SECRET.fullmatch(name) is not None


def masked(sql: str) -> str:
    """A script whose secrets are stars, one for each character: places stay what they are."""
    if _SECRET.search(sql) is None:
        return sql
    parts, end = [], 0
    for begin, stop in _option_lists(sql):
        if begin >= end:
            parts += [sql[end:begin], _SQL.sub(_stars, sql[begin:stop])]
            end = stop
    return "".join([*parts, sql[end:]])


def masked_job(python: str) -> str:
    """A generated job, likewise."""
    return _PYTHON.sub(_stars, python)


def _option_lists(sql: str) -> Iterator[tuple[int, int]]:
    """Where the options of a script begin and end."""
    for found in _OPTIONS.finditer(sql):
        depth, stop = 1, len(sql)
        for item in _ITEM.finditer(sql, found.end()):
            depth += {"(": 1, ")": -1}.get(item[0], 0)
            if not depth:
                stop = item.start()
                break
        yield found.end(), stop


def _stars(found: re.Match[str]) -> str:
    value = found["value"]
    inside = re.sub(r"[^\r\n]", "*", value[1:-1])
    return f"{found['before']}{value[0]}{inside}{value[-1]}"
