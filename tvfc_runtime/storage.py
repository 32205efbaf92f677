"""Small files in a checkpoint folder, which may lie on a local disk or in any store Arrow knows."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pyarrow import fs


def local_path(location: str) -> Path | None:
    """The local path of a location, or None if it is a URI of another store."""
    parts = urlsplit(location)
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    return None if len(parts.scheme) > 1 else Path(location)


def list_numbers(folder: str) -> list[int]:
    """The files of a folder that are named by a number, as Spark's logs are."""
    path = local_path(folder)
    if path is not None:
        names = os.listdir(path) if path.is_dir() else []  # noqa: PTH208
    else:
        store, root = fs.FileSystem.from_uri(folder)
        found = store.get_file_info(fs.FileSelector(root, allow_not_found=True))
        names = [info.base_name for info in found]
    return [int(name) for name in names if name.isdigit()]


def read_text(location: str) -> str:
    """The text of a file."""
    path = local_path(location)
    if path is not None:
        return path.read_text(encoding="utf-8")
    store, root = fs.FileSystem.from_uri(location)
    with store.open_input_stream(root) as stream:
        return str(stream.read().decode("utf-8"))


def write_text(location: str, text: str) -> None:
    """Write a file whole or not at all."""
    path = local_path(location)
    if path is None:
        store, root = fs.FileSystem.from_uri(location)
        store.create_dir(root.rsplit("/", 1)[0], recursive=True)
        with store.open_output_stream(root) as stream:
            stream.write(text.encode("utf-8"))
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=".", delete=False
    ) as file:
        file.write(text)
    Path(file.name).replace(path)


def remove(location: str) -> None:
    """Remove a file."""
    path = local_path(location)
    if path is not None:
        path.unlink(missing_ok=True)
        return
    store, root = fs.FileSystem.from_uri(location)
    store.delete_file(root)


def exists(location: str) -> bool:
    """Whether there is such a file or folder."""
    path = local_path(location)
    if path is not None:
        return path.exists()
    store, root = fs.FileSystem.from_uri(location)
    return bool(store.get_file_info(root).type != fs.FileType.NotFound)
