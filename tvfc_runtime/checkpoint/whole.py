"""Whether a checkpoint, and what belongs to it, is whole before a query continues on it.

Spark writes each file of its logs whole or not at all. But a machine that loses power, a copy made
beside a running job, or a clean-up can leave a log whose newest file is torn or missing. Some of
that Spark reports as an error of its parser, and some not at all: without the newest entry of a
file source it reads files again, and with a torn log of a file sink nobody can read the sink.

    <checkpoint>/metadata         the query's id
    <checkpoint>/offsets/N        what batch N reads, written before it runs
    <checkpoint>/commits/N        written once batch N is done
    <checkpoint>/sources/I/K      files that source I has found; `K.compact` holds all before it
    <sink>/_spark_metadata/N      files that batch N has written, compacted likewise

A log is a line with its version, then lines of JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tvfc_runtime.checkpoint.storage import exists, list_names, list_numbers, read_text

FROM_A_COPY = (
    "restore the checkpoint and its sinks from copies of one moment, or start anew with another "
    "--checkpoint and other places for the sinks"
)
REMOVE = "remove that file, with the .crc that a local disk has beside it"
NO_OFFSET = "-"


class CheckpointError(Exception):
    """A query cannot continue on a checkpoint; nothing was written."""


class CheckpointDamagedError(CheckpointError):
    """Files of the checkpoint are torn or missing."""

    def __init__(self, place: str, what: str, advice: str = FROM_A_COPY) -> None:
        super().__init__(f"TVF711: {place} is not whole: {what}; {advice}")


def check_whole(checkpoint: str, file_sinks: Iterable[str] = ()) -> None:
    """See that the logs of a query go up to its newest batch and can be read.

    Args:
        checkpoint: where the query has its checkpoint; an empty or missing one is whole.
        file_sinks: folders that Spark's own file sink writes for this query.

    Raises:
        CheckpointDamagedError: they do not; the message says what is wrong and what to do.
        CheckpointError: a file sink is ahead of them, so that it is not of this checkpoint.
    """
    planned = max(list_numbers(f"{checkpoint}/offsets"), default=-1)
    done = max(list_numbers(f"{checkpoint}/commits"), default=-1)
    written = {folder: _last_written(folder) for folder in file_sinks}
    for folder, last in written.items():
        _check_not_ahead(folder, last, max(planned, done))
    if max(planned, done) < 0:
        return
    for file in _needed(planned, done):
        if not exists(f"{checkpoint}/{file}"):
            raise CheckpointDamagedError(checkpoint, f"{file} is missing")
    _parsed(checkpoint, "metadata", read_text(f"{checkpoint}/metadata"))
    if done >= 0:
        again = f"{REMOVE}, and batch {done} runs again from what it has read before"
        _log(checkpoint, f"commits/{done}", again)
    anew = f"batch {planned} is not done: {REMOVE}, and the batch is planned anew"
    # Planned anew, a batch that a sink has already would go nowhere.
    is_new = planned > done and planned not in written.values()
    offsets = _log(checkpoint, f"offsets/{planned}", anew if is_new else FROM_A_COPY)
    # Below the version stands what belongs to the batch, then a line for each source.
    _check_sources(checkpoint, [_entry_of(offset) for offset in offsets[2:]])
    for folder in written:
        _check_entries(folder, "_spark_metadata", done)


def _last_written(folder: str) -> int:
    """The last batch in the list of Spark's file sink; -1: there is none."""
    numbers = (name.partition(".")[0] for name in list_names(f"{folder}/_spark_metadata"))
    return max((int(number) for number in numbers if number.isdigit()), default=-1)


def _check_not_ahead(folder: str, last: int, known: int) -> None:
    """See that a file sink has no batch that its query does not know.

    Spark passes over batches that are in the sink's list, by their numbers alone: without a word
    it would write nothing of the first batches of a new checkpoint.
    """
    if last > known:
        raise CheckpointError(
            f"TVF705: the folder {folder} has batch {last} of another run, and Spark would write "
            "no batch up to that number there; give the sink another path, or go on from the "
            "checkpoint that wrote it"
        )


def _needed(planned: int, done: int) -> list[str]:
    """Files without which a query whose newest batch is `planned` cannot continue."""
    before = [f"commits/{planned - 1}"] if planned > max(done + 1, 0) else []
    return ["metadata", *([f"offsets/{done}"] if done >= 0 else []), *before]


def _entry_of(offset: Any) -> int:
    """The entry of a file source's log that an offset names; -1: it is of another source."""
    return int(offset.get("logOffset", -1)) if isinstance(offset, dict) else -1


def _check_sources(checkpoint: str, offsets: list[int]) -> None:
    """See that the logs of the file sources go up to a batch's offsets.

    A source that a query reads twice, as in a UNION ALL of its rows, has an offset for each of its
    places but one log. Which of the offsets are the same source's Spark does not say. Where there
    are fewer logs than offsets, each offset needs a log that goes up to it, and each log an offset.
    """
    logs = sorted(list_numbers(f"{checkpoint}/sources"))
    if len(logs) >= len(offsets):
        for number, last in enumerate(offsets):
            _check_entries(checkpoint, f"sources/{number}", last)
        return
    lasts = sorted(set(offsets) - {-1})
    for last in lasts:
        _check_any(checkpoint, [(f"sources/{number}", last) for number in logs])
    for number in logs:
        # Other sources write one entry at most, their first offsets.
        if any(int(name.partition(".")[0]) for name in _entries(checkpoint, number)):
            _check_any(checkpoint, [(f"sources/{number}", last) for last in lasts])


def _entries(checkpoint: str, number: int) -> list[str]:
    names = list_names(f"{checkpoint}/sources/{number}")
    return [name for name in names if name.partition(".")[0].isdigit()]


def _check_any(place: str, logs: list[tuple[str, int]]) -> None:
    """See that one of several logs has all entries up to the last one that stands beside it."""
    damages = []
    for folder, last in logs:
        try:
            _check_entries(place, folder, last)
        except CheckpointDamagedError as damage:
            damages.append(damage)
        else:
            return
    if damages:
        raise damages[0]


def _check_entries(place: str, folder: str, last: int) -> None:
    """See that a log has all entries from its last compaction to the last one; -1: it has none."""
    names = set(list_names(f"{place}/{folder}"))
    for number in range(last, -1, -1):
        compacted = f"{number}.compact" in names
        if not compacted and str(number) not in names:
            raise CheckpointDamagedError(place, f"{folder}/{number} is missing")
        _check_entry(place, f"{folder}/{number}{'.compact' if compacted else ''}")
        if compacted:
            return


def _check_entry(place: str, file: str) -> None:
    """An entry may be long, and what is torn has lost its end: so that alone is parsed."""
    version, *lines = read_text(f"{place}/{file}").splitlines() or [""]
    if not version.startswith("v"):
        raise CheckpointDamagedError(place, f"{file} is torn")
    if lines:
        _parsed(place, file, lines[-1])


def _log(place: str, file: str, advice: str) -> list[Any]:
    """The lines of a log file, the first of which is its version."""
    version, *lines = read_text(f"{place}/{file}").splitlines() or [""]
    if not version.startswith("v") or not lines:
        raise CheckpointDamagedError(place, f"{file} is torn", advice)
    return [version, *(_parsed(place, file, line, advice) for line in lines)]


def _parsed(place: str, file: str, text: str, advice: str = FROM_A_COPY) -> Any:
    try:
        return None if text == NO_OFFSET else json.loads(text)
    except ValueError:
        raise CheckpointDamagedError(place, f"{file} is torn", advice) from None
