"""Tests that many pins on one storage are folded, except those that the current step concerns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from inplacelab.recording.recording import Recording
from inplacelab_widgets.scene.saved_tensors import HEIGHT, MOST, PinStack, Plate, pins, storage_pins
from inplacelab_widgets.scene.timeline import shared_rows
from tests.recorders.runs import run


def hung_on(recording: Recording, storage: int) -> tuple[PinStack, ...]:
    mine = [pin for pin in pins(recording) if pin.storage == storage]
    places = shared_rows([(pin.life.first, pin.life.last) for pin in mine])
    return storage_pins(tuple(zip(places, mine, strict=True))).stacks


def plates_at(stacks: tuple[PinStack, ...], step: int) -> dict[int, Plate]:
    """Returns the plate at each place after a step."""
    found = {}
    for each in stacks:
        plates = [plate for since, plate in each.plates if since <= step]
        if plates and plates[-1]:
            assert each.place not in found, "two plates at one place"
            found[each.place] = plates[-1]
    return found


def step_of(recording: Recording, op: str) -> int:
    return next(step.index for step in recording.steps if step.op == op)


def test_few_pins_hang_below_each_other(sample: Callable[[str], Recording]) -> None:
    recording = sample("stale")
    assert [(stacks.place, stacks.keys) for stacks in hung_on(recording, 2)] == [(0, ("p2:2:0",))]


def test_a_pin_that_goes_stale_in_the_step_that_saves_it_says_so() -> None:
    pytest.importorskip("torch")
    recording = run("w = torch.ones([2], requires_grad=True)\na = w * 1\na.mul_(a)\nw.sum()\n", "torch").recording
    write = step_of(recording, "mul_")
    (pin,) = (
        pin
        for pin in pins(recording)
        if pin.life.first == write and pin.storage == recording.steps[write].writes[0].storage
    )
    said = [(step, plate and (plate.turned, plate.second_line.en)) for step, plate in pin.plates]
    assert said[:2] == [
        (write, (True, "a (operand 2) @ v0 · ✗ goes stale, now v1")),
        (write + 1, (False, "a (operand 2) @ v0 · ✗ stale, now v1")),
    ]


def test_many_pins_take_no_more_room_than_a_few(sample: Callable[[str], Recording]) -> None:
    recording = sample("kept_often")
    mine = [pin for pin in pins(recording) if pin.storage == 1]
    assert len(mine) > MOST
    places = shared_rows([(pin.life.first, pin.life.last) for pin in mine])
    assert storage_pins(tuple(zip(places, mine, strict=True))).height <= MOST * HEIGHT


def test_narrow_pins_have_what_is_said_of_their_state_below(sample: Callable[[str], Recording]) -> None:
    mine = [pin for pin in pins(sample("kept_often")) if pin.storage == 1][:1]
    wide = storage_pins([*enumerate(mine)])
    narrow = replace(wide, is_narrow=True)
    assert narrow.width < wide.width
    assert narrow.height > wide.height
    assert [len(lines) for lines in narrow.lines] == [3] * len(wide.lines)
    assert len([*narrow.marks(0, 0)]) == len([*wide.marks(0, 0)]) + 1


def test_a_single_pin_says_itself_who_keeps_what(sample: Callable[[str], Recording]) -> None:
    recording = sample("kept_often")
    first = min(pin.life.first for pin in pins(recording) if pin.storage == 1)
    (plate,) = plates_at(hung_on(recording, 1), first).values()
    assert plate.first_line.en.startswith("kept by MultiplyGradNode")


def test_stale_pins_differ_from_fresh_ones(sample: Callable[[str], Recording]) -> None:
    recording = sample("kept_often")
    stacks, write = hung_on(recording, 1), step_of(recording, "add_")
    before, after = plates_at(stacks, write - 1), plates_at(stacks, write)
    assert [(plate.status, plate.first_line.en) for plate in before.values()] == [("fresh", "kept by 3 nodes")]
    assert [(plate.status, plate.turned, plate.first_line.zh) for plate in after.values()] == [
        ("stale", True, f"保存者：MultiplyGradNode #{node}（第 4 行）") for node in (2, 3, 4)
    ]
    assert {plate.second_line.en for plate in after.values()} == {"a (operands 1 and 2) @ v0 · ✗ goes stale, now v1"}
    (later,) = (plate for plate in plates_at(stacks, write + 1).values() if plate.status == "stale")
    assert (later.turned, later.second_line.en) == (False, "✗ stale, now v1")
    last = next(step.index for step in recording.steps if step.phase == "backward")
    plates = plates_at(stacks, last)
    assert [(plate.status, plate.first_line.en) for plate in plates.values()] == [
        ("fresh", "kept by 4 nodes"),
        ("stale", "kept by 3 nodes"),
    ]


def test_of_very_many_that_go_stale_the_first_are_named() -> None:
    pytest.importorskip("torch")
    program = "w = torch.ones([2], requires_grad=True)\nb = w * 1\nfor k in range(9):\n    w = w * b\nb.add_(1)\n"
    recording = run(program, "torch").recording
    write = step_of(recording, "add_")
    plates = [*plates_at(hung_on(recording, recording.steps[write].writes[0].storage), write).values()]
    assert [plate.first_line.en.split("#")[0] for plate in plates] == [
        "kept by 7 nodes",
        *["kept by MulBackward0 "] * 2,
    ]
    assert all(plate.turned for plate in plates)


def test_the_pin_that_backward_looks_at_stands_by_itself(sample: Callable[[str], Recording]) -> None:
    recording = sample("kept_often")
    stacks = hung_on(recording, 1)
    unpacks = [step for step in recording.steps if step.backward and step.backward.action == "unpack"]
    assert unpacks
    for step in unpacks:
        assert step.backward is not None
        plates = plates_at(stacks, step.index)
        checked = [plate for plate in plates.values() if plate.checked]
        if step.backward.node is not None and any(f"n{step.backward.node}" in each.links for each in stacks):
            assert len(checked) == 1
            assert f"#{step.backward.node} " in checked[0].first_line.en
    assert plates_at(stacks, len(recording) - 1)[2].status == "stale"


def test_a_fold_is_lit_with_any_of_its_nodes(sample: Callable[[str], Recording]) -> None:
    recording = sample("kept_often")
    fold = next(each for each in hung_on(recording, 1) if each.keys[0] == "k1")
    mine = [pin for pin in pins(recording) if pin.storage == 1]
    assert {pin.keys[0] for pin in mine} <= set(fold.keys)
    assert {f"n{pin.node}" for pin in mine} <= set(fold.links)
