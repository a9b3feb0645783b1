"""Refusals in PyTorch's words: the first line is PyTorch's own, and so is the class of the exception; reason and fix are ours.

The chapter beside this file, `refusals.toml`, has an entry for each of the engine's that a program meets, under the same name, and
the refusals that only PyTorch has. An entry of the engine without one keeps its reason and fix, in PyTorch's terms.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

from inplacelab.errors import classes
from inplacelab.errors.catalogue import SPEAKER, Entry, read
from inplacelab.errors.computed import MissingName, is_foreign, package_of
from inplacelab.language import Text
from inplacelab.torch.dtypes import type_in_errors
from inplacelab.torch.grad_nodes import node_name, present_node

_LABEL = re.compile(r"^\((?:InvalidArgument|InvalidType|OutOfRange|PermissionDenied|PreconditionNotMet|NotFound|Fatal|Unavailable"
                    r"|Unimplemented)\) ")  # fmt: skip
_TERMS = (
    ("`x.stop_gradient = False`", "`x.requires_grad_()`"), ("`stop_gradient=False`", "`requires_grad=True`"),
    ("`stop_gradient=True`", "`requires_grad=False`"), ("stop_gradient is True", "requires_grad is False"),
    ("stop_gradient 是 True", "requires_grad 是 False"), ("stop_gradient 为 True", "requires_grad 为 False"),
    ("stop_gradient 为 False", "requires_grad 为 True"), ("paddle.to_tensor(", "torch.tensor("), ("paddle.", "torch."),
    ("`to_tensor(", "`torch.tensor("),
    ("astype('float32')", "float()"), ("astype('int64')", "long()"), ("`clear_grad()`", "`zero_grad()`"), ("axis", "dim"),
    ("PyLayer", "Function"), ("saved_tensor()", "saved_tensors"), ("`set_value`", "`copy_`"),
)  # fmt: skip
"""The engine's words, and PyTorch's for the same."""


@cache
def words() -> dict[str, Entry]:
    """The entries in PyTorch's words, by name."""
    return read([Path(__file__).with_suffix(".toml")])


def refuse(name: str, /, tensor: Any = None, **fields: Any) -> classes.Refusal:
    """Returns the refusal of an entry that only PyTorch has."""
    return words()[name].filled(fields, {"node": None, "saved": None, "tensor": tensor})


MISUSES = (
    TypeError,
    AttributeError,
    ValueError,
    IndexError,
    KeyError,
    AssertionError,
    OverflowError,
    ZeroDivisionError,
)
"""What Python and NumPy raise where a function cannot use its arguments."""


def misused(op: str, given: Iterable[Any], error: BaseException) -> classes.Refusal:
    """Returns the refusal of arguments that a function cannot use, for which there is no other entry."""
    others = [each for each in given if not hasattr(each, "_tensor")]
    if foreign := [each for each in others if is_foreign(each)]:
        return foreign_tensor(op, foreign[0])
    kinds = ", ".join("Tensor" if hasattr(each, "_tensor") else type(each).__name__ for each in given)
    detail = str(error).splitlines()[0] if str(error) else type(error).__name__
    if isinstance(error, AttributeError) and others:  # of something that is no tensor
        return refuse("misused", op=op, given=f"({kinds})", detail=_NO_TENSOR)
    return refuse("misused", op=op, given=f"({kinds})", detail=detail)


def foreign_tensor(op: str, value: Any) -> classes.Refusal:
    """Returns the refusal of a tensor of another package."""
    return refuse("tensor_of_another_package", op=op, package=package_of(value))


def called_now() -> str:
    """Returns the name of the function that the program has called, while that runs; otherwise ""."""
    name: str = getattr(SPEAKER.get(), "keywords", {}).get("called", "")
    return name


def refusal(entry: Entry, fields: dict[str, Any], facts: Mapping[str, Any], *, called: str = "") -> classes.Refusal:
    """Returns the refusal that a program in PyTorch's names meets (see `errors.catalogue.SPEAKER`).

    `called` is the function that the program called: the engine's name of the operation may be another.
    """
    if called and "op" in fields:
        fields = fields | {"op": called}
    own = words().get(entry.name)
    if entry.name == "leaf_write" and facts["tensor"].untracked == "no_grad":  # PyTorch looks at this first
        own = words()["view_without_history"]
    if own is None and {"axis", "rank"} <= fields.keys() and isinstance(fields["axis"], int):
        rank = max(fields["rank"], 1)
        return refuse("dim_out_of_range", low=-rank, high=rank - 1, dim=fields["axis"])
    if own is None:
        return _in_torch_terms(entry).filled(fields, facts)
    further = _FURTHER.get(entry.name)
    if further is not None:
        fields = fields | further(fields, facts)
    needed = own.fields()
    return own.filled({name: value for name, value in fields.items() if name in needed}, facts)


def _in_torch_terms(entry: Entry) -> Entry:
    """An entry of the engine in PyTorch's terms."""

    def told(text: str) -> str:
        for ours, theirs in _TERMS:
            text = re.sub(r"(?<!\{)" + re.escape(ours), theirs, text)
        return text

    kind = entry.kind if issubclass(entry.kind, IndexError | TypeError) else classes.TorchError
    return replace(
        entry,
        kind=kind,
        headline=told(_LABEL.sub("", entry.headline)),
        why=Text(told(entry.why.en), told(entry.why.zh)),
        fix=Text(told(entry.fix.en), told(entry.fix.zh)),
        hint="",
        reading=told(entry.reading),
    )


# ---- what PyTorch's first lines say beside what the engine's do ---------------------------------------------------------------


def _of_stale(fields: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    saved = facts["saved"]
    made_by, output, array = present_node(saved, facts["node"])
    return {
        "type": type_in_errors(array.dtype.name),
        "shape": list(array.shape),
        "made_by": f", which is output {output} of {made_by}," if made_by else "",
        "reader": node_name(facts["node"]),
    }


def _of_leaf(fields: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    tensor = facts["tensor"]
    viewed = tensor.base is not None and not tensor.base._stop
    if viewed and fields["op"] == "setitem":  # `x[:] = 1` is a write to `x` itself
        viewed = tensor.layout != tensor.base.layout
    return {"kind": "a view of a leaf" if viewed else "a leaf"}


def _of_node(fields: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    return {"reader": node_name(facts["node"])} if facts["node"] is not None else {}


def _of_shapes(fields: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    """The first axis from the right at which two shapes do not fit."""
    x, y = list(fields["x"]), list(fields["y"])
    rank = max(len(x), len(y))
    x, y = [1] * (rank - len(x)) + x, [1] * (rank - len(y)) + y
    axis = next((k for k in reversed(range(rank)) if x[k] != y[k] and 1 not in (x[k], y[k])), 0)
    return {"a": x[axis], "b": y[axis], "axis": axis}


_FURTHER: dict[str, Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, Any]]] = {
    "stale_saved_tensor": _of_stale,
    "leaf_write": _of_leaf,
    "freed_graph": _of_node,
    "cannot_broadcast": _of_shapes,
    "key_does_not_fit": lambda fields, facts: {"places": str(fields["detail"]).replace("axis", "dimension")},
    "nothing_to_differentiate": lambda fields, facts: {"position": 0},
    "matrix_sizes_differ": lambda fields, facts: {
        "left": "x".join(map(str, fields["x"])),
        "right": "x".join(map(str, fields["y"])),
    },
}


def missing(holder: str, name: str, known: Iterable[str] | type) -> AttributeError:
    """Returns what to raise for a name of PyTorch's that is not here.

    Args:
        holder: the module or class that was asked.
        name: the name.
        known: the names that it has, or the class that has them.
    """
    return AttributeError(MissingName(holder, name, known, _NOT_ALL, _ELSEWHERE, words=_PADDLE_WORDS), name=name)


class _Modules(MetaPathFinder):
    """Refuses to import a module of PyTorch's that is not here, with the words of `missing`. It is asked last, so the module is not there."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        parent, _, name = fullname.rpartition(".")
        if not parent.startswith(str(__package__)):
            return
        holder = parent.removeprefix("inplacelab.")
        said = missing(holder, name, dir(sys.modules[parent]))
        raise ModuleNotFoundError(f"No module named '{holder}.{name}'\n" + str(said).partition("\n")[2], name=fullname)


if not any(isinstance(each, _Modules) for each in sys.meta_path):
    sys.meta_path.append(_Modules())

_NO_TENSOR = Text("a tensor is needed where something else was given", "需要张量的地方给出了别的对象")
_NOT_ALL = Text(
    "there is no such name here. (inplacelab.torch has only the part of PyTorch that programs with in-place operations need; `python -m inplacelab.torch` lists it.)",
    "这里没有这个名称。（inplacelab.torch 只有原地操作程序所需的那部分 PyTorch：`python -m inplacelab.torch` 可列出。）",
)
_PADDLE_WORDS: dict[str, Text | str] = {
    "astype": "to", "cast": "to", "clear_grad": "x.grad = None", "clear_gradient": "x.grad = None", "floor_mod": "remainder", "greater_than": "gt", "inplace_version": "_version", "less_than": "lt", "mod": "remainder",
    "offset": "storage_offset", "optimizer": "optim", "place": "device", "put_along_axis": "scatter", "retain_grads": "retain_grad",
    "scale": "mul", "scale_": "mul_", "set_value": "copy_", "stop_gradient": Text(
        "write `requires_grad`, which means the opposite.", "请写 `requires_grad`，它的含义相反。"
    ), "strides": "stride", "take_along_axis": "gather", "to_tensor": "tensor",
}  # fmt: skip
"""Paddle's names for what has another name in PyTorch."""
_ELSEWHERE = Text(
    "write this with the functions that exist here, or run the program with PyTorch itself, which is recorded as it is.",
    "用这里已有的函数来写；或用 PyTorch 本身运行：程序会照原样被记录。",
)
