"""What installed packages bring to a job: entry points `tvfc.sources`, `.sinks` and `.formats`.

A source says in `data_source()` which `pyspark.sql.datasource.DataSource` reads its rows; its name
is that of the entry point. A sink has one or both of

    writer(name, columns, options, checkpoint)
        makes what writes the rows of a batch: it is called with a frame and the number of the
        batch, which is the same when a batch is run again
    keyed(table)
        makes a `KeyedSink` for a `KeyedTable`; see sinks/keyed.py

A format of records, `ENCODE name`, has one or both of

    reader(options)
        makes what reads a record: it is called with its bytes, and gives a dict by field, or a
        value for a source of one field; a ValueError says why the record is a bad one
    writer(options, columns)
        makes what writes a row, a dict by the names of the columns, as the bytes of a record;
        columns is a StructType, a MAP comes as pairs; an error stops the job

Executors need the package as well, where its code runs there.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Any

SOURCES, SINKS, FORMATS = "tvfc.sources", "tvfc.sinks", "tvfc.formats"


@cache
def plugin_of(group: str, form: str | None) -> Any | None:
    """What a package has under a name; None: no package has any."""
    if form is None:
        return None
    found = [each for each in entry_points(group=group) if each.name.lower() == form.lower()]
    return found[0].load() if found else None
