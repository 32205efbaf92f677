"""Schemas that a compile looks up: in files beside the query, and at a registry."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from compiler.bind.sources.schemas import LookupFailedError

PATIENCE_S = 10


@dataclass(frozen=True)
class FoundSchemas:
    """Those that a query in a folder finds."""

    folder: Path

    def file(self, path: str) -> str:
        """The text of a file, relative paths from the folder of the query."""
        try:
            return self.binary(path).decode()
        except UnicodeDecodeError as error:
            raise LookupFailedError(f"the schema {path} is no text: {error}") from None

    def binary(self, path: str) -> bytes:
        """The bytes of such a file."""
        try:
            return (self.folder / path).read_bytes()
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise LookupFailedError(f"the schema {path} cannot be read: {why}") from None

    def latest(self, url: str, login: tuple[str, str] | None, subject: str) -> str:
        """The latest schema of a subject, by Confluent's protocol."""
        import urllib.error  # noqa: PLC0415  most queries ask nobody
        import urllib.request  # noqa: PLC0415

        given = urlsplit(url.rstrip("/"))
        if given.scheme not in ("http", "https"):
            raise LookupFailedError(f"{url} is no address of a schema registry: http://…")
        shown = given._replace(netloc=given.netloc.rpartition("@")[2]).geturl()
        if login is None and given.username is not None:
            login = given.username, given.password or ""
        request = urllib.request.Request(
            f"{shown}/subjects/{quote(subject, safe='')}/versions/latest",
            headers={"Accept": "application/vnd.schemaregistry.v1+json"},
        )
        if login is not None:
            word = base64.b64encode(":".join(login).encode()).decode()
            request.add_header("Authorization", f"Basic {word}")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                found = json.loads(answer.read())
                if found.get("schemaType", "AVRO") != "AVRO":
                    raise LookupFailedError(
                        f"the schema of {subject} is {found['schemaType']}, not AVRO"
                    )
                return str(found["schema"])
        except urllib.error.HTTPError as error:
            raise LookupFailedError(
                f"the schema registry {shown} has no schema of {subject} for us: "
                f"{error.reason} ({error.code})"
            ) from None
        except (OSError, ValueError, KeyError) as error:
            raise LookupFailedError(
                f"the schema registry {shown} does not answer: {error}"
            ) from None
