"""Grad nodes under PyTorch's names: `x.grad_fn` prints as `<MulBackward0 object>`, and errors say "output 0 of MulBackward0"."""

from __future__ import annotations

import weakref
from typing import Any

from inplacelab.autograd.custom.node import CustomNode, ResultNode
from inplacelab.autograd.history import refresh
from inplacelab.autograd.nodes import AccumulateNode, CopySlicesNode, Node, OpNode, ViewNode
from inplacelab.autograd.saved import OUTPUT, Saved
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor

_ROWS = {
    "subtract": "Sub", "multiply": "Mul", "divide": "Div", "matmul": "Mm", "cast": "ToCopy", "t": "T", "getitem": "Slice",
    "reshape": "View", "flatten": "View", "ravel": "View", "unflatten": "View", "_as_shape": "View", "swapaxes": "Transpose",
    "transpose": "Permute", "moveaxis": "Permute", "_mT": "Transpose", "_part": "Split", "_place": "Unbind", "_nth": "Unbind",
    "_take": "Index", "_put": "IndexPut", "scale": "Mul", "square": "Pow", "clip": "Clamp", "norm": "LinalgVectorNorm",
    "narrow": "Slice", "slice": "Slice", "strided_slice": "Slice", "_window": "AsStrided", "take_along_axis": "Gather",
    "_put_along": "Scatter", "_add_along": "ScatterAdd", "equal": "Eq", "fill": "Fill", "zero": "Zero", "tile": "Repeat",
    "clamp_min": "ClampMin", "clamp_max": "ClampMax", "index_put": "IndexPut", "scatter_add": "ScatterAdd", "concat": "Cat",
}  # fmt: skip
"""A row of the table, and what PyTorch's name for its node begins with, where it is not the row's own name."""
_SPECIAL = {"copy": "CopyBackwards", "setitem": "CopyBackwards"}
_BY_FACT = {"sum": "axis", "mean": "axis", "prod": "axis", "max": "axis", "min": "axis"}
"""Rows whose node has another number with and without an axis."""
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
            return "CopySlices"
        case ViewNode():
            return "AsStridedBackward0"
        case CustomNode():
            return f"{node.layer.__name__}Backward"
        case ResultNode():
            return node_name(node.edges[0])
        case OpNode():
            return _of_row(node)
    return str(node.name)


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

_living: weakref.WeakKeyDictionary[Storage, weakref.WeakSet[Tensor]] = weakref.WeakKeyDictionary()


def note_living(tensor: Tensor) -> None:
    """Remembers a tensor of the program: an error about a saved value asks for the tensor that it belongs to."""
    _living.setdefault(tensor.storage, weakref.WeakSet()).add(tensor)


def present_node(saved: Saved, reader: Node) -> tuple[str, int]:
    """Returns the name of the node that made what a saved tensor shows now, and the number of its output.

    PyTorch names the present node of the variable that was saved, which an in-place operation has replaced; for a result that its
    own operation saved, that operation. "" for a leaf.
    """
    if saved.edge is OUTPUT:
        return node_name(reader), output_number(reader)
    node = saved.edge
    for tensor in _living.get(saved.storage, ()):
        if tensor.array is saved.array:
            if tensor.base is not None:
                refresh(tensor)
            node = tensor.node
            break
    else:  # the program has dropped it
        if isinstance(node, OpNode) and node.row.layout is not None:
            return "AsStridedBackward0", 0  # as PyTorch describes a view anew, once its storage was written
    if node is None or isinstance(node, AccumulateNode):
        return "", 0
    return node_name(node), output_number(node)
