"""Tests that no modules import each other in a circle, not even for types only."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp
import pytest

pytestmark = pytest.mark.lint
PACKAGES = ("inplacelab", "inplacelab_widgets")


def circle(imports: dict[str, set[str]]) -> list[str]:
    """Finds a circle of imports, from a module back to itself; empty if there is none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_no_modules_import_each_other() -> None:
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=False, cache_dir=None)  # a cache may be stale
    assert circle({module: graph.find_modules_directly_imported_by(module) for module in graph.modules}) == []


@pytest.mark.parametrize("imports", [{"a": {"b"}, "b": {"a"}}, {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}])
def test_a_circle_is_found(imports: dict[str, set[str]]) -> None:
    found = circle(imports)
    assert found[0] == found[-1]
    assert {"a", "b"} <= {*found}
