"""Opens the page of a job that is started with `--ui`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from tvfc_runtime.job.bookkeeper import Bookkeeper
from tvfc_runtime.spec.job import JobSpec

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

    from tvfc_runtime.job.building import Job

Add = Callable[["StreamingQuery", "Job", str], None]
"""Takes a query that has been started, what it was built with, and what its state is called."""


def opened_page(
    place: tuple[str, int] | None,
    spec: JobSpec,
    bookkeeper: Bookkeeper,
    say: Callable[[str], None],
    *,
    with_rows: bool = False,
) -> Add:
    """Serve the page of a job, if a place is given; what takes its queries once they are started.

    Args:
        place: host and port.
        spec: the job.
        bookkeeper: counts what it does.
        say: takes a line that tells where the page is.
        with_rows: show values of rows, too.

    Raises:
        MetricsError: it cannot be served there.
    """
    if place is None:
        return lambda _query, _job, _name: None
    # Jobs without a page, which are most, start without what a server needs.
    from tvfc_runtime.page.server import serve_page  # noqa: PLC0415
    from tvfc_runtime.page.watched import Query, Watched, copied  # noqa: PLC0415

    states = json.loads(spec.state) if spec.state else {}
    watched = Watched(spec.name, lambda: bookkeeper.read(copied), with_rows=with_rows)
    say(f"page at {page_address(place[0], serve_page(place, watched))}")
    watched.begin()

    def add(query: StreamingQuery, job: Job, name: str) -> None:
        run = str(query.runId)
        held, parts = tuple(job.held), states.get(name, [])
        is_active = lambda: run not in bookkeeper.ended  # noqa: E731
        watched.add(Query(str(query.name), job.checkpoint, parts, held, is_active))

    return add


def page_address(host: str, port: int) -> str:
    """Where a browser finds what is served at a host and port."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
