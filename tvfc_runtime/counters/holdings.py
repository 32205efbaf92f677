"""What the operators of a query hold, by name, for those who look into its checkpoint.

Chunks of rows have plain names for columns, `c0` and so on, and Spark knows operators by a number.
So a job writes beside its counters what the operators are called there, which output they are of,
and what their columns are called in the query. Nothing of the job depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql.types import DataType, StructField, StructType


@dataclass(frozen=True)
class Held:
    """A column of rows that an operator holds: its name in state, that in the query, its type."""

    plain: str
    name: str
    kind: DataType


@dataclass(frozen=True)
class Holding:
    """An operator of the runtime, and the columns of the rows that it holds.

    Attributes:
        operator: its name in the counters, `delay/3`.
        kind: what it does: `delay`, `over`, `match`, `fill`, `sessions`, `panes`, `temporal`,
            `pending`, `last rows`, `totals`, `multiplicity`, `join`, `first rows` or `partitions`.
        output: the output for which it was built.
        columns: those of the rows that it was given, before `plain_types`; of totals and panes
            the keys.
    """

    operator: str
    kind: str
    output: str
    columns: tuple[Held, ...]

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        schema = StructType([StructField(each.plain, each.kind) for each in self.columns])
        own = {"operator": self.operator, "kind": self.kind, "output": self.output}
        return {
            **own,
            "names": [each.name for each in self.columns],
            "schema": schema.jsonValue(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Holding:
        """From what `to_json` gave."""
        fields = StructType.fromJson(dict(data["schema"])).fields
        columns = tuple(
            Held(field.name, name, field.dataType)
            for field, name in zip(fields, data["names"], strict=True)
        )
        return cls(data["operator"], data["kind"], data["output"], columns)
