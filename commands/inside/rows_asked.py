"""What `tvfc why --row` says: of rows that are held, then of rows of the sources' files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

from commands.inside.dry_job import NotTheQueryError, compiled
from commands.inside.fate import Asked, Fates
from commands.inside.held import ConditionError, due_text, facts, matching
from commands.inside.named import described
from commands.inside.source_files import FileLog, files_again
from tvfc_runtime.changing.latest import GONE
from tvfc_runtime.records.bad_rows import FAULT, FILE
from tvfc_runtime.reports.verdicts import moment
from tvfc_runtime.rows.sql_text import quote
from tvfc_runtime.rows.updates import DIFF
from tvfc_runtime.sources.read import FILE_FORMATS
from tvfc_runtime.spec.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import SparkSession

    from commands.inside.relation import HeldRows
    from commands.inside.source_files import ReadBy
    from tvfc_runtime.reports.query_status import QueryStatus


@dataclass(frozen=True)
class SaidOfRow:
    """What is said of a row.

    Attributes:
        row: where it is, and its columns.
        said: sentences.
    """

    row: str
    said: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """Which rows are asked for, and where the clock of the query is.

    Attributes:
        condition: SQL over the columns of rows.
        clock_ms: the clock of the last batch that is done; 0: it has no value.
        most: of how many rows of each operator and source to speak.
    """

    condition: str
    clock_ms: int
    most: int


def said_of_rows(
    spark: SparkSession, query: QueryStatus, parts: Sequence[HeldRows], asked: Question
) -> list[SaidOfRow]:
    """What has become of the rows for which a condition holds.

    Raises:
        ConditionError: the condition is no SQL, or names what no row has.
    """
    found = [(part, matching(spark, part, asked.condition)) for part in parts]
    said = [
        each for part, rows in found for each in ([] if rows is None else _held(part, rows, asked))
    ]
    not_asked = [part.title for part, rows in found if rows is None]
    of_sources = _Sources(spark, query, asked)
    said += of_sources.said()
    if all(rows is None for _, rows in found) and of_sources.columns_are_missing:
        raise ConditionError(
            f"--row: {asked.condition} names a column that no row has that is held or can be read"
        )
    said = said or [SaidOfRow("No such row is held, and none is in the files of the sources.")]
    if not_asked:
        lacking = "not asked: no columns of these names, or of types that cannot be asked"
        said.append(SaidOfRow(f"{'; '.join(not_asked)}: {lacking}"))
    return said


def _held(part: HeldRows, rows: pa.Table, asked: Question) -> Iterator[SaidOfRow]:
    shown = rows[: asked.most]
    names = [name for name in part.rows.column_names if name not in part.own]
    dues: list[int | None] = [None] * shown.num_rows
    if "_due" in part.own:
        dues = shown.column("_due").cast("int64").to_pylist()
    for fact, due in zip(facts(shown, names), dues, strict=True):
        when = "no due time of it is known" if due is None else due_text(due, asked.clock_ms)
        yield SaidOfRow(f"held in {part.title}: {fact}", (when,))
    if rows.num_rows > shown.num_rows:
        yield SaidOfRow(f"held in {part.title}: {rows.num_rows - shown.num_rows:,} more such rows")


class _Sources:
    """What is said of rows in the files of the sources.

    `columns_are_missing` tells, once it has been said, that no source has the columns of the
    condition, and that all have been asked.
    """

    def __init__(self, spark: SparkSession, query: QueryStatus, asked: Question) -> None:
        self.columns_are_missing = False
        self._spark = spark
        self._query = query
        self._asked = asked
        self._log = FileLog(query.place)
        self._folders = described(query.place).folders or {}

    def said(self) -> list[SaidOfRow]:
        """What is said, source by source."""
        try:
            found = compiled(self._query.place)
        except NotTheQueryError as error:
            return [SaidOfRow("Rows that are not held", (f"not known, since {error}",))]
        read = {each.name for each in self._query.sources}
        sources = [each for each in vars(found.module).values() if isinstance(each, Source)]
        streams = [each for each in sources if each.name in read and not each.static]
        place, parts = self._query.place, self._query.parts
        fates = Fates(self._spark, place, found, parts, self._folders)
        answers = [self._of_source(each, fates) for each in streams]
        self.columns_are_missing = all(each is None for each in answers)
        return [said for each in answers for said in each or []]

    def _of_source(self, source: Source, fates: Fates) -> list[SaidOfRow] | None:
        """What is said of the rows of a source; None: it has not the columns of the condition."""
        if source.format not in FILE_FORMATS:
            why = f"not known, since rows of {source.format} are not read again"
            return [SaidOfRow(f"`{source.name}`, rows that are not held", (why,))]
        try:
            rows = files_again(self._spark, source, self._folders.get(source.name))
            own = [name for name in (GONE, DIFF) if name in rows.columns]
            shown = [FILE, FAULT, *own, *map(quote, source.columns)]
            some = rows.where(self._asked.condition).select(*shown)
            table = some.limit(self._asked.most + 1).toArrow().sort_by(FILE)
        except PySparkException as error:
            if (error.getCondition() or "").startswith("UNRESOLVED_COLUMN"):
                return None
            why = str(error).strip().partition("\n")[0]
            what = f"`{source.name}`, rows that are not held"
            return [SaidOfRow(what, (f"not known, since its files cannot be read again: {why}",))]
        number = min(table.num_rows, self._asked.most)
        found = [self._of_row(source, table.slice(place, 1), fates) for place in range(number)]
        if table.num_rows > number:
            found.append(SaidOfRow(f"`{source.name}`: more such rows; --limit shows them"))
        return found

    def _of_row(self, source: Source, row: pa.Table, fates: Fates) -> SaidOfRow:
        file, fault = row.column(FILE)[0].as_py(), row.column(FAULT)[0].as_py()
        columns = row.select(list(source.columns))
        read_by = self._log.read_by(file)
        batch = None if read_by is None or not read_by.done else read_by.batch
        by = "" if batch is None else f", read by batch {batch}"
        what = f"`{source.name}` {facts(columns, columns.column_names)[0]} ({file}{by})"
        if read_by is None:
            runs = "; no process runs the job" if self._query.runs is False else ""
            return SaidOfRow(what, (f"not read yet{runs}",))
        if not read_by.done:
            return SaidOfRow(what, (f"to be read by batch {read_by.batch}, which is not done",))
        if fault is not None:
            return SaidOfRow(
                what, (f"refused: {fault}; BAD({source.name}) has rows that do not fit",)
            )
        if GONE in row.column_names and row.column(GONE)[0].as_py():
            return SaidOfRow(what, ("takes the row of its key away",))
        if DIFF in row.column_names and row.column(DIFF)[0].as_py() < 0:
            return SaidOfRow(what, ("takes such a row away",))
        try:
            return SaidOfRow(what, tuple(self._of_fitting(source, columns, read_by, fates)))
        except PySparkException as error:
            return SaidOfRow(what, (f"not known: {str(error).strip().partition(chr(10))[0]}",))

    def _of_fitting(
        self, source: Source, columns: pa.Table, read_by: ReadBy, fates: Fates
    ) -> Iterator[str]:
        """What is said of a row that fits its source and has been read."""
        clock = read_by.clock_ms if read_by.clock_ms is not None else read_by.at_most_ms or 0
        row = self._spark.createDataFrame(columns)
        asked = Asked(source.name, row, clock, read_by.began_ms or 0, self._asked.clock_ms)
        late, timeless = fates.of_time(asked)
        if fates.depends:
            yield "the query asks for the time or for chance: what follows is as of now"
        if late and read_by.batch is None:
            yield (
                "not known: the batch that has read it is no longer in the checkpoint, and it may "
                "have been late there"
            )
            return
        if late:
            yield (
                f"late: its time lies before {moment(clock)}, the watermark of that batch; "
                f"LATE({late}) has it"
            )
        if timeless:
            yield "its time is NULL: it is never late, and moves no clock"
        for output, said in fates.of(asked):
            yield f"`{output}`: {said}"
