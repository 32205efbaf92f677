"""Events of an auction house, as in the benchmark of Tucker, Tufte, Papadimos and Maier (2008).

Of 50 events one is a new person, three are new auctions and 46 are bids. Half of the bids go to the
auction that is wanted just then, and as many come from the busiest bidder. Events come out of order
by up to three seconds, which the watermarks wait for, and a few later than that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

Row = tuple[Any, ...]

COLUMNS = {
    "person": "id BIGINT, name STRING, email STRING, city STRING, state STRING,"
    " date_time TIMESTAMP, extra STRING",
    "auction": "id BIGINT, item_name STRING, initial_bid BIGINT, reserve BIGINT,"
    " date_time TIMESTAMP, expires TIMESTAMP, seller BIGINT, category BIGINT, extra STRING",
    "bid": "auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,"
    " date_time TIMESTAMP, extra STRING",
}
TIME = {"person": 5, "auction": 4, "bid": 5}
"""The place of the time in a row."""

DELAY = timedelta(seconds=4)
"""How far the watermark of a stream is behind."""

BEGIN = datetime(2026, 1, 1, 7, 59, 30, tzinfo=UTC)
FIRST_ID = 1000
CATEGORIES = range(10, 15)
CHANNELS = ("Google", "Facebook", "Baidu", "Apple")
CITIES = (
    "Phoenix",
    "Los Angeles",
    "San Francisco",
    "Boise",
    "Portland",
    "Bend",
    "Seattle",
    "Cheyenne",
)
STATES = ("AZ", "CA", "ID", "OR", "WA", "WY")
MOST_DISORDER_MS = 3000


@dataclass
class House:
    """Makes events in turn.

    Args:
        rng: where chance comes from.
        a_second: how many events a second.
    """

    rng: Random
    a_second: int
    _number: int = 0
    _persons: int = 0
    _auctions: int = 0

    def events(self, number: int) -> dict[str, list[Row]]:
        """The next ones, by stream."""
        found: dict[str, list[Row]] = {name: [] for name in COLUMNS}
        for _ in range(number):
            place = self._number % 50
            if place == 0:
                found["person"].append(self._person())
            elif place < 4:
                found["auction"].append(self._auction())
            else:
                found["bid"].append(self._bid())
            self._number += 1
        return found

    def _time(self) -> datetime:
        rng = self.rng
        early = rng.choice((0, rng.randint(0, MOST_DISORDER_MS)))
        if rng.random() < 0.01:
            early = 20 * MOST_DISORDER_MS
        return BEGIN + timedelta(milliseconds=self._number * 1000 // self.a_second - early)

    def _extra(self) -> str:
        return "".join(self.rng.choices("abc", k=self.rng.randint(0, 8)))

    def _price(self) -> int:
        return int(10 ** (self.rng.random() * 6) * 100)

    def _person(self) -> Row:
        rng, number = self.rng, FIRST_ID + self._persons
        self._persons += 1
        name = f"{rng.choice(('Ann', 'Bob', 'Cleo'))} {rng.choice(('Abrams', 'Spencer', 'Walton'))}"
        place = rng.choice(CITIES), rng.choice(STATES)
        return number, name, f"{number}@example.com", *place, self._time(), self._extra()

    def _auction(self) -> Row:
        rng, number, time = self.rng, FIRST_ID + self._auctions, self._time()
        self._auctions += 1
        initial = self._price()
        expires = time + timedelta(milliseconds=rng.randint(1, 20_000))
        seller = self._one_of(self._persons, hot=4)
        money = initial, initial + self._price()
        category = rng.choice(CATEGORIES)
        return number, f"item {number}", *money, time, expires, seller, category, self._extra()

    def _bid(self) -> Row:
        rng = self.rng
        auction, bidder = self._one_of(self._auctions, hot=20), self._one_of(self._persons, hot=5)
        channel = rng.choice(CHANNELS)
        url = f"https://www.nexmark.com/{self._extra()}/{self._extra()}/item.htm?query=1"
        if rng.random() < 0.5:
            channel = f"channel-{rng.randrange(100)}"
            url += f"&channel_id={rng.randrange(1000)}" if rng.random() < 0.9 else ""
        return auction, bidder, self._price(), channel, url, self._time(), self._extra()

    def _one_of(self, there: int, hot: int) -> int:
        """A number that has been given; every other time the hottest of so many, or one to come."""
        if self.rng.random() < 0.5:
            return FIRST_ID + max(there - 1, 0) // hot * hot
        return FIRST_ID + self.rng.randint(max(0, there - 100), there)


@dataclass
class Story:
    """What a job of some streams must make of events: those that are on time, and its clock.

    Attributes:
        streams: that it reads.
        rows: those on time.
        clock: the least watermark, None before there is one.
        late: how many rows were not.
    """

    streams: tuple[str, ...]
    rows: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in COLUMNS})
    clock: datetime | None = None
    late: int = 0

    def arrive(self, events: Mapping[str, list[Row]]) -> None:
        """Let events come as one batch, under the clock of those before."""
        for name in self.streams:
            place = TIME[name]
            on_time = [
                row for row in events[name] if self.clock is None or row[place] >= self.clock
            ]
            self.late += len(events[name]) - len(on_time)
            self.rows[name] += on_time
        newest = [max(row[TIME[name]] for row in self.rows[name]) for name in self.streams]
        self.clock = max(min(newest) - DELAY, self.clock or BEGIN - timedelta(days=1))
