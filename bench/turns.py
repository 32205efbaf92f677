"""Two measurements side by side on a machine whose speed varies within minutes.

Both run at the same time, each in processes of its own, but one is stopped while the other goes on
for some seconds. So a slow minute slows both, and the ratio of two neighbouring turns says more
than that of two runs.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import time

from delay import BATCH_ROWS, family

Turn = tuple[float, float]
"""From when to when a measurement was alone, seconds since the epoch."""


def in_turn(script: str, runs: list[list[str]], seconds: float, warm: int) -> list[list[float]]:
    """Rates in rows/s of two measurements of a bench, a pair for each time that both had a turn.

    Args:
        script: the bench; it prints, as JSON, the `batches` of a run: (start, time), milliseconds.
        runs: the arguments of the measurements.
        seconds: how long a turn takes.
        warm: batches at the start that do not count.
    """
    started = [
        subprocess.Popen(
            [sys.executable, script, *each],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for each in runs
    ]
    for each in started[1:]:
        send(each.pid, signal.SIGSTOP)
    turns: list[list[Turn]] = [[] for _ in started]
    try:
        while all(each.poll() is None for each in started):
            for mine, each in zip(turns, started, strict=True):
                mine.append(one_turn(each, seconds))
    finally:
        for each in started:
            send(each.pid, signal.SIGCONT)
    found = [json.loads(each.communicate()[0].splitlines()[-1]) for each in started]
    rates = [
        [rate(each["batches"][warm:], turn) for turn in mine]
        for each, mine in zip(found, turns, strict=True)
    ]
    return [[*both] for both in zip(*rates, strict=True) if all(both)]


def one_turn(process: subprocess.Popen[str], seconds: float) -> Turn:
    """Let a measurement run alone for a while."""
    begun = time.time()
    send(process.pid, signal.SIGCONT)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        send(process.pid, signal.SIGSTOP)
    return begun, time.time()


def send(root: int, number: int) -> None:
    """A signal to a process and all below it."""
    for each in family(root):
        try:
            os.kill(each, number)
        except ProcessLookupError:
            continue


def rate(batches: list[tuple[float, float]], turn: Turn) -> float:
    """Rows a second of the batches that lie within a turn; 0 without any."""
    begun, ended = (each * 1000 for each in turn)
    times = [time for start, time in batches if begun <= start and start + time <= ended]
    return BATCH_ROWS * len(times) / sum(times) * 1000 if times else 0.0


def ratio(pairs: list[list[float]]) -> str:
    """The ratio of the second to the first: its median, and where half of the turns lie."""
    low, middle, high = statistics.quantiles([other / one for one, other in pairs], n=4)
    return f"{middle:.2f}, half of {len(pairs)} turns from {low:.2f} to {high:.2f}"
