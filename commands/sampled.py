"""How large state will be, by a sample of the input: `tvfc explain --sample`.

Rows a second by event time, times how long they are kept, times the bytes of a row in Arrow; of
groups, as many as are open at a time. What PyArrow reads is read, without Spark.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, orc, parquet
from pyarrow import json as json_lines

from commands.status import size
from compiler.escapes import visible
from tvfc_runtime.reports.verdicts import ago

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from compiler import Job

BYTES_OF_A_DUE_TIME = 8
BYTES_OF_AN_AGGREGATE = 16
BYTES_OF_A_CONSTANT = 8
"""What a column is taken for that is computed, and none of the sample's."""

Facts = dict[str, Any]


@dataclass(frozen=True)
class Sample:
    """Rows of a source.

    Attributes:
        source: its name.
        rows: the rows.
        time: the column of event time; None: it has no watermark.
        delay_s: how far the watermark is behind, in seconds.
        span_s: the time from the first row to the last one, in seconds.
    """

    source: str
    rows: pa.Table
    time: str | None
    delay_s: float
    span_s: float

    @property
    def rate(self) -> float:
        """Rows a second, by event time."""
        return self.rows.num_rows / self.span_s if self.span_s else 0.0

    def bytes_of(self, columns: Sequence[str] | None) -> float:
        """The bytes of a row in Arrow; of these columns, None: of all."""
        names = self.rows.column_names
        chosen = names if columns is None else [_plain(each) for each in columns]
        known = [each for each in chosen if each in names]
        rest = BYTES_OF_A_CONSTANT * (len(chosen) - len(known))
        return self.rows.select(known).nbytes / max(self.rows.num_rows, 1) + rest


def sampled(job: Job, query: Path, asked: str) -> str:
    """The estimate for a job, in lines.

    Args:
        job: the job.
        query: its file.
        asked: `FILE`, `SOURCE=FILE` or several of these with commas between, or a number of rows
            that are taken from the source's own files.

    Raises:
        ClickException: there is no sample of a source.
    """
    samples = dict(_samples(job, query, asked))
    kept: list[Facts] = json.loads(job.stages["kept"])
    lines = ["", *map(_described, samples.values())]
    total = 0.0
    for output in dict.fromkeys(each["output"] for each in kept):
        lines += [f"state of {output}, estimated"]
        for each in (each for each in kept if each["output"] == output):
            estimate = _estimate(each, samples)
            total += estimate.bytes or 0
            lines += [f"  {each['text']}", f"    {estimate.text}"]
    lines += [f"in all {size(round(total))}, beside what is unbounded or not estimated", *ASSUMED]
    return "\n".join(map(visible, lines))


ASSUMED = (
    "taken for granted: rows come as evenly as in the sample; each is kept for as long as the",
    f"longest of its conditions says; a due time has {BYTES_OF_A_DUE_TIME} bytes, "
    f"a computed column {BYTES_OF_A_CONSTANT},",
    f"an aggregate {BYTES_OF_AN_AGGREGATE}; before compression, "
    "without the changes of the last 100 batches",
)


def _described(sample: Sample) -> str:
    if not sample.span_s:
        return f"sample of {sample.source}: {sample.rows.num_rows:,} rows, without a span of time"
    span = ago(round(sample.span_s * 1000))
    return (
        f"sample of {sample.source}: {sample.rows.num_rows:,} rows in {span} "
        f"of {sample.time}, {sample.rate:,.3g} a second; {sample.bytes_of(None):,.0f} bytes a row"
    )


@dataclass(frozen=True)
class Estimate:
    """What a part takes, in words, and in bytes; None: that is not known."""

    text: str
    bytes: float | None = None


def _estimate(kept: Facts, samples: Mapping[str, Sample]) -> Estimate:
    own = [samples[name] for name in kept["sources"] if name in samples]
    if kept["kind"] == "unbounded":
        rate = sum(each.rate * each.bytes_of(kept["columns"]) for each in own) * 86_400
        return Estimate(f"unbounded: grows by {size(round(rate))} a day" if rate else "unbounded")
    if kept["kind"] == "rows" and own:
        found = [_rows(each, kept) for each in own]
        if all(each is not None for each in found):
            return _together([each for each in found if each is not None])
    if kept["kind"] == "groups" and len(own) == 1:
        return _groups(own[0], kept)
    return Estimate("not estimated")


def _together(found: Sequence[Estimate]) -> Estimate:
    return Estimate("; ".join(e.text for e in found), sum(e.bytes or 0 for e in found))


def _rows(sample: Sample, kept: Facts) -> Estimate | None:
    """Rows that are kept until a moment after one of their columns."""
    lasts = [_mean_wait(sample, column, after) for column, after in kept["until"]]
    known = [each for each in lasts if each is not None]
    if not known or not sample.span_s:
        return None
    seconds = max(max(known) + sample.delay_s, 0.0)
    rows, each = sample.rate * seconds, sample.bytes_of(kept["columns"]) + BYTES_OF_A_DUE_TIME
    return Estimate(
        f"{sample.rate:,.3g} rows/s of {sample.source} * {ago(round(seconds * 1000))} = "
        f"{rows:,.0f} rows * {each:,.0f} bytes = {size(round(rows * each))}",
        rows * each,
    )


def _mean_wait(sample: Sample, column: str, after: float) -> float | None:
    """The mean of how long after its own time the moment of a row comes, in seconds."""
    name = _plain(column)
    if sample.time is None or name not in sample.rows.column_names:
        return None
    if name == sample.time:
        return after
    moments = _seconds(sample.rows[name])
    times = _seconds(sample.rows[sample.time])
    if moments is None or times is None:
        return None
    mean = pc.mean(pc.subtract(moments, times)).as_py()
    return None if mean is None else float(mean) + after


def _groups(sample: Sample, kept: Facts) -> Estimate:
    """Groups of keys: those of the windows that are open, or of all time."""
    keys = [_plain(each) for each in kept["keys"]]
    if any(each not in sample.rows.column_names for each in keys):
        return Estimate("not estimated")
    each = (sample.bytes_of(keys) if keys else 0) + 2 * BYTES_OF_AN_AGGREGATE
    if kept["windows_s"] is None:
        number = _different(sample.rows, keys)
        text = (
            f"{number:,} groups in the sample, and more with each new key; {each:,.0f} bytes each"
        )
        return Estimate(text, number * each)
    size_s, slide_s = kept["windows_s"]
    times = None if sample.time is None else _seconds(sample.rows[sample.time])
    if times is None:
        return Estimate("not estimated")
    window = pc.cast(pc.floor(pc.divide(times, size_s)), pa.int64())
    in_window = sample.rows.select(keys).append_column("__window", window)
    windows = _different(in_window, ["__window"])
    in_one = _different(in_window, [*keys, "__window"]) / max(windows, 1)
    open_ = (size_s + sample.delay_s) / slide_s + 1
    groups = in_one * open_
    return Estimate(
        f"{in_one:,.0f} groups a window * {open_:,.1f} open windows = {groups:,.0f} groups * "
        f"{each:,.0f} bytes = {size(round(groups * each))}",
        groups * each,
    )


def _different(rows: pa.Table, keys: list[str]) -> int:
    return int(rows.group_by(keys).aggregate([]).num_rows) if keys else 1


def _plain(column: str) -> str:
    return column.rpartition(".")[2].strip("`")


def _seconds(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Moments as seconds since the epoch; numbers are in milliseconds. None: they are neither."""
    kind = column.type
    try:
        if pa.types.is_integer(kind):
            return pc.divide(pc.cast(column, pa.float64()), 1000)
        if pa.types.is_string(kind):
            column = pc.cast(column, pa.timestamp("us", "UTC"))
        micros = pc.cast(
            pc.cast(column, pa.timestamp("us", getattr(kind, "tz", "UTC"))), pa.int64()
        )
        return pc.divide(pc.cast(micros, pa.float64()), 1_000_000)
    except pa.ArrowException:
        return None


def _samples(job: Job, query: Path, asked: str) -> Iterator[tuple[str, Sample]]:
    known: dict[str, Facts] = json.loads(job.stages["sources"])
    streams = [each for each in job.sources if not each.is_static]
    given = _files(asked, [each.name for each in streams])
    for each in streams:
        form, path = known[each.name]["format"], known[each.name]["path"]
        if given is None:
            if path is None:
                raise click.ClickException(
                    f"{each.name} is no source of files: give a file of its rows, --sample FILE"
                )
            folder = query.resolve().parent / path
            rows = _first(form, sorted(_below(folder)), int(asked))
        elif each.name in given:
            file = Path(given[each.name])
            if not file.is_file():
                raise click.ClickException(visible(f"there is no file {file}"))
            rows = _first(_format_of(file, form), [file], None)
        else:
            raise click.ClickException(
                f"there is no sample of {each.name}: --sample {each.name}=FILE, with commas "
                "between those of several sources"
            )
        declared = {name for name, _ in each.columns}
        rows = rows.select([name for name in rows.column_names if name in declared])
        yield each.name, _sample(each.name, rows, known[each.name])


def _sample(name: str, rows: pa.Table, mark: Facts) -> Sample:
    time = mark["column"]
    if time not in rows.column_names:
        return Sample(name, rows, None, 0.0, 0.0)
    seconds = _seconds(rows[time])
    ends = None if seconds is None else pc.min_max(seconds).as_py()
    span = 0.0 if ends is None or ends["min"] is None else ends["max"] - ends["min"]
    return Sample(name, rows, time, mark["delay_s"] or 0.0, span)


def _files(asked: str, names: list[str]) -> dict[str, str] | None:
    """The file of each source; None: a number of rows of their own files is asked for."""
    if re.fullmatch(r"[+-]?\d+([.]\d*)?", asked, re.ASCII) and not Path(asked).exists():
        if not asked.isdigit() or int(asked) == 0:
            raise click.ClickException(
                f"--sample {asked}: write a whole number of rows, 1 or more, or a file of rows"
            )
        return None
    if "=" not in asked:
        if len(names) != 1:
            raise click.ClickException(
                f"the query reads {', '.join(names)}: say whose rows they are, --sample NAME=FILE"
            )
        return {names[0]: asked}
    return dict(each.split("=", 1) for each in asked.split(",") if "=" in each)


def _below(folder: Path) -> Iterable[Path]:
    found = [folder] if folder.is_file() else folder.rglob("*")
    return (each for each in found if each.is_file() and each.name[0] not in "._")


_ENDINGS = {".json": "json", ".jsonl": "json", ".csv": "csv", ".parquet": "parquet", ".orc": "orc"}


def _format_of(file: Path, declared: str | None) -> str:
    suffixes = [_ENDINGS[each] for each in file.suffixes if each in _ENDINGS]
    return suffixes[-1] if suffixes else declared or ""


def _first(form: str | None, files: list[Path], most: int | None) -> pa.Table:
    """The rows of files, or the first of them.

    Raises:
        ClickException: there are none, or nothing here reads them.
    """
    read = {
        "parquet": parquet.read_table,
        "orc": orc.read_table,
        "csv": csv.read_csv,
        "json": json_lines.read_json,
    }.get(form or "")
    if read is None:
        raise click.ClickException(
            f"nothing here reads {form}; give a file of parquet, orc, json or csv with a header"
        )
    tables: list[pa.Table] = []
    for file in files:
        try:
            tables.append(read(str(file)))
        except (OSError, pa.ArrowException) as error:
            why = str(error).partition("\n")[0]
            raise click.ClickException(visible(f"{file} cannot be read: {why}")) from None
        if most is not None and sum(each.num_rows for each in tables) >= most:
            break
    if not any(each.num_rows for each in tables):
        raise click.ClickException("the sample has no rows")
    whole = pa.concat_tables(tables, promote_options="permissive")
    return whole if most is None else whole.slice(0, most)
