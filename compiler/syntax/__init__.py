"""Text -> AST of sqlglot expressions, every node with its span.

In order of flow: `parameters.py` puts values in place of `:name`; `lexer.py` text to tokens;
`keywords.py`, with `phrase_rules.py` and `word_rules.py`, which words are keywords; `automaton.py`
runs the LALR tables of `tables.py` (made by `build.py` from grammar/*.lark) and calls the functions
of `from_tree/`; `parse.py` is the front door, `mistakes/` explains what does not parse, and
`spans.py` answers where a node stands.
`nodes.py` holds our own nodes, `print.py` their SQL.
"""

from compiler.syntax import print as printing
from compiler.syntax.parameters import ParameterError, with_parameters
from compiler.syntax.parse import Script, parse_query, parse_script
from compiler.syntax.spans import span_of

printing.register()

__all__ = [
    "ParameterError",
    "Script",
    "parse_query",
    "parse_script",
    "span_of",
    "with_parameters",
]
