"""Entries of one batch in order, those that follow one another side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Runs:
    """Entries in order, those of one run side by side.

    Attributes:
        run: the run of each entry, ascending from 0; none is empty.
        starts: where each run begins.
    """

    run: np.ndarray
    starts: np.ndarray

    @property
    def ends(self) -> np.ndarray:
        """Where each run ends."""
        return np.append(self.starts, len(self.run))[1:]

    @property
    def are_single(self) -> bool:
        """Whether each run has one entry."""
        return len(self.run) == len(self.starts)

    def sums(self, values: np.ndarray) -> np.ndarray:
        """The sum of int64 values from the begin of its run up to each entry."""
        if self.are_single or not len(values):
            return values
        found = np.cumsum(values)
        before = found[self.starts] - values[self.starts]
        return found - before[self.run]
