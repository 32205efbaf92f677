"""What a job remembers beside Spark's own checkpoint: who it is and what it has counted.

<checkpoint>/tvfc/query.json      the query that the checkpoint belongs to, and what it keeps
<checkpoint>/tvfc/lock            held by the process that runs the query
<checkpoint>/tvfc/batches/N       counters after batch N, as JSON; the last few are kept
<checkpoint>/tvfc/operators.json  what its operators hold, where its files and sinks lie;
                                  see holdings.py
<checkpoint>/tvfc/unfinished      there until `tvfc upgrade` has put the checkpoint together; a job
                                  of several queries has one for all
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from tvfc_runtime.checkpoint.state import Part, differences
from tvfc_runtime.checkpoint.storage import (
    exists,
    list_numbers,
    lock,
    read_text,
    remove,
    write_text,
)
from tvfc_runtime.checkpoint.whole import CheckpointDamagedError, CheckpointError
from tvfc_runtime.counters.progress import Counters

KEPT = 4
UNFINISHED = "tvfc/unfinished"


class CheckpointMismatchError(CheckpointError):
    """The checkpoint belongs to another query, or to no tvfc job at all."""


class CheckpointInUseError(CheckpointError):
    """Another process runs a job on the checkpoint."""


class CheckpointUnfinishedError(CheckpointError):
    """The checkpoint is still being put together, or never was."""


class Memory:
    """The folder `tvfc` of a checkpoint."""

    def __init__(self, checkpoint: str) -> None:
        self._checkpoint = checkpoint
        self._folder = f"{checkpoint}/tvfc"
        self.counters = self._recall()
        several = len(self.counters.late) > 1
        self._before_start = dict(self.counters.watermarks_ms) if several else {}

    @contextmanager
    def given_up_if_refused(self) -> Iterator[None]:
        """A start that is refused leaves a new checkpoint to whoever starts next."""
        file = f"{self._folder}/query.json"
        is_new = not exists(file)
        try:
            yield
        except CheckpointError:
            raise  # It is another job's, or damaged.
        except BaseException:
            if is_new and not exists(f"{self._checkpoint}/offsets"):
                with suppress(OSError):
                    remove(file)
            raise

    def claim(
        self, fingerprint: str, query: str, protocol: int, state: Sequence[Part] | None = None
    ) -> None:
        """Make the checkpoint this query's, or see that it is.

        Args:
            fingerprint: what tells the query from others in checkpoints that do not say what the
                query keeps; earlier versions wrote such.
            query: its text.
            protocol: version of the runtime, which decides what its state is like.
            state: what it keeps, by which it is told from others.

        Raises:
            CheckpointMismatchError: it is not; nothing was written.
            CheckpointDamagedError: that cannot be told.
            CheckpointInUseError: another process has it.
            CheckpointUnfinishedError: it is not put together.
        """
        self._refuse_unfinished()
        file = f"{self._folder}/query.json"
        own: dict[str, Any] = {"fingerprint": fingerprint, "protocol": protocol, "query": query}
        own |= {} if state is None else {"state": state}
        known: dict[str, Any] | None = None
        if exists(file):
            known = self._known_query(file)
            self._check(known, own)
        elif exists(f"{self._checkpoint}/offsets"):
            raise CheckpointMismatchError(
                f"TVF701: the checkpoint {self._checkpoint} was not written by a tvfc job; "
                "give another --checkpoint"
            )
        else:
            write_text(file, json.dumps(own, indent=1))
        if not lock(f"{self._folder}/lock"):
            raise CheckpointInUseError(
                f"TVF709: another job runs on the checkpoint {self._checkpoint}: "
                "stop it first, or give another --checkpoint"
            )
        if known is not None and "state" in own and "state" not in known:
            write_text(file, json.dumps(own, indent=1))

    def _check(self, known: dict[str, Any], own: dict[str, Any]) -> None:
        """See that the query of a checkpoint keeps what this one keeps.

        Raises:
            CheckpointMismatchError: it does not.
        """
        if "state" in known and "state" in own:
            changed = differences(known["state"], own["state"])
            is_other = bool(changed)
        else:
            changed, is_other = [], known["fingerprint"] != own["fingerprint"]
        if is_other:
            raise CheckpointMismatchError(
                _what_changed(self._checkpoint, changed, known["query"], own["query"])
            )
        written_by = known.get("protocol", 1)
        if written_by != own["protocol"]:
            raise CheckpointMismatchError(
                f"TVF701: the checkpoint {self._checkpoint} was written by version {written_by} "
                f"of the runtime, this is version {own['protocol']}; give another --checkpoint, "
                "or go on with the job and the runtime that wrote it"
            )

    def _refuse_unfinished(self) -> None:
        root = self._checkpoint.rstrip("/").rpartition("/")[0]
        if exists(f"{self._checkpoint}/{UNFINISHED}") or (root and exists(f"{root}/{UNFINISHED}")):
            raise CheckpointUnfinishedError(
                f"TVF754: the checkpoint {self._checkpoint} is not whole: what was to make it, "
                "`tvfc upgrade` or `tvfc savepoint`, was cut short; run that again with the same "
                "--to, or go on with the checkpoint that it was to follow"
            )

    def _known_query(self, file: str) -> dict[str, Any]:
        try:
            return dict(json.loads(read_text(file)))
        except ValueError:
            raise CheckpointDamagedError(self._checkpoint, "tvfc/query.json is torn") from None

    def watermark_ms(self, source: str) -> int | None:
        """What the strategy of one of several sources had reached before this start.

        Spark itself remembers the watermark of the query, which for a single source is all.
        """
        return self._before_start.get(source)

    def describe(
        self,
        operators: Sequence[Any],
        folders: Mapping[str, str],
        sinks: Mapping[str, Mapping[str, str]],
    ) -> None:
        """Say what operators hold, and where sources of files and sinks lie, if it is not known."""
        file = f"{self._folder}/operators.json"
        known = {"operators": operators, "folders": folders, "sinks": sinks}
        text = json.dumps(known, indent=1)
        with suppress(OSError, ValueError):  # It is not there, or torn.
            if read_text(file) == text:
                return
        write_text(file, text)

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


def _what_changed(checkpoint: str, changed: list[str], old: str, new: str) -> str:
    words = [f"  {each}" for each in changed]
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), "the checkpoint's query", "this query", lineterm="", n=1
    )
    return "\n".join(
        [
            f"TVF701: the checkpoint {checkpoint} belongs to another query; "
            "give another --checkpoint, or run the query as it was",
            *words,
            *lines,
        ]
    )
