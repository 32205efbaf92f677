"""What Spark's Python workers are spared; they run each task of a job that Spark cannot run itself.

A worker serves one task after another, for as long as the job runs.
"""

from __future__ import annotations

import gc
from functools import cache


@cache
def settle() -> None:
    """Take what this process has loaded out of its garbage collections, once.

    Spark has a worker collect after every task, and that looks at all objects of pandas and
    PySpark: 25 ms of a processor, some seven times a batch.
    """
    gc.freeze()
