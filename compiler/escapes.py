r"""Characters that would not be seen, or would act, written as Python writes them: `\n`, `\u202e`.

Names, literals, comments and names of files come from outside. In a job one of their line ends
could begin a statement, and in a terminal a control character moves the cursor or turns text round.
"""

from __future__ import annotations


def visible(text: str) -> str:
    r"""Text on one line, for a terminal: what is not printable is escaped.

    A backslash stays as it is, so that SQL is shown as it was written.
    """
    return text if text.isprintable() else "".join(map(visible_character, text))


def visible_lines(text: str) -> str:
    """The same of text that has line ends of its own."""
    return "\n".join(map(visible, text.split("\n")))


def visible_character(character: str) -> str:
    """A character, or its escape."""
    return character if character.isprintable() else repr(character)[1:-1]
