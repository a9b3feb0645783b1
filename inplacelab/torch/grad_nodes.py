"""Grad nodes under PyTorch's names: `x.grad_fn` prints as `<MulBackward0 object>`, and errors say "output 0 of MulBackward0"."""

from __future__ import annotations

import re
import weakref
from typing import Any

from inplacelab.autograd.custom.node import CustomNode, ResultNode
from inplacelab.autograd.nodes import AccumulateNode, CopySlicesNode, Node, OpNode, ViewNode
from inplacelab.autograd.saved import OUTPUT, Saved
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
_SPECIAL = {
    "copy": "torch::autograd::CopyBackwards", "setitem": "torch::autograd::CopyBackwards", "fill": "FillBackward2",
    "clip": "ClampBackward1", "clamp_min": "ClampBackward1", "clamp_max": "ClampBackward1",
}  # fmt: skip
"""Rows whose node has a name of another form."""
_BY_FACT = {"sum": "axis", "mean": "axis", "prod": "axis", "max": "axis", "min": "axis"}
"""Rows whose node has another number with and without an axis."""
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
    given = _names.get(node)
    if given is not None:
        return given
    match node:
        case AccumulateNode():
            return "AccumulateGrad"
        case CopySlicesNode():
            return "torch::autograd::CopySlices"
        case ViewNode():
            return "AsStridedBackward0"
        case CustomNode():
            return f"{node.layer.__name__}Backward"
        case ResultNode():
            return node_name(node.edges[0])
        case OpNode():
            return _of_row(node)
    return str(node.name)


def name_in_errors(node: Any) -> str:
    """Returns the name that errors have for it: "Mul"."""
    return _NUMBERED.sub(lambda found: found[1].strip("0"), node_name(node))


def output_number(node: Any) -> int:
    """Returns which of the results of a function a node belongs to."""
    return node.position if isinstance(node, ResultNode) else _outputs.get(node, 0)


def _of_row(node: OpNode) -> str:
    name = str(getattr(node.row, "name", node.name))
    if name in _SPECIAL:
        return _SPECIAL[name]
    fact = _BY_FACT.get(name)
    number = int(fact is not None and (node.facts.get(fact) is None) == (name in ("max", "min")))
    if name == "pow":
        number = int(any(edge is not None for edge in node.edges[1:]))
    return f"{_ROWS.get(name) or camel(name)}Backward{number}"


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


def present_node(saved: Saved, reader: Node) -> tuple[str, int, Any]:
    """Returns the name of the node that made what a saved tensor shows now, the number of its output, and what it shows.

    PyTorch names the present node of the variable that was saved, which an in-place operation has replaced; for a result that its
    own operation saved, that operation. "" for a leaf.
    """
    node = reader if saved.edge is OUTPUT else saved.edge
    for tensor in list(_living.values()):
        if tensor.array is saved.array or any(each() is saved.array for each in tensor.__dict__.get("_windows", ())):
            if tensor.base is not None and not tensor.base._stop:
                return "AsStrided", 0, tensor.array  # as PyTorch describes a view anew, once its storage was written
            if saved.edge is OUTPUT:
                break
            node = tensor.node
            if node is None or isinstance(node, AccumulateNode):
                return "", 0, tensor.array
            return name_in_errors(node), output_number(node), tensor.array
    if saved.edge is not OUTPUT and isinstance(node, OpNode) and node.row.layout is not None:  # the program has dropped it
        return "AsStrided", 0, saved.array
    if node is None or isinstance(node, AccumulateNode):
        return "", 0, saved.array
    return name_in_errors(node), output_number(node), saved.array
