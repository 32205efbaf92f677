"""A job that writes to Kafka and is killed at random moments; `make kills` does it more often."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from field.servers.kafka import Broker
from kills.campaign import campaign
from kills.cases import CASES

KILLS = 12


@pytest.mark.field
def test_nothing_is_lost_or_repeated(kafka_broker: Broker, tmp_path: Path) -> None:
    (case,) = [each for each in CASES if each.name == "kafka"]
    assert campaign(case, tmp_path, KILLS, Random(16), kafka_broker) == []
