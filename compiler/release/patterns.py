"""Row patterns, conditions and measures, which a release plan has as the plan has them."""

from __future__ import annotations

from compiler.plan.patterns import Apply as Apply
from compiler.plan.patterns import Choice as Choice
from compiler.plan.patterns import Classifier as Classifier
from compiler.plan.patterns import Excluded as Excluded
from compiler.plan.patterns import Fold as Fold
from compiler.plan.patterns import MatchNumber as MatchNumber
from compiler.plan.patterns import Measured as Measured
from compiler.plan.patterns import Pattern as Pattern
from compiler.plan.patterns import Pick as Pick
from compiler.plan.patterns import Repeat as Repeat
from compiler.plan.patterns import Sequence as Sequence
from compiler.plan.patterns import Term as Term
