"""Why a job has failed, out of the long text that Spark has for it."""

from __future__ import annotations

import re

SHOWN_LINES = 12

_OWN = re.compile(r"\bTVF7\d\d: .*")
_TRACEBACK = "Traceback (most recent call last):"
_PYTHON = re.compile(r"^(?:[\w.]+\.)?(\w*(?:Error|Exception|Exit|Interrupt))(: .*)?$", re.MULTILINE)
_SPARK = re.compile(r"\[(?!STREAM_FAILED\b)[A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*\] [^\n]*")


def cause_of(text: str, root: str = "") -> str:
    """The cause alone: what the runtime says, the last exception of Python, or Spark's condition.

    Tracebacks and plans are left out.

    Args:
        text: what Spark says.
        root: what the error says with which it began, for a text that has none of these; without
            it come the first lines.
    """
    own = _OWN.findall(text)
    if own:
        # A traceback shows the line of the program before the message itself.
        return str(own[-1])
    conditions = _SPARK.findall(text)
    if _TRACEBACK in text:
        raised = _PYTHON.search(text.rpartition(_TRACEBACK)[2])
        if raised is not None:
            of_spark = _SPARK.search(raised[0])
            return of_spark[0] if of_spark else f"{raised[1]}{raised[2] or ''}"
    if conditions:
        return str(conditions[-1]).strip()
    if root:
        return root
    return "\n".join(text.strip().splitlines()[:SHOWN_LINES])
