"""The rows of a file that a job has written, by its format, as a table of Arrow, without Spark.

Two files are compared that one writer has written in one way, so that texts need no types: values
of JSON and CSV are compared as they stand there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import orc, parquet

from commands.comparing.sinks import CompareError
from tvfc_runtime.checkpoint.storage import first_lines, read_bytes
from tvfc_runtime.sinks.tables import UPDATE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commands.comparing.sinks import Sink

WHOLE = 2**53
"""Up to here each whole number is one of DOUBLE."""

LINE = "line"
"""The only column of a file of lines."""


def rows_of_file(sink: Sink, location: str) -> pa.Table:
    """The rows of a file of a sink.

    Raises:
        CompareError: nothing here reads the format.
    """
    read = _FORMATS.get(sink.format)
    if read is None:
        raise CompareError(f"nothing here reads files of {sink.format}")
    return read(location, sink)


def _parquet(location: str, _sink: Sink) -> pa.Table:
    return parquet.read_table(pa.BufferReader(read_bytes(location)))


def _orc(location: str, _sink: Sink) -> pa.Table:
    return orc.read_table(pa.BufferReader(read_bytes(location)))


def _json(location: str, _sink: Sink) -> pa.Table:
    """Objects, one a line; what a line does not have is NULL there."""
    rows = [json.loads(line, parse_float=str) for line in first_lines(location) if line]
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: plain_column([row.get(name) for row in rows]) for name in names})


def plain_column(values: list[Any]) -> pa.Array:
    """Values as a column: numbers, texts, flags and bytes as they are, all others as texts."""
    kinds = {type(each) for each in values if each is not None}
    if kinds == {int, float} and all(abs(each or 0) <= WHOLE for each in values):
        values, kinds = [each if each is None else float(each) for each in values], {float}
    if kinds <= {int} or kinds <= {str} or kinds <= {bool} or kinds <= {bytes} or kinds <= {float}:
        return pa.array(values)
    return pa.array([each if each is None else json.dumps(each, default=str) for each in values])


def _text(location: str, _sink: Sink) -> pa.Table:
    return pa.table({LINE: pa.array(list(first_lines(location)), pa.string())})


def _csv(location: str, sink: Sink) -> pa.Table:
    """Records as they are written; of changes the last two fields by themselves."""
    lines = list(_records(first_lines(location)))
    if sink.options.get("header", "false").lower() == "true":
        lines = lines[1:]
    if not sink.changes:
        return pa.table({LINE: pa.array(lines, pa.string())})
    mark = sink.options.get("sep", sink.options.get("delimiter", ","))
    parts = [line.rsplit(mark, 2) for line in lines]
    texts = pa.array([each[0] for each in parts], pa.string())
    times = pa.array([each[1] or None for each in parts], pa.string())
    return pa.table(
        {LINE: texts, UPDATE[0]: times, UPDATE[1]: pa.array([int(each[2]) for each in parts])}
    )


def _records(lines: Iterable[str]) -> Iterator[str]:
    """Lines, those of one record put together: within quotes a line does not end it."""
    open_: list[str] = []
    for line in lines:
        open_.append(line)
        whole = "\n".join(open_)
        if (whole.count('"') - whole.count('\\"')) % 2 == 0:
            yield whole
            open_.clear()
    if open_:
        yield "\n".join(open_)


_FORMATS: Mapping[str, Callable[[str, Sink], pa.Table]] = {
    "parquet": _parquet,
    "orc": _orc,
    "json": _json,
    "text": _text,
    "csv": _csv,
}
