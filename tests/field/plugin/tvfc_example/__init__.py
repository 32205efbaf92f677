"""A source of numbers and a sink of lines: what tvfc asks before anything of Spark is imported."""

from __future__ import annotations

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
