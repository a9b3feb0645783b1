"""What a storage, a tensor and a grad node are called, in a sentence and in a picture alike."""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab.recording.facts import NodeFacts, Number, StorageFacts, TensorFacts
from inplacelab.recording.recording import State

__all__ = ["gradient_flag", "is_constant", "node_label", "number_label", "storage_label", "tensor_label"]


def storage_label(storage: int) -> str:
    """`S` and the serial number: "S1"."""
    return f"S{storage}"


def tensor_label(tensor: TensorFacts, names: tuple[str, ...] | None = None) -> Text:
    """The learner's names for a tensor object, or `T` and the serial number if it has none.

    Args:
        tensor: the tensor.
        names: the names to use instead of those that it has at this step.
    """
    called = tensor.names if names is None else names
    if not called:
        return Text("the temporary `T{0}`", "临时张量 `T{0}`").format(tensor.id)
    first, *others = called
    if not others:
        return Text("`{0}`", "`{0}`").format(first)
    *also, last = [f"`{name}`" for name in others[:_MOST_NAMES]]
    beyond = len(others) - _MOST_NAMES
    en = (
        f"{', '.join([*also, last])} and {beyond} more"
        if beyond > 0
        else " and ".join(filter(None, (", ".join(also), last)))
    )
    zh = "、".join([*also, last]) + (f" 等 {len(others)} 个名字" if beyond > 0 else "")
    return Text(f"`{first}` (also called {en})", f"`{first}`（又名 {zh}）")


_MOST_NAMES = 4
"""How many further names of a tensor a sentence says."""


def is_constant(storage: StorageFacts) -> bool:
    """Whether a storage is the 2 of `x ** 2`: no tensor of the program owns it, and so it is in no account of bytes."""
    return storage.slots > 0 and not storage.bytes


def number_label(number: Number) -> str:
    """A value in four significant digits: "0.3333", "True"."""
    return str(number) if isinstance(number, bool) else f"{number:.4g}"


def node_label(state: State, node: NodeFacts, here: int | None = None) -> Text:
    """A grad node by its name and the line that made it, with its number only where those two do not tell it apart.

    Args:
        state: where the node stands among others.
        node: the node.
        here: the line being talked about, which need not be said again.
    """
    name = f"`{node.name}` #{node.id}" if state.has_namesake(node) else f"`{node.name}`"
    if node.line is None or node.line == here:
        return Text(name, name)
    return Text("{0} (line {1})", "{0}（第 {1} 行）").format(name, node.line)


def gradient_flag(framework: str, *, asks: bool) -> str:
    """How a framework writes that a tensor asks for a gradient, or not: "stop_gradient=False", "requires_grad=True"."""
    return f"requires_grad={asks}" if framework == "torch" else f"stop_gradient={not asks}"
