"""What a recorder infers a node to have saved is marked so in the facts, in JSON and in the text."""

from __future__ import annotations

import numpy as np
import pytest

from inplacelab.layout import Layout
from inplacelab.place import Place
from inplacelab.recorders import events
from inplacelab.recorders.builder import build
from inplacelab.recorders.events import INFERRED, OBSERVED, Operand, Origin
from inplacelab.recorders.snapshots import Whole
from inplacelab.recording import Recording, from_json, to_json
from inplacelab.recording.facts import SourceFacts
from inplacelab_widgets import to_text

LAYOUT = Layout((2,), (1,), 0)
X, Y = Operand(0, 0, 0, LAYOUT, "float32"), Operand(1, 1, 1, LAYOUT, "float32")


@pytest.mark.parametrize(("origin", "inferred"), [(OBSERVED, False), (INFERRED, True)])
def test_a_saved_tensor_says_whether_it_was_inferred(origin: Origin, inferred: bool) -> None:
    values = Whole(np.ones(2, "float32").tobytes(), np.dtype("float32"))
    emitted: list[events.Event] = [
        events.StatementBegan(Place(1), simple=True, depth=1, live=8, peak=8),
        events.StorageSeen(0, 8, 2, "float32", "cpu", simulated=False, values=values),
        events.CounterSeen(0, 0, 0),
        events.TensorMade(X, "cpu", needs_gradient=True, base=None, node=None, grad=None, names=("x",)),
        events.StorageSeen(1, 8, 2, "float32", "cpu", simulated=False, values=values),
        events.CounterSeen(1, 1, 0),
        events.NodeMade(0, "SquareGradNode", ("x",), (None,), (), released=False, leaf=None, view=True),
        events.TensorMade(Y, "cpu", needs_gradient=True, base=None, node=0, grad=None, names=("y",)),
        events.Saved(0, (events.Kept("x", 0, 0, 0, LAYOUT, copy=False),), origin=origin),
        events.OperationDone("square", "ordinary", (X,), Y, 0, Place(1), 16, 16),
        events.ProgramEnded(16, 16),
    ]
    recording = build(emitted, Recording("paddle", "3.3.1", "inferred", (SourceFacts("", "y = x.square()\n"),), ()))
    (saved,) = recording.state().nodes[0].saved
    assert saved.inferred == inferred
    assert from_json(to_json(recording)) == recording
    assert ("inferred)" in to_text(recording)) == inferred
