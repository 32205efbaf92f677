"""Release plans: when each row is in the result, and the steps that carry that out.

A predicate with a clock is, per row, the set of clock values at which it is true: a union of
intervals. A `Branch` is one of them: rows that satisfy all `guards` are in the result from the
greatest of `lowers` until before the least of `uppers`. No order of branches matters; a row that
several admit is in the result once.

A `ReleaseJob` is a list of named steps. Conditions on the clock are lifted out of them: a step
computes when its rows are due, and one delay, above all of them, makes it so.

`inputs.py` steps that read, `rows.py` row by row, `final.py` what waits for the clock,
`changing.py` what stands as rows come and go, `carries.py` what rows bring along, `job.py` outputs.
"""

from compiler.plan.conditions.branches import Branch as Branch
from compiler.plan.conditions.branches import Lower as Lower
from compiler.plan.conditions.branches import Upper as Upper
from compiler.plan.conditions.branches import guard_sql as guard_sql
from compiler.plan.nodes import Call as Call
from compiler.plan.nodes import Filling as Filling
from compiler.plan.nodes import RecordFormat as RecordFormat
from compiler.plan.nodes import Rule as Rule
from compiler.plan.nodes import SortKey as SortKey
from compiler.release.nodes.carries import Carries as Carries
from compiler.release.nodes.carries import Input as Input
from compiler.release.nodes.carries import JoinWith as JoinWith
from compiler.release.nodes.carries import Leaves as Leaves
from compiler.release.nodes.carries import Until as Until
from compiler.release.nodes.changing import ChangedRows as ChangedRows
from compiler.release.nodes.changing import CountedRows as CountedRows
from compiler.release.nodes.changing import OverChanged as OverChanged
from compiler.release.nodes.changing import PairedRows as PairedRows
from compiler.release.nodes.changing import TableRows as TableRows
from compiler.release.nodes.changing import TopRows as TopRows
from compiler.release.nodes.changing import Totaled as Totaled
from compiler.release.nodes.changing import UntilPartnered as UntilPartnered
from compiler.release.nodes.final import SESSION_END as SESSION_END
from compiler.release.nodes.final import SESSION_START as SESSION_START
from compiler.release.nodes.final import FilledRows as FilledRows
from compiler.release.nodes.final import Framed as Framed
from compiler.release.nodes.final import Grouped as Grouped
from compiler.release.nodes.final import MatchRows as MatchRows
from compiler.release.nodes.final import OverItem as OverItem
from compiler.release.nodes.final import OverRows as OverRows
from compiler.release.nodes.final import PanedRows as PanedRows
from compiler.release.nodes.final import Sessions as Sessions
from compiler.release.nodes.final import TotaledSessions as TotaledSessions
from compiler.release.nodes.final import Windowed as Windowed
from compiler.release.nodes.inputs import Bad as Bad
from compiler.release.nodes.inputs import Field as Field
from compiler.release.nodes.inputs import Late as Late
from compiler.release.nodes.inputs import Read as Read
from compiler.release.nodes.inputs import Static as Static
from compiler.release.nodes.inputs import Watermarked as Watermarked
from compiler.release.nodes.job import CONSOLE as CONSOLE
from compiler.release.nodes.job import Output as Output
from compiler.release.nodes.job import ReleaseJob as ReleaseJob
from compiler.release.nodes.job import Step as Step
from compiler.release.nodes.rows import Item as Item
from compiler.release.nodes.rows import Select as Select
from compiler.release.nodes.rows import Union as Union
from compiler.sql.exprs import Clock as Clock
from compiler.sql.lengths import interval_apart as interval_apart
