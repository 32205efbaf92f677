"""What the page is told, and how it is served; tests/field has a browser look at it."""

from __future__ import annotations

import json
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from field.watching import BEGAN_MS, HELD, HOSTILE, PARTS, counters, watched

from commands.runtime_zip import runtime_zip
from tvfc_runtime.page.graph import graph_of
from tvfc_runtime.page.history import MOST, History
from tvfc_runtime.page.holders import holders
from tvfc_runtime.page.server import FILES, POLICY, serve_page, static

LIMIT = 200_000


def told(folder: Path, *, with_rows: bool = False) -> tuple[str, dict[str, Any]]:
    known = {"job/out": counters()}
    found = watched(known, str(folder), with_rows=with_rows)
    found.look()
    text = found.everything()
    return text, json.loads(text)["queries"][0]


def test_the_plan_is_a_graph() -> None:
    graph = graph_of(PARTS)
    assert graph.edges == ((1, 3), (2, 3), (1, 4), (4, 5), (1, 6), (3, 7), (5, 8), (6, 9))
    assert [node.role for node in graph.nodes] == ["source"] * 2 + ["operator"] * 4 + ["sink"] * 3
    assert ("on", "#1.id = #2.id") in graph.nodes[2].lines
    assert [node.place for node in graph.nodes if node.waits] == [3, 5]
    assert graph_of([]).nodes == ()


def test_rows_are_put_to_the_node_that_holds_them_or_to_none() -> None:
    names = ["delay/4", "spark/join/0", "spark/groups/0", "earlier/0"]
    assert holders(PARTS, HELD, names) == {"delay/4": 3, "spark/join/0": 3, "spark/groups/0": 5}
    # Which of two joins a number of Spark's means is not known; so it is said of none.
    assert holders([*PARTS, PARTS[3]], HELD, ["spark/join/0"]) == {}
    # Nor is it known what one more is of than the plan has.
    assert holders(PARTS, HELD, ["spark/groups/0", "spark/groups/1"]) == {}
    # A join with a table keeps nothing.
    table = {"operator": "table", "name": "t"}
    beside = {"operator": "join", "of": 1, "with": [{"rows": 10, "kind": "left", "on": ""}]}
    assert holders([*PARTS, table, beside], HELD, ["spark/join/0"]) == {"spark/join/0": 3}


def test_numbers_are_those_of_the_counters(tmp_path: Path) -> None:
    _, query = told(tmp_path)
    state, own = query["state"], counters()
    assert (state["rows_in"], state["rows_out"]) == (own.rows_in, own.rows_out)
    assert state["rows_held"] == own.rows_held
    assert state["out"] == [600, 70, 8]
    assert [each["rows"] for each in state["sources"]] == [12_007, 345]
    assert [each["holds_clock"] for each in state["sources"]] == [False, True]
    assert {each["operator"]: each["rows"] for each in state["held"]} == dict(own.held)
    assert any(sentence.startswith("8 rows of 12,007 of") for sentence in state["why"])
    assert len(query["history"]) == 1


def test_a_batch_that_does_not_end_is_told(tmp_path: Path) -> None:
    for log, numbers in (("offsets", (7, 8)), ("commits", (7,))):
        (tmp_path / log).mkdir()
        for number in numbers:
            noted = json.dumps({"batchTimestampMs": BEGAN_MS})
            (tmp_path / log / str(number)).write_text(f"v1\n{noted}\n", encoding="utf-8")
    _, query = told(tmp_path)
    assert query["state"]["why"][0].startswith("Batch 8 began ")
    # One that is done, and not counted yet, has ended.
    (tmp_path / "commits/8").write_text("v1\n{}", encoding="utf-8")
    _, query = told(tmp_path)
    assert not [each for each in query["state"]["why"] if "Batch 8" in each]


def test_values_of_rows_are_told_only_if_that_was_asked_for(tmp_path: Path) -> None:
    text, query = told(tmp_path)
    assert "bad <img" not in text
    assert "late <img" not in text
    assert query["state"]["sources"][0]["bad_example"] == {"reason": "id is no INT"}
    text, query = told(tmp_path, with_rows=True)
    assert query["state"]["sources"][0]["bad_example"]["record"].startswith("bad <img")
    assert query["state"]["sources"][0]["late_example"].startswith("late <img")
    # Options of a source may hold passwords.
    assert "s3cret" not in text


def test_the_history_is_bounded_and_keeps_both_ends() -> None:
    history = History()
    for number in range(10 * MOST):
        history.add([number])
    times = [point[0] for point in history.points]
    assert len(times) <= MOST
    assert times == sorted(times)
    assert (times[0], times[-1]) == (0, 10 * MOST - 1)


def test_the_page_is_small_and_has_nothing_from_elsewhere() -> None:
    texts = {name: static(name).decode() for name, _ in FILES.values()}
    assert sum(len(text.encode()) for text in texts.values()) < LIMIT
    page = texts["index.html"]
    assert "style=" not in page
    assert "<script>" not in page
    own = [text for name, text in texts.items() if not name.startswith("vendor/")]
    assert not [text for text in own if "https:" in text or "innerHTML" in text]
    folder = Path(__file__).parents[2] / "tvfc_runtime/page/static"
    kept = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert kept == set(texts)


def test_it_is_served_to_this_machine_alone(tmp_path: Path) -> None:
    known = {"job/out": counters()}
    port = serve_page(("127.0.0.1", 0), watched(known, str(tmp_path)))
    for path, (_, kind) in FILES.items():
        with urlopen(f"http://localhost:{port}{path}") as answer:
            assert answer.headers["Content-Security-Policy"] == POLICY
            assert answer.headers["Content-Type"] == kind
    with pytest.raises(HTTPError, match="404"):
        urlopen(f"http://127.0.0.1:{port}/../page/server.py")
    # A foreign name that leads here is another site's, whatever it shows to the browser.
    for host, status in (("elsewhere.example", 403), (f"127.0.0.1:{port}", 200), ("[::1]", 200)):
        connection = HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/", headers={"Host": host})
        assert connection.getresponse().status == status
        connection.close()
    with pytest.raises(HTTPError, match="501"):
        urlopen(f"http://127.0.0.1:{port}/", data=b"change")


def test_news_is_told_as_it_comes(tmp_path: Path) -> None:
    known = {"job/out": counters()}
    shows = watched(known, str(tmp_path))
    shows.look()
    port = serve_page(("127.0.0.1", 0), shows)
    with urlopen(f"http://127.0.0.1:{port}/events") as stream:
        first = [stream.readline() for _ in range(3)]
        assert first[0] == b"event: everything\n"
        known["job/out"] = counters(8)
        shows.look()
        assert stream.readline() == b"event: news\n"
        (query,) = json.loads(stream.readline().removeprefix(b"data: "))["queries"]
        assert query["state"]["batch"] == 8
        assert query["point"][0] == counters(8).began_ms


def test_its_files_are_found_in_the_zip(tmp_path: Path) -> None:
    archive = tmp_path / "tvfc_runtime.zip"
    archive.write_bytes(runtime_zip())
    code = "import sys; sys.path.insert(0, sys.argv[1])\n"
    code += "from tvfc_runtime.page.server import static; print(static('index.html').decode())"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(archive)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "<title>tvfc</title>" in done.stdout
    assert HOSTILE not in done.stdout
