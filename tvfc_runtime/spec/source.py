"""A source or table of a query, as its job declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tvfc_runtime.rows.sql_text import quote
from tvfc_runtime.spec.record_format import RecordFormat


@dataclass(frozen=True, kw_only=True)
class Source:
    """A source or table as declared.

    Attributes:
        name: its name in the query.
        columns: Spark types by column name, in order.
        format: a Spark data source; None if rows come from the caller.
        options: options of that data source, and of rows that do not fit: `badRows`, `drop` (and
            count) or `fail`, and `maxBadRows`, more of which stop the job.
        record: how its records are written; None: that is not said.
        included: those of its columns that are none of a record's value, and what of it they are:
            `key`, `timestamp`, `partition`, `offset`, `headers` or `topic`.
        key: the columns of PRIMARY KEY.
        required: columns declared NOT NULL.
        epoch_ms: columns that are times in milliseconds since the epoch.
        static: a table, read as it is when a batch runs, not a stream.
    """

    name: str
    columns: Mapping[str, str]
    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    record: RecordFormat | None = None
    included: Mapping[str, str] = field(default_factory=dict)
    key: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    epoch_ms: tuple[str, ...] = ()
    static: bool = False

    @property
    def schema(self) -> str:
        """The columns as a Spark DDL string."""
        return ddl(self.columns)

    @property
    def fields(self) -> dict[str, str]:
        """The columns that are in a record's value: Spark types by name."""
        return {name: kind for name, kind in self.columns.items() if name not in self.included}

    def option(self, name: str) -> str | None:
        """An option, whatever the case of its name."""
        named = {key.lower(): value for key, value in self.options.items()}
        return named.get(name.lower())

    @property
    def fails_on_bad_rows(self) -> bool:
        """Whether a row that does not fit stops the job."""
        return (self.option("badRows") or "drop").lower() == "fail"

    @property
    def max_bad_rows(self) -> int | None:
        """How many rows may not fit before the job stops; None: any number."""
        given = self.option("maxBadRows")
        return None if given is None else int(given)


def ddl(columns: Mapping[str, str]) -> str:
    """Columns as a DDL string of Spark, of their types by name."""
    return ", ".join(f"{quote(name)} {kind}" for name, kind in columns.items())
