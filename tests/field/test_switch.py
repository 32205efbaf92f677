"""Tables of Postgres take each other's names, as far as their readers go over by that."""

from __future__ import annotations

from pathlib import Path

import adbc_driver_postgresql.dbapi as driver
import pytest
from comparing.places import STATEMENTS, Both, check_exchange

from commands.comparing.exchange import exchange
from commands.comparing.sinks import CompareError

pytestmark = pytest.mark.field


def test_tables_are_exchanged(postgres_url: str, tmp_path: Path) -> None:
    def run(statement: str) -> None:
        with driver.connect(postgres_url) as database, database.cursor() as cursor:
            cursor.execute("SET search_path TO switched")
            cursor.execute(statement)
            database.commit()

    def refused(why: str) -> None:
        with pytest.raises(CompareError, match=why):
            exchange([(both.blue, both.green)])

    for statement in ("CREATE SCHEMA switched", "CREATE SCHEMA elsewhere", *STATEMENTS):
        run(statement)
    names = ("switched.live", 'switched."live green"')
    both, exchanged = (
        Both.of(tmp_path, "postgres", {"url": postgres_url}, *each) for each in (names, names[::-1])
    )
    check_exchange(both, exchanged, run)

    run("CREATE VIEW readers AS SELECT * FROM live")
    refused("the view switched.readers reads")
    run("DROP VIEW readers")
    run("GRANT SELECT ON live TO PUBLIC")
    refused("GRANT the same")
    run('GRANT SELECT ON "live green" TO PUBLIC')
    exchange([(both.blue, both.green)])
    exchange([(exchanged.blue, exchanged.green)])
    run("ALTER TABLE live SET SCHEMA elsewhere")
    moved = Both.of(tmp_path, "postgres", {"url": postgres_url}, "elsewhere.live", names[1])
    with pytest.raises(CompareError, match="two schemas"):
        exchange([(moved.blue, moved.green)])
    secret = Both.of(tmp_path, "postgres", {"url": f"{postgres_url}?password=geheim"}, *names)
    assert "geheim" not in repr(secret)
