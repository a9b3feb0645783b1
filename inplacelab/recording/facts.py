"""What a recording is made of: plain immutable facts, one class for each kind of thing that a picture shows.

Nothing here knows an engine. Storages, tensors and nodes carry serial numbers given in the order in which the recorder
first met them (never memory addresses), so that the same program gives the same recording everywhere.

Units: `bytes`, `live` and `peak` are bytes; `shape`, `strides` and `offset` count elements ("slots"), not bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inplacelab.language import Text

Number = float | int | bool | complex
Values = tuple[Number, ...]

Category = Literal["ordinary", "view", "in-place", "relayout", "reallocated", "create"]
"""How an operation treats memory. "relayout" changes only the metadata of the tensor itself (`transpose_`);
"reallocated" is in place in name only: the tensor was given a new storage (`reshape_` that must copy, `cast_`)."""

StepKind = Literal["operation", "line", "backward", "error"]
BackwardAction = Literal["begin", "arrived", "hook", "hooked", "custom", "unpack", "run", "failed", "end"]
"""What backward does. "hook": a hook of the program's own is called with a gradient; "hooked": it is over; "custom": so is the
`backward` of an operation of the program's own. What runs in these are ordinary steps between, in the phase "backward"."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What is kept of a storage too large to keep whole."""

    minimum: Number | None
    maximum: Number | None
    """The extremes of all slots; None if they were not measured, because looking at every slot would have taken far longer
    than the write of a few."""
    head: Values
    tail: Values
    runs: tuple[tuple[int, Values], ...] = ()
    """Values of some of the slots written at this version, as (first slot, values), in order."""


@dataclass(frozen=True, slots=True)
class StorageFacts:
    """A storage: a flat run of slots on a device, with one version counter."""

    id: int
    bytes: int
    slots: int
    dtype: str
    device: str
    version: int
    values: Values | Summary | None
    """The slots in memory order, whole if there are few; None if they were not recorded."""


@dataclass(frozen=True, slots=True)
class TensorFacts:
    """A tensor: metadata pointing into a storage, and a place in the gradient history.

    Element (i, j, ...) lives in slot `offset + i*strides[0] + j*strides[1] + ...`.
    """

    id: int
    names: tuple[str, ...]
    """The learner's names bound to this one object; several names are one tensor. Empty for a temporary."""
    storage: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    dtype: str
    device: str
    leaf: bool
    needs_gradient: bool
    """`not stop_gradient` in Paddle's words, `requires_grad` in PyTorch's."""
    base: int | None
    """The tensor that this one is a view of, if it is a view."""
    node: int | None
    """The grad node that made its present value (its `grad_fn`)."""
    grad: int | None
    """The tensor that holds its gradient (its `.grad`)."""


@dataclass(frozen=True, slots=True)
class SavedFacts:
    """A tensor that a grad node keeps for backward, as it was at one version of its storage."""

    name: str
    """What the derivative calls it: the input's name ("x", "y") or "out"."""
    storage: int
    version: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    copy: bool
    """True for a copy made because the operation was about to overwrite the value."""


@dataclass(frozen=True, slots=True)
class EdgeFacts:
    """Gradients travel along `input` to the node `to`."""

    input: str
    to: int


NodeStatus = Literal["", "waiting", "arrived", "unpacking", "done", "failed"]


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """A grad node: how to send a gradient from an operation's result to its inputs."""

    id: int
    name: str
    op: str
    line: int | None
    edges: tuple[EdgeFacts, ...]
    saved: tuple[SavedFacts, ...]
    released: bool
    """True once backward has freed what was saved."""
    leaf: int | None
    """For an accumulation node: the leaf tensor whose `.grad` it fills."""
    status: NodeStatus
    """Where backward stands with this node; "" outside backward."""


@dataclass(frozen=True, slots=True)
class WriteFacts:
    """One raise of a version counter."""

    storage: int
    before: int
    after: int
    tensor: int
    """The tensor through which it was written."""
    slots: tuple[tuple[int, int], ...]
    """Runs of slots written, as (first, one past the last). Empty if only metadata changed."""


@dataclass(frozen=True, slots=True)
class RewireFacts:
    """A tensor's history changed hands in this step: its node was `before` and is now `after`."""

    tensor: int
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class BackwardFacts:
    """One moment of the backward pass."""

    action: BackwardAction
    node: int | None
    saved: str | None = None
    """The name of the saved tensor being unpacked."""
    kept_at: int | None = None
    found_at: int | None = None
    """The version at which it was kept, and the version found now; a difference means it is stale."""
    gradient: Values | None = None
    """The gradient that arrived at the node, in row-major order, if it is small."""
    shape: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class ErrorFacts:
    """An exception as the learner saw it, with what a recorder could add."""

    type: str
    message: str
    explanation: Text | None
    """Why, if the error is one of the engine's refusals."""
    notes: tuple[Text, ...]
    """Which line kept the value, which line wrote to it, through which view."""
    node: int | None = None
    storage: int | None = None
    tensor: int | None = None
    fix: Text | None = None
    """What to write instead."""


@dataclass(frozen=True, slots=True)
class OperandFacts:
    """Memory that a kernel was given: a window on a storage, laid out as the kernel sees it (broadcast, if it was)."""

    name: str
    """As the kernel's text has it."""
    role: Literal["reads", "writes", "both"]
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    storage_bytes: int
    storage: int | None = None
    """Which storage it is; None if the recorder could not tell."""


@dataclass(frozen=True, slots=True)
class LaunchFacts:
    """A kernel that ran: a grid of threads, and the memory that they were given.

    Which thread touched which slots is not kept, because it follows from these numbers: it is arithmetic.
    """

    kernel: str
    """The operation, or the operations of a fused chain: "scale_ add_ relu_"."""
    kind: str
    """Which text ran: "contiguous", "strided", "normalize", ...; "library" for a kernel whose geometry is not known."""
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    width: int
    """How many elements a thread took at once."""
    dtype: str
    operands: tuple[OperandFacts, ...]
    bytes_read: int
    bytes_written: int
    """What the threads asked for."""
    device: str
    """The name of the hardware; empty if it was simulated."""
    simulated: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened, and what it changed.

    `storages`, `tensors` and `nodes` hold only what is new or different after this step; None says that the thing
    is gone. `Recording.state` adds them up.
    """

    index: int
    kind: StepKind
    phase: Literal["forward", "backward"]
    line: int | None
    op: str | None
    """The learner's name for the operation ("scale_"), for an operation step; for one of backward that of the hook or the function
    that is called, or "backward"."""
    category: Category | None
    inputs: tuple[int, ...]
    output: int | None
    writes: tuple[WriteFacts, ...]
    rewired: tuple[RewireFacts, ...]
    kept: int | None
    """The node made by this step, if it made one."""
    live: int
    peak: int
    backward: BackwardFacts | None
    error: ErrorFacts | None
    storages: tuple[tuple[int, StorageFacts | None], ...]
    tensors: tuple[tuple[int, TensorFacts | None], ...]
    nodes: tuple[tuple[int, NodeFacts | None], ...]
    turn: int = 0
    """Which statement this happened in, counted from the start: a loop of one line has a turn for each time round."""
    launches: tuple[LaunchFacts, ...] = ()
    """The kernels that it launched, in order, where a recorder can hear of them."""
