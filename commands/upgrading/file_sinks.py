"""Folders of files that Spark's own sink lists, by the numbers of batches.

A query with one sink leaves its files to Spark, whose log in the folder must go back to its last
compaction; one with several writes them itself, without a log. Readers who know the log see
nothing beside it, so that a folder stays with one of the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.upgrading.queries import UpgradeError
from tvfc_runtime.checkpoint.storage import exists, write_text
from tvfc_runtime.job.program import left_to_spark
from tvfc_runtime.sinks.files import FILE_FORMATS

if TYPE_CHECKING:
    from commands.upgrading.identity import Pair
    from commands.upgrading.queries import Query
    from tvfc_runtime.spec.job import Output

LOG = "_spark_metadata"
COMPACTED_EVERY = 10
"""Spark's own number of batches between two compactions."""


def unlisted_folders(pair: Pair) -> list[str]:
    """Folders that a new query leaves to Spark and that have no log yet.

    Raises:
        UpgradeError: a folder would go from Spark's sink to that of the runtime, or back.
    """
    now, before = _is_listed(pair.new), _is_listed(pair.old)
    names = {each.name: each for each in pair.old.outputs}
    for each in pair.new.outputs:
        was = names.get(each.name)
        stays = was is not None and _is_same(pair, each)
        if each.format in FILE_FORMATS and stays and now != before:
            raise UpgradeError(
                f"TVF755: the files of the sink {each.name} are listed otherwise by a query with "
                "one sink than by one with several; give it another folder"
            )
    if not now or pair.new.outputs[0].format not in FILE_FORMATS:
        return []
    output = pair.new.at_start.settled(pair.new.outputs[0])
    folder = next(value for key, value in output.options.items() if key.lower() == "path")
    return [] if exists(f"{folder}/{LOG}") else [folder]


def _is_same(pair: Pair, output: Output) -> bool:
    """Whether both queries have a sink in one place."""
    targets = [
        part.get("options")
        for query in (pair.old, pair.new)
        for part in query.parts
        if part.get("sink") == output.name
    ]
    return targets[0] == targets[1]


def _is_listed(query: Query) -> bool:
    return left_to_spark(query.outputs)


def list_nothing(folder: str, batch: int) -> None:
    """Begin Spark's log in a folder as if batches up to a number had written nothing."""
    compacted = (batch + 1) // COMPACTED_EVERY * COMPACTED_EVERY - 1
    if compacted >= 0:
        write_text(f"{folder}/{LOG}/{compacted}.compact", "v1")
    for number in range(compacted + 1, batch + 1):
        write_text(f"{folder}/{LOG}/{number}", "v1")
