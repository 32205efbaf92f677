"""The page over HTTP: the files in static/, and at /events a stream of what the job does.

Nothing can be changed through it. What another site's page could do with a browser on this machine
is refused: the page is in no frame, loads nothing from elsewhere, and on a loopback address it
answers to names of that alone, so that no foreign name can be pointed at it.
"""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from importlib.resources import files
from ipaddress import ip_address
from threading import BoundedSemaphore

from tvfc_runtime.page.watched import Watched
from tvfc_runtime.reports.metrics import listen

FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
    **{
        f"/{name}.js": (f"{name}.js", "text/javascript; charset=utf-8")
        for name in (
            *("main", "elements", "words", "query", "plan", "timeline", "due", "tables", "rates"),
        )
    },
    "/vendor/dagre.js": ("vendor/dagre.js", "text/javascript; charset=utf-8"),
    "/vendor/uplot.js": ("vendor/uplot.js", "text/javascript; charset=utf-8"),
    "/vendor/uplot.css": ("vendor/uplot.css", "text/css; charset=utf-8"),
    "/vendor/LICENSES.txt": ("vendor/LICENSES.txt", "text/plain; charset=utf-8"),
}
"""By path, the file and its type; there are no others."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}

VIEWERS = 32
"""So many may look at the same time; each has a thread."""

PATIENCE_S = 10.0
"""After so long without news a comment is sent, by which one notices that nobody listens."""


def serve_page(place: tuple[str, int], watched: Watched) -> int:
    """Serve the page of a job in a thread that ends with the process; the port.

    Args:
        place: host and port; port 0 is any that is free.
        watched: what the page shows.

    Raises:
        MetricsError: another process has the port, or there is no such host.
    """
    facts = {
        "watched": watched,
        "viewers": BoundedSemaphore(VIEWERS),
        "only_loopback": is_loopback(place[0]),
    }
    return listen(place, type("Handler", (PageHandler,), facts), "ui")


class PageHandler(BaseHTTPRequestHandler):
    """Answers requests for the page of a job.

    Attributes:
        watched: what the page shows.
        viewers: how many may look at the same time.
        only_loopback: whether it answers to names of this machine alone.
    """

    watched: Watched
    viewers: BoundedSemaphore
    only_loopback: bool

    timeout = 60
    server_version, sys_version = "tvfc", ""

    def do_GET(self) -> None:
        """A file of the page, or the stream of events."""
        path = self.path.partition("?")[0]
        if self.only_loopback and not is_loopback(host_of(self.headers.get("Host", ""))):
            self._answer(b"ask for localhost\n", status=HTTPStatus.FORBIDDEN)
        elif path in FILES:
            name, kind = FILES[path]
            self._answer(static(name), kind)
        elif path != "/events":
            self._answer(b"see /\n", status=HTTPStatus.NOT_FOUND)
        elif not self.viewers.acquire(blocking=False):
            self._answer(b"too many look at it\n", status=HTTPStatus.SERVICE_UNAVAILABLE)
        else:
            try:
                self._tell()
            finally:
                self.viewers.release()

    def _answer(
        self,
        body: bytes,
        kind: str = "text/plain; charset=utf-8",
        status: HTTPStatus = HTTPStatus.OK,
    ) -> None:
        self._head(status, kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _head(self, status: HTTPStatus, kind: str) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind}.items():
            self.send_header(name, value)

    def _tell(self) -> None:
        self._head(HTTPStatus.OK, "text/event-stream; charset=utf-8")
        self.end_headers()
        try:
            for event in events(self.watched):
                self.wfile.write(event)
                self.wfile.flush()
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """A line for each time that somebody looks would hide the others."""


def events(watched: Watched) -> Iterator[bytes]:
    """What one viewer is told: first everything, then what is new, for as long as it is asked."""
    version = watched.wait(-1, 0)
    yield _event("everything", watched.everything())
    while True:
        newest = watched.wait(version, PATIENCE_S)
        if newest == version:
            yield b": still here\n\n"
        else:
            version = newest
            yield _event("news", watched.news())


def _event(kind: str, data: str) -> bytes:
    """An event; in its data, what is no character, such as a lone surrogate, is a question mark."""
    return f"event: {kind}\ndata: {data}\n\n".encode("utf-8", "replace")


def static(name: str) -> bytes:
    """A file of the page, in a folder or in a zip."""
    found = files("tvfc_runtime.page").joinpath("static")
    for part in name.split("/"):
        found = found.joinpath(part)
    return found.read_bytes()


def host_of(header: str) -> str:
    """The host of a header `Host`, without its port."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0]


def is_loopback(host: str) -> bool:
    """Whether a name or address means this machine alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
