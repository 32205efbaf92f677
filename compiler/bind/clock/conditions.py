"""AST condition -> Predicate, and what in a WHERE reads the clock and what does not."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from compiler.bind.clock.folding import fold_constants
from compiler.bind.clock.solve import UnsolvableError, bare, is_truncated, place_of, solve
from compiler.bind.names.expressions import ExpressionBinder
from compiler.plan.conditions.predicates import (
    And,
    Choice,
    Constant,
    IsNull,
    IsTrue,
    Not,
    Op,
    Or,
    Ordinary,
    Predicate,
)
from compiler.sql.exprs import Binding, Clock, Expr
from compiler.sqltypes import Kind
from compiler.syntax import span_of

_OPS: dict[type[exp.Expression], Op] = {
    exp.GTE: Op.GE,
    exp.GT: Op.GT,
    exp.LT: Op.LT,
    exp.LTE: Op.LE,
    exp.EQ: Op.EQ,
    exp.NEQ: Op.NE,
}

_BOOLEANS = (
    exp.And,
    exp.Or,
    exp.Not,
    exp.Is,
    exp.Between,
    exp.In,
    exp.GTE,
    exp.GT,
    exp.LT,
    exp.LTE,
    exp.EQ,
    exp.NEQ,
    exp.NullSafeEQ,
    exp.NullSafeNEQ,
    exp.Boolean,
)


def conjuncts(node: exp.Expression) -> list[exp.Expression]:
    """The terms of a conjunction, in order."""
    found: list[exp.Expression] = []
    stack = [node]
    while stack:
        each = stack.pop()
        inner = each.this if isinstance(each, exp.Paren) else each
        if isinstance(inner, exp.And):
            stack.extend((inner.expression, inner.this))
        else:
            found.append(each)
    return found


def split_by_clock(
    binder: ExpressionBinder, node: exp.Expression, others: Sequence[exp.Expression] = ()
) -> tuple[list[Expr], list[Predicate]]:
    """The ordinary terms of a condition but some others, and those that read the clock."""
    terms = [each for each in conjuncts(node) if not any(each is one for one in others)]
    return split_terms(binder, terms)


def split_terms(
    binder: ExpressionBinder, terms: Sequence[exp.Expression]
) -> tuple[list[Expr], list[Predicate]]:
    """Those of several terms that are ordinary, and those that read the clock."""
    on_clock = any(binder.reads_clock(term) for term in terms)
    for term in terms:
        fold_constants(binder, term, on_clock=on_clock)
    ordinary: list[Expr] = []
    temporal: list[Predicate] = []
    for term in terms:
        if binder.reads_clock(term):
            temporal.append(bind_predicate(binder, term))
        else:
            ordinary.append(binder.bind(term))
    return ordinary, temporal


def bind_predicate(binder: ExpressionBinder, node: exp.Expression) -> Predicate:
    """A condition; faults are reported, and the condition then stands for TRUE."""
    fold_constants(binder, node)
    try:
        return _Conditions(binder).bind(node)
    except UnsolvableError as error:
        binder.problems.add(
            "TVF504",
            "this use of the clock cannot be turned into a time of release",
            place_of(error, span_of(node)),
            "not a comparison of the clock with a moment",
            advice="compare the clock with a moment, such as `ts + INTERVAL 5 MINUTES <= "
            "WATERMARK_TS()`; the clock plus or minus an interval, minus a moment, and "
            "date_trunc(unit, clock) are understood, too",
        )
        return Constant(value=True)


class _Conditions:
    """Recursion over boolean forms."""

    def __init__(self, binder: ExpressionBinder) -> None:
        self._binder = binder

    def bind(self, node: exp.Expression) -> Predicate:
        if isinstance(node, exp.Paren):
            return self.bind(node.this)
        if isinstance(node, exp.Boolean):
            return Constant(value=bool(node.this))
        if isinstance(node, exp.Null):
            return Constant(value=None)
        if not self._binder.reads_clock(node):
            return Ordinary(expr=self._binder.bind(node))
        if isinstance(node, exp.And | exp.Or):
            terms = (self.bind(node.this), self.bind(node.expression))
            return And(terms=terms) if isinstance(node, exp.And) else Or(terms=terms)
        if isinstance(node, exp.Not):
            return Not(term=self.bind(node.this))
        if type(node) in _OPS:
            return self._compare(node, _OPS[type(node)])
        return self._other(node)

    def _other(self, node: exp.Expression) -> Predicate:
        match node:
            case exp.Between():
                low = self._comparison(node.this, Op.GE, node.args["low"], node)
                high = self._comparison(node.this, Op.LE, node.args["high"], node)
                return And(terms=(low, high))
            case exp.In() if not node.args.get("query"):
                return Or(
                    terms=tuple(self._equal(node.this, each, node) for each in node.expressions)
                )
            case exp.Is():
                return self._is(node)
            case exp.NullSafeEQ():
                return self._same(node)
            case exp.NullSafeNEQ():
                return Not(term=self._same(node))
            case exp.Case():
                return self._case(node)
            case exp.If():
                otherwise = node.args.get("false")
                return Choice(
                    condition=self.bind(node.this),
                    then=self.bind(node.args["true"]),
                    otherwise=Constant(value=None) if otherwise is None else self.bind(otherwise),
                )
            case exp.Coalesce():
                return self._coalesce([node.this, *node.expressions])
            case _:
                raise UnsolvableError(node)

    def _same(self, node: exp.Expression) -> Predicate:
        """`a <=> b`: never NULL."""
        if not (_is_boolean(node.this) or _is_boolean(node.expression)):
            # Of the clock, which has a value wherever it is asked, only the moment may be NULL.
            return IsTrue(term=self._comparison(node.this, Op.EQ, node.expression, node))
        left, right = self.bind(node.this), self.bind(node.expression)
        both = And(terms=(IsNull(term=left), IsNull(term=right)))
        return Or(terms=(IsTrue(term=_iff(left, right)), both))

    def _compare(self, node: exp.Expression, op: Op) -> Predicate:
        return self._comparison(node.this, op, node.expression, node)

    def _comparison(
        self, left: exp.Expression, op: Op, right: exp.Expression, whole: exp.Expression
    ) -> Predicate:
        if _is_boolean(left) or _is_boolean(right):
            if op is Op.EQ:
                return _iff(self.bind(left), self.bind(right))
            if op is Op.NE:
                return Not(term=_iff(self.bind(left), self.bind(right)))
            raise UnsolvableError(whole)
        if not (self._binder.reads_clock(left) or self._binder.reads_clock(right)):
            return Ordinary(expr=self._pair(left, op, right))
        if op in (Op.EQ, Op.NE) and (is_truncated(left) or is_truncated(right)):
            within = And(
                terms=tuple(self._atom(left, each, right, whole) for each in (Op.GE, Op.LE))
            )
            return within if op is Op.EQ else Not(term=within)
        return self._atom(left, op, right, whole)

    def _atom(
        self, left: exp.Expression, op: Op, right: exp.Expression, whole: exp.Expression
    ) -> Predicate:
        atom = solve(self._binder, left, op, right, span_of(whole))
        self._check_moment(atom.bound)
        return atom

    def _pair(self, left: exp.Expression, op: Op, right: exp.Expression) -> Expr:
        """One comparison out of a BETWEEN or IN whose other part reads the clock."""
        first, second = self._binder.bind(left), self._binder.bind(right)
        sides = (first.inside(Binding.COMPARISON), second.inside(Binding.COMPARISON))
        return Expr(
            sql=f"{sides[0]} {op.value} {sides[1]}",
            binding=Binding.COMPARISON,
            reads=(*first.reads, *second.reads),
        )

    def _equal(
        self, left: exp.Expression, right: exp.Expression, whole: exp.Expression
    ) -> Predicate:
        return self._comparison(left, Op.EQ, right, whole)

    def _check_moment(self, bound: Expr) -> None:
        if bound.type.is_time or bound.type.kind is Kind.STRING:
            return
        self._binder.problems.add(
            "TVF206",
            f"the clock is compared with {bound.type.kind.value}",
            bound.span,
            "not a moment",
            advice="compare it with a TIMESTAMP, a DATE, or a number of epoch milliseconds",
        )

    def _is(self, node: exp.Is) -> Predicate:
        clock = self._binder.clock_of(bare(node.this))
        if isinstance(node.expression, exp.Null) and clock is Clock.WALL:
            return Constant(value=False)
        term, what = self.bind(node.this), node.expression
        if isinstance(what, exp.Null):
            return IsNull(term=term)
        if isinstance(what, exp.Boolean):
            return IsTrue(term=term if what.this else Not(term=term))
        raise UnsolvableError(node)

    def _case(self, node: exp.Case) -> Predicate:
        default = node.args.get("default")
        result = Constant(value=None) if default is None else self.bind(default)
        for branch in reversed(node.args["ifs"]):
            if node.this is None:
                condition = self.bind(branch.this)
            else:
                condition = self._equal(node.this, branch.this, node)
            result = Choice(
                condition=condition, then=self.bind(branch.args["true"]), otherwise=result
            )
        return result

    def _coalesce(self, nodes: list[exp.Expression]) -> Predicate:
        *first, last = nodes
        result = self.bind(last)
        for node in reversed(first):
            term = self.bind(node)
            result = Choice(condition=IsNull(term=term), then=result, otherwise=term)
        return result


def _is_boolean(node: exp.Expression | None) -> bool:
    match node:
        case exp.Paren():
            return _is_boolean(node.this)
        case exp.Coalesce():
            return any(map(_is_boolean, (node.this, *node.expressions)))
        case exp.Case():
            results = (each.args["true"] for each in node.args["ifs"])
            return any(map(_is_boolean, (*results, node.args.get("default"))))
        case exp.If():
            return any(map(_is_boolean, (node.args["true"], node.args.get("false"))))
        case _:
            return isinstance(node, _BOOLEANS)


def _iff(left: Predicate, right: Predicate) -> Predicate:
    """`left = right` of booleans: NULL if either is."""
    return Or(terms=(And(terms=(left, right)), And(terms=(Not(term=left), Not(term=right)))))
