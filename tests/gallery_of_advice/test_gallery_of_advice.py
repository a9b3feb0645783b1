"""The gallery of programs with the right answer for each of their operations that has an in-place form.

An answer is in a comment: `# relu: may; mul: kept`, in any order. These are the answers: "may" is offered; the reason why the operand may not be
overwritten (`overwriting.Why`); "copy", its in-place form would save a copy; "zero", it saves nothing otherwise; "conflict", only without another one;
"no form", the text does not show how. A line without such a comment has no such operation.
"""

from __future__ import annotations

import io
import random
import re
import tokenize
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inplacelab.recording.savings.advice import Advice, advice, overwritten_names
from inplacelab.recording.savings.sites import Site
from inplacelab.recording.source_tree import applied
from tests.recorders import runs

FOLDER = Path(__file__).parent
FRAMEWORKS = {"engine": "inplacelab", "torch_names": "inplacelab.torch", "torch": "torch", "paddle": "paddle"}
PROGRAMS = sorted(FOLDER.glob("*/*.py"))
_ANSWER = re.compile(
    r"(\w+): (may|copy|zero|conflict|no form|shape|dtype|expanded|leaf|views|history|rounds|kept|read|written|lives)"
)


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def answers(text: str) -> dict[int, list[tuple[str, str]]]:
    """The marks of a program, by lines."""
    found = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and _ANSWER.search(token.string):
            found[token.start[0]] = sorted(_ANSWER.findall(token.string))
    return found


def answer(site: Site, found: Advice) -> str:
    if site in found.offered:
        return "may"
    if site.obstacle is not None:
        return str(site.obstacle.why)
    if site.node is None:
        return "no form"
    if all(each.copies for each in site.calls):
        return "copy"
    return "conflict" if site.bytes else "zero"


def recorded(path: Path) -> tuple[str, Advice]:
    framework = FRAMEWORKS[path.parent.name]
    if framework in {"torch", "paddle"}:
        pytest.importorskip(framework)
    text = path.read_text(encoding="utf-8")
    with redirect_stdout(io.StringIO()):
        run = runs.run(text, framework)
    assert run.failure is None
    return text, advice(run.recording, ends=True)


@pytest.mark.parametrize("path", PROGRAMS, ids=name_of)
def test_every_operation_has_the_right_answer(path: Path) -> None:
    text, found = recorded(path)
    given: dict[int, list[tuple[str, str]]] = {}
    for site in found.sites:
        given.setdefault(site.line, []).append((site.op, answer(site, found)))
    assert {line: sorted(each) for line, each in given.items()} == answers(text)


@pytest.mark.parametrize("path", PROGRAMS, ids=name_of)
def test_with_all_that_is_offered_the_results_are_equal_to_the_bit(path: Path) -> None:
    text, found = recorded(path)
    assert found.offered, "a program of the gallery has something that may be written in place"
    edited = applied(text, found.edits)
    but = overwritten_names(found.recording, found.offered)
    before, after = (results(path, each) for each in (text, edited))
    assert {name: each for name, each in before.items() if name not in but} == {
        name: each for name, each in after.items() if name not in but
    }


def results(path: Path, text: str) -> dict[str, Any]:
    """What a program has printed, and the bits of its named tensors and of their gradients."""
    printed = io.StringIO()
    random.seed(0)
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names, error = runs.plain(text, FRAMEWORKS[path.parent.name])
        assert error is None, text
        tensors = {name: each for name, each in names.items() if hasattr(each, "numpy")}
        modules = [each for each in names.values() if hasattr(each, "parameters") and not isinstance(each, type)]
        tensors |= {f"{k} {j}": each for k, module in enumerate(modules) for j, each in enumerate(module.parameters())}
        tensors |= {f"{name}.grad": each.grad for name, each in tensors.items() if each.grad is not None}
        bits = {name: np.asarray(each.detach().numpy()).tobytes() for name, each in tensors.items()}
    return {"printed": printed.getvalue(), **bits}


def test_the_gallery_has_an_example_of_each_answer() -> None:
    given = {
        said for path in PROGRAMS for line in answers(path.read_text(encoding="utf-8")).values() for _, said in line
    }
    assert given >= {
        "may",
        "kept",
        "read",
        "leaf",
        "views",
        "expanded",
        "shape",
        "dtype",
        "copy",
        "conflict",
        "no form",
    }
