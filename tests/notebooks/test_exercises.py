"""The numbers that exercises ask for, each measured. (That every solution is accepted, `test_tried.py` tries out.)"""

from __future__ import annotations

import pytest

import inplacelab as paddle


class TestInPlaceAndVersions:
    @pytest.mark.parametrize(("op", "nbytes"), [("scale_", 0), ("sin_", 32)])
    def test_2_bytes_that_a_node_saves(self, op: str, nbytes: int) -> None:
        a = paddle.ones([2, 4])
        a.stop_gradient = False
        with paddle.record() as rec:
            x = a.scale(2.0)
            getattr(x, op)(*([2.0] if op == "scale_" else []))
        assert rec.recording is not None
        after = rec.recording.state(-1)
        kept = {saved.storage for node in after.nodes.values() for saved in node.saved}
        assert sum(after.storages[storage].bytes for storage in kept) == nbytes
