"""Where a PyTorch program may write in place: what is found and offered, tried in processes."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from inplacelab.diagnosis import advise  # noqa: E402
from inplacelab.diagnosis.advise import Advising, advise_script  # noqa: E402
from inplacelab.diagnosis.trials import Trials  # noqa: E402
from inplacelab.recording.fixes.spots import changed  # noqa: E402
from inplacelab.recording.savings.advice import Advice  # noqa: E402

pytestmark = pytest.mark.oracle

_LOOP = """
opt = torch.optim.SGD(net.parameters(), 0.1)
for i in range(2):
    loss = net(torch.rand(2, 4, 8, 8)).square().sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
"""


def advised(folder: Path, text: str, loop: str = _LOOP) -> Advice:
    """Returns where a program may write in place."""
    script = folder / "train.py"
    script.write_text("import copy\nimport torch\nfrom torch import nn\n" + textwrap.dedent(text) + loop)
    return advise_script(script, [], framework="torch", seconds=120)


def after(found: Advice) -> str:
    """Returns the text with what is offered."""
    [(_, text)] = changed(found.edits, lambda _: found.recording.source).values()
    return text


def test_module_of_several_classes_constructed_at_one_place(tmp_path: Path) -> None:
    found = advised(
        tmp_path,
        """
        def block(act, **more):
            return nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), act(**more))

        net = nn.Sequential(block(nn.ReLU, inplace=False), block(nn.LeakyReLU), block(nn.Hardswish, inplace=False))
        """,
    )
    [site] = found.offered
    assert (site.code, len(site.calls)) == ("act(**more)", 6)
    assert 'act(**{**more, "inplace": True})' in after(found)


def test_copy_of_a_module_is_constructed_where_its_original_is(tmp_path: Path) -> None:
    found = advised(
        tmp_path,
        """
        first = nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU())
        net = nn.Sequential(first, copy.deepcopy(first))
        """,
    )
    [site] = found.offered
    assert (site.code, len(site.calls)) == ("nn.ReLU()", 4)


def test_module_that_a_library_constructs_has_no_place(tmp_path: Path) -> None:
    found = advised(tmp_path, "net = nn.TransformerEncoderLayer(8, 2, 8)", _LOOP.replace("2, 4, 8, 8", "2, 4, 8"))
    assert [each.node for each in found.sites if each.op == "dropout"] == [None]


def test_recording_that_ends_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advise, "PASSES", 1)
    found = advised(tmp_path, "net = nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU())")
    assert [each.code for each in found.offered] == ["nn.ReLU()"]
    assert found.measured is not None and found.measured.early
