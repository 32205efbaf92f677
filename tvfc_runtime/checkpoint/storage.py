"""Small files in a checkpoint folder, which may lie on a local disk or in any store Arrow knows."""

from __future__ import annotations

import io
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyarrow import fs


def local_path(location: str) -> Path | None:
    """The local path of a location, or None if it is a URI of another store.

    `..` goes up by name, as it does for Spark, even from a folder that is not there.
    """
    parts = urlsplit(location)
    if parts.scheme == "file":
        return _by_name(unquote(parts.path))
    return None if len(parts.scheme) > 1 else _by_name(location)


def _by_name(path: str) -> Path:
    return Path(os.path.normpath(path)) if path else Path()


def store_of(location: str) -> tuple[fs.FileSystem, str]:
    """The store that a URI is in, and the path there.

    Hadoop calls S3 `s3a`, Arrow calls it `s3`. Who asks and where is told Arrow by the variables of
    the environment that Amazon's own programs read: AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL and others.
    """
    scheme, colon, rest = location.partition(":")
    name = "s3" if scheme.lower() in _NAMES_OF_S3 else scheme
    store, path = fs.FileSystem.from_uri(f"{name}{colon}{rest}")
    return store, str(path)


_NAMES_OF_S3 = ("s3a", "s3n")


def list_numbers(folder: str) -> list[int]:
    """The files of a folder that are named by a number, as Spark's logs are."""
    return [int(name) for name in list_names(folder) if name.isascii() and name.isdigit()]


def list_names(folder: str) -> list[str]:
    """What lies in a folder; nothing if there is none."""
    path = local_path(folder)
    if path is not None:
        return os.listdir(path) if path.is_dir() else []  # noqa: PTH208
    store, root = store_of(folder)
    found = store.get_file_info(fs.FileSelector(root, allow_not_found=True))
    return [info.base_name for info in found]


def read_text(location: str) -> str:
    """The text of a file."""
    path = local_path(location)
    if path is not None:
        return path.read_text(encoding="utf-8")
    return read_bytes(location).decode("utf-8")


def read_bytes(location: str) -> bytes:
    """The content of a file."""
    path = local_path(location)
    if path is not None:
        return path.read_bytes()
    store, root = store_of(location)
    with store.open_input_stream(root) as stream:
        return bytes(stream.read())


def write_text(location: str, text: str) -> None:
    """Write a file whole or not at all."""
    write_bytes(location, text.encode("utf-8"))


def write_bytes(location: str, content: bytes) -> None:
    """Write a file whole or not at all."""
    path = local_path(location)
    if path is None:
        store, root = store_of(location)
        store.create_dir(root.rsplit("/", 1)[0], recursive=True)
        with store.open_output_stream(root) as stream:
            stream.write(content)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=".", delete=False) as file:
        file.write(content)
    Path(file.name).replace(path)


def size_of(location: str) -> int:
    """How many bytes a file has."""
    path = local_path(location)
    if path is not None:
        return path.stat().st_size
    store, root = store_of(location)
    return int(store.get_file_info(root).size)


def remove(location: str) -> None:
    """Remove a file."""
    path = local_path(location)
    if path is not None:
        path.unlink(missing_ok=True)
        return
    store, root = store_of(location)
    store.delete_file(root)


def move(location: str, target: str) -> None:
    """Move a file to a place in the same store, in place of what is there."""
    path, place = local_path(location), local_path(target)
    if path is not None and place is not None:
        path.replace(place)
        return
    store, root = store_of(location)
    store.move(root, store_of(target)[1])


def remove_folder(location: str) -> None:
    """Remove a folder and all that is in it."""
    path = local_path(location)
    if path is not None:
        shutil.rmtree(path, ignore_errors=True)
        return
    store, root = store_of(location)
    store.delete_dir(root)


def exists(location: str) -> bool:
    """Whether there is such a file or folder."""
    path = local_path(location)
    if path is not None:
        return path.exists()
    store, root = store_of(location)
    return bool(store.get_file_info(root).type != fs.FileType.NotFound)


def query_id(checkpoint: str) -> str:
    """The id that Spark has given to the query of a checkpoint."""
    return str(json.loads(read_text(f"{checkpoint}/metadata"))["id"])


_LOCKS: dict[Path, int] = {}
"""The locks that this process holds; they go with it."""


LOOKS, LOOK_S = 3, 0.05
"""How often and how far apart: to ask whether a file is locked locks it for a moment as well."""


def lock(location: str) -> bool:
    """Take a file for this process; False if another one has it.

    Stores that are no local disk have no locks: there, True.
    """
    path = local_path(location)
    if path is None or os.name != "posix" or path.resolve() in _LOCKS:
        return True
    import fcntl  # noqa: PLC0415  only there

    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    for look in range(LOOKS):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if look < LOOKS - 1:
                time.sleep(LOOK_S)
        except OSError:
            # A file system without locks.
            os.close(file)
            return True
        else:
            _LOCKS[path.resolve()] = file
            return True
    os.close(file)
    return False


def unlock(location: str) -> None:
    """Give up a file that this process has taken by `lock`."""
    path = local_path(location)
    file = None if path is None else _LOCKS.pop(path.resolve(), None)
    if file is not None:
        os.close(file)


def is_locked(location: str) -> bool | None:
    """Whether another process has taken a file by `lock`; None where that cannot be told."""
    path = local_path(location)
    if path is None or os.name != "posix":
        return None
    import fcntl  # noqa: PLC0415  only there

    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    except OSError:
        return None
    return False


def first_lines(location: str) -> Iterator[str]:
    """The lines of a text file, one by one; a compressed one is told by its name."""
    path = local_path(location)
    if path is not None:
        stream = pa.input_stream(str(path), compression="detect")
    else:
        store, root = store_of(location)
        stream = store.open_input_stream(root)
    with io.TextIOWrapper(io.BufferedReader(stream), encoding="utf-8", errors="replace") as text:
        for line in text:
            yield line.rstrip("\r\n")
