"""Up to when rows may be looked back at by a frame."""

from __future__ import annotations

import pytest
from compiled import job_of

ROWS = """CREATE SOURCE s (k INT, t {kind}, v INT, WATERMARK FOR t AS t)
USING parquet OPTIONS (path 's');
"""
QUERY = """SELECT sum(v) OVER (PARTITION BY k ORDER BY t RANGE {back} PRECEDING) AS total FROM s
EMIT ON WINDOW CLOSE;"""


@pytest.mark.parametrize(
    ("kind", "back", "until"),
    [
        ("BIGINT", "10", '"timestamp_millis(CAST((t + 10) AS BIGINT))"'),
        ("BIGINT", "10 + 5", '"timestamp_millis(CAST((t + 10 + 5) AS BIGINT))"'),
        ("TIMESTAMP", "INTERVAL 1 DAY", '"t", plus="INTERVAL \'1\' DAY"'),
        ("TIMESTAMP", "INTERVAL 1 MONTH", '"t + INTERVAL \'1\' MONTH", plus="INTERVAL 4 DAYS"'),
    ],
)
def test_months_last_some_days_longer(kind: str, back: str, until: str) -> None:
    job = job_of(QUERY.format(back=back), ROWS.format(kind=kind))
    assert f"until=tvfc.passed({until})" in job.text
