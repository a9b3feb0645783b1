"""Where a result goes that an ordinary operation has computed: into the tensor given as `out=`; or, of an operation that is in
place in name only, into a storage that the tensor moves to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inplacelab import errors, observe
from inplacelab.autograd import modes
from inplacelab.autograd.history import check_leaf, edge, refresh
from inplacelab.autograd.live_views import Views
from inplacelab.autograd.nodes import Node
from inplacelab.tensor import Tensor, adopt, over


def into(op: str, out: Any, inputs: Sequence[Tensor], compute: Callable[[], Tensor]) -> Tensor:
    """`out=`: compute the result, then write it into `out`, which gets its history. The version is raised, as by any write
    (PaddlePaddle 3.3.1 forgets to, and gives `out` another shape where ours refuses).
    """
    if not isinstance(out, Tensor):
        raise errors.not_a_tensor(op, "out", len(inputs), out)
    with observe.silence():
        result = compute()
        if result.array.shape != out.array.shape:
            raise errors.would_grow(op=op, target=out.shape, result=result.shape)
        if result.array.dtype != out.array.dtype:
            raise errors.out_dtype_differs(op=op, result=result.dtype.name, out=out.dtype.name)
        out.copy_(result)
    if observe.listeners:
        root = out if out.base is None else out.base
        observe.notify(op, "in-place", (out, *inputs), out, root.node)
    return out


def reallocate(name: str, x: Tensor, ordinary: Callable[[], Tensor]) -> Tensor:
    """In place in name only: the result has another dtype, or cannot lie where `x` lies, so `x` is given a new storage.

    Views of the old storage, and what backward saved there, keep it. Under `no_grad` a leaf stays one, and a tensor with
    history keeps it, as with every write that is not recorded.
    """
    if x.base is not None:
        refresh(x)
    if modes.recording_history:
        check_leaf(name, x)
    raised, stop, node = x.storage.version + 1, x._stop, x.node
    result = _unreported(ordinary)
    if not modes.recording_history and node is not None and not stop:
        result.node = _unreported(lambda: _history_of(x, result))
    bequeath(x)
    adopt(x, result)
    x.storage.version = raised
    if not modes.recording_history:
        x._stop = stop
    for saved in x.node.saved if x.node is not None else ():
        if saved.storage is x.storage:
            saved.version = raised
    if observe.listeners:
        observe.notify(name, "reallocated", (x,), x, x.node)
    return x


def _unreported(step: Callable[[], Any]) -> Any:
    """What a step comes to that is no operation of its own: nobody is told of it."""
    if not observe.listeners:
        return step()
    with observe.silence():
        return step()


def _history_of(x: Tensor, result: Tensor) -> Node | None:
    """The history of `x`, in the shape and dtype that it is about to have."""
    with modes.set_grad_enabled(True):
        node: Node | None = x.reshape(result.array.shape).cast(result.dtype).node
    return node


def bequeath(x: Tensor) -> None:
    """`x` is about to leave its storage: the views that stay behind get a base in its place, with its history."""
    views = None if x._views is None else [view for view in x._views if view.base is x]
    if not views:
        return
    heir = over(x.array, x.storage)
    heir.overlaps, heir._stop, heir._name = x.overlaps, x._stop, x._name
    heir.node = edge(x)  # also of a leaf: what the old bytes were goes on to lead to it
    heir._views = Views()
    for view in views:
        view.base = heir
        heir._views.add(view)
    x._views = None
