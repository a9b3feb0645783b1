"""Recordings of what a program did to its tensors: plain immutable data with queries, explanations and a JSON form.

This package is the border between the code that runs programs (engine and recorders) and the code that draws them (widgets).
It holds no live tensor and draws nothing.
"""

from __future__ import annotations

from inplacelab.recording import queries
from inplacelab.recording.codec import RecordingFormatError, from_json, load, save, to_json
from inplacelab.recording.facts import (
    BackwardAction,
    BackwardFacts,
    Category,
    CollectiveFacts,
    CounterFacts,
    EdgeFacts,
    ErrorFacts,
    LaunchFacts,
    NodeFacts,
    NodeStatus,
    Number,
    OperandFacts,
    ReadFacts,
    RewireFacts,
    SavedFacts,
    SlotsAre,
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
    "CollectiveFacts",
    "CounterFacts",
    "EdgeFacts",
    "ErrorFacts",
    "LaunchFacts",
    "NodeFacts",
    "NodeStatus",
    "Number",
    "OperandFacts",
    "ReadFacts",
    "Recording",
    "RecordingFormatError",
    "RewireFacts",
    "SavedFacts",
    "SlotsAre",
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
