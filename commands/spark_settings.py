"""`--packages`, `--jars` and `--conf` of `tvfc run` and `tvfc test`."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeAlias

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Settings: TypeAlias = dict[str, str]

_OPTIONS = (
    click.option(
        "--packages",
        metavar="MAVEN",
        multiple=True,
        help="Connectors to fetch, group:name:version each, separated by commas.",
    ),
    click.option(
        "--jars", metavar="FILES", multiple=True, help="Libraries of Java, separated by commas."
    ),
    click.option("--conf", metavar="KEY=VALUE", multiple=True, help="A setting of Spark's."),
)


def with_spark_settings(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command what is to be on Spark's path and set, as its argument `settings`."""

    @wraps(command)
    def called(
        *values: Any,
        packages: tuple[str, ...],
        jars: tuple[str, ...],
        conf: tuple[str, ...],
        **named: Any,
    ) -> Any:
        lists = {"spark.jars.packages": packages, "spark.jars": jars}
        settings = dict(_settings(conf))
        settings |= {key: ",".join(value) for key, value in lists.items() if value}
        return command(*values, settings=settings, **named)

    for each in reversed(_OPTIONS):
        called = each(called)
    return called


def _settings(texts: Iterable[str]) -> Iterable[tuple[str, str]]:
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise click.UsageError("--conf takes KEY=VALUE")
        yield key.strip(), value
