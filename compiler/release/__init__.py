"""Plan -> release plan: when is each row in the result?

`from_plan.py` plans to steps, with the rules of `lowering/`; `nodes/` and `patterns.py` the
steps, `reading.py` which of them read which; `check.py` ends a compile whose plan cannot be carried
out; `passes/` release plan to release plan; `state/` what a job keeps, as a text that a later
compile can compare.
"""
