"""UNPIVOT: rows once for each of some columns, with its name and its value.

Before   FROM a UNPIVOT (v FOR n IN (x, y AS why))
After    Filter v IS NOT NULL
           Project id, __one.c0 AS n, __one.c1 AS v
             Project id, explode(array(struct('x', x), struct('why', y))) AS __one
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from compiler.bind.joins.pairs import fresh
from compiler.bind.names.columns import column_named, reference
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import OutColumn, Relation, Scope
from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import Alias, Filter, Item, Plan, Project
from compiler.sql.exprs import Expr
from compiler.sql.names import own_name, quoted_name
from compiler.sqltypes import UNKNOWN, Kind, SqlType
from compiler.syntax import span_of


def unpivoted(relation: Relation, node: exp.Pivot, problems: Problems) -> Relation:
    """The rows of a relation, each once for each of the columns that UNPIVOT names."""
    (field,), (value,) = node.args["fields"], node.expressions
    values = [each.name for each in value.expressions] if _is_several(value) else [value.name]
    binder = ExpressionBinder(Scope(problems, [relation]), problems)
    legs = [_leg(each, binder) for each in field.expressions]
    for columns, place in zip(legs, field.expressions, strict=True):
        if len(columns[1]) != len(values):
            problems.add(
                "TVF205",
                f"UNPIVOT has {len(values)} names for {len(columns[1])} columns",
                span_of(place),
                "not as many as there are names",
                advice="name a column for each value",
            )
            return replace(relation, is_open=True)
    gone = {name.lower() for _, each in legs for one in each for name in _names(one)}
    kept = [each for each in relation.columns if each.name.lower() not in gone]
    taken = {each.name.lower() for each in kept}
    one = fresh("__one", taken)
    structs = ", ".join(
        f"struct('{_quoted(name)}' AS c0, "
        + ", ".join(f"{each.sql} AS c{n}" for n, each in enumerate(columns, 1))
        + ")"
        for name, columns in legs
    )
    reads = tuple(dict.fromkeys(name for _, each in legs for part in each for name in part.reads))
    below: Plan = relation.plan
    if relation.alias:
        below = Alias(name=relation.alias, input=below)
    ids = [Item(expr=reference(None, each), name=each.name) for each in kept]
    made = Item(expr=Expr(sql=f"explode(array({structs}))", reads=reads), name=one)
    several = Project(input=below, items=(*ids, made))
    names = [field.this.name, *values]
    kinds = [SqlType(Kind.STRING, "STRING"), *(_kind(legs, n) for n in range(len(values)))]
    items = [column_named(each.name) for each in kept]
    for place, name in enumerate(names):
        sql = f"{quoted_name(one)}.c{place}"
        items.append(Item(expr=Expr(sql=sql, reads=(quoted_name(one),)), name=name))
    plan: Plan = Project(input=several, items=tuple(items))
    if not node.args.get("include_nulls"):
        listed = tuple(map(quoted_name, values))
        sql = " OR ".join(f"{each} IS NOT NULL" for each in listed)
        plan = Filter(input=plan, predicate=Expr(sql=sql, reads=listed))
    made_of = [replace(each, sql=None) for each in kept]
    made_of += [OutColumn(name=n, type=kind) for n, kind in zip(names, kinds, strict=True)]
    return replace(relation, plan=plan, columns=tuple(made_of), has_proc_time=False, again=None)


def _is_several(node: exp.Expression) -> bool:
    return isinstance(node, exp.Tuple)


def _leg(node: exp.Expression, binder: ExpressionBinder) -> tuple[str, list[Expr]]:
    """What one of the columns is called, and its values."""
    source = node.this if isinstance(node, exp.PivotAlias) else node
    parts = list(source.expressions) if _is_several(source) else [source]
    name = node.args["alias"].name if isinstance(node, exp.PivotAlias) else ""
    return name or "_".join(each.name for each in parts), [binder.bind(each) for each in parts]


def _names(value: Expr) -> list[str]:

    return [own_name(each) for each in value.reads]


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _kind(legs: list[tuple[str, list[Expr]]], place: int) -> SqlType:
    """The type of a value, where all columns have one and the same."""
    kinds = {each[place].type for _, each in legs}
    return kinds.pop() if len(kinds) == 1 else UNKNOWN
