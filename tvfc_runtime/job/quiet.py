"""Keeps what Spark and PySpark print to what an operator can use."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from tvfc_runtime.job.arguments import UNDER_SPARK_SUBMIT

LEVEL = "spark.log.level"
BARS = "spark.ui.showConsoleProgress"
DEFAULTS = "log4j2-defaults.properties"
"""Spark's own configuration of its log: at INFO, which is hundreds of lines a batch."""

NEWS_TO_NOBODY = (
    # Each key that an operator looks up in vain.
    "org.apache.spark.sql.execution.python.streaming.TransformWithStateInPySparkStateServer",
    # Adaptive planning is not for streams.
    "org.apache.spark.sql.execution.streaming.runtime.ResolveWriteToStream",
    "org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution",
    # A query that is stopped while it idles has no jobs to cancel.
    "org.apache.spark.scheduler.DAGScheduler",
)
"""What warns in every job, of nothing; errors it still tells."""


def quiet_settings(given: Mapping[str, str]) -> dict[str, str]:
    """Settings by which Spark logs warnings and errors alone, and draws no bars.

    Without spark-submit PySpark starts the JVM, and has it log no more from the start.

    Args:
        given: the settings that the job is given.
    """
    bars = {} if BARS in given else {BARS: "false"}
    if UNDER_SPARK_SUBMIT not in os.environ or LEVEL in given:
        return bars
    # The JVM is there already, and these connect to it; spark-submit has told it of settings.
    SparkContext._ensure_initialized()  # noqa: SLF001 - there is no other way before a session
    if SparkConf().contains(LEVEL) or not _is_as_spark_has_it():
        return bars
    return {**bars, LEVEL: "WARN"}


def silence_usual_warnings(spark: SparkSession, quiet: Mapping[str, str]) -> None:
    """Have Spark say nothing of what is so in every job.

    Args:
        spark: the session of the job.
        quiet: what `quiet_settings` has said; where the level is another one, somebody wants it.
    """
    level = spark.sparkContext.getConf().get(LEVEL)
    if level != quiet.get(LEVEL) or not _is_as_spark_has_it():
        return
    log4j = _log4j()
    for name in NEWS_TO_NOBODY:
        log4j.core.config.Configurator.setLevel(name, log4j.Level.ERROR)


def is_gone() -> bool:
    """Whether the JVM has ended, so that Spark answers no more."""
    try:
        jvm: Any = SparkContext._jvm  # noqa: SLF001
        jvm.System.nanoTime()
    except (OSError, Py4JError):
        return True
    return False


def forgive_the_end_of_the_jvm(spark: SparkSession) -> None:
    """Let PySpark print no traceback when the JVM closes the connection to its accumulators."""
    server: Any = spark.sparkContext._accumulatorServer  # noqa: SLF001
    printed = server.handle_error

    def handle_error(request: Any, address: Any) -> None:
        if not isinstance(sys.exc_info()[1], EOFError | ConnectionError):
            printed(request, address)

    server.handle_error = handle_error


def _is_as_spark_has_it() -> bool:
    """Whether nobody has configured the log of the JVM."""
    context = _log4j().LogManager.getContext(False)  # noqa: FBT003 - it is Java's
    return DEFAULTS in str(context.getConfiguration().getConfigurationSource().toString())


def _log4j() -> Any:
    """The package of Java's log, in the JVM."""
    jvm: Any = SparkContext._jvm  # noqa: SLF001
    return jvm.org.apache.logging.log4j
