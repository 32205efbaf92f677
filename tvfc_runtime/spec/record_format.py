"""How the records of a source or sink are written, as a job says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class RecordFormat:
    """`FORMAT form ENCODE encode (options)`.

    Attributes:
        form: what a record says: `plain`, a row.
        encode: how its fields are written: `json`.
        options: options of the encoding.
    """

    form: str = "plain"
    encode: str = "json"
    options: Mapping[str, str] = field(default_factory=dict)

    def option(self, name: str) -> str | None:
        """An option, whatever the case of its name."""
        named = {key.lower(): value for key, value in self.options.items()}
        return named.get(name.lower())
