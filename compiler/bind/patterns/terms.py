"""Conditions of DEFINE and values of MEASURES: what of them Spark computes, and what the matcher.

Whatever reads one row alone is a column, computed by Spark before the rows are matched; so what is
left of a condition are values of columns in other rows, and the few operators that put them
together. Of a measure the matcher gives such values, and Spark computes the rest above.

Before   b AS b.price > upper_bound(a.price) AND b.price < PREV(b.price)
After    b AS (price > LAST(a: __match_1)) AND (price < PREV(price)),
         with the column upper_bound(price) AS __match_1
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from compiler.bind.patterns import refusals
from compiler.bind.patterns.pattern import unknown_variable
from compiler.bind.patterns.rows import RefusedError, Rows
from compiler.plan.patterns import Apply, Classifier, Fold, MatchNumber, Measured, Pick, Term
from compiler.sqltypes import UNKNOWN, Kind, SqlType
from compiler.syntax import span_of
from compiler.syntax.nodes import WRITTEN, MatchScope

MOST_ROWS = 100_000
"""How far PREV, NEXT, FIRST and LAST may count."""

MOST_DEPTH = 100
"""How deep a condition over several rows may be."""

FOLDS: dict[type[exp.Expr], str] = {
    exp.Count: "count",
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
}

_OPERATORS: dict[type[exp.Expression], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "<=>",
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
}
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "<=>")


def name_of(node: exp.Expr) -> str:
    """The name of a call, in capitals; of anything else, nothing."""
    if isinstance(node, exp.Anonymous):
        return node.name.upper()
    written = node.meta.get(WRITTEN)
    return str(written.name).upper() if written is not None else ""


PLACES = ("PREV", "NEXT", "FIRST", "LAST")


class Lowering:
    """Turns the expressions of a clause into terms.

    Args:
        rows: the names.
        current: the variable whose condition it is; None: it is a measure.
    """

    def __init__(self, rows: Rows, current: str | None = None) -> None:
        self._rows = rows
        self._problems = rows.problems
        self._current = current

    def condition(self, node: exp.Expression) -> Term:
        """A condition of DEFINE.

        Raises:
            RefusedError: a part is refused.
        """
        self._check(node)
        return self._term(node, 0)

    def measured(self, node: exp.Expression) -> Iterator[tuple[exp.Expression, Measured, SqlType]]:
        """The parts of a measure that the matcher gives: each with its type.

        Raises:
            RefusedError: a part is refused.
        """
        self._check(node)
        stack = [node]
        while stack:
            each = stack.pop()
            found = self._measured(each)
            if found is not None:
                yield each, *found
            else:
                stack.extend(each.iter_expressions())

    def _measured(self, node: exp.Expression) -> tuple[Measured, SqlType] | None:
        name = name_of(node)
        if name == "MATCH_NUMBER":
            return MatchNumber(), SqlType(Kind.NUMBER, "BIGINT")
        if name == "CLASSIFIER":
            if node.expressions:
                refusals.unsupported(node, "CLASSIFIER() of a variable", self._problems)
                raise RefusedError
            return Classifier(), SqlType(Kind.STRING, "STRING")
        if isinstance(node, MatchScope):
            inner = self._one(node.this)
            if inner is None or name_of(node.this) in ("PREV", "NEXT"):
                refusals.scope(node, self._problems)
                raise RefusedError
            return replace(inner, final=node.text("kind") == "FINAL"), self.type_of(inner)
        inner = self._one(node)
        if inner is None and isinstance(node, exp.Column):
            column = self._rows.columns.of(self._rows.binder().bind(node))
            inner = Pick(column=column, of=self._rows.variable(node))
        return None if inner is None else (inner, self.type_of(inner))

    def type_of(self, term: Pick | Fold) -> SqlType:
        """The type of what a term gives, as far as it is known."""
        if isinstance(term, Fold) and term.function == "count":
            return SqlType(Kind.NUMBER, "BIGINT")
        kind = self._rows.columns.types.get(term.column or "", UNKNOWN)
        if isinstance(term, Fold) and term.function in ("sum", "avg"):
            return SqlType(Kind.NUMBER, "")
        return kind

    def _check(self, node: exp.Expression) -> None:
        """What no clause of a MATCH_RECOGNIZE may have in it."""
        if refusals.refuse_parts(node, self._problems):
            raise RefusedError
        self._rows.bind_columns(node)

    # ----------------------------------------------------------------- terms of several rows

    def _term(self, node: exp.Expression, depth: int) -> Term:
        if depth > MOST_DEPTH:
            refusals.too_deep(node, self._problems)
            raise RefusedError
        if isinstance(node, exp.Paren):
            return self._term(node.this, depth + 1)
        found = self._of_one_row(node) or self._one(node)
        if found is not None:
            return found
        operator = _OPERATORS.get(type(node))
        if operator is not None:
            sides = (node.this, node.expression)
            self._check_sides(sides)
            one, other = (self._term(each, depth + 1) for each in sides)
            for side, term in zip(sides, (one, other), strict=True):
                if isinstance(term, Pick) and self.type_of(term).ddl.upper() in ("FLOAT", "REAL"):
                    refusals.single(side, self._problems)
                    raise RefusedError
            if operator in _COMPARISONS:
                self._check_kinds(node, one, other)
            return Apply(operator, (one, other))
        return self._special(node, depth + 1)

    def _special(self, node: exp.Expression, depth: int) -> Term:
        match node:
            case exp.And() | exp.Or():
                terms = _operands(node, type(node))
                word = "and" if isinstance(node, exp.And) else "or"
                return Apply(word, tuple(self._term(each, depth) for each in terms))
            case exp.Not():
                return Apply("not", (self._term(node.this, depth),))
            case exp.Is() if isinstance(node.expression, exp.Null):
                return Apply("is null", (self._term(node.this, depth),))
            case exp.Between():
                bounds = (node.args["low"], node.args["high"])
                self._check_sides((node.this, *bounds))
                value, low, high = (self._term(e, depth) for e in (node.this, *bounds))
                return Apply("and", (Apply(">=", (value, low)), Apply("<=", (value, high))))
            case exp.In(expressions=[_, *_]):
                value = self._term(node.this, depth)
                others = [self._term(each, depth) for each in node.expressions]
                return Apply("or", tuple(Apply("=", (value, other)) for other in others))
            case exp.Neg():
                return Apply("-", (self._term(node.this, depth),))
            case exp.Abs():
                return Apply("abs", (self._term(node.this, depth),))
            case exp.Coalesce():
                values = (node.this, *node.expressions)
                return Apply("coalesce", tuple(self._term(each, depth) for each in values))
            case (
                exp.Case(args={"default": exp.Expression()})
                | exp.If(args={"false": exp.Expression()})
            ):
                return Apply("case", tuple(self._cases(node, depth)))
            case _:
                refusals.not_computed(node, self._problems)
                raise RefusedError

    def _cases(self, node: exp.Case | exp.If, depth: int) -> Iterator[Term]:
        if isinstance(node, exp.If):
            parts = (node.this, node.args["true"], node.args["false"])
            yield from (self._term(each, depth) for each in parts)
            return
        value = self._term(node.this, depth) if node.this is not None else None
        for each in node.args["ifs"]:
            condition = self._term(each.this, depth)
            yield condition if value is None else Apply("=", (value, condition))
            yield self._term(each.args["true"], depth)
        yield self._term(node.args["default"], depth)

    def _check_sides(self, sides: tuple[exp.Expression, ...]) -> None:
        """`a = b < c`, which Spark and sqlglot read in different ways."""
        for each in sides:
            if isinstance(each, exp.Predicate | exp.Connector | exp.Not):
                refusals.without_parentheses(each, self._problems)
                raise RefusedError

    def _check_kinds(self, node: exp.Expression, one: Term, other: Term) -> None:
        kinds = [self.type_of(each).kind for each in (one, other) if isinstance(each, Pick | Fold)]
        known = {each for each in kinds if each is not Kind.UNKNOWN}
        if len(known) > 1:
            refusals.kinds(node, sorted(each.value for each in known), self._problems)
            raise RefusedError

    # ------------------------------------------------------------------------ one row, one value

    def _of_one_row(self, node: exp.Expression) -> Pick | None:
        """What reads one row alone, as a column of that row."""
        if any(is_of_match(each) for each in node.walk()):
            return None
        anchors = self._anchors(node)
        if len(anchors) > 1:
            return None
        column = self._rows.columns.of(self._rows.binder().bind(node))
        return Pick(column=column, of=anchors.pop() if anchors else None)

    def _anchors(self, node: exp.Expression) -> set[tuple[str, ...] | None]:
        """The rows whose columns an expression reads; None: the current one."""
        found: set[tuple[str, ...] | None] = set()
        for column in node.find_all(exp.Column):
            variables = self._rows.variable(column)
            # The last row of a variable whose condition this is, is the row in question.
            is_current = variables is not None and self._current in variables
            found.add(None if is_current else variables)
        return found

    def _one(self, node: exp.Expression) -> Pick | Fold | None:
        """PREV(), NEXT(), FIRST(), LAST() or an aggregate."""
        name = name_of(node)
        if name in PLACES:
            return self._place(node, name)
        if type(node) in FOLDS:
            return self._fold(node, FOLDS[type(node)])
        if isinstance(node, MatchScope):
            refusals.scope(node, self._problems)
            raise RefusedError
        return None

    def _place(self, node: exp.Expression, name: str) -> Pick:
        value, number = self._arguments(node, name)
        if name in ("FIRST", "LAST"):
            return self._logical(node, name, value, number)
        count = -number if name == "PREV" else number
        inner = name_of(value)
        if inner in ("FIRST", "LAST"):
            argument, offset = self._arguments(value, inner)
            pick = self._logical(value, inner, argument, offset)
        else:
            pick = self._valued(node, value)
        return replace(pick, shift=count)

    def _arguments(self, node: exp.Expression, name: str) -> tuple[exp.Expression, int]:
        """The value that a call is of, and its number of rows."""
        given = node.expressions if isinstance(node, exp.Anonymous) else [node.this]
        default = 0 if name in ("FIRST", "LAST") else 1
        if not 1 <= len(given) <= 2:
            refusals.arguments(node, name, self._problems)
            raise RefusedError
        if len(given) == 1:
            return given[0], default
        number = given[1]
        is_number = isinstance(number, exp.Literal) and number.name.isdigit()
        if not is_number or len(number.name) > 9 or int(number.name) > MOST_ROWS:
            refusals.number(number, self._problems)
            raise RefusedError
        return given[0], int(number.name)

    def _logical(self, node: exp.Expression, name: str, value: exp.Expression, offset: int) -> Pick:
        """FIRST and LAST, of all rows of a variable: also of the one whose condition this is."""
        if any(is_of_match(each) for each in value.walk()):
            refusals.nested(node, self._problems)
            raise RefusedError
        names = {self._rows.variable(each) for each in value.find_all(exp.Column)}
        if len(names) > 1:
            refusals.several_variables(node, self._problems)
            raise RefusedError
        column = self._rows.columns.of(self._rows.binder().bind(value))
        of = names.pop() if names else None
        is_current = of is not None and self._current in of and name == "LAST" and not offset
        return Pick(
            column=column,
            of=None if is_current else of,
            first=name == "FIRST",
            offset=offset,
        )

    def _valued(self, node: exp.Expression, value: exp.Expression) -> Pick:
        if any(is_of_match(each) for each in value.walk()):
            refusals.nested(node, self._problems)
            raise RefusedError
        found = self._of_one_row(value)
        if found is None:
            refusals.several_variables(node, self._problems)
            raise RefusedError
        return found

    def _fold(self, node: exp.Expression, function: str) -> Fold:
        value = node.this
        star = value.this if isinstance(value, exp.Column) else value
        if isinstance(star, exp.Star) and any(star.args.values()):
            refusals.unsupported(node, "`*` with EXCEPT", self._problems)
            raise RefusedError
        if isinstance(value, exp.Star):
            return Fold(function=function, column=None)
        if isinstance(value, exp.Column) and isinstance(value.this, exp.Star):
            of = self._rows.variables.named(value.parts[0].name)
            if of is None:
                names = list(self._rows.variables.members)
                unknown_variable(value.parts[0].name, span_of(value), names, self._problems)
                raise RefusedError
            return Fold(function=function, column=None, of=of)
        if isinstance(value, exp.Distinct) or node.expressions:
            refusals.unsupported(node, "DISTINCT, or several arguments,", self._problems)
            raise RefusedError
        pick = self._logical(node, "FIRST", value, 0)
        return Fold(function=function, column=pick.column, of=pick.of)


def _operands(node: exp.Expression, kind: type[exp.Expression]) -> list[exp.Expression]:
    """The terms of a chain of AND or OR, in order."""
    found: list[exp.Expression] = []
    stack = [node]
    while stack:
        each = stack.pop()
        if isinstance(each, kind):
            stack += [each.expression, each.this]
        else:
            found.append(each)
    return found


def is_of_match(node: exp.Expr) -> bool:
    """Whether a node has a meaning for a match only."""
    own = ("MATCH_NUMBER", "CLASSIFIER", *PLACES)
    return isinstance(node, MatchScope) or type(node) in FOLDS or name_of(node) in own
