"""Files that come batch by batch: one for each batch, whole or not at all, the same in a replay.

Spark writes the batch into a hidden folder beside; then the file is moved to its place under a
name that says which batch it is. So whoever reads the folder, Spark or not, sees every row once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame

from tvfc_runtime.checkpoint.storage import exists, list_names, move, query_id, remove_folder
from tvfc_runtime.sinks.errors import SinkError

if TYPE_CHECKING:
    from tvfc_runtime.spec.job import Output

FILE_FORMATS = frozenset({"parquet", "json", "csv", "orc", "text", "xml", "avro"})

_OF_A_BATCH = re.compile(r"part-\d{9}-")
"""How names of our files begin; those that Spark's writers give have five digits."""


@dataclass(frozen=True)
class FileWriter:
    """Writes each batch as one file of a folder.

    Attributes:
        folder: where the files go.
        format: a file format of Spark's.
        options: options of that format.
        checkpoint: the checkpoint of the query. Its id is in the names of files, so that no
            other one replaces them.
    """

    folder: str
    format: str
    options: Mapping[str, str]
    checkpoint: str

    @classmethod
    def of(cls, output: Output, checkpoint: str) -> FileWriter:
        """The writer for an output.

        Raises:
            SinkError: Spark's own sink has written there, so that readers would see its files
                alone; or the checkpoint is new, and the folder has files of another one: all rows
                would be there twice.
        """
        options = {key.lower(): value for key, value in output.options.items()}
        folder = options.pop("path", "").rstrip("/")
        if exists(f"{folder}/_spark_metadata"):
            raise SinkError(
                f"TVF705: sink {output.name}: the folder {folder} was written by a query with this "
                "output alone, and Spark reads only what that has listed in _spark_metadata; give "
                "the sink another path"
            )
        if not list_names(f"{checkpoint}/offsets"):
            others = sorted(filter(_OF_A_BATCH.match, list_names(folder)))
            if others:
                raise SinkError(
                    f"TVF705: sink {output.name}: the folder {folder} has files of another "
                    f"checkpoint ({others[-1]}), and this one is new: all rows would be written "
                    "there once more; give the sink another path, or go on from the checkpoint "
                    "that wrote it"
                )
        return cls(folder, output.format, options, checkpoint)

    def __call__(self, rows: DataFrame, number: int) -> None:
        """Write one batch, in place of what it wrote before."""
        own = f"part-{number:09}-{query_id(self.checkpoint)[:8]}"
        # Readers of a folder leave out names that begin with an underscore.
        staging = f"{self.folder}/_{own}"
        one_file = rows.coalesce(1).write.format(self.format).options(**self.options)
        one_file.option("maxRecordsPerFile", "0").mode("overwrite").save(staging)
        if not exists(staging):
            raise SinkError(
                f"TVF707: what Spark has written to {staging} is not to be seen by the driver; "
                "give the sink a path that both can reach"
            )
        for name in list_names(staging):
            if name.startswith("part-"):
                ending = name[name.index(".") :]
                move(f"{staging}/{name}", f"{self.folder}/{own}{ending}")
        remove_folder(staging)
