"""Tables as two jobs have written them, without the jobs: blue and green in one database."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commands.comparing.exchange import exchange, is_exchanged
from commands.comparing.sinks import CompareError, Sink
from commands.comparing.tables import rows_of_table
from tvfc_runtime.sinks.sqlite import BATCHES

if TYPE_CHECKING:
    from collections.abc import Callable

QUERIES = ("blue-query", "green-query")
ROWS = {"live": [(1, "blue")], "live green": [(1, "green"), (None, None)]}
STATEMENTS = [
    'CREATE TABLE live (id INT, "who is" VARCHAR(9))',
    'CREATE TABLE "live green" (id INT, "who is" VARCHAR(9))',
    "INSERT INTO live VALUES (1, 'blue')",
    "INSERT INTO \"live green\" VALUES (1, 'green'), (NULL, NULL)",
    f"CREATE TABLE {BATCHES} (sink_table VARCHAR(99), query VARCHAR(99), batch BIGINT, "
    "PRIMARY KEY (sink_table, query))",
    f"INSERT INTO {BATCHES} VALUES ('live', 'blue-query', 41), ('live green', 'green-query', 7)",
    f"INSERT INTO {BATCHES} VALUES ('other', 'blue-query', 41)",
]
"""What the jobs would have done to a database."""


@dataclass(frozen=True)
class Both:
    """The sinks of both jobs."""

    blue: Sink
    green: Sink

    @classmethod
    def of(cls, folder: Path, form: str, options: dict[str, str], *tables: str) -> Both:
        """Sinks with these tables, in a folder with a checkpoint for each."""
        found = []
        for query, table in zip(QUERIES, tables, strict=True):
            place = folder / query
            place.mkdir(exist_ok=True)
            (place / "metadata").write_text(json.dumps({"id": query}))
            given = {**options, "table": table}
            found.append(Sink("live", str(place), form, given, ("id",), changes=False))
        return cls(*found)

    def rows(self) -> list[list[Any]]:
        """What the readers of each find, with the batch."""
        found = [rows_of_table(each) for each in (self.blue, self.green)]
        return [
            [*sorted((tuple(row.values()) for row in each.rows.to_pylist()), key=repr), each.batch]
            for each in found
        ]


def check_exchange(both: Both, exchanged: Both, run: Callable[[str], None]) -> None:
    """Exchange tables and exchange them back.

    Args:
        both: the sinks.
        exchanged: the same, each with the table of the other one.
        run: runs a statement on the database.
    """
    pairs = [(both.blue, both.green)]
    before = both.rows()
    assert before == [[(1, "blue"), 41], [(1, "green"), (None, None), 7]]
    assert not is_exchanged(pairs)
    exchange(pairs)
    assert is_exchanged(pairs)
    assert exchanged.rows() == before
    for stale in (both.blue, both.green):
        with pytest.raises(CompareError, match="holds nothing of"):
            rows_of_table(stale)
    exchange([(exchanged.blue, exchanged.green)])
    assert both.rows() == before

    # Neither table may be anybody else's, too; and nothing is changed then.
    run(f"INSERT INTO {BATCHES} VALUES ('live green', 'a third', 1)")
    with pytest.raises(CompareError, match="TVF759"):
        exchange(pairs)
    run(f"DELETE FROM {BATCHES} WHERE query = 'a third'")
    assert both.rows() == before
