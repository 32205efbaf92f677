"""sqlglot expressions for what Spark SQL does not have, and questions to the AST.

Each docstring gives the syntax. The classes are plain sqlglot nodes, so `copy`, `walk`,
`transform` and `==` work on them. `statements.py`, `relations.py`, `matches.py`, `calls.py` and
`emit.py` are the nodes, `print.py` gives them their SQL back, and `tree_text.py` shows a tree.
`spans.py` answers where a node stands, `made.py` makes nodes that the text does not have.
"""

from sqlglot import exp

from compiler.syntax.nodes.calls import WRITTEN, MzNow, ProcTime, WatermarkTs, WrittenCall
from compiler.syntax.nodes.emit import EmitChanges, EmitOnWindowClose, Revision, is_final
from compiler.syntax.nodes.matches import (
    MatchClauses,
    MatchRecognize,
    MatchScope,
    MatchSubset,
    RowChoice,
    RowExcluded,
    RowPermute,
    RowRepeat,
    RowSequence,
    RowVariable,
)
from compiler.syntax.nodes.relations import (
    BadRelation,
    ChangeFeed,
    CumulateRelation,
    Fill,
    HopRelation,
    LateRelation,
    NearestRelation,
    SessionRelation,
    StreamRelation,
    TableWithOptions,
    TumbleRelation,
    WatermarkRelation,
)
from compiler.syntax.nodes.statements import (
    CreateFunction,
    CreateSink,
    CreateSource,
    CreateTable,
    CreateView,
    FunctionBody,
    FunctionResource,
    Included,
    InsertInto,
    PrimaryKey,
    RecordFormat,
    SourceOption,
    WatermarkFor,
)

RELATION_NODES: tuple[type[exp.Expression], ...] = (
    WatermarkRelation,
    TumbleRelation,
    HopRelation,
    CumulateRelation,
    SessionRelation,
    LateRelation,
    BadRelation,
    StreamRelation,
    TableWithOptions,
    ChangeFeed,
    NearestRelation,
    MatchRecognize,
)

__all__ = [
    "RELATION_NODES",
    "WRITTEN",
    "BadRelation",
    "ChangeFeed",
    "CreateFunction",
    "CreateSink",
    "CreateSource",
    "CreateTable",
    "CreateView",
    "CumulateRelation",
    "EmitChanges",
    "EmitOnWindowClose",
    "Fill",
    "FunctionBody",
    "FunctionResource",
    "HopRelation",
    "Included",
    "InsertInto",
    "LateRelation",
    "MatchClauses",
    "MatchRecognize",
    "MatchScope",
    "MatchSubset",
    "MzNow",
    "NearestRelation",
    "PrimaryKey",
    "ProcTime",
    "RecordFormat",
    "Revision",
    "RowChoice",
    "RowExcluded",
    "RowPermute",
    "RowRepeat",
    "RowSequence",
    "RowVariable",
    "SessionRelation",
    "SourceOption",
    "StreamRelation",
    "TableWithOptions",
    "TumbleRelation",
    "WatermarkFor",
    "WatermarkRelation",
    "WatermarkTs",
    "WrittenCall",
    "is_final",
]
