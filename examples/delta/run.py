"""Runs query.sql, which writes two Delta tables below build/demo/delta, and shows them.

    .venv/bin/python examples/delta/run.py

Needs `pip install 'tvfc[delta]'`, and no server. Tables of a run before are removed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from deltalake import DeltaTable

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from stage import stage

ROOT = Path(__file__).resolve().parent.parent.parent

TABLES = ROOT / "build/demo/delta"


def main() -> None:
    """Stage the feed, run the query, show the tables."""
    stage(ROOT / "build/demo/flights")
    shutil.rmtree(TABLES, ignore_errors=True)
    query = Path(__file__).parent / "query.sql"
    command = [sys.executable, str(ROOT / "cli.py"), "run", str(query), "--available-now"]
    with tempfile.TemporaryDirectory() as checkpoint:
        subprocess.run([*command, "--checkpoint", checkpoint], check=True)
    for name in ("in_the_air", "landed"):
        table = DeltaTable(TABLES / name)
        rows = table.to_pyarrow_table()
        print(f"\n{name}: {rows.num_rows} rows, {table.version()} commits")
        for row in rows.slice(0, 8).to_pylist():
            print("  ", *row.values())


if __name__ == "__main__":
    main()
