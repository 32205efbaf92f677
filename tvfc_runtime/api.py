"""What generated jobs, and the commands, call of the runtime."""

from tvfc_runtime.changing.calls import Call
from tvfc_runtime.changing.netting import netted
from tvfc_runtime.changing.partitions import WindowFunction
from tvfc_runtime.changing.ranks import Sort
from tvfc_runtime.checkpoint.whole import CheckpointError
from tvfc_runtime.delay.release import (
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
from tvfc_runtime.job.building import Job
from tvfc_runtime.job.command_line import main
from tvfc_runtime.job.program import (
    PROTOCOL,
    attach,
    checkpoint_of,
    claim,
    configure,
    phases,
    queries_of,
    start,
)
from tvfc_runtime.joins.table_joins import wholly_read
from tvfc_runtime.joins.time_joins import gone, join_in_time
from tvfc_runtime.over.operator import Frame
from tvfc_runtime.panes.windows import growing, hopping
from tvfc_runtime.pattern.spec import (
    Apply,
    Choice,
    Classifier,
    Excluded,
    Fold,
    Matching,
    MatchNumber,
    Pick,
    Repeat,
    Sequence,
)
from tvfc_runtime.sinks import SinkError, register_keyed_sink
from tvfc_runtime.sinks.sorted_rows import in_order
from tvfc_runtime.sources.watermark import Watermark
from tvfc_runtime.spec.job import JobSpec, Output
from tvfc_runtime.spec.record_format import RecordFormat
from tvfc_runtime.spec.source import Source
from tvfc_runtime.temporal.validity import (
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
    "Apply",
    "Call",
    "CheckpointError",
    "Choice",
    "Classifier",
    "Excluded",
    "Fold",
    "Frame",
    "Job",
    "JobSpec",
    "MatchNumber",
    "Matching",
    "Output",
    "Pick",
    "RecordFormat",
    "Repeat",
    "Sequence",
    "SinkError",
    "Sort",
    "Source",
    "Watermark",
    "WindowFunction",
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
    "earliest",
    "first_of",
    "gone",
    "growing",
    "hop",
    "hopping",
    "if_any",
    "in_order",
    "in_sessions",
    "join_in_time",
    "latest",
    "main",
    "netted",
    "never",
    "passed",
    "phases",
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
    "wholly_read",
    "with_due",
    "with_validity",
]
