"""Text to tokens.

`lexer.py` raw tokens, `keyword_lists.py` the words of the grammar, `keywords.py` which words are
keywords where they stand, by the rules of `phrase_rules.py`, `word_rules.py` and, for the streaming
extensions, `stream_words.py`, which ask the `walk.py`; `words.py` the words in a text.
"""
