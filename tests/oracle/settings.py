"""In what script a query stands: names of columns and kinds of times, which change no row."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from oracle.dialects import SECOND

NAMES = (
    "`a b`", "`x``y`", "`it's`", "`a.b`", "`ü{}`", "`select`", "`SUM`", "`1`", '`"q"`', "`k\\`",
    "`timestamp`", "`count(*)`", "`$1`", "`%s`", "`--`",
)  # fmt: skip
"""Names that mean something else where they are not written as they must be."""

RENAMED = ("id", "k", "v", "ts")


@dataclass(frozen=True)
class Setting:
    """What a script is like, apart from what it asks.

    Attributes:
        time: the type of the event time.
        begin: about when the first rows are, in microseconds since the epoch.
        names: by the name of a column how it is written.
    """

    time: str = "TIMESTAMP"
    begin: int = 2 * SECOND
    names: Mapping[str, str] = field(default_factory=dict)

    def written(self, script: str) -> str:
        """A script in this setting."""
        script = script.replace("ts TIMESTAMP,", f"ts {self.time},")
        if not self.names:
            return script
        return re.sub(rf"\b(?:{'|'.join(RENAMED)})\b", lambda each: self.names[each[0]], script)


PLAIN = Setting()
"""The script as it is written."""


def random_names(rng: Random) -> dict[str, str]:
    """Names for the columns that are renamed."""
    return dict(zip(RENAMED, rng.sample(NAMES, len(RENAMED)), strict=True))


def random_setting(rng: Random) -> Setting:
    """Any setting; half of the scripts have the plain one in each regard."""
    return Setting(
        time=rng.choice(("TIMESTAMP", "TIMESTAMP", "TIMESTAMP_NTZ")),
        begin=rng.choice((2, 2, -6, 1_700_000_000)) * SECOND,
        names=random_names(rng) if rng.random() < 0.4 else {},
    )
