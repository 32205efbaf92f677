"""Java programs and connectors that tests start: fetched once a machine, then found offline.

PySpark's own resolver fetches them (`spark-submit --packages`), so that nothing but Java is needed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pyspark

SPARK_KAFKA = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0"
"""Spark's connector of Kafka: the newest that is published; it runs on PySpark 4.3, too."""

PATIENCE_S = 600
DONE = "complete"


class JarsMissingError(Exception):
    """Jars are not there, and could not be fetched."""


def jars(*coordinates: str, without: Sequence[str] = ()) -> list[Path]:
    """The jars of Maven coordinates and of all that they need.

    Args:
        coordinates: such as `org.postgresql:postgresql:42.7.8`.
        without: beginnings of file names to be left out, where the classpath has them already.

    Raises:
        JarsMissingError: they could not be fetched; the message is the end of what was printed.
    """
    name = hashlib.sha256(" ".join(coordinates).encode()).hexdigest()[:12]
    folder = cache() / "jars" / name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        # Several test runs of one machine wait for the first to fetch.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / DONE).exists():
            _fetch(coordinates, folder)
            (folder / DONE).touch()
    found = sorted((folder / "jars").glob("*.jar"))
    return [path for path in found if not path.name.startswith(tuple(without))]


def connector() -> list[Path]:
    """The jars that a Spark session needs to read and write Kafka."""
    # Spark has these itself.
    return jars(SPARK_KAFKA, without=("at.yawk.lz4", "org.xerial.snappy", "com.google.code"))


def classpath(*coordinates: str) -> str:
    """The same as a classpath for a Java program of its own."""
    # Spark's resolver leaves out Scala's library, which Spark has itself.
    scala = Path(pyspark.__file__).parent.glob("jars/scala-library-*.jar")
    folders = {f"{path.parent}/*" for path in jars(*coordinates)}
    return os.pathsep.join([*sorted(folders), *map(str, scala)])


def cache() -> Path:
    """Where what is fetched stays: it belongs to the machine, not to a clone of the project."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tvfc-tests"


def java() -> str:
    """The program that runs Java, as Spark's scripts find it."""
    home = os.environ.get("JAVA_HOME")
    return str(Path(home, "bin", "java")) if home else "java"


def _fetch(coordinates: Sequence[str], folder: Path) -> None:
    """Let Spark resolve packages for a program that does nothing; the jars are in `jars` then."""
    nothing = folder / "nothing.py"
    nothing.write_text("")
    command = [
        str(Path(pyspark.__file__).parent / "bin" / "spark-submit"),
        *("--master", "local[1]", "--packages", ",".join(coordinates)),
        *("--conf", f"spark.jars.ivy={folder}", str(nothing)),
    ]
    environment = os.environ | {
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
    }
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise JarsMissingError(
            f"cannot fetch {', '.join(coordinates)}: a network and Java are needed once\n"
            + "\n".join(lines[-15:])
        )
