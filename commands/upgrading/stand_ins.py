"""A job whose sources are folders of lines that stand in for them.

Each source, the clock of each idle one and the wall clock have a folder of their own, so that Spark
numbers them as it does in the job itself. They are empty unless somebody writes there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import IntegerType, StructType

from scenario.feed import rows_in, ticks_in
from tvfc_runtime.job.building import Job
from tvfc_runtime.job.program import counted_rows
from tvfc_runtime.records.bad_rows import FAULT
from tvfc_runtime.rows.updates import DIFF, numbered
from tvfc_runtime.sinks import together
from tvfc_runtime.sources.first_batch import FIRST_BATCH
from tvfc_runtime.sources.from_start import folder_of
from tvfc_runtime.sources.read import FILE_FORMATS, read_source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from commands.upgrading.queries import Query
    from tvfc_runtime.spec.source import Source

MARK = "@step"
"""The name of an observation that shows in the plan which function has made what is below it."""

WALL_CLOCK = "the wall clock"
FIRST_ROW = "the first row"

_PLACES = ("path", "cleansource", "sourcearchivedir")
"""Options that say where files lie, or what becomes of them."""

Build = Callable[[Job], "DataFrame"]


class StandIns:
    """The folders, and of what each is.

    Args:
        spark: a session.
        folder: where they are made.
    """

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self._spark = spark
        self._folder = folder
        self.names: dict[str, str] = {}

    def job(self, query: Query, place: str) -> Job:
        """A job of a query that reads them."""
        return Job(
            self._spark,
            place,
            read=self._rows,
            ticks=lambda source, _after: ticks_in(self._lines(f"idle {source}"), ""),
            wall_clock=lambda: ticks_in(self._lines(WALL_CLOCK), ""),
            tables=self._changes_of_table,
            sessions=query.spec.sessions,
        )

    def _rows(self, source: Source) -> DataFrame:
        """Files are read as the job reads them, so that what it observes has the same numbers."""
        if source.static:
            return rows_in(self._spark.read.text(str(self._made("tables"))), source)
        name = f"source {source.name}"
        if source.format in FILE_FORMATS:
            others = {k: v for k, v in source.options.items() if k.lower() not in _PLACES}
            options = {**others, "path": self._folder_of(name)}
            return read_source(self._spark, replace(source, options=options))
        rows = rows_in(self._lines(name), source)
        may_be_bad = source.format == "kafka" and FAULT not in rows.columns
        return rows.withColumn(FAULT, F.lit(None).cast("string")) if may_be_bad else rows

    def _changes_of_table(self, name: str, rows: DataFrame) -> DataFrame:
        """Changes of a table are files in the checkpoint, read as the job reads them."""
        plain, names = numbered(rows)
        folder = self._folder_of(f"table {folder_of(name, plain.schema)}")
        schema = StructType([*plain.schema.fields]).add(DIFF, IntegerType())
        return self._spark.readStream.schema(schema).parquet(folder).toDF(*names, DIFF)

    def _lines(self, name: str) -> DataFrame:
        return self._spark.readStream.text(self._folder_of(name))

    def _folder_of(self, name: str) -> str:
        folder = str(self._made(f"in/{len(self.names)}"))
        self.names[folder] = name
        return folder

    def _made(self, name: str) -> Path:
        folder = self._folder / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def name_of(self, relation: str) -> str:
        """Of what a streaming relation is, by its text in a plan."""
        if FIRST_BATCH in relation:
            return FIRST_ROW
        found = [name for folder, name in self.names.items() if f"{folder}]" in relation]
        return found[0] if len(found) == 1 else relation


def frame_of(query: Query, job: Job) -> DataFrame:
    """The rows of all outputs of a query, as one frame if there are several."""
    for statement in query.spec.functions:
        job.spark.sql(statement)
    frames = [counted_rows(job, output) for output in query.outputs]
    return frames[0] if len(frames) == 1 else together(frames).frame


def with_functions(query: Query, made: Callable[[str, Build], Build]) -> Query:
    """A query with other functions in its job.

    Args:
        query: the query; it stays as it is.
        made: of the name of a function and the function, what takes its place.
    """
    module: Any = type(query.module)(query.module.__name__)
    vars(module).update(vars(query.module))
    for name, function in list(vars(module).items()):
        is_own = isinstance(function, FunctionType) and function.__globals__ is vars(query.module)
        if is_own:
            # Its own calls of other functions are looked up in the new module.
            own = FunctionType(function.__code__, vars(module), name)
            setattr(module, name, made(name, own))
    outputs = tuple(
        replace(each, build=getattr(module, each.build.__name__)) for each in query.outputs
    )
    return replace(query, module=module, outputs=outputs)


def marked(query: Query) -> Query:
    """A query whose plan tells by which function each part of it is made."""
    numbers = count()

    def observed(name: str, build: Build) -> Build:
        def build_and_mark(job: Job) -> DataFrame:
            rows = build(job)
            if not rows.isStreaming:
                return rows
            return rows.observe(f"{MARK}/{name}/{next(numbers)}", F.count(F.lit(1)).alias("n"))

        build_and_mark.__name__ = name
        return build_and_mark

    return with_functions(query, observed)
