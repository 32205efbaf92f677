"""What all tests share: one local Spark session for the whole run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commands.local_spark import FAST_STEPS, local_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A quiet local session; mark the tests that use it with `spark`."""
    session = local_session("tvfc tests", "local[2]", FAST_STEPS)
    yield session
    session.stop()
