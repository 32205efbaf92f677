"""Records of an ENCODE that an installed package has; see plugins.py for what it brings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.types import StructType

from tvfc_runtime.plugins import FORMATS, plugin_of
from tvfc_runtime.records.schemas import FormatError

if TYPE_CHECKING:
    from tvfc_runtime.spec.record_format import RecordFormat


def plugin_reader(record: RecordFormat) -> Callable[[bytes], Any]:
    """What reads a record.

    Raises:
        FormatError: no package has such a format.
    """
    read: Callable[[bytes], Any] = _plugin(record).reader(dict(record.options))
    return read


def plugin_writer(record: RecordFormat, columns: StructType) -> Callable[[pa.Array], pa.Array]:
    """What writes a column of rows, for an Arrow UDF that returns BINARY.

    Raises:
        FormatError: no package has such a format.
    """
    _plugin(record).writer(dict(record.options), columns)

    def write(rows: pa.Array) -> pa.Array:
        # Made where it writes: what a package gives need not travel.
        one = _plugin(record).writer(dict(record.options), columns)
        records = [None if row is None else one(row) for row in rows.to_pylist()]
        return pa.array(records, pa.binary())

    return write


def _plugin(record: RecordFormat) -> Any:
    found = plugin_of(FORMATS, record.encode)
    if found is None:
        raise FormatError(
            f"TVF752: no installed package has an entry point tvfc.formats, {record.encode}: "
            "install the one that the query was compiled with, here and where executors run"
        )
    return found
