"""Defines the events that recorders emit and the builder reads.

The recorder of a framework emits these events; `builder` turns them into the steps of a `Recording`. An event is
plain data: numbers for objects, layouts, copies of bytes, lines of the program. It keeps no tensor alive and depends on no framework.

Objects are numbered in the order in which they were first seen, separately for tensors, storages, counters and nodes. An event
may use a number once the object was described (`StorageSeen`, `CounterSeen`, `TensorMade`, `NodeMade`).

Events are not changed once they are emitted. (They are not frozen: making a frozen instance takes double the time.)

Units: `bytes`, `live` and `peak` are bytes; shapes, strides, offsets and slots count elements; lines count from 1 in the program's text.

    event.py        the base of all events              program.py      statements, the end, errors
    objects.py      storages, counters, tensors         operations.py   operations, kernels, collectives
    nodes.py        grad nodes and what they save       backward.py     backward passes
"""

from inplacelab.recorders.events.backward import (
    Arrived,
    BackwardBegan,
    BackwardEnded,
    BackwardFailed,
    CustomBegan,
    Gradient,
    HookBegan,
    HookEnded,
    NodeRan,
    Unpacked,
)
from inplacelab.recorders.events.event import (
    INFERRED,
    OBSERVED,
    Event,
    Origin,
)
from inplacelab.recorders.events.nodes import (
    Kept,
    NodeMade,
    Released,
    Saved,
)
from inplacelab.recorders.events.objects import (
    CounterSeen,
    Died,
    FlagsSet,
    GradientSet,
    Handed,
    LogBegan,
    Named,
    Operand,
    Rewired,
    StorageSeen,
    TensorMade,
    Wrote,
)
from inplacelab.recorders.events.operations import (
    Communicated,
    Launched,
    OperationDone,
)
from inplacelab.recorders.events.program import (
    LookedAt,
    Missed,
    ProgramEnded,
    Raised,
    Refused,
    StatementBegan,
    Stopped,
)

__all__ = [
    "INFERRED",
    "OBSERVED",
    "Arrived",
    "BackwardBegan",
    "BackwardEnded",
    "BackwardFailed",
    "Communicated",
    "CounterSeen",
    "CustomBegan",
    "Died",
    "Event",
    "FlagsSet",
    "Gradient",
    "GradientSet",
    "Handed",
    "HookBegan",
    "HookEnded",
    "Kept",
    "Launched",
    "LogBegan",
    "LookedAt",
    "Missed",
    "Named",
    "NodeMade",
    "NodeRan",
    "Operand",
    "OperationDone",
    "Origin",
    "ProgramEnded",
    "Raised",
    "Refused",
    "Released",
    "Rewired",
    "Saved",
    "StatementBegan",
    "Stopped",
    "StorageSeen",
    "TensorMade",
    "Unpacked",
    "Wrote",
]
