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
    # The broker of the tests.
    from field.servers.jars import connector  # noqa: PLC0415
    from field.servers.kafka import broker  # noqa: PLC0415

    with broker() as kafka, tempfile.TemporaryDirectory() as folder:
        records = [
            json.dumps({"item": item, "price": price, "at": f"2024-05-01T{at}:00Z"})
            for item, price, at in BIDS
        ]
        kafka.produce("bids", [(None, each) for each in records])
        text = (HERE / "query.sql").read_text(encoding="utf-8")
        query = Path(folder, "query.sql")
        query.write_text(text.replace("127.0.0.1:9092", kafka.bootstrap), encoding="utf-8")
        run("-m", "cli", "compile", str(query), "-o", folder)
        # On a machine of one's own: spark-submit --packages org.apache.spark:spark-sql-kafka-…
        jars = ",".join(map(str, connector()))
        os.environ["PYSPARK_SUBMIT_ARGS"] = f"--jars {jars} pyspark-shell"
        run(f"{folder}/job.py", "--checkpoint", f"{folder}/checkpoint", "--available-now")
        for topic in ("best", "settled"):
            print(f"{topic}:")
            for record in kafka.read(topic):
                print("  ", *(text.decode() if text else text for text in record[:2]))


def run(*arguments: str) -> None:
    """A program of Python's, with what it prints to the terminal."""
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, *arguments], env=environment, cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
