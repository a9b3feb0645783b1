"""Views and changes of metadata: other windows on the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from inplacelab import modes, observe
from inplacelab.autograd.history import Views, accumulator, check_leaf, check_view, edge, refresh
from inplacelab.autograd.nodes import OpNode, meta, next_serial
from inplacelab.autograd.saved import Meta
from inplacelab.dependence import REORDERED
from inplacelab.layout import Layout, Shape, may_overlap_itself, whole
from inplacelab.ops.table.row import Row
from inplacelab.tensor import Tensor, fresh, known_form, over, show

# ---- another tensor on the same storage -------------------------------------------------------------------------------


def window(x: Tensor, layout: Layout, dtype: np.dtype[Any] | None = None) -> Any:
    """Returns the array that shows the storage of `x` through a layout."""
    return x.storage.device.window(x.storage.buffer, layout, dtype or x.array.dtype)


def view(row: Row, x: Tensor, shown: Any, facts: Mapping[str, Any], after: Layout | None = None) -> Tensor:
    """Returns another tensor on the storage of `x`, with the window `shown`, whose layout is `after` (computed if needed)."""
    mode = modes.current()
    result = temporary_view(x, shown, after, mode.recording_history)
    base = result.base
    if base._views is None:  # type: ignore[union-attr]  # a view has a base
        base._views = Views()  # type: ignore[union-attr]
    base._views.add(result)  # type: ignore[union-attr]
    if row.rules[0] is None:
        result.untracked = "bits"
    node = None
    if mode.recording_history and not x._stop:
        node = attach_always(row, x, result, _remembered(row, x, result, facts, after))
    if mode.listeners:
        mode.notify(row.called or row.name, "view", (x,), result, node)
    return result


def temporary_view(x: Tensor, shown: Any, after: Layout | None, recording: bool) -> Tensor:
    """Returns the same view without a node and not registered at its base: for one write through it.

    Args:
        x: the tensor.
        shown: the window on its storage.
        after: its layout, if it is known.
        recording: whether history is recorded.
    """
    storage, base = x.storage, x.base
    result = over(shown, storage)
    if after is not None or x.overlaps:
        result.overlaps = may_overlap_itself(after or result.layout)
    if not recording:
        result.untracked = "no_grad"
    if base is None:
        result.base, result._seen = x, storage.version
        return result
    if recording:
        check_view(x)
    refresh(x)
    result.base, result._seen = base, storage.version
    if x.untracked and (recording or x.untracked != "left"):
        result.untracked = x.untracked
        if recording:
            result._seen = x._seen
    return result


def attach(row: Row, x: Tensor, result: Tensor, facts: Mapping[str, Any]) -> OpNode | None:
    """Puts `result` into the history, for operations of one input that save no tensors."""
    return attach_always(row, x, result, facts) if modes.current().recording_history and not x._stop else None


def attach_always(row: Row, x: Tensor, result: Tensor, facts: Mapping[str, Any]) -> OpNode | None:
    """Does the same even if history is not recorded, or `x` has left it."""
    if row.rules[0] is None:
        return None
    node = OpNode.__new__(OpNode)
    node.row, node.kept, node.facts, node.forms = row, (), facts, (x.form or known_form(x),)
    node.edges = ((x.node or accumulator(x)) if x.base is None else edge(x),)
    node.serial, node.hooks, node.retained = next_serial(), None, None
    result.node, result._stop = node, False
    return node


def _remembered(
    row: Row, x: Tensor, result: Tensor, facts: Mapping[str, Any], after: Layout | None
) -> Mapping[str, Any]:
    """The facts about a view that its derivative needs; only these, since computing the position of a window is slow.

    If elements of `x` share a slot, the slot does not determine which of them the view shows. So both layouts are kept as if
    each element had a separate slot.
    """
    if not row.asks_for_strides:
        return facts
    asked, known = row.facts, {**facts}
    if x.overlaps and row.layout is not None:
        apart = whole(x.array.shape)
        known["x_meta"] = Meta(apart, x.array.dtype)
        known["out_meta"] = Meta(row.layout(apart, *facts.values()), result.array.dtype)
        return known
    if "x_meta" in asked:
        known["x_meta"] = meta(x)
    if "out_meta" in asked:
        known["out_meta"] = meta(result) if after is None else Meta(after, result.array.dtype)
    return known


def copied(row: Row, x: Tensor, shape: Shape, facts: Mapping[str, Any]) -> Tensor:
    """Returns a copy with the elements that a view would show: for layouts that no strides can express."""
    device = x.storage.device
    out = device.empty(shape, x.array.dtype)
    np.copyto(out.reshape(x.array.shape), x.array)
    result = fresh(out, device)
    if x.base is not None:
        refresh(x)
    node = attach(row, x, result, {**facts, "x_meta": meta(x), "out_meta": meta(result)})
    if modes.current().listeners:
        observe.notify(row.name, "ordinary", (x,), result, node, depends=REORDERED)
    return result


# ---- the tensor itself ------------------------------------------------------------------------------------------------


def relayout(row: Row, x: Tensor, shown: Any, facts: Mapping[str, Any], after: Layout | None = None) -> Tensor:
    """Changes the metadata of `x` itself: it gets the window `shown`, whose layout is `after` (computed if needed). No data
    move; the version is raised nevertheless, as in Paddle.

    A tensor with history gets a new node also under `no_grad`, or while its `stop_gradient` is True: the values do not change, and
    the old node would not fit the new shape.
    """
    name = row.name + "_"
    base, storage = x.base, x.storage
    mode = modes.current()
    if base is not None:
        refresh(x)
    if mode.recording_history and not (x._stop and (base is None or base._stop)):
        check_leaf(name, x)
    overlaps = (after is not None or x.overlaps) and may_overlap_itself(after or over(shown, storage).layout)
    node, current = None, _current_views(x if base is None else base)
    if base is None and x.node is None:  # the views of a leaf get new nodes, for its new shape
        current = [each for each in current if each.untracked == "left"]
    if x.node is not None and x.untracked in ("", "left"):
        result = over(shown, storage)
        node = attach_always(row, x, result, _remembered(row, x, result, facts, after))
    storage.version += 1
    if mode.keeper is not None:
        mode.keeper.after_write(storage)  # no slot was written: saved tensors keep their values
    try:
        _show(x, shown, overlaps, node, current)
    except BaseException:
        _show(x, shown, overlaps, node, current)
        raise
    if mode.listeners:
        mode.notify(name, "relayout", (x,), x, node)
    return x


def _current_views(root: Tensor) -> list[Tensor]:
    """The views of a tensor whose nodes are up to date."""
    version = root.storage.version
    return [] if root._views is None else [each for each in root._views if each.base is root and each._seen == version]


def _show(x: Tensor, shown: Any, overlaps: bool, node: OpNode | None, current: list[Tensor]) -> None:
    """Gives `x` a window and its history. May be repeated: an interrupt must not leave only a part of it changed.

    No value has changed, so the nodes of the `current` views stay right. They are kept, with their hooks.
    """
    show(x, shown, overlaps)
    if node is not None:
        x.node = node
    for each in current:
        each._seen = x.storage.version  # of no meaning for a tensor that is no view
