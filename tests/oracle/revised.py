"""Random groups that late rows revise: EMIT ON WINDOW CLOSE THEN REVISE FOR."""

from __future__ import annotations

from oracle.closing import Closing
from oracle.dialects import SECOND, Pair, either
from oracle.final import Question, Relation, interval
from oracle.further_final import FurtherFinalRows

REVISED_FOR = 3 * SECOND
"""The same in all queries of a job: by it rows of a source are late for good."""


class RevisedGroups(FurtherFinalRows):
    """Makes groups of rows that were on time, or late by no more than `REVISED_FOR`."""

    def question(self) -> Question:
        """A whole query."""
        groups = None
        while groups is None:
            rows = self._rows()
            groups = self._times(rows) if self._rng.random() < 0.3 else self._groups(rows)
        text = either(
            "{} EMIT ON WINDOW CLOSE THEN REVISE FOR {}",
            "SELECT id, k, v, ts FROM ({}) AS q WHERE due <= clock()",
            groups.text,
            interval(REVISED_FOR),
        )
        return Question(text, groups.reads, changes=True)

    def _rows(self) -> Relation:
        rng = self._rng
        rows = self._source("0")
        if rng.random() < 0.4:
            rows = self._filtered(rows)
        if rng.random() < 0.3:
            rows = self._projected(rows)
        if len(self._streams) > 1:
            (other,) = {*self._streams} - rows.reads
            rows = self._united(rows, self._of(other))
        return rows

    def _source(self, due: str) -> Relation:
        del due
        return self._of(self._rng.choice(self._streams))

    def _of(self, name: str) -> Relation:
        late = f"SELECT * FROM late_{name} WHERE ts >= te - {REVISED_FOR}"
        text = Pair(
            f"SELECT id, k, v, ts FROM {name}",
            f"SELECT id, k, v, ts, 0 AS due FROM (SELECT * FROM {name} UNION ALL {late}) AS r"
            " WHERE ts IS NOT NULL",
        )
        return Relation(text, frozenset(name), Closing())
