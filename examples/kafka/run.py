"""Kafka to Kafka on this machine: starts a broker, fills a topic, runs query.sql, shows the topics.

python examples/kafka/run.py        # Java is needed; the broker is fetched once, 44 MB
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

BIDS = [
    ("lamp", 40, "10:00"),
    ("chair", 15, "10:05"),
    ("lamp", 55, "10:20"),
    ("chair", 20, "10:50"),
    ("desk", 90, "11:10"),
    ("desk", 95, "11:40"),
]


def main() -> None:
    """All of it; what is in the topics goes to stdout."""
    from field.servers.kafka import broker  # noqa: PLC0415  the broker of the tests

    with broker() as kafka, tempfile.TemporaryDirectory() as folder:
        records = [
            json.dumps({"item": item, "price": price, "at": f"2024-05-01T{at}:00Z"})
            for item, price, at in BIDS
        ]
        kafka.produce("bids", [(None, each) for each in records])
        text = (HERE / "query.sql").read_text(encoding="utf-8")
        query = Path(folder, "query.sql")
        query.write_text(text.replace("127.0.0.1:9092", kafka.bootstrap), encoding="utf-8")
        run(query)
        for topic in ("best", "settled"):
            print(f"{topic}:")
            for record in kafka.read(topic):
                print("  ", *(text.decode() if text else text for text in record[:2]))


def run(query: Path) -> None:
    """`tvfc run`, with Spark's connector; its progress goes to the terminal."""
    from field.servers.jars import connector  # noqa: PLC0415

    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "PYSPARK_SUBMIT_ARGS": f"--jars {','.join(map(str, connector()))} pyspark-shell",
    }
    program = [sys.executable, str(ROOT / "cli.py"), "run", str(query), "--available-now"]
    subprocess.run(program, env=environment, cwd=query.parent, check=True)


if __name__ == "__main__":
    main()
