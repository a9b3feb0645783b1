"""Tests that the changes found step by step equal those found by checking all objects after every step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pytest

from inplacelab.recording import Recording
from inplacelab.recording.recording import State
from inplacelab_widgets.scene.saved_tensors import pin_changes, pins_at
from inplacelab_widgets.scene.tables import table_changes, tables
from inplacelab_widgets.scene.tensor_cards import card_changes, face_of
from inplacelab_widgets.scene.timeline import Facts, Key, Life, StorageLife, followed, storage_lives


def lives(recording: Recording, of: Callable[[State], Mapping[Key, Facts]]) -> dict[Key, Life[Facts]]:
    """Returns the life of each item that `of` finds in the states, in order of first appearance.

    An item that ends and returns is considered alive in the meantime: its place is kept.
    """
    moments: dict[Key, list[tuple[int, Facts]]] = {}
    last: dict[Key, int] = {}
    for state in recording.states():
        for key, facts in of(state).items():
            known = moments.setdefault(key, [])
            if not known or known[-1][1] != facts:
                known.append((state.step.index, facts))
            last[key] = state.step.index
    return {key: Life(tuple(found), last[key]) for key, found in moments.items()}


def test_the_cards(recording: Recording) -> None:
    slowly = lives(
        recording,
        lambda state: {(t.id, t.storage): face_of(recording, t, state) for t in state.tensors.values()},
    )
    assert followed(card_changes(recording), len(recording) - 1) == slowly


def test_the_pins(recording: Recording) -> None:
    assert followed(pin_changes(recording), len(recording) - 1) == lives(recording, partial(pins_at, recording))


def test_the_storages(recording: Recording) -> None:
    slowly = lives(recording, lambda state: state.storages)
    assert storage_lives(recording) == {key: StorageLife(each.moments, each.last) for key, each in slowly.items()}


def test_the_tables(recording: Recording) -> None:
    changes = table_changes(recording)
    now: dict[str, dict[str, object]] = {name: {} for name in changes}
    waiting = {name: iter(found) for name, found in changes.items()}
    ahead = {name: next(found, None) for name, found in waiting.items()}
    for state in recording.states():
        for table in tables(recording, state):
            while (change := ahead[table.name]) is not None and change[0] == state.step.index:
                _, key, cells = change
                now[table.name] = {k: v for k, v in now[table.name].items() if k != key}
                now[table.name] |= {} if cells is None else {key: cells}
                ahead[table.name] = next(waiting[table.name], None)
            assert now[table.name] == dict(table.rows)
    assert set(ahead.values()) == {None}


def test_names_are_distinguished_exactly_where_two_nodes_share_one(recording: Recording) -> None:
    for state in recording.states():
        for node in state.nodes.values():
            others = [n for n in state.nodes.values() if n.id != node.id]
            assert state.has_namesake(node) == any((n.name, n.line) == (node.name, node.line) for n in others)


def test_a_gradient_knows_whose_it_is(recording: Recording) -> None:
    for state in recording.states():
        for tensor in state.tensors:
            owners = [t.id for t in state.tensors.values() if t.grad == tensor]
            assert state.owner_of_gradient(tensor) == (owners[0] if owners else None)


def test_a_recording_without_steps_touches_nothing() -> None:
    with pytest.raises(StopIteration):
        next(iter(pin_changes(Recording("inplacelab", "0", "", (), ()))))
