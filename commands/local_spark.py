"""A local Spark session that keeps quiet, for `tvfc run`, `tvfc test` and the tests."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

WANTED_JAVA = 17

FAST_STEPS = {
    # What depends on the number of partitions shows in the splits of a scenario, which take two.
    "spark.sql.shuffle.partitions": "1",
    # Jobs of seconds: a compiler and a collector that think long do not pay. Without the last
    # setting, hundreds of jobs fill what such a compiler has for its code, and it gives up.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    " -XX:ReservedCodeCacheSize=240m",
    # Hundreds of jobs in one session: what Spark keeps of each adds up.
    "spark.driver.memory": "3g",
    "spark.sql.streaming.pollingDelay": "2ms",
    "spark.sql.streaming.numRecentProgressUpdates": "12",
    # Code generation and adaptive planning pay on big inputs only.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
}
"""Settings for many tiny batches, as in scenarios."""


INSPECTION = FAST_STEPS | {"spark.driver.memory": "1g", "spark.sql.session.timeZone": "UTC"}
"""Settings for a look into a checkpoint: a few small jobs, beside a job that may be running."""


class JavaMissing(click.ClickException):
    """There is no Java that Spark can run on; the message says how to get one."""


def local_session(name: str, master: str, settings: Mapping[str, str]) -> SparkSession:
    """A local session, ready for jobs; what Spark and Java log to stderr is dropped."""
    require_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # A daemon of Python workers imports what is on this path; the runtime is this very package.
    from pyspark.sql import SparkSession  # noqa: PLC0415 - only after Java is known to be there

    import tvfc_runtime  # noqa: PLC0415

    runtime = Path(tvfc_runtime.__file__).parent.parent
    log = Path(__file__).with_name("log4j2.properties")
    builder = tvfc_runtime.configure(SparkSession.builder.appName(name).master(master), runtime)
    options = {
        "spark.ui.enabled": "false",
        "spark.log.level": "FATAL",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        **settings,
    }
    java = options.get("spark.driver.extraJavaOptions", "")
    options["spark.driver.extraJavaOptions"] = f"-Dlog4j2.configurationFile={log.as_uri()} {java}"
    for key, value in options.items():
        builder = builder.config(key, value)
    with stderr_aside():
        spark = builder.getOrCreate()
        tvfc_runtime.attach(spark, runtime)
    # PySpark logs the errors that it raises, as JSON with the JVM's stack; we show them ourselves.
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).disabled = True
    return spark


def require_java() -> None:
    """Raise `JavaMissing` unless there is a Java that Spark can run on."""
    version = java_version()
    if version >= WANTED_JAVA:
        return
    found = f"Java {version} is too old" if version else "no Java was found"
    raise JavaMissing(
        f"TVF702: {found}: Spark needs Java {WANTED_JAVA} or newer; install it (Debian, Ubuntu: "
        f"apt-get install openjdk-{WANTED_JAVA}-jre-headless; macOS: brew install "
        f"openjdk@{WANTED_JAVA}) or set JAVA_HOME"
    )


def java_version() -> int:
    """The major version of the Java that Spark would start, or 0 if there is none."""
    home = os.environ.get("JAVA_HOME")
    binary = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if binary is None:
        return 0
    try:
        told = subprocess.run(
            [binary, "-version"], capture_output=True, text=True, timeout=30, check=False
        ).stderr
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(r'version "(?:1\.)?(\d+)', told)
    return int(found[1]) if found else 0


@contextmanager
def stderr_aside() -> Iterator[None]:
    """Send what is written to file descriptor 2 to a file; show it if the block fails.

    A JVM started inside keeps that file for its stderr: its notes on start-up and on incubator
    modules come from before any logging is set up and can be had away in no other way.
    """
    sys.stderr.flush()
    with tempfile.TemporaryFile() as file:
        terminal = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield
        except BaseException:
            os.dup2(terminal, 2)
            file.seek(0)
            sys.stderr.write(file.read().decode(errors="replace"))
            raise
        finally:
            os.dup2(terminal, 2)
            os.close(terminal)
