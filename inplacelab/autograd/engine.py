"""The backward pass: walks the graph from the results to the leaves; every node runs once.

Ready nodes wait in a heap, the one with the largest serial number first. Every node that sends it a gradient has a larger
number and has already run, so its gradient is complete.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import Any

from inplacelab import errors, modes
from inplacelab.autograd import operations
from inplacelab.autograd.grad_mode import recording
from inplacelab.autograd.history import edge
from inplacelab.autograd.nodes import AccumulateNode, CopySlicesNode, Node, OpNode
from inplacelab.autograd.saved import Saved
from inplacelab.exclusive import Exclusive
from inplacelab.tensor import Tensor


class BackwardPass:
    """One backward pass.

    Attributes:
        create_graph: record the pass itself, so that gradients can be differentiated again.
        retain_graph: keep what the nodes saved, so that the graph can be gone through again.
        capture: the nodes whose incoming gradients to return (`grad`); None to add to the leaves' `.grad` (`backward`).
        blocked: nodes that get no gradient (`grad(no_grad_vars=...)`).
    """

    def __init__(
        self,
        *,
        create_graph: bool,
        retain_graph: bool,
        capture: Sequence[Node | None] | None = None,
        blocked: Sequence[Node | None] = (),
    ) -> None:
        self.create_graph, self.retain_graph = create_graph, retain_graph
        self.captured: dict[Node, Tensor] = {}
        self._capture, self._blocked = None if capture is None else set(capture), set(blocked)
        self._arrived: dict[Node, Tensor] = {}
        self._ours: set[Node] = set()  # nodes whose gradient no other tensor shares: it may be added to in place
        self._heap: list[tuple[int, Node]] = []
        self._finished: list[Node] = []
        self._later: list[AfterAccumulation] = []
        self._retained: list[tuple[Tensor, Tensor]] = []  # tensors with `retain_grads()`, and their gradients
        self._needed: set[Node] | None = None  # the nodes on a path to a captured one; None: all

    def run(self, roots: Sequence[tuple[Node, Tensor]]) -> None:
        """Sends the gradients of `roots` through the graph. The leaves get theirs at the end, when no error can occur."""
        if self._capture is not None:
            starts = [node for node, _ in roots]
            self._needed = _leading_to(self._capture, starts, self._blocked.difference(starts))
        modes.run_inside(recording(self.create_graph), self._run, roots)

    def _run(self, roots: Sequence[tuple[Node, Tensor]]) -> None:
        for each in modes.current().listeners:
            each.backward_begins(roots)
        try:
            self._walk(roots)
        except BaseException:
            for each in modes.current().listeners:
                each.backward_fails()
            raise
        for each in modes.current().listeners:
            each.backward_ends()

    def _walk(self, roots: Sequence[tuple[Node, Tensor]]) -> None:
        for node, gradient in roots:
            if self._needed is None or node in self._needed:
                self._send(node, gradient, ours=False)
        leaves: list[AccumulateNode] = []
        while self._heap:
            node = heapq.heappop(self._heap)[1]
            if isinstance(node, AccumulateNode):
                check_leaf_unchanged(node.leaf, self._arrived[node])
                if self._capture is None:
                    check_gradient_finished(node.leaf)
                leaves.append(node)
            else:
                self._run_from(node)
        self._reach(leaves)
        self._finish()

    def _finish(self) -> None:
        """After the last possible error: sets the retained gradients, and releases the nodes that had to wait."""
        for tensor, gradient in self._retained:
            tensor._grad = gradient
            for each in modes.current().listeners:
                each.flagged(tensor)
        for node in self._finished:
            node.release()
        for hook in self._later:
            hook.hook()

    def _send(self, node: Node, gradient: Tensor, *, ours: bool) -> None:
        """Passes a gradient to a node: the first one as it is, further ones added to it."""
        before = self._arrived.get(node)
        if before is None:
            heapq.heappush(self._heap, (-node.serial, node))
            self._arrived[node] = gradient
            if ours:
                self._ours.add(node)
        elif node in self._ours:
            operations.ops.add_(before, gradient)
        else:
            self._arrived[node] = operations.ops.add(before, gradient)
            if not self.create_graph:
                self._ours.add(node)
        for each in modes.current().listeners:
            each.gradient_arrives(node, self._arrived[node])

    def _run_from(self, node: Node | None) -> None:
        """Runs a node, and those after it as long as it is clear without the heap which one is next."""
        assert node is not None
        gradient, ours = self._complete(node)
        if self._needed is not None and self._needed.isdisjoint(node.edges):
            return  # its own gradient was asked for, and no other one behind it
        while node is not None:
            listeners = modes.current().listeners
            for each in listeners:
                each.node_begins(node, gradient)
            after = self._pass_on(node, gradient, ours)
            if listeners:
                for each in modes.current().listeners:
                    each.node_ends(node)
            node, gradient, ours = after

    def _complete(self, node: Node) -> tuple[Tensor, bool]:
        """The gradient of a node after its hooks have run, and whether no other tensor shares it."""
        gradient = self._arrived.pop(node)
        ours = node in self._ours
        self._ours.discard(node)
        if node.hooks or node.retained:
            gradient, ours = _call_hooks(node, gradient if ours else operations.ops.clone(gradient)), False
            self._retain(node, gradient)
        if self._capture is not None and node in self._capture:
            self.captured[node] = gradient
            ours = False
        return gradient, ours

    def _reach(self, nodes: Sequence[AccumulateNode]) -> None:
        """Adds to the gradients of the leaves. All hooks run before the first one changes."""
        complete = [(node, *self._complete(node)) for node in nodes]
        later = [hook for node in nodes for hook in (node.hooks or {}).values() if type(hook) is AfterAccumulation]
        _changing_gradients.run(self._accumulate_all, complete)
        if self._capture is None:
            self._later += later

    def _accumulate_all(self, complete: list[tuple[AccumulateNode, Tensor, bool]]) -> None:
        leaves = [node.leaf for node, _, _ in complete if self._capture is None]
        before = [leaf._grad for leaf in leaves]
        complete.reverse()
        try:
            while complete:
                node, gradient, ours = complete.pop()
                for each in modes.current().listeners:
                    each.node_begins(node, gradient)
                if self._capture is None:
                    self._accumulate(node.leaf, gradient, ours)
                for each in modes.current().listeners:
                    each.node_ends(node)
        except BaseException:
            for leaf, gradient_before in zip(leaves, before, strict=True):
                _take_back(leaf, gradient_before)
            raise

    def _pass_on(self, node: Node, gradient: Tensor, ours: bool) -> tuple[Node | None, Tensor, bool]:
        """Runs a node, and sends the gradients of its inputs on.

        Returns:
            The node that is next, its gradient, and whether that is ours; None for the node if the heap knows it.
        """
        edges, saved, needed = node.edges, node.saved, self._needed
        # The usual case, in half of the time: one input, no choice of nodes.
        if ours and needed is None and type(node) is OpNode and not any(edges[1:]):
            receiver, result = edges[0], node.first(gradient)
            sent = [(receiver, result)] if receiver and result is not None else []
        else:
            wanted = [e is not None and (needed is None or e in needed) for e in edges]
            results = node.apply_own(gradient, wanted) if ours else node.apply(gradient, wanted)
            sent = [(e, r) for e, r, want in zip(edges, results, wanted, strict=True) if want and e and r is not None]
        if not self.retain_graph:
            self._release(node)
        if len(sent) == 1:
            receiver, result = sent[0]
            mine = ours if result is gradient else self._is_ours(result, saved, gradient, ours)
            if self._is_next(receiver):
                for each in modes.current().listeners:
                    each.gradient_arrives(receiver, result)
                return receiver, result, mine
            self._send(receiver, result, ours=mine)
            return None, gradient, False
        ours = ours and sum(r.storage is gradient.storage for _, r in sent) == 1
        for receiver, result in sent:
            self._send(receiver, result, ours=self._is_ours(result, saved, gradient, ours))
        return None, gradient, False

    def _is_ours(self, result: Tensor, saved: Sequence[Saved], gradient: Tensor, ours: bool) -> bool:
        """Whether no other tensor shares a result of a node.

        Args:
            result: the gradient of one of its inputs.
            saved: what it had saved.
            gradient: what arrived at it.
            ours: whether no other tensor shares that, and at most one result is on its storage.
        """
        if self.create_graph or result.overlaps:
            return False
        if result.storage is gradient.storage:
            return ours
        return not saved or all(result.storage is not each.storage for each in saved)

    def _is_next(self, node: Node) -> bool:
        """Whether a node that receives a gradient has to wait for no other node. Then it has received no gradient before."""
        heap = self._heap
        return (
            (not heap or node.serial > -heap[0][0])
            and type(node) is not AccumulateNode
            and not (node.hooks or node.retained)
            and self._capture is None
        )

    def _retain(self, node: Node, gradient: Tensor) -> None:
        """Notes the gradient of a tensor that is not a leaf but called `retain_grads()`."""
        tensor = None if node.retained is None else node.retained()
        if tensor is not None:
            self._retained.append((tensor, self._to_retain(tensor, gradient)))

    def _to_retain(self, tensor: Tensor, gradient: Tensor) -> Tensor:  # noqa: ARG002  # PyTorch's rule reads it
        """The next `.grad` of a tensor that retains its gradient: as in Paddle that of this pass, and no sum."""
        return _as_leaf(operations.ops.clone(gradient.detach()))

    def _release(self, node: Node) -> None:
        """Frees the saved tensors of a node that has run.

        The operation inside a `CopySlicesNode` may still run as a separate node, when a derivative that used its result is
        differentiated. So it is freed at the end of the pass.
        """
        if type(node) is CopySlicesNode:
            self._finished.append(node)
        else:
            node.release()

    def _accumulate(self, leaf: Tensor, gradient: Tensor, ours: bool) -> None:
        """Puts a gradient into `.grad`, or adds it to the existing one.

        A gradient that another tensor shares is copied first: the program may write `.grad`. A leaf whose `stop_gradient` has
        become True gets none.
        """
        if leaf._stop:
            return
        if gradient.array.dtype != leaf.array.dtype:  # cast under `no_grad` since
            gradient = operations.ops.cast(gradient, leaf.array.dtype)
        if leaf._grad is not None and self.create_graph:
            leaf._grad = operations.ops.add(leaf._grad, gradient)  # in the history, too
        elif leaf._grad is not None:
            operations.ops.add_(leaf._grad, gradient)
        elif ours and gradient.base is None and gradient.is_contiguous():
            leaf._grad = _as_leaf(gradient)
        else:
            leaf._grad = _as_leaf(operations.ops.clone(gradient))


def _leading_to(targets: set[Node | None], roots: Sequence[Node], blocked: set[Node | None]) -> set[Node]:
    """The nodes on a path from the roots to a target, around the blocked ones. The others need not run, and may have stale saved
    tensors.
    """
    order: list[Node] = []
    seen, waiting = set(roots), list(dict.fromkeys(roots))
    while waiting:
        node = waiting.pop()
        order.append(node)
        for each in node.edges:
            if each is not None and each not in seen and each not in blocked:
                seen.add(each)
                waiting.append(each)
    needed: set[Node] = set()
    for node in sorted(order, key=lambda each: each.serial):  # the nodes on its edges have smaller numbers
        if node in targets or any(each in needed for each in node.edges):
            needed.add(node)
    return needed


_changing_gradients = Exclusive()
"""In it a pass adds to gradients: passes in two threads may reach the same leaf."""


def _take_back(leaf: Tensor, before: Tensor | None) -> None:
    """Undoes the change of a leaf's gradient after an error: it had none, or what it had may have been added to."""
    leaf._grad = None
    if before is not None:
        mark_gradient_unfinished(leaf)


def mark_gradient_unfinished(leaf: Tensor) -> None:
    """Makes a leaf refuse to give its gradient, which was being written when an error or an interrupt arrived."""
    leaf._grad = None
    leaf.gradient_unfinished = True  # type: ignore[attr-defined]  # rare, so not a slot


def check_gradient_finished(leaf: Tensor) -> None:
    """Refuses to read a gradient, or to add to it, if writing it did not end."""
    if getattr(leaf, "gradient_unfinished", False):
        raise errors.unfinished_gradient(name=leaf.given_name, tensor=leaf)


def check_leaf_unchanged(leaf: Tensor, gradient: Tensor) -> None:
    """Refuses a gradient that no longer fits the leaf, because its metadata were changed under `no_grad`."""
    if not leaf._stop and leaf.array.shape != gradient.array.shape:
        raise errors.leaf_changed_shape(name=leaf.given_name, expected=gradient.shape, found=leaf.shape, tensor=leaf)


def _as_leaf(gradient: Tensor) -> Tensor:
    """In Paddle `.grad` is a leaf with `stop_gradient=False`."""
    gradient._stop = False
    return gradient


class AfterAccumulation:
    """A hook of a leaf that is called without the gradient, after that has been added to `.grad`."""

    def __init__(self, hook: Callable[[], None]) -> None:
        self.hook = hook

    def __call__(self, gradient: Tensor) -> None:
        """Called when the gradient arrives: nothing happens yet."""


def _call_hooks(node: Node, gradient: Tensor) -> Tensor:
    for hook in list((node.hooks or {}).values()):
        if type(hook) is AfterAccumulation:
            continue
        for each in modes.current().listeners:
            each.hook_begins(node, hook, gradient)
        changed = hook(gradient)
        if changed is not None:
            _check_changed(gradient, changed)
            gradient = changed
        for each in modes.current().listeners:
            each.hook_ends(node, gradient)
    return gradient


def _check_changed(gradient: Tensor, changed: Any) -> None:
    """Refuses the return value of a hook if it cannot replace the gradient."""
    if not isinstance(changed, Tensor):
        raise errors.hook_returned_no_tensor(changed=changed)
    if changed.array.shape != gradient.array.shape or changed.array.dtype != gradient.array.dtype:
        raise errors.hook_changed_gradient(
            shape=gradient.shape, dtype=gradient.dtype, new_shape=changed.shape, new_dtype=changed.dtype
        )


def backward(tensors: Sequence[Tensor], seeds: Sequence[Tensor | None], *, retain_graph: bool = False) -> None:
    """Adds gradients to the `.grad` of every leaf that `tensors` depend on.

    Raises:
        NoGradientError: if a tensor has no history.
        StaleSavedTensorError: if a saved tensor that a derivative needs has been overwritten.
        FreedGraphError: if an earlier pass freed a saved tensor.
    """
    BackwardPass(create_graph=False, retain_graph=retain_graph).run(
        [root_of(t, s) for t, s in zip(tensors, seeds, strict=True)]
    )


def root_of(tensor: Tensor, seed: Tensor | None) -> tuple[Node, Tensor]:
    """The node and the gradient that a pass starts with: ones unless a seed is given, also for several elements, as in Paddle."""
    for position, given in enumerate([tensor] if seed is None else [tensor, seed]):
        if not isinstance(given, Tensor):
            raise errors.not_a_tensor("backward", ("tensor", "grad_tensor")[position], position, given)
    start = edge(tensor)
    if start is None:
        raise errors.nothing_to_differentiate(tensor=tensor)
    if seed is None:
        return start, operations.ops.ones_like(tensor)
    if seed.array.shape != tensor.array.shape:
        raise errors.seed_shape_differs(
            name=tensor.given_name, expected=tensor.shape, seed=seed.given_name, given=seed.shape
        )
    return start, seed
