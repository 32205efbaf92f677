"""The register of codes: one `codes_<topic>.py` for what a reader asks about, put together here.

To add a code, add a `Code` to the tuple of its topic; to add a topic, list it below.
1xx syntax, 2xx names and types, 3xx stream properties, 4xx release plans and clocks,
5xx not supported, 6xx sources and sinks, 7xx run time; warnings are TVFW of the same hundred.
A construct with codes of several hundreds has a file of its own.
"""

from __future__ import annotations

from compiler.diagnostics.code import Code
from compiler.diagnostics.codes_changes import CHANGE_CODES
from compiler.diagnostics.codes_kafka import KAFKA_CODES
from compiler.diagnostics.codes_matches import MATCH_CODES
from compiler.diagnostics.codes_names import NAME_CODES
from compiler.diagnostics.codes_places import PLACE_CODES
from compiler.diagnostics.codes_records import RECORD_CODES
from compiler.diagnostics.codes_running import RUNNING_CODES
from compiler.diagnostics.codes_start import START_CODES
from compiler.diagnostics.codes_stream import STREAM_CODES
from compiler.diagnostics.codes_syntax import SYNTAX_CODES
from compiler.diagnostics.codes_unsupported import UNSUPPORTED_CODES
from compiler.diagnostics.codes_upgrade import UPGRADE_CODES
from compiler.diagnostics.diagnostic import InternalError

__all__ = ["CODES", "Code", "merge_codes"]


def merge_codes(*topics: tuple[Code, ...]) -> dict[str, Code]:
    """One register of all topics, in order of code; a code given twice is refused."""
    register: dict[str, Code] = {}
    for entry in (entry for topic in topics for entry in topic):
        if entry.code in register:
            raise InternalError(f"code {entry.code} is registered twice")
        register[entry.code] = entry
    return dict(sorted(register.items()))


CODES: dict[str, Code] = merge_codes(
    SYNTAX_CODES,
    NAME_CODES,
    STREAM_CODES,
    UNSUPPORTED_CODES,
    PLACE_CODES,
    RECORD_CODES,
    CHANGE_CODES,
    MATCH_CODES,
    KAFKA_CODES,
    START_CODES,
    RUNNING_CODES,
    UPGRADE_CODES,
)
