"""CREATE SOURCE, STREAM and TABLE.

`declare.py` the declaration; `watermark_groups.py` and `idle.py` clauses of its watermark;
`records.py` FORMAT … ENCODE with `record_options.py`, `schemas.py` and `avro_columns.py`;
`changes.py` records that change rows; `kafka.py`, `options.py`, `plugins.py` and `places.py`
what OPTIONS may say.
"""
