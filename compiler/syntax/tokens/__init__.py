"""Text to tokens.

`lexer.py` raw tokens, `keyword_lists.py` the words of the grammar, `keywords.py` which words are
keywords where they stand, by the rules of `phrase_rules.py` and `word_rules.py`, which ask the
`walk.py`; `words.py` the words in a text.
"""
