"""Fixtures: the site, built with a Pyodide of its own, served on this machine, and opened in a Chromium that reaches nothing else."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import make_site
from playground import BuildError
from serve import Server
from settings import Settings

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build" / "site-test"
"""What the tests download and build is kept here, since both take long. git ignores it."""
PATIENCE = 60_000
"""Milliseconds for the first load of Python, on a machine that runs other tests too."""


def _beside(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"site_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class Visitor:
    """A browser's profile that reaches this machine only, and remembers what it was refused and what went wrong."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.outside: list[str] = []
        self.errors: list[str] = []
        context.route(lambda url: not url.startswith(("http://127.0.0.1", "blob:", "data:")), self._refuse)

    def _refuse(self, route: Any) -> None:
        self.outside.append(route.request.url)
        route.abort()

    def open(self, url: str) -> Any:
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(url)
        return page


@pytest.fixture(scope="session")
def pyodide() -> Path:
    """The folder of a Pyodide with NumPy."""
    fixture = _beside("pyodide_fixture")
    try:
        found: Path = fixture.pyodide_in(WORK)
    except fixture.NotToBeHadError as error:
        pytest.skip(str(error))
    return found


@pytest.fixture(scope="session")
def build_site(pyodide: Path) -> Callable[..., Path]:
    """Returns a function that builds parts of the site with this Pyodide."""

    def build(*parts: str) -> Path:
        output = WORK / "-".join(parts)
        output.mkdir(parents=True, exist_ok=True)
        if not (output / "pyodide").exists():
            shutil.copytree(pyodide, output / "pyodide", copy_function=_linked)
        try:
            return make_site.build(Settings.of(output, "pyodide/"), parts)
        except BuildError as error:
            pytest.skip(str(error))

    return build


def _linked(source: str, target: str) -> None:
    Path(target).hardlink_to(source)


@pytest.fixture(scope="session")
def playground_site(build_site: Callable[..., Path]) -> Path:
    """The folder of a site with the playground."""
    return build_site("playground")


@pytest.fixture(scope="session")
def playground_url(playground_site: Path) -> Iterator[str]:
    """The address of the playground."""
    server = Server(playground_site)
    server.start()
    yield f"{server.url}playground/"
    server.shut()


@pytest.fixture
def serve() -> Callable[[Path], Any]:
    """Returns a context manager that serves a folder."""

    @contextmanager
    def serving(folder: Path) -> Iterator[Server]:
        server = Server(folder)
        server.start()
        try:
            yield server
        finally:
            server.shut()

    return serving


@pytest.fixture
def visitor(chromium: Any) -> Iterator[Callable[..., Visitor]]:
    """Returns a function that opens a new profile. At the end, no page may have failed or asked for another host."""
    opened: list[Visitor] = []

    def visit(**options: Any) -> Visitor:
        made = Visitor(chromium.new_context(**{"viewport": {"width": 1280, "height": 800}, **options}))
        made.context.set_default_timeout(PATIENCE)
        opened.append(made)
        return made

    yield visit
    for each in opened:
        each.context.close()
    assert [error for each in opened for error in each.errors] == []
    assert [url for each in opened for url in each.outside] == []


# The editor scrolls with the cursor, which the keyboard moves; axe sees a scrolled region that cannot be reached.
_RUN_AXE = """async () => (await axe.run(document, { resultTypes: ['violations'], rules: { 'scrollable-region-focusable': { enabled: false } } })).violations
    .map(each => `${each.id}: ${each.nodes.map(node => node.html.slice(0, 120)).join(' | ')}`)"""


@pytest.fixture(scope="session")
def axe_page() -> Callable[[Any], list[str]]:
    """Returns a function that runs axe-core on a whole page."""
    found = pytest.importorskip("axe_playwright_python", reason="needs axe-core", exc_type=ImportError)

    def complaints(page: Any) -> list[str]:
        page.evaluate(Path(found.__file__).with_name("axe.min.js").read_text(encoding="utf-8"))
        return list(page.evaluate(_RUN_AXE))

    return complaints
