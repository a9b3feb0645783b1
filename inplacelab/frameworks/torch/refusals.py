"""Finds out which tensor PyTorch has refused to write, or to use, at once: by the error's message, and by the tensors and frames at the error."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

import torch

from inplacelab.diagnosis.places import Place, own_frames
from inplacelab.diagnosis.program_texts import Sources
from inplacelab.frameworks.torch.readings import needs_gradient
from inplacelab.recorders.static import class_name, message_of
from inplacelab.recording.facts import FailureFacts, Missing, RefusalFacts, RefusalRule, SiteFacts, Sites
from inplacelab.recording.refused_words import binding, called_in, is_of_none, paths_at, rebinding, rule_in
from inplacelab.recording.source_tree import SourceTree

_UNREADABLE = (OSError, SyntaxError, ValueError, RecursionError, MemoryError)
"""Errors of texts that are no programs, or cannot be read."""

_Tensor: Any = torch.Tensor
_base_of: Callable[[Any], Any] = _Tensor._base.__get__
_is_leaf: Callable[[Any], bool] = _Tensor.is_leaf.__get__
_is_inference: Callable[[Any], bool] = _Tensor.is_inference

MOST = 10_000
"""So many names of a frame are looked at."""


def refused(
    error: BaseException, op: str, tensors: Sequence[Any], frame: FrameType | None, place: Place | None,
    made_at: Callable[[Any], Place | None],
) -> FailureFacts | None:  # fmt: skip
    """Returns what is known of an operation that was refused at once; None if the error is another one.

    Args:
        error: the error.
        op: the operation.
        tensors: the tensors that it was given.
        frame: the frame that called it.
        place: where that is.
        made_at: returns where a view was made; None if that is not known.
    """
    rule = rule_in(message_of(error))
    tensor = None if rule is None else next((each for each in tensors if _is_meant(rule, each)), None)
    if rule is None or tensor is None or place is None:
        return None
    here = _Here(frame, place)
    base = _base_of(tensor)
    named = here.named(tensor)
    if not named and rule in (
        "view",
        "several",
        "no_grad",
    ):  # a view of it that was made in the same line: `b[:, 1] += 1`
        named, tensor = here.viewed(tensor)
        base = _base_of(tensor)
    rule = "leaf" if rule == "view" and base is None else rule
    leaf = tensor if base is None else base
    of_leaf = _is_leaf(leaf) and needs_gradient(leaf)
    viewed = "" if base is None else here.named(base)
    view = made_at(tensor) if base is not None else None
    made = here.bound(named) if rule in ("leaf", "inference", "saved") or view is None else view.facts
    by = here.call_in(made) if rule == "several" else ""
    refusal = RefusalFacts(
        rule, named, here.in_model(leaf, viewed or named) if of_leaf else "", viewed, by if rule == "several" else op,
        made, here.bound(viewed) if of_leaf and viewed else (), of_leaf=of_leaf, is_parameter=isinstance(leaf, torch.nn.Parameter),
    )  # fmt: skip
    return FailureFacts("leaf" if rule in ("leaf", "view") else "refused", place.facts, refusal=refusal)


def _is_meant(rule: RefusalRule, tensor: Any) -> bool:
    base = _base_of(tensor)
    if rule == "saved" or (rule == "inference" and base is None):
        return _is_inference(tensor)
    if rule == "leaf" or (rule == "view" and base is None):  # `w[0] = 1` makes the view itself
        return _is_leaf(tensor) and needs_gradient(tensor)
    return base is not None


def without_gradient(
    error: BaseException, frame: FrameType, place: Place, made_at: Callable[[Any], Place | None]
) -> FailureFacts | None:
    """Returns what is known of an error that came of a gradient that is None; None if the error is another one.

    Args:
        error: the error.
        frame: the innermost frame of the program's own code.
        place: where that is.
        made_at: returns where the node of a tensor was made; None if that is not known.
    """
    if not is_of_none(class_name(type(error)), message_of(error)):
        return None
    here = _Here(frame, place)
    for label, value in here.labels():
        if not label.endswith(".grad"):
            continue
        name = label.removesuffix(".grad")
        tensor = value
        if isinstance(tensor, torch.Tensor) and _gradient_of(tensor) is None:
            return FailureFacts("refused", place.facts, refusal=_of_none(here, name, tensor, made_at))
    return None


def _of_none(here: _Here, name: str, tensor: Any, made_at: Callable[[Any], Place | None]) -> RefusalFacts:
    again = here.rebound(name)
    is_parameter = isinstance(tensor, torch.nn.Parameter)
    missing: Missing = "unreached"
    made: Sites = ()
    if again and not is_parameter and (not _is_leaf(tensor) or not needs_gradient(tensor)):
        missing, made = "rebound", again
    elif not _is_leaf(tensor):
        missing, place = "computed", made_at(tensor)
        made = here.bound(name) or (() if place is None else place.facts)
    elif not needs_gradient(tensor):
        missing, made = "stops", here.bound(name)
    whole = here.in_model(tensor, name) if is_parameter else ""
    return RefusalFacts(
        "no_gradient", name, whole, made=made, missing=missing, of_leaf=_is_leaf(tensor), is_parameter=is_parameter
    )


def _gradient_of(tensor: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns of that of a tensor that is no leaf
        return tensor.grad


class _Here:
    """The frame of the program at the error."""

    def __init__(self, frame: FrameType | None, place: Place) -> None:
        self._frames = list(own_frames(frame))
        self._place, self._site = place, place.sites[0]
        self._program = _parsed(self._site.sources, self._site.filename)

    def _names(self, frame: FrameType) -> dict[str, Any]:
        names = {**frame.f_globals, **frame.f_locals} if frame.f_locals is not frame.f_globals else frame.f_globals
        return {name: value for name, value in [*names.items()][:MOST] if name[:2] != "__"}

    def labels(self) -> Iterator[tuple[str, Any]]:
        """Yields what the expression names, as it is written, with the tensor; for `w.grad` with that whose gradient it is."""
        names = self._names(self._frames[0]) if self._frames else {}
        for each in self._written():
            path = each.removesuffix(".grad")
            value = _reached(path, names)
            if isinstance(value, torch.Tensor):
                yield each, value

    def _written(self) -> list[str]:
        return [] if self._program is None else paths_at(self._program, self._site.facts)

    def named(self, tensor: Any) -> str:
        """Returns what the innermost frame calls a tensor; "" if nothing."""
        if not self._frames:
            return ""
        found = [name for name, value in self.labels() if value is tensor and not name.endswith(".grad")]
        local = self._frames[0].f_locals
        items = [(name, value) for name, value in [*local.items()][:MOST] if name[:2] != "__"]
        found += [name for name, value in items if value is tensor]
        for name, value in items:
            if isinstance(value, torch.nn.Module):
                found += [f"{name}.{path}" for path, each in value.named_parameters(recurse=False) if each is tensor]
        if not found:
            for name, value in items:
                if isinstance(value, torch.nn.Module):
                    found += [f"{name}.{path}" for path, each in value.named_parameters() if each is tensor]
        return found[0] if found else ""

    def viewed(self, tensor: Any) -> tuple[str, Any]:
        """Returns what the expression has made a view without a name of: its name, and the tensor."""
        base = _base_of(tensor)
        for name, value in self.labels():
            if not name.endswith(".grad") and (value is base or _base_of(value) is base):
                return name, value
        return self._site.facts.expression, tensor

    def in_model(self, tensor: Any, name: str) -> str:
        """Returns the name of a parameter in the largest model that a frame has; "" if that is the name that is known."""
        found: list[tuple[int, str]] = []
        for frame in self._frames:
            for label, value in [*frame.f_locals.items()][:MOST]:
                if isinstance(value, torch.nn.Module):
                    paths = [path for path, each in value.named_parameters() if each is tensor]
                    root = "" if label == "self" else f"{label}."
                    found += [(path.count("."), f"{root}{path}") for path in paths]
        whole = max(found, default=(0, ""))[1]
        return "" if whole in (name, name.removeprefix("self.")) else whole

    def bound(self, name: str) -> Sites:
        """Returns the statement that has bound a name."""
        found = None if self._program is None or not name else binding(self._program, name, self._site.line)
        return () if found is None else self._sites(found)

    def rebound(self, name: str) -> Sites:
        """Returns the statement that binds a name to what is computed of its value."""
        found = None if self._program is None else rebinding(self._program, name, self._site.line)
        return () if found is None else self._sites(found)

    def call_in(self, made: Sites) -> str:
        """Returns the name of the function that is called at a place; "" if that is not known."""
        return called_in(made[0].expression) if made else ""

    def _sites(self, statement: Any) -> Sites:
        assert self._program is not None
        lines = self._site.sources.lines(self._site.filename)
        text = lines[statement.lineno - 1].rstrip("\n")
        function = self._program.function_at(statement.lineno)
        return (
            SiteFacts(
                self._site.filename, statement.lineno, statement.end_lineno or statement.lineno, statement.col_offset,
                statement.end_col_offset or -1, text, function,
            ),
        )  # fmt: skip


def _parsed(sources: Sources, filename: str) -> SourceTree | None:
    try:
        return SourceTree("".join(sources.lines(filename)))
    except _UNREADABLE:
        return None


def _reached(path: str, names: dict[str, Any]) -> Any:
    """Returns the value of a path such as `self.head.weight`, without running code of the program; None if that is not known."""
    root, *attributes = path.split(".")
    value = names.get(root)
    for each in attributes:
        held: Any = getattr(value, "__dict__", {})
        if isinstance(value, torch.nn.Module):
            held = {**held, **value._parameters, **value._buffers, **value._modules}
        value = held.get(each) if isinstance(held, dict) else None
    return value
