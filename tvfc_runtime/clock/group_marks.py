"""What the groups of a source have reached, as it lies in a checkpoint; see groups.py.

    <checkpoint>/tvfc/groups/<source>/N     {"groups": [[name, watermark, when its last row came]]}

Batch N goes by the newest file before its own, so that a batch that is run again finds the same.
Times are milliseconds since the epoch; when a row came is when its batch began, as Spark has noted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import quote

from tvfc_runtime.checkpoint.storage import list_numbers, read_text


class Group(NamedTuple):
    """What a group has reached, None: nothing yet; and when its last row came, milliseconds."""

    watermark_ms: int | None
    seen_ms: int


@dataclass(frozen=True)
class Holding:
    """The group that a source waits for, None: of rows without one.

    Its watermark, how far another one is ahead, when its last row came, and how many groups there
    are; times in milliseconds.
    """

    name: str | None
    watermark_ms: int
    ahead_ms: int
    seen_ms: int
    groups: int


@dataclass(frozen=True)
class Groups:
    """The groups of a source by name; None is the name of rows without one."""

    known: dict[str | None, Group] = field(default_factory=dict)

    def after(self, parts: Iterable[tuple[str | None, int | None, int]]) -> Groups:
        """The groups after a batch; `parts` are a group, its watermark, when its rows came."""
        known = dict(self.known)
        for name, reached_ms, seen_ms in parts:
            before = known.get(name, Group(None, seen_ms))
            values = [each for each in (before.watermark_ms, reached_ms) if each is not None]
            known[name] = Group(max(values, default=None), max(before.seen_ms, seen_ms))
        return Groups(known)

    def holding(self, now_ms: int, idle_after_ms: int | None) -> dict[str | None, Group]:
        """The groups that hold the watermark: those that have one and are not idle."""
        return {
            name: group
            for name, group in self.known.items()
            if group.watermark_ms is not None
            and (idle_after_ms is None or now_ms - group.seen_ms < idle_after_ms)
        }

    def least(self, now_ms: int, idle_after_ms: int | None) -> int | None:
        """The watermark of the source; None: no group has any."""
        holding = self.holding(now_ms, idle_after_ms).values()
        return min((each.watermark_ms or 0 for each in holding), default=None)

    def to_json(self, idle_after_ms: int | None) -> str:
        """The groups as a text, and the silence after which they are idle."""
        rows = [[name, *group] for name, group in self.known.items()]
        return json.dumps({"idle_after_ms": idle_after_ms, "groups": rows})

    @staticmethod
    def of_json(text: str) -> Groups:
        """The groups of such a text."""
        return Groups({name: Group(*rest) for name, *rest in json.loads(text)["groups"]})


def groups_folder(checkpoint: str, source: str) -> str:
    """Where what the groups of a source have reached lies."""
    return f"{checkpoint}/tvfc/groups/{quote(source, safe='')}"


def holding_group(checkpoint: str, source: str) -> Holding | None:
    """The group that held a source as of the last batch with rows; None: it has no groups."""
    folder = groups_folder(checkpoint, source)
    try:
        text = read_text(f"{folder}/{max(list_numbers(folder))}")
        groups, idle_after_ms = Groups.of_json(text), json.loads(text)["idle_after_ms"]
    except (OSError, ValueError, KeyError):
        return None  # There are none, or a batch is writing them.
    newest = max((each.seen_ms for each in groups.known.values()), default=0)
    holding = groups.holding(newest, idle_after_ms)
    reached = {name: each.watermark_ms or 0 for name, each in holding.items()}
    if not reached:
        return None
    name = min(reached, key=lambda each: reached[each])
    return Holding(
        name=name,
        watermark_ms=reached[name],
        ahead_ms=max(reached.values()) - reached[name],
        seen_ms=holding[name].seen_ms,
        groups=len(groups.known),
    )
