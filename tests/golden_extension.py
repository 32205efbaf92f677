"""Goldens as plain files: golden/<topic>/<case>/<artifact>, kept by syrupy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from syrupy.data import Snapshot, SnapshotCollection, SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

if TYPE_CHECKING:
    from syrupy.location import PyTestLocation

ARTIFACTS = ("explain.txt", "job.py", "error.txt")


class GoldenFile(SingleFileSnapshotExtension):
    """Store the snapshot called `name` as <case>/<name>, `case` being a Path parameter of the test.

    Without a `discover_snapshots` of its own, an update would delete `query.sql` as unused.
    """

    _write_mode = WriteMode.TEXT
    file_extension = ""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        # At the end syrupy asks for tests without a case, too: beside them lie no goldens.
        item = test_location.item
        parameters = getattr(item, "callspec", None)
        return str(
            parameters.params.get("case", item.path.parent) if parameters else item.path.parent
        )

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
        test_location: PyTestLocation,
        ignore_extensions: list[str] | None = None,  # noqa: ARG002
    ) -> SnapshotCollections:
        """The artifacts of the test's case, never its inputs."""
        found = SnapshotCollections()
        for name in ARTIFACTS:
            path = Path(self.dirname(test_location=test_location)) / name
            if path.exists():
                collection = SnapshotCollection(location=str(path))
                full_name = self.get_snapshot_name(test_location=test_location, index=name)
                collection.add(Snapshot(name=full_name))
                found.add(collection)
        return found
