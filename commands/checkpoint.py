"""What a checkpoint tells of its queries, running or not, read without Spark and never written.

Counts and times are those of the last batch that was counted (tvfc_runtime/checkpoint/memory.py);
what the query keeps and waits for is as the job has described it
(tvfc_runtime/checkpoint/state.py).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pyarrow import ArrowException

from tvfc_runtime.checkpoint.storage import exists, is_locked, list_names, list_numbers, read_text
from tvfc_runtime.clock.of_batch import noted_of_batch
from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.reports.query_status import QueryStatus, status_from

if TYPE_CHECKING:
    from collections.abc import Iterator


class NoCheckpointError(Exception):
    """A folder is no checkpoint of a tvfc job, or cannot be read; the message says why."""


@dataclass(frozen=True)
class Damaged:
    """A query whose checkpoint is not as a job writes it: where, and what of it."""

    place: str
    what: str


def status_of(folder: str) -> list[QueryStatus | Damaged]:
    """Each query of the job whose `--checkpoint` a folder is.

    Raises:
        NoCheckpointError: it is none, or cannot be read.
    """
    try:
        places = [place for place in _places(folder) if exists(f"{place}/tvfc/query.json")]
        if places:
            return [_query(place) for place in places]
        if not folder or not exists(folder):
            raise NoCheckpointError(f"there is no folder `{folder}`")
    except (OSError, ArrowException) as error:
        why = str(error).strip().partition("\n")[0]
        raise NoCheckpointError(f"{folder} cannot be read: {why}") from None
    raise NoCheckpointError(
        f"{folder} is no checkpoint of a tvfc job: it has no tvfc/query.json; name the folder that "
        "the job was given as --checkpoint"
    )


def _places(folder: str) -> Iterator[str]:
    """The folder itself, and those in it: a job of several queries has one for each."""
    root = folder.rstrip("/") or folder
    yield root
    yield from (f"{root}/{name}" for name in sorted(list_names(root)))


def _query(place: str) -> QueryStatus | Damaged:
    try:
        known = json.loads(read_text(f"{place}/tvfc/query.json"))
        return _status(place, known.get("state") or [])
    except (ValueError, TypeError, AttributeError, KeyError, IsADirectoryError):
        return Damaged(place, "tvfc/query.json is not as a job writes it")


def _status(place: str, parts: list[dict[str, Any]]) -> QueryStatus:
    counters = _counters(place)
    done = max(list_numbers(f"{place}/commits"), default=-1)
    begun = max(list_numbers(f"{place}/offsets"), default=-1)
    found = status_from(place, parts, counters, _outputs(place))
    return replace(
        found,
        runs=is_locked(f"{place}/tvfc/lock"),
        batch=done,
        unfinished=begun if begun > done else None,
        unfinished_ms=_began_ms(place, begun) if begun > done else None,
    )


def _counters(place: str) -> Counters:
    """The newest counters; a batch whose counts are not there yet is counted by the next one."""
    folder = f"{place}/tvfc/batches"
    for number in sorted(list_numbers(folder), reverse=True):
        try:
            return Counters.from_json(json.loads(read_text(f"{folder}/{number}")))
        except (ValueError, TypeError, AttributeError, OSError):
            # Torn, or removed meanwhile by the job, which keeps the newest few.
            continue
    return Counters()


def _outputs(place: str) -> dict[str, str]:
    """The output of each operator, as the job has described them (counters/holdings.py)."""
    try:
        known = json.loads(read_text(f"{place}/tvfc/operators.json"))["operators"]
        return {str(each["operator"]): str(each["output"]) for each in known}
    except (ValueError, TypeError, AttributeError, KeyError, OSError):
        return {}  # Of an earlier version, or torn.


def _began_ms(place: str, batch: int) -> int | None:
    """When a batch began, by the offset log; None if that is being written just now."""
    try:
        return int(noted_of_batch(place, batch)["batchTimestampMs"])
    except (ValueError, TypeError, IndexError, KeyError, OSError):
        return None
