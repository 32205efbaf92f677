"""Starts a Postgres server, runs query.sql against it, and shows what is in its tables.

    .venv/bin/python examples/postgres/run.py

Needs the server's programs (Debian, Ubuntu: apt-get install postgresql) and `pip install
'tvfc[postgres]'`. The server and its tables are gone at the end.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import adbc_driver_postgresql.dbapi as driver

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tests"))

from field.servers.postgres import postgres
from stage import stage

ROOT = Path(__file__).resolve().parent.parent.parent


def main() -> None:
    """Stage the feed, start the server, run the query, show the tables."""
    stage(ROOT / "build/demo/flights")
    with postgres() as url, tempfile.TemporaryDirectory() as checkpoint:
        with driver.connect(url, autocommit=True) as database, database.cursor() as cursor:
            cursor.execute("CREATE TABLE carriers (carrier text PRIMARY KEY, name text)")
            cursor.execute(
                "INSERT INTO carriers VALUES ('UA', 'United'), ('B6', 'JetBlue'), ('DL', 'Delta')"
            )
        query = Path(__file__).parent / "query.sql"
        command = [sys.executable, str(ROOT / "cli.py"), "run", str(query), "--available-now"]
        where = urlsplit(url)
        environment = os.environ | {
            "PGHOST": str(where.hostname),
            "PGPORT": str(where.port),
            "PGUSER": str(where.username),
            "PGDATABASE": where.path[1:],
        }
        subprocess.run([*command, "--checkpoint", checkpoint], check=True, env=environment)
        show(url, "SELECT * FROM in_the_air ORDER BY carrier")
        show(url, "SELECT * FROM in_the_air_history ORDER BY _time, carrier, _diff LIMIT 8")


def show(url: str, query: str) -> None:
    """Print what a query finds."""
    print(f"\n{query}")
    with driver.connect(url) as database, database.cursor() as cursor:
        cursor.execute(query)
        for row in cursor.fetchall():
            print("  ", *row)


if __name__ == "__main__":
    main()
