"""Backfill, then live: a source whose history lies in files, which are read before its live rows.

To Spark both are one stream from the beginning, so that there is one clock and one checkpoint. In
each of two phases one of them stands still: it is there, and offers nothing new.

history    files, until all are read                live: noted where it begins, nothing is read
live       as it is now; no more files are taken    live: read from where it was noted

<checkpoint>/tvfc/live    that a query has gone over, and the offsets of all its sources then
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from tvfc_runtime.checkpoint.storage import exists, list_numbers, read_text, write_text
from tvfc_runtime.checkpoint.whole import CheckpointError
from tvfc_runtime.sources.read import read_source
from tvfc_runtime.spec.source import Source

FORMAT = "backfill"
PREFIX = "backfill."
"""What options begin with that are those of the history."""

NO_FILE = ".none"
"""Spark passes over files whose names begin with a dot, so that none has this name."""


def has_history(parts: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a query, as its state describes it, reads a source that has a history."""
    return any(FORMAT in part.get("options", {}) for part in parts)


def refuse_behind(checkpoint: str, parts: Sequence[Mapping[str, Any]]) -> None:
    """See that a query with a history has read it, before its live rows are to be read.

    Raises:
        CheckpointError: it has not, and would wait for ever.
    """
    if has_history(parts) and not is_live(checkpoint):
        raise CheckpointError(
            "TVF757: a source of the query has a history that is not read yet, and stands still "
            "until then: run job.py as a program, or start what tvfc_runtime.phases yields, in turn"
        )


def is_live(checkpoint: str) -> bool:
    """Whether a query has read its history."""
    return exists(_mark(checkpoint))


def go_live(checkpoint: str) -> None:
    """Note that a query has read its history, and from which offsets it goes on."""
    last = max(list_numbers(f"{checkpoint}/offsets"), default=-1)
    offsets = read_text(f"{checkpoint}/offsets/{last}").split("\n")[2:] if last >= 0 else []
    write_text(_mark(checkpoint), json.dumps({"batch": last, "offsets": offsets}))


def _mark(checkpoint: str) -> str:
    return f"{checkpoint}/tvfc/live"


def read_in_turn(spark: SparkSession, source: Source, checkpoint: str) -> DataFrame:
    """The rows of a source, and before them those of its history if it has one."""
    history = _history(source)
    if history is None:
        return read_source(spark, source)
    live = replace(source, options=_without(source.options, (FORMAT,)))
    if is_live(checkpoint):
        history = _still(history)
    else:
        live = _still(live)
    rows = read_source(spark, history), read_source(spark, live)
    return rows[0].unionByName(rows[1], allowMissingColumns=True)


def _history(source: Source) -> Source | None:
    form = source.option(FORMAT)
    if form is None:
        return None
    given = {
        name[len(PREFIX) :]: value
        for name, value in source.options.items()
        if name.lower().startswith(PREFIX)
    }
    return replace(source, format=form.lower(), options=given, record=None, included={})


def _still(source: Source) -> Source:
    """The same source, which offers nothing new."""
    if source.format == "kafka":
        limits = ("maxoffsetspertrigger", "minoffsetspertrigger", "maxtriggerdelay")
        options = _without(source.options, limits) | {"maxOffsetsPerTrigger": "0"}
    else:
        options = _without(source.options, ("pathglobfilter",)) | {"pathGlobFilter": NO_FILE}
    return replace(source, options=options)


def _without(options: Mapping[str, str], beginnings: tuple[str, ...]) -> dict[str, str]:
    return {
        name: value for name, value in options.items() if not name.lower().startswith(beginnings)
    }
