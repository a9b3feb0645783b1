"""Recordings of what a program did to its tensors: plain immutable data with queries, explanations and a JSON form.

This package is the border between the code that runs programs (engine and recorders) and the code that draws them (widgets).
It holds no live tensor and draws nothing.

    facts.py       what is recorded                      recording.py   the source, the steps, the state after each step
    codec.py       to JSON and back, also of old files   file_text.py, checks.py   files that are not trusted
    queries.py     questions about a recording           relations.py   what belongs to what: tensors, passes, stages
    slots.py       slots, their values, and what a step did to them
    statements.py  the steps of each statement as one   loops.py       which iterations of which loops a step is in
    trace.py       why backward failed                   unnoticed_writes.py   gradients that are wrong without an error
    computed_from.py, origins/  which elements a number was computed from
    compare/       two recordings side by side           ranks.py       recordings of several ranks
    source_tree.py, code_of_steps.py   the program's text, parsed and edited; the code that ran as each step
    naming.py, numerals.py   how things are called, and how numbers are written
    sentences/, fixes/, quiz/   what is said, proposed and asked
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inplacelab.recording import queries
    from inplacelab.recording.codec import from_json, load, save, to_json
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
    from inplacelab.recording.file_text import RecordingFormatError
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

_MODULES = {
    "from_json": "codec", "load": "codec", "save": "codec", "to_json": "codec", "RecordingFormatError": "file_text",
    "SCHEMA_VERSION": "recording", "Recording": "recording", "State": "recording", "sentence": "sentences",
}  # fmt: skip
"""The modules of names that are not in `facts.py`. All are imported on first use: a program that is only watched needs few of them."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "queries":
        return import_module(f"{__name__}.queries")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULES.get(name, 'facts')}"), name)
    return value
