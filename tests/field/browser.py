"""Chromium without a window, driven through WebDriver; `.ci/browser` finds or installs it."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By

ROOT = Path(__file__).parent.parent.parent
PATIENCE_S = 60


@contextmanager
def browser() -> Iterator[webdriver.Chrome]:
    """A browser of its own, which is gone when the block ends."""
    found = subprocess.run(
        [str(ROOT / ".ci/browser")], capture_output=True, text=True, check=False, timeout=600
    )
    assert found.returncode == 0, found.stderr
    binary, driver = found.stdout.splitlines()
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    # Root and small shared memories, as in containers, are nothing that Chromium likes.
    for each in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "disable-gpu"):
        options.add_argument(f"--{each}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield opened
    finally:
        opened.quit()


def look_at(opened: webdriver.Chrome, width: int, *, dark: bool = False) -> None:
    """A window of a width, in light or dark colours."""
    size = {"width": width, "height": 1_600, "deviceScaleFactor": 1, "mobile": False}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def complaints(opened: webdriver.Chrome) -> list[str]:
    """What the page has written to the console, errors of its policy among them."""
    found = opened.execute("getLog", {"type": "browser"})["value"]
    return [str(each["message"]) for each in found]


def text_of(opened: webdriver.Chrome, selector: str) -> str:
    """The text of the first element that fits, as it is in the document."""
    element = opened.find_element(By.CSS_SELECTOR, selector)
    return str(element.get_attribute("textContent"))


def texts_of(opened: webdriver.Chrome, selector: str) -> list[str]:
    """The texts of all elements that fit."""
    script = "return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)"
    return list(opened.execute_script(script, selector))


def until(opened: webdriver.Chrome, is_so: Callable[[webdriver.Chrome], Any]) -> Any:
    """Wait until something holds for a page, and give what that was."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            found = is_so(opened)
        except StaleElementReferenceException:
            found = None
        if found:
            return found
        assert time.monotonic() < deadline, f"not within {PATIENCE_S} s; {complaints(opened)}"
        time.sleep(0.05)
