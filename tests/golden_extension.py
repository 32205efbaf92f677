"""Goldens as plain files: golden/<topic>/<case>/<artifact>, kept by syrupy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from syrupy.data import SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

if TYPE_CHECKING:
    from syrupy.location import PyTestLocation

ARTIFACTS = ("explain.txt", "job.py", "error.txt")


class GoldenFile(SingleFileSnapshotExtension):
    """Stores the snapshot called `name` as <case>/<name>; `case` is a parameter of the test."""

    _write_mode = WriteMode.TEXT
    file_extension = ""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        # At the end syrupy asks for tests without a case, too: beside them lie no goldens.
        item = test_location.item
        parameters = getattr(item, "callspec", None)
        case: Path | None = parameters.params.get("case") if parameters else None
        return str(case or item.path.parent)

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: Any = 0) -> str:
        return f"{test_location.snapshot_name}.{index}"

    @classmethod
    def get_file_basename(cls, *, test_location: PyTestLocation, index: Any) -> str:  # noqa: ARG003
        return str(index)

    @classmethod
    def matches_test_location(
        cls, *, test_location: PyTestLocation, snapshot_location: str
    ) -> bool:
        return Path(snapshot_location).parent == Path(cls.dirname(test_location=test_location))

    def discover_snapshots(
        self,
        *,
        test_location: PyTestLocation,  # noqa: ARG002
        ignore_extensions: list[str] | None = None,  # noqa: ARG002
    ) -> SnapshotCollections:
        """Nothing: an update deletes what is discovered and unused, and that would be `query.sql`.

        Whether syrupy looks for unused snapshots at all depends on how pytest was called. The
        tests themselves delete an artifact that a case no longer has, and refuse stray files.
        """
        return SnapshotCollections()
