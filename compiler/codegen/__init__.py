"""Release plan -> job.py.

In order of flow: `from_release.py` the file as a whole, `sources.py` what it reads, `steps.py` its
functions, with a file for each kind of operator, `names.py` what they are called, `writer.py` how
lines are laid out.
"""
