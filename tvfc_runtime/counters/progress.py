"""Counters of a running query, from the metrics that its plan observes, batch by batch."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from datetime import MAXYEAR, datetime
from typing import Any

from tvfc_runtime.counters.due_times import Bin, put_together
from tvfc_runtime.counters.wakes import Span
from tvfc_runtime.counters.wakes import put_together as spans_of

PREFIX = "tvfc"
BY_SOURCE = ("rows", "late", "without_time", "bad")
"""Observations are named by kind, by source if they belong to one, and by their place in the plan
(a source that a query reads twice is observed twice): `tvfc/source/<name>/<n>`,
`tvfc/watermark/<name>/<n>` (of a view or query, whose sources are observed as well),
`tvfc/bad/<name>/<n>`, `tvfc/delay/<n>`, the same of `tvfc/held` for rows that wait below another
operator, `tvfc/over/<n>`, `tvfc/fill/<n>`, `tvfc/sessions/<n>` and `tvfc/panes/<n>` by how much the
rows grow that window functions, FILL, sessions and panes keep;
`tvfc/temporal/<n>/in`, `tvfc/temporal/<n>/out` (a row goes out several times: `gone` says when it
is held no more), `tvfc/delay/<n>/failed` and the same of `tvfc/temporal` and `tvfc/changing` (rows
with a bound that cannot be computed), `tvfc/untimed/<name>/<n>` (rows of a view or query with a
number that is no time), `tvfc/changing/<n>/held` (rows of state more or less than before);
`tvfc/due/<n>` says roughly when rows of `tvfc/delay/<n>` or `tvfc/held/<n>` are due; see
due_times.py. `tvfc/wake/<n>` are the timers that an operator has set; see waking.py.
`tvfc/out/<sink>` are the rows written, where no delay has counted them.
"""

FAILING = ("delay", "held", "temporal", "changing")
"""What looks at bounds of rows."""

SPARK = "spark"
FILES = "rocksdbSstFileSize"
"""Spark's metric of a state store: the bytes of its files, without what has changed since."""

NATIVE = {
    "symmetricHashJoin": "join",
    "stateStoreSave": "groups",
    "sessionWindowStateStoreSaveExec": "sessions",
    "dedupe": "distinct",
    "dedupeWithinWatermark": "distinct",
}
"""Spark's own operators whose state is rows, each once; what they are called here. Of those of the
runtime Spark knows the chunks alone."""


@dataclass
class Counters:
    """What a query has done since it was started on its checkpoint for the first time.

    Attributes:
        rows_in: rows read from streaming sources, late ones included.
        rows: the same by source, and by view or query that has a watermark of its own.
        arrived_ms: when the last batch began in which a source had rows, by source, milliseconds
            since the epoch.
        held: rows that are held now, by operator: `delay/3` for one of the runtime, by its place in
            the plan, `spark/join/0` for one of Spark's, by its place among those of its kind.
        rows_out: rows written to sinks.
        out: the same, by sink, and by operator for rows that it has held: `delay/3`.
        watermark_ms: watermark of the last batch, milliseconds since the epoch; None: none yet.
        late: rows refused by the watermark, by source.
        without_time: rows whose time is NULL, by source; none leaves under EMIT ON WINDOW CLOSE.
        bad: rows that did not fit their source's schema, by source.
        examples: one of the latest bad rows, by source: `record`, `reason` and `file`.
        due: when the rows are due that wait, by operator, as far as that was asked for: due times
            in milliseconds since the epoch, each with a number of rows due about then.
        late_examples: one of the latest late rows, by source, as JSON, where that is asked for.
        watermarks_ms: latest value of each source's strategy, by source; None: none yet.
        never_due: rows that are never due since a bound or their time could not be computed.
        batch: the last batch counted, -1 before the first.
        began_ms: when it began, milliseconds since the epoch.
        took_ms: how long it took, in milliseconds.
        phases_ms: where that time went, by Spark's names of phases.
        of_batch: what of `rows`, `late`, `without_time`, `bad` and `out` is of that batch, alike.
        state_bytes: the files in which Spark keeps state, as of their last snapshot; None: unknown.
        wakes: when there is something to do by the clock alone, by what operators have told of
            their timers; see wakes.py. None: that is unknown, since not all of it was heard.
        telling: how many operators tell that, as the query is built.
        sleeps: whether the query runs on the wall clock, and has no batches while nothing is due.
    """

    rows_in: int = 0
    rows_out: int = 0
    watermark_ms: int | None = None
    held: Counter[str] = field(default_factory=Counter)
    out: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)
    arrived_ms: dict[str, int] = field(default_factory=dict)
    late: Counter[str] = field(default_factory=Counter)
    without_time: Counter[str] = field(default_factory=Counter)
    bad: Counter[str] = field(default_factory=Counter)
    examples: dict[str, dict[str, str | None]] = field(default_factory=dict)
    late_examples: dict[str, str] = field(default_factory=dict)
    due: dict[str, list[Bin]] = field(default_factory=dict)
    watermarks_ms: dict[str, int] = field(default_factory=dict)
    never_due: int = 0
    batch: int = -1
    began_ms: int | None = None
    took_ms: int | None = None
    phases_ms: dict[str, int] = field(default_factory=dict)
    of_batch: dict[str, dict[str, int]] = field(default_factory=dict)
    state_bytes: int | None = None
    wakes: list[Span] | None = field(default_factory=list)
    telling: int = 0
    sleeps: bool = False

    @property
    def rows_held(self) -> int:
        """Rows that are held now: those that wait for the clock, and what groups and joins keep."""
        return sum(self.held.values())

    @property
    def rows_of_runtime(self) -> int:
        """Those of them that operators of the runtime hold."""
        return sum(rows for name, rows in self.held.items() if not name.startswith(f"{SPARK}/"))

    def held_by_kind(self) -> Counter[str]:
        """Rows held by kind of operator; those that hold none are left out."""
        found: Counter[str] = Counter()
        for name, rows in self.held.items():
            found[name.split("/")[-2]] += rows
        return +found

    def update(self, progress: Any) -> None:
        """Add one batch: a `StreamingQueryProgress` or its dict. A batch counts once."""
        # A query that idles reports the number of its next batch, without what that will observe.
        if progress is None or not progress["observedMetrics"]:
            return
        if progress["batchId"] <= self.batch:
            return
        known = self.wakes if progress["batchId"] == self.batch + 1 else None
        self.batch = progress["batchId"]
        self.watermark_ms = _watermark_of(progress) or self.watermark_ms
        self.began_ms = _milliseconds(progress["timestamp"])
        phases = progress["durationMs"]
        self.took_ms = phases.get("triggerExecution")
        self.phases_ms = {name: ms for name, ms in phases.items() if name != "triggerExecution"}
        observed = progress["observedMetrics"]
        before = {kind: Counter(getattr(self, kind)) for kind in (*BY_SOURCE, "out")}
        first_place: set[str] = set()
        for name in sorted(observed):
            if name.startswith(f"{PREFIX}/"):
                _, kind, *rest = name.split("/")
                self._count(kind, rest, observed[name], first_place)
        self.of_batch = {
            kind: {name: rows - known[name] for name, rows in getattr(self, kind).items()}
            for kind, known in before.items()
        }
        self.due = {
            name: put_together(bins, (), self.watermark_ms) for name, bins in self.due.items()
        }
        self._count_native(progress["stateOperators"])
        self._count_wakes(known, observed)

    def _count_wakes(self, known: list[Span] | None, observed: Any) -> None:
        """When the query has to wake, by the timers that each of its operators has set."""
        told = [row.at for name, row in observed.items() if name.startswith(f"{PREFIX}/wake/")]
        is_whole = len(told) >= self.telling
        more = [each for timers in told for each in timers]
        together = spans_of(known or (), more, self.watermark_ms)
        self.wakes = together if is_whole and known is not None else None

    def _count_native(self, operators: Any) -> None:
        """What operators of Spark hold: Spark says how much, not how much more."""
        for name in [each for each in self.held if each.startswith(f"{SPARK}/")]:
            del self.held[name]
        sizes = [each.get("customMetrics", {}).get(FILES) for each in operators]
        known = [size for size in sizes if size is not None]
        self.state_bytes = sum(known) if known else None
        places: Counter[str] = Counter()
        for each in operators:
            kind = NATIVE.get(each["operatorName"])
            if kind is not None:
                self.held[f"{SPARK}/{kind}/{places[kind]}"] = each["numRowsTotal"]
                places[kind] += 1

    def _count(self, kind: str, rest: list[str], row: Any, seen: set[str]) -> None:
        if rest[-1:] == ["failed"] and kind in FAILING:
            self.never_due += row.rows
        elif kind in ("delay", "held"):
            self.held[f"{kind}/{rest[0]}"] += row.taken - row.released
            if kind == "delay":
                self._count_out(f"{kind}/{rest[0]}", row.released)
        elif kind == "temporal":
            self.held[f"{kind}/{rest[0]}"] += row.rows if rest[-1] == "in" else -row.gone
        elif kind in ("changing", "over", "match", "fill", "sessions", "panes"):
            self.held[f"{kind}/{rest[0]}"] += row.rows
        elif kind == "out":
            self._count_out("/".join(rest), row.rows)
        elif kind == "due":
            more = [[int(each["x"]), round(each["y"])] for each in row.bins or ()]
            name = "/".join(rest)
            self.due[name] = put_together(self.due.get(name, ()), more, self.watermark_ms)
        elif kind in ("source", "watermark", "bad", "untimed"):
            self._count_once(kind, rest, row, seen)

    def _count_out(self, name: str, rows: int) -> None:
        self.rows_out += rows
        self.out[name] += rows

    def _count_once(self, kind: str, rest: list[str], row: Any, seen: set[str]) -> None:
        name = "/".join(rest[:-1])
        if f"{kind}/{name}" in seen:
            return
        seen.add(f"{kind}/{name}")
        if kind == "untimed":
            self.never_due += row.rows
        elif kind == "bad":
            self.bad[name] += row.rows
            if row.rows and "example" in row and row.example is not None:
                # A Row where a listener is told, a dict where the query is asked.
                whole = row.example
                self.examples[name] = whole if isinstance(whole, dict) else whole.asDict()
        else:
            self._count_source(name, row)

    def _count_source(self, name: str, row: Any) -> None:
        self.rows_in += row.rows
        self.rows[name] += row.rows
        if row.rows and self.began_ms is not None:
            self.arrived_ms[name] = self.began_ms
        self.late[name] += row.late
        if row.late and "example" in row and row.example is not None:
            self.late_examples[name] = row.example
        self.without_time[name] += row.without_time
        if row.watermark is not None:
            known = self.watermarks_ms.get(name)
            self.watermarks_ms[name] = row.watermark if known is None else max(known, row.watermark)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        by_name = {name: dict(getattr(self, name)) for name in ("held", "out", *BY_SOURCE)}
        return {**vars(self), **by_name, "rows_held": self.rows_held}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Counters:
        """From what `to_json` gave."""
        # A later version may have counted more.
        names = {each.name for each in fields(cls)} | {"rows_held"}
        known = {name: value for name, value in data.items() if name in names}
        # Before rows were counted by operator, there was but this number.
        held = {"earlier/0": known.pop("rows_held", 0)}
        by_name = {name: Counter(known.get(name, {})) for name in ("out", *BY_SOURCE)}
        # What was not counted is unknown.
        known.setdefault("wakes", None)
        return cls(**{**known, **by_name, "held": Counter(known.get("held", held))})


def _watermark_of(progress: Any) -> int | None:
    """The batch's watermark in milliseconds; None if it has none (Spark reports 1970-01-01)."""
    text = (progress["eventTime"] or {}).get("watermark")
    return None if text is None else _milliseconds(text) or None


def _milliseconds(text: str) -> int | None:
    """A moment as Spark writes it, in milliseconds since the epoch; None beyond all years."""
    year, rest = text.removeprefix("+").replace("Z", "+00:00").split("-", 1)
    if int(year) > MAXYEAR:
        # In the era of era.py, 2026 is 12026.
        year = f"{int(year) - 10_000:04}"
    if int(year) > MAXYEAR:
        return None
    return round(datetime.fromisoformat(f"{year}-{rest}").timestamp() * 1000)
