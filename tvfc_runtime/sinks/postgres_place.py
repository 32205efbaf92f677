"""Where a table of Postgres is, and a connection to its database."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from tvfc_runtime.rows.sql_text import quoted
from tvfc_runtime.sinks.errors import SinkError

Database = Any
"""A connection of ADBC's; statements up to a commit are one transaction."""

_PARAMETERS = {
    "host": "host",
    "port": "port",
    "database": "dbname",
    "user": "user",
    "password": "password",
    "sslmode": "sslmode",
    "sslrootcert": "sslrootcert",
}
"""Options by what Postgres calls them in a URL."""

LONGEST_NAME = 63

_NAME = r'"(?:[^"]|"")+"|[^".]+'


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a table is.

    Attributes:
        url: of the database; it may hold a password, and is never shown.
        schema: the schema; None: the first one of the search path.
        table: its name.
    """

    url: str = field(repr=False)
    schema: str | None
    table: str

    @classmethod
    def of(cls, what: str, name: str, options: Mapping[str, str]) -> Place:
        """The place that OPTIONS name.

        Args:
            what: who has the options, for messages.
            name: the table if there is no `table`.
            options: `url`, or `host`, `port`, `database`, `user`, `password`; `table`.

        Raises:
            SinkError: the table's name is none.
        """
        parts = _names(options.get("table", name))
        if not 1 <= len(parts) <= 2 or "\0" in "".join(parts):
            given = options.get("table", name)
            raise SinkError(f"TVF707: {what}: {given!r} names no table: 'table' or 'schema.table'")
        refuse_long_names(what, parts)
        *schema, table = parts
        return cls(url=_url(what, options), schema=schema[0] if schema else None, table=table)

    @property
    def named(self) -> str:
        """The table, as SQL."""
        return ".".join(map(quoted, filter(None, (self.schema, self.table))))

    @contextmanager
    def connected(self, what: str) -> Iterator[Database]:
        """A connection; what is not committed when the block ends is gone.

        Raises:
            SinkError: there is no such database, or it refuses a statement.
        """
        try:
            import adbc_driver_postgresql.dbapi as driver  # noqa: PLC0415  an extra
        except ImportError as error:
            raise SinkError(
                f"TVF707: {what}: Postgres needs a package more: pip install 'tvfc[postgres]'"
            ) from error
        try:
            database = driver.connect(self.url)
            try:
                yield database
            finally:
                database.close()
        except driver.Error as error:
            # Without the cause: the driver's own text may have the URL in it.
            text = shown(str(error), self.url)
            raise SinkError(f"TVF707: {what}: Postgres says: {text}") from None


def refuse_long_names(what: str, names: Iterable[str]) -> None:
    """See that names are not those that Postgres would cut off in silence.

    Raises:
        SinkError: one is.
    """
    for name in names:
        if len(name.encode()) > LONGEST_NAME or "\0" in name:
            raise SinkError(
                f"TVF707: {what}: {name!r} is no name for Postgres, which has up to {LONGEST_NAME} "
                "bytes; give another with AS or table"
            )


def _names(text: str) -> list[str]:
    """The parts of `schema.table`; a part in double quotes may have a dot."""
    if not re.fullmatch(rf"(?:{_NAME})(?:\.(?:{_NAME}))*", text):
        return []
    parts = re.findall(_NAME, text)
    return [part[1:-1].replace('""', '"') if part[0] == '"' else part for part in parts]


def _url(what: str, options: Mapping[str, str]) -> str:
    url = options.get("url", "postgresql://")
    if not url.startswith(("postgresql://", "postgres://")):
        raise SinkError(f"TVF707: {what}: the url of a Postgres begins with postgresql://")
    _refuse_unescaped(what, url)
    given = [(own, options[name]) for name, own in _PARAMETERS.items() if name in options]
    more = "&".join(f"{name}={quote(value, safe='')}" for name, value in given)
    return f"{url}{'&' if '?' in url else '?'}{more}" if more else url


def _refuse_unescaped(what: str, url: str) -> None:
    """See that everybody finds the same end of the password in a URL.

    Postgres ends it at the first @, and would take the rest for the name of a host, and show it.

    Raises:
        SinkError: there is an @ that ends no password.
    """
    _, _, rest = url.partition("://")
    server, *more = re.split(r"[/?#]", rest)
    if server.count("@") > 1 or "@" in "".join(more):
        raise SinkError(
            f"TVF707: {what}: the url has an @ that is not the end of user and password; write "
            "%40 for it, %2F for / and %3F for ?, or give the password as an option of its own"
        )


def shown(text: str, url: str) -> str:
    """A text of the driver's without what is secret."""
    text = text.replace(url, "the url")
    parts = urlsplit(url)
    secrets = [unquote(parts.password or ""), parts.password or ""]
    _, colon, port = parts.netloc.rpartition("@")[2].rpartition(":")
    if colon and not port.isdecimal() and not port.endswith("]"):
        # user:password without a host.
        secrets += [port]
    secrets += [value for key, value in re.findall(r"(password)=([^&]*)", parts.query)]
    for secret in filter(None, (*secrets, *map(unquote, secrets))):
        text = text.replace(secret, "***")
    return " ".join(text.split())
