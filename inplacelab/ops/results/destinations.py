"""Destinations of the result of an ordinary operation: the tensor given as `out=`; or, for an operation that is in place in
name only, a new storage to which the tensor moves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inplacelab import errors, modes, observe
from inplacelab.autograd.grad_mode import recording
from inplacelab.autograd.history import Views, check_leaf, edge, refresh
from inplacelab.tensor import Tensor, adopt, over


def into(op: str, out: Any, inputs: Sequence[Tensor], compute: Callable[[], Tensor]) -> Tensor:
    """Implements `out=`: computes the result and writes it into `out`, which gets its history. The version is raised, as by any
    write (not in PaddlePaddle 3.3.1, which also changes the shape of `out` where we refuse).
    """
    if not isinstance(out, Tensor):
        raise errors.not_a_tensor(op, "out", len(inputs), out)
    observe.silently(_compute_into, op, out, compute)
    if modes.current().listeners:
        root = out if out.base is None else out.base
        observe.notify(op, "in-place", (out, *inputs), out, root.node, read=())
    return out


def _compute_into(op: str, out: Tensor, compute: Callable[[], Tensor]) -> None:
    result = compute()
    if result.array.shape != out.array.shape:
        raise errors.would_grow(op=op, target=out.shape, result=result.shape)
    if result.array.dtype != out.array.dtype:
        raise errors.out_dtype_differs(op=op, result=result.dtype.name, out=out.dtype.name)
    out.copy_(result)


def reallocate(
    name: str,
    x: Tensor,
    ordinary: Callable[[], Tensor],
    others: Sequence[Tensor] = (),
    depends: Callable[[], Any] | None = None,
) -> Tensor:
    """Moves `x` to a new storage with the result, which has another dtype or does not fit into the storage of `x`.

    The operation is then in place in name only. Views and saved tensors on the old storage keep it. Under `no_grad` the history
    of `x` does not change, as with every write that is not recorded.

    Args:
        name: the operation.
        x: the tensor.
        ordinary: computes the result.
        others: the other tensors that it reads, for the report.
        depends: returns how the result depends on them all, for the report; asked before anything changes.
    """
    mode = modes.current()
    if x.base is not None:
        refresh(x)
    if mode.recording_history:
        check_leaf(name, x)
    depending = depends() if depends is not None and mode.listeners else None
    raised, stop, node = x.storage.version + 1, x._stop, x.node
    result = observe.silently(ordinary)
    if not mode.recording_history:
        if node is not None and not stop:
            result.node = observe.silently(_history_of, x, result)
        result._stop = stop
    result.storage.version = raised
    for saved in result.node.saved if result.node is not None else ():
        if saved.storage is result.storage or saved.array is None:  # packed by a hook
            saved.version = saved.storage.version
    move(x, result)
    if mode.listeners:
        mode.notify(name, "reallocated", (x, *others), x, x.node, depends=depending)
    return x


def _history_of(x: Tensor, result: Tensor) -> Any:
    """The history of `x`, in its new shape and dtype."""
    return modes.run_inside(recording(True), lambda: x.reshape(result.array.shape).cast(result.dtype).node)


def move(x: Tensor, to: Tensor, change: Callable[[Tensor, Tensor], None] = adopt) -> None:
    """Moves `x` to the storage and window of `to`. Its views stay where they are, and get a new base with its history.

    Args:
        x: the tensor.
        to: a tensor with that storage and window.
        change: gives `x` the parts of `to` that it takes over.
    """
    views = [] if x._views is None else [view for view in x._views if view.base is x]
    successor = _successor(x, views) if views else None

    def commit() -> None:
        """May be repeated: an interrupt must not leave a part of it done."""
        for view in views:
            view.base = successor
        change(x, to)
        x._views = None

    try:
        commit()
    except BaseException:
        commit()
        raise


def _successor(x: Tensor, views: Sequence[Tensor]) -> Tensor:
    """A tensor that shows what `x` shows, with its history, as the base of its views."""
    successor = over(x.array, x.storage)
    successor.overlaps, successor._stop, successor._name = x.overlaps, x._stop, x._name
    successor.node = edge(x)  # also for a leaf: gradients of the old bytes still go to it
    successor._views = Views()
    for view in views:
        successor._views.add(view)
    return successor
