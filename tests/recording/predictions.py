"""Computes the right answers in a second way: by comparing the states before and after, element by element."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product

import numpy as np

from inplacelab.recording import NodeFacts, Recording, State, TensorFacts
from inplacelab.recording.naming import Kept, kept_values
from inplacelab.recording.queries import visible_values
from inplacelab.recording.quiz import Question

NEW = "in a new storage"


def expected(recording: Recording, question: Question) -> set[str]:
    """Returns the English options that are right."""
    before, after = recording.state(question.step - 1), recording.state(question.step)
    return _LOOKS[question.kind](recording, question, before, after)


def chosen(question: Question) -> set[str]:
    """Returns the English options that the question marks as right."""
    return {question.options[position].en for position in question.right}


def _first_name(option: str) -> str:
    return option.split("`")[1]


def _seen(state: State, tensor: TensorFacts) -> list[str] | None:
    """The elements as they are shown: both zeros alike, nan as itself."""
    values = state.storages[tensor.storage].values
    if not isinstance(values, tuple):
        return None
    if tensor.dtype != state.storages[tensor.storage].dtype:  # its elements are other bytes than the storage's slots
        shown = visible_values(state, tensor)
        return None if shown is None else [repr(each + 0) for each in shown]
    places = product(*(range(size) for size in tensor.shape))
    slots = [tensor.offset + sum(i * s for i, s in zip(place, tensor.strides, strict=True)) for place in places]
    return [repr(values[slot] + 0) for slot in slots]


def _values(_: Recording, question: Question, before: State, after: State) -> set[str]:
    right = set()
    for option in question.options:
        was = before.tensor(_first_name(option.en))
        old, new = _seen(before, was), _seen(after, after.tensors[was.id])
        assert old is not None, "nothing may be asked of values that were not recorded"
        assert new is not None
        if old != new:
            right.add(option.en)
    return right


def _version(_: Recording, question: Question, before: State, after: State) -> set[str]:
    found = re.search(r"S(\d+)", question.ask.en)
    assert found
    assert int(found[1]) in before.storages
    return {*(f"v{version}" for version in after.versions(int(found[1])))}


def _shares(_: Recording, question: Question, before: State, after: State) -> set[str]:
    output = after.step.output
    assert output is not None
    storage = after.tensors[output].storage
    if storage not in before.storages:
        return {NEW}
    return {option.en for option in question.options if re.match(rf"in S{storage}\b", option.en)}


def _live(_: Recording, question: Question, before: State, after: State) -> set[str]:
    assert f"{before.step.live:,}" in question.ask.en
    return {option.en for option in question.options if option.en.split()[0] == f"{after.step.live:,}"}


def _stale(recording: Recording, question: Question, before: State, after: State) -> set[str]:
    """Finds saved tensors that each earlier node would find stale now."""
    lost = set()
    for key, node in before.nodes.items():
        now = after.nodes.get(key)
        if now is None or now.released:
            continue
        for was, saved in zip(node.saved, now.saved, strict=True):
            fresh = was.counter in before.counters and before.version(was) == was.version
            if fresh and saved.counter in after.counters and after.version(saved) != saved.version:
                lost.add((key, saved.name))
    if not lost:
        return {"none of them"}
    options = {option.en for option in question.options}
    whose = kept_values(recording)
    return {
        each for each in options if any(_names(each, whose[lot]) and _is(each, before.nodes[lot[0]]) for lot in lost)
    }


def _names(option: str, kept: Kept) -> bool:
    """Whether an option names a node's saved tensor with this role; a single operand has no role."""
    if kept.role == "out" or "its result" in option:
        return kept.role == "out" and "its result" in option
    if "as its " not in option:
        return True
    word = f"`{kept.role}`" if kept.place is None else ("first", "second", "third")[kept.place]
    return re.search(rf"as its [^()]*(?<!\w){word}", option) is not None


def _is(option: str, node: NodeFacts) -> bool:
    """Whether an option names a node: by its class and line, and by its number if these are not unique."""
    by_line = node.line is None or re.search(rf"\(line {node.line}(?: of [^)]+)?\)", option) is not None
    return f"`{node.name}`" in option and by_line and ("#" not in option or f"#{node.id} " in option)


def _raises(recording: Recording, question: Question, before: State, after: State) -> set[str]:
    if after.step.backward is None:
        if after.step.error is None:
            return {"it runs"}
        written = any(
            old[key] != new[key]
            for old, new in ((before.storages, after.storages), (before.counters, after.counters))
            for key in old.keys() & new.keys()
        )
        return {"it raises an error after it has written" if written else "it is refused, and nothing has been written"}
    for step in recording.steps[question.step :]:
        if step.error is not None:
            assert step.error.node is not None
            failed = before.nodes[step.error.node]
            return {each.en for each in question.options if each.en.startswith("yes") and _is(each.en, failed)}
        if step.backward is not None and step.backward.action == "end":
            return {"no, it runs to its end"}
    raise AssertionError("nothing may be asked of a backward pass whose end was not recorded")


def _node(_: Recording, question: Question, before: State, after: State) -> set[str]:
    was = before.tensor(_first_name(question.ask.en))
    now = after.tensors[was.id].node
    if now == was.node:
        return {option.en for option in question.options if option.en.endswith("as now")}
    assert now is not None
    assert now not in before.nodes
    return {f"a new `{after.nodes[now].name}`"}


def _element(state: State, option: str) -> tuple[TensorFacts, int]:
    """The tensor and the number of the element that an option names."""
    found = re.fullmatch(r"`(.+?)\[([\d, ]+)\]`", option)
    assert found
    tensor, number = state.tensor(found[1]), 0
    for size, index in zip(tensor.shape, map(int, found[2].split(",")), strict=True):
        number = number * size + index
    return tensor, number


def _origins(_: Recording, question: Question, before: State, after: State) -> set[str]:
    """Of a copy the elements with the value of the result, of a sum those that add up to it; a product is not looked into."""
    step = after.step
    assert step.output is not None
    result = after.tensors[step.output]
    shown, right = visible_values(after, result), chosen(question)
    assert shown is not None
    value = shown[len(shown) // 2]
    values = {
        option.en: (visible_values(before, tensor) or ())[number]
        for option in question.options
        for tensor, number in [_element(before, option.en)]
    }
    if step.op in ("sum", "cumsum"):
        assert np.isclose(sum(values[each] for each in right), value, rtol=0, atol=1e-4, equal_nan=True)
    elif step.op in ("getitem", "gather") or (step.op == "setitem" and len(step.inputs) > 1):
        # A write converts to the dtype of what it writes to.
        copied = np.array([values[each] for each in right]).astype(type(value))
        assert np.array_equal(copied, [value] * len(right), equal_nan=True)
    return right


def _reaches(recording: Recording, question: Question, before: State, after: State) -> set[str]:
    """The elements whose gradient is zero when the node of the leaf runs."""
    for step in recording.steps[question.step :]:
        moment = step.backward
        node = None if moment is None or moment.node is None else recording.state(step.index).nodes.get(moment.node)
        if moment is None or moment.action != "run" or node is None or node.leaf is None or moment.gradient is None:
            continue
        elements = {option.en: _element(before, option.en) for option in question.options}
        if all(tensor.id == node.leaf for tensor, _ in elements.values()):
            return {option for option, (_, number) in elements.items() if moment.gradient[number] == 0}
    raise AssertionError("nothing may be asked of a leaf that receives no gradient")


_LOOKS: dict[str, Callable[[Recording, Question, State, State], set[str]]] = {
    "values": _values,
    "version": _version,
    "shares": _shares,
    "bytes": _live,
    "stale": _stale,
    "raises": _raises,
    "node": _node,
    "origins": _origins,
    "reaches": _reaches,
}
