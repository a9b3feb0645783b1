"""The node that made a tensor's current value, kept correct while views and in-place operations share bytes.

Two rules, each written once:

*A write through a view rewrites the base's history* (`rebase`): the base has a new value, so its node becomes a
`CopySlicesNode` over the old one.

*A view gets a new node after a write through another tensor* (`refresh`): one whose edge goes to the base's current node.
This happens when the view's history is next needed, by comparing versions, so a write costs nothing for views that are
never used again.

Both rules follow PyTorch 2.13, where they are correct; PaddlePaddle 3.3.1 changes only the history of the tensor named in
the call, which gives silently wrong gradients.

A tensor holds its views weakly (`Views`): they need an update when it leaves its storage.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from weakref import ref

from inplacelab import errors
from inplacelab.autograd.nodes import (
    AccumulateNode,
    CopySlicesNode,
    Node,
    OpNode,
    UnfinishedNode,
    ViewNode,
    meta,
)
from inplacelab.autograd.saved import Meta, Selected
from inplacelab.language import Text
from inplacelab.layout import index
from inplacelab.tensor import Tensor


class Views:
    """Weak references to views. (A `WeakValueDictionary` would take as long as all other work for a view.)."""

    __slots__ = ("_enough", "_references")

    def __init__(self) -> None:
        self._references: list[ref[Tensor]] = []
        self._enough = 64

    def add(self, view: Tensor) -> None:
        """Adds a view. From time to time removes those that are gone, so that a loop over `x[i]` does not fill the list."""
        references = self._references
        references.append(ref(view))
        if len(references) > self._enough:
            self._remove_dead()

    def _remove_dead(self) -> None:
        """Another thread may add a view meanwhile: it adds to the new list."""
        before, self._references = self._references, []
        try:
            alive = [each for each in before if each() is not None]
        except BaseException:
            self._references += before
            raise
        self._references += alive
        self._enough = 2 * len(alive) + 64

    def __iter__(self) -> Iterator[Tensor]:
        return (view for view in [each() for each in self._references] if view is not None)


def refresh(view: Tensor) -> None:
    """Brings a view's history up to date if its storage was written since the last update."""
    version = view.storage.version
    base = view.base
    if base is None or view._seen == version:
        return
    if view.untracked == "left":
        if not _made_again(base):
            return
        view.untracked = "stopped" if view._stop else ""
    if view.untracked and not base._stop:
        return
    if not base._stop:
        root = edge(base)
        assert root is not None
        view.node = ViewNode(root, meta(base), meta(view))
        view._stop = False
    elif view.node is not None and not view.untracked:
        view._stop = True  # its leaf needs no gradient any more
        return  # but may need one again
    view._seen = version  # last: an interrupt before it means that this happens again


def is_outdated(view: Tensor) -> bool:
    """Whether `refresh` would give a view another history. It changes nothing itself."""
    base = view.base
    if base is None or view._seen == view.storage.version:
        return False
    untracked = view.untracked
    if untracked == "left":
        if not _made_again(base):
            return False
        untracked = "stopped" if view._stop else ""
    if base._stop:
        return view.node is not None and not untracked and not view._stop
    return not untracked


def leave(base: Tensor) -> None:
    """Prepares a tensor that is no view for leaving the history: its views keep the history of what they show now.

    After a later write to the storage this history no longer fits, and the base's does not tell what the view depends on. So the view
    is refused then, unless a new value of the whole base has been computed in the history. (PyTorch 2.13 makes such a view a
    constant, even if the write did not touch it.)
    """
    views = _views_of(base)
    for view in views:
        refresh(view)
    if base.node is not None:  # a leaf has no history that its views could keep
        for view in views:
            if not view.untracked and not view._stop:
                view.untracked = "left"


def come_back(base: Tensor) -> None:
    """Puts the views back into the history of a base that needs a gradient again."""
    if base.node is not None:
        for view in _views_of(base):
            if view.untracked == "left":
                view.untracked = "stopped" if view._stop else ""


def _views_of(base: Tensor) -> list[Tensor]:
    return [] if base._views is None else [view for view in base._views if view.base is base]


def _made_again(base: Tensor) -> bool:
    """True if the whole value of a base is in the history: below the nodes that wrote parts or changed the layout is one that made it."""
    node = None if base._stop else base.node
    while type(node) is CopySlicesNode or (
        type(node) is OpNode and (node.row.writes_some or node.row.layout is not None)
    ):
        node = node.edges[0]
    return node is not None


def edge(tensor: Tensor) -> Node | None:
    """Returns the node that receives the gradient of the tensor's current value; None if it needs no gradient.

    Raises:
        AmbiguousViewError: if it is a view made as a constant, and its storage was written after that.
    """
    if tensor.base is not None:
        check_view(tensor)
        refresh(tensor)
    if tensor._stop:
        return None
    return tensor.node or accumulator(tensor)


def check_view(view: Tensor) -> None:
    """Refuses to use a view made as a constant if its storage was written and its base needs a gradient: a view made under
    `no_grad`, or one that shows bits as another dtype (or a view of one). Integers are always constants.

    Without a write, such a view is a constant. A written value may depend on leaves, and it is unknown whether the program
    wants that dependence: treating it as a constant could give a silently wrong gradient. PyTorch refuses, too.

    Also refuses a view whose base has left the history (`leave`), and whose storage was written after that.
    """
    base = view.base
    if view.untracked == "left":
        refresh(view)
        if view.untracked == "left" and not view._stop and view._seen != view.storage.version:
            raise errors.view_left_and_written(tensor=view)
        return
    made_as_constant = view.untracked in ("no_grad", "bits") and base is not None and not base._stop
    if made_as_constant and view._seen != view.storage.version and view.array.size and view.array.dtype.kind in "fc":
        if view.untracked == "bits":
            raise errors.ambiguous_view_of_bits(tensor=view)
        raise errors.ambiguous_view(tensor=view)


def accumulator(leaf: Tensor) -> Node:
    """Returns the node that adds to a leaf's `.grad`: the same one as long as a graph refers to it."""
    node: Node | None = None if leaf._accumulator is None else leaf._accumulator()
    if node is None:
        node = AccumulateNode.__new__(AccumulateNode)
        node.__init__(leaf)  # type: ignore[misc]  # calling the class takes twice as long
        leaf._accumulator = weakref.ref(node)
    return node


def check_leaf(op: str, target: Tensor, *, setitem: bool = False, write: str = "") -> None:
    """Refuses to write a leaf that needs a gradient, or a view of one, while history is recorded.

    Args:
        op: the name of the operation.
        target: the tensor to write.
        setitem: True for `x[key] = value`.
        write: how a program writes to a tensor `y` with it, for the message; `y.op(...)` if empty.

    Raises:
        LeafWriteError: if `target` is one of these.
        WriteConflictError: if it is a view made under `no_grad` of a tensor with history, one that shows the bits as
            another dtype, or one whose base has left the history.
    """
    if target.base is not None:
        _check_view_write(op, target, target.base, setitem, write)
    elif target.node is None and not target._stop:
        raise _leaf_write(op, target, target.given_name, _A_LEAF, setitem, write)


def _check_view_write(op: str, view: Tensor, base: Tensor, setitem: bool, write: str) -> None:
    if view.untracked == "bits":
        raise errors.bits_written(op=op, tensor=view)
    if view.untracked == "left" and not view._stop:
        raise errors.view_left(op=op, tensor=view)
    if base._stop:
        if not view._stop:  # a view that the program made a leaf, or a view of one
            raise _leaf_write(op, view, view.given_name, _A_LEAF if view.node is None else _A_VIEW, setitem, write)
    elif base.node is None:
        raise _leaf_write(op, view, base.given_name, _A_LEAF if setitem else _A_VIEW, setitem, write)
    elif view.untracked or view._stop:
        raise errors.view_without_history(
            op=op, how=_TAKEN_OUT if view.untracked == "stopped" else _MADE_AS_CONSTANT, tensor=view
        )


_A_LEAF, _A_VIEW = Text("a leaf", "叶子张量"), Text("a view of a leaf", "叶子张量的视图")
_MADE_AS_CONSTANT = Text("created under no_grad", "在 no_grad 下创建的")
_TAKEN_OUT = Text("taken out of the history", "已离开历史的")


_FUNCTIONS = {
    **dict.fromkeys(("elu_", "hardtanh_", "leaky_relu_", "relu_", "softmax_", "thresholded_relu_"), "F"),
    **dict.fromkeys(("erf_", "expm1_"), "paddle"),
}
"""In-place operations that are no methods in Paddle, and where they are. (`F` is `nn.functional`.)"""


def _leaf_write(op: str, target: Tensor, name: str, what: Text, setitem: bool, write: str) -> Exception:
    noun = "Tensor" if setitem else "Var"
    home = _FUNCTIONS.get(op)
    write = write or ("y[...] = ..." if setitem else f"{home}.{op}(y)" if home else f"y.{op}(...)")
    return errors.leaf_write(op=op, noun=noun, name=name, what=what, write=write, tensor=target)


def rebase(target: Tensor, node: Node, where: Selected | None = None) -> None:
    """Rewrites the histories of `target` and its base: `node` makes the value that is written through `target`.

    `where` is the part of the base that `target` shows, if known: computing it takes longer than writing a few numbers.
    """
    base = target.base
    if base is None:
        target.node = node
        target._stop = False
        return
    whole, part = (meta(base), where) if where else _place(target, base)
    base.node = CopySlicesNode(edge(base), whole, part, node)
    base._stop = False
    target._seen = -1  # every view, this one too, gets a new node from the base's when its history is next needed


def _place(view: Tensor, base: Tensor) -> tuple[Meta, Meta | Selected]:
    """The metadata of a base, and of the part that a view shows.

    If nothing was written since the view got its node, that was made from the same metadata. To find the offset of a window takes
    longer than to write a few numbers.
    """
    node = view.node
    if view._seen == view.storage.version and node is not None and node.edges[0] is base.node and not base.overlaps:
        if type(node) is ViewNode:
            return node.base, node.view
        if type(node) is OpNode and node.row.layout is index:
            whole = meta(base)
            return whole, Selected(whole, node.facts["key"])
    return meta(base), meta(view)


def mark_unfinished(target: Tensor, op: str) -> None:
    """Makes backward refuse the current value of a tensor: a write to it by `op`, outside the history, was not followed by
    the change of its history.
    """
    root = target if target.base is None else target.base
    if root.node is not None:
        rebase(target, UnfinishedNode(op, edge(root)))
