"""Parse tables: lark's LALR analysis of the grammar, flattened and kept in a cache.

lark needs about a second to analyse the grammar, a parse needs a thousandth. So the tables
are built once: by `python -m compiler.syntax.tables` into the package (done when tvfc is
installed), else on first use into the user's cache folder. Both are keyed by what they
depend on, so a changed grammar or another lark can never meet old tables. lark itself is
imported only to build.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

GRAMMAR_FILES = ("spark.lark", "tvf.lark")
STARTS = ("query", "statement", "hint")
_FORMAT = 4
_KEPT = 4

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
    return Path(__file__).resolve().parents[2] / "grammar"


@cache
def load_tables() -> Tables:
    """The tables, from the package, from the cache, or built now."""
    key = _key()
    for folder in (_package_folder(), _cache_folder()):
        tables = _read(folder / f"tables-{key}.bin")
        if tables is not None:
            return tables
    tables = build_tables()
    _write(_cache_folder(), key, tables)
    return tables


def _package_folder() -> Path:
    return Path(__file__).resolve().parent / "built"


def _cache_folder() -> Path:
    base = os.environ.get("TVFC_CACHE") or os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "tvfc"


def _key() -> str:
    digest = hashlib.sha256()
    for name in GRAMMAR_FILES:
        digest.update((grammar_folder() / name).read_bytes())
    digest.update(f"{_FORMAT} {_lark_version()} {sys.version_info[:2]}".encode())
    return digest.hexdigest()[:24]


def _lark_version() -> str:
    # importlib.metadata would cost more than the tables take to load.
    spec = find_spec("lark")
    if spec is None or spec.origin is None:
        return "none"
    site = Path(spec.origin).parents[1]
    return ",".join(sorted(each.name for each in site.glob("lark-*.dist-info")))


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
            file.write(marshal.dumps(fields))
        Path(file.name).replace(folder / f"tables-{key}.bin")
        _prune(folder)
    except OSError:
        return False  # a read-only home: the next start builds again
    return True


def _prune(folder: Path) -> None:
    """Keep the tables of a few grammars: several versions of tvfc may share the cache."""
    files = sorted(folder.glob("tables-*.bin"), key=lambda path: -path.stat().st_mtime)
    for path in files[_KEPT:]:
        path.unlink(missing_ok=True)


def build_tables() -> Tables:
    """Run lark over the grammar and flatten what it finds."""
    from compiler.syntax.build import analyse_grammar  # noqa: PLC0415 (lark is slow to import)

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
