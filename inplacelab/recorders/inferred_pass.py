"""Emits what the nodes of a backward pass do, for frameworks that do not report it: it is inferred from the graph.

Which nodes run, in which order, and at which one a pass fails, differs by framework (`pass_order.py`). What is said of it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from inplacelab.language import Text
from inplacelab.recorders import events
from inplacelab.recorders.events import INFERRED
from inplacelab.recorders.log import StepLimit
from inplacelab.recorders.static import class_name, message_of


class InferredPass:
    """Emits events about the nodes of the backward pass that runs.

    Args:
        emit: receives the events.
        limit: counts the steps.
        account: returns the bytes of the living storages, and their peak.
        version: returns the version that a counter shows; its second argument, if the counter is gone.
    """

    def __init__(
        self,
        emit: Callable[[events.Event], None],
        limit: StepLimit,
        account: Callable[[], tuple[int, int]],
        version: Callable[[int, int], int],
    ) -> None:
        self._emit, self._limit, self._account, self._version = emit, limit, account, version
        self._refused: tuple[int, str] = (0, "")  # the address and the message of the last error

    def unpacks(
        self,
        node: int | None,
        kept: Iterable[events.Kept],
        gradient: events.Gradient | None,
        last: events.Kept | None = None,
    ) -> None:
        """Emits that a node has used what it had saved.

        Args:
            node: its number; None if it was not described.
            kept: what it had saved.
            gradient: what it has received.
            last: the saved value at which the pass has failed, if it has: the node has not used those after it.
        """
        for each in kept:
            if node is None or self._limit.reached():
                return
            found = self._version(each.counter, each.version)
            self._emit(events.Unpacked(
                node, each.name, each.version, found, gradient, None, *self._account(), origin=INFERRED
            ))  # fmt: skip
            if each is last:
                return

    def runs(
        self,
        node: int,
        following: Iterable[int | None],
        gradient: events.Gradient | None,
        filled: events.Operand | None,
        *,
        released: bool,
    ) -> None:
        """Emits that a node has passed its gradients on (see `events.NodeRan`). `following` are the nodes that receive them."""
        for each in following:
            self._emit(events.Arrived(each or 0, origin=INFERRED))
        self._emit(events.NodeRan(node, released, filled, gradient, *self._account(), origin=INFERRED))

    def refused(self, error: BaseException, node: int | None, kept: events.Kept | None, *, overwritten: bool) -> None:
        """Emits that the framework has refused to go on at a node.

        Args:
            error: what was raised.
            node: the node's number; None if it is not known.
            kept: the saved value that was refused, if it is known.
            overwritten: whether a saved value was overwritten; otherwise an earlier pass has released it.
        """
        message = message_of(error)
        why, fix = (_STALE, _STALE_FIX) if overwritten else (_AGAIN, _AGAIN_FIX)
        self._emit(events.Refused(
            class_name(type(error)), message, why, fix, node, None if kept is None else kept.storage, None, None,
            *self._account(), kind="stale" if overwritten else "again",
        ))  # fmt: skip
        self._refused = id(error), message

    def has_refused(self, error: BaseException) -> bool:
        """Whether an error is the one that was reported as a refusal."""
        return self._refused == (id(error), message_of(error))


_STALE = Text(
    "The node has saved a value for backward, and an in-place operation has overwritten it since.",
    "节点为反向传播保存了一个值，此后有原地操作覆盖了它。",
)
_STALE_FIX = Text(
    "write out of place, or to a clone, what is overwritten before backward.",
    "在反向传播之前要覆盖的内容，请改为非原地操作，或写入它的 `clone()`。",
)
_AGAIN = Text("An earlier backward has released what this node kept.", "之前的反向传播已经释放了这个节点保存的内容。")
_AGAIN_FIX = Text("give the earlier backward `retain_graph=True`.", "给之前的反向传播加上 `retain_graph=True`。")
