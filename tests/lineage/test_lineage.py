"""Lineage of the goldens: by hand for one of each kind, and what must hold for all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compiler import compile_script
from compiler.diagnostics import CompileError
from compiler.source import SourceText

GOLDEN = Path(__file__).parents[2] / "golden"
CASES = sorted(path.parent for path in GOLDEN.glob("*/*/explain.txt"))


def lineage(case: str) -> str:
    return text_of((GOLDEN / case / "query.sql").read_text(encoding="utf-8"))


def text_of(query: str) -> str:
    return compile_script(SourceText("query.sql", query)).stages["lineage"]


BY_HAND = {
    "join/three": """
lineage of console
  id      orders.id
  sku     items.sku
  city    shops.city
  (rows)  filter orders.ts; join items.id, orders.id, orders.name, shops.name
""",
    "join/full_in_time": """
lineage of compared
  id      transformation orders.id, payments.id
  price   orders.price
  paid    payments.paid
  (rows)  filter orders.ts, payments.ts; join orders.id, orders.price, orders.ts, payments.id, payments.paid, payments.ts
""",
    "join/asof": """
lineage of priced
  id         trades.id
  ts         trades.ts
  over_bid   transformation quotes.bid, trades.price
  quoted_at  quotes.ts
  (rows)     filter quotes.symbol, quotes.ts, trades.ts; join quotes.symbol, quotes.ts, trades.symbol, trades.ts
""",
    "join/lateral": """
lineage of console
  name    users.name
  url     clicks.url
  ts      clicks.ts
  (rows)  filter users.seen; join clicks.user, users.id; sort clicks.ts, clicks.user
""",
    "join/values_of_groups": """
lineage of console
  customer  orders.customer
  ordered   aggregation orders.amount
  returned  -
  (rows)    filter orders.amount, orders.ts, returns.ts; join orders.customer, returns.customer; group by orders.customer, returns.customer
""",
    "tables/subquery_in_where": """
lineage of console
  id      orders.id
  (rows)  filter items.id, items.sku, items.weight, orders.id, orders.name, orders.price, orders.ts
""",
    "tables/aggregate_joined": """
lineage of console
  id      orders.id
  total   aggregation items.weight
  (rows)  filter orders.ts; join items.id, orders.id; group by items.id
""",
    "windows/tumble": """
lineage of console
  window_start  transformation trips.ts
  n             -
  mean          aggregation trips.fare
  (rows)        filter trips.fare, trips.ts; group by trips.ts
""",
    "windows/session": """
lineage of console
  zone          trips.zone
  window_start  aggregation trips.ts; window trips.zone
  window_end    aggregation trips.ts; window trips.zone
  n             -
  (rows)        window trips.zone; filter trips.ts; group by trips.ts, trips.zone
""",
    "windows/distinct_values": """
lineage of console
  window_start  transformation trips.ts
  total         aggregation trips.fare
  mean          aggregation trips.fare; conditional trips.zone
  n             aggregation trips.fare; conditional trips.zone
  top           aggregation trips.fare
  (rows)        filter trips.ts; group by trips.ts
""",
    "windows/except_all": """
lineage of console
  item    orders.item
  day     orders.day
  (rows)  filter deliveries.day, deliveries.item, orders.day, orders.item; group by orders.day, orders.item
""",
    "union/below_a_delay": """
lineage of console
  id      orders.id; transformation orders.id
  (rows)  filter orders.ts
""",
    "temporal/sets": """
lineage of console
  grp     parts.grp
  (rows)  filter parts.grp, parts.id, parts.ts; group by parts.grp
""",
    "temporal/best_values": """
lineage of console
  id      readings.id
  best    aggregation readings.a, readings.x
  least   aggregation readings.a, readings.x
  first   aggregation readings.a, readings.x
  some    aggregation readings.x
  large   aggregation readings.x; conditional readings.a
  (rows)  filter readings.ts; group by readings.id
""",
    "over/keys_differ": """
lineage of console
  site       reads.site
  sensor     reads.sensor
  v          reads.v
  of_sensor  transformation reads.v; window reads.sensor, reads.site, reads.ts
  of_site    transformation reads.v; window reads.site, reads.ts
  (rows)     filter reads.ts
""",
    "over/first_of_each_key": """
lineage of console
  email   signups.email
  via     signups.via
  place   window signups.email, signups.ts
  (rows)  window signups.email, signups.ts; filter signups.ts
""",
    "over/of_rows_that_change": """
lineage of console
  id       sales.id
  shop     sales.shop
  running  aggregation sales.amount; window sales.shop, sales.ts
  share    transformation sales.amount; aggregation sales.amount; window sales.shop
  before   transformation sales.amount; window sales.shop, sales.ts
  (rows)   filter sales.ts
""",
    "matches/falls_and_rises": """
lineage of console
  k        ticks.k
  since    ticks.ts
  until    ticks.ts
  percent  transformation ticks.price
  (rows)   window ticks.k, ticks.ts; filter ticks.price, ticks.ts
""",
    "changes/debezium_totals": """
lineage of live
  status  orders.status
  n       -
  total   aggregation orders.amount
  (rows)  group by orders.id, orders.status
""",
    "late/through_a_view": """
lineage of console
  n           transformation orders.name
  at          orders.ts
  _watermark  aggregation orders.ts
  (rows)      filter orders.name, orders.ts
""",
}


@pytest.mark.parametrize("case", BY_HAND)
def test_by_hand(case: str) -> None:
    assert lineage(case) == BY_HAND[case].removeprefix("\n")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_all_that_is_named_is_there(case: Path) -> None:
    source = SourceText("query.sql", (case / "query.sql").read_text(encoding="utf-8"))
    job = compile_script(source)
    data = json.loads(job.stages["lineage.json"])
    known = {
        (name, column["name"])
        for name, each in data["inputs"].items()
        for column in each["columns"]
    }
    assert set(data["inputs"]) <= {each.name for each in job.sources}
    assert list(data["outputs"]) == [each.name for each in job.sinks]
    for output in data["outputs"].values():
        assert output["columns"]
        named = [*output["rows"], *(o for column in output["columns"] for o in column["from"])]
        assert {(each["source"], each["column"]) for each in named} <= known
        assert {each["source"] for each in named} <= set(output["reads"])


def test_a_name_means_what_is_nearest() -> None:
    found = text_of(
        """CREATE TABLE items (id BIGINT, price INT) USING parquet OPTIONS (path 'items');
        CREATE SOURCE orders (id BIGINT, price INT) USING parquet OPTIONS (path 'orders');
        SELECT id, price - (SELECT max(price) FROM items) AS above FROM orders;"""
    )
    assert found == (
        "lineage of console\n"
        "  id     orders.id\n"
        "  above  transformation orders.price; aggregation items.price\n"
    )


def test_what_is_not_understood_is_made_of_all() -> None:
    """A function of lambdas that sqlglot does not parse names at least what Spark would read."""
    found = text_of(
        """CREATE SOURCE a (xs ARRAY<INT>, y INT) USING json OPTIONS (path 'a');
        SELECT zip_with(xs, xs, (p, q) -> p + q + y) AS zipped, cast(y AS STRING) AS y FROM a;"""
    )
    assert found == (
        "lineage of console\n  zipped  transformation a.xs, a.y\n  y       transformation a.y\n"
    )


def _all(found: Any) -> set[tuple[str, str]]:
    return {(each["source"], each["column"]) for each in found}


def test_a_case_tells_conditions_from_values() -> None:
    query = """CREATE SOURCE a (x INT, y INT, z INT) USING json OPTIONS (path 'a');
        SELECT CASE WHEN x > 0 THEN y ELSE z END AS v, if(x > 0, y, 0) AS w FROM a WHERE z > 1;"""
    assert text_of(query) == (
        "lineage of console\n"
        "  v       transformation a.y, a.z; conditional a.x\n"
        "  w       transformation a.y; conditional a.x\n"
        "  (rows)  filter a.z\n"
    )
    data = json.loads(compile_script(SourceText("q.sql", query)).stages["lineage.json"])
    assert _all(data["outputs"]["console"]["rows"]) == {("a", "z")}


def test_errors_come_before() -> None:
    with pytest.raises(CompileError):
        text_of("SELECT nothing FROM nowhere;")
