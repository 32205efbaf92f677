"""Names, and expressions over them.

`scope.py` the relations of a FROM and their columns, `expressions.py` an expression in a scope,
`columns.py` columns as items, `shapes.py` questions to the AST of a query; `maps.py` and
`collations.py` values that Spark does not compare everywhere; `binder.py` what rooms ask of the one
who binds queries; `refusals.py` what is refused of rows that change.
"""
