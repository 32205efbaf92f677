"""From a token that no rule can take to a diagnostic that names the mistake.

`failure.py` holds what is known at that point; the detectors, each for a family of mistakes,
are `statements.py`, `semicolons.py`, `declarations.py`, `habits.py`, `pipes.py`,
`conditions.py`, `streaming.py`, `intervals.py`, `calls.py`, `brackets.py`, `order.py`,
`missing.py` and `repairs.py`; `explain.py` asks them in turn, and the first that recognises its
mistake answers.
`expected.py` has the last word: what could have stood there.
"""

from compiler.syntax.mistakes.explain import explain, improve
from compiler.syntax.mistakes.failure import Failure

__all__ = ["Failure", "explain", "improve"]
