"""The query of a checkpoint and the one that is to go on in its place, compiled by this version."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commands.files import compile_file, output_folder
from commands.inside.dry_job import DEPENDS, forms_of
from commands.schemas import FoundSchemas
from compiler import CompileError
from scenario.job_module import load_job
from tvfc_runtime.checkpoint.state import differences
from tvfc_runtime.checkpoint.storage import read_text
from tvfc_runtime.job.program import PROTOCOL, queries_of, query_name
from tvfc_runtime.sources.at_start import AtStart, given_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from compiler import Job
    from tvfc_runtime.checkpoint.state import Part
    from tvfc_runtime.spec.job import JobSpec, Output


class UpgradeError(Exception):
    """A checkpoint cannot be taken over; the message says why, and what to do."""


@dataclass(frozen=True)
class Query:
    """One streaming query of a job.

    Attributes:
        module: the job.
        spec: what it says of itself.
        outputs: those of the query.
        parts: the description of its state.
        places: where what the functions of the job make stands in there.
        depends: whether the job asks for the time or for chance.
        at_start: the options that it is started with.
    """

    module: Any
    spec: JobSpec
    outputs: tuple[Output, ...]
    parts: list[Part]
    places: Mapping[str, int]
    depends: bool
    at_start: AtStart

    @property
    def name(self) -> str:
        """The output that leads it."""
        return query_name(self.outputs)

    @property
    def sources(self) -> dict[str, Part]:
        """The sources that it reads, by name."""
        return {each["name"]: each for each in self.parts if each.get("operator") == "source"}

    def identity(self) -> dict[str, Any]:
        """What `tvfc/query.json` says of it; see Memory.claim."""
        names = "+".join(output.name for output in self.outputs)
        own = {"fingerprint": f"{self.spec.fingerprint}/{names}", "protocol": PROTOCOL}
        return own | {"query": self.spec.query or "", "state": self.parts}


def new_queries(path: Path, parameters: Iterable[str], options: Sequence[str]) -> list[Query]:
    """The queries of a file, each with its own sources.

    Raises:
        QueryFault: the file is at fault.
        StartError: there is no such option.
    """
    folder = output_folder(path, None)
    return _queries(compile_file(path, folder, parameters=parameters), folder, options)


def old_query(place: str, schemas: Path) -> Query:
    """The query that a checkpoint belongs to.

    Args:
        place: the checkpoint.
        schemas: the folder where schemas of records are looked up that it names.

    Raises:
        UpgradeError: this version compiles it to another job, or not at all.
    """
    known = json.loads(read_text(f"{place}/tvfc/query.json"))
    if known.get("protocol") != PROTOCOL or "state" not in known:
        raise UpgradeError(
            f"TVF755: {place} was written by another version of the runtime, or does not say what "
            "it keeps; start the old job once more, compiled by this version, and stop it"
        )
    try:
        for job in forms_of(known, FoundSchemas(schemas)):
            for each in _queries(job, Path("query"), []):
                if not differences(_comparable(known["state"]), _comparable(each.parts)):
                    return replace(each, parts=known["state"])
    except CompileError as error:
        codes = sorted({each.code for each in error.diagnostics})
        raise UpgradeError(
            f"TVF755: the query of {place} does not compile with this version of tvfc "
            f"({', '.join(codes)}); compile and run it as it was until its rows have left"
        ) from None
    raise UpgradeError(
        f"TVF755: this version of tvfc compiles the query of {place} to another job; upgrade with "
        "the version that has compiled it"
    )


def _comparable(parts: list[Part]) -> list[Part]:
    """A description without options, which may have been given otherwise when the job started."""
    return [{k: v for k, v in each.items() if k != "options"} for each in parts]


def _queries(job: Job, folder: Path, options: Sequence[str]) -> list[Query]:
    module = load_job(job.text, folder / "job.py")
    spec = module.JOB
    at_start = AtStart(options=given_options(options, spec))
    states = json.loads(spec.state)
    places = json.loads(job.stages["places"])
    steps = job.text.partition("import tvfc_runtime as tvfc")[2]
    return [
        Query(
            module=module,
            spec=spec,
            outputs=outputs,
            parts=at_start.state(states[query_name(outputs)]),
            places=places[query_name(outputs)],
            depends=bool(DEPENDS.search(_without_proc_time(steps))),
            at_start=at_start,
        )
        for outputs in queries_of(spec)
    ]


def _without_proc_time(steps: str) -> str:
    """The steps of a job, with the time of arrival as a word that counts as a time."""
    return re.sub(r"\b__proc_time\b", "now", steps)
