"""What a job remembers beside Spark's own checkpoint: who it is and what it has counted.

<checkpoint>/tvfc/query.json      the query that the checkpoint belongs to
<checkpoint>/tvfc/lock            held by the process that runs the query
<checkpoint>/tvfc/batches/N       counters after batch N, as JSON; the last few are kept
"""

from __future__ import annotations

import difflib
import json
from contextlib import suppress

from tvfc_runtime.progress import Counters
from tvfc_runtime.storage import exists, list_numbers, lock, read_text, remove, write_text
from tvfc_runtime.whole import CheckpointDamagedError, CheckpointError

KEPT = 4


class CheckpointMismatchError(CheckpointError):
    """The checkpoint belongs to another query, or to no tvfc job at all."""


class CheckpointInUseError(CheckpointError):
    """Another process runs a job on the checkpoint."""


class Memory:
    """The folder `tvfc` of a checkpoint."""

    def __init__(self, checkpoint: str) -> None:
        self._checkpoint = checkpoint
        self._folder = f"{checkpoint}/tvfc"
        self.counters = self._recall()
        several = len(self.counters.late) > 1
        self._before_start = dict(self.counters.watermarks_ms) if several else {}

    def claim(self, fingerprint: str, query: str, protocol: int) -> None:
        """Make the checkpoint this query's, or see that it is.

        Args:
            fingerprint: what tells the query from others.
            query: its text.
            protocol: version of the runtime, which decides what its state is like.

        Raises:
            CheckpointMismatchError: it is not; nothing was written.
            CheckpointDamagedError: that cannot be told.
            CheckpointInUseError: another process has it.
        """
        file = f"{self._folder}/query.json"
        if exists(file):
            known = self._known_query(file)
            if known["fingerprint"] != fingerprint:
                raise CheckpointMismatchError(
                    _what_changed(self._checkpoint, known["query"], query)
                )
            if known.get("protocol", 1) != protocol:
                raise CheckpointMismatchError(
                    f"TVF701: the checkpoint {self._checkpoint} was written by version "
                    f"{known.get('protocol', 1)} of the runtime, this is version {protocol}; give "
                    "another --checkpoint, or go on with the job and the runtime that wrote it"
                )
        elif exists(f"{self._checkpoint}/offsets"):
            raise CheckpointMismatchError(
                f"TVF701: the checkpoint {self._checkpoint} was not written by a tvfc job; "
                "give another --checkpoint"
            )
        else:
            own = {"fingerprint": fingerprint, "protocol": protocol, "query": query}
            write_text(file, json.dumps(own, indent=1))
        if not lock(f"{self._folder}/lock"):
            raise CheckpointInUseError(
                f"TVF709: another job runs on the checkpoint {self._checkpoint}: "
                "stop it first, or give another --checkpoint"
            )

    def _known_query(self, file: str) -> dict[str, str]:
        try:
            return dict(json.loads(read_text(file)))
        except ValueError:
            raise CheckpointDamagedError(self._checkpoint, "tvfc/query.json is torn") from None

    def watermark_ms(self, source: str) -> int | None:
        """What the strategy of one of several sources had reached before this start.

        Spark itself remembers the watermark of the query, which for a single source is all.
        """
        return self._before_start.get(source)

    def remember(self, counters: Counters) -> None:
        """Store the counters after a batch."""
        folder = f"{self._folder}/batches"
        write_text(f"{folder}/{counters.batch}", json.dumps(counters.to_json()))
        for number in sorted(list_numbers(folder))[:-KEPT]:
            remove(f"{folder}/{number}")

    def _recall(self) -> Counters:
        """Counters after the last committed batch, or after one before it."""
        committed = max(list_numbers(f"{self._checkpoint}/commits"), default=-1)
        folder = f"{self._folder}/batches"
        known = [number for number in list_numbers(folder) if number <= committed]
        for number in sorted(known, reverse=True):
            # One that is torn has been written last, and counts are no reason to stop.
            with suppress(ValueError):
                return Counters.from_json(json.loads(read_text(f"{folder}/{number}")))
        return Counters()


def _what_changed(checkpoint: str, old: str, new: str) -> str:
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), "the checkpoint's query", "this query", lineterm="", n=1
    )
    return (
        f"TVF701: the checkpoint {checkpoint} belongs to another query; "
        "give another --checkpoint, or run the query as it was\n" + "\n".join(lines)
    )
