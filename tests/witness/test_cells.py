"""Cells as people write them run, are recorded as they ran, and read well; what is refused names the lines, and its fix helps."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.recording.sentences import sentence
from inplacelab_widgets import Stepper
from tests.witness.cells import CELLS, HEAD, MISTAKES, Mistake
from tests.witness.trial import differences, stepped

mistakes = pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())


@pytest.fixture(autouse=True, scope="module")
def _out_of_sight() -> Iterator[None]:
    yield
    gc.unfreeze()


@pytest.mark.standard
@pytest.mark.parametrize("text", CELLS.values(), ids=CELLS.keys())
def test_a_cell_is_recorded_as_it_ran(text: str) -> None:
    assert differences(HEAD + text) == []


@pytest.mark.standard
@pytest.mark.parametrize("text", CELLS.values(), ids=CELLS.keys())
def test_a_cell_reads_well(text: str) -> None:
    recording, (_, _, error, _) = stepped(HEAD + text)
    assert error == "NoneType"
    markdown = Stepper(recording).to_markdown()
    for index in range(len(recording)):
        said = sentence(recording, index)
        assert said.en.strip()
        assert said.zh.strip()
    assert recording.source.splitlines()[-1] in markdown


@mistakes
def test_a_mistake_is_explained(mistake: Mistake) -> None:
    recording, _ = stepped(mistake.text.join(("import inplacelab as paddle, inplacelab.nn as nn; ", "")))
    error = recording.steps[-1].error
    assert error is not None
    assert error.fix is not None
    notes = " ".join(note.en.lower() for note in error.notes)
    assert all(name in notes for name in mistake.names), notes


@mistakes
def test_the_fix_helps(mistake: Mistake) -> None:
    names: dict[str, Any] = {}
    exec(HEAD + mistake.fixed, names)
    assert paddle.is_grad_enabled()
