"""A recording: what a program did to its tensors, as plain immutable data that can be asked, explained and stored.

It is the border between the code that runs programs (engine and recorders) and the code that draws them (widgets):
nothing here holds a live tensor, and nothing here knows a screen.
"""

from __future__ import annotations

from inplacelab.recording import queries
from inplacelab.recording.codec import RecordingFormatError, from_json, load, save, to_json
from inplacelab.recording.facts import (
    BackwardAction,
    BackwardFacts,
    Category,
    CounterFacts,
    EdgeFacts,
    ErrorFacts,
    LaunchFacts,
    NodeFacts,
    NodeStatus,
    Number,
    OperandFacts,
    RewireFacts,
    SavedFacts,
    Step,
    StepKind,
    StorageFacts,
    Summary,
    TensorFacts,
    Values,
    WriteFacts,
)
from inplacelab.recording.recording import SCHEMA_VERSION, Recording, State
from inplacelab.recording.sentences import sentence

__all__ = [
    "SCHEMA_VERSION",
    "BackwardAction",
    "BackwardFacts",
    "Category",
    "CounterFacts",
    "EdgeFacts",
    "ErrorFacts",
    "LaunchFacts",
    "NodeFacts",
    "NodeStatus",
    "Number",
    "OperandFacts",
    "Recording",
    "RecordingFormatError",
    "RewireFacts",
    "SavedFacts",
    "State",
    "Step",
    "StepKind",
    "StorageFacts",
    "Summary",
    "TensorFacts",
    "Values",
    "WriteFacts",
    "from_json",
    "load",
    "queries",
    "save",
    "sentence",
    "to_json",
]
