"""The rows that a sink of files had after a batch.

Files that the runtime has written say by their names which batch they are. Those of Spark's own
sink stand in its log, of which each entry is a batch, up to a compaction that is all before it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from commands.comparing.records import rows_of_file
from commands.comparing.sinks import CompareError
from tvfc_runtime.checkpoint.storage import list_names, query_id, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commands.comparing.sinks import Sink

LOG = "_spark_metadata"

_OF_A_BATCH = re.compile(r"part-(\d{9,})-([0-9a-f]{8})\.")


def rows_up_to(sink: Sink, batch: int) -> pa.Table:
    """The rows of all batches up to a number.

    Raises:
        CompareError: they are not there, or nothing here reads the format.
    """
    names = list_names(sink.path)
    listed = LOG in names
    found = _listed(sink, batch) if listed else _named(sink, names, batch)
    try:
        tables = [rows_of_file(sink, each) for each in found]
    except (OSError, ValueError, pa.ArrowException) as error:
        why = str(error).partition("\n")[0]
        raise CompareError(f"a file of {sink.path} cannot be read: {why}") from None
    filled = [each for each in tables if each.num_columns]
    return pa.concat_tables(filled, promote_options="permissive") if filled else pa.table({})


def _named(sink: Sink, names: list[str], batch: int) -> Iterator[str]:
    """Files of the runtime; those of other checkpoints in the folder are none of this sink."""
    own = query_id(sink.place)[:8]
    for name in sorted(names):
        matched = _OF_A_BATCH.match(name)
        if matched and matched[2] == own and int(matched[1]) <= batch:
            yield f"{sink.path}/{name}"


def _listed(sink: Sink, batch: int) -> Iterator[str]:
    """Files in Spark's log."""
    log = f"{sink.path}/{LOG}"
    known = {each for each in list_names(log) if each.removesuffix(".compact").isdigit()}
    compactions = [int(each.partition(".")[0]) for each in known if each.endswith(".compact")]
    first = max((each for each in compactions if each <= batch), default=-1)
    entries = [f"{first}.compact"] if first >= 0 else []
    for number in range(first + 1, batch + 1):
        if str(number) in known:
            entries.append(str(number))
        elif any(each >= number for each in compactions):
            raise CompareError(
                f"Spark has put the batches of {sink.path} together since batch {number}; compare "
                "as of a later one"
            )
    for entry in entries:
        for line in read_text(f"{log}/{entry}").splitlines()[1:]:
            known_file: Any = json.loads(line)
            if known_file.get("action") == "add":
                yield str(known_file["path"])
