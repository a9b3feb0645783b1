"""The budget: a package grows and a walk gets longer for a reason that is written down; what has become smaller stays so."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.reading import GENERATED, Size, code_lines, sizes
from tests.project import budget

MODULE = '''"""A docstring."""

# a comment
x = (
    1
)


def f():
    """Another."""
    return """a text

in three lines"""
'''


@pytest.mark.standard
def test_nothing_has_grown_without_a_reason_and_what_shrank_stays_small() -> None:
    """Make it smaller, or run `python -m tests.project.budget`, which asks for the reason."""
    now, then = budget.measured(), budget.allowed()
    comparable = {name: each for name, each in then.items() if name in now or "PyTorch" not in name}
    assert budget.larger(now, then) == []
    assert budget.smaller(now, comparable) == []


def test_each_entry_says_why() -> None:
    assert [name for name, each in budget.allowed().items() if not str(each["why"]).strip()] == []


def test_what_is_a_line_of_code(tmp_path: Path) -> None:
    assert code_lines(MODULE) == 7
    for name, text in {
        "a/one.py": MODULE,
        "a/b/two.py": "x = 1\n",
        "three.py": f"{GENERATED[0]}x\nx = 1\n",
        "four.py": "x = 1\n",
    }.items():
        path = tmp_path / "inplacelab" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert sizes(tmp_path) == {"a": Size(8, 2), "inplacelab": Size(1, 1)}


def test_a_rise_needs_a_reason_and_keeps_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "budget.toml"
    figures: budget.Table = {"a": {"lines": 1000, "modules": 7}, "a walk": {"functions": 40}}
    monkeypatch.setattr(budget, "measured", lambda: figures)
    assert budget.main([], file) == 1
    assert budget.main(["--why", "the first"], file) == 0
    figures["a"]["lines"] = 1020  # within the tolerance: as much as a commit or two
    assert budget.main([], file) == 0
    figures["a walk"]["functions"] = 47
    assert budget.main([], file) == 1
    assert budget.main(["--why", "it is checked, too"], file) == 0
    assert {name: each["why"] for name, each in budget.allowed(file).items()} == {
        "a": "the first",
        "a walk": "it is checked, too",
    }
    figures["a"]["lines"] = 900
    assert budget.smaller(figures, budget.allowed(file)) == ["a: lines 1020 -> 900"]
    del figures["a"]
    assert budget.smaller(figures, budget.allowed(file)) == ["a: lines 1020 -> gone", "a: modules 7 -> gone"]
