"""Where a program of this package's engine may write in place: what is offered is tried, and its memory is what the ledger counts."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from inplacelab.diagnosis.advise import Advising
from inplacelab.diagnosis.trials import NotTriedError, Trials

CHAINS = {
    "inplacelab": "import inplacelab as paddle\nh = paddle.ones([1000]) * 2\nh = paddle.nn.functional.relu(h)\nh = h + 1\nprint(h.sum())\n",
    "inplacelab.torch": "import inplacelab.torch as torch\nact = torch.nn.ReLU()\nh = torch.ones(1000) * 2\nh = act(h)\nh = h + 1\nprint(h.sum())\n",
}  # fmt: skip


@pytest.mark.parametrize("framework", CHAINS)
def test_the_peak_falls_by_what_was_said(framework: str, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(CHAINS[framework], encoding="utf-8")
    found = Advising(Trials(script, [], framework=framework, seconds=60), 60).advice()
    assert len(found.offered) == 3
    assert found.measured is not None
    assert found.measured.differing == ()
    assert (found.measured.peak, found.measured.peak_after) == (8000, 4004)
    assert (found.before.peak, found.after.peak) == pytest.approx((8000, 4004), rel=0.02)


def test_a_program_that_is_random_in_itself_is_not_tried(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    assert random.SystemRandom().random() != random.SystemRandom().random()
    text = "import random\nimport inplacelab as paddle\nx = paddle.ones([3]) * random.SystemRandom().random()\ny = paddle.exp(x)\n"
    script.write_text(text, encoding="utf-8")
    with pytest.raises(NotTriedError, match="does not give the same results"):
        Advising(Trials(script, [], framework="inplacelab", seconds=60), 60).advice()
