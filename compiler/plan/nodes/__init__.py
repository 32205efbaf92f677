"""The typed logical plan: what a query means, names resolved, before anyone asks when.

`inputs.py` what is read, `rows.py` row by row, `final.py` what waits for the clock, `changing.py`
what stands as rows come and go, `outputs.py` where it goes; `tree.py` which nodes there are, and
their inputs.

Rules: nodes are frozen, no node is a subclass of another, a node that cannot be is not built.
Columns are named as Spark will name them; expressions are the user's SQL (sql/exprs.py).
"""

from compiler.plan.nodes.changing import Call as Call
from compiler.plan.nodes.changing import Counted as Counted
from compiler.plan.nodes.changing import OverChanges as OverChanges
from compiler.plan.nodes.changing import Paired as Paired
from compiler.plan.nodes.changing import Rule as Rule
from compiler.plan.nodes.changing import SortKey as SortKey
from compiler.plan.nodes.changing import Top as Top
from compiler.plan.nodes.changing import Totals as Totals
from compiler.plan.nodes.final import Aggregate as Aggregate
from compiler.plan.nodes.final import Filled as Filled
from compiler.plan.nodes.final import Filling as Filling
from compiler.plan.nodes.final import Frame as Frame
from compiler.plan.nodes.final import Match as Match
from compiler.plan.nodes.final import MeasureColumn as MeasureColumn
from compiler.plan.nodes.final import Over as Over
from compiler.plan.nodes.final import OverColumn as OverColumn
from compiler.plan.nodes.final import Parts as Parts
from compiler.plan.nodes.final import SessionTotals as SessionTotals
from compiler.plan.nodes.final import Windows as Windows
from compiler.plan.nodes.inputs import Bad as Bad
from compiler.plan.nodes.inputs import Changed as Changed
from compiler.plan.nodes.inputs import Column as Column
from compiler.plan.nodes.inputs import Late as Late
from compiler.plan.nodes.inputs import RecordFormat as RecordFormat
from compiler.plan.nodes.inputs import Scan as Scan
from compiler.plan.nodes.inputs import Source as Source
from compiler.plan.nodes.inputs import StaticQuery as StaticQuery
from compiler.plan.nodes.inputs import TableRows as TableRows
from compiler.plan.nodes.inputs import Watermark as Watermark
from compiler.plan.nodes.inputs import Watermarked as Watermarked
from compiler.plan.nodes.outputs import Output as Output
from compiler.plan.nodes.outputs import Program as Program
from compiler.plan.nodes.outputs import Sink as Sink
from compiler.plan.nodes.outputs import SinkKind as SinkKind
from compiler.plan.nodes.rows import Alias as Alias
from compiler.plan.nodes.rows import Filter as Filter
from compiler.plan.nodes.rows import Item as Item
from compiler.plan.nodes.rows import Join as Join
from compiler.plan.nodes.rows import Named as Named
from compiler.plan.nodes.rows import Project as Project
from compiler.plan.nodes.rows import TemporalFilter as TemporalFilter
from compiler.plan.nodes.rows import UnionAll as UnionAll
from compiler.plan.nodes.tree import Plan as Plan
from compiler.plan.nodes.tree import children as children
from compiler.plan.nodes.tree import comes_and_goes as comes_and_goes
from compiler.plan.nodes.tree import has_updates as has_updates
from compiler.plan.nodes.tree import held_by as held_by
from compiler.plan.nodes.tree import rebuilt as rebuilt
from compiler.plan.nodes.tree import tree_size as tree_size
from compiler.plan.nodes.tree import walk as walk
from compiler.plan.nodes.tree import with_children as with_children
