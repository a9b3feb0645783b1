"""Tests `inplacelab.advise`: what a block may write in place is said when it ends, and nothing else changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab
from inplacelab.language import speak

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
F: Any = torch.nn.functional
pytestmark = pytest.mark.oracle


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    with speak("en"):
        yield


def test_a_block_says_what_may_be_written_in_place(capsys: pytest.CaptureFixture[str]) -> None:
    layer = torch.nn.Linear(16, 16)
    with inplacelab.advise() as found:
        h = F.dropout(layer(torch.ones(8, 16)), 0.5)
        loss = (h * h).sum()
        loss.backward()
    assert found.advice is not None
    assert [each.code for each in found.advice.offered] == ["F.dropout(layer(torch.ones(8, 16)), 0.5)"]
    assert [each.text for each in found.advice.edits] == ["F.dropout(layer(torch.ones(8, 16)), 0.5, inplace=True)"]
    said = capsys.readouterr().out
    assert "F.dropout(layer(torch.ones(8, 16)), 0.5)" in said
    assert "not tried" in said.lower()


def test_what_is_alive_after_the_block_is_not_overwritten() -> None:
    with inplacelab.advise() as found:
        x = torch.ones(64)
        y = x * 2
    assert found.advice is not None
    assert not found.advice.offered
    assert [each.obstacle and each.obstacle.why for each in found.advice.sites] == ["lives"]
    assert y[0] == 2 * x[0]


def test_a_value_that_numpy_reads_later_is_not_overwritten() -> None:
    with inplacelab.advise() as found:
        x = torch.ones(64)
        y = x * 2
        total = np.sum(x.numpy())
        del x
    assert found.advice is not None
    assert not found.advice.offered
    assert total == len(y)


def test_an_error_leaves_the_block_and_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    found = inplacelab.advise()
    with pytest.raises(RuntimeError), found:
        (torch.ones(4) * 2).relu().view(3)
    assert found.advice is None
    assert found.recording is not None
    assert not capsys.readouterr().out


def test_a_notebook_has_the_picture_too(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[dict[str, str]] = []
    monkeypatch.setattr("inplacelab.showing._is_notebook", lambda: True)
    monkeypatch.setattr("IPython.display.display", lambda data, **_: shown.append(data))
    with inplacelab.advise():
        (torch.ones(4) * 2).relu().sum()
    assert "not tried" in capsys.readouterr().out.lower()
    assert [set(each) for each in shown] == [{"text/plain", "text/html"}]
    assert shown[0]["text/html"].startswith("<img")


def test_what_was_there_before_the_block_is_not_counted() -> None:
    old = torch.ones(4096)
    part = old[:16]
    with inplacelab.advise() as found:
        y = torch.ones(16)
        z = y + part
    assert found.advice is not None
    assert found.advice.before.peak == y.nbytes + z.nbytes


def test_the_lines_of_a_block_are_explained_only_where_there_are_some(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.ones(16)
    with inplacelab.advise():
        y = x * 2
        z = y.relu()
        del y
        z.sum()
    assert "Its line 1 is line" in capsys.readouterr().out
    with inplacelab.advise():
        computed(x.requires_grad_())
    said = capsys.readouterr().out
    assert "Its line 1 is line" not in said
    assert re.search(r"`ReluBackward0` \(line \d+ of `test_advise.py`\) keeps `z`", said)


def computed(x: Any) -> Any:
    y = x * 2
    z = y.relu()
    del y
    return (z - 1).sum()
