"""Text -> AST of sqlglot expressions, every node with its span.

In order of flow: `parameters.py` puts values in place of `:name`; `tokens/` text to tokens;
`automaton.py` runs the LALR tables of `grammar/` and calls the functions of `from_tree/`, which
make the nodes of `nodes/`; `parse.py` is the front door, `mistakes/` explains what does not parse,
`refusal.py` is how any of them says no.
"""

from compiler.syntax.nodes import print as printing
from compiler.syntax.nodes.spans import span_of
from compiler.syntax.parameters import ParameterError, with_parameters
from compiler.syntax.parse import Script, parse_query, parse_script

printing.register()

__all__ = [
    "ParameterError",
    "Script",
    "parse_query",
    "parse_script",
    "span_of",
    "with_parameters",
]
