"""Query files: reading, compiling, and showing what is wrong with them."""

from __future__ import annotations

import codecs
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commands.schemas import FoundSchemas
from compiler import CompileError, compile_script
from compiler.diagnostics import render
from compiler.escapes import visible
from compiler.source import SourceText
from compiler.syntax import ParameterError, with_parameters

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compiler import Job
    from compiler.diagnostics import Diagnostic

QUERY = click.Path(exists=True, dir_okay=False, path_type=Path)
"""A query file as an argument; one that is not there is a usage error."""


_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class QueryFault(click.ClickException):
    """A query is at fault, exit status 1; its diagnostics are its message."""

    def __init__(self, diagnostics: Iterable[Diagnostic], source: SourceText) -> None:
        self.diagnostics = tuple(diagnostics)
        self.source = source
        super().__init__("the query is at fault")

    def show(self, file: object = None) -> None:  # noqa: ARG002
        """Print the diagnostics to stderr."""
        show_diagnostics(self.diagnostics, self.source)


def read_query(path: Path) -> SourceText:
    """The text of a query file."""
    content = path.read_bytes()
    try:
        # With its own line ends: one in a string is part of a value.
        return SourceText(str(path), content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        what = "UTF-16 text" if content.startswith(_UTF_16) else f"not UTF-8 text: {error}"
        raise click.ClickException(f"{visible(str(path))} is {what}; save it as UTF-8") from None


class WarningFault(click.ClickException):
    """A query draws warnings, and is to draw none; exit status 1."""


STRICT = click.option("--strict", is_flag=True, help="Take warnings for errors.")


PARAMETERS = click.option(
    "--param",
    "parameters",
    metavar="NAME=LITERAL",
    multiple=True,
    help="A value for :NAME in the query, such as n=5 or \"city='Berlin'\".",
)


def parameter_values(texts: Iterable[str]) -> dict[str, str]:
    """The literals that are given for parameters, by name."""
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise click.UsageError(f"--param takes NAME=LITERAL, not {visible(text)}")
        if name in values:
            raise click.UsageError(f"--param {name} is given twice")
        values[name] = value
    return values


def filled_in(source: SourceText, parameters: Iterable[str]) -> SourceText:
    """A query with values for its parameters; one that it does not have is a usage error."""
    values = parameter_values(parameters)
    try:
        filled, found = with_parameters(source, values)
    except ParameterError as error:
        raise click.UsageError(visible(str(error))) from None
    for name in sorted(values.keys() - found):
        other = re.search(rf":({name})\b", source.text, re.IGNORECASE)
        near = f"; it has :{other[1]}, and upper and lower case are told apart" if other else ""
        raise click.UsageError(f"the query has no parameter :{name}{near}")
    return filled


def compile_file(
    path: Path, folder: Path, *, strict: bool = False, parameters: Iterable[str] = ()
) -> Job:
    """Compile a query file for a job that lies in `folder`; warnings go to stderr.

    Raises:
        QueryFault: the query is at fault.
        WarningFault: there are warnings, and it is `strict`.
    """
    source = filled_in(read_query(path), parameters)
    to_query = os.path.relpath(path.resolve().parent, folder.resolve())
    try:
        job = compile_script(
            source,
            job_to_query=Path(to_query).as_posix(),
            schemas=FoundSchemas(path.resolve().parent),
        )
    except CompileError as error:
        raise QueryFault(error.diagnostics, source) from None
    show_diagnostics(job.warnings, source)
    if strict and job.warnings:
        raise WarningFault(f"{len(job.warnings)} warnings under --strict")
    return job


def output_folder(path: Path, chosen: Path | None) -> Path:
    """Where the job of a query file goes."""
    return chosen if chosen is not None else Path("build") / path.stem


def show_diagnostics(diagnostics: Iterable[Diagnostic], source: SourceText) -> None:
    """Print diagnostics to stderr, in colour if that is a terminal."""
    for diagnostic in diagnostics:
        click.echo(_coloured(render(diagnostic, source)), err=True)


def _coloured(text: str) -> str:
    """The headline and the markers stand out; click drops colour where there is no terminal."""
    colour = "yellow" if text.startswith("warning") else "red"
    head, _, rest = text.partition("\n")
    marked = re.sub(
        r"^( *\d* \| *)(\^+.*)$",
        lambda found: found[1] + click.style(found[2], fg=colour),
        rest,
        flags=re.MULTILINE,
    )
    helped = re.sub(
        r"^( *= (?:help|note): )",
        lambda found: click.style(found[1], bold=True),
        marked,
        flags=re.MULTILINE,
    )
    return f"{click.style(head, fg=colour, bold=True)}\n{helped}"
