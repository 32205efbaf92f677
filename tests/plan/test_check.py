"""Plans that cannot be end a compile, with the name of the pass that made them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from compiler.diagnostics import InternalError
from compiler.plan.check import check_program
from compiler.plan.nodes import (
    Alias,
    Call,
    Column,
    Filled,
    Filling,
    Named,
    Output,
    Plan,
    Program,
    Project,
    Scan,
    Sink,
    SortKey,
    Source,
    Top,
    Totals,
    UnionAll,
    Windows,
)
from compiler.plan.nodes import Item as PlanItem
from compiler.release.check import check_job
from compiler.release.nodes import (
    Carries,
    CountedRows,
    Grouped,
    Input,
    Lower,
    Read,
    ReleaseJob,
    Rule,
    Step,
    Totaled,
)
from compiler.release.nodes import Output as JobOutput
from compiler.sql.exprs import Expr
from compiler.sqltypes import Kind, SqlType

NUMBER = SqlType(Kind.NUMBER, "INT")
SCAN = Scan(
    source=Source(
        name="s",
        columns=(Column(name="id", type=NUMBER), Column(name="v", type=NUMBER)),
        format=None,
        options=(),
        watermark=None,
        static=False,
    )
)
COUNT = Call(name="n", function="count")
TOTALS = Totals(input=SCAN, keys=("id",), calls=(COUNT,))
SINK = Sink(name="out", format=None, options=())


def of(plan: Plan, beside: str | None = None) -> Program:
    return Program(sources=(SCAN.source,), outputs=(Output(sink=SINK, plan=plan, beside=beside),))


def top(input_: Plan, *, by: str) -> Top:
    key = SortKey(column=by, descending=False, nulls_first=True)
    return Top(input=input_, partition=("ID",), order=(key,), limit=3)


def filled(input_: Plan) -> Filled:
    return Filled(
        input=input_,
        keys=("id",),
        starts=None,
        ends=None,
        values=("n",),
        how=Filling.ZERO,
        size=timedelta(minutes=1),
        later=timedelta(0),
        silence=None,
    )


@pytest.mark.parametrize("plan", [SCAN, TOTALS, top(SCAN, by="`v`"), top(TOTALS, by="n")])
def test_plans_that_can_be(plan: Plan) -> None:
    check_program(of(plan), "made")


@pytest.mark.parametrize(
    ("plan", "fault"),
    [
        (replace(TOTALS, keys=("k",)), "no column k in Scan"),
        (replace(TOTALS, calls=(replace(COUNT, arguments=("w",)),)), "no column w in Scan"),
        (top(TOTALS, by="v"), "no column v in Totals"),
        (filled(TOTALS), "Filled of rows that come and go"),
        (
            Windows(input=TOTALS, kind="session", time="ts", sizes=()),
            "sessions of rows that come and go",
        ),
        (
            UnionAll(
                inputs=(SCAN, Project(input=SCAN, items=(PlanItem(expr=Expr(sql="1"), name="x"),)))
            ),
            "inputs of UnionAll differ in width",
        ),
    ],
)
def test_plans_that_cannot_be(plan: Plan, fault: str) -> None:
    with pytest.raises(InternalError, match=f"^made, plan of out: {fault}$"):
        check_program(of(plan), "made")


def test_no_node_is_its_own_input() -> None:
    inner = Alias(name="x", input=SCAN)
    outer = Named(name="y", input=inner)
    check_program(of(UnionAll(inputs=(outer, outer))), "made")
    object.__setattr__(inner, "input", outer)
    with pytest.raises(InternalError, match="its own input"):
        check_program(of(outer), "made")


def test_a_query_that_another_one_writes() -> None:
    with pytest.raises(InternalError, match="nothing is written by the query of other"):
        check_program(of(SCAN, beside="other"), "made")


READ = Read(name="s", source="s", fields=(), format=None, options=(), static=False)
ROWS = Input(step="s", alias=None)


def counted(input_: Input) -> Totaled:
    return Totaled(name="totals", input=input_, keys=(), calls=())


def grouped(input_: Input) -> Grouped:
    closes = Lower(bound="ts", strict=False, is_timestamp=True)
    return Grouped(name="groups", input=input_, items=(), group=("id",), having=None, closes=closes)


def job_of(*steps: Step, carries: Carries) -> ReleaseJob:
    output = JobOutput(
        name="out", step=steps[-1].name, carries=carries, emitted=(), format="x", options=()
    )
    return ReleaseJob(steps=steps, outputs=(output,))


@pytest.mark.parametrize(
    ("steps", "carries", "fault"),
    [
        ([READ, READ], Carries.NOTHING, "step s: there are two of the name"),
        ([counted(ROWS), READ], Carries.NOTHING, "step totals: s does not come before it"),
        (
            [
                READ,
                CountedRows(
                    name="own", inputs=(Input(step="own", alias=None),), rule=Rule.DISTINCT
                ),
            ],
            Carries.UPDATES,
            "step own: own does not come before it",
        ),
        (
            [READ, counted(ROWS), grouped(Input(step="totals", alias=None))],
            Carries.NOTHING,
            "step groups: totals carries updates, not nothing",
        ),
        (
            [
                READ,
                counted(ROWS),
                grouped(Input(step="totals", alias=None, carries=Carries.UPDATES)),
            ],
            Carries.NOTHING,
            "step groups: it is given rows of totals that leave again",
        ),
        ([READ, counted(ROWS)], Carries.DUE, "output out: totals is another step"),
    ],
)
def test_release_plans_that_cannot_be(steps: list[Step], carries: Carries, fault: str) -> None:
    with pytest.raises(InternalError, match=f"^made, {fault}$"):
        check_job(job_of(*steps, carries=carries), "made")


def test_a_release_plan_that_can_be() -> None:
    check_job(job_of(READ, counted(ROWS), carries=Carries.UPDATES), "made")
