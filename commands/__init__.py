"""The commands of `tvfc`, one file each, loaded only when called.

`compile.py`, `explain.py`, `check.py`, `run.py`, `test.py` hold a click command `command`.
They share `files.py` (reading and compiling a query file, showing diagnostics), `runtime_zip.py`
(the runtime as a file), `local_spark.py` (a quiet local session) and `crash.py` (a bug in tvfc).
"""
