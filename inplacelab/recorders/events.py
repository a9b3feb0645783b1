"""Defines the events that recorders emit and the builder reads.

The recorder of a framework emits these events; `builder` turns them into the steps of a `Recording`. An event is
plain data: numbers for objects, layouts, copies of bytes, places in the program. It keeps no tensor alive and depends on no framework.

Objects are numbered in the order in which they were first seen, separately for tensors, storages, counters and nodes. An event
may use a number once the object was described (`StorageSeen`, `CounterSeen`, `TensorMade`, `NodeMade`).

Events are not changed once they are emitted. (They are not frozen: making a frozen instance takes double the time.)

Units: `bytes`, `live` and `peak` are bytes; shapes, strides, offsets and slots count elements.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from inplacelab.dependence import Dependence
    from inplacelab.kernels.launch import Launch
    from inplacelab.language import Text
    from inplacelab.layout import Layout
    from inplacelab.place import Place
    from inplacelab.recorders.snapshots import Snapshot
    from inplacelab.recording.facts import Category, SlotsAre, Values


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of an event.

    Attributes:
        thread: the thread that ran the program, numbered from 0 in the order in which threads were seen.
        rank: the process, in a distributed program.
        observed: True if the framework reported it; False if it was inferred, for instance from changed values in memory.
    """

    thread: int = 0
    rank: int = 0
    observed: bool = True


OBSERVED = Origin()
INFERRED = Origin(observed=False)


@dataclass(slots=True)
class Event:
    """The base of all events, with their origin."""

    origin: Origin = field(default=OBSERVED, kw_only=True)


@dataclass(slots=True)
class StatementBegan(Event):
    """A statement begins; the one before it has ended.

    Attributes:
        place: where it is.
        simple: whether it contains no other statements.
        depth: how many frames run the program: 1 outside its functions.
        live, peak: live bytes and their peak so far.
    """

    place: Place
    simple: bool
    depth: int
    live: int
    peak: int


@dataclass(slots=True)
class LoopBegan(Event):
    """A loop begins, before its first iteration. It follows the event of the next statement, in the loop or after it.

    Attributes:
        place: where its head is.
        end_line: the last line of its body.
    """

    place: Place
    end_line: int


@dataclass(slots=True)
class IterationBegan(Event):
    """An iteration of a loop begins. It follows the event of the first statement of the iteration.

    Attributes:
        place: where the loop's head is.
    """

    place: Place


@dataclass(slots=True)
class ProgramEnded(Event):
    """The program has ended."""

    live: int
    peak: int


@dataclass(slots=True)
class LookedAt(Event):
    """The objects were described as they are, without a program."""


@dataclass(slots=True)
class Missed(Event):
    """Something happened that would be a step. It was not recorded, because the recording has reached its limit."""


@dataclass(slots=True)
class Stopped(Event):
    """The recorder failed, and recorded nothing further. What was emitted since the last step is incomplete."""


@dataclass(slots=True)
class Raised(Event):
    """The program ended with an exception that is not a refusal of the framework.

    Attributes:
        type: the name of its class.
        message: its text.
        place: where the program was; None outside the program.
        inputs: the tensors that the call was given which raised it.
    """

    type: str
    message: str
    place: Place | None
    live: int
    peak: int
    inputs: tuple[int, ...] = ()


@dataclass(slots=True)
class Refused(Event):
    """The framework refused something.

    Attributes:
        type: the name of the exception's class.
        message: its text.
        why: the reason, as a sentence.
        fix: what to do.
        node, storage, tensor: what it is about, as far as known.
        place: where the program was; None in the framework's part of a backward pass.
        inputs: the tensors that the refused call was given.
        kind: what happened (see `facts.FailureKind`).
    """

    type: str
    message: str
    why: Text
    fix: Text
    node: int | None
    storage: int | None
    tensor: int | None
    place: Place | None
    live: int
    peak: int
    inputs: tuple[int, ...] = ()
    kind: Literal["stale", "again", "leaf", "refused"] = "refused"


@dataclass(slots=True)
class StorageSeen(Event):
    """A storage is seen for the first time.

    Attributes:
        storage: its number.
        bytes: its size; 0 for a constant that no tensor of the program owns.
        slots: how many elements it holds.
        dtype: of its elements: "float32".
        device: "Place(cpu)".
        simulated: whether the device is simulated.
        values: a copy of its contents; None if they mean nothing yet.
    """

    storage: int
    bytes: int
    slots: int
    dtype: str
    device: str
    simulated: bool
    values: Snapshot | None


@dataclass(slots=True)
class CounterSeen(Event):
    """A version counter is seen for the first time. Most storages have one; some frameworks count for some aliases apart."""

    counter: int
    storage: int
    version: int


@dataclass(slots=True)
class Wrote(Event):
    """A storage was written.

    Attributes:
        storage: its number.
        counter: the counter that was raised.
        version: what the counter shows now.
        values: a copy of the contents; None if they were not copied.
        alone: the tensor through which it was written, if the copy was made after further writes through others.
    """

    storage: int
    counter: int
    version: int
    values: Snapshot | None
    alone: Operand | None = None


@dataclass(slots=True)
class Operand:
    """A tensor as an operation sees it: its numbers, and the layout of its elements.

    Attributes:
        tensor, storage, counter: their numbers.
        layout: the layout of its elements in the storage.
        dtype: of its elements.
        part: the part that the operation reads or writes, if that is not all of the tensor: the layout of a window, or slots one by one;
            none for an input that is only overwritten.
    """

    tensor: int
    storage: int
    counter: int
    layout: Layout
    dtype: str
    part: Layout | tuple[int, ...] | None = None


@dataclass(slots=True)
class TensorMade(Event):
    """A tensor is seen for the first time, or has new metadata.

    Attributes:
        operand: which tensor, and its metadata.
        device: where its storage is.
        needs_gradient: `not stop_gradient`, `requires_grad`.
        base: the tensor of which it is a view.
        node: the grad node that made its present value; None for a leaf.
        grad: the tensor that holds its gradient.
        names: the program's names for it.
    """

    operand: Operand
    device: str
    needs_gradient: bool
    base: int | None
    node: int | None
    grad: int | None
    names: tuple[str, ...]


@dataclass(slots=True)
class Rewired(Event):
    """An operation changed a tensor's grad node."""

    tensor: int
    needs_gradient: bool
    node: int | None


@dataclass(slots=True)
class FlagsSet(Event):
    """The program has set `stop_gradient` or `.grad` of a tensor."""

    tensor: int
    needs_gradient: bool
    node: int | None
    grad: int | None


@dataclass(slots=True)
class GradientSet(Event):
    """A backward pass has given a tensor its gradient."""

    tensor: int
    grad: int | None


@dataclass(slots=True)
class Handed(Event):
    """The program received tensors that no operation made: the objects described since the last step belong to that step."""


@dataclass(slots=True)
class LogBegan(Event):
    """A log that keeps only the last events begins here: objects described so far existed before."""


@dataclass(slots=True)
class Named(Event):
    """The program's names for a tensor have changed."""

    tensor: int
    names: tuple[str, ...]


@dataclass(slots=True)
class Died(Event):
    """An object is gone.

    Attributes:
        kind: what it was.
        number: its number.
        replaced: whether the current operation replaced it, as when it gives a view another node.
    """

    kind: Literal["tensor", "storage", "counter", "node"]
    number: int
    replaced: bool = False


@dataclass(slots=True)
class Kept:
    """A tensor that a node has saved for backward.

    Attributes:
        name: the derivative's name for it: "x", "out".
        storage, counter, version: its storage, and its version when it was saved.
        layout: the layout of its elements.
        copy: whether it is a copy, made because the operation was about to overwrite the value.
        dtype: the type of its elements; empty if it is that of the storage's slots.
    """

    name: str
    storage: int
    counter: int
    version: int
    layout: Layout
    copy: bool
    dtype: str = ""


@dataclass(slots=True)
class NodeMade(Event):
    """A grad node is seen for the first time.

    Attributes:
        node: its number.
        name: what kind of node it is.
        inputs: the names of the inputs behind its edges; "base" for an input without a name.
        edges: the nodes that receive its gradients; None for an input that needs none.
        kept: the tensors that it has saved.
        released: whether they have been released.
        leaf: the tensor whose `.grad` it fills.
        view: whether it was made for a view, so that it belongs to the operation before.
    """

    node: int
    name: str
    inputs: tuple[str, ...]
    edges: tuple[int | None, ...]
    kept: tuple[Kept, ...]
    released: bool
    leaf: int | None
    view: bool


@dataclass(slots=True)
class Saved(Event):
    """A node's saved tensors were replaced: copied before a write, or found not to be affected by it."""

    node: int
    kept: tuple[Kept, ...]


@dataclass(slots=True)
class Released(Event):
    """Nodes have released their saved tensors."""

    nodes: tuple[int, ...]


@dataclass(slots=True)
class Launched(Event):
    """A kernel ran: emitted before the operation, or the node, that it belongs to.

    Attributes:
        launch: grid, block and operands.
        storages: the storage of each operand; None if it was not known when the kernel ran.
    """

    launch: Launch
    storages: tuple[int | None, ...]


@dataclass(slots=True)
class Communicated(Event):
    """A collective has been made: emitted before the operation that it belongs to.

    Attributes:
        name: what it is called: "all_reduce".
        number: which collective of the program it is, from 1.
        rank: the number of this rank.
        ranks: how many ranks there are.
        alone: whether no operation follows, as for a barrier.
        place: where the program was, if it is alone.
    """

    name: str
    number: int
    rank: int
    ranks: int
    alone: bool
    place: Place | None
    live: int
    peak: int


@dataclass(slots=True)
class RanIn:
    """The library's module that ran an operation, and where the program constructed it (see `ModuleFacts`)."""

    kind: str
    source: int = 0
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0


@dataclass(slots=True)
class OperationDone(Event):
    """An operation has run.

    Attributes:
        name: as the program wrote it: "add_".
        category: how it treats memory.
        inputs: the tensors that it was given.
        output: its result; for an in-place operation what was written.
        node: the grad node that it made.
        place: where the program was; None outside the program.
        live, peak: live bytes and their peak.
        slots_are: what is known of the slots of an in-place operation's output (see `WriteFacts`).
        copied: the position of the input whose elements it wrote as they are; None if no input's were.
        depends: how the elements of the result depend on those of the inputs; None if that is not known, or it is a view.
        tracks: whether operations were to keep history when it ran, which `no_grad` switches off; None if that is not reported.
        module: for a write in place, what the program calls the library's module that did it; "" if none did, or it has no name.
        ran_in: the library's module that ran it; None if the program called it, or that is not known.
    """

    name: str
    category: Category
    inputs: tuple[Operand, ...]
    output: Operand
    node: int | None
    place: Place | None
    live: int
    peak: int
    slots_are: SlotsAre = "written"
    copied: int | None = None
    depends: Dependence | None = None
    tracks: bool | None = None
    module: str = ""
    ran_in: RanIn | None = None


SMALL = 16
"""Gradients of up to this many elements are kept with their values; those with which a pass begins, also larger ones."""


@dataclass(slots=True)
class Gradient:
    """A gradient that has arrived at a node: its shape, and its values in row-major order if they are few."""

    shape: tuple[int, ...]
    values: Values | None

    def if_small(self) -> Gradient:
        """Returns the gradient, without its values if they are many."""
        many = self.values is not None and len(self.values) > SMALL
        return Gradient(self.shape, None) if many else self


@dataclass(slots=True)
class BackwardBegan(Event):
    """A backward pass begins.

    Attributes:
        nodes: those that it may reach.
        first: the node that it begins with.
        gradient: the gradient that it receives.
        others: the further nodes that it begins with, each with its gradient.
        place: where the program was.
    """

    nodes: tuple[int, ...]
    first: int
    gradient: Gradient
    others: tuple[tuple[int, Gradient], ...]
    place: Place | None
    live: int
    peak: int


@dataclass(slots=True)
class Arrived(Event):
    """A node receives a gradient, or a further part of a sum."""

    node: int


@dataclass(slots=True)
class Unpacked(Event):
    """A node is about to use a saved tensor.

    Attributes:
        node: the node.
        name: the derivative's name for the saved tensor.
        kept_at, found_at: its version when it was saved, and now.
        gradient: what arrived at the node.
        place: where the program was, if its code reads the saved tensor.
    """

    node: int
    name: str
    kept_at: int
    found_at: int
    gradient: Gradient | None
    place: Place | None
    live: int
    peak: int


@dataclass(slots=True)
class HookBegan(Event):
    """A hook of the program is called with a gradient.

    Attributes:
        node: the node that received the gradient.
        name: the hook's name.
        place: where the hook is defined, if that is in the program.
        given: the number of the tensor that it receives.
        gradient: its value.
    """

    node: int
    name: str
    place: Place | None
    given: int
    gradient: Gradient
    live: int
    peak: int


@dataclass(slots=True)
class HookEnded(Event):
    """A hook has returned. `result` is the tensor that replaces `given`."""

    node: int
    name: str
    given: int
    result: int
    gradient: Gradient
    live: int
    peak: int


@dataclass(slots=True)
class CustomBegan(Event):
    """The `backward` of a `PyLayer` is called. `gradient` is None if it receives several."""

    node: int
    name: str
    place: Place | None
    given: tuple[int, ...]
    gradient: Gradient | None
    live: int
    peak: int


@dataclass(slots=True)
class NodeRan(Event):
    """A node has passed its gradients on.

    Attributes:
        node: the node.
        released: whether it has released its saved tensors.
        filled: the tensor that holds the gradient, if it is the node of a leaf.
        gradient: what had arrived.
    """

    node: int
    released: bool
    filled: Operand | None
    gradient: Gradient | None
    live: int
    peak: int


@dataclass(slots=True)
class BackwardEnded(Event):
    """A backward pass has finished."""

    live: int
    peak: int


@dataclass(slots=True)
class BackwardFailed(Event):
    """An error stopped a backward pass. `node` is the node that was running."""

    node: int | None
