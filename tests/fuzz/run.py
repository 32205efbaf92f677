"""Fuzzing for a while: `python tests/fuzz/run.py --seconds 1800`; every find is kept as a file.

--engine sample    texts of the grammar, and changed goldens and scenarios, in turn
--engine coverage  inputs that reach new lines, by atheris (extra `fuzz`), from those seeds
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

FOUND = Path(__file__).parents[2] / "build" / "fuzz"


def main() -> None:
    """Fuzz, and end with status 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", choices=("sample", "coverage"), default="sample")
    options = parser.parse_args()
    FOUND.mkdir(parents=True, exist_ok=True)
    run = _by_coverage if options.engine == "coverage" else _by_samples
    run(options.seconds, options.seed)


def _by_samples(seconds: float, seed: int) -> None:
    from fuzz.mutations import Mutator, queries, scenarios
    from fuzz.sampler import Sampler
    from fuzz.targets import compiles, loads

    end = time.monotonic() + seconds
    known, written = queries(), scenarios()
    found = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            texts: list[tuple[Callable[[str], None], str, str]] = [
                (compiles, Sampler(seed).script(), "sql"),
                (compiles, Mutator(seed, known).text(), "sql"),
                (lambda text: loads(text, Path(folder)), Mutator(seed, written).text(), "yaml"),
            ]
            for target, text, ending in texts:
                tried += 1
                found += _tried(target, text, ending)
            seed += 1
    print(f"{tried} inputs, {found} finds; next seed {seed}")
    sys.exit(found > 0)


def _tried(target: Callable[[str], None], text: str, ending: str) -> bool:
    """Whether an input makes a target fail or take too long; it is kept if so."""
    from fuzz.targets import LIMIT_S

    begin = time.process_time()
    try:
        target(text)
        took = time.process_time() - begin
        if took < LIMIT_S:
            return False
        why = f"{took:.1f} s of processor time"
    except Exception:
        why = traceback.format_exc()
    name = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    (FOUND / f"{name}.{ending}").write_text(
        text, encoding="utf-8", errors="surrogatepass", newline=""
    )
    (FOUND / f"{name}.txt").write_text(why, encoding="utf-8", errors="backslashreplace")
    print(f"{name}: {why.strip().splitlines()[-1][:200]}", flush=True)
    return True


def _by_coverage(seconds: float, seed: int) -> None:
    import atheris

    with atheris.instrument_imports(include=["compiler", "scenario"]):
        from fuzz.mutations import queries
        from fuzz.targets import compiles

    corpus = FOUND / "corpus"
    corpus.mkdir(exist_ok=True)
    for number, text in enumerate(queries()):
        (corpus / f"golden{number}").write_text(text, encoding="utf-8")

    def one(data: bytes) -> None:
        _tried(compiles, data.decode("utf-8", "replace"), "sql")

    atheris.Setup(
        [
            sys.argv[0],
            f"-max_total_time={seconds:.0f}",
            f"-seed={seed + 1}",
            "-max_len=4000",
            "-timeout=60",
            "-rss_limit_mb=3000",
            "-verbosity=0",
            str(corpus),
        ],
        one,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
