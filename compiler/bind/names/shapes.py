"""Questions to the AST of a query, answered without names or types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sqlglot import exp

from compiler.bind.names.scope import Relation
from compiler.memo import remembered
from compiler.syntax.nodes import RELATION_NODES, MzNow, StreamRelation, WatermarkTs


def operands(node: exp.SetOperation) -> list[exp.Expression]:
    """The sides of a set operation, in order; of a chain of UNION ALL all of them."""
    found: list[exp.Expression] = []
    stack: list[exp.Expression] = [node]
    while stack:
        each = stack.pop()
        is_plain = not each.args.get("with_") and not each.args.get("distinct")
        if each is node or (isinstance(each, exp.Union) and is_plain):
            stack.extend((each.expression, each.this))
        else:
            found.append(each)
    return found


def subqueries(node: exp.Expression | None) -> list[exp.Expression]:
    """The outermost queries inside an expression."""
    found: list[exp.Expression] = []
    stack = [] if node is None else [node]
    while stack:
        each = stack.pop()
        if isinstance(each, exp.Query):
            found.append(each)
        else:
            stack.extend(each.iter_expressions(reverse=True))
    return found


_ELSEWHERE = frozenset({"from_", "joins", "with_", "laterals", "kind", "hint", "limit", "offset"})


def clauses(node: exp.Select) -> list[exp.Expression]:
    """The parts of a SELECT in which expressions stand."""
    joins = [each.args.get("on") for each in node.args.get("joins") or ()]
    found: list[object] = list(joins)
    for key, value in node.args.items():
        if key not in _ELSEWHERE:
            found += value if isinstance(value, list) else [value]
    return [each for each in found if isinstance(each, exp.Expression)]


def free_columns(query: exp.Expression, names: Mapping[str, Relation]) -> list[exp.Column]:
    """The columns in a subquery that it does not read itself.

    A qualifier is of a relation in FROM of the query that it stands in, or of one around that. Of
    names without one it is known which relations have them, but for those of subqueries in FROM:
    whatever is called so in these is theirs.

    Args:
        query: the subquery.
        names: the relations that it may read, by casefolded name.
    """
    own = {each.alias.lower() for each in query.find_all(exp.Alias)}
    for table in query.find_all(exp.Table):
        relation = names.get(table.name.lower())
        own |= {each.name.lower() for each in relation.columns} if relation is not None else set()
    for each in (*query.find_all(exp.TableAlias), *query.find_all(exp.Lambda)):
        own |= {one.name.lower() for one in (*each.args.get("columns", ()), *each.expressions)}
    return [
        column
        for column in query.find_all(exp.Column)
        if column.parts[0].name.lower() not in own
        and (len(column.parts) == 1 or not _is_of_relation(column, query))
    ]


def _is_of_relation(column: exp.Column, query: exp.Expression) -> bool:
    """Whether a column is qualified by a relation of the query it is in, up to a given one."""
    qualifier = column.parts[0].name.lower()
    around: exp.Expr | None = column
    while around is not None:
        if isinstance(around, exp.Select) and qualifier in _relations_of(around):
            return True
        if around is query:
            return False
        around = around.parent
    return False


@remembered
def _relations_of(select: exp.Select) -> frozenset[str]:
    """What columns of a SELECT may be qualified by, in small letters."""
    found: set[str] = set()
    clauses = (select.args.get("from_"), *(select.args.get("joins") or ()))
    stack: list[exp.Expr] = [each for each in clauses if each is not None]
    stack += select.args.get("laterals") or ()
    while stack:
        each = stack.pop()
        if isinstance(each, exp.Table | exp.TableAlias):
            found.add((each.alias_or_name if isinstance(each, exp.Table) else each.name).lower())
        if not isinstance(each, exp.Select | exp.SetOperation):
            stack.extend(each.iter_expressions())
    return frozenset(found)


def own_parts(query: exp.Expression, *kinds: type[exp.Expr]) -> Iterator[exp.Expression]:
    """Parts of a query of some kinds; of a SELECT inside it, that itself and nothing of it."""

    def is_inside(each: exp.Expr) -> bool:
        return each is not query and isinstance(each, exp.Select)

    for each in query.walk(prune=is_inside):
        if each is not query and isinstance(each, kinds) and isinstance(each, exp.Expression):
            yield each


@remembered
def tables_in(query: exp.Expression) -> tuple[exp.Expression, ...]:
    """All names in the FROM clauses of a query and of those inside it."""
    found: list[exp.Expression] = []
    for each in own_parts(query, exp.Table, exp.Select):
        found.extend(tables_in(each) if isinstance(each, exp.Select) else (each,))
    return tuple(found)


@remembered
def reads_time(query: exp.Expression) -> bool:
    """Whether a query, or one inside it, reads a clock or a relation that a watermark makes."""
    parts = own_parts(query, WatermarkTs, MzNow, *RELATION_NODES, exp.Select)
    return any(reads_time(each) if isinstance(each, exp.Select) else True for each in parts)


def names_own_cte(table: exp.Expression, query: exp.Expression) -> bool:
    """Whether a name in FROM is that of a CTE of `query` or of a query in it.

    A CTE is visible to those behind it, not to itself: `WITH t AS (SELECT * FROM t)`.
    """
    inside: exp.Expr = table
    around: exp.Expr | None = table.parent
    while around is not None:
        ctes = around.expressions if isinstance(around, exp.With) else []
        clause = around.args.get("with_")
        if clause is not None and clause is not inside:
            ctes = clause.expressions
        for cte in ctes:
            if cte is inside:
                break
            if cte.alias.lower() == table.name.lower():
                return True
        if around is query:
            break
        inside, around = around, around.parent
    return False


def is_qualified(node: exp.Select, alias: str) -> bool:
    """Whether a column of a query, or of a subquery in it, is qualified by an alias."""
    columns = [each for each in node.find_all(exp.Column) if len(each.parts) > 1]
    return any(each.parts[0].name.lower() == alias.lower() for each in columns)


def unwrapped(node: StreamRelation) -> exp.Expression:
    """`STREAM t AS a` is `t AS a`."""
    inner: exp.Expression = node.this
    if node.args.get("alias") and isinstance(inner, exp.Expression):
        inner.set("alias", node.args["alias"])
    return inner


GENERATORS = frozenset({"explode", "posexplode", "inline", "stack", "json_tuple"})
"""Functions that make rows, some of them also with `_outer` behind their name."""


def is_generator(call: exp.Expr) -> bool:
    """Whether a call makes several rows of one."""
    name = call.name if isinstance(call, exp.Anonymous) else call.key
    return name.lower().lstrip("_").removesuffix("outer").rstrip("_") in GENERATORS


def without_parentheses(
    first: exp.Expression, joins: Iterable[exp.Join]
) -> tuple[exp.Expression, list[exp.Join]]:
    """The first relation of FROM and the joins: `(a JOIN b) JOIN c` is `a JOIN b JOIN c`.

    Args:
        first: what stands first in FROM.
        joins: those behind it.
    """
    found = [*(first.args.get("joins") or ()), *joins]
    while isinstance(first, exp.Subquery) and not first.alias:
        inner = first.this
        is_query = isinstance(inner, exp.Select | exp.SetOperation)
        if not isinstance(inner, exp.Subquery) and (is_query or not inner.args.get("joins")):
            break
        first = inner
        found = [*(first.args.get("joins") or ()), *found]
    return first, found


def unaliased(item: exp.Expression) -> exp.Expression:
    """An item of a SELECT list without its name."""
    inner = item.this if isinstance(item, exp.Alias) else item
    assert isinstance(inner, exp.Expression)
    return inner
