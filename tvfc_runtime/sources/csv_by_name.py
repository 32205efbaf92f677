"""CSV files with a header: the columns of each file by their names, in whatever order it has them.

Spark's stream of CSV files takes the columns by place, and looks at no header. So lines are read
as text, in order, and the first one of a file says what the others hold. Where that is not what
is declared, a line is written anew: its fields in the declared order, nothing for a missing one.
from_csv() parses what comes of it, by the options of the source.

A file that Spark cuts into parts has its header in the first one; for the others it is read again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc

from tvfc_runtime.checkpoint.storage import first_lines

RESULT = "keep BOOLEAN, record STRING, fault STRING"
_TYPES = pa.struct([("keep", pa.bool_()), ("record", pa.string()), ("fault", pa.string())])
_DEFAULT_PARTITION = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How the fields of a line are told apart."""

    separator: str = ","
    quote: str = '"'
    escape: str = "\\"
    comment: str = ""

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Dialect:
        """That of a source, by Spark's options, their names in lower case."""
        separator = options.get("sep", options.get("delimiter", ","))
        return cls(
            separator={"\\t": "\t"}.get(separator, separator),
            quote=options.get("quote", '"'),
            escape=options.get("escape", "\\"),
            comment=options.get("comment", ""),
        )

    def fields(self, line: str) -> list[str]:
        """The fields of a line as they are written, with their quotes."""
        if not self.quote or self.quote not in line:
            return line.split(self.separator)
        ends = self._field_ends()
        fields, begin = [], 0
        while True:
            found = ends.match(line, begin)
            end = found.end() if found else len(line)
            fields.append(line[begin:end])
            if end >= len(line):
                return fields
            begin = end + len(self.separator)

    def _field_ends(self) -> re.Pattern[str]:
        """A field from its begin: in quotes up to what follows them, or up to a separator."""
        quote, escape, sep = (re.escape(each) for each in (self.quote, self.escape, self.separator))
        quoted = rf"[ \t]*{quote}(?:{escape}.|(?!{quote}).|{quote}{quote})*{quote}"
        return re.compile(rf"(?:{quoted})?(?:(?!{sep}).)*", re.DOTALL)

    def text(self, field: str) -> str:
        """What a field of a header says."""
        field = field.strip()
        if self.quote and len(field) > 1 and field[0] == field[-1] == self.quote:
            field = field[1:-1].replace(self.escape + self.quote, self.quote)
        return field.strip()

    def is_row(self, line: str) -> bool:
        """Whether a line is neither blank nor a comment."""
        return bool(line.strip()) and not (self.comment and line.startswith(self.comment))

    def quoted(self, text: str) -> str:
        """A text as a field."""
        inside = text.replace(self.escape, self.escape * 2).replace(
            self.quote, self.escape + self.quote
        )
        return f"{self.quote}{inside}{self.quote}"


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Where the declared columns stand in a file.

    Attributes:
        width: how many fields its lines have.
        places: for each declared column the field that holds it, or the text of a partition's
            folder, quoted; None: the file has no such column.
        fault: why no line of the file can be read.
    """

    width: int
    places: tuple[int | str | None, ...] = ()
    fault: str | None = None

    @property
    def is_as_declared(self) -> bool:
        """Whether lines can stay as they are."""
        return self.fault is None and self.places == tuple(range(self.width))


def layout_of(header: str, columns: Sequence[str], path: str, dialect: Dialect) -> Layout:
    """The layout of a file with this header; names are compared as Spark does, in any case."""
    names = [dialect.text(each).lower() for each in dialect.fields(header.lstrip("\ufeff"))]
    folders = _partitions(path, dialect)
    places: list[int | str | None] = []
    for column in columns:
        name = column.strip().lower()
        if names.count(name) > 1:
            fault = f"the header of the file has the column {column} twice: {header}"
            return Layout(width=len(names), fault=fault)
        places.append(names.index(name) if name in names else folders.get(name))
    if not any(isinstance(place, int) for place in places):
        fault = f"the first line of the file names none of the columns: {header}"
        return Layout(width=len(names), fault=fault)
    return Layout(width=len(names), places=tuple(places))


def _partitions(path: str, dialect: Dialect) -> dict[str, str]:
    """The columns that the folders of a file are named by, `day=2024-02-29`, as fields."""
    found = {}
    for folder in path.split("/")[:-1]:
        name, equals, value = unquote(folder).partition("=")
        if equals and unquote(value) != _DEFAULT_PARTITION:
            found[unquote(name).strip().lower()] = dialect.quoted(unquote(value))
    return found


def rearranged(line: str, layout: Layout, dialect: Dialect) -> tuple[str | None, str | None]:
    """A line with the declared columns in their order, or why there is none."""
    if layout.fault is not None:
        return None, layout.fault
    fields = dialect.fields(line)
    if len(fields) != layout.width:
        have = f"{len(fields)} field{'' if len(fields) == 1 else 's'}"
        return None, f"{have}, and the header of the file has {layout.width}"
    values = (fields[place] if isinstance(place, int) else place or "" for place in layout.places)
    return dialect.separator.join(values), None


def by_name(
    columns: Sequence[str], dialect: Dialect
) -> Callable[[Iterator[tuple[pa.Array, pa.Array, pa.Array]]], Iterator[pa.Array]]:
    """A function from the lines of files, in order, to lines of the declared columns.

    It takes batches of (file, where the part of the file begins, line), and gives for each line
    whether it is a row at all, the line as declared, and why there is none.
    """

    def convert(batches: Iterator[tuple[pa.Array, pa.Array, pa.Array]]) -> Iterator[pa.Array]:
        current: tuple[str, int] | None = None
        layout = Layout(width=0)
        has_header = False
        for paths, starts, lines in batches:
            results = []
            for begin, end in _runs(paths, starts):
                part = (paths[begin].as_py(), starts[begin].as_py())
                if part != current:
                    current, has_header = part, part[1] == 0
                    if not has_header:
                        header = _header_again(part[0], dialect)
                        layout = layout_of(header, columns, part[0], dialect)
                chunk = lines.slice(begin, end - begin)
                if has_header:
                    place = _first_row(chunk, dialect)
                    if place is None:
                        results.append(_skipped(len(chunk)))
                        continue
                    layout = layout_of(chunk[place].as_py(), columns, part[0], dialect)
                    has_header = False
                    results.append(_skipped(place + 1))
                    chunk = chunk.slice(place + 1)
                results.append(_converted(chunk, layout, dialect))
            yield pa.concat_arrays(results) if results else pa.array([], _TYPES)

    return convert


def _runs(paths: pa.Array, starts: pa.Array) -> Iterator[tuple[int, int]]:
    """Where the lines of one part of a file begin and end in a batch."""
    if not len(paths):
        return
    ends = set()
    for column in (paths, starts):
        ends.update(pc.run_end_encode(column).run_ends.to_pylist())
    begin = 0
    for end in sorted(ends):
        yield begin, end
        begin = end


def _first_row(lines: pa.Array, dialect: Dialect) -> int | None:
    for place, line in enumerate(lines):
        if dialect.is_row(line.as_py()):
            return place
    return None


def _header_again(path: str, dialect: Dialect) -> str:
    return next((each for each in first_lines(path) if dialect.is_row(each)), "")


def _skipped(count: int) -> pa.Array:
    nothing = pa.nulls(count, pa.string())
    keep = pa.array([False] * count, pa.bool_())
    return pa.StructArray.from_arrays([keep, nothing, nothing], fields=list(_TYPES))


def _converted(lines: pa.Array, layout: Layout, dialect: Dialect) -> pa.Array:
    keep = pc.not_equal(pc.utf8_trim_whitespace(lines), "")
    if dialect.comment:
        keep = pc.and_(keep, pc.invert(pc.starts_with(lines, dialect.comment)))
    records, faults = lines, pa.nulls(len(lines), pa.string())
    if not layout.is_as_declared:
        pairs = [rearranged(line, layout, dialect) for line in lines.to_pylist()]
        records = pa.array([record for record, _ in pairs], pa.string())
        faults = pa.array([fault for _, fault in pairs], pa.string())
    return pa.StructArray.from_arrays([keep, records, faults], fields=list(_TYPES))
