"""A job in a program of one's own, as in a notebook: a session, `attach`, queries that are started.

    python notebook.py MASTER FOLDER EXAMPLE...

What the examples give on the flights of `examples/` is compared with a batch query over them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from feed.test_examples import check, run
from pyspark.sql import SparkSession

import tvfc_runtime
from commands.runtime_zip import runtime_zip


def main(master: str, folder: Path, names: list[str]) -> None:
    """Run examples on a cluster; an AssertionError says what differs."""
    runtime = folder / "tvfc_runtime.zip"
    runtime.write_bytes(runtime_zip())
    builder = SparkSession.builder.appName("notebook").master(master)
    settings = {"spark.executor.memory": "512m", "spark.ui.enabled": "false"}
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = tvfc_runtime.configure(builder, runtime).getOrCreate()
    try:
        tvfc_runtime.attach(spark, runtime)
        for name in names:
            (folder / name).mkdir()
            check(name, run(spark, folder / name, name))
            print(name, flush=True)  # noqa: T201 - a program
    finally:
        spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
