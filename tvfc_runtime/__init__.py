"""The runtime of tvfc's generated jobs: what Spark Structured Streaming lacks.

In the order in which a job meets it:

    session.py        settings, the job's main program, start and stop
    job.py            sources, watermarks and delays put together to one streaming query
    sources.py        reading declared sources; rows that do not fit
    watermark.py      strategies and exact lateness
    idle.py           the wall clock beside a source that has fallen silent
    clock.py          the watermark W(N) of the running batch, readable in any expression
    release.py        release plans as columns: when is a row due?
    windows.py        windows as columns, groups that close by the clock
    delay.py          the delay operator: rows wait for their due time
    release_queue.py  its data structure; shards.py its distribution, chunks.py,
                      plain_types.py and released.py the form in which its rows travel
    worker.py         what the Python workers that run all this are spared
    over.py           the rows that window functions look at; frames.py its arithmetic,
                      hashes.py its keys
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
    "at_once",
    "attach",
    "checkpoint_of",
    "closing",
    "configure",
    "cumulate",
    "due",
    "earliest",
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
]
