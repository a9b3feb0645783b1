"""Tests that a small file cannot ask for much: what does not agree is refused, and what is large is read and drawn within bounds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inplacelab.recording import RecordingFormatError, from_json, load
from inplacelab.recording.checks import MOST_AXES, MOST_LIVE
from inplacelab.recording.slots import MOST_RUNS, slot_runs
from inplacelab_widgets import to_html, to_markdown, to_svg, to_text

Facts = list[Any]


def step(index: int, **fields: Any) -> dict[str, Any]:
    empty = dict.fromkeys(("inputs", "writes", "rewired", "storages", "counters", "tensors", "nodes"), ())
    nothing = dict.fromkeys(("op", "category", "output", "kept", "backward", "error"))
    return (
        {"index": index, "kind": "line", "phase": "forward", "place": 0, "live": 0, "peak": 0}
        | empty
        | nothing
        | fields
    )


def storage(slots: int, number: int = 0, **fields: Any) -> Facts:
    facts = {"id": number, "bytes": 4 * slots, "slots": slots, "dtype": "float32", "device": "cpu", "values": None}
    return [number, facts | fields]


def counter(number: int = 0, version: int = 0) -> Facts:
    return [number, {"id": number, "storage": number, "version": version}]


def tensor(shape: list[int], strides: list[int], number: int = 0, **fields: Any) -> Facts:
    facts = {"names": ["x"], "storage": 0, "counter": 0, "offset": 0, "dtype": "float32", "device": "cpu", "leaf": True}
    facts |= {
        "id": number,
        "shape": shape,
        "strides": strides,
        "needs_gradient": False,
        "base": None,
        "node": None,
        "grad": None,
    }
    return [number, facts | fields]


def node(number: int, *to: int) -> Facts:
    edges = [{"input": "x", "to": end} for end in to]
    facts = {
        "id": number,
        "name": "N",
        "op": "o",
        "place": 0,
        "edges": edges,
        "saved": [],
        "released": False,
        "leaf": None,
    }
    return [number, facts | {"status": ""}]


def text(*steps: dict[str, Any], source: str = "x", **fields: Any) -> str:
    about = {"framework": "inplacelab", "framework_version": "0", "title": "t", "places": [{"line": 1}], "schema": 4}
    return json.dumps(about | {"sources": [{"name": "", "text": source}], "steps": steps} | fields)


def laid_out(slots: int, shape: list[int], strides: list[int], **fields: Any) -> str:
    return text(step(0, storages=[storage(slots)], counters=[counter()], tensors=[tensor(shape, strides, **fields)]))


BAD = {
    "reaches the slots 0 to 2147483647": laid_out(4, [2**31], [1]),
    "reaches the slots -1 to 0": laid_out(4, [2], [-1]),
    "cannot be -1": laid_out(4, [-1], [1]),
    "cannot be 9223372036854775808": laid_out(4, [2**32, 2**31], [0, 0]),
    "shape and strides have 1 and 2 axes": laid_out(4, [2], [1, 1]),
    f"have {MOST_AXES + 1} and {MOST_AXES + 1} axes": laid_out(4, [1] * 65, [1] * 65),
    "there is no storage 7": laid_out(4, [2], [1], storage=7),
    "a name is too long": laid_out(4, [2], [1], names=["x" * 10_000]),
    "4 slots do not take 15 bytes": text(step(0, storages=[storage(4, bytes=15)])),
    "there are 1 values for 4 slots": text(step(0, storages=[storage(4, values=[1.0])])),
    "the number 0 is there twice": text(step(0, storages=[storage(4), storage(4)])),
    "the number 1 stands before the facts of 0": text(step(0, storages=[[1, storage(4)[1]]])),
    "storage 0 is gone": text(step(0, storages=[storage(4)], counters=[counter()]), step(1, storages=[[0, None]])),
    "the edges of the grad nodes form a cycle": text(step(0, nodes=[node(0, 1), node(1, 0)])),
    "at most 64 bits": text(step(0, live=2**64)),
    "more than 20 digits": text(step(0, live=10**30)),
    "the field \"title\" twice": text(step(0)).replace('"title"', '"title": "", "title"'),
    "half of a surrogate pair": text(step(0), title="\ud800"),
    "nested too deeply": "[" * 100_000,
    "too much to draw": text(
        step(0, storages=[storage(1, k) for k in range(3000)]), *(step(k, storages=[storage(1)]) for k in range(1, MOST_LIVE // 3000 + 2))
    ),
}  # fmt: skip


@pytest.mark.parametrize("says", BAD)
def test_what_does_not_agree_is_refused(says: str) -> None:
    with pytest.raises(RecordingFormatError) as caught:
        from_json(BAD[says])
    assert says in str(caught.value)
    assert caught.value.explanation.en != caught.value.explanation.zh


LARGE = {
    "a picture of 16 million elements": laid_out(2**24, [1, 64, 512, 512], [2**24, 2**18, 512, 1]),
    "every other of them": laid_out(2**24, [1, 64, 256, 256], [2**24, 2**18, 1024, 2]),
    "a storage of 2**60 slots": laid_out(2**60, [2**60], [1]),
    "rows of 2**31": laid_out(2**33, [2**31, 2, 2], [4, 2, 1]),
    "one slot, expanded": laid_out(1, [2**31, 2**20], [0, 0]),
    "62 axes that overlap": laid_out(200, [2] * 62, [2] * 62),
    "a long program": text(step(0), source="x = 1\n" * 50_000),
    "a long line": text(step(0), source="x" * 500_000),
    "brackets": text(step(0, kind="error", error={"type": "E", "message": "m" * 10**6, "explanation": None, "notes": []}), source="-" * 50_000),
    "2,500 steps": text(*(step(k) for k in range(2500))),
}  # fmt: skip


@pytest.mark.parametrize("name", LARGE)
def test_what_is_large_is_drawn_within_bounds(name: str) -> None:
    recording = from_json(LARGE[name])
    for form in (to_html(recording), to_svg(recording), to_text(recording), to_markdown(recording)):
        assert len(form) < 3_000_000


def test_many_runs_are_joined() -> None:
    (_, facts), *_ = from_json(laid_out(2**24, [2**20], [16])).steps[0].tensors
    assert facts is not None
    assert slot_runs(facts) == ((0, 16 * (2**20 - 1) + 1),)
    assert MOST_RUNS < 2**20


def test_a_file_of_gigabytes_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(2**36)
    with pytest.raises(RecordingFormatError, match="too large"):
        load(tmp_path / "huge")
