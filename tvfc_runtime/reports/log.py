"""Lines that a job writes on stderr: one for each batch, and a word on what is out of the ordinary.

As text a batch is a line of `key=value`, as other programs write for collectors of logs; as JSON
each line of the job is an object.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from tvfc_runtime.reports.batch import Batch

LogFormat = Literal["text", "json", "quiet"]
LOG_FORMATS: tuple[str, ...] = get_args(LogFormat)
"""Of a job: what is quiet writes no line for a batch."""

_PLAIN = re.compile(r"""[^\s="\\]+""")
_MARKED = re.compile(r"(?:(warning|error)(?:\[(TVFW?\d+)\])?|(TVF\d+)): (.*)", re.DOTALL)


def to_stderr(line: str) -> None:
    """A line for whoever runs the job."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


class Log:
    """Writes lines in one form.

    Args:
        form: `text`, `json` or `quiet`.
        write: takes a line.
    """

    def __init__(self, form: str = "quiet", write: Callable[[str], None] = to_stderr) -> None:
        self._form = form
        self._write = write

    def say(self, text: str) -> None:
        """A word on how the job goes, or a warning, or why it ends; it may have several lines."""
        if self._form != "json":
            self._write(text)
            return
        marked = _MARKED.fullmatch(text)
        level, code, message = "info", None, text
        if marked is not None:
            level, code, message = marked[1] or "error", marked[2] or marked[3], marked[4]
        coded = {"code": code} if code else {}
        self._write(_object({"time": _now(), "level": level, **coded, "message": message}))

    def batch(self, batch: Batch) -> None:
        """A batch is done."""
        if self._form == "json":
            facts = {"time": _now(), "level": "info", "message": "batch", **batch.to_json()}
            self._write(_object(facts))
        elif self._form == "text":
            self._write(f"{_now()} {' '.join(_pairs(batch))}")


def _pairs(batch: Batch) -> Iterator[str]:
    """A batch in one line; the moments are for people, and what is zero everywhere is left out."""
    yield f"query={_value(batch.query)}"
    yield f"batch={batch.batch}"
    yield f"took_ms={batch.took_ms}"
    yield f"clock={'none' if batch.watermark_ms is None else _moment(batch.watermark_ms)}"
    facts = batch.to_json()
    for kind in ("rows", "late", "without_time", "bad", "held", "out"):
        always = kind in ("rows", "out")
        for name, number in facts[kind].items():
            if number or always:
                yield f"{_value(f'{kind}.{name}')}={number}"
    for name, spent_ms in batch.phases_ms.items():
        if spent_ms:
            yield f"phases_ms.{name}={spent_ms}"


def _value(text: str) -> str:
    """A text as a key or value of such a line."""
    return text if _PLAIN.fullmatch(text) and text.isprintable() else json.dumps(text)


def _object(facts: dict[str, Any]) -> str:
    """A line of JSON; what is no ASCII is escaped, as names may hold what is no character."""
    return json.dumps(facts)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _moment(ms: int) -> str:
    """A time of the clock; its years may be more than datetime has."""
    try:
        text = datetime.fromtimestamp(ms / 1000, tz=UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return str(ms)
    return text.replace("+00:00", "Z")


def plain(text: str) -> str:
    """Text as the JVM and terminals take it: the name of a file may hold what is no character."""
    return "".join(
        each if each.isprintable() or each == "\n" else repr(each)[1:-1] for each in text
    )
