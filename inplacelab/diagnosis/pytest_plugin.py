"""The option `--explain` of pytest: a test that fails in backward says which lines kept and overwrote what it needed."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares the option."""
    parser.addoption(
        "--explain",
        action="store_true",
        help="say which line kept, and which overwrote, what a failing backward needed",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Watches tests if the option is given; otherwise nothing of this package is called, or in a traceback."""
    if config.getoption("--explain"):
        config.pluginmanager.register(_Watching())


class _Watching:
    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Watches a test. What is found out is a note of its error."""
        from inplacelab.diagnosis.explain import explain, framework_to_watch  # noqa: PLC0415  # only if it is asked for
        from inplacelab.diagnosis.findings import completed  # noqa: PLC0415
        from inplacelab.diagnosis.report import report  # noqa: PLC0415
        from inplacelab.recorders.detection import framework_used  # noqa: PLC0415
        from inplacelab.recorders.sources import parsed  # noqa: PLC0415
        from inplacelab.supported import frameworks  # noqa: PLC0415

        text = item.path.read_text(encoding="utf-8") if item.path.suffix == ".py" else ""
        framework = framework_to_watch(framework_used(parsed(text), {}).framework)
        if not frameworks()[framework].is_watched:
            return (yield)
        watching = explain(framework, str(item.path))
        try:
            with watching:
                return (yield)
        finally:  # a gradient that is wrong without an error makes another line of the test fail
            wrong = [report(completed(each)) for each in watching.failures if each.error is None]
            if wrong:
                item.add_report_section("call", "explain", "\n\n".join(dict.fromkeys(wrong)))
