"""The runtime of tvfc's generated jobs: what Spark Structured Streaming lacks.

In the order in which a job meets it:

    api.py            all that a job calls
    command_line.py   the job's main program: start and stop; arguments.py, quiet.py Spark's log
    program.py        settings, the streaming queries of a job
    spec.py           what a job says of itself
    job.py            sources, watermarks and delays put together to one streaming query
    sources.py        reading declared sources; rows that do not fit
    watermark.py      strategies and exact lateness
    ticks.py          the wall clock as an input; live_clock.py the same for a query that runs
    waking.py         which timers operators set, wakes.py until when there is nothing to do;
                      timers_read.py the same out of a checkpoint
    idle.py           the wall clock beside a source that has fallen silent
    clock.py          the watermark W(N) of the running batch; clock_column.py the same as a column
    release.py        release plans as columns: when is a row due?
    validity.py       clock values at which rows are in a result, as columns
    time_joins.py     joins of streams that forget rows which find no more partners
    windows.py        windows as columns, groups that close by the clock
    panes/            windows that overlap, put together from panes; pane_job.py
    era.py            what Spark compares with its watermark, moved where there are sessions
    delay.py          the delay operator: rows wait for their due time
    release_queue.py  its data structure, queue_state.py its place in Spark's state; shards.py
                      its distribution, packing.py, released.py, chunks.py and plain_types.py
                      the form in which its rows travel
    worker.py         what the Python processes that run all this are spared
    temporal.py       the temporal operator: rows come and go; temporal_queue.py its data
                      structure, intervals.py its arithmetic
    changing/         groups, joins, set operations, first rows and window functions that change
    over.py           the rows that window functions look at; over_step.py what leaves and what
                      stays, frames.py its arithmetic
    fill.py           groups of windows without rows; fill_step.py which, and what is kept for them
    sessions/         sessions of keys, a row for each
    from_start.py     rows of tables as changes, told at each start
    sorted_rows.py    rows of a batch in order
    sinks/            outputs that share a query, files batch by batch, tables with a key
    bad_rows.py       records that do not fit their source; csv_by_name.py columns by the header
    bookkeeper.py     what a job has done, and bad_row_watch.py what is said of bad rows
    reports/          what it tells of itself, batch by batch; metrics.py what Prometheus is told
    reasons.py        why a job has failed
    memory.py         whom a checkpoint belongs to, and what it has counted (progress.py)
    whole.py          whether its files are all there and whole

It needs PySpark 4.3 with PyArrow, pandas and NumPy, and nothing of the compiler.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tvfc_runtime.api import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """What `api.py` has, which is loaded when a job asks for it: Spark's workers never do."""
    is_module = name.startswith("__") or find_spec(f"{__name__}.{name}")
    if is_module and name != "__all__":
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.api"), name)
