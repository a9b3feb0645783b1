"""Grad nodes under PyTorch's names: `x.grad_fn` prints as `<MulBackward0 object>`, and errors say "output 0 of MulBackward0"."""

from __future__ import annotations

import re
import weakref
from collections.abc import Sequence
from typing import Any

from inplacelab import errors
from inplacelab.autograd.custom_nodes import CustomNode, ResultNode
from inplacelab.autograd.history import edge
from inplacelab.autograd.nodes import AccumulateNode, CopySlicesNode, Gradients, Node, OpNode, ViewNode, number
from inplacelab.autograd.saved import OUTPUT, Saved, save
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor

_ROWS = {
    "subtract": "Sub", "multiply": "Mul", "divide": "Div", "matmul": "Mm", "cast": "ToCopy", "t": "T", "getitem": "Slice",
    "reshape": "View", "flatten": "View", "ravel": "View", "unflatten": "View", "_as_shape": "View", "swapaxes": "Transpose",
    "transpose": "Permute", "moveaxis": "Permute", "_mT": "Transpose", "_part": "Split", "_place": "Unbind", "_nth": "Unbind",
    "_take": "Index", "_put": "IndexPut", "scale": "Mul", "square": "Pow", "norm": "LinalgVectorNorm", "narrow": "Slice",
    "slice": "Slice", "strided_slice": "Slice", "_window": "AsStrided", "take_along_axis": "Gather", "_put_along": "Scatter",
    "_add_along": "ScatterAdd", "equal": "Eq", "tile": "Repeat", "index_put": "IndexPut", "concat": "Cat", "relu6": "Hardtanh",
    "outer": "Mul", "log1p": "Log1P",
}  # fmt: skip
"""A row of the table, and what PyTorch's name for its node begins with, where it is not the row's own name."""
_WITH_TENSOR = ("pow", "remainder", "masked_fill")
"""Rows whose node has the number 1 where the other operand needs a gradient, too."""
_SPECIAL = {
    "copy": "torch::autograd::CopyBackwards", "setitem": "torch::autograd::CopyBackwards", "fill": "FillBackward2",
    "clip": "ClampBackward1", "bernoulli": "BernoulliBackward2", "dropout": "MulBackward0",
    "fill_diagonal": "torch::autograd::CopySlices",
}  # fmt: skip
"""Rows whose node has a name of another form."""
_FIXED: dict[type, str] = {
    AccumulateNode: "AccumulateGrad", CopySlicesNode: "torch::autograd::CopySlices", ViewNode: "AsStridedBackward0",
}  # fmt: skip
_NUMBERED = re.compile(r"Backward(\d+)$")
_names: weakref.WeakKeyDictionary[Node, str] = weakref.WeakKeyDictionary()
_outputs: weakref.WeakKeyDictionary[Node, int] = weakref.WeakKeyDictionary()


def call_node(node: Node | None, name: str, output: int = 0) -> None:
    """Gives a node PyTorch's name for what a composed function does, and the number of the result that it made."""
    if node is not None:
        _names[node] = name
        if output:
            _outputs[node] = output


def node_name(node: Any) -> str:
    """Returns PyTorch's name of a node: "MulBackward0"."""
    given = _names.get(node) or _FIXED.get(type(node))
    if given is not None:
        return given
    if isinstance(node, ResultNode):
        return node_name(node.edges[0])
    if isinstance(node, CustomNode):
        return f"{node.layer.__name__}Backward"
    return _of_row(node) if isinstance(node, OpNode) else str(node.name)


def name_in_errors(node: Any) -> str:
    """Returns the name that errors have for it: "Mul"; for a custom function, that of its class."""
    custom = node.edges[0] if isinstance(node, ResultNode) else node
    if isinstance(custom, CustomNode):
        return custom.layer.__name__
    return _NUMBERED.sub(lambda found: found[1].strip("0"), node_name(node))


def output_number(node: Any) -> int:
    """Returns which of the results of a function a node belongs to."""
    return node.position if isinstance(node, ResultNode) else _outputs.get(node, 0)


def _of_row(node: OpNode) -> str:
    name = str(getattr(node.row, "name", node.name))
    if name in _SPECIAL:
        return _SPECIAL[name]
    number = int(name in _WITH_TENSOR and any(each is not None for each in node.edges[1:]))
    return f"{_ROWS.get(name) or camel(name)}Backward{number}"


class KeepingNode(Node):
    """The node of a function that the engine composes of others: passes the gradient on, and checks what PyTorch's node has saved.

    So a program that overwrites an input of `layer_norm`, or the result of `log_softmax`, is refused as in PyTorch.
    """

    __slots__ = ("_kept", "_name")

    def __init__(self, name: str, root: Node) -> None:
        self._name, self.edges = name, (root,)
        self._kept: tuple[Saved, ...] | None = ()
        number(self)

    @property
    def name(self) -> str:
        return self._name

    @property
    def saved(self) -> Sequence[Saved]:
        return self._kept or ()

    @property
    def released(self) -> bool:
        return self._kept is None

    def release(self) -> None:
        self._kept = None

    def apply(self, g: Tensor, wanted: Sequence[bool]) -> Gradients:  # its one edge is always wanted
        if self._kept is None:
            raise errors.freed_graph(node_name=self.name, node=self)
        for each in self._kept:
            each.unpack(self)
        return (g,)


def keep(result: Tensor, name: str, *inputs: Any, output: bool = False) -> Tensor:
    """Gives a composed result one node that has saved what PyTorch's node saves: inputs, and the result itself."""
    if result.node is None:
        return result
    node = KeepingNode(name, result.node)
    kept = [
        save("input", each.array, each.storage, None if each.stop_gradient else edge(each))
        for each in inputs
        if each is not None
    ]
    result.node = node
    node._kept = (*kept, *([save("out", result.array, result.storage, OUTPUT)] if output else []))
    return result


def camel(name: str) -> str:
    """Returns a name as a part of a node's name: "masked_fill" gives "MaskedFill"."""
    return "".join(part[:1].upper() + part[1:] for part in name.strip("_").split("_"))


# ---- the node of a value that backward finds changed -----------------------------------------------------------------------------

_living: weakref.WeakValueDictionary[int, Tensor] = weakref.WeakValueDictionary()


def note_living(tensor: Tensor) -> None:
    """Remembers a tensor of the program: an error about a saved value asks for the tensor that it belongs to."""
    _living[id(tensor)] = tensor


def note_window(tensor: Tensor, before: Any) -> None:
    """Remembers what a tensor showed before an operation such as `unsqueeze_` changed its shape in place."""
    tensor.__dict__.setdefault("_windows", []).append(weakref.ref(before))


_written: weakref.WeakKeyDictionary[Storage, list[tuple[weakref.ref[Any], str]]] = weakref.WeakKeyDictionary()


def note_written(tensor: Tensor) -> None:
    """Remembers which operation wrote a tensor last: an error may name it when the program has dropped the tensor."""
    root = tensor if tensor.base is None else tensor.base
    if root.node is None:
        return
    array = root.array
    known = [each for each in _written.get(tensor.storage, ()) if each[0]() is not None and each[0]() is not array]
    _written[tensor.storage] = [*known, (weakref.ref(array), name_in_errors(root.node))]


def present_node(saved: Saved, reader: Node) -> tuple[str, int, Any]:
    """Returns the name of the node that made what a saved tensor shows now, the number of its output, and what it shows.

    PyTorch names the present node of the variable that was saved, which an in-place operation has replaced; for a result that its
    own operation saved, that operation. "" for a leaf. A view is described again once its storage was written: `AsStrided`.
    """
    tensor = _showing(saved)
    own = _own_output(saved, reader)
    if own is not None:
        return *own, saved.array
    if tensor is not None and tensor.base is not None and not tensor.base._stop:
        return "AsStrided", 0, tensor.array
    if tensor is not None:
        return *_made_by(tensor.node), tensor.array
    written = next((name for array, name in _written.get(saved.storage, ()) if array() is saved.array), None)
    if written is not None:
        return written, 0, saved.array
    if isinstance(saved.edge, OpNode) and saved.edge.row.layout is not None:
        return "AsStrided", 0, saved.array
    return *_made_by(saved.edge), saved.array


def _own_output(saved: Saved, reader: Node) -> tuple[str, int] | None:
    """The name of an operation that saved its own result, and the number of that result; None for another value."""
    if saved.edge is OUTPUT:
        operation = getattr(reader, "inner", reader)  # on a view, its node is inside that of the written base
        return name_in_errors(operation), output_number(operation)
    if isinstance(reader, CustomNode):
        result = next((each.result for each in reader.context._memory.tensors if each.saved is saved), None)
        return None if result is None else (name_in_errors(reader), result)
    return None


def _showing(saved: Saved) -> Tensor | None:
    """The program's tensor whose value was saved; None if it has dropped it."""
    for tensor in list(_living.values()):
        if tensor.array is saved.array or any(each() is saved.array for each in tensor.__dict__.get("_windows", ())):
            return tensor
    return None


def _made_by(node: Node | None) -> tuple[str, int]:
    if node is None or isinstance(node, AccumulateNode):
        return "", 0
    return name_in_errors(node), output_number(node)


def named(name: str, result: Tensor) -> Tensor:
    """Gives the node of a composed result PyTorch's name."""
    call_node(result.node, name)
    return result
