"""Parse tables: lark's LALR analysis of the grammar, flattened and kept.

lark needs two seconds to analyse the grammar, a parse needs a thousandth of one. So the tables
are built once: by `python -m compiler.syntax.grammar.tables` into the package (the build hook of
pyproject.toml does so, for every wheel and installation), else, in a checkout whose grammar has
changed, on first use into the user's cache. Their name holds a digest of the grammar and of
build.py, so old tables are never met. lark itself is imported only to build.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

GRAMMAR_FILES = ("spark.lark", "tvf.lark")
_BUILDER = Path(__file__).with_name("build.py")
STARTS = ("query", "statement", "hint")
_KEPT = 4
# The format of marshal that every Python since 3.4 reads: one wheel serves them all.
_MARSHAL = 4

# An action is one number: n >= 0 shifts to state n, n < 0 reduces by rule -1 - n.
Row: TypeAlias = dict[str, int]


@dataclass(frozen=True, slots=True)
class Tables:
    """The automaton as plain data.

    `rules[n]` is (origin, size, action, plan): what is reduced to, how many values it takes, the
    name of the action (empty: pass the only value on; "_": make a list), and which values the
    action gets: n >= 0 the nth, -1 None, -2 - n all of the list at n. A plan of None is "all".
    """

    actions: list[Row]
    gotos: list[Row]
    rules: list[tuple[str, int, str, tuple[int, ...] | None]]
    start_states: dict[str, int]
    end_states: dict[str, int]
    words: list[str]
    symbols: list[str]
    phrases: dict[str, list[tuple[tuple[str, ...], str]]]


def grammar_folder() -> Path:
    """Where the .lark files are: beside the package, in a checkout and installed alike."""
    return Path(__file__).resolve().parents[3] / "grammar"


@cache
def load_tables() -> Tables:
    """The tables, from the package, from the cache, or built now."""
    key = _key()
    folders = (_package_folder(), _cache_folder())
    for folder in folders:
        tables = _read(folder / f"tables-{key}.bin")
        if tables is not None:
            return tables
    tables = build_tables()
    for folder in reversed(folders):
        if _write(folder, key, tables):
            break  # where the home cannot be written, a checkout mostly can
    return tables


def _package_folder() -> Path:
    return Path(__file__).resolve().parent / "built"


def _cache_folder() -> Path:
    base = os.environ.get("TVFC_CACHE") or os.environ.get("XDG_CACHE_HOME")
    # Without a home, `~` stays as it is and no folder is found there.
    return Path(base or os.path.expanduser("~/.cache")) / "tvfc"  # noqa: PTH111 (Path.home() raises)


def _key() -> str:
    digest = hashlib.sha256()
    for path in (*(grammar_folder() / name for name in GRAMMAR_FILES), _BUILDER):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:24]


def _read(path: Path) -> Tables | None:
    try:
        fields = marshal.loads(path.read_bytes())
        return Tables(*fields)
    except (OSError, ValueError, EOFError, TypeError):
        return None


def _write(folder: Path, key: str, tables: Tables) -> bool:
    """Put the tables in place in one step, so that a concurrent start never reads half a file."""
    fields = tuple(getattr(tables, name) for name in Tables.__dataclass_fields__)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(marshal.dumps(fields, _MARSHAL))
        # A temporary file is its owner's alone; an installation may serve other users, too.
        Path(file.name).chmod(0o644)
        Path(file.name).replace(folder / f"tables-{key}.bin")
        _prune(folder)
    except OSError:
        return False
    return True


def _prune(folder: Path) -> None:
    """Keep the tables of a few grammars: several versions of tvfc may share the cache."""
    files = sorted(folder.glob("tables-*.bin"), key=lambda path: -path.stat().st_mtime)
    for path in files[_KEPT:]:
        path.unlink(missing_ok=True)


def build_tables() -> Tables:
    """Run lark over the grammar and flatten what it finds."""
    from compiler.syntax.grammar.build import analyse_grammar  # noqa: PLC0415 (lark is slow to import)

    fields: dict[str, Any] = analyse_grammar(grammar_folder() / "tvf.lark", STARTS)
    return Tables(**fields)


def main() -> int:
    """Write the tables into the package, removing those of older grammars."""
    folder = _package_folder()
    key = _key()
    written = _write(folder, key, build_tables())
    for path in folder.glob("*"):
        if path.name != f"tables-{key}.bin":
            path.unlink(missing_ok=True)
    return 0 if written else 1


if __name__ == "__main__":
    sys.exit(main())
