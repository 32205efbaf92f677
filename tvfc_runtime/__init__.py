"""The runtime of tvfc's generated jobs: what Spark Structured Streaming lacks.

In the order in which a job meets it:

    session.py        settings, the job's main program, start and stop
    job.py            sources, watermarks and delays put together to one streaming query
    sources.py        reading declared sources; rows that do not fit
    watermark.py      strategies and exact lateness
    ticks.py          the wall clock as an input
    idle.py           the wall clock beside a source that has fallen silent
    clock.py          the watermark W(N) of the running batch, readable in any expression
    release.py        release plans as columns: when is a row due?
    windows.py        windows as columns, groups that close by the clock
    delay.py          the delay operator: rows wait for their due time
    release_queue.py  its data structure, queue_state.py its place in Spark's state; shards.py
                      its distribution, packing.py, chunks.py and plain_types.py the form in which
                      its rows travel
    validity.py       conditions on the clock as columns: when is a row in a changing result?
    temporal.py       the temporal operator: rows enter and leave; temporal_queue.py its data
                      structure, intervals.py its arithmetic
    over.py           the rows that window functions look at; frames.py its arithmetic
    memory.py         whom a checkpoint belongs to, and what it has counted (progress.py)

It needs PySpark 4.3 with PyArrow, pandas and NumPy, and nothing of the compiler.
"""

from tvfc_runtime.job import Job, JobSpec, Output
from tvfc_runtime.memory import CheckpointMismatchError
from tvfc_runtime.over import Frame
from tvfc_runtime.release import (
    at_once,
    due,
    earliest,
    if_any,
    latest,
    never,
    passed,
    reached,
    sql,
    when,
    with_due,
)
from tvfc_runtime.session import PROTOCOL, attach, checkpoint_of, configure, main, start
from tvfc_runtime.sources import Source
from tvfc_runtime.validity import always, any_of, both, during, from_due, with_valid
from tvfc_runtime.watermark import Watermark
from tvfc_runtime.windows import closing, cumulate, hop, session, tumble

__all__ = [
    "PROTOCOL",
    "CheckpointMismatchError",
    "Frame",
    "Job",
    "JobSpec",
    "Output",
    "Source",
    "Watermark",
    "always",
    "any_of",
    "at_once",
    "attach",
    "both",
    "checkpoint_of",
    "closing",
    "configure",
    "cumulate",
    "due",
    "during",
    "earliest",
    "from_due",
    "hop",
    "if_any",
    "latest",
    "main",
    "never",
    "passed",
    "reached",
    "session",
    "sql",
    "start",
    "tumble",
    "when",
    "with_due",
    "with_valid",
]
