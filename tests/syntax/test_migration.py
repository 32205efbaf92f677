"""docs/migration.md: what it has for this system compiles, what others write draws a message."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compiler import compile_script
from compiler.diagnostics import CompileError
from compiler.source import SourceText

TEXT = (Path(__file__).parents[2] / "docs/migration.md").read_text(encoding="utf-8")
(PRELUDE,) = re.findall(r"```sql\n(.*?)```", TEXT, re.DOTALL)


def _is_understood(there: str) -> bool:
    return any(words in there for words in UNDERSTOOD)


ROWS = [
    (there, there if here == "the same" else here.strip("`"), here == "the same")
    for there, here in re.findall(r"^\| `(.+?)` \| (the same|`.+?`) \| .*\|$", TEXT, re.MULTILINE)
]
UNDERSTOOD = ("FOR SYSTEM_TIME AS OF o.ts", "> now()")
"""What compiles as others write it, if the text says that it is something else."""
REFUSED = [there for there, _, is_same in ROWS if not is_same and not _is_understood(there)]


def test_all_rows_are_found() -> None:
    tables = [line for line in TEXT.splitlines() if line.startswith("| `")]
    assert len(ROWS) == len(tables) > 30


@pytest.mark.parametrize("here", [here for _, here, _ in ROWS])
def test_what_is_written_here_compiles(here: str) -> None:
    compile_script(SourceText("query.sql", f"{PRELUDE}{here}"))


@pytest.mark.parametrize("there", REFUSED)
def test_what_others_write_draws_a_message_with_help(there: str) -> None:
    with pytest.raises(CompileError) as raised:
        compile_script(SourceText("query.sql", f"{PRELUDE}{there}"))
    found = raised.value.diagnostics
    assert all(each.help for each in found)
    assert not any(each.code == "TVF100" for each in found), "it is named, not only unexpected"


def test_the_others_are_understood() -> None:
    others = [there for there, _, _ in ROWS if _is_understood(there)]
    assert len(others) == len(UNDERSTOOD)
    for there in others:
        compile_script(SourceText("query.sql", f"{PRELUDE}{there}"))
