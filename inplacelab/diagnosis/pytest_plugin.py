"""The option `--explain` of pytest: a test that fails in backward says which lines kept and overwrote what it needed."""

from __future__ import annotations

from collections.abc import Generator
from importlib.util import find_spec
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares the option."""
    parser.addoption(
        "--explain",
        action="store_true",
        help="say which line kept, and which overwrote, what a failing backward needed",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Watches a test. What is found out is a note of its error."""
    if not item.config.getoption("--explain") or find_spec("torch") is None:
        return (yield)
    from inplacelab.diagnosis.explain import explain  # noqa: PLC0415  # only if it is asked for

    with explain():
        return (yield)
