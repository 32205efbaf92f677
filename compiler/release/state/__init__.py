"""What a job keeps in its checkpoint, described so that another compile can be compared.

`kept.py` which steps keep something, `described.py` what is told of a query; of its operators,
`final.py` of those that wait for the clock, `changing.py` of those on rows that come and go;
`facts.py` parts of that in words.
"""
