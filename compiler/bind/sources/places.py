"""What OPTIONS of a source say beside where its rows come from, and sinks in a source's folder."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from fnmatch import fnmatchcase

from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import Output, Plan, Scan, Sink, Source, UnionAll, children, walk

_BAD_ROWS = ("drop", "fail")


def check_bad_row_options(source: Source, problems: Problems) -> None:
    """See that `badRows` and `maxBadRows` have a meaning."""
    for key, value in source.options:
        name = key.lower()
        wrong = (name == "badrows" and value.lower() not in _BAD_ROWS) or (
            name == "maxbadrows" and not (value.isascii() and value.isdigit())
        )
        if wrong:
            problems.add(
                "TVF615",
                f"`{key}` of `{source.name}` cannot be `{value}`",
                source.span,
                "so declared",
                advice="badRows is 'drop' or 'fail'"
                if name == "badrows"
                else "maxBadRows is a number of rows, such as '100'",
            )


def refuse_sinks_in_sources(
    sinks: Sequence[Sink], sources: Sequence[Source], problems: Problems
) -> None:
    """A job would read what it has written."""
    for sink in sinks:
        place = _path(sink)
        if place is None:
            continue
        for source in sources:
            folder = _path(source)
            if folder is not None and not source.static and _is_within(place, folder):
                problems.add(
                    "TVF616",
                    f"`{sink.name}` writes where `{source.name}` reads",
                    sink.span,
                    f"into {'/'.join(place) or '/'}",
                    more=[(source.span, f"reads all files below {'/'.join(folder) or '/'}")],
                    advice="give the sink a folder beside that of the source",
                )


def refuse_shared_files_that_go(outputs: Sequence[Output], problems: Problems) -> None:
    """A file that one reader has removed may be one that another has not read yet.

    Each streaming query lists the files of a source for itself, and so does each side of a join;
    only the parts of a UNION ALL read together.
    """
    queries: dict[str, list[Plan]] = {}
    for output in outputs:
        queries.setdefault(output.beside or output.sink.name, []).append(output.plan)
    together = [UnionAll(inputs=tuple(plans)) for plans in queries.values()]
    read = [{each.source for each in walk(plan) if isinstance(each, Scan)} for plan in together]
    sources = dict.fromkeys(source for each in read for source in each)
    for source in filter(_removes_files, sources):
        readers = [plan for plan, names in zip(together, read, strict=True) if source in names]
        beside = (each for each in sources if each != source and _path(each) == _path(source))
        if len(readers) > 1 or _joins(readers[0], source) or (_path(source) and any(beside)):
            problems.add(
                "TVF617",
                f"files of `{source.name}` would be removed before all of the script has read them",
                source.span,
                "read more than once",
                advice="leave cleanSource out, and remove old files when all have read them",
            )


def _removes_files(source: Source) -> bool:
    return any(
        key.lower() == "cleansource" and value.lower() != "off" for key, value in source.options
    )


def _joins(node: Plan, source: Source) -> bool:
    """Whether two sides of a join read a source."""

    def reads(below: Plan) -> bool:
        return any(isinstance(each, Scan) and each.source == source for each in walk(below))

    return any(
        sum(map(reads, children(each))) > 1 for each in walk(node) if not isinstance(each, UnionAll)
    )


def _path(place: Sink | Source) -> tuple[str, ...] | None:
    """The folders of a path; None: there is none, or none of files."""
    path = next((value for key, value in place.options if key.lower() == "path"), None)
    if path is None or place.format in ("sqlite", "kafka"):
        return None
    path = path.removeprefix("file://").removeprefix("file:")
    return tuple(posixpath.normpath(path).split("/"))


def _is_within(place: tuple[str, ...], folder: tuple[str, ...]) -> bool:
    """Whether a source that reads a folder, or a pattern of folders, finds what is in a place."""
    if folder == (".",):
        rest = place if place[0] not in ("", "..") else None
    else:
        above = place[: len(folder)]
        found = len(above) == len(folder) and all(map(fnmatchcase, above, folder))
        rest = place[len(folder) :] if found else None
    # Spark passes over what begins so.
    return rest is not None and not any(each.startswith(("_", ".")) for each in rest if each != ".")
