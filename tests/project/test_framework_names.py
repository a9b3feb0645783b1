"""All that the package knows of a framework is in its folder in `inplacelab/frameworks/`: no other code asks which one it has by its name."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from inplacelab.supported import frameworks
from tests.project.sources import nodes_of

ROOT = Path(__file__).parents[2]
PRODUCT = sorted([*ROOT.glob("inplacelab/**/*.py"), *ROOT.glob("widgets/inplacelab_widgets/**/*.py")])
MAY = {
    "inplacelab/frameworks": "the objects themselves, and what records programs of each",
    "inplacelab/lessons/differences": "a table of what frameworks answered to the same programs",
    "inplacelab/dtypes.py": "`numpy` is an attribute of a dtype, in `__slots__`",
    "inplacelab/diagnosis/document.py": "the key of this package's version in JSON",
    "inplacelab/diagnosis/advice_document.py": "the same",
    "inplacelab/recording/savings/overwriting.py": "`numpy` is a method of tensors, and what a program calls an array library",
    "inplacelab/ops/template/__init__.py": "the module that generated functions say they are from: this package",
}
"""Where such a name may stand, and why."""
COMPARES = {
    ast.Compare: ("left", "comparators"), ast.Dict: ("keys",), ast.Tuple: ("elts",), ast.List: ("elts",), ast.Set: ("elts",),
    ast.MatchValue: ("value",), ast.BoolOp: ("values",), ast.Subscript: ("slice",), ast.arguments: ("defaults", "kw_defaults"),
}  # fmt: skip
"""What compares a name, has it as a key or a default, or lists it: the fields of these nodes."""
ASKS = {"startswith", "endswith", "get", "index", "count", "removeprefix"}
"""Methods that compare their arguments."""


pytestmark = pytest.mark.lint


def names_compared(nodes: Iterable[ast.AST], names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yields the lines on which the name of a framework is compared, is a key or stands in a list, and the names."""
    known = set(names)
    for node in nodes:
        fields = COMPARES.get(type(node), ())
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ASKS:
            fields = ("args",)
        for found in (getattr(node, field) for field in fields):
            for each in found if isinstance(found, list) else [found]:
                if isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value in known:
                    yield each.lineno, each.value


def may(path: Path) -> bool:
    """Whether names may stand in a file."""
    return any(path == place or place in path.parents for place in (ROOT / each for each in MAY))


def test_no_code_asks_for_a_framework_by_its_name() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name!r}"
        for path in PRODUCT
        if not may(path)
        for line, name in names_compared(nodes_of(path), frameworks())
    ]
    assert not found, "ask the object of the framework instead (inplacelab/supported.py):\n" + "\n".join(found)


@pytest.mark.parametrize("place", MAY)
def test_each_exception_is_needed(place: str) -> None:
    files = [path for path in PRODUCT if path == ROOT / place or ROOT / place in path.parents]
    found = [each for path in files for each in names_compared(nodes_of(path), frameworks())]
    assert found


def test_to_know_the_frameworks_none_is_imported() -> None:
    program = "import sys\nfrom inplacelab.supported import frameworks\nprint(len(frameworks()), {'torch', 'paddle'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == f"{len(frameworks())} set()\n"


@pytest.mark.parametrize(
    "line",
    [
        'a == "paddle"', '"torch" != a', 'a in ("paddle", b)', 'a in ["numpy"]', 'x = {"inplacelab.torch"}', 'x = frozenset({"numpy"})',
        'x = {"paddle": 1}', 'x["torch"]', 'a or "paddle"', 'a.startswith("inplacelab.torch")', 'x.get("torch")', 'def f(a="torch"): ...',
        'def f(*, a="torch"): ...', 'match a:\n    case "paddle": ...', 'match a:\n    case "torch" | "paddle": ...', 'f(a, [b, ("numpy",)])',
    ],
)  # fmt: skip
def test_a_name_is_found(line: str) -> None:
    assert list(names_compared(ast.walk(ast.parse(line)), frameworks()))


@pytest.mark.parametrize(
    "line", ['a == "paddles"', "import torch", 'f("paddle")', '"""torch"""', 'a = "numpy"', "a == numpy"]
)
def test_a_name_that_is_not_asked_for_is_none(line: str) -> None:
    assert not list(names_compared(ast.walk(ast.parse(line)), frameworks()))
