"""What all tests share: one local Spark session for the whole run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from field.servers.jars import JarsMissingError, connector

from commands.local_spark import FAST_STEPS, local_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A quiet local session; mark the tests that use it with `spark`."""
    session = local_session("tvfc tests", "local[2]", FAST_STEPS | _connectors())
    yield session
    session.stop()


def _connectors() -> dict[str, str]:
    """Spark's connectors that tests need; a session takes jars only when it is made.

    Where they cannot be fetched, the tests of servers say so, and all others run.
    """
    try:
        return {"spark.jars": ",".join(map(str, connector()))}
    except JarsMissingError:
        return {}
