"""Diagnostics: what is wrong with a query, as data, and how that is shown.

`diagnostic.py` the data and the exceptions; `codes.py` the register of codes, put together from one
`codes_<topic>.py` for what a reader asks about; `suggest.py` the nearest name, and names listed for
a message; `problems.py` collects what is found; `render.py` alone makes text. Colour is the command
line's business.
"""

from compiler.diagnostics.codes import CODES, Code
from compiler.diagnostics.diagnostic import CompileError, Diagnostic, InternalError, Label
from compiler.diagnostics.render import render, render_all
from compiler.diagnostics.suggest import suggest

__all__ = [
    "CODES",
    "Code",
    "CompileError",
    "Diagnostic",
    "InternalError",
    "Label",
    "render",
    "render_all",
    "suggest",
]
