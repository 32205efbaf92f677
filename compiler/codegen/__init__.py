"""Release plan -> job.py.

In order of flow: `from_release.py` the file as a whole, `steps.py` its functions, `names.py` what
they are called, `writer.py` how lines are laid out.
"""
