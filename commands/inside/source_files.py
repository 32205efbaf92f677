"""The rows of a source's files, read once more in batch, and the batch that has read each file."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.checkpoint.storage import list_names, list_numbers, read_text
from tvfc_runtime.clock.of_batch import clock_ms, noted_of_batch
from tvfc_runtime.records.bad_rows import FAULT, FILE, fault_of
from tvfc_runtime.sources.at_start import AtStart
from tvfc_runtime.sources.read import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from tvfc_runtime.spec.source import Source


@dataclass(frozen=True)
class ReadBy:
    """The batch that has read a file.

    Attributes:
        batch: its number; None: it is no longer in the checkpoint, or cannot be told.
        done: whether it is done.
        clock_ms: its W, milliseconds since the epoch; 0: there was none. Without a batch None.
        at_most_ms: W of a batch that is not before it; None: there is none.
        began_ms: when it began.
    """

    batch: int | None
    done: bool
    clock_ms: int | None
    at_most_ms: int | None
    began_ms: int | None


def files_again(spark: SparkSession, source: Source, folder: str | None) -> DataFrame:
    """The rows of the files of a source, as they are now: `__file`, `__fault` and its columns.

    Args:
        spark: a session.
        source: a source of files.
        folder: its path as the job has it; None: as the source says.
    """
    options = {key: value for key, value in source.options.items() if key.lower() != "path"}
    path = folder or source.option("path") or ""
    there = replace(source, options={**options, "path": path}, static=True)
    still = AtStart().settled(there)
    rows = read_source(spark, still)
    if FILE not in rows.columns:
        rows = rows.withColumn(FILE, F.input_file_name())
    fault = fault_of(rows, source)
    return rows.withColumn(FAULT, F.lit(None).cast("string") if fault is None else fault)


def plain_path(location: str) -> str:
    """A file's location as it is compared: Spark writes those of local files in several ways."""
    parts = urlsplit(location)
    path = "/" + parts.path.lstrip("/")
    return unquote(path) if parts.scheme in ("", "file") else unquote(location)


class FileLog:
    """Which batch of a query has read which file, by what Spark has noted in its checkpoint."""

    def __init__(self, place: str) -> None:
        self._place = place

    @cached_property
    def files(self) -> Mapping[str, tuple[int, int]]:
        """By path, the folder of `sources/` that has a file, and its number there."""
        found: dict[str, tuple[int, int]] = {}
        root = f"{self._place}/sources"
        for folder in list_numbers(root):
            for name in list_names(f"{root}/{folder}"):
                if name.removesuffix(".compact").isdigit():
                    for each in _entries(f"{root}/{folder}/{name}"):
                        found[plain_path(str(each["path"]))] = folder, int(each["batchId"])
        return found

    @cached_property
    def _batches(self) -> list[tuple[int, Mapping[str, Any], list[int]]]:
        """What is noted of each batch that is kept, the oldest first, and its offsets of files."""
        found = []
        for batch in sorted(list_numbers(f"{self._place}/offsets")):
            try:
                noted = noted_of_batch(self._place, batch)
                offsets = list(_offsets(read_text(f"{self._place}/offsets/{batch}")))
            except (ValueError, IndexError, OSError):
                continue  # Removed or being written meanwhile.
            found.append((batch, noted, offsets))
        return found

    @cached_property
    def _folders(self) -> list[int]:
        return sorted(list_numbers(f"{self._place}/sources"))

    def read_by(self, path: str) -> ReadBy | None:
        """The batch that has read a file; None: none has."""
        known = self.files.get(plain_path(path))
        if known is None:
            return None
        folder, number = known
        done = max(list_numbers(f"{self._place}/commits"), default=-1)
        before = -1
        for batch, noted, offsets in self._batches:
            offset = self._offset_of(folder, offsets)
            if offset is not None and offset >= number:
                is_first = before + 1 == batch
                clock = _clock(noted)
                if not is_first:
                    return ReadBy(None, done=True, clock_ms=None, at_most_ms=clock, began_ms=None)
                began = int(noted["batchTimestampMs"])
                return ReadBy(batch, batch <= done, clock, clock, began)
            before = batch
        newest = _clock(self._batches[-1][1]) if self._batches else None
        return ReadBy(None, done=True, clock_ms=None, at_most_ms=newest, began_ms=None)

    def _offset_of(self, folder: int, offsets: list[int]) -> int | None:
        """How far a folder of `sources/` had been read, where that is certain.

        A source that a query reads in several places has several offsets, all the same.
        """
        if len(offsets) == len(self._folders):
            return offsets[self._folders.index(folder)]
        return offsets[0] if len(set(offsets)) == 1 else None


def _clock(noted: Mapping[str, Any]) -> int:
    """W of a batch, milliseconds since the epoch; 0: there was none."""
    return clock_ms(int(noted["batchWatermarkMs"]))


def _entries(location: str) -> Iterator[dict[str, Any]]:
    try:
        lines = read_text(location).splitlines()[1:]
        yield from (json.loads(line) for line in lines)
    except (ValueError, OSError):
        return  # Put together with others meanwhile.


def _offsets(text: str) -> Iterator[int]:
    for line in text.split("\n")[2:]:
        try:
            yield int(json.loads(line)["logOffset"])
        except (ValueError, TypeError, KeyError):
            continue  # Of a source that is no files, or has not begun.
