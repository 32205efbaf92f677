"""From a token that no rule can take to a diagnostic that names the mistake.

`failure.py` holds what is known at that point; the detectors, each for a family of mistakes,
are `statements.py`, `habits.py`, `brackets.py`, `order.py`, `repairs.py` and `missing.py`; the
first that recognises its mistake answers. `expected.py` has the last word: what could have
stood there.
"""

from compiler.syntax.mistakes.explain import explain, improve
from compiler.syntax.mistakes.failure import Failure

__all__ = ["Failure", "explain", "improve"]
