"""Upgrades the JSON of recordings with an earlier schema to the current one."""

from __future__ import annotations

from typing import Any

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
