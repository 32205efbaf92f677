"""The grammar as EBNF for readers: grammar/*.lark -> the last part of docs/language.md.

    python -m compiler.syntax.grammar.document        write it
    python -m compiler.syntax.grammar.document check  say whether it is up to date

Only what concerns the parser's builder is taken out: names of actions, and the marks of rules
that pass on or inline their parts.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from compiler.syntax.grammar.tables import GRAMMAR_FILES, grammar_folder

MARK = (
    "<!-- The rest is generated from grammar/*.lark by "
    "`python -m compiler.syntax.grammar.document`. -->"
)
_PAGE = Path(__file__).resolve().parents[3] / "docs" / "language.md"
_TITLES = {"spark.lark": "Spark SQL queries", "tvf.lark": "Statements and extensions"}
_SECTION = re.compile(r"^// -+ (\d+ .+)$")
_RULE = re.compile(r"^(?:%extend )?[?!]?(_?[a-z][a-z_]*)(?:\.\d+)?: ?(.*)$")
_NOT_FOR_READERS = ("keywords", "phrases", "tokens")


def ebnf() -> str:
    """The grammar of all files, a section a heading."""
    parts = []
    for name in reversed(GRAMMAR_FILES):
        text = (grammar_folder() / name).read_text(encoding="utf-8")
        parts.append(f"### {_TITLES[name]}\n\n{_sections(text)}")
    return "\n".join(parts)


def _sections(text: str) -> str:
    names = frozenset(re.findall(r"^[?!]?([a-z][a-z_]*)(?:\.\d+)?:", text, re.MULTILINE))
    blocks: list[str] = []
    lines: list[str] = []
    for line in text.splitlines():
        section = _SECTION.match(line)
        if section:
            blocks += _block(lines, names)
            lines = [section[1]]
        elif lines:
            lines.append(line)
    return "\n".join(blocks + _block(lines, names))


def _block(lines: list[str], names: frozenset[str]) -> list[str]:
    """One section: its heading, its first comment as text, its rules as code."""
    if not lines or lines[0].split(" ", 1)[1] in _NOT_FOR_READERS:
        return []
    number, title = lines[0].split(" ", 1)
    leading = _leading_comments(lines[1:])
    said = " ".join(line[3:] for line in leading)
    rules = lines[1 + len(leading) :]
    code = re.sub(r"\n{3,}", "\n\n", "\n".join(_readable(rules, names)).strip())
    text = f"{said}\n\n" if said else ""
    return [f"#### {number}. {title}\n\n{text}```ebnf\n{code}\n```\n"]


def _leading_comments(lines: list[str]) -> list[str]:
    comments = []
    for line in lines:
        if not line.startswith("//"):
            break
        comments.append(line)
    return comments


def _readable(lines: list[str], names: frozenset[str]) -> list[str]:
    """Rules without the marks for the builder, alternatives below one another."""
    result: list[str] = []
    indent = 0
    for line in lines:
        if line.startswith("//"):
            result.append(f"(* {line[3:]} *)")
            continue
        body = re.sub(r"\s*->\s*\w+\s*$", "", line)
        rule = _RULE.match(body)
        if rule:
            sign = "|=" if line.startswith("%extend") else "::="
            head = f"{_list_name(rule[1], names)} {sign} "
            indent = len(head) - 2
            result.append(head + _plain(rule[2], names))
        elif body.strip():
            result.append(" " * indent + _plain(body.strip(), names))
        else:
            result.append("")
    return result


def _plain(text: str, names: frozenset[str]) -> str:
    text = re.sub(r'"([A-Za-z][^"]*)"', r"\1", text)
    text = re.sub(r"(?<!\w)_[a-z_]+", lambda found: _list_name(found[0], names), text)
    return re.sub(r"_?\b_?[A-Z]+(?:_[A-Z]+)+\b", lambda found: _phrase(found[0]), text)


def _list_name(name: str, names: frozenset[str]) -> str:
    """Rules that begin with an underscore are lists; their plain name may be another rule's."""
    bare = name.lstrip("_")
    return f"{bare}_list" if name.startswith("_") and bare in names else bare


_TOKENS = {
    "QUOTED_NAME": "`name`",
    "TYPED_LITERAL": "(DATE | TIMESTAMP | TIMESTAMP_NTZ | TIMESTAMP_LTZ | TIME)",
    "INTERVAL_SIGN": '("+" | "-")',
    "_EXCEPT_COLUMNS": "EXCEPT",
    "_LAMBDA_OPEN": '"("',
    "TRY_CAST": "TRY_CAST",
    "SYSTEM_VERSION_AS_OF": "SYSTEM_VERSION AS OF",
    "SYSTEM_TIME_AS_OF": "SYSTEM_TIME AS OF",
    "MATCH_CONDITION": "MATCH_CONDITION",
    "MATCH_RECOGNIZE": "MATCH_RECOGNIZE",
}


def _phrase(name: str) -> str:
    return _TOKENS.get(name, name.replace("_", " "))


def page(current: str) -> str:
    """The page with its last part written anew."""
    written, _, _ = current.partition(MARK)
    return f"{written}{MARK}\n\n{ebnf()}"


def main(arguments: list[str]) -> int:
    """Write the page, or compare it."""
    current = _PAGE.read_text(encoding="utf-8")
    fresh = page(current)
    if arguments == ["check"]:
        return 0 if fresh == current else 1
    _PAGE.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
