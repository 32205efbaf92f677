"""The cause of a failure, without tracebacks."""

from __future__ import annotations

import pytest

from scenario.causes import cause_of
from tvfc_runtime.reports.reasons import reason, root_cause

STREAM = "[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: "
PYTHON = (
    STREAM + "Job aborted due to stage failure: Task 0 in stage 3.0 failed 1 times, most recent "
    "failure: Lost task 0.0 in stage 3.0 (TID 3): org.apache.spark.api.python.PythonException: "
    "Traceback (most recent call last):\n"
    '  File "/x/tvfc_runtime/changing/calls.py", line 3, in f\n'
    "    raise ValueError(f'TVF: {x}')\n"
    "ValueError: no such value: 5\n\n"
    "\tat org.apache.spark.api.python.BasePythonRunner(PythonRunner.scala:5)\n"
)
SPARK = (
    STREAM + "Job aborted: org.apache.spark.SparkArithmeticException: [ARITHMETIC_OVERFLOW] "
    "integer overflow. Use 'try_add' to tolerate it. SQLSTATE: 22003\n"
    "== SQL (line 1) ==\na + 1\n\tat org.x\n"
)
ANALYSIS = (
    "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column `x` cannot be resolved. SQLSTATE: 42703;\n"
    "'Project ['x]\n+- Relation\n"
)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (PYTHON, "ValueError: no such value: 5"),
        (PYTHON.replace("no such value", "TVF704: a row does not fit"), None),
        (PYTHON.replace("ValueError: no", "a.b.ValueError: no"), "ValueError: no such value: 5"),
        (PYTHON.replace("no such", "[CAST_INVALID] no"), "[CAST_INVALID] no value: 5"),
        (
            SPARK,
            "[ARITHMETIC_OVERFLOW] integer overflow. Use 'try_add' to tolerate it. SQLSTATE: 22003",
        ),
        (
            ANALYSIS,
            "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column `x` cannot be resolved. SQLSTATE: 42703;",
        ),
        ("something else\nand more", "something else\nand more"),
    ],
)
def test_the_cause_alone_is_told(text: str, cause: str | None) -> None:
    assert cause_of(text) == (cause or "TVF704: a row does not fit: 5")


class FailedError(Exception):
    """An error as PySpark gives it, with what the JVM says of it."""

    _stackTrace = """org.apache.spark.SparkException: Exception thrown in awaitResult:
\tat org.apache.spark.util.SparkThreadUtils$.awaitResult(SparkThreadUtils.scala:53)
Caused by: java.util.concurrent.ExecutionException: one on the way
\t... 12 more
Caused by: org.apache.spark.SparkException: [STATE_GONE] No state: it is gone. SQLSTATE: XXKST
\tat scala.Option.get(Option.scala:5)"""  # noqa: N815 - PySpark's name


def test_a_text_that_says_nothing_gives_way_to_the_first_error() -> None:
    error = FailedError("[STREAM_FAILED] Query terminated: Exception thrown in awaitResult:")
    root = "[STATE_GONE] No state: it is gone. SQLSTATE: XXKST"
    assert root_cause(error) == root
    assert cause_of(str(error), root) == root
    assert reason(error) == f"TVF715: the job has failed:\n{root}"
    assert root_cause(ValueError("alone")) == ""
    assert cause_of(PYTHON, root) == "ValueError: no such value: 5"
