"""The parse tables: built by lark from the grammar, kept once, safe to share."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiler.syntax.from_tree import ACTIONS
from compiler.syntax.grammar import tables as module
from compiler.syntax.grammar.tables import Tables, build_tables, grammar_folder, load_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of this test alone, no tables in the package, and a build that takes no time."""
    built = load_tables()
    monkeypatch.setattr(module, "build_tables", lambda: built)
    monkeypatch.setenv("TVFC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "_package_folder", lambda: tmp_path / "none")
    load_tables.cache_clear()
    yield tmp_path / "cache" / "tvfc"
    load_tables.cache_clear()


@pytest.mark.thorough
def test_lark_itself_takes_the_grammar() -> None:
    """No conflict but those that a shift resolves rightly: lark refuses all others.

    And what it makes of the grammar is what has been kept; its numbers of states may differ.
    """
    built, kept = build_tables(), load_tables()
    assert len(built.actions) == len(kept.actions)
    assert sorted(map(repr, built.rules)) == sorted(map(repr, kept.rules))
    assert (built.words, built.symbols, built.phrases) == (kept.words, kept.symbols, kept.phrases)


def test_every_rule_has_an_action_and_every_action_a_rule() -> None:
    named = {action for _, _, action, _ in load_tables().rules}
    assert named - {"", "_"} == set(ACTIONS)


def test_the_first_start_fills_the_cache(own_cache: Path) -> None:
    built = load_tables()
    (file,) = own_cache.iterdir()
    load_tables.cache_clear()
    before = file.stat().st_mtime_ns
    assert load_tables() == built
    assert file.stat().st_mtime_ns == before


def test_a_broken_cache_is_built_anew(own_cache: Path) -> None:
    built = load_tables()
    (file,) = own_cache.iterdir()
    for content in (b"", b"nonsense", file.read_bytes()[:1000]):
        file.write_bytes(content)
        load_tables.cache_clear()
        assert load_tables() == built


def test_tables_of_a_read_only_home_are_kept_in_the_package(own_cache: Path) -> None:
    own_cache.parent.mkdir(parents=True, exist_ok=True)
    own_cache.write_text("a file where the folder should be")
    built = load_tables()
    (file,) = module._package_folder().iterdir()
    load_tables.cache_clear()
    before = file.stat().st_mtime_ns
    assert load_tables() == built
    assert file.stat().st_mtime_ns == before


def test_no_place_for_tables_is_no_obstacle(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_cache.parent.mkdir(parents=True, exist_ok=True)
    own_cache.write_text("a file where the folder should be")
    monkeypatch.setattr(module, "_package_folder", lambda: own_cache)
    monkeypatch.setattr(module, "build_tables", lambda: Tables([], [], [], {}, {}, [], [], {}))
    assert load_tables().rules == []


def test_tables_are_written_into_the_package(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = module._package_folder()
    folder.mkdir()
    (folder / "tables-old.bin").write_bytes(b"")
    assert module.main() == 0
    assert [file.name for file in folder.iterdir()] == [f"tables-{module._key()}.bin"]
    monkeypatch.setattr(module, "build_tables", pytest.fail)
    load_tables.cache_clear()
    assert load_tables().rules
    assert not own_cache.exists()


def test_another_grammar_has_another_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    key = module._key()
    for name in module.GRAMMAR_FILES:
        (tmp_path / name).write_text((grammar_folder() / name).read_text() + "\n// changed\n")
    monkeypatch.setattr(module, "grammar_folder", lambda: tmp_path)
    assert module._key() != key


def test_concurrent_first_starts(own_cache: Path) -> None:
    """Whoever comes first, everyone gets whole tables, and one file stays."""
    expected = len(load_tables().actions)
    for file in own_cache.iterdir():
        file.unlink()
    with ThreadPoolExecutor(8) as pool:
        starts = [pool.submit(load_tables.__wrapped__) for _ in range(24)]
    assert [len(start.result().actions) for start in starts] == [expected] * 24
    assert len(list(own_cache.iterdir())) == 1


def test_lark_is_not_imported_once_the_tables_are_there() -> None:
    load_tables()
    code = (
        "import sys; from compiler.syntax import parse_query; parse_query('SELECT 1');"
        "print('lark' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
