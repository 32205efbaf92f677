r"""The one place where text from outside becomes Python: a string, a docstring or a block of SQL.

None of them ends before its text does, whatever that is: line ends of every kind, quotes, NUL,
marks of direction and halves of surrogate pairs are escapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compiler.escapes import visible, visible_character

INDENT = "    "


def literal(text: str) -> str:
    """A Python string on one line, in double quotes unless that needs more escapes."""
    if '"' in text and "'" not in text and "\\" not in text and text.isprintable():
        return f"'{text}'"
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{visible(plain)}"'


def docstring(lines: Sequence[str], depth: int) -> str:
    """A docstring; a line end inside one of its lines does not make two of it."""
    first, *rest = map(_in_block, lines)
    indent = INDENT * depth
    if not rest:
        # A quote at the end would be the first of those that close the string.
        body = f'{first[:-1]}\\"' if first.endswith('"') else first
        return f'{indent}"""{body}"""'
    return "\n".join([f'{indent}"""{first}', *_indented(rest, indent), f'{indent}"""'])


def sql_block(lines: Iterable[str], depth: int) -> str:
    """A string of several lines, one step further in than the statement that ends with it.

    A line end inside one of the lines, which stands in a string or a name of the SQL, is an escape:
    the indentation would become part of its value.
    """
    inner = _indented(map(_in_block, lines), INDENT * (depth + 1))
    return "\n".join(['"""', *inner, f'{INDENT * depth}"""'])


def _indented(lines: Iterable[str], indent: str) -> list[str]:
    return [f"{indent}{line}" if line else "" for line in lines]


def _in_block(line: str) -> str:
    r"""A line between triple quotes; tabs, which are at home in queries, stay."""
    text = line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if text.isprintable():
        return text
    return "".join(each if each == "\t" else visible_character(each) for each in text)
