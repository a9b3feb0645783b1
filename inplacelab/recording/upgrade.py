"""Recordings of an earlier schema: their JSON document is brought up to date before it is read."""

from __future__ import annotations

from typing import Any

__all__ = ["upgraded"]


def upgraded(document: dict[str, Any]) -> dict[str, Any]:
    """The document in the present schema, if it is of an earlier one that is known; else as it is.

    Args:
        document: a recording as `json.loads` gives it. It is changed.
    """
    if document.get("schema") == 1 and document["schema"] is not True:
        _from_1(document)
    return document


def _from_1(document: dict[str, Any]) -> None:
    """What is to be written instead of a refused line was called `mend`."""
    document["schema"] = 2
    for step in _objects(document.get("steps")):
        for error in _objects([step.get("error")]):
            if "mend" in error:
                error["fix"] = error.pop("mend")


def _objects(found: Any) -> list[dict[str, Any]]:
    """The objects of a list. What else it holds is for the codec to refuse."""
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
