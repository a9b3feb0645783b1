"""Finds, in the graph of a PyTorch pass that failed, the saved tensor that was overwritten: by the error's message and what a ledger has noted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch

from inplacelab.diagnosis.failures import RESULTS, Overwritten, Saved
from inplacelab.diagnosis.ledger import Ledger, StorageLog, Write, since
from inplacelab.diagnosis.places import own_frames
from inplacelab.layout import Layout, share_slots
from inplacelab.recorders.bindings import Bindings
from inplacelab.recorders.program import scopes_of
from inplacelab.recorders.static import message_of
from inplacelab.recorders.torch.names import WATCHED
from inplacelab.recorders.torch.pass_order import Asked, Stale, in_order, is_second_pass, reachable, root_node, stale
from inplacelab.recorders.torch.readings import SHOWS_SAVED, dtype_name, is_wrapped, layout_of, saved_by, version_of

_Tensor: Any = torch.Tensor
_base_of: Callable[[Any], Any] = _Tensor._base.__get__
_unwrapped: Callable[[Any], Any] = torch._C._functorch.get_unwrapped

COPY_SLICES = "CopySlices"
RUNNING = ("running_mean", "running_var")
"""What normalization in evaluation reads and has saved, and in training writes without raising a version."""
MOST = 3
"""So many candidates are named if it is not certain what was saved."""


class StaleValues:
    """Finds saved tensors that were overwritten.

    Args:
        ledger: which lines made grad nodes, and which wrote storages.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def found_by(self, asks: Asked, told: Stale, frame: Any) -> tuple[list[Saved], bool]:
        """Returns what a pass has found overwritten.

        Args:
            asks: what the program has asked of the pass.
            told: what the error says of the saved tensor.
            frame: where the pass was called.

        Returns:
            The saved tensor, and True; or those that it may be, the most probable first, and False.
        """
        roots = [node for each in asks.roots if (node := root_node(each)) is not None]
        ends = [node for each in asks.inputs or () if (node := root_node(each)) is not None]
        order = in_order(roots, ends or None, fills=asks.fills)
        found = list(self._candidates(order, told, frame))
        exact = [each for each in found if not each.unseen]
        saved = (exact or found)[:1]
        if not saved and not SHOWS_SAVED:
            saved = list(self._refusing(order, told))[:1]
        if saved:
            return saved, True
        return (self._in_copies(order, told) or self._by_versions(told))[:MOST], False

    def silently(self, node: Any, frame: Any) -> Iterator[tuple[Saved, tuple[str, ...]]]:
        """Yields what a node has saved and was overwritten without a new version, with the names of the leaves that it leads to."""
        number = node._sequence_nr()
        for name, kept in saved_by(node):
            data = kept.data
            if not issubclass(type(data), torch.Tensor) or data.layout is not torch.strided:
                continue
            if name in RUNNING and getattr(node, "_saved_training", True):  # it will not use them
                continue
            log, layout = self._find(data), layout_of(data)
            writes = [
                each
                for each in (() if log is None else log.writes)
                if each.silent and each.first > number and (each.layout is None or share_slots(each.layout, layout))
            ]
            if writes:
                leaves = (each.variable for each in reachable([node]) if hasattr(each, "variable"))
                wrong = tuple(names[0] for leaf in leaves if (names := _names(leaf, frame)[0]))
                version = version_of(data)
                yield self._saved(node, name, data, Stale(layout.shape, version, version), frame, writes), wrong

    def _candidates(self, order: Sequence[Any], told: Stale, frame: Any) -> Iterator[Saved]:
        """Yields the saved tensors that fit the error, that of the node first which runs first."""
        for node in order:
            for name, kept in saved_by(node):
                data = kept.data
                if issubclass(type(data), torch.Tensor) and _fits(data, told):
                    yield self._saved(node, name, data, told, frame)

    def _refusing(self, order: Sequence[Any], told: Stale) -> Iterator[Saved]:
        """Yields what a node has saved that refuses to give it, for versions of PyTorch that show nothing else (2.6)."""
        for node in order:
            for name, message in _refused_by(node):
                if stale(message) != told:
                    continue
                for log in self._ledger.logs():
                    found = self._fitting(log, told, node, is_result=name.startswith(RESULTS), checks_shape=False)
                    if found is not None:
                        yield replace(found, name=name, certain=True)

    def _saved(self, node: Any, name: str, data: Any, told: Stale, frame: Any, silent: Sequence[Write] = ()) -> Saved:
        log, layout = self._find(data), layout_of(data)
        writes = (
            []
            if log is None
            else since(log, node._sequence_nr(), range(told.kept_at, told.found_at), is_result=name.startswith(RESULTS))
        )
        writes = writes or list(silent)
        made = self._ledger.maker(node._sequence_nr())
        names, of_view = _names(data, frame)
        return Saved(
            _shown(node), name, layout, dtype_name(data.dtype), told.kept_at, told.found_at,
            names, made.op if made else "", made.place if made else None,
            tuple(_overwritten(each, log, layout) for each in writes),
            0 if silent else told.found_at - told.kept_at - sum(each.after - each.before for each in writes), is_view=of_view,
        )  # fmt: skip

    def of_node(self, node: Any) -> Saved:
        made = self._ledger.maker(node._sequence_nr())
        return Saved(
            _shown(node),
            "",
            Layout((), (), 0),
            "",
            0,
            0,
            (),
            made.op if made else "",
            made.place if made else None,
            (),
            0,
        )

    def _in_copies(self, order: Sequence[Any], told: Stale) -> list[Saved]:
        """Returns what the operations inside of `CopySlices` may have saved: a node that was made when a storage had this version.

        That a later line has overwritten it comes first, and then that the operation itself has.
        """
        nodes = [node for node in order if _shown(node) == COPY_SLICES]
        return [
            found
            for is_result in (True, False)
            for node in nodes
            for log in self._ledger.logs()
            if (found := self._fitting(log, told, node, is_result=is_result)) is not None
        ]

    def _by_versions(self, told: Stale) -> list[Saved]:
        """Returns what may have been saved, judging by the versions of storages alone: the last written first."""
        found = [saved for log in self._ledger.logs() if (saved := self._fitting(log, told, None)) is not None]
        return sorted(found, key=lambda each: -each.writes[-1].write.last)

    def _fitting(
        self, log: StorageLog, told: Stale, node: Any, *, is_result: bool = False, checks_shape: bool = True
    ) -> Saved | None:
        """Returns a storage as what may have been saved, by a node if it is given; None if its versions or its shapes differ."""
        moment = -1 if node is None else node._sequence_nr()
        writes = since(log, moment, range(told.kept_at, told.found_at), is_result=is_result)
        if not writes or writes[-1].after != told.found_at:
            return None
        layout = next((each for each in log.views if each.shape == told.shape), None)
        if checks_shape and layout is None and told.shape not in log.shapes:
            return None
        made = None if node is None else self._ledger.maker(moment)
        return Saved(
            "" if node is None else _shown(node), "", layout or Layout(told.shape, (), 0), "", told.kept_at, told.found_at, (),
            made.op if made else "", made.place if made else None,
            tuple(_overwritten(each, log, layout) for each in writes), 0, certain=False,
        )  # fmt: skip

    def _find(self, tensor: Any) -> StorageLog | None:
        address = _address(tensor)
        return None if address is None else self._ledger.find(address)


def has_released(node: Any) -> bool:
    """Whether a node had saved something and has released it."""
    if not SHOWS_SAVED:
        return any(is_second_pass(message) for _, message in _refused_by(node))
    saved = [kept.data for _, kept in saved_by(node)]
    return bool(saved) and all(each is None for each in saved)


def _refused_by(node: Any) -> Iterator[tuple[str, str]]:
    """Yields the names of the saved tensors that a node refuses to give, and what it says then.

    For versions of PyTorch that show nothing else (2.6). To ask unpacks what was saved, so only a pass that has failed is asked about.
    """
    for attribute in [each for each in dir(node) if each.startswith("_saved_")]:
        try:
            getattr(node, attribute)
        except RuntimeError as error:
            yield attribute.removeprefix("_saved_"), message_of(error)


def _fits(data: Any, told: Stale) -> bool:
    return tuple(data.shape) == told.shape and not data.is_inference() and version_of(data) == told.found_at


def _shown(node: Any) -> str:
    return str(node.name()).rpartition("::")[2]


def _overwritten(write: Write, log: StorageLog | None, saved: Layout | None) -> Overwritten:
    made = None if log is None or write.layout in (None, saved) else log.views.get(write.layout)
    return Overwritten(write, made)


def _names(data: Any, frame: Any) -> tuple[tuple[str, ...], bool]:
    """Returns the program's names for a tensor, where backward was called; or for one of which it is a view, and True."""
    frames = list(own_frames(frame))
    wanted = frozenset(name for each in frames for name in each.f_code.co_names)
    bindings = Bindings(wanted, WATCHED)
    if frames:
        bindings.own_module = str(frames[-1].f_globals.get("__name__", "__main__"))
    address = _address(data)
    if address is None:
        return (), False
    layout = layout_of(data)
    named = bindings.look(scopes_of(frames), done=True) or ()
    sharing = [(tensor, names) for tensor, names in named if _address(tensor) == address]
    same = tuple(name for tensor, names in sharing if layout_of(tensor) == layout for name in names)
    whole = tuple(name for tensor, names in sharing if _base_of(tensor) is None for name in names)
    return same or whole, not same and bool(whole)


def storage_of(tensor: Any) -> Any:
    """Returns a tensor's storage, or that of the tensor that a wrapper of `torch.func` holds; None if it has none, as a sparse one."""
    while is_wrapped(tensor):
        tensor = _unwrapped(tensor)
    return _Tensor.untyped_storage(tensor) if tensor.layout is torch.strided and not tensor.is_nested else None


def _address(tensor: Any) -> int | None:
    storage = storage_of(tensor)
    return None if storage is None else storage._cdata
