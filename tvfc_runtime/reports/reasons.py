"""Why a job has failed, in words for whoever runs it, in place of tracebacks of three languages."""

from __future__ import annotations

import re

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from tvfc_runtime.checkpoint.whole import CheckpointError
from tvfc_runtime.pattern.kinds import FailedMatchError
from tvfc_runtime.reports.bad_row_watch import TooManyBadRowsError
from tvfc_runtime.reports.metrics import MetricsError
from tvfc_runtime.sinks import SinkError
from tvfc_runtime.sources.at_start import StartError

FAILURES = (
    CheckpointError,
    StartError,
    SinkError,
    TooManyBadRowsError,
    MetricsError,
    FailedMatchError,
    PySparkException,
    # What the JVM raises and PySpark does not know: a class that is on no path, for one.
    Py4JJavaError,
    OSError,
)
"""What ends a job, and is the fault of what it runs on or of what it is given."""

_SHOWN_LINES = 12
_SAYS_NOTHING = "Exception thrown in awaitResult"

# What the operating system, Hadoop or Spark says, and what that means to whoever runs the job.
_KNOWN: tuple[tuple[str, str], ...] = (
    (
        r"No space left on device|Disk quota exceeded|File too large|ENOSPC|EDQUOT",
        "TVF710: no space is left on the disk: make room and start the job again; it goes on from "
        "its checkpoint",
    ),
    (
        r"Python worker failed to connect back|waiting for the Python worker to connect|"
        r"reading the port number from pyspark\.daemon",
        "TVF715: a Python worker has not started in time: give the machine less to do, or say with "
        "PYSPARK_PYTHON which Python the executors run; started again, the job goes on from its "
        "checkpoint",
    ),
    (
        r"CONCURRENT_STREAM_LOG_UPDATE|CONCURRENT_QUERY|STREAMING_QUERY_ALREADY|"
        r"Multiple streaming queries are concurrently using|ConcurrentModificationException",
        "TVF709: another job runs on this checkpoint: give each job a --checkpoint of its own",
    ),
    (
        r"Read-only file system|Permission denied|AccessDeniedException|AccessControlException|"
        r"Mkdirs failed to create|EROFS|EACCES|Operation not permitted",
        "TVF716: the job may not write or read there: give the folder to the user that runs it",
    ),
    (
        r"PATH_NOT_FOUND|Path does not exist",
        "TVF712: there is no such folder: make it, or mend OPTIONS (path '…')",
    ),
    (
        r"DATA_SOURCE_NOT_FOUND|Failed to find (?:the )?data source",
        "TVF736: a format of the query is not in this Spark: give its connector with --packages, "
        "such as org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0 for kafka and "
        "org.apache.spark:spark-avro_2.13:4.2.0 for avro",
    ),
    (
        r"Wrong basePath",
        "TVF734: a source of files lies elsewhere than what this checkpoint has read of it: give "
        "the folder that it had, or another --checkpoint",
    ),
    (
        r"FAILED_READ_FILE\.FILE_NOT_EXIST|FAILED_READ_FILE_NOT_EXIST|FileNotFoundException|"
        r"No such file or directory",
        "TVF713: a file or folder of the job is gone: put it back and start the job again, or give "
        "a new --checkpoint and begin anew",
    ),
    (
        r"PARQUET_COLUMN_DATA_TYPE_MISMATCH|SchemaColumnConvertNotSupportedException|"
        r"CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE|IncompatibleSchemaException|AVRO_INCOMPATIBLE|"
        r"AVRO_CANNOT_READ|ORC_.*MISMATCH",
        "TVF714: a file has a column of another type than the source declares: move the file away, "
        "or declare the type that it has",
    ),
)


def reason(error: BaseException) -> str:
    """Why a job has failed, in a line or a few."""
    if isinstance(error, CheckpointError | SinkError | MetricsError | StartError):
        return str(error)
    text = str(error).strip()
    # A traceback shows the line of the program before the message itself.
    own = re.findall(r"\bTVF7\d\d: .*", text)
    if own:
        return str(own[-1]).strip()
    # Spark says what has failed, and far below why.
    whole = "\n".join((text, getattr(error, "_stackTrace", None) or ""))
    for pattern, message in _KNOWN:
        found = re.search(pattern, whole)
        if found is not None:
            return f"{message}\n{_line_of(whole, found.start())}"
    if type(error).__name__ == "AnalysisException":
        return f"Spark refuses the query: {text.splitlines()[0] if text else type(error).__name__}"
    # What Spark adds of the query is for Spark's developers.
    said = text.split("=== Streaming Query ===")[0].rstrip()
    if _SAYS_NOTHING in said:
        said = root_cause(error) or said
    lines = [line for line in said.splitlines() if not _is_trace(line)]
    return "TVF715: the job has failed:\n" + "\n".join(lines[:_SHOWN_LINES])


def root_cause(error: BaseException) -> str:
    """What the JVM says of the first of the errors that led to this one; empty if it is alone."""
    trace = getattr(error, "_stackTrace", None) or ""
    causes = re.findall(r"^Caused by: (?:[\w.$]+: )?(.+)$", trace, re.MULTILINE)
    return str(causes[-1]).strip() if causes else ""


def _line_of(text: str, place: int) -> str:
    """The line of a message that a place is in, not too long."""
    line = text[text.rfind("\n", 0, place) + 1 :].splitlines()[0].strip()
    return line if len(line) <= 400 else f"{line[:400]}…"


def _is_trace(line: str) -> bool:
    return line.lstrip().startswith(("at ", "File ", "Traceback ", "... "))
