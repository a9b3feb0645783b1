"""Draws, on the left of each row of lanes, its present storage with the names of the storage's tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inplacelab.recording.facts import Step, TensorFacts
from inplacelab.recording.naming import storage_label
from inplacelab.recording.recording import Recording, State
from inplacelab_widgets.scene.axis import LEFT
from inplacelab_widgets.scene.marks import Look, Mark, lasting, text
from inplacelab_widgets.scene.measure import abridged, shortened, width_of


def lane_names(recording: Recording, rows: Mapping[int, int], baselines: Sequence[float]) -> list[Mark]:
    """Draws one mark for each row. `rows` gives the row of each storage, `baselines` the y of each row's words."""
    looks: list[list[tuple[int, Look | None]]] = [[] for _ in baselines]
    for step, row, names in _changes(recording, rows):
        looks[row].append((step, Look("text", names) if names else None))
    last, marks = len(recording) - 1, []
    for row, baseline in enumerate(baselines):
        keys = tuple(f"s{key}" for key, its_row in rows.items() if its_row == row)
        marks.append(text(0, baseline, lasting(looks[row], last), keys=keys))
    return marks


def _changes(recording: Recording, rows: Mapping[int, int]) -> Iterator[tuple[int, int, str]]:
    """Yields (step, row, the words there from then on)."""
    tensors: dict[int, TensorFacts] = {}
    named: dict[int, dict[int, tuple[str, ...]]] = {}
    tenants: dict[int, int] = {}
    for state in recording.states():
        step = state.step
        for row in dict.fromkeys((*_moved(step, rows, tenants), *_renamed(state, rows, tensors, named))):
            yield step.index, row, _said(tenants.get(row), named)


def _moved(step: Step, rows: Mapping[int, int], tenants: dict[int, int]) -> list[int]:
    """The rows in which a storage begins or ends in this step; updates `tenants`."""
    for key, storage in step.storages:
        if key in rows and storage is not None:
            tenants[rows[key]] = key
        elif tenants.get(rows.get(key, -1)) == key:
            del tenants[rows[key]]
    return [rows[key] for key, _ in step.storages if key in rows]


def _renamed(
    state: State,
    rows: Mapping[int, int],
    tensors: dict[int, TensorFacts],
    named: dict[int, dict[int, tuple[str, ...]]],
) -> list[int]:
    """The rows of the storages whose tensors, or their names, changed in this step; updates `tensors` and `named`."""
    touched: list[int] = []
    for key in (*(key for key, _ in state.step.tensors), *state.awaited):
        before, tensor, called = tensors.pop(key, None), state.tensors.get(key), state.called(key)
        if before is not None:
            named[before.storage].pop(key, None)
            touched.append(before.storage)
        if tensor is not None:
            tensors[key] = tensor
            named.setdefault(tensor.storage, {})[key] = called.shown if called.names else ()
            touched.append(tensor.storage)
    return [rows[storage] for storage in touched if storage in rows]


def _said(tenant: int | None, named: Mapping[int, Mapping[int, tuple[str, ...]]]) -> str:
    if tenant is None:
        return ""
    of_tensors = named.get(tenant, {})
    names = ", ".join(name for key in sorted(of_tensors) for name in of_tensors[key])
    label = f"{storage_label(tenant)} "
    room = LEFT - 22 - width_of(label)
    # The end of `model.2.bias.grad` says most; of several names, the first one.
    return (label + (shortened(names, room) if ", " in names else abridged(names, room, end=2))).rstrip()
