"""What a recorder knows of the program's tensors, storages, version counters and grad nodes: what frameworks have in common.

For frameworks that tell what is so now, but not what happens (see `call_recorder.py`). Each object is described by events when it is first
seen and when it has changed. Nothing is kept alive. A framework's own classes say how its objects are read and told apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from zlib import crc32

from inplacelab.language import Text
from inplacelab.layout import Layout, is_packed
from inplacelab.recorders import events
from inplacelab.recorders.live_objects import Handles
from inplacelab.recorders.snapshots import Snapshot, copied, memory_at, whole_at

if TYPE_CHECKING:
    from inplacelab.recorders.call_recorder import CallRecorder

Slots = Layout | tuple[int, ...] | None

ON_DEVICE = Text(
    "Values on {0} were not copied, because copying would wait for the device.",
    "没有复制 {0} 上的数值，因为那样需要等待设备。",
)


@dataclass(slots=True, eq=False)
class Counter:
    """A version counter: its number, its storage, and the version at the last event about it.

    Attributes:
        together: itself and the counters of other storages that the framework raises with it, if there are any.
    """

    number: int
    storage: KnownStorage
    version: int
    together: list[Counter] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class KnownStorage:
    """The state of a storage at the last event about it.

    Attributes:
        number: its number.
        address: what tells it from others while it lives; 0 if there is nothing.
        start: the address of its memory.
        dtype, item: the type of its slots, which is that of the first tensor seen on it, and the bytes of one.
        bytes: its size.
        device: where it is.
        counters: its version counters: one, unless the framework counts for some aliases apart.
        tensors: the living tensors on it, by number.
    """

    number: int
    address: int
    start: int
    dtype: str
    item: int
    bytes: int
    device: str
    counters: list[Counter] = field(default_factory=list)
    tensors: dict[int, Any] = field(default_factory=dict)

    def memory(self) -> Any:
        """Returns the memory as an array of one axis; None if it cannot be read without waiting, or holds no numbers."""
        return memory_at(self.start, self.bytes, self.dtype) if self.device == "cpu" else None


@dataclass(slots=True, eq=False)
class KnownTensor:
    """The state of a tensor at the last event about it.

    Attributes:
        number: its number.
        names: the program's names for it.
        storage, counter: its storage and version counter.
        operand: its metadata.
        base: the number of the tensor of which it is a view.
        node, needs, grad: its place in the gradient history; what is known of its `.grad`.
        twin: the engine's tensor with the same values (see `judging`).
    """

    number: int
    names: tuple[str, ...]
    storage: Any
    counter: Counter
    operand: events.Operand
    base: int | None = None
    node: int | None = None
    needs: bool = False
    grad: Any = None
    twin: Any = None

    def alive(self) -> Any:
        """Returns the tensor, or None once it is gone."""
        raise NotImplementedError


@dataclass(slots=True)
class KnownNode:
    """A grad node.

    Attributes:
        key: what tells it from others while it lives.
        edges: the nodes that receive its gradients.
        kept: what it has saved.
        released: whether it has released that.
        name, after: what kind of node it is, and the keys of the nodes after it, where nodes are compared by these.
    """

    key: Any
    edges: tuple[int | None, ...]
    kept: tuple[events.Kept, ...] = ()
    released: bool = False
    name: str = ""
    after: tuple[Any, ...] = ()


S = TypeVar("S", bound=KnownStorage)
T = TypeVar("T", bound=KnownTensor)


class KnownObjects(Generic[T]):
    """Emits events about tensors. Its `storages` and `nodes` do so about theirs.

    Args:
        recorder: the recorder.

    Attributes:
        tensors: the known living tensors.
        storages, nodes: what is known of storages, with their version counters, and of grad nodes.
        replacing: whether an operation is reported that gives tensors another history: nodes freed then were replaced by it.
    """

    storages: Any
    nodes: Any

    def __init__(self, recorder: CallRecorder[Any]) -> None:
        self.recorder, self._emit, self._note = recorder, recorder.emit, recorder.guard.note
        self._version_of = recorder.read.version_of
        self.tensors: Handles[Any, T] = Handles(self._tensor_died, recorder.guard.protect_callback)
        self.replacing = False

    def forget(self) -> None:
        """Drops all references."""
        self.tensors.clear()
        self.storages.forget()
        self.nodes.forget()

    def settle(self) -> None:
        """Emits what is gone, where the framework does not tell it at once."""

    def tensor(
        self,
        tensor: Any,
        *,
        filled: bool = True,
        of: Sequence[T] = (),
        own_counter: bool = False,
        resulted: bool = False,
    ) -> T | None:
        """Returns a known tensor; describes it first if it is new. None if it cannot be recorded.

        Args:
            tensor: the tensor.
            filled: False if a new storage has no meaningful values yet.
            of: the tensors of which an operation has made it.
            own_counter: whether a new tensor counts its writes apart from others on its storage, as PyTorch's `x.data` does.
            resulted: whether an operation has just made it.
        """
        raise NotImplementedError

    def history(self, known: T, tensor: Any, *, fresh: bool = False) -> bool:
        """Emits a change of a tensor's node or of whether it needs a gradient. Returns whether there was one.

        Args:
            known: what is known of it.
            tensor: the tensor.
            fresh: whether the program has used it in a way that makes the node of a view, where that is made when it is used.
        """
        node, needs = self._history(known, tensor, fresh)
        if node == known.node and needs is known.needs:
            return False
        known.needs = needs
        self._point(known, node)
        self._emit(events.Rewired(known.number, needs, node))
        return True

    def flags(self, known: T, tensor: Any) -> bool:
        """Emits a change of the gradient flag, `.grad` or the node of a tensor. Returns whether the program has set one."""
        node, needs = self._history(known, tensor, False)
        grad = self._gradient(known, tensor)
        if (needs, node) == (known.needs, known.node) and grad is known.grad:
            return False
        known.needs = needs
        self._point(known, node)
        self._emit(events.FlagsSet(known.number, needs, node, None if grad is None else grad.number))
        self._replace_gradient(known, grad)
        return True

    def wrote_unseen(self, known: T, tensor: Any) -> bool:
        """Emits a write that was not reported. Returns whether there was one."""
        if known.counter.version == self._version_of(tensor):
            return False
        self.storages.wrote(known, tensor, None)
        return True

    def look_again(self) -> bool:
        """Emits the writes that were not reported. Returns whether there were any."""
        unseen = [known for tensor, known in self.tensors.living() if self.wrote_unseen(known, tensor)]
        return bool(unseen)

    def filled(self, leaf: Any, later: Iterable[Any] = ()) -> events.Operand | None:
        """Emits the gradient that a backward pass has given to a tensor.

        Args:
            leaf: the tensor.
            later: the leaves that the pass reached after it.

        Returns:
            The tensor that holds the gradient.
        """
        raise NotImplementedError

    def look_at_gradients(self) -> None:
        """Emits the gradients that tensors have and that were not reported."""
        raise NotImplementedError

    def look_at(self, known: T, tensor: Any, *, apart: bool = False) -> bool:
        """Emits a change of a tensor's layout or storage. Returns whether there was one.

        Args:
            known: what is known of it.
            tensor: the tensor.
            apart: whether it counts its writes apart from the other tensors on a new storage.
        """
        raise NotImplementedError

    def look_at_aliases(self, known: T) -> None:
        """Emits the changes of layout of tensors that share their metadata with one, where there are such."""

    def _describe(self, known: T) -> None:
        grad = None if known.grad is None else known.grad.number
        self._emit(events.TensorMade(
            known.operand, known.storage.device, known.needs, known.base, known.node, grad, known.names
        ))  # fmt: skip

    def _point(self, known: T, node: int | None) -> None:
        """Sets the node that a tensor leads to."""
        before, known.node = known.node, node
        if before != node:
            self.nodes.count(node, 1)
            self.nodes.count(before, -1)

    def _replace_gradient(self, known: T, grad: T | None) -> None:
        known.grad = grad

    def _tensor_died(self, known: T) -> None:
        raise NotImplementedError

    def _history(self, known: T, tensor: Any, fresh: bool) -> tuple[int | None, bool]:
        """Returns a tensor's node, and whether it needs a gradient."""
        raise NotImplementedError

    def _gradient(self, known: T, tensor: Any) -> T | None:
        """Returns what is known of the tensor in the `.grad` of another: described first, if it is new."""
        raise NotImplementedError


class KnownStorages(Generic[S]):
    """Emits events about storages and version counters, and counts the bytes of living storages.

    Args:
        objects: the tensors on them.

    Attributes:
        moved_to: storages on which other tensors may be than before (see `agree_on_types`).
        seen: how many storages have been seen. They are numbered in this order.
        only_ends: whether only the ends of a large storage are read when it is first seen.
        live_before: the bytes of the storages that existed before the recording.
    """

    def __init__(self, objects: KnownObjects[Any]) -> None:
        recorder = objects.recorder
        self._objects, self._emit, self._note = objects, recorder.emit, recorder.guard.note
        self._version_of, self._with_values = recorder.read.version_of, recorder.with_values
        self.seen, self.only_ends, self.live_before = 0, False, 0
        self._live = self._peak = self._given = 0
        self._storages: dict[int, S] = {}  # by address
        self._counters: dict[int, Counter] = {}
        self._next_counter = count().__next__
        self.moved_to: dict[int, S] = {}

    def forget(self) -> None:
        """Drops all references."""
        for each in (self._storages, self._counters, self.moved_to):
            each.clear()

    def began(self) -> None:
        """Takes the storages seen so far as those that existed before the recording."""
        self.live_before, self._live, self._peak, self._given = self._live, 0, 0, self.seen

    def agree_on_types(self) -> None:
        """Gives the slots of storages another type than that of the first tensor seen on them, where others show what they hold."""

    def live_and_peak(self) -> tuple[int, int]:
        """Returns the bytes of the living storages that the program has made, and their peak."""
        return self._live, self._peak

    def reached(self, more: int) -> None:
        """Notes that so many bytes more were live for a while, which no known storage had."""
        self._peak = max(self._peak, self._live + more)

    def _count(self, storage: KnownStorage, grown: int) -> None:
        """Counts the bytes by which a storage has grown."""
        if storage.number >= self._given:
            self._live += grown
            self._peak = max(self._peak, self._live)

    def _add(self, known: S, *, filled: bool) -> events.StorageSeen:
        """Describes a new storage."""
        self.seen += 1
        self._count(known, known.bytes)
        seen = self._seen(known, self._copy(known, () if self.only_ends else None) if filled else None)
        self._emit(seen)
        return seen

    def _seen(self, known: KnownStorage, values: Snapshot | None) -> events.StorageSeen:
        slots = known.bytes // known.item
        return events.StorageSeen(known.number, slots * known.item, slots, known.dtype, known.device, False, values)

    def _free(self, storage: KnownStorage) -> None:
        for counter in storage.counters:
            self._counters.pop(counter.number, None)
        self._count(storage, -storage.bytes)
        self._emit(events.Died("storage", storage.number, self._objects.replacing))

    def _copy(self, known: KnownStorage, slots: Slots = None) -> Snapshot | None:
        if not self._with_values:
            return None
        if known.device == "cpu" and (whole := whole_at(known.start, known.bytes, known.dtype)) is not None:
            return whole
        memory = memory_at(known.start, known.bytes, known.dtype) if known.device == "cpu" else None
        if memory is not None:
            return copied(memory, known.dtype, slots)
        if known.device not in ("cpu", "meta"):
            self._note(ON_DEVICE.format(known.device))
        return None

    def new_counter(self, storage: KnownStorage, version: int) -> Counter:
        """Returns a new version counter on a storage."""
        counter = Counter(self._next_counter(), storage, version)
        counter.together.append(counter)
        storage.counters.append(counter)
        self._counters[counter.number] = counter
        self._emit(events.CounterSeen(counter.number, storage.number, version))
        return counter

    def version(self, counter: int, otherwise: int) -> int:
        """Returns the version that a counter shows; if it is gone, `otherwise`."""
        known = self._counters.get(counter)
        return otherwise if known is None else known.version

    def wrote(self, known: Any, tensor: Any, slots: Slots) -> None:
        """Emits a write to a storage through a tensor, in these slots of it, if known."""
        raise NotImplementedError

    def contents(self, known: Any) -> int | None:
        """Returns a number that tells whether a tensor has other contents than before; None if they cannot be read.

        It is of the whole storage if the tensor's elements do not lie there one after the other.
        """
        memory, layout = known.storage.memory(), known.operand.layout
        if memory is None:
            return None
        if is_packed(layout) and known.operand.dtype == known.storage.dtype:
            memory = memory[layout.offset : layout.offset + layout.size]
        return crc32(memory)


class KnownNodes:
    """Emits events about grad nodes. Frameworks have no weak references to them: a node is gone when no known tensor and no known node
    leads to it any more.

    Args:
        objects: the tensors that lead to them.
    """

    key_of: Callable[[Any], Hashable]
    """Returns what tells a node from others."""

    def __init__(self, objects: KnownObjects[Any]) -> None:
        recorder = objects.recorder
        self._objects: Any = objects
        self._emit, self._note = recorder.emit, recorder.guard.note
        self._edges_of = recorder.read.edges_of
        self._next_node = count().__next__
        self._nodes: dict[int, KnownNode] = {}
        self._numbers: defaultdict[Any, int] = defaultdict(self._next_node)  # by key: a new one gets the next number
        self._counts: dict[int, int] = {}  # how many known tensors and nodes lead to each

    def forget(self) -> None:
        """Drops all references."""
        for each in (self._nodes, self._numbers, self._counts):
            each.clear()

    def count(self, number: int | None, by: int) -> None:
        """Counts that something more (1) or less (-1) leads to a node. Then nodes may be gone: this one, and those that it alone led to."""
        waiting, counts = [number], self._counts
        while waiting:
            each = waiting.pop()
            if each is not None:
                left = counts.get(each, 0) + by
                if left > 0:
                    counts[each] = left
                else:
                    by = -1
                    counts.pop(each, None)
                    waiting += self._gone(each)

    def has(self, number: int) -> bool:
        """Whether a node is not gone."""
        return number in self._nodes

    def number_of(self, key: Any) -> int | None:
        """Returns the number of a node that was described; None if it was not."""
        return self._numbers.get(key)

    def kept_by(self, number: int | None) -> tuple[events.Kept, ...]:
        """Returns what a node had saved when that was last described."""
        return () if number is None or number not in self._nodes else self._nodes[number].kept

    def was_released(self, number: int | None) -> bool:
        """Whether an earlier pass has released what a node had saved."""
        return number is not None and number in self._nodes and self._nodes[number].released

    def _reached(self, node: Any, key: Any) -> int:
        """Describes a node that is new, with every new node reachable from it. Returns its number."""
        waiting = [(node, key)]
        while waiting:
            each, its_key = waiting.pop()
            if self._numbers[its_key] not in self._nodes:
                waiting += self._describe_new(each, its_key)
        return self._numbers[key]

    def _describe_new(self, node: Any, key: Any) -> list[tuple[Any, Any]]:
        """Describes a new node. Returns the nodes that receive its gradients, with their keys."""
        keys, edges, after = list[Any](), list[int | None](), list[tuple[Any, Any]]()
        for each in self._edges_of(node):
            its_key = number = None
            if each is not None:
                its_key = self.key_of(each)
                number = self._numbers[its_key]
                after.append((each, its_key))
            keys.append(its_key)
            edges.append(number)
        self._describe(node, key, tuple(edges), tuple(keys))
        return after

    def _describe(self, node: Any, key: Any, edges: tuple[int | None, ...], after: tuple[Any, ...]) -> None:
        """Emits a new node: the numbers and the keys of those that receive its gradients are `edges` and `after`."""
        raise NotImplementedError

    def _gone(self, number: int) -> tuple[int | None, ...]:
        """Emits that a node is gone. Returns the nodes that received its gradients."""
        gone = self._nodes.pop(number, None)
        if gone is None:
            return ()
        self._numbers.pop(gone.key, None)
        self._emit(events.Died("node", number, self._objects.replacing))
        return gone.edges
