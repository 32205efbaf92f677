"""A source of numbers, a sink of lines and a format of records, as tvfc asks for them.

It does so before anything of Spark is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Numbers:
    """`USING numbers OPTIONS (upto '9')`: the numbers from 1 on, one a batch."""

    options = ("upto",)

    @staticmethod
    def data_source() -> Any:
        """What reads them."""
        from tvfc_example.numbers import NumbersSource

        return NumbersSource


class Lines:
    """`USING lines OPTIONS (path '…')`: a file of JSON lines for each batch, by its number."""

    options = ("path",)
    modes = ("append", "changelog")

    @staticmethod
    def writer(name: str, columns: Any, options: dict[str, str], checkpoint: str) -> Any:
        """What writes a batch."""
        from tvfc_example.lines import write_lines

        return write_lines(options["path"])


class Pairs:
    """`ENCODE PAIRS (separator = '&')`: fields as `id=1&name=a`; all that is read is text."""

    options = ("separator",)

    @staticmethod
    def reader(options: dict[str, str]) -> Callable[[bytes], dict[str, str]]:
        """What reads a record."""
        separator = options.get("separator", "&")

        def read(record: bytes) -> dict[str, str]:
            pairs = [each.partition("=") for each in record.decode().split(separator)]
            if not all(sign for _, sign, _ in pairs):
                raise ValueError("a field has no =")
            return {name: value for name, _, value in pairs}

        return read

    @staticmethod
    def writer(options: dict[str, str], columns: Any) -> Callable[[dict[str, Any]], bytes]:
        """What writes a row; NULL is left out."""
        separator = options.get("separator", "&")

        def write(row: dict[str, Any]) -> bytes:
            pairs = (f"{name}={value}" for name, value in row.items() if value is not None)
            return separator.join(pairs).encode()

        return write
