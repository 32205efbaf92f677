"""Passes that change the plans of a program one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from compiler.plan.nodes import Output, Plan, Program, rebuilt


def in_each_plan(program: Program, change: Callable[[Plan], Plan]) -> Program:
    """A program with each node of its plans changed, inputs first."""
    return for_each_output(program, lambda output: with_plan(output, rebuilt(output.plan, change)))


def for_each_output(program: Program, change: Callable[[Output], Output]) -> Program:
    """A program with each of its outputs changed; the same where none of them is another."""
    outputs = tuple(change(each) for each in program.outputs)
    is_same = all(one is other for one, other in zip(program.outputs, outputs, strict=True))
    return program if is_same else replace(program, outputs=outputs)


def with_plan(output: Output, plan: Plan) -> Output:
    """An output of the rows of another plan."""
    return output if plan is output.plan else replace(output, plan=plan)
