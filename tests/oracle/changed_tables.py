"""Tables that change at random, and records of that in each form that a source may have."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from scenario.model import Row

FORMS = {
    "upsert": "PRIMARY KEY (id)) FORMAT UPSERT ENCODE JSON",
    "debezium": "PRIMARY KEY (id)) FORMAT DEBEZIUM ENCODE JSON",
    "debezium whole": ") FORMAT DEBEZIUM ENCODE JSON (before.images = 'whole')",
    "maxwell": "PRIMARY KEY (id)) FORMAT MAXWELL ENCODE JSON",
    "maxwell whole": ") FORMAT MAXWELL ENCODE JSON (before.images = 'whole')",
    "changelog": ") FORMAT CHANGELOG ENCODE JSON",
}
"""What follows the columns of a source, by form."""

KEYS = 9
"""So many ids there are, of which some have a row."""

Values = list[Any]
"""A row as a scenario has it; the first column is its key."""


def declared(name: str, columns: str, form: str) -> str:
    """A source of a form."""
    comma = ", " if FORMS[form].startswith("PRIMARY") else ""
    return f"CREATE SOURCE {name} ({columns}{comma}{FORMS[form]};\n"


@dataclass
class Table:
    """A table by its key, and how its changes are recorded.

    Attributes:
        form: one of FORMS.
        columns: names of its columns.
        rng: chance.
        rows: what is in it.
    """

    form: str
    columns: list[str]
    rng: Random
    rows: dict[int, Values] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        """Whether records say what rows were, so that one that comes twice would count twice."""
        return not FORMS[self.form].startswith("PRIMARY")

    def change(self, new: Values) -> list[Row]:
        """Give a key a row, or take away what it has; the records of that."""
        key = new[0]
        old = self.rows.get(key)
        if old is not None and self.rng.random() < 0.35:
            del self.rows[key]
            return self._noise(self._deleted(old))
        if old is not None and self.rng.random() < 0.2:
            # The key itself is another one.
            other = self.rng.randrange(KEYS)
            if other not in self.rows:
                del self.rows[key]
                self.rows[other] = [other, *new[1:]]
                return [*self._deleted(old), *self._written(None, self.rows[other])]
        self.rows[key] = new
        return self._noise(self._written(old, new))

    def _noise(self, records: list[Row]) -> list[Row]:
        """Records as they come from systems that tell things twice, where that must not matter."""
        if self.is_whole:
            return records
        if self.rng.random() < 0.2:
            records = [*records, records[-1]]
        if self.rng.random() < 0.15:
            free = [each for each in range(KEYS) if each not in self.rows]
            if free:
                unknown = [self.rng.choice(free), *[None] * (len(self.columns) - 1)]
                records = [*self._deleted(unknown), *records]
        if self.form == "debezium" and self.rng.random() < 0.15 and self.rows:
            again = self.rng.choice([*self.rows.values()])
            records = [*records, {"op": "r", "before": None, "after": again}]
        return records

    def _deleted(self, old: Values) -> list[Row]:
        match self.form:
            case "upsert":
                return [{"delete": [old[0]]}]
            case "debezium":
                gone: Row = {"op": "d", "before": {"id": old[0]}, "after": None}
                return [gone, {"record": None, "key": f'{{"id": {old[0]}}}'}]
            case "debezium whole":
                return [{"op": "d", "before": old, "after": None}]
            case "changelog":
                return [[*old, -1]]
            case _:
                return [{"type": "delete", "table": "t", "data": old}]

    def _written(self, old: Values | None, new: Values) -> list[Row]:
        match self.form:
            case "upsert":
                return [new]
            case "debezium":
                return [{"op": "c" if old is None else "u", "before": None, "after": new}]
            case "debezium whole":
                return [{"op": "c" if old is None else "u", "before": old, "after": new}]
            case "changelog":
                return [*([] if old is None else [[*old, -1]]), [*new, 1]]
            case _ if old is None:
                return [{"type": "insert", "table": "t", "data": new}]
            case _:
                pairs = zip(self.columns, old, new, strict=True)
                # As text: -0.0 and 0.0 are equal, and not the same.
                changed = {name: was for name, was, is_ in pairs if repr(was) != repr(is_)}
                return [{"type": "update", "table": "t", "data": new, "old": changed}]
