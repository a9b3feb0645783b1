"""Turns the JSON of earlier schemas into that of the present one."""

from __future__ import annotations

import re
from math import prod
from typing import Any

from inplacelab.supported import framework_named

__all__ = ["upgraded"]

Json = dict[str, Any]


def upgraded(document: Json) -> Json:
    """Returns the document in the current schema; a document with any other schema is returned as it is.

    Args:
        document: a recording as `json.loads` returns it. It is changed in place.

    Raises:
        AttributeError, KeyError, TypeError, ValueError: if the document does not match its schema.
    """
    if document.get("schema") == 1 and document["schema"] is not True:
        _from_1(document)
    if document.get("schema") == 2:
        _from_2(document)
    if document.get("schema") == 3:
        _from_3(document)
    return document


def _from_1(document: Json) -> None:
    """Schema 1 had no counters: each storage had a version. And a `fix` was called `mend`."""
    known: dict[int, tuple[Json, int]] = {}  # the facts of each storage, and its version
    for step in document["steps"]:
        _count_apart(step, known)
        if step["error"] is not None and "mend" in step["error"]:
            step["error"]["fix"] = step["error"].pop("mend")
        tensors = [tensor for _, tensor in step["tensors"] if tensor is not None]
        saved = [saved for _, node in step["nodes"] if node is not None for saved in node["saved"]]
        for facts in (*tensors, *saved, *step["writes"]):
            facts["counter"] = facts["storage"]
    document["schema"] = 2


_AT_POSITIONS = re.compile("index|scatter|mask|put|setitem|diagonal|where|embedding|tri[lu]_")
"""What operations are called that may write only some elements of their tensor."""


def _from_2(document: Json) -> None:
    """Schema 2 gave all slots of a tensor where it was not known which of them an operation had written."""
    known: dict[int, Json] = {}  # the facts of each tensor
    framework = framework_named(document["framework"])
    compared = framework is not None and not framework.reports_writes
    for step in document["steps"]:
        known |= {number: facts for number, facts in step["tensors"] if facts is not None}
        for write in step["writes"]:
            may_be_some = _AT_POSITIONS.search(step["op"] or "") and _is_whole(write, known.get(write["tensor"]))
            write["slots_are"] = "changed" if compared else "around" if may_be_some else "written"
    document["schema"] = 3


def _from_3(document: Json) -> None:
    """Schema 3 had one source, and lines where there are places now."""
    document["sources"] = [{"name": "", "text": document.pop("source")}]
    known: dict[int | None, int | None] = {None: None}  # the number of the place of each line
    for step in document["steps"]:
        for facts in (step, *(node for _, node in step["nodes"] if node is not None)):
            facts["place"] = known.setdefault(facts.pop("line"), len(known) - 1)
    document["places"] = [{"line": line} for line in known if line is not None]
    document["schema"] = 4


def _is_whole(write: Json, tensor: Json | None) -> bool:
    """Whether a write has as many slots as its tensor has elements; so it is taken to be if the tensor is not known."""
    return tensor is None or sum(stop - start for start, stop in write["slots"]) >= prod(tensor["shape"])


def _count_apart(step: Json, known: dict[int, tuple[Json, int]]) -> None:
    """Gives each storage a counter with the storage's number, and drops storages in which only the version changed."""
    storages, counters = [], []
    for number, facts in step["storages"]:
        before, old = known.pop(number, (None, None))
        if facts is None:
            storages.append([number, None])
            counters.append([number, None])
            continue
        version = facts.pop("version")
        known[number] = facts, version
        if facts != before:
            storages.append([number, facts])
        if version != old:
            counters.append([number, {"id": number, "storage": number, "version": version}])
    step["storages"], step["counters"] = storages, counters
