"""A generated job inside this process, without a file."""

from __future__ import annotations

import linecache
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def load_job(text: str, place: Path) -> Any:
    """The module of a `job.py` with this text, as if it lay at `place`."""
    module = ModuleType(f"tvfc_job_{abs(hash(text))}")
    module.__file__ = str(place)
    name = f"<{place.name} of {place.parent.name}>"
    # So that a traceback shows the lines of a file that is nowhere.
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), vars(module))
    return module
