"""Queries of Nexmark that need windows, written with EMIT ON WINDOW CLOSE: rows a second.

    python bench/nexmark.py              a table (some minutes)
    python bench/nexmark.py QUERY        one measurement, as JSON

Of 50 events one is a new person, three are new auctions and 46 are bids, as in the benchmark of
Tucker, Tufte, Papadimos and Maier (2008); 200,000 bids a batch, which cover ten seconds. Half of
the bids go to the one auction that is wanted just then, half come from the one busy bidder.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import delay as bench

BATCHES = 14
SOURCES = """
CREATE SOURCE bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, date_time TIMESTAMP,
  WATERMARK FOR date_time AS date_time - INTERVAL 1 SECOND
);
CREATE SOURCE auction (
  id BIGINT, item STRING, seller BIGINT, reserve BIGINT, date_time TIMESTAMP,
  WATERMARK FOR date_time AS date_time - INTERVAL 1 SECOND
);
CREATE SOURCE person (
  id BIGINT, name STRING, city STRING, date_time TIMESTAMP,
  WATERMARK FOR date_time AS date_time - INTERVAL 1 SECOND
);
"""
QUERIES = {
    # The auctions with the most bids of the last ten seconds, every two seconds.
    "q5": """
        CREATE VIEW counted AS
          SELECT auction, window_start, window_end, count(*) AS bids
          FROM HOP(bid, date_time, INTERVAL 2 SECONDS, INTERVAL 10 SECONDS)
          GROUP BY auction, window_start, window_end EMIT ON WINDOW CLOSE;
        SELECT c.auction, c.bids, c.window_start
        FROM counted c JOIN (
          SELECT window_start, window_end, max(bids) AS most FROM counted
          GROUP BY window_start, window_end EMIT ON WINDOW CLOSE
        ) m ON c.window_start = m.window_start AND c.window_end = m.window_end AND c.bids = m.most
        EMIT ON WINDOW CLOSE;""",
    # The highest bid of each ten seconds.
    "q7": """
        SELECT window_start, max_by(auction, price) AS auction, max(price) AS price,
               max_by(bidder, price) AS bidder
        FROM TUMBLE(bid, date_time, INTERVAL 10 SECONDS)
        GROUP BY window_start, window_end EMIT ON WINDOW CLOSE;""",
    # Persons who opened an auction in the ten seconds in which they were new.
    "q8": """
        SELECT p.id, p.name, p.window_start
        FROM (
          SELECT id, name, window_start, window_end
          FROM TUMBLE(person, date_time, INTERVAL 10 SECONDS)
          GROUP BY id, name, window_start, window_end EMIT ON WINDOW CLOSE
        ) p JOIN (
          SELECT seller, window_start, window_end
          FROM TUMBLE(auction, date_time, INTERVAL 10 SECONDS)
          GROUP BY seller, window_start, window_end EMIT ON WINDOW CLOSE
        ) a ON p.id = a.seller AND p.window_start = a.window_start AND p.window_end = a.window_end
        EMIT ON WINDOW CLOSE;""",
    # The bids of each bidder in a session of activity.
    "q11": """
        SELECT bidder, count(*) AS bids, window_start, window_end
        FROM SESSION(bid, date_time, bidder, INTERVAL 10 SECONDS)
        GROUP BY bidder, window_start, window_end EMIT ON WINDOW CLOSE;""",
}


def main() -> None:
    """Run one query, or all in turn, each in a process of its own."""
    if len(sys.argv) > 1:
        print(json.dumps(measured(sys.argv[1])))
        return
    for name in QUERIES:
        found = bench.apart(__file__, name)
        print(
            f"{name:<6}{found['rows_per_s']:>12,.0f} rows/s   {found['last_ms']:,.0f} ms a batch",
            flush=True,
        )


def measured(name: str) -> dict[str, Any]:
    """Tvfc's job for a query."""
    read = lambda spark, source: EVENTS[source.name](spark)  # noqa: E731
    return bench.run_query(SOURCES + QUERIES[name], read, BATCHES)


def events(spark: Any, *columns: str, of_fifty: int) -> Any:
    """So many of fifty events; `n` numbers them."""
    rows = bench.ticking(spark, bench.BATCH_ROWS * of_fifty // 46)
    return rows.selectExpr("value AS n", "ts AS date_time").selectExpr(*columns, "date_time")


EVENTS: dict[str, Any] = {
    "bid": lambda spark: events(
        spark,
        "if(hash(n) % 2 = 0, n div 7000 * 100, abs(hash(n, 1)) % 10000) AS auction",
        "if(hash(n, 2) % 2 = 0, n div 7000 * 100, abs(hash(n, 3)) % 10000) AS bidder",
        "abs(hash(n, 4)) % 1000000 AS price",
        "concat('channel-', n % 10) AS channel",
        of_fifty=46,
    ),
    "auction": lambda spark: events(
        spark,
        "n AS id",
        "concat('item-', n) AS item",
        "abs(hash(n, 5)) % 10000 + n div 3 AS seller",
        "n % 1000 AS reserve",
        of_fifty=3,
    ),
    "person": lambda spark: events(
        spark,
        "n AS id",
        "concat('person-', n) AS name",
        "concat('city-', n % 100) AS city",
        of_fifty=1,
    ),
}

if __name__ == "__main__":
    main()
