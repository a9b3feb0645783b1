"""Shared fixtures: a Chromium, where there is one; which tests the tier of this run leaves out; and what no test needs."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

from inplacelab.language import set_language
from tests import tiers

# The texts that tests compare are English, whatever the locale: here, and in the programs that tests start.
os.environ["INPLACELAB_LANGUAGE"] = "en"
set_language("en")

# nbformat imports jsonschema, and that, if this is installed, compiles 38 grammars for kinds of addresses that no notebook has: four
# seconds in every process that runs tests.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

# The same examples on every machine and in every run, however long one takes: what is tested is the code, not the machine.
settings.register_profile(
    "steady",
    derandomize=True,
    deadline=None,
    max_examples=tiers.examples(100),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM_ON_MACOS = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
# No sandbox: the tests may run as root. The rest keeps the browser from talking to anybody by itself.
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Examples in docstrings are the package's: none is looked for in tests, and no helper of theirs imported for it."""
    found = yield
    return [collector for collector in found if not isinstance(collector, DoctestModule)]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what a larger tier runs."""
    left_out = [item for item in items if not tiers.runs(mark.name for mark in item.iter_markers())]
    if left_out:
        without = {*left_out}
        items[:] = [item for item in items if item not in without]
        config.hook.pytest_deselected(items=left_out)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Sum up the skipped tests by reason, one line each."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(
        report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr) for report in skipped
    )
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} skipped: {reason.removeprefix('Skipped: ')}")


@pytest.fixture(autouse=True, scope="module")
def _out_of_the_collectors_sight() -> None:
    """Whatever is there when the tests of a file begin: thousands of tests, and other frameworks. To go through all of it takes the
    garbage collector a tenth of a second and more, and it is asked for each recording.
    """
    gc.collect()
    gc.freeze()


class _SlowBrowser:
    """A Chromium in whose pages everything that may come late does."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser

    def new_context(self, **options: Any) -> Any:
        context = self._browser.new_context(**options)
        context.add_init_script(path=Path(__file__).with_name("latency.js"))
        return context

    def new_page(self, **options: Any) -> Any:
        page = self._browser.new_page(**options)
        page.add_init_script(path=Path(__file__).with_name("latency.js"))
        return page


def _find_chromium() -> str | None:
    named = os.environ.get("CHROMIUM")
    installed = (shutil.which(name) for name in CHROMIUM_NAMES)
    on_macos = str(CHROMIUM_ON_MACOS) if CHROMIUM_ON_MACOS.exists() else None
    return named or next(filter(None, installed), on_macos)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A running Chromium (Playwright's `Browser`), for tests marked `browser` or `e2e`."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs Playwright: python -m pip install --group e2e", exc_type=ImportError
    )
    executable = _find_chromium()
    if executable is None:
        pytest.skip("needs Chromium on the PATH or named by $CHROMIUM; on Debian: apt-get install chromium")
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=executable, args=list(CHROMIUM_FLAGS))
        yield _SlowBrowser(browser) if os.environ.get("SLOW_BROWSER") else browser
        browser.close()
