"""Codes TVF1xx: the text is not in the language."""

from __future__ import annotations

from compiler.diagnostics.code import Code

SYNTAX_CODES: tuple[Code, ...] = (
    Code(
        code="TVF100",
        title="unexpected token",
        explanation=(
            "The query stops making sense at the marked place. The message says what may stand\n"
            "there instead."
        ),
        failing="SELECT price FROM orders WHERE;",
        mended="SELECT price FROM orders WHERE price > 10;",
    ),
)
