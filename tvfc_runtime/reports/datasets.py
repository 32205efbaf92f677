"""What OpenLineage calls the sources, tables and sinks of a job, by its conventions for names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from tvfc_runtime.sinks.files import FILE_FORMATS

POSTGRES_PORT = 5432


class Dataset(NamedTuple):
    """A dataset: where it lies, and what it is called there. Neither holds a password."""

    namespace: str
    name: str


def dataset_of(name: str, form: str | None, options: Mapping[str, str]) -> Dataset:
    """The dataset of a source or sink.

    Args:
        name: as the query has it, for formats that say nothing better.
        form: its format.
        options: as they are in this run.
    """
    given = {key.lower(): value for key, value in options.items()}
    kind = (form or "").lower()
    if kind == "kafka":
        server = given.get("kafka.bootstrap.servers", "").split(",")[0].strip()
        topics = (given.get(key) for key in ("topic", "subscribe", "subscribepattern"))
        return Dataset(f"kafka://{server}", next(filter(None, topics), name))
    if kind == "postgres":
        return _of_postgres(name, given)
    if kind == "iceberg" and "table" in given:
        return Dataset(f"iceberg://{given.get('catalog', 'default')}", given["table"])
    if "path" in given:
        place = _of_path(given["path"])
        if kind in (*FILE_FORMATS, "delta", "iceberg"):
            return place
        # A file of a database, with several tables.
        return Dataset(f"{kind}://{place.name}", given.get("table", name))
    return Dataset(f"tvfc://{kind or 'query'}", name)


def _of_path(path: str) -> Dataset:
    parts = urlsplit(path)
    if parts.scheme in ("", "file"):
        plain = unquote(parts.path) if parts.scheme else path
        # Links stay as they are: to other tools the dataset is what it is called.
        return Dataset("file", os.path.normpath(Path(plain).absolute()))
    host = parts.netloc.rpartition("@")[2]
    return Dataset(f"{parts.scheme}://{host}", parts.path.strip("/") or "/")


def _of_postgres(name: str, given: Mapping[str, str]) -> Dataset:
    parts = urlsplit(given.get("url", ""))
    host = parts.hostname or given.get("host", "localhost")
    port = parts.port or given.get("port", POSTGRES_PORT)
    database = parts.path.strip("/") or given.get("database", "postgres")
    table = given.get("table", name)
    whole = table if "." in table else f"public.{table}"
    return Dataset(f"postgres://{host}:{port}", f"{database}.{whole}")
