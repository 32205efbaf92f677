"""Spark's own interface of Python data sources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader


class NumbersSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return "numbers"

    def schema(self) -> str:
        return "n INT"

    def simpleStreamReader(self, schema: Any) -> SimpleDataSourceStreamReader:
        return Reader(int(self.options["upto"]))


class Reader(SimpleDataSourceStreamReader):
    def __init__(self, upto: int) -> None:
        self._upto = upto

    def initialOffset(self) -> dict[str, int]:
        return {"n": 0}

    def read(self, start: dict[str, int]) -> tuple[Iterator[tuple[int]], dict[str, int]]:
        if start["n"] >= self._upto:
            return iter(()), start
        end = {"n": start["n"] + 1}
        return self.readBetweenOffsets(start, end), end

    def readBetweenOffsets(
        self, start: dict[str, int], end: dict[str, int]
    ) -> Iterator[tuple[int]]:
        return iter([(n,) for n in range(start["n"] + 1, end["n"] + 1)])
