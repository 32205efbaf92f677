"""Servers that the tests of a run share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from field.servers.postgres import postgres

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of a database on a running server."""
    with postgres() as url:
        yield url
