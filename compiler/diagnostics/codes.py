"""The register of codes: one `codes_<area>.py` per hundred, put together here.

To add a code, add a `Code` to the tuple of its area; to add an area, list it below.
1xx syntax, 2xx names and types, 3xx stream properties, 4xx release plans and clocks,
5xx not supported, 6xx sources and sinks, 7xx run time; warnings are TVFW of the same hundred.
A construct with codes of several hundreds of its own has a file of its own.
"""

from __future__ import annotations

from compiler.diagnostics.code import Code
from compiler.diagnostics.codes_changes import CHANGE_CODES
from compiler.diagnostics.codes_kafka import KAFKA_CODES
from compiler.diagnostics.codes_matches import MATCH_CODES
from compiler.diagnostics.codes_names import NAME_CODES
from compiler.diagnostics.codes_records import RECORD_CODES
from compiler.diagnostics.codes_start import CODES_OF_THE_START
from compiler.diagnostics.codes_stream import STREAM_CODES
from compiler.diagnostics.codes_support import SUPPORT_CODES
from compiler.diagnostics.codes_syntax import SYNTAX_CODES
from compiler.diagnostics.codes_upgrade import UPGRADE_CODES
from compiler.diagnostics.diagnostic import InternalError

__all__ = ["CODES", "Code", "merge_codes"]


def merge_codes(*areas: tuple[Code, ...]) -> dict[str, Code]:
    """One register of all areas, in order of code; a code given twice is refused."""
    register: dict[str, Code] = {}
    for entry in (entry for area in areas for entry in area):
        if entry.code in register:
            raise InternalError(f"code {entry.code} is registered twice")
        register[entry.code] = entry
    return dict(sorted(register.items()))


CODES: dict[str, Code] = merge_codes(
    SYNTAX_CODES,
    NAME_CODES,
    STREAM_CODES,
    SUPPORT_CODES,
    MATCH_CODES,
    KAFKA_CODES,
    RECORD_CODES,
    CHANGE_CODES,
    CODES_OF_THE_START,
    UPGRADE_CODES,
)
