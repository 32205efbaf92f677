"""The runtime of tvfc's generated jobs: what Spark Structured Streaming lacks.

In the order in which a job meets it:

    session.py        settings, the job's main program, start and stop
    spec.py           what a job says of itself
    job.py            sources, watermarks and delays put together to one streaming query
    sources.py        reading declared sources; rows that do not fit
    watermark.py      strategies and exact lateness
    ticks.py          the wall clock as an input
    idle.py           the wall clock beside a source that has fallen silent
    clock.py          the watermark W(N) of the running batch; clock_column.py the same as a column
    release.py        release plans as columns: when is a row due?
    validity.py       clock values at which rows are in a result, as columns
    join_in_time.py   joins of streams that forget rows which find no more partners
    windows.py        windows as columns, groups that close by the clock
    era.py            what Spark compares with its watermark, moved where there are sessions
    delay.py          the delay operator: rows wait for their due time
    release_queue.py  its data structure, queue_state.py its place in Spark's state; shards.py
                      its distribution, packing.py, released.py, chunks.py and plain_types.py
                      the form in which its rows travel
    worker.py         what the Python workers that run all this are spared
    temporal.py       the temporal operator: rows come and go; temporal_queue.py its data
                      structure, intervals.py its arithmetic
    changing/         groups, set operations and first rows that change
    over.py           the rows that window functions look at; over_step.py what leaves and what
                      stays, frames.py its arithmetic
    sinks/            outputs that share a query, files batch by batch, tables with a key
    bad_rows.py       records that do not fit their source; csv_by_name.py columns by the header
    bookkeeper.py     what a job has done, and bad_row_watch.py what is said of bad rows
    reasons.py        why a job has failed
    memory.py         whom a checkpoint belongs to, and what it has counted (progress.py)
    whole.py          whether its files are all there and whole

It needs PySpark 4.3 with PyArrow, pandas and NumPy, and nothing of the compiler.
"""

from tvfc_runtime.changing.calls import Call
from tvfc_runtime.changing.ranks import Sort
from tvfc_runtime.job import Job
from tvfc_runtime.join_in_time import gone, join_in_time
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
from tvfc_runtime.session import (
    PROTOCOL,
    attach,
    checkpoint_of,
    claim,
    configure,
    main,
    queries_of,
    start,
)
from tvfc_runtime.sinks import SinkError, register_keyed_sink
from tvfc_runtime.sources import Source
from tvfc_runtime.spec import JobSpec, Output
from tvfc_runtime.validity import (
    always,
    any_of,
    between,
    both,
    first_of,
    since,
    until,
    until_in,
    valid,
    with_validity,
)
from tvfc_runtime.watermark import Watermark
from tvfc_runtime.whole import CheckpointError
from tvfc_runtime.windows import (
    closing,
    cumulate,
    hop,
    in_sessions,
    session,
    session_bounds,
    tumble,
    type_of,
)

__all__ = [
    "PROTOCOL",
    "Call",
    "CheckpointError",
    "Frame",
    "Job",
    "JobSpec",
    "Output",
    "SinkError",
    "Sort",
    "Source",
    "Watermark",
    "always",
    "any_of",
    "at_once",
    "attach",
    "between",
    "both",
    "checkpoint_of",
    "claim",
    "closing",
    "configure",
    "cumulate",
    "due",
    "during",
    "earliest",
    "first_of",
    "gone",
    "hop",
    "if_any",
    "in_sessions",
    "join_in_time",
    "latest",
    "main",
    "never",
    "passed",
    "queries_of",
    "reached",
    "register_keyed_sink",
    "session",
    "session_bounds",
    "since",
    "sql",
    "start",
    "tumble",
    "type_of",
    "until",
    "until_in",
    "valid",
    "when",
    "with_due",
    "with_validity",
]
