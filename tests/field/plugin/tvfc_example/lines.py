"""A batch as a file: one that is written again is the same file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame


def write_lines(path: str) -> Callable[[DataFrame, int], None]:
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)

    def write(rows: DataFrame, batch: int) -> None:
        lines = [json.dumps(row.asDict(), default=str) for row in rows.collect()]
        part = folder / f".{batch}"
        part.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        part.replace(folder / f"{batch}.json")

    return write
