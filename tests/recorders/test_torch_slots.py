"""Tests that the slots of a storage have the type of the tensors that show it, also if bytes were there first."""

from __future__ import annotations

import textwrap

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from tests.recorders.torch_runs import needs_saved, remarks, run  # noqa: E402  # they need PyTorch

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]  # a buffer of Python may be read-only

LOADED = """
import io
file = io.BytesIO()
torch.save({"w": torch.arange(4.0)}, file)
file.seek(0)
w = torch.load(file)["w"]
"""
OF_A_BUFFER = (
    "w = torch.frombuffer(memoryview(torch.arange(4.0).numpy()).cast('B'), dtype=torch.uint8).view(torch.float32)"
)
BYTES_AT_FIRST = """
bytes = torch.zeros(16, dtype=torch.uint8)
w = bytes.view(torch.float32)
del bytes
w.copy_(torch.arange(4.0))
"""


@pytest.mark.parametrize("text", [LOADED, OF_A_BUFFER, BYTES_AT_FIRST], ids=["loaded", "of a buffer", "bytes at first"])
def test_slots_have_the_type_of_the_tensors_that_are_left(text: str) -> None:
    recording = run(f"{text}\nw[1:3].mul_(10)").recording
    storage = recording.state().storage_of("w")
    assert (storage.dtype, storage.slots, storage.bytes, storage.values) == ("float32", 4, 16, (0.0, 10.0, 20.0, 3.0))
    assert recording.steps[-1].writes[0].slots == ((1, 3),)
    assert not any("stopped" in each for each in remarks(recording))


@needs_saved
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("b = torch.zeros(8, dtype=torch.uint8)\nw = b.view(torch.float32)", "uint8"),  # the bytes have a name
        ("b = torch.zeros(8, dtype=torch.uint8)\nw = b.view(torch.float32)\nb.add_(1)\ndel b", "uint8"),  # they were written
        ("b = torch.zeros(10, dtype=torch.uint8)\nw = b[:8].view(torch.float32)\ndel b", "uint8"),
        ("b = torch.zeros(8, dtype=torch.uint8)\nw, v = b[:4].view(torch.float32), b[4:].view(torch.int32)\ndel b", "uint8"),
        ("b = torch.ones(2) > 0\ny = torch.ones(2, requires_grad=True).masked_fill(b, 0)\nw = b.view(torch.uint8)\ndel b", "bool"),
    ],
    ids=["have a name", "were written", "do not fit", "of two types", "were saved"],
)  # fmt: skip
def test_slots_keep_their_type_while_something_refers_to_them(text: str, kept: str) -> None:
    recording = run(textwrap.dedent(f"{text}\nz = w + 1")).recording
    assert recording.state().storage_of("w").dtype == kept
