"""The runtime as one file that ships with a job."""

from __future__ import annotations

import io
import zipfile
from importlib.util import find_spec
from pathlib import Path

# The least time a zip can hold: equal runtimes give equal files, byte for byte.
_TIME = (1980, 1, 1, 0, 0, 0)


def runtime_zip() -> bytes:
    """The installed package `tvfc_runtime` as a zip; it is not imported, as it needs PySpark."""
    spec = find_spec("tvfc_runtime")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("the package tvfc_runtime is not installed beside tvfc")
    root = Path(next(iter(spec.submodule_search_locations)))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(filter(_ships, root.rglob("*"))):
            entry = zipfile.ZipInfo(f"{root.name}/{path.relative_to(root).as_posix()}", _TIME)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, path.read_bytes())
    return buffer.getvalue()


def _ships(path: Path) -> bool:
    """Whether a file is part of the package: modules, and the files of the page."""
    return path.suffix in (".py", ".html", ".css", ".js", ".svg", ".txt")
