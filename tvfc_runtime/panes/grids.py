"""How windows that overlap lie over panes, by number.

Panes and windows are numbered along time, so that windows close in order of their numbers. All
lengths are whole microseconds, moments are microseconds since the epoch.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import TypeAlias, TypeVar

import numpy as np

Number = TypeVar("Number", int, np.ndarray)


@dataclass(frozen=True)
class Hop:
    """Windows of `size`, one beginning every `slide`; panes as long as both can be cut into.

    Before   HOP(10 s by 4 s): a row is in two or three windows
    After    a row is in one pane of two seconds, a window is five panes, every other one begins one
    """

    size: int
    slide: int
    offset: int = 0

    grows = False
    """Whether all windows that hold a pane hold those before it that the first of them holds."""

    @property
    def pane(self) -> int:
        """The length of a pane."""
        return gcd(self.size, self.slide)

    @property
    def most(self) -> int:
        """In how many windows a row is at most."""
        return -(-self.size // self.slide)

    def panes_of(self, times: np.ndarray) -> np.ndarray:
        """The panes that hold some moments."""
        return (times - self.offset) // self.pane

    def panes(self, window: int) -> range:
        """The panes of a window."""
        first = window * (self.slide // self.pane)
        return range(first, first + self.size // self.pane)

    def windows(self, pane: int) -> range:
        """The windows that hold a pane."""
        each, panes = self.slide // self.pane, self.size // self.pane
        return range(-((panes - 1 - pane) // each), pane // each + 1)

    def closed(self, now: int) -> int:
        """The last window that ends by a moment."""
        return (now - self.offset - self.size) // self.slide

    def start(self, window: Number) -> Number:
        """Where windows start."""
        return window * self.slide + self.offset

    def end(self, window: Number) -> Number:
        """Where they end."""
        return self.start(window) + self.size


@dataclass(frozen=True)
class Cumulate:
    """Windows of one start that grow by `step` up to `size`, which the last step may not fill.

    A step is a pane, and a window has the number of its last pane.
    """

    size: int
    step: int

    grows = True

    @property
    def pane(self) -> int:
        """The length of a pane."""
        return self.step

    @property
    def most(self) -> int:
        """In how many windows a row is at most."""
        return -(-self.size // self.step)

    def panes_of(self, times: np.ndarray) -> np.ndarray:
        """The panes that hold some moments."""
        whole = times // self.size
        return whole * self.most + (times - whole * self.size) // self.step

    def panes(self, window: int) -> range:
        """The panes of a window."""
        return range(window // self.most * self.most, window + 1)

    def windows(self, pane: int) -> range:
        """The windows that hold a pane."""
        return range(pane, (pane // self.most + 1) * self.most)

    def closed(self, now: int) -> int:
        """The last window that ends by a moment."""
        whole, into = divmod(now, self.size)
        return whole * self.most + into // self.step - 1

    def start(self, window: Number) -> Number:
        """Where windows start."""
        return window // self.most * self.size

    def end(self, window: Number) -> Number:
        """Where they end."""
        grown = (window % self.most + 1) * self.step
        return self.start(window) + grown - (grown > self.size) * (grown - self.size)


Grid: TypeAlias = Hop | Cumulate
