"""Labels storages, tensors, grad nodes, saved tensors and edges, for sentences, pictures, tables and questions.

A tensor is called by its names, by those that the running line will bind (`recording.Called`), or by its number.

A derivative names its saved tensors after its parameters: "x", "y", "out". The program often uses the same names for other
tensors. So a saved tensor is called by the name that the program's tensor had when it was saved, and its role in the node
("second operand", "result") is given separately, in words that cannot be taken for names. An edge of the graph is labeled in the same
way: its gradient belongs to the value that the node at its end has made, or to a leaf, which had a name when the edge was made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from operator import attrgetter

from inplacelab.language import Text
from inplacelab.place import Place, same_line
from inplacelab.recording import numerals
from inplacelab.recording.facts import NodeFacts, Number, SavedFacts, Step, StorageFacts, TensorFacts
from inplacelab.recording.places import bare_name, names_at, said_call, said_line
from inplacelab.recording.recording import Recording, State, coming
from inplacelab.recording.relations import made
from inplacelab.recording.source_tree import line_text

LEAST_RANGE = 9
"""So many successive items of one list of the program, or storages, are named by the first and the last: "`xs[0]` to `xs[9]`"."""


def listing(items: Sequence[Text]) -> Text:
    """Joins items as "`a`, `b` and `c`", all of them; of many successive items of a list, or storages, only the first and the last are written.

    >>> print(listing([Text(name, name) for name in ("`a`", *(f"`xs[{k}]`" for k in range(12)))]).en)
    `a` and `xs[0]` to `xs[11]`
    >>> print(listing([Text(f"S{k}", f"S{k}") for k in (1, *range(3, 15))]).zh)
    S1 和 S3 至 S14
    """
    *firsts, last = _in_ranges(items)
    if not firsts:
        return last
    en, zh = ", ".join(item.en for item in firsts), "、".join(item.zh for item in firsts)
    return Text(f"{en} and {last.en}", f"{zh} 和 {last.zh}")


def _in_ranges(items: Sequence[Text]) -> list[Text]:
    """Returns the items with many successive ones of a list as one."""
    shown: list[Text] = []
    runs = groupby(enumerate(items), key=lambda each: _family(each[1], each[0]))
    for family, run in runs:
        members = [item for _, item in run]
        if family is None or len(members) < LEAST_RANGE:
            shown += members
        else:
            shown.append(Text("{0} to {1}", "{0} 至 {1}").format(members[0], members[-1]))
    return shown


_NUMBERED = re.compile(r"(`[^`]+\[|S)(\d+)(\]`|)")


def _family(item: Text, place: int) -> tuple[str, ...] | None:
    """Returns what successive items of a list have in common; None for an item of no list."""
    found = _NUMBERED.fullmatch(item.en) if item.en == item.zh else None
    return None if found is None else (found[1], str(int(found[2]) - place))


# --- labels ------------------------------------------------------------------------------------------------------------


def storage_label(storage: int) -> str:
    """Returns the label of a storage: `S` and the serial number, "S1"."""
    return f"S{storage}"


def tensor_label(tensor: TensorFacts, names: tuple[str, ...] | None = None) -> Text:
    """Returns the learner's names for a tensor object, or `T` and the serial number if it has none.

    Args:
        tensor: the tensor.
        names: the names to use; by default those that it has at this step.
    """
    called = tensor.names if names is None else names
    if not called:
        return TEMPORARY.format(tensor.id)
    gradients = [name for name in called if name.endswith(GRADIENT)][
        1:
    ]  # one for each name of their owner: one is enough
    first, *others = [name for name in called if name not in gradients]
    if not others:
        return Text("`{0}`", "`{0}`").format(first)
    also = listing([Text(f"`{name}`", f"`{name}`") for name in others])
    return Text("`{0}` (also called {1})", "`{0}`（又名 {1}）").format(first, also)


GRADIENT = ".grad"
"""How the name of a tensor's gradient ends."""


def is_gradient_of(name: str, names: Iterable[str]) -> bool:
    """Whether a name is that of the gradient of one of these: it comes and goes with that one."""
    return name.endswith(GRADIENT) and name.removesuffix(GRADIENT) in names


def label_alone(tensor: TensorFacts) -> Text:
    """Returns the same for after a noun: "the leaf `T0`"."""
    return tensor_label(tensor, tensor.names or (f"T{tensor.id}",))


TEMPORARY = Text("the temporary `T{0}`", "临时张量 `T{0}`")
"""What a tensor without a name is called, by its number."""


def is_constant(storage: StorageFacts) -> bool:
    """Whether a storage holds a constant, such as the 2 of `x ** 2`: no tensor of the program owns it, and its bytes are not counted."""
    return storage.slots > 0 and not storage.bytes


def number_label(number: Number) -> str:
    """Returns a value in three significant digits: "0.333", "True"."""
    return numerals.number(number)


def node_label(state: State, node: NodeFacts, here: Place | None = None) -> Text:
    """Returns a grad node's name and the line that made it, with its number and the call that led there only if name and line are not unique.

    Args:
        state: a state in which the node is alive; it decides whether the label is unique.
        node: the node.
        here: the place that the text is about, whose line is not repeated.
    """
    name = f"`{node.name}` #{node.id}" if state.has_namesake(node) else f"`{node.name}`"
    if node.place is None or same_line(node.place, here):
        return Text(name, name)
    said = said_call if state.was_called_elsewhere(node) else said_line
    return Text("{0} ({1})", "{0}（{1}）").format(name, said(state.sources, node.place, here or state.step.place))


# --- saved tensors -----------------------------------------------------------------------------------------------------

RESULT = "out"
"""What a derivative calls the result of its operation."""

_POSITIONS = {
    "x": 0, "y": 1, "self": 0, "other": 1, "mat": 1, "vec": -1, "mat1": 1, "mat2": -1, "batch1": 1, "batch2": -1,
    "vec1": 1, "vec2": -1, "tensor1": 1, "tensor2": -1,
}  # fmt: skip
"""For parameters whose names say nothing to a reader: the position of the operand, which is shown instead. It also decides where several operands look
alike, such as a tensor and its `detach()`.
"""
_OF_ENGINE = ("x", "y")
_INNER = re.compile(r"result\d")
"""What PyTorch calls further results of an operation, which the program may not get."""

PARAMETERS = {"linear": ("input", "weight", "bias")}
"""What the documentation calls the operands of operations that another operation computes, whose derivative has other names for them."""


def says_nothing(role: str) -> bool:
    """Returns whether what a derivative calls a saved tensor is known from PyTorch's source only."""
    return (role in _POSITIONS and role not in _OF_ENGINE) or _INNER.fullmatch(role) is not None


ORDINALS = (Text("first", "第一个"), Text("second", "第二个"), Text("third", "第三个"))
"""Which operand it is, by its position."""


def operand_of(role: str, op: str, count: int) -> tuple[str, int | None]:
    """Returns what the documentation calls an operand, and its position, where what a derivative calls it says nothing: ("", None) for the only one.

    Args:
        role: what the derivative calls it.
        op: the operation as the program called it.
        count: how many tensors it was given; 0 if that is not known.

    >>> operand_of("mat2", "linear", 3), operand_of("mat2", "mm", 2), operand_of("self", "tanh", 1), operand_of("index", "gather", 2)
    (('weight', None), ('', 1), ('', None), ('index', None))
    """
    if not says_nothing(role):
        return role, None
    position = _POSITIONS.get(role)
    if position is not None and op in PARAMETERS:
        return PARAMETERS[op][position < 0], None
    return "", None if position is None or count < 2 or position >= count else position % count


@dataclass(frozen=True, slots=True)
class Kept:
    """The tensor of the program whose value a node has saved, as it was then.

    Attributes:
        role: what the operation's documentation calls it, or else the derivative; "" if that name says nothing.
        tensor: the tensor, by number; None if it was freed immediately, or is unknown.
        name: the learner's name for it when its line was done; "" if it had none.
        made_by: for a tensor without a name, the operation that made it, and its place.
        alone: whether the operation had only one operand, so that texts need not say which it is.
        step: the step that made the node; None if the node is older than the recording.
        place: the operand's position, counted from 0, if the derivative calls it only "x" or "y"; None if it has a better name
            for it, or if the position is unknown.
    """

    role: str
    tensor: int | None
    name: str
    made_by: tuple[str, Place | None] | None
    alone: bool
    step: int | None
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Naming:
    """What a saved value is called.

    Attributes:
        value: as the object of a sentence: "`a`", "its result `y`", "a copy of `x`".
        role: its role in the node: "as its second operand"; None if that is clear without words.
        short: both, in short: "`a` (operand 2)".
        brief: without the role: "`a`".
        saved: the saved tensors with this name: a node may save one tensor as several operands.
    """

    value: Text
    role: Text | None
    short: Text
    brief: Text
    saved: tuple[SavedFacts, ...]

    def phrase(self, detail: Text | None = None) -> Text:
        """Returns the value with its role and a detail in brackets: "`a` (as its second operand, S1 at version 0)"."""
        return _bracketed(self.value, [each for each in (self.role, detail) if each is not None])


def kept_values(recording: Recording) -> Mapping[tuple[int, str], Kept]:
    """Returns the tensor behind each saved value, by node and by the derivative's name for it."""
    return recording.once(all_kept)


def all_kept(recording: Recording) -> dict[tuple[int, str], Kept]:
    """Works it out: see `kept_values`."""
    found: dict[tuple[int, str], Kept] = {}
    for step in recording.steps:
        for number, node in step.nodes:
            for saved in node.saved if node is not None else ():
                if (number, saved.name) not in found:
                    found[number, saved.name] = _whose(recording, step, number, saved)
    return found


def _whose(recording: Recording, step: Step, node: int, saved: SavedFacts) -> Kept:
    state = recording.state(step.index)
    if step.kept != node:  # the node is older than the recording, or first seen in backward
        tensor = next(_alike(state.tensors.values(), saved), None)
        role = "" if says_nothing(saved.name) else saved.name
        return Kept(role, *_called(recording, tensor, state, step.place), alone=False, step=None)
    if saved.name == RESULT:
        # In `y = a.exp().relu_()` it is `y` from the beginning.
        names = () if step.output is None else state.called(step.output).names
        name = name_on_line(recording, step.place, names)
        return Kept(RESULT, step.output, name, None, alone=True, step=step.index)
    before = recording.state(step.index - 1) if step.index else state
    operands = [
        tensor for key in step.inputs if (tensor := before.tensors.get(key) or state.tensors.get(key)) is not None
    ]
    tensor = _operand(step, operands, saved)
    alone = len(step.inputs) < 2
    place = _place(step, [each.id for each in operands], saved.name, tensor)
    there = before if tensor is not None and tensor.id in before.tensors else state
    role, parameters = saved.name, PARAMETERS.get(step.op or "", ())
    if place is not None and place < len(parameters):
        role, place = parameters[place], None
    elif place is None:
        role = operand_of(role, step.op or "", 0)[0]
    return Kept(role, *_called(recording, tensor, there, step.place), alone=alone, step=step.index, place=place)


def _place(step: Step, known: Sequence[int], role: str, tensor: TensorFacts | None) -> int | None:
    position = _POSITIONS.get(role)
    if position is None or position >= len(step.inputs) or not step.inputs:
        return None
    position %= len(step.inputs)
    there = step.inputs[position]
    if tensor is None:  # a number, for example: an operand that is not a tensor of the program
        return position if there not in known else None
    place = position if there == tensor.id else step.inputs.index(tensor.id)
    return place if place < len(ORDINALS) else None


def _operand(step: Step, operands: Sequence[TensorFacts], saved: SavedFacts) -> TensorFacts | None:
    """Finds the operand that was saved: the one with the layout of the saved value; for a copy, one that was overwritten."""
    if saved.copy:
        written = {write.storage for write in step.writes}
        fitting = [each for each in operands if each.storage in written]
        fitting = [each for each in fitting if each.shape == saved.shape] or fitting
    else:
        fitting = list(_alike(operands, saved))
        sharing = [each for each in operands if each.storage == saved.storage]
        if not fitting and len(sharing) == 1:  # a layer keeps a transposed view of its weight, for example
            fitting = sharing
    position = _POSITIONS.get(saved.name, 0)
    if position < len(operands) and operands[position] in fitting:
        return operands[position]
    return fitting[0] if fitting else None


def _alike(tensors: Iterable[TensorFacts], saved: SavedFacts) -> Iterator[TensorFacts]:
    place = (saved.storage, saved.shape, saved.strides, saved.offset)
    return (each for each in tensors if (each.storage, each.shape, each.strides, each.offset) == place)


def _called(
    recording: Recording, tensor: TensorFacts | None, state: State, place: Place | None
) -> tuple[int | None, str, tuple[str, Place | None] | None]:
    """Returns a tensor, its name on the line of `place`, and for a tensor without a name, what made it."""
    if tensor is None:
        return None, "", None
    name = name_on_line(recording, place, state.called(tensor.id).names)
    return tensor.id, name, None if name else _maker(recording, tensor.id, place)


def name_on_line(recording: Recording, place: Place | None, names: Sequence[str], *, or_first: bool = True) -> str:
    """Returns the one of a tensor's names that occurs on the line of a place; if none does, the first (`or_first`) or ""."""
    text = line_text(recording, place)
    words = ((name, word) for name in names for word in names_at((name,), place))
    return next((name for name, word in words if _occurs_in(word, text)), names[0] if names and or_first else "")


def _occurs_in(word: str, text: str) -> bool:
    return bool(word) and re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", text) is not None


def _maker(recording: Recording, tensor: int, here: Place | None) -> tuple[str, Place | None] | None:
    """Returns the operation that made a tensor, as the program wrote it, and its place; None for an expression such as `x[0]` on the line of `here`."""
    how = made(recording).get(tensor)
    if how is None or how.how != "made":
        return None
    return how.op, None if is_expression(how.op) and same_line(how.place, here) else how.place


def is_expression(op: str) -> bool:
    """Returns whether an operation is written as the expression for its result.

    >>> [is_expression(op) for op in ("x[0]", "x * 2", "*", "exp", "nn.relu")]
    [True, True, False, False, False]
    """
    return re.search(r"\w", op) is not None and re.fullmatch(r"[\w.]+", op) is None


def naming(recording: Recording, state: State, node: int, *saved: SavedFacts) -> Naming:
    """Returns what one saved value is called after a step (see `namings`), kept as one operand or as several."""
    return namings(recording, state, node, saved)[0]


def namings(
    recording: Recording, state: State, node: int, many: Sequence[SavedFacts], shown: Callable[[str], str] = str
) -> list[Naming]:
    """Returns what the saved values of a node are called, each value once, in order.

    Args:
        recording: the recording.
        state: the state after the step that the text is about. A name that is bound to another tensor by then is marked as
            the former name.
        node: the node that saved them.
        many: the saved tensors.
        shown: how to write a name in the short form.
    """
    whose = kept_values(recording)
    groups: dict[tuple[object, ...], list[tuple[SavedFacts, Kept]]] = {}
    for saved in many:
        kept = whose.get((node, saved.name)) or Kept(saved.name, None, "", None, alone=False, step=None)
        groups.setdefault((kept.role == RESULT, _origin(kept), _value(saved)), []).append((saved, kept))
    return [_naming(state, group, shown) for group in groups.values()]


_origin = attrgetter("tensor", "name", "made_by", "alone", "step")
_value = attrgetter(*(each.name for each in fields(SavedFacts) if each.name != "name"))
"""A saved value without what the node calls it."""


def _naming(state: State, group: Sequence[tuple[SavedFacts, Kept]], shown: Callable[[str], str]) -> Naming:
    saved, kept = group[0]
    result, brief = kept.role == RESULT, _brief(state, kept, saved, shown)
    is_code = kept.name or (kept.made_by is not None and kept.made_by[1] is None and is_expression(kept.made_by[0]))
    whole = brief if is_code and not _is_former(state, kept) else Text("the {0}", "{0}").format(brief)
    if result:
        whole = _its_result(state, kept, whole)
    if saved.copy and kept.tensor is not None:
        whole = Text("a copy of {0}", "{0} 的副本").format(whole)
    roles = [] if result or (kept.alone and kept.tensor is not None) else _said_roles([each for _, each in group])
    short = ([Text("result", "结果")] if result and kept.name else []) + ([_role(roles)] if roles else [])
    short += [Text("own copy", "副本")] if saved.copy else []
    short += [Text("inferred", "推断")] if saved.inferred else []
    return Naming(
        whole, _as(roles) if roles else None, _bracketed(brief, short), brief, tuple(each for each, _ in group)
    )


def _brief(state: State, kept: Kept, saved: SavedFacts, shown: Callable[[str], str]) -> Text:
    if kept.name:
        pattern = Text("former `{0}`", "原来的 `{0}`") if _is_former(state, kept) else Text("`{0}`", "`{0}`")
        return pattern.format(shown(coming(kept.name) if _is_coming(state, kept) else kept.name))
    if kept.role == RESULT:
        return Text("result", "结果")
    if kept.made_by is None:
        return _constant(state, saved) or Text("value of {0}", "{0} 的值").format(storage_label(saved.storage))
    op, place = kept.made_by
    if place is None and is_expression(op):
        return Text("`{0}`", "`{0}`").format(op)
    if place is None:
        return Text("result of `{0}`", "`{0}` 的结果").format(op)
    return Text("result of `{0}` in {1}", "{1} `{0}` 的结果").format(
        op, said_line(state.sources, place, state.step.place)
    )


def _constant(state: State, saved: SavedFacts) -> Text | None:
    """Returns the label of a constant, such as the 2 of `x ** 2`."""
    storage = state.storages.get(saved.storage)
    if storage is None or not is_constant(storage) or not isinstance(storage.values, tuple) or len(storage.values) != 1:
        return None
    return Text("constant {0}", "常数 {0}").format(number_label(storage.values[0]))


def _is_former(state: State, kept: Kept) -> bool:
    """Whether the name that a tensor had is bound to another tensor now."""
    return bool(kept.name) and state.bound(kept.name) not in (None, kept.tensor) and not _is_coming(state, kept)


def _is_coming(state: State, kept: Kept) -> bool:
    """Whether the running line has yet to bind the tensor's name, which may be bound to another tensor until then."""
    return kept.tensor is not None and state.called(kept.tensor).awaits(kept.name)


def _its_result(state: State, kept: Kept, whole: Text) -> Text:
    if not kept.name:
        return Text("its result", "它的结果")
    former = _is_former(state, kept)
    return Text(*(("its result, {0}", "它的结果（{0}）") if former else ("its result {0}", "它的结果 {0}"))).format(
        whole
    )


def _said_roles(group: Sequence[Kept]) -> list[Kept]:
    """Returns the roles that say more than the names: the weight of a layer is not called "`net.weight` (operand `weight`)"."""
    return [
        each
        for each in group
        if each.role and (each.place is not None or bare_name(each.name).rpartition(".")[2] != each.role)
    ]


def _as(roles: Sequence[Kept]) -> Text:
    """Returns a value's role in the node, for a sentence."""
    many = len(roles) > 1
    if places := _places(roles):
        pattern = Text("as its {0} operands" if many else "as its {0} operand", "作为{0}操作数")
        return pattern.format(_joined([ORDINALS[place] for place in places], ""))
    names = [each.role for each in roles]
    if not all(map(str.isidentifier, names)):  # `saved_tensor()[0]` of a `PyLayer`
        return Text("as {0}", "即 {0}").format(_listed(names))
    return Text("as its operands {0}" if many else "as its operand {0}", "作为操作数 {0}").format(_listed(names))


def _role(roles: Sequence[Kept]) -> Text:
    """Returns a value's role in the node, for a picture."""
    pattern = Text("operands {0}" if len(roles) > 1 else "operand {0}", "操作数 {0}")
    if places := _places(roles):
        return pattern.format(_joined([Text(str(place + 1), str(place + 1)) for place in places]))
    names = [each.role for each in roles]
    return pattern.format(_listed(names)) if all(map(str.isidentifier, names)) else _listed(names)


def _places(roles: Sequence[Kept]) -> list[int]:
    """Returns the operands' positions in order; empty if a position is unknown or a role has a name."""
    found = sorted(each.place for each in roles if each.place is not None)
    return found if len(found) == len(roles) else []


def _listed(roles: Sequence[str]) -> Text:
    quoted = [f"`{role}`" for role in roles]
    return _joined([Text(each, each) for each in quoted])


def _joined(words: Sequence[Text], space: str = " ") -> Text:
    return Text(" and ".join(each.en for each in words), f"{space}和{space}".join(each.zh for each in words))


def _bracketed(value: Text, inside: Sequence[Text]) -> Text:
    """Returns the value with further texts in brackets."""
    if not inside:
        return value
    places = [f"{{{place}}}" for place in range(1, len(inside) + 1)]
    return Text(f"{{0}} ({', '.join(places)})", f"{{0}}（{'，'.join(places)}）").format(value, *inside)


@dataclass(frozen=True, slots=True)
class Passed:
    """The tensor whose gradient flows along an edge, by number, and the learner's name for it."""

    tensor: int
    name: str

    def is_coming(self, state: State) -> bool:
        """Whether the running line has yet to bind the name."""
        return state.called(self.tensor).awaits(self.name)


def edge_names(recording: Recording) -> Mapping[tuple[int, int], Passed]:
    """Returns the learner's name for the value whose gradient flows along each edge.

    Returns:
        By the numbers of the edge's two nodes; values without a name are left out.
    """
    return recording.once(_edge_names)


def _edge_names(recording: Recording) -> dict[tuple[int, int], Passed]:
    found: dict[tuple[int, int], Passed] = {}
    places = _Places()
    met: set[int] = set()
    before: State | None = None
    for state in recording.states():
        step = state.step
        fresh = [(key, node) for key, node in step.nodes if node is not None and key not in met]
        met.update(key for key, _ in fresh)
        ways = [(key, edge.to) for key, node in fresh for edge in node.edges]
        names = [None if before is None else places.passed(recording, before, step, to) for _, to in ways]
        places.follow(step)
        for way, known in zip(
            ways, names, strict=True
        ):  # a tensor without a name before the step may have one after it
            passed = known or places.passed(recording, state, step, way[1])
            if passed:
                found.setdefault(way, passed)
        before = state
    return found


class _Places:
    """Tracks from step to step which node made which tensors, and which leaf a node accumulates into."""

    def __init__(self) -> None:
        self._tensors: dict[int, TensorFacts] = {}
        self._at: dict[int, dict[int, None]] = {}  # from a node to the tensors that it has made
        self._leaves: dict[int, int] = {}  # from an accumulation node to its leaf

    def follow(self, step: Step) -> None:
        """Applies the changes of a step."""
        for key, tensor in step.tensors:
            before = self._tensors.pop(key, None)
            if before is not None and before.node is not None:
                del self._at[before.node][key]
            if tensor is not None:
                self._tensors[key] = tensor
                if tensor.node is not None:
                    self._at.setdefault(tensor.node, {})[key] = None
        for key, node in step.nodes:
            self._note_leaf(key, node)

    def _note_leaf(self, key: int, node: NodeFacts | None) -> None:
        if node is not None and node.leaf is not None:
            self._leaves[key] = node.leaf

    def passed(self, recording: Recording, state: State, step: Step, node: int) -> Passed | None:
        """Returns the name, on the line of a step, of the value that a node has made, operands first; None if it has none."""
        leaf = self._leaves.get(node)
        keys = [*self._at.get(node, ())] if leaf is None else [leaf]
        keys.sort(key=lambda key: (key not in step.inputs, key))
        called = (state.called(key) for key in keys if key in self._tensors)
        return next(
            (Passed(each.tensor, name_on_line(recording, step.place, each.names)) for each in called if each.names),
            None,
        )
