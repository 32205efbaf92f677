"""AST -> typed logical plan.

In order of flow: `from_ast.py` statements, `declare.py` sources, `queries.py` with `joins.py`,
`select_list.py` and `static.py` queries, `scope.py` names, `expressions.py` expressions,
`conditions.py` and `clock.py` conditions that read the clock. `nodes.py`, `exprs.py` and
`predicates.py` are the data; `properties.py` derives facts of it, `explain.py` shows it;
`refusals.py` and `warnings.py` say what is not done, `problems.py` collects faults.
"""
