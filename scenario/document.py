"""What a document of a scenario file may say; pydantic checks it, and knows where it is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator
from pydantic_core import PydanticCustomError

from scenario import model


def _is(allowed: Callable[[Any], bool], wanted: str) -> BeforeValidator:
    """A check whose message says what to write."""

    def check(value: Any) -> Any:
        if allowed(value):
            return value
        raise PydanticCustomError("scenario", "{wanted}", {"wanted": f"{wanted}, not {value!r}"})

    return BeforeValidator(check)


def _kind(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: type(value) in kinds


_ROWS = "write a list of rows, each a list or a mapping: [[1, a]]"

Text = Annotated[str, _is(lambda value: _kind(str)(value) and value.strip(), "write a text")]
Row = Annotated[Any, _is(_kind(list, dict), _ROWS)]
Rows = Annotated[list[Row], _is(_kind(list), _ROWS)]
RowsByName = Annotated[
    dict[str, Rows], _is(_kind(dict), "write a mapping from name to rows: {name: [[1, a]]}")
]
Flag = Annotated[bool, _is(_kind(bool), "write true or false")]
NumberOfRows = Annotated[
    int, _is(lambda value: _kind(int)(value) and value >= 0, "write a number of rows")
]
Code = Annotated[
    str,
    _is(
        lambda value: _kind(str)(value) and value.startswith("TVF"),
        "write a code, such as TVF301 or TVFW401",
    ),
]
Literal = Annotated[
    str,
    # Validators that come before run from the last one on.
    BeforeValidator(lambda value: str(value).upper() if isinstance(value, bool) else str(value)),
    _is(_kind(str, int, bool), "write a literal of SQL, such as 5 or \"'Berlin'\""),
]


Expectation = Annotated[
    dict[str | None, Rows],
    # Rows of the only output stand under None.
    BeforeValidator(lambda value: {None: value} if isinstance(value, list) else value),
    _is(_kind(list, dict), "write a list of rows, or a mapping from sink to rows"),
]


class Step(BaseModel):
    """A step; what is none of its keys is a source, and its rows."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Rows]

    rows: RowsByName = {}
    now: Any = None
    restart: Flag = False
    expect: Expectation | None = None
    snapshot: Expectation | None = None
    late: RowsByName | None = None
    bad: RowsByName | None = None
    state_rows: NumberOfRows | None = None
    never_due: NumberOfRows | None = None
    without_time: NumberOfRows | None = None

    @model_validator(mode="after")
    def _fits(self) -> Step:
        if self.restart and len(self.model_fields_set) > 1:
            raise PydanticCustomError("scenario", "`restart: true` stands alone in its step")
        twice = self.rows.keys() & self.__pydantic_extra__.keys()
        if twice:
            raise PydanticCustomError(
                "scenario",
                "`{name}` stands both under `rows` and beside it",
                {"name": min(twice)},
            )
        return self

    def step(self, number: int) -> model.Step:
        """As the runner takes it; the first step has number 1."""
        told = {name: getattr(self, name) for name in type(self).model_fields}
        return model.Step(
            number=number, **{**told, "rows": {**self.__pydantic_extra__, **self.rows}}
        )


STEP_KEYS = tuple(Step.model_fields)
"""What cannot be the name of a source there."""


class Document(BaseModel):
    """A scenario as it is written."""

    model_config = ConfigDict(extra="forbid")

    title: Text
    query: Text
    params: dict[str, Literal] = {}
    steps: Annotated[
        list[Annotated[Step, _is(_kind(dict), "write a mapping")]],
        _is(_kind(list), "write a list of mappings, one a step"),
    ] = []
    tables: RowsByName = {}
    error: Code = ""
    warnings: Annotated[
        list[Code], _is(_kind(list), "write a list of codes, such as [TVFW401]")
    ] = []
    ordered: Flag = False
    splits: Annotated[str, _is("invariant".__eq__, "write `invariant`, or leave it out")] = ""

    @model_validator(mode="after")
    def _fits(self) -> Document:
        if ("steps" in self.model_fields_set) == ("error" in self.model_fields_set):
            raise PydanticCustomError("scenario", "write either `steps` or `error`")
        return self

    def scenario(self, path: Path) -> model.Scenario:
        """As the runner takes it."""
        return model.Scenario(
            path=path,
            title=self.title,
            query=self.query,
            steps=tuple(step.step(number) for number, step in enumerate(self.steps, start=1)),
            tables=self.tables,
            error=self.error or None,
            warnings=tuple(self.warnings),
            ordered=self.ordered,
            invariant=bool(self.splits),
            parameters=self.params,
        )
