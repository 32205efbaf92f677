"""A schema registry for tests: Confluent's REST protocol as far as clients of records speak it.

with registry(user="tvfc", password="secret") as schemas:
    number = schemas.register("orders-value", {"type": "record", ...})
    schemas.url                                     # http://127.0.0.1:40233
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.message import DecodeError


def _check(body: dict[str, Any]) -> None:
    """Whether a schema is one: JSON, or the descriptors of a file of Protobuf in base64."""
    if body.get("schemaType") == "PROTOBUF":
        FileDescriptorProto.FromString(base64.b64decode(body["schema"], validate=True))
    else:
        json.loads(body["schema"])


@dataclass
class Registry:
    """What is registered; numbers begin at 1, versions of a subject likewise."""

    url: str = ""
    login: str | None = None
    schemas: list[dict[str, Any]] = field(default_factory=list)
    subjects: dict[str, list[int]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    down: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def register(
        self, subject: str, schema: Any, references: list[dict[str, Any]] | None = None
    ) -> int:
        """The number of a schema, which is a value for JSON."""
        body: dict[str, Any] = {"schema": json.dumps(schema)}
        if references:
            body["references"] = references
        return self.put(subject, body)

    def put(self, subject: str, body: dict[str, Any]) -> int:
        """The number of a schema as a request has it."""
        known = ("schema", "schemaType", "references")
        kept: dict[str, Any] = {key: value for key, value in body.items() if key in known}
        with self._lock:
            if kept not in self.schemas:
                self.schemas.append(kept)
            number = self.schemas.index(kept) + 1
            versions = self.subjects.setdefault(subject, [])
            if number not in versions:
                versions.append(number)
        return number

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        """The status and the body of an answer."""
        if self.down:
            return 503, {"error_code": 503, "message": "not now"}
        match method, *map(unquote, path.strip("/").split("/")):
            case "GET", "schemas", "ids", number if number.isdigit():
                if 0 < int(number) <= len(self.schemas):
                    return 200, self.schemas[int(number) - 1]
                return 404, {"error_code": 40403, "message": "Schema not found"}
            case "GET", "subjects":
                return 200, [*self.subjects]
            case "GET", "subjects", subject, "versions", version:
                return self._version(subject, version)
            case "POST", "subjects", subject, "versions":
                try:
                    _check(body)
                except (ValueError, KeyError, DecodeError):
                    return 422, {"error_code": 42201, "message": "Invalid schema"}
                return 200, {"id": self.put(subject, body)}
            case _:
                return 404, {"error_code": 404, "message": "HTTP 404 Not Found"}

    def _version(self, subject: str, version: str) -> tuple[int, Any]:
        numbers = self.subjects.get(subject)
        if numbers is None:
            return 404, {"error_code": 40401, "message": f"Subject '{subject}' not found."}
        place = len(numbers) if version == "latest" else int(version)
        if not 0 < place <= len(numbers):
            return 404, {"error_code": 40402, "message": "Version not found."}
        number = numbers[place - 1]
        known = {"subject": subject, "version": place, "id": number}
        return 200, known | self.schemas[number - 1]


@contextlib.contextmanager
def registry(user: str | None = None, password: str = "") -> Iterator[Registry]:
    """A registry of its own; it ends with the block."""
    login = None if user is None else base64.b64encode(f"{user}:{password}".encode()).decode()
    known = Registry(login=login)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer("GET", None)

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", "0"))
            self._answer("POST", json.loads(self.rfile.read(length)))

        def _answer(self, method: str, body: Any) -> None:
            known.requests.append(f"{method} {self.path}")
            status, answer = known.answer(method, re.sub(r"\?.*", "", self.path), body)
            if known.login and self.headers.get("Authorization") != f"Basic {known.login}":
                status, answer = 401, {"error_code": 401, "message": "Unauthorized"}
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        known.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield known
        finally:
            server.shutdown()
            thread.join()
