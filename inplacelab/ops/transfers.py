"""Moving a tensor to another device: a copy there, through which gradients come back."""

from __future__ import annotations

from typing import Any

from inplacelab import devices, observe
from inplacelab.autograd.history import refresh
from inplacelab.language import Text
from inplacelab.ops import run
from inplacelab.ops.spec import Row, Rule
from inplacelab.tensor import Tensor, fresh

_TO = Row(
    name="to", kind="transfer", inputs=("x",), attrs="source", node="MemcpyGradNode", in_place=False,
    says=Text("A copy on another device.", "另一设备上的副本。"),
    rules=(Rule(lambda g, source: to(g, source)),),
)  # fmt: skip


def to(self: Tensor, device: Any) -> Tensor:
    """The tensor on `device`: itself if it is there already, otherwise a copy through which gradients come back.

    Raises:
        DeviceError: if there is no such device.
    """
    target = devices.find(device)
    source = self.storage.device
    if target is source:
        return self
    if self.base is not None:
        refresh(self)
    result = fresh(target.from_host(source.to_host(self.array)), target)
    node = run.attach(_TO, self, result, {"source": source})
    if observe.listeners:
        observe.tell("to", "ordinary", (self,), result, node)
    return result


def cpu(self: Tensor) -> Tensor:
    """The tensor on the CPU: itself if it is there already, as in Paddle."""
    return to(self, "cpu")


def cuda(self: Tensor) -> Tensor:
    """The tensor on the GPU: itself if it is there already. Of the simulated GPU only where that has been chosen.

    Raises:
        DeviceError: if there is no GPU, and no simulated one has been chosen with `set_device`.
    """
    return to(self, "gpu")


def attach() -> None:
    """Give `Tensor` these methods."""
    Tensor.to, Tensor.cpu, Tensor.cuda = to, cpu, cuda  # type: ignore[method-assign]
