"""What things are called in every panel, so that one thing never has two names."""

from __future__ import annotations

from collections.abc import Mapping

from inplacelab.language import Text
from inplacelab.recording.facts import NodeFacts, Step, TensorFacts
from inplacelab_widgets import words
from inplacelab_widgets.scene.marks import Words

_INDICES = "ijklmnpq"


def tensor_name(tensor: int, tensors: Mapping[int, TensorFacts]) -> str:
    """The learner's first name for a tensor; "T3", as in the sentences, if it has none."""
    facts = tensors.get(tensor)
    return facts.names[0] if facts and facts.names else f"T{tensor}"


def node_name(nodes: Mapping[int, NodeFacts], node: NodeFacts) -> str:
    """The node's class, with its number only where another node of the same line has the same class."""
    twins = any(n.name == node.name and n.line == node.line and n.id != node.id for n in nodes.values())
    return f"{node.name} #{node.id}" if twins else node.name


def unquoted(said: Text) -> Text:
    """Words without the backticks that stand round code: in a picture all words are monospace."""
    return Text(said.en.replace("`", ""), said.zh.replace("`", ""))


def who(step: Step) -> Text:
    """Who did it: "line 5 scale_", or backward if no operation of the learner's did."""
    did = step.op or (words.IN_BACKWARD if step.phase == "backward" else "")
    if step.line is None:
        return Text("{0}", "{0}").format(did)
    return Text("{0} {1}", "{0} {1}").format(words.LINE.format(line=step.line), did)


def kind(tensor: TensorFacts, tensors: Mapping[int, TensorFacts]) -> Words | None:
    """Leaf, view of which tensor, or the gradient of which tensor."""
    owner = next((t.id for t in tensors.values() if t.grad == tensor.id), None)
    if owner is not None:
        return words.GRADIENT_OF.format(tensor=tensor_name(owner, tensors))
    if tensor.base is not None:
        return words.VIEW_OF.format(base=tensor_name(tensor.base, tensors))
    return words.LEAF if tensor.leaf else None


def dimensions(sizes: tuple[int, ...]) -> str:
    """[2, 4]."""
    return "[" + ", ".join(map(str, sizes)) + "]"


def formula(tensor: TensorFacts) -> Text:
    """Which slot element (i, j, ...) lives in: "slot = 0 + 4·i + 1·j"."""
    terms = [f"{stride}·{_index(axis)}" for axis, stride in enumerate(tensor.strides)]
    return Text("{slot} = ", "{slot} = ").format(slot=words.SLOT) + Text(
        *(" + ".join([str(tensor.offset), *terms]),) * 2
    )


def _index(axis: int) -> str:
    return _INDICES[axis] if axis < len(_INDICES) else f"i{axis}"
