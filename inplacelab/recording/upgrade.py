"""Recordings of an earlier schema: their JSON document is brought up to date before it is read."""

from __future__ import annotations

from typing import Any

__all__ = ["upgraded"]

Json = dict[str, Any]


def upgraded(document: Json) -> Json:
    """The document in the present schema, if it is of an earlier one; else as it is.

    Args:
        document: a recording as `json.loads` gives it. It is changed.

    Raises:
        AttributeError, KeyError, TypeError, ValueError: if it is not what its schema says.
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
    """Give each storage a counter with the number of the storage. A storage of which only the version was new is no news any more."""
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
