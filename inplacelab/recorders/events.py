"""Defines the events between a program that is watched and the `Recording` of it.

The recorder of a framework (`engine`, `numpy`) emits these events; `builder` turns them into the steps of a `Recording`. An event is
plain data: numbers for objects, layouts, copies of bytes, lines of the program. It keeps no tensor alive and knows no framework.

Numbers of objects are given in the order in which the objects were met, separately for tensors, storages, counters and nodes. An event
may use a number once the object was described (`StorageSeen`, `CounterSeen`, `TensorMade`, `NodeMade`).

Events are not changed once they are emitted. (They are not frozen: to make a frozen instance takes Python twice as long.)

Units: `bytes`, `live` and `peak` are bytes; shapes, strides, offsets and slots count elements; lines count from 1 in the program's text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from inplacelab.devices.kernels.launch import Launch
    from inplacelab.language import Text
    from inplacelab.layout import Layout
    from inplacelab.recorders.snapshots import Snapshot
    from inplacelab.recording.facts import Category, Values


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an event comes from.

    Attributes:
        thread: the thread that ran the program, numbered from 0 in the order in which threads were met.
        rank: the process, in a distributed program.
        observed: whether the framework said that it happened. False if that was inferred, for instance from other values in memory.
    """

    thread: int = 0
    rank: int = 0
    observed: bool = True


OBSERVED = Origin()
INFERRED = Origin(observed=False)


@dataclass(slots=True)
class Event:
    """Something that happened. Every event can say where it comes from."""

    origin: Origin = field(default=OBSERVED, kw_only=True)


# --- the program -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class StatementBegan(Event):
    """A statement begins; the one before it is over.

    Attributes:
        line: its line.
        simple: whether it contains no other statements.
        depth: how many frames run the program: 1 outside its functions.
        live, peak: live bytes and their peak so far.
    """

    line: int
    simple: bool
    depth: int
    live: int
    peak: int


@dataclass(slots=True)
class ProgramEnded(Event):
    """The program is over."""

    live: int
    peak: int


@dataclass(slots=True)
class Raised(Event):
    """The program ended with an exception that is no refusal of the framework.

    Attributes:
        type: the name of its class.
        message: its text.
        line: where the program was; None if it was nowhere in it.
    """

    type: str
    message: str
    line: int | None
    live: int
    peak: int


@dataclass(slots=True)
class Refused(Event):
    """The framework refused something.

    Attributes:
        type: the name of the exception's class.
        message: its text.
        why: the reason, as a sentence.
        fix: what to do.
        node, storage, tensor: what it is about, as far as that is known.
        line: where the program was; None in the framework's own part of a backward pass.
    """

    type: str
    message: str
    why: Text
    fix: Text
    node: int | None
    storage: int | None
    tensor: int | None
    line: int | None
    live: int
    peak: int


# --- storages, counters, tensors ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class StorageSeen(Event):
    """A storage is met for the first time.

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
    """A version counter is met for the first time. Most storages have one; some frameworks count for some aliases apart."""

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
        values: a copy of the contents.
    """

    storage: int
    counter: int
    version: int
    values: Snapshot


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor as an operation sees it: which one, and where its elements lie.

    Attributes:
        tensor, storage, counter: their numbers.
        layout: where its elements lie in the storage.
        dtype: of its elements.
        part: the part that the operation reads or writes, if that is not all of the tensor: the layout of a window, or slots one by one.
    """

    tensor: int
    storage: int
    counter: int
    layout: Layout
    dtype: str
    part: Layout | tuple[int, ...] | None = None


@dataclass(slots=True)
class TensorMade(Event):
    """A tensor is met for the first time, or has other metadata than before.

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
    """A tensor has another place in the gradient history than before: an operation gave it one."""

    tensor: int
    needs_gradient: bool
    node: int | None


@dataclass(slots=True)
class FlagsSet(Event):
    """The program has set `stop_gradient` or `.grad` of a tensor: no operation did."""

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
    """The program was handed tensors that no operation made: what was described since the last step was there before."""


@dataclass(slots=True)
class LogBegan(Event):
    """A log that keeps only the last events begins here: what was described so far was there before."""


@dataclass(slots=True)
class Named(Event):
    """Other names of the program refer to a tensor than before."""

    tensor: int
    names: tuple[str, ...]


@dataclass(slots=True)
class Died(Event):
    """An object is gone.

    Attributes:
        kind: what it was.
        number: its number.
        replaced: whether an operation that is being told of let go of it, as when it gives a view another node.
    """

    kind: Literal["tensor", "storage", "node"]
    number: int
    replaced: bool = False


# --- operations --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Launched(Event):
    """A kernel ran: emitted before the operation, or the node, that it belongs to.

    Attributes:
        launch: grid, block and operands.
        storages: for each operand the storage in which it lies; None if that was not known when the kernel ran.
    """

    launch: Launch
    storages: tuple[int | None, ...]


@dataclass(slots=True)
class OperationDone(Event):
    """An operation is done.

    Attributes:
        name: as the program wrote it: "add_".
        category: how it treats memory.
        inputs: the tensors that it read.
        output: its result; for an in-place operation what was written.
        attributes: its other arguments, by name.
        node: the grad node that it made.
        line: where the program was; None if it was nowhere in it.
        live, peak: live bytes and their peak.
    """

    name: str
    category: Category
    inputs: tuple[Operand, ...]
    output: Operand
    attributes: Mapping[str, Any]
    node: int | None
    line: int | None
    live: int
    peak: int


# --- the gradient history ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kept:
    """A value that a node keeps for backward.

    Attributes:
        name: what the derivative calls it: "x", "out".
        storage, counter, version: whose value, and at which version.
        layout: where its elements lie.
        copy: whether it is a copy, made because the operation was about to overwrite the value.
    """

    name: str
    storage: int
    counter: int
    version: int
    layout: Layout
    copy: bool


@dataclass(slots=True)
class NodeMade(Event):
    """A grad node is met for the first time.

    Attributes:
        node: its number.
        name: what kind of node it is.
        inputs: what its edges stand for; "base" where there is no name.
        edges: the nodes to which gradients go; None where none goes.
        kept: what it keeps for backward.
        released: whether it has let go of that.
        leaf: the tensor whose `.grad` it fills.
        view: whether it only stands for a view, so that it belongs to whatever operation came before.
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
    """What a node keeps was looked after: copied before a write, or found untouched by it."""

    node: int
    kept: tuple[Kept, ...]


@dataclass(slots=True)
class Released(Event):
    """Nodes have let go of what they kept."""

    nodes: tuple[int, ...]


# --- backward ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Gradient:
    """A gradient that has arrived at a node: its shape, and its values in row-major order if they are few."""

    shape: tuple[int, ...]
    values: Values | None


@dataclass(slots=True)
class BackwardBegan(Event):
    """A backward pass begins.

    Attributes:
        nodes: those that it may reach.
        first: the node that it begins with.
        gradient: what that is given.
        line: where the program was.
    """

    nodes: tuple[int, ...]
    first: int
    gradient: Gradient
    line: int | None
    live: int
    peak: int


@dataclass(slots=True)
class Arrived(Event):
    """A gradient, or a further part of a sum, was handed to a node."""

    node: int


@dataclass(slots=True)
class Unpacked(Event):
    """A node is about to use what it kept.

    Attributes:
        node: the node.
        name: what the derivative calls the kept value.
        kept_at, found_at: the version at which it was kept, and that of its counter now.
        gradient: what arrived at the node.
        line: where the program was, if the program itself asked for the value.
    """

    node: int
    name: str
    kept_at: int
    found_at: int
    gradient: Gradient | None
    line: int | None
    live: int
    peak: int


@dataclass(slots=True)
class HookBegan(Event):
    """A hook of the program's own is called with a gradient.

    Attributes:
        node: to which the gradient came.
        name: the hook's name.
        line: where the hook is defined, if that is in the program.
        given: the tensor that it is given.
        gradient: its value.
    """

    node: int
    name: str
    line: int | None
    given: int
    gradient: Gradient
    live: int
    peak: int


@dataclass(slots=True)
class HookEnded(Event):
    """A hook is over. `result` is the tensor that takes the place of `given`."""

    node: int
    name: str
    given: int
    result: int
    gradient: Gradient
    live: int
    peak: int


@dataclass(slots=True)
class CustomBegan(Event):
    """The `backward` of an operation of the program's own is called. `gradient` is None if it is given several."""

    node: int
    name: str
    line: int | None
    given: tuple[int, ...]
    gradient: Gradient | None
    live: int
    peak: int


@dataclass(slots=True)
class NodeRan(Event):
    """A node has handed its gradients on.

    Attributes:
        node: the node.
        released: whether it has let go of what it kept.
        filled: the tensor that holds the gradient which it filled, if it stands for a leaf.
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
    """A backward pass came to its end."""

    live: int
    peak: int


@dataclass(slots=True)
class BackwardFailed(Event):
    """A backward pass was stopped by an error. `node` is the one whose turn it was."""

    node: int | None
