"""Records existing tensors as they are now: who is on whose storage, and what the graph behind them has saved. No program runs for it.

Tensors are found in lists, tuples and dictionaries, also in each other, and in modules and optimizers. The framework's recorder then
describes them (`Recorder.look`), and the recording has a single step, of kind "look".

`names_of` reads in the source of the line that runs what the program wrote as the arguments of a call: `show(x, net.weight)`.
`shares_storage` tells whether two existing tensors share a storage, whatever framework they belong to.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice
from types import FrameType
from typing import Any

from inplacelab.language import Text
from inplacelab.recorders import builder, events
from inplacelab.recorders.bindings import LONGEST_KEY, value_of
from inplacelab.recorders.detection import framework_of_object, recorder_of, untested
from inplacelab.recorders.log import EventLog
from inplacelab.recorders.program import Program, scopes_of
from inplacelab.recorders.recorder import Memory, Recorder
from inplacelab.recorders.sources import PARSING
from inplacelab.recorders.static import attributes_of, class_name, first_items, names_in
from inplacelab.recording.recording import Recording
from inplacelab.supported import framework_of, terms_of

__all__ = ["MOST_NODES", "MOST_TENSORS", "Found", "across", "find", "memory_of", "recordings_of", "shares_storage"]


_NO_TENSOR = Text(
    "`shares_storage` compares two tensors or NumPy arrays, and one of the two is of type {0}: pass the tensors themselves.",
    "`shares_storage` 比较两个张量或 NumPy 数组，而其中一个的类型是 {0}：请直接传入张量。",
)


def memory_of(tensor: Any) -> Memory:
    """Returns where the storage of a tensor is.

    Raises:
        TypeError: if it is no tensor of a known framework.
        NoStorageError: if it is one without a storage of its own.
    """
    framework = framework_of_object(tensor)
    recorder = None if framework is None else recorder_of(framework)
    if recorder is None or not issubclass(type(tensor), recorder.watched.tensors):
        raise TypeError(str(_NO_TENSOR.format(class_name(type(tensor)))))
    return recorder.memory_of(recorder.watched.tensor_of(tensor))


def shares_storage(x: Any, y: Any) -> bool:
    """Whether two tensors are on one storage, even if they have no element in common.

    It answers for existing tensors what `inplacelab.recording.queries.shares_storage` answers for tensors of a recording. Tensors of
    two frameworks, such as a PyTorch tensor and its `.numpy()`, share a storage if their storages have memory in common. Nothing is
    read of a tensor but where its storage is.

    Args:
        x: a tensor of this package, of PyTorch or PaddlePaddle, or a NumPy array.
        y: another one.

    Raises:
        TypeError: if one of them is no tensor.
        ValueError: if one of them has no storage of its own, such as a sparse tensor; the message says what to compare instead.

    >>> import inplacelab as paddle
    >>> x = paddle.zeros([4])
    >>> paddle.shares_storage(x[:2], x[2:]), paddle.shares_storage(x, x.clone())
    (True, False)
    """
    one, other = memory_of(x), memory_of(y)
    return x is y or one.is_shared_with(other)


LONGEST = 40
"""A longer argument is no name for what it gives."""


def names_of(frame: FrameType, given: Sequence[Any], keywords: Collection[str]) -> list[str]:
    """Returns a name for each positional argument of the call that a frame is at: its text in the source, or else `x0`, `x1`, or the
    next of these that nothing else in the call is called.

    Args:
        frame: the frame of the program that calls.
        given: the positional arguments.
        keywords: the names of the others.
    """
    written = _arguments(frame, given, keywords) or [""] * len(given)
    named: dict[str, int] = {}
    names = [
        text
        if text and len(text) <= LONGEST and text not in keywords and named.setdefault(text, id(value)) == id(value)
        else ""
        for text, value in zip(written, given, strict=True)
    ]
    taken = {*names, *keywords}
    for place, name in enumerate(names):
        if not name:
            names[place] = next(free for k in count(place) if (free := f"x{k}") not in taken)
            taken.add(names[place])
    return names


def _arguments(frame: FrameType, given: Sequence[Any], keywords: Collection[str]) -> list[str] | None:
    """Returns the texts of the arguments; None if the source cannot be read, or is not that of the call."""
    call = _call(frame)
    if call is None or len(call.args) != len(given) or {each.arg for each in call.keywords} != {*keywords}:
        return None
    names = {**names_in(frame.f_globals), **scopes_of([frame])[0].names}
    for written, value in zip(call.args, given, strict=True):
        found = value_of(written, names)
        if isinstance(written, ast.Starred) or (found is not None and found is not value):  # the file was edited since
            return None
    return [ast.unparse(each) for each in call.args]


def _call(frame: FrameType) -> ast.Call | None:
    place = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    line, end_line, column, end_column = place
    if line is None or end_line is None or column is None or end_column is None:
        return None
    lines = [
        each.encode() for each in linecache.getlines(frame.f_code.co_filename, frame.f_globals)[line - 1 : end_line]
    ]
    if len(lines) != end_line - line + 1:
        return None
    lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    try:
        with PARSING:
            found = ast.parse(b"(" + b"".join(lines) + b")", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return found if isinstance(found, ast.Call) else None


MOST_TENSORS = 64
"""So many tensors are shown."""
MOST_NODES = 100
"""So many grad nodes are shown: those nearest to the tensors."""
_MOST_NAMES = 8
_MOST_OBJECTS = 100_000
"""So many objects are searched for tensors."""

_MORE_TENSORS = Text(
    "These are the first {0} of {1:,} tensors: the other {2:,} were left out. Pass fewer to see them.",
    "这里只显示 {1:,} 个张量中的前 {0} 个，其余 {2:,} 个没有显示。要看到它们，请少传一些张量。",
)
_MORE_NODES = Text(
    "The graph behind these tensors goes on: {0:,} grad nodes further back were left out.",
    "这些张量背后的计算图还有更多内容：更靠前的 {0:,} 个梯度节点没有显示。",
)
_SAVED_NOT_SHOWN = Text(
    "The framework does not show what grad nodes have saved, so that is left out.",
    "该框架不显示梯度节点保存了什么，因此这里没有这部分内容。",
)
_LEFT_OUT = Text("Not shown: {0}.", "没有显示：{0}。")
_SAME_MEMORY = Text(
    "`{0}` and `{1}` share memory, although they belong to two frameworks.",
    "`{0}` 与 `{1}` 共享内存，尽管它们属于两个框架。",
)
_MORE_SHARE = Text("So do {0:,} further pairs.", "另有 {0:,} 对也是如此。")


@dataclass(slots=True)
class Found:
    """The tensors of one framework that were found.

    Attributes:
        recorder: the class that describes them.
        tensors: the tensors, by name: the first `MOST_TENSORS`.
        count: how many there are.
    """

    recorder: type[Recorder]
    tensors: dict[str, Any] = field(default_factory=dict)
    count: int = 0


def find(given: Mapping[str, Any]) -> dict[str, Found]:
    """Finds tensors by the names of what leads to them, and sorts them by framework. It runs no code of the program."""
    found: dict[str, Found] = {}
    known: dict[str, set[int]] = {}
    for name, framework, recorder, tensor in _search(given):
        among, numbers = found.setdefault(framework, Found(recorder)), known.setdefault(framework, set())
        if id(tensor) not in numbers:
            numbers.add(id(tensor))
            among.count += 1
        if among.count <= MOST_TENSORS:
            among.tensors[name] = tensor
    return found


def _search(given: Mapping[str, Any]) -> Iterator[tuple[str, str, type[Recorder], Any]]:
    """Yields each path to a tensor, with the tensor, its framework and the recorder for it.

    Parameters come last that only an optimizer leads to: those that have another name do not get a second, longer one.
    """
    waiting: list[tuple[str, Any]] = list(given.items())[::-1]
    later: list[tuple[str, Any]] = []
    seen: set[int] = set()
    for _ in range(_MOST_OBJECTS):
        is_late = not waiting
        if not waiting and not later:
            return
        name, value = (waiting or later).pop()
        kind, framework = type(value), framework_of_object(value)
        recorder = None if framework is None else recorder_of(framework)
        if framework is not None and recorder is not None and issubclass(kind, recorder.watched.tensors):
            if not (is_late and id(value) in seen):
                yield name, framework, recorder, value
            seen.add(id(value))
        elif id(value) in seen:
            continue
        elif issubclass(kind, dict | list | tuple):
            seen.add(id(value))
            (later if is_late else waiting).extend([*_items(name, value)][::-1])
        elif recorder is not None and issubclass(kind, recorder.watched.holders):
            seen.add(id(value))
            later[:0] = [*_parameters(name, attributes_of(value))][::-1]
            waiting += [*_held(name, value, recorder)][::-1]


def _items(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if issubclass(type(value), dict):
        for place, (key, each) in enumerate(first_items(value, _MOST_OBJECTS)):
            is_short = type(key) in (str, int) and len(str(key)) <= LONGEST_KEY and str(key).isprintable()
            yield f"{name}[{key!r}]" if is_short else f"{name}[key {place}]", each
    else:
        parts = list.__iter__(value) if issubclass(type(value), list) else tuple.__iter__(value)
        yield from ((f"{name}[{place}]", each) for place, each in enumerate(islice(parts, _MOST_OBJECTS)))


def _held(name: str, holder: Any, recorder: type[Recorder]) -> Iterator[tuple[str, Any]]:
    """Yields the tensors of a module or of an optimizer's state, and the attributes that may lead to others."""
    yield from ((f"{name}{path}", each) for path, each in recorder.watched.further(holder, lambda _: ""))
    leads = (recorder.watched.tensors, *recorder.watched.holders, dict, list, tuple)
    inside = attributes_of(holder)
    told = ("state", "param_groups") if "param_groups" in inside else ()  # of an optimizer: told otherwise
    for key, each in first_items(inside, _MOST_OBJECTS):
        if type(key) is str and not key.startswith("_") and key not in told and issubclass(type(each), leads):
            yield f"{name}.{key}", each


def _parameters(name: str, inside: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    """Yields the parameters of an optimizer, given its attributes. Each framework keeps them in another one."""
    if "param_groups" in inside:
        yield f"{name}.param_groups", inside["param_groups"]
    if "_parameter_list" in inside:
        yield f"{name}.parameters", inside["_parameter_list"]
    if "_groups" in inside:
        yield f"{name}.parameters", [each for group in inside["_groups"] for each in group.parameters]


def recordings_of(found: Mapping[str, Found]) -> list[Recording]:
    """Returns a recording of the tensors of each framework, with one step."""
    return [_recorded(each) for each in found.values()]


def _recorded(found: Found) -> Recording:
    log = EventLog()
    recorder = found.recorder(Program("", "", frozenset(found.tensors)), log)
    recorder.look(found.tensors)
    near, left = _nearest(list(log))
    about = Recording(recorder.framework, recorder.version, "", (), ())
    made = builder.build([*near, events.LookedAt()], about)
    shown = {name for _, facts in made.steps[0].tensors if facts is not None for name in facts.names}
    left_out = [name for name in found.tensors if name not in shown]
    notes = [*([_LEFT_OUT.format(_listed(left_out))] if left_out else []), *recorder.guard.notes(1)]
    notes += untested(framework_of(made))
    if found.count > MOST_TENSORS:
        notes.append(_MORE_TENSORS.format(MOST_TENSORS, found.count, found.count - MOST_TENSORS))
    if made.steps[0].nodes and not terms_of(made).shows_saved:
        notes.append(_SAVED_NOT_SHOWN)
    if left:
        notes.append(_MORE_NODES.format(left))
    return replace(made, notes=tuple(notes))


def _listed(names: Sequence[str]) -> str:
    return ", ".join([f"`{name}`" for name in names[:_MOST_NAMES]] + ["…"] * (len(names) > _MOST_NAMES))


def _nearest(log: Sequence[events.Event]) -> tuple[list[events.Event], int]:
    """Leaves out the nodes that are far from the tensors, with storages that only these have saved. Returns how many nodes those are."""
    nodes = {each.node: each for each in log if isinstance(each, events.NodeMade)}
    if len(nodes) <= MOST_NODES:
        return list(log), 0
    roots = [each.node for each in log if isinstance(each, events.TensorMade) and each.node is not None]
    near = set(_breadth_first(roots, nodes))
    made = [
        replace(each, edges=tuple(to if to in near else None for to in each.edges))
        for each in nodes.values()
        if each.node in near
    ]
    used = {each.operand.storage for each in log if isinstance(each, events.TensorMade)}
    used |= {kept.storage for each in made for kept in each.kept}
    kept: list[events.Event] = [
        each
        for each in log
        if not isinstance(each, events.NodeMade)
        and not (isinstance(each, events.StorageSeen | events.CounterSeen) and each.storage not in used)
    ]
    return [*kept, *made], len(nodes) - len(near)


def _breadth_first(roots: Iterable[int], nodes: Mapping[int, events.NodeMade]) -> list[int]:
    found: dict[int, None] = {}
    layer = dict.fromkeys(each for each in roots if each in nodes)
    while layer and len(found) < MOST_NODES:
        found |= dict.fromkeys(list(layer)[: MOST_NODES - len(found)])
        after = (to for each in layer for to in nodes[each].edges if to is not None and to in nodes)
        layer = dict.fromkeys(to for to in after if to not in found)
    return list(found)


def across(found: Mapping[str, Found]) -> list[Text]:
    """Says which tensors of different frameworks share memory."""
    places: list[tuple[str, str, Any]] = []
    for framework, each in found.items():
        for name, tensor in each.tensors.items():
            try:
                places.append((framework, name, memory_of(tensor)))
            except ValueError:  # it has no storage of its own
                continue
    said = [
        _SAME_MEMORY.format(one, other)
        for place, (framework, one, memory) in enumerate(places)
        for another, other, its in places[place + 1 :]
        if another != framework and memory.is_shared_with(its)
    ]
    more = len(said) - _MOST_NAMES
    return said if more <= 0 else [*said[:_MOST_NAMES], _MORE_SHARE.format(more)]
