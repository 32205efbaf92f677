"""How a bounded run ends: the clock goes on by itself, so that what is held leaves.

Once all input is read, one more batch is planned in Spark's own offset log: it reads nothing, and
its watermark is the time that is asked for. To Spark and to every operator it is a batch like any
other in which the clock has moved and no row has come; a run that is cut short runs it again.

After a clock at the end of time whatever came would be late, and would be lost. So a checkpoint is
marked before that, and not continued:

<checkpoint>/tvfc/ended    the number of the last batch, and its clock
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tvfc_runtime.checkpoint.storage import exists, list_numbers, read_text, write_text
from tvfc_runtime.checkpoint.whole import CheckpointError
from tvfc_runtime.clock.of_batch import END_OF_TIME_MS, ERA_MS, next_watermark_ms
from tvfc_runtime.spec.job import JobSpec


class CheckpointEndedError(CheckpointError):
    """The last batch of a checkpoint was the last one for good."""


class EndingError(CheckpointError):
    """A query cannot end so; nothing was read."""


@dataclass(frozen=True, kw_only=True)
class Ending:
    """Where the clock goes once all input is read.

    Attributes:
        clock_ms: that time, milliseconds since the epoch.
        final: nothing may come after it.
    """

    clock_ms: int
    final: bool = False


FLUSH = Ending(clock_ms=END_OF_TIME_MS, final=True)


def until(text: str) -> Ending:
    """The ending at a moment; one without an offset is in UTC.

    Raises:
        argparse.ArgumentTypeError: the text is no moment.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise argparse.ArgumentTypeError("write a moment, such as '2026-01-31 12:00:00'") from None
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    since = zoned - datetime(1970, 1, 1, tzinfo=UTC)
    return Ending(clock_ms=since // timedelta(milliseconds=1))


def check_ending(spec: JobSpec, ending: Ending) -> None:
    """See that a job can end so.

    Raises:
        EndingError: there is no end to what would come out.
    """
    queries = json.loads(spec.state) if spec.state else {}
    for part in (part for parts in queries.values() for part in parts):
        # LINEAR makes no rows before there is a window that they lead to.
        is_endless = part.get("operator") == "fill" and "for" not in part
        if ending.final and is_endless and part.get("how") != "LINEAR":
            raise EndingError(
                "TVF735: FILL makes rows up to the clock, and with --flush-at-end that is the end "
                "of time: write FILL (…) FOR an interval, or give --until a moment"
            )


def is_cut_short(checkpoint: str) -> bool:
    """Whether the last batch for good was planned, or was to be, and is not done."""
    mark = _mark(checkpoint)
    return mark is not None and not _is_done(checkpoint, mark)


def refuse_ended(checkpoint: str, *, ending: bool) -> None:
    """See that a checkpoint may be continued.

    Raises:
        CheckpointEndedError: it may not.
    """
    mark = _mark(checkpoint)
    if mark is None or (ending and not _is_done(checkpoint, mark)):
        return
    done = _is_done(checkpoint, mark)
    advice = "give another --checkpoint" if done else "start it once more with --flush-at-end"
    how = "has ended" if done else "was cut short"
    raise CheckpointEndedError(
        f"TVF733: a run with --flush-at-end {how} on the checkpoint {checkpoint}: its clock is at "
        f"the end of time, where all rows to come would be late; {advice}"
    )


def plan_end(checkpoint: str, ending: Ending, *, sessions: bool) -> bool:
    """Plan the last batch of a query that has read all; whether there is one to run.

    Args:
        checkpoint: where the query has its checkpoint.
        ending: where its clock is to go.
        sessions: whether it has sessions, so that its watermark is an era ahead; see era.py.
    """
    planned = max(list_numbers(f"{checkpoint}/offsets"), default=-1)
    done = max(list_numbers(f"{checkpoint}/commits"), default=-1)
    if ending.final and _mark(checkpoint) is None:
        last = planned + 1 if planned >= 0 else -1
        write_text(
            f"{checkpoint}/tvfc/ended", json.dumps({"batch": last, "clock": ending.clock_ms})
        )
    if planned > done:
        # It was planned by a run that was cut short.
        return True
    if planned < 0:
        return False
    version, facts, *offsets = read_text(f"{checkpoint}/offsets/{planned}").split("\n")
    known: dict[str, Any] = json.loads(facts)
    watermark = ending.clock_ms + (ERA_MS if sessions else 0)
    if max(int(known["batchWatermarkMs"]), next_watermark_ms(checkpoint, done)) >= watermark:
        return False
    known |= {"batchWatermarkMs": watermark, "batchTimestampMs": time.time_ns() // 1_000_000}
    text = "\n".join([version, json.dumps(known, separators=(",", ":")), *offsets])
    write_text(f"{checkpoint}/offsets/{planned + 1}", text)
    return True


def _mark(checkpoint: str) -> int | None:
    """The number of the last batch for good; None: there is none."""
    file = f"{checkpoint}/tvfc/ended"
    return int(json.loads(read_text(file))["batch"]) if exists(file) else None


def _is_done(checkpoint: str, last: int) -> bool:
    return max(list_numbers(f"{checkpoint}/commits"), default=-1) >= last
