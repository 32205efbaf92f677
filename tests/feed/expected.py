"""What the examples are to give, in plain Python: the answer over the whole feed at an instant."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import Any

import pyarrow.parquet as pq
from stage import FLIGHTS

Row = tuple[Any, ...]


@dataclass(frozen=True, kw_only=True)
class Flight:
    """A row of the feed."""

    published: datetime
    sched_dep: datetime
    dep: datetime | None
    arr: datetime | None
    carrier: str
    flight: int
    tailnum: str | None
    origin: str
    dest: str
    distance: int
    dep_delay: int | None


def answer_at(name: str, instant: datetime) -> Counter[Row]:
    """The rows of an example's result when the clock is at an instant, and how often each."""
    _, answer = EXPECTED[name]
    return Counter(answer(feed(), instant))


@cache
def feed() -> tuple[Flight, ...]:
    """All rows of the feed."""
    paths = sorted(FLIGHTS.glob("*.parquet"))
    return tuple(Flight(**row) for path in paths for row in pq.read_table(path).to_pylist())


def in_the_air(flights: Iterable[Flight], now: datetime) -> Iterator[Row]:
    for carrier, count, _ in live_table(flights, now):
        yield carrier, count


def live_table(flights: Iterable[Flight], now: datetime) -> Iterator[Row]:
    landings: dict[str, list[datetime]] = defaultdict(list)
    for each in flights:
        if each.dep and each.arr and each.dep <= now < each.arr:
            landings[each.carrier].append(each.arr)
    for carrier, times in landings.items():
        yield carrier, len(times), min(times)


def validity(flights: Iterable[Flight], now: datetime) -> Iterator[Row]:
    for each in flights:
        if each.dep and each.arr and each.dep <= now <= each.arr:
            yield each.carrier, each.flight, each.tailnum, each.origin, each.dest


def time_to_live(flights: Iterable[Flight], now: datetime) -> Iterator[Row]:
    for each in flights:
        stay = timedelta(minutes=max(each.dep_delay or 0, 15))
        if each.published <= now < each.published + stay:
            yield each.carrier, each.flight, each.dest, each.dep_delay


def sliding_window(flights: Iterable[Flight], now: datetime) -> Iterator[Row]:
    last_hour = [each for each in flights if now - HOUR <= each.published <= now]
    for origin in {each.origin for each in last_hour}:
        there = [each for each in last_hour if each.origin == origin]
        delays = [each.dep_delay for each in there if each.dep_delay is not None]
        yield origin, len(there), _rounded(sum(delays) / len(delays)) if delays else None


def tumbling_window(flights: Iterable[Flight], now: datetime) -> Iterator[Row]:
    ends = ((each.origin, _floor(each.published, HOUR) + HOUR) for each in flights)
    groups = Counter((origin, end) for origin, end in ends if end <= now < end + 12 * HOUR)
    for key, departures in groups.items():
        yield *key, departures


def hopping_window(flights: Iterable[Flight], now: datetime) -> Iterator[Row]:
    windows = (
        (each.origin, start, start + HOUR)
        for each in flights
        for last in [_floor(each.published, HOUR / 2)]
        for start in (last - HOUR / 2, last)
    )
    groups = Counter(each for each in windows if each[2] <= now < each[2] + 6 * HOUR)
    for key, departures in groups.items():
        yield *key, departures


HOUR = timedelta(hours=1)

EXPECTED: dict[str, tuple[bool, Callable[[Iterable[Flight], datetime], Iterator[Row]]]] = {
    "in_the_air": (True, in_the_air),
    "live_table": (True, live_table),
    "validity": (False, validity),
    "time_to_live": (False, time_to_live),
    "sliding_window": (True, sliding_window),
    "tumbling_window": (True, tumbling_window),
    "hopping_window": (True, hopping_window),
}
"""For each example whether it groups rows, and what it gives."""


def _floor(moment: datetime, length: timedelta) -> datetime:
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + (moment - midnight) // length * length


def _rounded(value: float) -> float:
    """As Spark rounds: halves up, of the number as it is written."""
    return float(Decimal(repr(value)).quantize(Decimal("0.1"), ROUND_HALF_UP))
