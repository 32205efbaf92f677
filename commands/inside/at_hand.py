"""The state of a checkpoint, wherever it lies, where a Spark of this machine can read it."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tvfc_runtime.checkpoint.storage import list_numbers, local_path, read_bytes, write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator


class NotAtHandError(Exception):
    """The state of a batch is not kept; the message says which."""


@contextmanager
def at_hand(place: str, batch: int) -> Iterator[str]:
    """The location of a checkpoint for Spark's reader of state.

    One in another store is copied, as far as the state of a batch goes, and the copy goes when the
    block ends.

    Raises:
        NotAtHandError: that state is not kept.
        OSError: the store does not answer.
    """
    path = local_path(place)
    if path is not None:
        yield path.absolute().as_uri()
        return
    with tempfile.TemporaryDirectory(prefix="tvfc-state-") as folder:
        _copy(place, batch, folder)
        yield Path(folder).resolve().as_uri()


def _copy(place: str, batch: int, folder: str) -> None:
    # It reads queries, and these what is held.
    from commands.upgrading.queries import UpgradeError  # noqa: PLC0415
    from commands.upgrading.store_files import copy_operator, files_of  # noqa: PLC0415

    for file in ("metadata", f"offsets/{batch}", f"commits/{batch}"):
        write_bytes(f"{folder}/{file}", read_bytes(f"{place}/{file}"))
    for number in list_numbers(f"{place}/state"):
        operator = f"{place}/state/{number}"
        try:
            files = files_of(operator, batch + 1, batch + 1)
        except UpgradeError as error:
            raise NotAtHandError(str(error)) from None
        copy_operator(operator, f"{folder}/state/{number}", files)
