"""Servers that the tests of a run share; each test takes topics, tables and folders of its own."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
from field.servers.jars import connector
from field.servers.kafka import Broker, broker
from field.servers.postgres import postgres


@pytest.fixture(scope="session")
def kafka_broker() -> Iterator[Broker]:
    """A Kafka broker; the shared Spark session has its connector."""
    connector()
    with broker() as server:
        yield server


@pytest.fixture
def topic() -> str:
    """The name of a topic that no other test has."""
    return f"topic-{uuid4().hex[:12]}"


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of a database on a running server."""
    with postgres() as url:
        yield url
