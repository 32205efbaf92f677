"""The picture of bench/endurance.py: what the job keeps, and how late its rows are, over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

from matplotlib import pyplot as plt

PANELS = (
    ("resident memory [MiB]", {"jvm_mib": "JVM", "workers_mib": "Python workers"}),
    ("rows held", {"rows_held": "rows that wait, in groups and in windows"}),
    ("checkpoint [MiB]", {"checkpoint_mib": "all files", "state_mib": "state"}),
    ("logs of the checkpoint [KiB]", {"logs_kib": "what is read, written and counted"}),
    ("checkpoint [files]", {"checkpoint_files": "number of files"}),
    ("release lag [s]", {"lag_p50_s": "p50", "lag_p99_s": "p99"}),
)
"""What stands in each panel: its axis, and its curves."""

LAG = "release lag [s]"


def draw(
    rows: list[dict[str, Any]],
    restarts: list[tuple[float, str]],
    still: list[tuple[float, float]],
    title: str,
    path: Path,
) -> None:
    """Write the picture.

    Args:
        rows: the samples.
        restarts: when the job was ended, in minutes, and by which signal.
        still: from when to when the feed stalls.
        title: what was measured.
        path: where to.
    """
    figure, panels = plt.subplots(
        len(PANELS), 1, figsize=(10, 15), sharex=True, layout="constrained"
    )
    minutes = [row["minute"] for row in rows]
    for panel, (axis, curves) in zip(panels, PANELS, strict=True):
        for name, label in curves.items():
            panel.plot(
                minutes,
                [row[name] for row in rows],
                label=label,
                linewidth=1.3,
                marker=".",
                markersize=3,
            )
        for begin, end in still:
            panel.axvspan(begin, end, color="0.85", label="_", zorder=0)
        for minute, name in restarts:
            colour = "tab:red" if name == "SIGKILL" else "tab:purple"
            panel.axvline(minute, color=colour, linestyle=":", linewidth=0.9, zorder=0)
        panel.set_ylabel(axis)
        panel.grid(alpha=0.3)
        panel.legend(loc="upper left", fontsize="small")
        if axis == LAG:
            panel.set_yscale("log", nonpositive="mask")
            panel.set_ylim(0.1, 1000)
        else:
            panel.set_ylim(bottom=0)
            panel.yaxis.set_major_formatter("{x:,.0f}")
    panels[-1].set_xlabel(
        "time [minutes]; grey: the feed stalls; dotted: the job is stopped (purple) or killed (red)"
    )
    figure.suptitle(title)
    figure.savefig(path, dpi=110)
    plt.close(figure)
