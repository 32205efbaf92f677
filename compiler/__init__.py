"""tvfc's compiler: streaming SQL text to a PySpark job, as pure functions; no IO.

In order of flow: `syntax` text to AST, `plan` AST to a typed plan, `release` plan to release plan,
`codegen` release plan to job.py; `pipeline.py` is the whole of it, `diagnostics` what it says.
"""

from compiler.diagnostics import CompileError
from compiler.job import Job
from compiler.pipeline import compile_script

__all__ = ["CompileError", "Job", "compile_script"]
