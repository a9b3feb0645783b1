"""Emits events about backward passes, for frameworks that do not report what a pass does: it is inferred from the graph.

Which nodes run, in which order, and at which one a pass fails, differs by framework. What is said of it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from types import FrameType
from typing import Any, Literal, NamedTuple, TypeVar

from inplacelab.language import Text
from inplacelab.recorders import events
from inplacelab.recorders.call_recorder import ENTERED, CallRecorder
from inplacelab.recorders.events import INFERRED
from inplacelab.recorders.static import class_name, message_of

N = TypeVar("N", bound=Hashable)
Following = Callable[[N], Iterable[N]]
"""Returns the nodes after one. A node is whatever has a hash."""


def reachable(roots: Iterable[N], following: Following[N]) -> list[N]:
    """Returns every node reachable from the roots, including them."""
    seen: dict[N, None] = {}
    waiting = list(roots)[::-1]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen[node] = None
            waiting += following(node)
    return list(seen)


def leading_to(nodes: Sequence[N], ends: Iterable[N], following: Following[N]) -> set[N]:
    """Returns the nodes from which one of the ends can be reached in at least one step."""
    before: dict[N, list[N]] = {}
    for node in nodes:
        for each in following(node):
            before.setdefault(each, []).append(node)
    found: set[N] = set()
    waiting = [node for end in ends for node in before.get(end, ())]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += before.get(node, ())
    return found


class PassArguments(NamedTuple):
    """What the program has asked of a pass.

    Attributes:
        roots: the tensors from which it begins.
        gradients: the gradient for each; None for ones.
        inputs: the tensors whose gradients it wants; None for all leaves.
        fills: whether it fills `.grad`.
        keeps: whether it keeps what nodes have saved.
    """

    roots: tuple[Any, ...]
    gradients: tuple[Any, ...]
    inputs: tuple[Any, ...] | None
    fills: bool
    keeps: bool


@dataclass(slots=True, eq=False)
class BackwardPass:
    """A running backward pass. Its nodes are given by their keys: by what tells them from others.

    Attributes:
        asks: what the program has asked of it.
        roots: the numbers of the nodes with which it begins.
        first: the first of them.
        nodes: those that it may reach.
        order: those that it runs, in order, as far as they have not been reported.
        after: returns the nodes that receive the gradients of one.
        runs: all that it runs, in order.
        gradient: what the first node receives.
        had: the tensors that had a gradient already, by number.
        released: the nodes that were found to have released what they had saved.
    """

    asks: PassArguments
    roots: Sequence[int]
    first: Any
    nodes: list[Any]
    order: list[Any]
    after: Following[Any]
    runs: Mapping[Any, None] = field(default_factory=dict)
    gradient: events.Gradient | None = None
    had: frozenset[int] = frozenset()
    released: set[Any] = field(default_factory=set)


Refused = Literal["stale", "again"]
"""Why a framework has refused to go on: a saved value was overwritten, or an earlier pass has released it."""


class BackwardPasses:
    """The running backward passes of a program.

    Args:
        recorder: the recorder.

    Attributes:
        running: the passes, each begun by code that runs in the one before it; None for one that is not recorded.
    """

    def __init__(self, recorder: CallRecorder[Any]) -> None:
        self._recorder, self._objects, self._nodes = recorder, recorder.objects, recorder.objects.nodes
        self._emit, self._limit, self._live_and_peak = recorder.emit, recorder.limit, recorder.live_and_peak
        self.running: list[BackwardPass | None] = []
        self._refused: tuple[int, str] = (0, "")  # the address and the message of the last error that was reported

    def forget(self) -> None:
        """Drops all references."""
        self.running.clear()

    # ---- what differs by framework ---------------------------------------------------------------------------------------

    def arguments(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> PassArguments:
        """Returns what the arguments of a function through which passes enter the framework's engine ask."""
        raise NotImplementedError

    def root_node(self, tensor: Any) -> Any:
        """Returns the node from which a pass begins at a tensor, or to which the gradient of an input goes; None if there is none."""
        raise NotImplementedError

    def tensors_of(self, value: Any) -> Iterator[Any]:
        """Yields the tensors in roots or in results."""
        raise NotImplementedError

    def planned(self, asks: PassArguments, roots: Sequence[Any]) -> BackwardPass:
        """Returns which nodes a pass will run. Describes those that are new."""
        raise NotImplementedError

    def number_of(self, key: Any) -> int | None:
        """Returns the number of a node; None if it is not known."""
        raise NotImplementedError

    def leaf_of(self, key: Any) -> tuple[Any, Any]:
        """Returns what is known of the leaf whose gradient a node accumulates, and the leaf; None for both if it does not."""
        raise NotImplementedError

    def leaves_after(self, under: BackwardPass, key: Any) -> Iterable[Any]:  # noqa: ARG002  # a framework's own may need them
        """Returns the leaves that a pass reaches after a node, where several gradients may count with one counter."""
        return ()

    def first_gradient(self, root: Any, given: Any) -> events.Gradient:
        """Returns the gradient with which a pass begins at a root; `given` is None for ones."""
        raise NotImplementedError

    def leaf_gradient(self, leaf: Any) -> events.Gradient:
        """Returns the gradient that a leaf holds."""
        raise NotImplementedError

    def arrived(self, under: BackwardPass, key: Any) -> events.Gradient | None:
        """Returns what is known of the gradient that a node has received."""
        return under.gradient if key == under.first else None

    def has_released(self, key: Any) -> bool:
        """Whether a node that runs in a pass that keeps nothing has released what it had saved."""
        raise NotImplementedError

    def release(self, under: BackwardPass, ran: Sequence[Any]) -> None:
        """Emits which nodes have released what they had saved, of a pass that has run some."""
        raise NotImplementedError

    def running_node(self, under: BackwardPass, frame: FrameType) -> Any:
        """Returns the node of a pass that runs code of the program now; None if it is not known."""
        raise NotImplementedError

    def failing(self, under: BackwardPass, error: BaseException) -> tuple[Any, events.Kept | None, Refused | None]:
        """Returns the node at which a pass has failed, what it had saved, and why it failed; None for what cannot be known."""
        raise NotImplementedError

    # ---- passes ----------------------------------------------------------------------------------------------------------

    def in_own_code(self, frame: FrameType | None) -> bool:
        """Whether code of the program runs in the backward pass that began last, such as a hook."""
        return self._recorder.program.runs_inside(ENTERED, frame)

    def begins(self, frame: FrameType, asks: PassArguments) -> None:
        """Called when a pass begins."""
        place = self._recorder.names.place(frame)
        if self.running:
            self.advance(frame)
        objects = self._objects
        roots = [node for each in asks.roots if (node := self.root_node(each)) is not None]
        if not roots or self._limit.reached():
            self.running.append(None)
            return
        for each in self.tensors_of(asks.roots):
            known = objects.tensor(each)
            if known is not None:
                objects.history(known, each, fresh=True)
        if objects.look_again():
            self._recorder.guard.note(self._recorder.unobserved, aside=True)
        under = self.planned(asks, roots)
        pairs = zip_longest(asks.roots, asks.gradients[: len(asks.roots)])
        gradient, *others = [
            self.first_gradient(root, given) for root, given in pairs if self.root_node(root) is not None
        ]
        under.runs, under.gradient = dict.fromkeys(under.order), gradient.if_small()
        under.had = frozenset(known.number for _, known in objects.tensors.living() if known.grad is not None)
        self.running.append(under)
        nodes = [number for each in under.nodes if (number := self.number_of(each)) is not None]
        first, *further = under.roots
        self._emit(events.BackwardBegan(
            tuple(nodes), first, gradient, tuple(zip(further, others, strict=True)), place, *self._live_and_peak()
        ))  # fmt: skip

    def advance(self, frame: FrameType) -> None:
        """Emits what the nodes of the current pass have done that ran before the one that runs code of the program now."""
        under = self.running[-1]
        until = None if under is None else self.running_node(under, frame)
        if under is not None and until in under.order:
            self._run_until(under, until)

    def _run_until(self, under: BackwardPass, until: Any) -> list[Any]:
        """Emits that the nodes of a pass have run that come before one. Returns these."""
        ran = under.order[: under.order.index(until)]
        for key in ran:
            self._ran(under, key)
        del under.order[: len(ran)]
        return ran

    def _ran(self, under: BackwardPass, key: Any) -> None:
        """Emits that a node has run."""
        number, gradient, filled = self.number_of(key), self.arrived(under, key), None
        self._unpacks(number, gradient)
        if self._limit.reached():
            return
        known, leaf = self.leaf_of(key) if under.asks.fills else (None, None)
        if leaf is not None:
            filled = self._objects.filled(leaf, self.leaves_after(under, key))
            if filled is not None and known is not None and known.number not in under.had:
                gradient = self.leaf_gradient(leaf)
        if number is None:
            return
        for each in dict.fromkeys(under.after(key)):
            if each in under.runs:
                self._emit(events.Arrived(self.number_of(each) or 0, origin=INFERRED))
        released = not under.asks.keeps and self.has_released(key)
        if released:
            under.released.add(key)
        self._emit(events.NodeRan(number, released, filled, gradient, *self._live_and_peak(), origin=INFERRED))

    def _unpacks(self, number: int | None, gradient: events.Gradient | None, last: events.Kept | None = None) -> None:
        """Emits that a node has used what it had saved; if the pass has failed at one of these values, not those after it."""
        for each in self._nodes.kept_by(number):
            if number is None or self._limit.reached():
                return
            found = self._objects.storages.version(each.counter, each.version)
            self._emit(events.Unpacked(
                number, each.name, each.version, found, gradient, None, *self._live_and_peak(), origin=INFERRED
            ))  # fmt: skip
            if each is last:
                return

    def ended(self, result: Any) -> None:
        """Called when a pass has ended, with what it returns."""
        under, objects = self.running.pop(), self._objects
        if under is None or self._limit.exceeded:
            return
        for key in under.order:
            self._ran(under, key)
        objects.look_at_gradients()
        self.release(under, list(under.runs))
        objects.settle()
        self._limit.reached()
        self._emit(events.BackwardEnded(*self._live_and_peak()))
        if not under.asks.fills:
            for tensor in self.tensors_of(result):
                objects.tensor(tensor, resulted=True)
            self._emit(events.Handed())

    def failed(self, error: BaseException) -> None:
        """Called when a pass has raised."""
        under = self.running.pop()
        if under is None or self._limit.exceeded:
            return
        key, kept, why = self.failing(under, error)
        ran: list[Any] = []
        if key is not None and key in under.order:
            ran = self._run_until(under, key)
            self._unpacks(self.number_of(key), self.arrived(under, key), last=kept)
        self._objects.look_at_gradients()
        number = None if key is None else self.number_of(key)
        if why:
            self._report_refusal(error, number, kept, why)
        self._emit(events.BackwardFailed(number))
        self.release(under, ran)
        under.order.clear()

    def _report_refusal(self, error: BaseException, node: int | None, kept: events.Kept | None, why: Refused) -> None:
        """Emits that the framework has refused to go on at a node, if that is known."""
        message, storage = message_of(error), None if kept is None else kept.storage
        self._emit(events.Refused(
            class_name(type(error)), message, *_REASONS[why], node, storage, None, None, *self._live_and_peak(), kind=why
        ))  # fmt: skip
        self._refused = id(error), message

    def has_refused(self, error: BaseException) -> bool:
        """Whether an error is the one that was reported as a refusal."""
        return self._refused == (id(error), message_of(error))


_REASONS: Mapping[Refused, tuple[Text, Text]] = {
    "stale": (
        Text(
            "The node has saved a value for backward, and an in-place operation has overwritten it since.",
            "节点为反向传播保存了一个值，此后有原地操作覆盖了它。",
        ),
        Text(
            "use the ordinary operation, or write to a clone: backward needs the old values.",
            "请改用普通操作，或写入副本（`clone()`）：反向传播还需要旧值。",
        ),
    ),
    "again": (
        Text("An earlier backward has released what this node kept.", "之前的反向传播已经释放了这个节点保存的内容。"),
        Text("give the earlier backward `retain_graph=True`.", "给之前的反向传播加上 `retain_graph=True`。"),
    ),
}
"""Why a framework refuses, and what to do."""
