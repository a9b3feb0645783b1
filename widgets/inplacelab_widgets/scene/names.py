"""Names tensors, nodes and saved tensors for all panels, so that one object never has two names."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from inplacelab.language import Text
from inplacelab.place import Place
from inplacelab.recording.code_of_steps import code_of
from inplacelab.recording.facts import NodeFacts, Number, SavedFacts, Step, StorageFacts, Summary, TensorFacts
from inplacelab.recording.naming import Naming, Passed, namings, node_label
from inplacelab.recording.numerals import in_exponents, number
from inplacelab.recording.places import bare_name, source_label
from inplacelab.recording.recording import Called, Recording, State, coming
from inplacelab.recording.relations import made, related
from inplacelab.recording.slots import Laid
from inplacelab.supported import Terms, terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene.text_layout import Words, abridged, shortened
from inplacelab_widgets.words.player import PLAYER

_INDICES = "ijklmnpq"


def has_sources(recording: Recording) -> bool:
    """Returns whether the program has several texts, so that a line alone says too little."""
    return len(recording.sources) > 1


def source_name(recording: Recording, source: int) -> Text:
    """Returns the name of a text of the program: "gan/model.py" where there are several `model.py`, "cell [3]"; the title of the recording if it has
    none.
    """
    if recording.title and not recording.sources[source].name:
        return Text(*[recording.title] * 2)
    return unquoted(source_label(recording.sources, source))


def line_of(recording: Recording, place: Place) -> Text:
    """Returns the line of a place as a label: "line 12", or in a program of several texts "model.py:12"."""
    if not has_sources(recording):
        return words.LINE.format(line=place.line)
    return Text("{0}:{1}", "{0}:{1}").format(source_name(recording, place.source), place.line)


def said_line(recording: Recording, place: Place) -> Text:
    """Returns the same as a part of a sentence, in Chinese "model.py 第 12 行"."""
    label = line_of(recording, place)
    if not has_sources(recording):
        return label
    return Text(label.en, f"{source_name(recording, place.source).zh} {words.LINE.format(line=place.line).zh}")


def node_name(recording: Recording, state: State, node: NodeFacts) -> Text:
    """Returns the name of a grad node and the line that made it: "MultiplyGradNode (line 3)", "MultiplyGradNode (model.py:3)"."""
    if node.place is None or not has_sources(recording):
        return unquoted(node_label(state, node))
    name = unquoted(
        node_label(state, node, node.place)
    )  # without the place: a picture says it in the same way at every step
    return Text("{0} ({1})", "{0}（{1}）").format(name, line_of(recording, node.place))


def not_yet(recording: Recording, called: Called) -> Text | None:
    """Returns a note of when the tensor gets its name; None for a name that is bound already, and for a temporary."""
    return None if called.place is None else words.NAMED_LATER.format(place=said_line(recording, called.place))


def passed_name(passed: Passed, state: State) -> str:
    """Returns the last part of the name of the tensor that an edge passes on: "weight" of "net.weight"."""
    last = bare_name(passed.name).rpartition(".")[2]
    return coming(last) if passed.is_coming(state) else last


def unquoted(phrase: Text) -> Text:
    """Returns words without the backticks around code, for words in the font of code."""
    return Text(phrase.en.replace("`", ""), phrase.zh.replace("`", ""))


_ROOM_FOR_NAME = 112.0
"""The width at which the name of a saved tensor is cut, in px: its role and version are shown too."""


def kept_names(recording: Recording, state: State, node: int, saved: Sequence[SavedFacts]) -> list[Naming]:
    """Returns the names of a node's saved tensors in a picture."""
    return namings(recording, state, node, saved, lambda name: abridged(name, _ROOM_FOR_NAME))


def authors_of(recording: Recording, step: Step) -> tuple[Text, Text]:
    """Returns what made a change: "line 5 scale_", "line 6 x[0] = 5.", or backward if no operation of the program did; and the same without
    the word "line".
    """
    did = words.IN_BACKWARD if step.phase == "backward" else Text("", "")
    if step.op:
        did = Text(*[code_of(recording, step)] * 2)
    if step.place is None:
        return Text("{0}", "{0}").format(did), did
    full = Text("{0} {1}", "{0} {1}").format(line_of(recording, step.place), did)
    return full, full if has_sources(recording) else Text(*[f"{step.line} "] * 2) + did


def player_words(framework: Terms) -> dict[str, Text]:
    """Returns the words of the player in the terms of a framework."""
    adapted = {key: framework.in_framework_words(phrase) for key, phrase in PLAYER.items()}
    adapted |= {"lanes": framework.versions, "history": framework.versions_and_bytes}
    return adapted if framework.has_gradients else adapted | {"forward": Text("", "")}  # there is only one phase


def kind(recording: Recording, tensor: TensorFacts, state: State, room: float = inf) -> Words | None:
    """Returns the kind of a tensor: leaf, gradient of a tensor, view of one, by way of another, or what it shares its storage with. A
    name wider than `room` px is cut.
    """
    owner = state.owner_of_gradient(tensor.id)
    if owner is not None:
        return words.GRADIENT_OF.format(tensor=shortened(state.called(owner).first, room))
    found = related(recording, state, tensor, lambda key: shortened(state.called(key).first, room))
    if found is not None:
        return found
    return words.LEAF if tensor.leaf and terms_of(recording).has_gradients else None


def maker(recording: Recording, tensor: int, room: float = inf) -> Text:
    """Returns the line that made a tensor and what it did: "made by line 5 detach". An operation wider than `room` px is cut."""
    how = made(recording)[tensor]
    op = shortened(how.call, room)
    if how.place is None:
        return words.MADE_SOMEWHERE[how.how].format(op=op)
    return words.MADE[how.how].format(place=said_line(recording, how.place), op=op)


def origin(recording: Recording, tensor: int, room: float = inf) -> Text:
    """Returns the line that made a tensor and what it did, in short: "line 5  target.detach()"; without an operation as `maker` does."""
    how = made(recording)[tensor]
    if how.how != "made" or how.place is None:
        return maker(recording, tensor, room)
    return Text("{0}  {1}", "{0}  {1}").format(line_of(recording, how.place), shortened(how.call, room))


def dimensions(sizes: tuple[int, ...]) -> str:
    """Returns sizes as "[2, 4]"."""
    return "[" + ", ".join(map(str, sizes)) + "]"


def layout_words(layout: Laid) -> Text:
    """Returns the metadata in words: "shape [2, 3]  strides [4, 2]  offset 1"."""
    facts = (
        (words.SHAPE, dimensions(layout.shape)),
        (words.STRIDES, dimensions(layout.strides)),
        (words.OFFSET, layout.offset),
    )
    return Text("{0} {1}  {2} {3}  {4} {5}", "{0} {1}  {2} {3}  {4} {5}").format(
        *(each for pair in facts for each in pair)
    )


def formula(layout: Laid) -> Text:
    """Returns the formula for the slot of element (i, j, ...): "slot = 1 + 4·i + 2·j", without axes that do not matter."""
    terms = "".join(
        f" {'+' if stride > 0 else '−'} {abs(stride)}·{axis_letter(axis)}"
        for axis, (size, stride) in enumerate(zip(layout.shape, layout.strides, strict=True))
        if size > 1 and stride
    )
    return words.FORMULA.format(terms=f"{layout.offset}{terms}")


def hop(layout: Laid, axis: int) -> str:
    """Returns the distance to the next element along an axis, in slots: "+4", "−1"; "×3" where three elements share one slot."""
    size, stride = layout.shape[axis], layout.strides[axis]
    if size < 2:
        return ""
    return f"×{size}" if stride == 0 else f"{'+' if stride > 0 else '−'}{abs(stride)}"


def axis_letter(axis: int) -> str:
    """Returns the letter of the index along an axis: i, j, k, ..."""
    return _INDICES[axis] if axis < len(_INDICES) else f"i{axis}"


def extremes(storage: StorageFacts) -> Text:
    """Returns the smallest and the largest value of a storage, if they were recorded."""
    values = storage.values
    if isinstance(values, Summary):
        if values.minimum is None or values.maximum is None:
            return words.RANGE_NOT_MEASURED
        ends: Sequence[Number] = (values.minimum, values.maximum)
    else:
        real = [value for value in values or () if not isinstance(value, complex)]
        if not real:
            return words.NOT_RECORDED
        ends = min(real), max(real)
    minimum, maximum = (number(end, exponent=in_exponents(ends)) for end in ends)
    return words.RANGE.format(minimum=minimum, maximum=maximum)
