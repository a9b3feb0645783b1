"""Records programs that use the engine under PyTorch's names (`import inplacelab.torch as torch`), in PyTorch's words."""

from __future__ import annotations

from inplacelab.autograd.nodes import Node
from inplacelab.frameworks.engine.recorder import EngineRecorder
from inplacelab.recorders.bindings import Watched, parts_of
from inplacelab.torch.calls import Shown
from inplacelab.torch.generate import line_named
from inplacelab.torch.grad_nodes import node_name
from inplacelab.torch.nn.module import Module
from inplacelab.torch.optim import Optimizer
from inplacelab.torch.refusals import called_now

_OPS = {
    "subtract": "sub", "multiply": "mul", "divide": "div", "concat": "cat", "clip": "clamp", "equal": "eq", "not_equal": "ne",
    "less_than": "lt", "less_equal": "le", "greater_than": "gt", "greater_equal": "ge", "to_tensor": "tensor",
    "swapaxes": "transpose", "transpose": "permute", "take_along_axis": "gather", "put_along_axis": "scatter", "cast": "to",
    "tile": "repeat", "moveaxis": "movedim", "assign": "clone",
}  # fmt: skip
"""The engine's name of an operation, and PyTorch's where it is another."""


class TorchNamesRecorder(EngineRecorder):
    """Emits the same events as its base, with PyTorch's names of operations and grad nodes."""

    framework = "inplacelab.torch"
    watched = Watched(Shown, (Module, Optimizer), (), parts_of(Module), lambda shown: shown._tensor)

    def op_name(self, name: str, category: str) -> str:
        """The name that the program called, if the operation is what that function does; else PyTorch's for the operation alone."""
        plain = name.rstrip("_")
        known = _OPS[plain] + name[len(plain) :] if plain in _OPS else name
        called = called_now()
        line = line_named(called, method=True) or line_named(called, method=False)
        if line is None:
            return known
        viewed = category == "view" and line.chapter == "shapes and views" and called != "meshgrid"
        written = line.in_place and category not in {"view", "ordinary"}
        return called if viewed or written or line.name == known else known

    def node_name(self, node: Node) -> str:
        return node_name(node).rpartition("::")[2]
