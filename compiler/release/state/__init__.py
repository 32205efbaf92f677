"""What a job keeps in its checkpoint, described so that another compile can be compared.

`kept.py` which steps keep something, `facts.py` what is told of them, `described.py` the text.
"""
