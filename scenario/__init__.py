"""Scenario files: a query, rows that arrive step by step, and what must come out of each step.

    *.scenario.yaml --load--> Scenario --splits--> runs --engine--> rows a step --check--> report
                      |                               |
                    model                 values, carriers: YAML to typed columns

Files in order of flow: `model.py` what a scenario is; `load.py` YAML to it; `splits.py` the same
rows cut into steps otherwise; `values.py` a YAML value by its column's type, `carriers.py` the same
on Spark's side; `engine.py` a job that is fed step by step; `check.py` and `compare.py` what was
expected against what came; `runner.py` one scenario from end to end; `report.py` lines of text.
"""

from scenario.load import load_file
from scenario.model import Scenario, ScenarioError
from scenario.report import Outcome, outcome_lines, summary_line
from scenario.runner import run_scenario

__all__ = [
    "Outcome",
    "Scenario",
    "ScenarioError",
    "load_file",
    "outcome_lines",
    "run_scenario",
    "summary_line",
]
