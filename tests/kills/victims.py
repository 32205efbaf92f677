"""The processes of a running job, by what they do, and a sudden end for one of them."""

from __future__ import annotations

import os
import signal
from collections import defaultdict
from pathlib import Path
from random import Random

ROLES = {
    "worker": "pyspark.daemon",
    "executor": "CoarseGrainedExecutorBackend",
    "JVM": "org.apache.spark.deploy.SparkSubmit",
}
"""What the command line of a process has in it, by what the process is for. The Python program that
the job is has none of these: it is the driver."""


def processes(leader: int) -> dict[str, list[int]]:
    """The living processes of the session that `leader` leads, by role."""
    found: dict[str, list[int]] = defaultdict(list)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # After the name in parentheses: state, parent, group, session.
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (
                (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            )
        except OSError:
            # It has ended in the meantime.
            continue
        if int(fields[3]) == leader and fields[0] != "Z":
            role = next((name for name, mark in ROLES.items() if mark in command), "")
            if role or int(folder.name) == leader:
                found[role or "driver"].append(int(folder.name))
    return found


def kill_one(leader: int, rng: Random) -> str | None:
    """SIGKILL to a random process of a random role; answers the role, None if all have ended."""
    found = processes(leader)
    if not found:
        return None
    role = rng.choice(sorted(found))
    try:
        os.kill(rng.choice(found[role]), signal.SIGKILL)
    except ProcessLookupError:
        return None
    return role
