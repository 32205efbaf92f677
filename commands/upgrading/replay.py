"""The history of the sources, read once more by a new query up to where the old one has come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from commands.upgrading.compare import Sides
    from tvfc_runtime.query_status import QueryStatus


@dataclass(frozen=True)
class History:
    """What is replayed."""


@dataclass(frozen=True)
class Replayed:
    """A checkpoint of the new query after the history.

    Attributes:
        place: where it is.
        version: of its state.
        held: how many rows its operators hold, by name.
    """

    place: str
    version: int
    held: Mapping[str, int]


def history_of(status: QueryStatus, batch: int, sides: Sides) -> History | str:
    """What there is to replay, or why it cannot be."""
    return "not yet"


def replayed(spark: SparkSession, history: History, sides: Sides, folder: Path) -> Replayed:
    """Read the history."""
    raise NotImplementedError
