"""A schema registry, as Confluent's speaks: schemas by their number, over HTTP.

A record begins with a byte 0 and the number of its schema, four bytes, the greatest first.
"""

from __future__ import annotations

import base64
import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from tvfc_runtime.spec.record_format import RecordFormat

MAGIC = b"\x00"
HEADER = 5
"""Bytes before the payload of a record."""

TRIES = 4
PATIENCE_S = 10
NOT_FOUND = 404
TOO_MANY, FIRST_OF_SERVER = 429, 500
"""Answers that may be others at the next try."""

_TYPE = "application/vnd.schemaregistry.v1+json"


class RegistryError(Exception):
    """The registry does not answer, or refuses."""


class UnknownSchemaError(Exception):
    """The registry has no schema of a number."""


class Registry:
    """A registry; every schema is fetched once."""

    def __init__(self, record: RecordFormat) -> None:
        given = urlsplit((record.option("schema.registry") or "").rstrip("/"))
        # What a message shows has no password.
        self.url = given._replace(netloc=given.netloc.rpartition("@")[2]).geturl()
        user = record.option("schema.registry.username") or given.username
        secret = record.option("schema.registry.password") or given.password or ""
        self._login = (
            None if user is None else base64.b64encode(f"{user}:{secret}".encode()).decode()
        )
        self._schemas: dict[int, Mapping[str, Any] | None] = {}

    def schema(self, number: int) -> Mapping[str, Any]:
        """What the registry says of a schema: `schema`, `schemaType`, `references`.

        Raises:
            UnknownSchemaError: it has none of this number.
            RegistryError: it does not answer.
        """
        if number not in self._schemas:
            self._schemas[number] = self._get(f"/schemas/ids/{number}")
        found = self._schemas[number]
        if found is None:
            # It may come: a producer may be ahead of a copy of the registry.
            del self._schemas[number]
            raise UnknownSchemaError(f"its schema {number} is not in the registry")
        return found

    def version(self, subject: str, version: int | str) -> Mapping[str, Any]:
        """A version of a subject: `schema`, `id`, `references`.

        Raises:
            UnknownSchemaError: there is none.
            RegistryError: the registry does not answer.
        """
        found = self._get(f"/subjects/{quote(subject, safe='')}/versions/{version}")
        if found is None:
            raise UnknownSchemaError(f"the registry has no version {version} of {subject}")
        return found

    def register(self, subject: str, schema: str, kind: str = "AVRO") -> int:
        """The number of a schema; the registry is told of it, if it has not known it.

        Raises:
            RegistryError: the registry refuses it, or does not answer.
        """
        body = {"schema": schema} if kind == "AVRO" else {"schema": schema, "schemaType": kind}
        answer = self._get(f"/subjects/{quote(subject, safe='')}/versions", body)
        if answer is None:
            raise RegistryError(f"TVF751: {self.url} is no schema registry")
        return int(answer["id"])

    def _get(self, path: str, body: Mapping[str, Any] | None = None) -> Mapping[str, Any] | None:
        """The answer to a request; None: there is no such thing."""
        last = ""
        for trial in range(TRIES):
            try:
                return self._ask(path, body)
            except urllib.error.HTTPError as error:
                if error.code == NOT_FOUND:
                    return None
                said = _message(error)
                if error.code != TOO_MANY and error.code < FIRST_OF_SERVER:
                    raise RegistryError(
                        f"TVF751: the schema registry {self.url} refuses {path}: {said}"
                    ) from None
                last = said
            except (OSError, ValueError) as error:
                last = str(error)
            if trial < TRIES - 1:
                time.sleep(0.2 * 4**trial)
        raise RegistryError(f"TVF751: the schema registry {self.url} does not answer: {last}")

    def _ask(self, path: str, body: Mapping[str, Any] | None) -> Mapping[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Accept": _TYPE})
        if data is not None:
            request.add_header("Content-Type", _TYPE)
        if self._login is not None:
            request.add_header("Authorization", f"Basic {self._login}")
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return dict(json.loads(answer.read()))


def _message(error: urllib.error.HTTPError) -> str:
    try:
        return f"{json.loads(error.read())['message']} ({error.code})"
    except (ValueError, KeyError, TypeError, OSError):
        return f"{error.reason} ({error.code})"
