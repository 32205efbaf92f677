"""The page of a job in a real browser: what it shows, and that nothing from outside becomes markup.

`-m field` runs the test in which a job does it, under Spark, from its zip.
"""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from field.browser import browser, complaints, look_at, text_of, texts_of, until
from field.watching import HOSTILE, PARTS, counters, watched
from run.jobs import compile_job, program, run, started, wait_for_batches, write_feed

from tvfc_runtime.page.server import serve_page

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

SEEN = HOSTILE.replace("\ud800", "?")
"""A lone half of a character is none."""

QUERY = """CREATE SOURCE events (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in', maxFilesPerTrigger '1');
CREATE SOURCE others (id INT, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL 5 SECONDS)
USING json OPTIONS (path 'others', maxFilesPerTrigger '1');
CREATE SINK `<b>out</b>` USING json OPTIONS (path 'out') AS
SELECT e.id, e.ts FROM events e JOIN others o ON e.id = o.id AND o.at BETWEEN e.ts AND e.ts
WHERE e.ts + INTERVAL 25 SECONDS <= WATERMARK_TS();
CREATE SINK refused USING json OPTIONS (path 'refused') AS SELECT * FROM LATE(events);
"""


@pytest.fixture(scope="module")
def opened() -> Iterator[Chrome]:
    with browser() as found:
        yield found


@pytest.mark.slow
def test_what_the_page_shows(opened: Chrome, tmp_path: Path) -> None:
    known = {"job/out": counters()}
    shows = watched(known, str(tmp_path))
    shows.look()
    place = f"http://127.0.0.1:{serve_page(('127.0.0.1', 0), shows)}/"
    for width, dark in ((1_400, False), (390, True)):
        look_at(opened, width, dark=dark)
        opened.get(place)
        until(opened, lambda page: texts_of(page, ".plan .node .line0"))
        until(opened, lambda page: texts_of(page, ".chart canvas"))
        assert not complaints(opened)
        wide = "return document.documentElement.scrollWidth"
        assert opened.execute_script(wide) <= width
        light = "return getComputedStyle(document.body).backgroundColor"
        assert (opened.execute_script(light) == "rgb(246, 247, 249)") != dark
    assert numbers(opened) == ["12,352", "1,053", "678", "8", "3"]
    assert text_of(opened, "h1") == f"job {SEEN}"
    names = texts_of(opened, "td:first-child")
    assert names[:2] == [SEEN, "orders holds the clock back"]
    (due,) = texts_of(opened, ".due figcaption")
    waiting = sum(rows for _, rows in counters().due["delay/4"])
    assert due.startswith(f"About {waiting:,} rows due from 2023-11-14 22:12:00 to ")
    assert len(texts_of(opened, ".due rect title")) == 30
    nodes = len(texts_of(opened, ".node"))
    assert nodes == len(PARTS) - 1
    # The name is text wherever it stands: there is no such element, and its handler has not run.
    assert not texts_of(opened, "img")
    assert opened.title == f"job {SEEN} · tvfc"
    assert "bad <img" not in opened.page_source

    known["job/out"] = counters(8)
    shows.look()
    until(opened, lambda page: text_of(page, '[data-tile="read"]') == "12,353")
    opened.execute_script("document.querySelectorAll('.node')[2].dispatchEvent(new Event('click'))")
    assert "at #1.ts + interval 5 minute if (#1.paid > 0)" in texts_of(opened, ".facts dd")
    assert not complaints(opened)


def test_what_breaks_the_policy_would_be_seen(opened: Chrome, tmp_path: Path) -> None:
    shows = watched({"job/out": counters()}, str(tmp_path), with_rows=True)
    shows.look()
    opened.get(f"http://127.0.0.1:{serve_page(('127.0.0.1', 0), shows)}/")
    until(opened, lambda page: f"bad {SEEN}" in texts_of(page, ".facts dd"))
    assert f"late {SEEN}" in texts_of(opened, ".facts dd")
    assert not complaints(opened)
    add = "const it = document.createElement('script'); it.textContent = 'document.title = 1';"
    opened.execute_script(f"{add} document.body.append(it)")
    (complaint,) = complaints(opened)
    assert "Content Security Policy" in complaint
    assert opened.title != "1"


@pytest.mark.field
@pytest.mark.spark
def test_a_job_shows_what_it_counts(opened: Chrome, tmp_path: Path) -> None:
    write_feed(tmp_path / "in", files=6, late=True)
    (tmp_path / "others").mkdir()
    lines = (json.dumps({"id": number, "at": moment(number)}) for number in range(60))
    (tmp_path / "others/0.json").write_text("\n".join(lines), encoding="utf-8")
    with (tmp_path / "in/0005.json").open("a", encoding="utf-8") as file:
        file.write('\n{"id": "<img src=x>"}\n')
    # Beside one file of today, Spark would pass over others that are years old.
    os.utime(tmp_path / "in/0005.json", (1_600_000_005, 1_600_000_005))
    job = compile_job(tmp_path, QUERY)
    log = tmp_path / "log"
    options = ("--master", "local[2]", "--ui", "0", "--ui-rows")
    with started(program(job, *options), log) as process:
        wait_for_batches(process, tmp_path / "checkpoint", 6)
        (place,) = re.findall(r"page at (http:\S+)", log.read_text(encoding="utf-8"))
        opened.get(place)
        until(opened, lambda page: texts_of(page, '[data-tile="bad"]') == ["1"])
        until(opened, lambda page: texts_of(page, '[data-tile="read"]') == [counted(tmp_path)[0]])
        assert numbers(opened) == counted(tmp_path)
        assert texts_of(opened, ".facts dd")[:1] == ['{"id":-5,"ts":"2023-11-14T22:13:19.000Z"}']
        assert '{"id": "<img src=x>"}' in texts_of(opened, ".facts dd")
        assert not complaints(opened)
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0, log.read_text(encoding="utf-8")[-3000:]
        until(opened, lambda page: "not connected" in text_of(page, "#link"))
    # The same query goes on where values are not shown: what is observed is no state.
    before = counters_of(tmp_path)["rows_in"]
    write_feed(tmp_path / "in", files=1, first=6)
    assert run(program(job, "--master", "local[2]", "--available-now"), log) == 0
    assert counters_of(tmp_path)["rows_in"] == before + 10


def numbers(page: Chrome) -> list[str]:
    names = ("read", "held", "written", "late", "bad")
    return [text_of(page, f'[data-tile="{name}"]') for name in names]


def counted(folder: Path) -> list[str]:
    """The same of the newest counters in the checkpoint."""
    own = counters_of(folder)
    late, bad = sum(own["late"].values()), sum(own["bad"].values())
    all_of_it = (own["rows_in"], own["rows_held"], own["rows_out"], late, bad)
    return [f"{number:,}" for number in all_of_it]


def counters_of(folder: Path) -> dict[str, Any]:
    newest = max((folder / "checkpoint/tvfc/batches").glob("[0-9]*"), key=lambda it: int(it.name))
    return dict(json.loads(newest.read_text(encoding="utf-8")))


def moment(second: int) -> str:
    return f"2023-11-14T22:{13 + (20 + second) // 60:02}:{(20 + second) % 60:02}Z"
