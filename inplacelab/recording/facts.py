"""Defines the facts of a recording: plain immutable data, one class for each kind of object that a picture shows.

Facts do not depend on an engine. Storages, tensors and nodes have serial numbers in the order in which the recorder
first saw them, never memory addresses, so the same program gives the same recording everywhere.

Units: `bytes`, `live` and `peak` are bytes; `shape`, `strides` and `offset` count elements ("slots"), not bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from inplacelab.dependence import Dependence
from inplacelab.language import Text
from inplacelab.place import Place

Number = float | int | bool | complex
Values = tuple[Number, ...]

Category = Literal["ordinary", "view", "in-place", "relayout", "reallocated", "create"]
StepKind = Literal["operation", "line", "backward", "error", "look"]
SlotsAre = Literal["written", "changed", "around"]
BackwardAction = Literal["begin", "arrived", "hook", "hooked", "custom", "unpack", "run", "failed", "end"]

LEFT_OUT = {"left_out": True}
"""Marks a fact that most objects of its kind have not: a recording's JSON leaves it out where it has its default."""


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """A source of the program: a file, a cell, or a part of one, as it was when it ran."""

    name: str
    """What it is called: "gan/model.py", "cell 3"; "" if it needs no name."""
    text: str
    """Its text; "" if it is not known. Lines are counted from 1 in it."""
    first_line: int = field(default=1, metadata=LEFT_OUT)
    """The line of the file on which the text begins."""
    remark: Text = field(default=Text("", ""), metadata=LEFT_OUT)
    """What is not as it should be with the text, as a sentence; empty if nothing is."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What is kept of a storage too large to keep whole."""

    minimum: Number | None
    """The smallest value of all slots; None if it was not measured, because looking at every slot would have taken far longer than the
    write of a few."""
    maximum: Number | None
    """The largest value; None if it was not measured."""
    head: Values
    """The first values."""
    tail: Values
    """The last values."""
    runs: tuple[tuple[int, Values], ...] = ()
    """Values of some of the slots written at this version, as (first slot, values), in order."""


@dataclass(frozen=True, slots=True)
class StorageFacts:
    """A storage: a flat run of slots on a device."""

    id: int
    """Serial number, in the order in which the recorder first saw the storages."""
    bytes: int
    """Its size in bytes."""
    slots: int
    """Its size in elements."""
    dtype: str
    """The type of its elements, for example float32."""
    device: str
    """The device that it is on, for example cpu."""
    values: Values | Summary | None
    """The slots in memory order, whole if there are few; None if they were not recorded."""


@dataclass(frozen=True, slots=True)
class CounterFacts:
    """A version counter: how often its storage was written by the tensors that share it.

    Most storages have one. PyTorch counts for some aliases apart: a write through `x.data` raises another counter than one through
    `x`, though both write to one storage.
    """

    id: int
    """Serial number, in the order in which the recorder first saw the counters."""
    storage: int
    """The storage whose writes it counts."""
    version: int
    """How many writes it has counted."""


@dataclass(frozen=True, slots=True)
class TensorFacts:
    """A tensor: metadata pointing into a storage, and a place in the gradient history.

    Element (i, j, ...) lives in slot `offset + i*strides[0] + j*strides[1] + ...`.
    """

    id: int
    """Serial number, in the order in which the recorder first saw the tensors."""
    names: tuple[str, ...]
    """The learner's names bound to this one object; several names are one tensor. Empty for a temporary."""
    storage: int
    """The storage that it points into."""
    counter: int
    """The version counter that a write through this tensor raises."""
    shape: tuple[int, ...]
    """The number of elements along each axis."""
    strides: tuple[int, ...]
    """For each axis, the slots from one element to the next."""
    offset: int
    """The slot of the first element."""
    dtype: str
    """The type of its elements."""
    device: str
    """The device that its storage is on."""
    leaf: bool
    """True if no recorded operation made its value."""
    needs_gradient: bool
    """`not stop_gradient` in Paddle, `requires_grad` in PyTorch."""
    base: int | None
    """The tensor that this one is a view of, if it is a view."""
    node: int | None
    """The grad node that made its present value (its `grad_fn`)."""
    grad: int | None
    """The tensor that holds its gradient (its `.grad`)."""


@dataclass(frozen=True, slots=True)
class SavedFacts:
    """A tensor that a grad node keeps for backward, as it was at one version."""

    name: str
    """What the derivative calls it: the input's name ("x", "y") or "out"."""
    storage: int
    """The storage that it points into."""
    counter: int
    """The version counter of the tensor."""
    version: int
    """What the counter showed when the value was kept. If it shows more now, the value is stale."""
    shape: tuple[int, ...]
    """The number of elements along each axis."""
    strides: tuple[int, ...]
    """For each axis, the slots from one element to the next."""
    offset: int
    """The slot of the first element."""
    copy: bool
    """True for a copy made because the operation was about to overwrite the value."""
    inferred: bool = False
    """True if the framework does not show what the node keeps: it was inferred from what such nodes need."""
    dtype: str = field(default="", metadata=LEFT_OUT)
    """The type of its elements, by which strides and offset count; empty if it is that of the storage's slots."""


@dataclass(frozen=True, slots=True)
class EdgeFacts:
    """Gradients travel along `input` to the node `to`."""

    input: str
    """The input whose gradient it is."""
    to: int
    """The grad node that it goes to."""


NodeStatus = Literal["", "waiting", "arrived", "unpacking", "done", "failed"]


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """A grad node: how to send a gradient from an operation's result to its inputs."""

    id: int
    """Serial number, in the order in which the recorder first saw the nodes."""
    name: str
    """Its name, for example ScaleGradNode."""
    op: str
    """The operation that it differentiates."""
    place: Place | None
    """Where it was made; None if that is not known. In JSON, the position in the recording's `places`."""
    edges: tuple[EdgeFacts, ...]
    """Where its gradients go."""
    saved: tuple[SavedFacts, ...]
    """What it keeps."""
    released: bool
    """True once backward has freed what was saved."""
    leaf: int | None
    """For an accumulation node: the leaf tensor whose `.grad` it fills."""
    status: NodeStatus
    """How far backward is with this node; "" outside backward."""

    @property
    def line(self) -> int | None:
        """The line that made it; None if it is not known."""
        return None if self.place is None else self.place.line


@dataclass(frozen=True, slots=True)
class WriteFacts:
    """One raise of a version counter."""

    storage: int
    """The storage that was written."""
    counter: int
    """The version counter that was raised."""
    before: int
    """What the counter showed before the write."""
    after: int
    """What it showed afterwards."""
    tensor: int
    """The tensor through which it was written."""
    slots: tuple[tuple[int, int], ...]
    """Runs of slots, as (first, one past the last). Empty if only metadata changed."""
    slots_are: SlotsAre = "written"
    """What is known of these slots. "written": they were written, and no others. "changed": they have other values than before, and others
    may have been written with the values that they had. "around": some of them were written, and it is not known which."""


@dataclass(frozen=True, slots=True)
class ReadFacts:
    """The values of a tensor that an operation read."""

    storage: int
    """The storage that was read."""
    tensor: int
    """The tensor through which it was read."""
    slots: tuple[tuple[int, int], ...]
    """Runs of slots read, as (first, one past the last)."""
    copied: bool
    """True if the operation wrote these values as they are, but for their dtype: to the slots of its write, or else to its result."""


@dataclass(frozen=True, slots=True)
class RewireFacts:
    """A change of a tensor's grad node in one step, from `before` to `after`."""

    tensor: int
    """The tensor."""
    before: int | None
    """Its grad node before the step."""
    after: int | None
    """Its grad node after the step."""


@dataclass(frozen=True, slots=True)
class RootFacts:
    """A further node with which a backward pass begins."""

    node: int
    """The grad node."""
    gradient: Values | None = None
    """The gradient that it receives, in row-major order, if it is not large."""


@dataclass(frozen=True, slots=True)
class BackwardFacts:
    """One moment of the backward pass."""

    action: BackwardAction
    """What happened: backward began, a gradient arrived at a node, a node is about to use something that it has kept ("unpack"), ran or
    failed, or backward ended. "hook": a hook of the program is called with a gradient; "hooked": it has returned; "custom": the
    `backward` of a `PyLayer` is called. Operations inside these are ordinary steps in the phase "backward"."""
    node: int | None
    """The grad node concerned."""
    saved: str | None = None
    """The name of the saved tensor being unpacked."""
    kept_at: int | None = None
    """The version at which it was kept."""
    found_at: int | None = None
    """The version found now; if it differs, the saved value is stale."""
    gradient: Values | None = None
    """The gradient that arrived at the node, in row-major order, if it is small; that with which a pass begins also if it is larger."""
    shape: tuple[int, ...] | None = None
    """The shape of that gradient."""
    others: tuple[RootFacts, ...] = field(default=(), metadata=LEFT_OUT)
    """The further nodes with which a pass begins that begins at several tensors."""


@dataclass(frozen=True, slots=True, order=True)
class EditFacts:
    """Replaces the text between two places of the program. Lines count from 1, columns from 0, in characters."""

    line: int
    """The line where it begins."""
    column: int
    """The first column replaced."""
    end_line: int
    """The line where it ends."""
    end_column: int
    """One past the last column replaced."""
    text: str
    """What stands there instead."""
    file: str = field(default="", metadata=LEFT_OUT)
    """The file that is edited, or the name of a source of the recording; "" for the program that was started."""


Evidence = Literal["", "runs", "renewed", "same", "reordered", "gradients"]
"""What trying a fix has shown, the least first."""


@dataclass(frozen=True, slots=True)
class FixFacts:
    """One way to fix a program that was refused."""

    says: Text
    """What to do, as a part of a sentence: the line, the name, and what follows: "in line 6 write `a = a.relu()`, which makes a new tensor"."""
    edits: tuple[EditFacts, ...]
    """The same as edits of the source; empty for advice that leaves a choice to the reader."""
    checked: Evidence = ""
    """What was found by trying it, or "" if it was not tried: the program then "runs", which says nothing of what it computes; it runs, and a loss
    is "renewed", computed with the new values of parameters, which is another training; it gives the "same" losses and gradients as the original in
    which all that backward needs is copied, on its own data; each update is the same as there, in another order, on other data, too ("reordered");
    or all losses and gradients are, in the same order, on other data, too ("gradients")."""
    reason: Text = field(default=Text("", ""), metadata=LEFT_OUT)
    """Why this helps, as a part of a sentence; empty if `says` says it."""
    price: Text = field(default=Text("", ""), metadata=LEFT_OUT)
    """What it costs, as a part of a sentence: "12 bytes more", "one more forward pass"; empty if that is not known."""
    differs: tuple[str, ...] = field(default=(), metadata=LEFT_OUT)
    """The names that stand for other values in the end, with it."""
    slopes: int | None = field(default=None, metadata=LEFT_OUT)
    """So many elements of gradients agreed with finite differences of the loss; None if that was not compared."""
    early: bool = field(default=False, metadata=LEFT_OUT)
    """Whether the program was ended at the step after the failure when this was tried."""


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """An iteration of a loop."""

    line: int
    """The line of the loop."""
    name: str
    """The name of its variable; "" if a line in it was counted."""
    value: str
    """The variable's value, as Python writes it; or how often the line had run."""


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """An expression of a program that ran. Lines count from 1, columns from 0, in bytes, as in Python's syntax trees."""

    file: str
    """The file, or the name of a source of the recording; "" for the program that was started."""
    line: int
    """Its first line."""
    end_line: int
    """Its last line."""
    column: int
    """Where it begins; -1 if that is not known."""
    end_column: int
    """One past its last column; -1 if that is not known."""
    text: str
    """The text of its first line."""
    function: str = field(default="", metadata=LEFT_OUT)
    """The function that it is in; "" for a module, or if that is not known."""
    inside: str = field(default="", metadata=LEFT_OUT)
    """What ran there without a file, such as what `exec` runs: "forward of <string>"; "" if nothing did."""
    loops: tuple[LoopFacts, ...] = field(default=(), compare=False, metadata=LEFT_OUT)
    """The iterations of the loops around it, outermost first, as far as they are known."""

    @property
    def span(self) -> tuple[int, int] | None:
        """Its columns in characters, as (first, one past the last); None if they are unknown, or on several lines."""
        if self.column < 0 or self.line != self.end_line:
            return None
        raw = self.text.encode(errors="replace")
        return len(raw[: self.column].decode(errors="ignore")), len(raw[: self.end_column].decode(errors="ignore"))

    @property
    def expression(self) -> str:
        """Its text; that of the line if its columns are unknown."""
        span = self.span
        return self.text[span[0] : span[1]] if span else self.text.strip()


Sites = tuple[SiteFacts, ...]
"""Where a program was: what ran, and the calls that led there, innermost first; () if that is not known."""

FailureKind = Literal["stale", "again", "silent", "wrong", "leaf", "refused"]
"""What may have happened. "stale": an in-place operation has overwritten what backward needed; "again": an earlier pass has released it; "silent": a
pass did not fail, but did not know of a write; "wrong": it did not fail, but its gradients differ from those of this package's engine; "leaf": an
operation would have written to a leaf that needs a gradient; "refused": something else."""


@dataclass(frozen=True, slots=True)
class OverwriteFacts:
    """What one line wrote to the storage of a saved value, once or several times in a row."""

    op: str
    """The operation."""
    before: int
    """The version before the first write."""
    after: int
    """The version after the last one."""
    sites: Sites
    """Where it ran."""
    times: int = field(default=1, metadata=LEFT_OUT)
    """How often."""
    last: Sites = field(default=(), compare=False, metadata=LEFT_OUT)
    """Where it ran the last time, if it ran several times."""
    how: Literal["", "beside", "silent", "unchecked", "marked", "lost", "node"] = field(default="", metadata=LEFT_OUT)
    """"": it overwrote the value; "beside": other elements of its storage; "silent": the value, without a new version; "unchecked": the value, and
    the node does not compare versions; "marked": it only raised the version, as `mark_dirty` does. "lost", "node": the graph does not know of it, since what is read later has no grad node, or an earlier one."""
    through: tuple[str, ...] = field(default=(), metadata=LEFT_OUT)
    """The program's names for the tensor that was written; those of another than the saved one."""
    relation: Literal["", "view", "shares"] = field(default="", metadata=LEFT_OUT)
    """Whether that is a view, or shares the storage without being one; "" for the saved tensor itself, or if it is not known."""
    base: str = field(default="", metadata=LEFT_OUT)
    """The name of the tensor of which it was made."""
    made: Sites = field(default=(), metadata=LEFT_OUT)
    """Where it was made."""
    update: Literal["", "step", "own"] = field(default="", metadata=LEFT_OUT)
    """Whether it was an update of a parameter: an optimizer's "step", or the program's "own"."""
    optimizer: tuple[str, ...] = field(default=(), metadata=LEFT_OUT)
    """The optimizer's call, as the line has it, and then as callers of the line name it: "optim.step", "opt_c.step"."""


@dataclass(frozen=True, slots=True)
class KeptFacts:
    """A value that a grad node has saved, and what became of it."""

    node: str
    """The node's name: "SigmoidBackward0"."""
    role: Literal["", "result", "operand", "forward", "checkpoint"] = ""
    """What it is to the operation that saved it. "forward": what the `forward` of a custom function saved; "checkpoint": an input of a function that
    will run again; "" if that is not known."""
    operands: tuple[str, ...] = field(default=(), metadata=LEFT_OUT)
    """What the derivative calls the operand: "self"; () if that says nothing."""
    positions: tuple[int, ...] = field(default=(), metadata=LEFT_OUT)
    """The positions of the operand, if they say more."""
    names: tuple[str, ...] = ()
    """The program's names for it, or, with `is_view`, for a tensor of which it is a view."""
    is_view: bool = field(default=False, metadata=LEFT_OUT)
    """Whether these are the names of a tensor of which it is a view."""
    former: bool = field(default=False, metadata=LEFT_OUT)
    """Whether another tensor has its name now."""
    there: str = field(default="", metadata=LEFT_OUT)
    """For one without such a name: what the line that saved it calls it, or, with `is_view`, that of which it is a view."""
    called: str = field(default="", metadata=LEFT_OUT)
    """What the caller of that function calls it, if that is another name."""
    made_by: str = field(default="", metadata=LEFT_OUT)
    """For a value without a name: the operation that made it."""
    made_in: int | None = field(default=None, metadata=LEFT_OUT)
    """The line of that operation."""
    made_in_file: str = field(default="", metadata=LEFT_OUT)
    """The file of that line; "" for the recorded program itself."""
    dtype: str = ""
    """The type of its elements; "" if it is not known."""
    shape: tuple[int, ...] | None = None
    """Its shape; None if it is not known."""
    kept: int | None = None
    """Its version when it was saved; None if that is no matter."""
    found: int | None = None
    """Its version when backward needed it."""
    op: str = ""
    """The operation that saved it."""
    sites: Sites = ()
    """Where that ran."""
    writes: tuple[OverwriteFacts, ...] = ()
    """The writes since, in order."""
    read: Sites = field(default=(), metadata=LEFT_OUT)
    """Where it was read after a write that the graph does not know of."""
    unseen: int = field(default=0, metadata=LEFT_OUT)
    """By how much the version rose in writes that were not seen."""
    forgotten: int = field(default=0, metadata=LEFT_OUT)
    """By how much it rose in writes that were seen, but are so many that they were not kept."""
    certain: bool = field(default=True, metadata=LEFT_OUT)
    """False if this is one of several that fit the error."""
    inferred: bool = field(default=False, metadata=LEFT_OUT)
    """Whether the framework does not show what the node keeps, so that it was inferred from what such nodes need."""


RefusalRule = Literal["leaf", "view", "several", "no_grad", "inference", "saved", "gradient", "no_gradient"]
"""Why something was refused at once. "leaf": it would have written to a leaf that needs a gradient; "view": to a view of one; "several": to one of
several views that an operation returned; "no_grad": to a view that was made without history; "inference": to an inference tensor; "saved": backward
would have needed an inference tensor; "gradient": it would have written to a gradient, which is a leaf in Paddle; "no_gradient": a gradient was used
that is None."""

Missing = Literal["", "rebound", "computed", "stops", "unreached"]
"""Why a gradient is None. "rebound": the name was bound to a new tensor; "computed": only leaves have gradients; "stops": the tensor needs none;
"unreached": no pass has given it one."""


@dataclass(frozen=True, slots=True)
class RefusalFacts:
    """An operation that a framework refused at once, without a backward pass."""

    rule: RefusalRule
    """Why."""
    name: str = ""
    """What the program calls the tensor, where it was refused; "" if it has no name."""
    whole: str = field(default="", metadata=LEFT_OUT)
    """Its name in the model, if that is another one: "model.24.m.0.bias". For a view, that of its base."""
    base: str = field(default="", metadata=LEFT_OUT)
    """The name of the tensor of which it is a view."""
    op: str = field(default="", metadata=LEFT_OUT)
    """The operation that was refused; for "several" that which returned the views."""
    made: Sites = field(default=(), metadata=LEFT_OUT)
    """Where the tensor was made, or its name bound."""
    origin: Sites = field(default=(), metadata=LEFT_OUT)
    """Where the leaf was made of which it is a view."""
    missing: Missing = field(default="", metadata=LEFT_OUT)
    """For "no_gradient": why it is None."""
    of_leaf: bool = field(default=False, metadata=LEFT_OUT)
    """Whether it is a leaf, or a view of one."""
    is_parameter: bool = field(default=False, metadata=LEFT_OUT)
    """Whether that leaf is a parameter of a model."""


@dataclass(frozen=True, slots=True)
class GradientFacts:
    """A gradient that a framework has computed wrong, with its numbers as text."""

    tensor: str
    """The name of the tensor that it belongs to; "" if it has none."""
    found: str
    """What the framework gives."""
    expected: str
    """What is right: what this package's engine gives; "" if that is not known, since a function of the program did not run."""
    element: tuple[int, ...] | None = None
    """The index of the element that these are, the one that differs most; None if they are the whole gradient."""
    differing: int = 0
    """How many elements differ."""
    dtype: str = ""
    """The type of its elements."""
    slope: str = field(default="", metadata=LEFT_OUT)
    """What finite differences give for one element; "" if they were not computed."""
    sloped: tuple[int, ...] | None = field(default=None, metadata=LEFT_OUT)
    """The index of that element; None for the only one."""


@dataclass(frozen=True, slots=True)
class BlamedFacts:
    """An operation whose own gradient is wrong."""

    op: str
    """The operation."""
    sites: Sites
    """Where it ran."""
    operand: GradientFacts
    """The gradient that it gives one of its operands."""
    instead: Text = field(default=Text("", ""), metadata=LEFT_OUT)
    """How to write it so that its gradient is right; empty if that is not known."""
    alone: bool = field(default=False, metadata=LEFT_OUT)
    """Whether it may make a new tensor instead: it writes none, or one of which the program has no other name."""


@dataclass(frozen=True, slots=True)
class FailureFacts:
    """What led to an error, or to a gradient that is wrong without one."""

    kind: FailureKind
    """What happened."""
    needed: Sites
    """Where the pass began, or what was refused ran."""
    values: tuple[KeptFacts, ...] = ()
    """The saved values that it may concern, the most probable first."""
    released: Sites = field(default=(), metadata=LEFT_OUT)
    """Where the earlier pass began, for "again"."""
    remarks: tuple[Text, ...] = field(default=(), metadata=LEFT_OUT)
    """What could not be seen."""
    wrong: tuple[str, ...] = field(default=(), metadata=LEFT_OUT)
    """The names of the leaves whose gradients are wrong, for "silent" and "wrong"."""
    gradients: tuple[GradientFacts, ...] = field(default=(), metadata=LEFT_OUT)
    """Those of these gradients that were compared with this package's engine, which ran the same operations."""
    blamed: BlamedFacts | None = field(default=None, metadata=LEFT_OUT)
    """For "wrong": the operation whose own gradient is; None if each operation's is right, so that the framework's history is not."""
    written: tuple[Sites, ...] = field(default=(), metadata=LEFT_OUT)
    """For "wrong" without such an operation: where the history of these gradients passes writes in place."""
    refusal: RefusalFacts | None = field(default=None, metadata=LEFT_OUT)
    """What was refused, if it was refused at once."""

    @property
    def is_explained(self) -> bool:
        """Whether anything is known of what led to it."""
        return bool(self.values or self.refusal)


@dataclass(frozen=True, slots=True)
class ErrorFacts:
    """An exception as the learner saw it, with what a recorder could add."""

    type: str
    """The class of the exception."""
    message: str
    """Its text."""
    explanation: Text | None
    """Why, if the error is one of the engine's refusals."""
    notes: tuple[Text, ...]
    """Which line kept the value, which line wrote to it, through which view."""
    node: int | None = None
    """The grad node concerned."""
    storage: int | None = None
    """The storage concerned."""
    tensor: int | None = None
    """The tensor concerned."""
    fix: Text | None = None
    """What to write instead."""
    fixes: tuple[FixFacts, ...] = ()
    """Fixes for this program."""
    failure: FailureFacts | None = field(default=None, metadata=LEFT_OUT)
    """What led to it, if that is known."""


@dataclass(frozen=True, slots=True)
class OperandFacts:
    """An operand of a kernel: a window on a storage, with the layout that the kernel sees (after broadcasting)."""

    name: str
    """Its name in the kernel's source."""
    role: Literal["reads", "writes", "both"]
    """Whether the kernel reads it, writes it, or both."""
    dtype: str
    """The type of its elements."""
    shape: tuple[int, ...]
    """The number of elements along each axis."""
    strides: tuple[int, ...]
    """For each axis, the slots from one element to the next."""
    offset: int
    """The slot of the first element."""
    storage_bytes: int
    """The bytes of its storage."""
    storage: int | None = None
    """Its storage; None if the recorder does not know it."""


@dataclass(frozen=True, slots=True)
class LaunchFacts:
    """A kernel launch: the grid of threads, and the kernel's operands.

    Which thread accessed which slots is not recorded, since it follows from these numbers.
    """

    kernel: str
    """The operation, or the operations of a fused chain: "scale_ add_ relu_"."""
    kind: str
    """Which text ran: "contiguous", "strided", "normalize", ...; "library" for a kernel whose geometry is not known."""
    grid: tuple[int, int, int]
    """The number of blocks along x, y and z."""
    block: tuple[int, int, int]
    """The number of threads in a block along x, y and z."""
    width: int
    """How many elements a thread took at once."""
    dtype: str
    """The type of what was computed."""
    operands: tuple[OperandFacts, ...]
    """The memory, in the order of the kernel's parameters."""
    bytes_read: int
    """The bytes that the threads read."""
    bytes_written: int
    """The bytes that they wrote."""
    device: str
    """The name of the hardware; empty if it was simulated."""
    simulated: bool
    """True if no hardware ran it."""


@dataclass(frozen=True, slots=True)
class CollectiveFacts:
    """A collective: an operation that all ranks of a program make at once. The recording is that of one rank."""

    name: str
    """The operation: "all_reduce"."""
    number: int
    """Which collective of the program it is, from 1; the same on all ranks."""
    rank: int
    """The rank whose recording this is, from 0."""
    ranks: int
    """How many ranks there are."""


@dataclass(frozen=True, slots=True)
class IterationFacts:
    """An iteration of a loop, as the program has reported it."""

    source: int
    """The number of the source that the loop is in."""
    line: int
    """The line of its head."""
    run: int
    """Which run of a loop it belongs to, counted from 0: a loop that begins again is another run."""
    number: int
    """Which iteration of this run it is, from 1."""
    count: int | None = field(default=None, metadata=LEFT_OUT)
    """How many iterations the run had; None if the recording or an error ended it."""


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """A library's module that ran an operation, and the call with which the program constructed it. Lines count from 1, columns from 0, in bytes."""

    kind: str
    """Its class: "ReLU"."""
    source: int = 0
    """The number of the source with the call."""
    line: int = 0
    """The first line of the call; 0 if it is not known."""
    column: int = 0
    """Where it begins."""
    end_line: int = 0
    """Its last line."""
    end_column: int = 0
    """One past its last column."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a program, and what it changed.

    `storages`, `counters`, `tensors` and `nodes` hold only what is new or different after this step; None means that the
    object is gone. `Recording.state` adds them up.
    """

    index: int
    """The position of the step in the list, from 0."""
    kind: StepKind
    """What sort of step: an operation, a line that ran no operation, a moment of backward, or an exception. "look" is the only step of a
    recording without a program: existing objects as they were at one moment."""
    phase: Literal["forward", "backward"]
    """Whether the program was computing forward or was inside backward."""
    place: Place | None
    """Where the program was; None if that is not known. In JSON, the position in the recording's `places`."""
    op: str | None
    """The learner's name for the operation ("scale_"), for an operation step; for one of backward that of the hook or the function
    that is called, or "backward"."""
    category: Category | None
    """How the operation treats memory. "relayout" changes only the metadata of the tensor itself (`transpose_`); "reallocated" is in
    place in name only: the tensor was given a new storage (`reshape_` that must copy, `cast_`)."""
    inputs: tuple[int, ...]
    """The tensors that the operation was given, in order; for an error, those that the refused call was given, as far as known."""
    output: int | None
    """The tensor that it returned."""
    writes: tuple[WriteFacts, ...]
    """The version counters that it raised."""
    rewired: tuple[RewireFacts, ...]
    """The tensors whose grad node was replaced."""
    kept: int | None
    """The node made by this step, if it made one."""
    live: int
    """Bytes of the live storages that the program has made, after the step."""
    peak: int
    """The largest number of such bytes so far."""
    backward: BackwardFacts | None
    """For a moment of backward: which."""
    error: ErrorFacts | None
    """The exception, for an error step."""
    storages: tuple[tuple[int, StorageFacts | None], ...]
    """Storages that are new or different after the step, as [number, facts]; None means that the storage is gone."""
    counters: tuple[tuple[int, CounterFacts | None], ...]
    """Version counters that are new or raised after the step, as [number, facts]; None means that the storage is gone."""
    tensors: tuple[tuple[int, TensorFacts | None], ...]
    """Tensors that are new or different after the step, as [number, facts]; None means that the tensor is gone."""
    nodes: tuple[tuple[int, NodeFacts | None], ...]
    """Grad nodes that are new or different after the step, as [number, facts]; None means that the node is gone."""
    turn: int = 0
    """Which statement this happened in, counted from the start: a loop of one line has a turn for each time round."""
    launches: tuple[LaunchFacts, ...] = ()
    """The kernels that it launched, in order, if the recorder can observe them."""
    reads: tuple[ReadFacts, ...] = ()
    """What the operation read, if the recorder can observe it. A tensor that is only overwritten is an input and is not read, and a view
    reads nothing."""
    collective: CollectiveFacts | None = field(default=None, metadata=LEFT_OUT)
    """The collective that it is, or that its operation ended."""
    depends: Dependence | None = field(default=None, metadata=LEFT_OUT)
    """How the elements of its result depend on those of its inputs, if that is known. For views it is not needed: they have the slots
    of their base."""
    tracks: bool | None = field(default=None, metadata=LEFT_OUT)
    """Whether operations were to keep history when it ran, which `no_grad` switches off; None if that is not known. Recorded of Paddle, which may
    keep none although it was to."""

    loops: tuple[IterationFacts, ...] = field(default=(), metadata=LEFT_OUT)
    """The iterations of loops that it is in, outermost first, as far as they were recorded."""
    module: str = field(default="", metadata=LEFT_OUT)
    """For a write in place by a library's module that the program calls: what the program calls the module, "net.2"; "" if it has no name."""
    ran_in: ModuleFacts | None = field(default=None, metadata=LEFT_OUT)
    """The library's module that ran the operation; None if the program called it, or that is not known."""

    @property
    def line(self) -> int | None:
        """The line of its source, from 1; None if it is not known."""
        return None if self.place is None else self.place.line

    def touched_storages(self) -> tuple[int, ...]:
        """Returns the numbers of the storages that are new, gone or different after this step, or were counted as written."""
        written = {facts.storage for _, facts in self.counters if facts is not None}
        return tuple(sorted(written.union(key for key, _ in self.storages)))


AliasKind = Literal["library", "container", "array", "name"]
"""How a storage got its second name. "library": code of a library wrote what it was given; "container": a list or a dictionary holds the tensor;
"array": the memory was handed to NumPy; "name": another name of the program."""


@dataclass(frozen=True, slots=True)
class AliasFacts:
    """A value that was read under one name after it was written under another."""

    kind: AliasKind
    """How the storage got its second name."""
    name: str
    """The name under which it was read."""
    through: str
    """What was written through: a name, or an expression; "" if it is not known."""
    op: str
    """The operation that wrote; "" if it is not known."""
    written: Sites
    """Where it was written."""
    read: Sites
    """Where it was read after that."""
    weight: int = 0
    """How likely it is not meant: the larger, the more likely."""
