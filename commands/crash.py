"""What is said when tvfc itself is at fault."""

from __future__ import annotations

import platform
import tempfile
import traceback
from typing import TYPE_CHECKING

from compiler.escapes import visible

if TYPE_CHECKING:
    from collections.abc import Sequence


def report(error: Exception, arguments: Sequence[str], version: str) -> str:
    """Keep the traceback in a file; the text says what went wrong and what to send."""
    details = (
        f"tvfc {version}, Python {platform.python_version()}, {platform.platform()}\n"
        f"arguments: {' '.join(arguments)}\n\n" + "".join(traceback.format_exception(error))
    )
    with tempfile.NamedTemporaryFile(
        "w",
        encoding="utf-8",
        errors="backslashreplace",
        prefix="tvfc-crash-",
        suffix=".txt",
        delete=False,
    ) as file:
        file.write(details)
    return (
        f"internal error: {type(error).__name__}: {visible(str(error))}\n"
        "This is a bug in tvfc; the query is not to blame. Please report it with the query and\n"
        f"this file, which says where it happened: {file.name}"
    )
