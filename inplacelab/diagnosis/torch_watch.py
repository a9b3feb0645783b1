"""Watches a PyTorch program for hours: notes which lines make grad nodes and which write, and nothing else, until a pass fails.

Then the graph is still there. It tells what its nodes have saved, and at which version that is now. The version at which it was saved is
in the error's message. The number of a node tells which line has made it, and the writes noted since then tell the rest.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch.utils.weak import WeakIdKeyDictionary

from inplacelab.diagnosis.failures import RESULTS, Failure, Overwritten, Saved
from inplacelab.diagnosis.ledger import VIEWS, Ledger, Made, StorageLog, Write, since
from inplacelab.diagnosis.places import Place, Places, own_frames
from inplacelab.language import Text
from inplacelab.layout import Layout, share_slots
from inplacelab.recorders.bindings import Bindings
from inplacelab.recorders.program import scopes_of
from inplacelab.recorders.stand_in import call_for
from inplacelab.recorders.static import message_of
from inplacelab.recorders.torch_backward import Asked, Stale, in_order, is_second_pass, reachable, root_node, stale
from inplacelab.recorders.torch_calls import Kind, kind_of
from inplacelab.recorders.torch_names import WATCHED
from inplacelab.recorders.torch_objects import SHOWS_SAVED, dtype_name, layout_of, saved_by, version_of
from inplacelab.recorders.torch_overrides import CompilePatch, EnginePatch, Mode, caller_of, in_force, take_away

PASSES = 1 << 12
"""Of so many passes it is known where they began."""

_Tensor: Any = torch.Tensor
_Storage: Any = torch.UntypedStorage
_base_of: Callable[[Any], Any] = _Tensor._base.__get__
_next_node = torch._C._autograd._get_sequence_nr
_APPLY = torch.autograd.Function.apply.__func__.__code__

COPY_SLICES = "CopySlices"
RUNNING = ("running_mean", "running_var")
"""What normalization in evaluation reads and has saved, and in training writes without raising a version."""
MOST = 3
"""So many candidates are named if it is not certain what was saved."""

_HIDDEN = Text(
    "PyTorch does not show what the node that failed has saved, such as the one inside a CopySlices, or of a checkpoint. "
    "So this is judged by the versions and the shape in its message.",
    "PyTorch 不显示出错的节点保存了什么（例如 CopySlices 内部或 checkpoint 中的节点），因此以上是根据报错信息中的版本号和形状判断的。",
)
_BROKEN = Text("The watch stopped: {0} inside it.", "监视中止：其内部出现 {0}。")
_COMPILED = Text(
    "What functions compiled by `torch.compile` did was not watched.", "经 `torch.compile` 编译的函数所做的没有监视。"
)


class TorchWatch:
    """Watches the thread that calls `begin`, until `end`.

    Attributes:
        failures: the backward passes that failed.
        remarks: what was not watched.
    """

    framework = "torch"

    def __init__(self) -> None:
        self.failures: list[Failure] = []
        self.remarks: list[Text] = []
        self._ledger = Ledger(_Storage._expired, _Storage._free_weak_ref)
        self._places = Places()
        self._mode, self._engine = Mode(self), EnginePatch(self)
        self._compiles = CompilePatch(self._mode, self._runs_compiled)
        self._passes: deque[tuple[int, Place | None]] = deque(maxlen=PASSES)
        self._thread = 0
        self._noted = 0  # nodes with lower numbers were made by operations that were noted, or before the watch
        self._on = False
        self._apart: Any = (
            WeakIdKeyDictionary()
        )  # tensors that count their versions apart from others on their storages
        self._suspicious = False  # a write may have made a saved value stale without a new version

    @property
    def operations(self) -> int:
        """How many operations were watched."""
        return self._ledger.operations

    @property
    def storages(self) -> int:
        """Of how many storages something is known."""
        return self._ledger.watched

    def begin(self) -> None:
        """Begins to watch."""
        self._thread, self._noted, self._on = threading.get_ident(), _next_node(), True
        self._engine.begin()
        self._compiles.begin()
        self._mode.__enter__()

    def end(self, error: BaseException | None = None) -> None:
        """Ends that. Of an error it knows from PyTorch's engine."""
        del error
        self._on = False
        take_away(self._mode)
        self._engine.end()
        self._compiles.end()
        self._ledger.forget()

    # ---- operations ------------------------------------------------------------------------------------------------------

    def called(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Calls a function of PyTorch for the program."""
        kind = kind_of(function)
        if kind.quiet or not self._on:
            return function(*args, **kwargs)
        frame = caller_of(sys._getframe(2))
        if kind.is_pass:
            return call_for(frame, function, args, kwargs)
        tensors = _tensors(args, kwargs)
        first = _next_node()
        try:
            before = [version_of(each) for each in tensors]
        except RuntimeError:  # inference tensors have none
            tensors = [each for each in tensors if not each.is_inference()]
            before = [version_of(each) for each in tensors]
        result = None
        try:
            result = call_for(frame, function, args, kwargs)
        finally:
            try:
                silent = _written_silently(kind, args, kwargs) if kind.is_silent else ()
                self._note(kind, frame, first, tensors, before, result)
                for each in silent:
                    self._wrote(kind.name, first, _next_node(), each, version_of(each), self._places.of(frame))
            except Exception as error:  # noqa: BLE001  # a failure of the watch must not reach the program
                self._break(error)
        return result

    def _note(
        self, kind: Kind, frame: Any, first: int, tensors: Sequence[Any], before: Sequence[int], result: Any
    ) -> None:
        ledger, last, place, op = self._ledger, _next_node(), None, kind.name
        ledger.operations += 1
        if first > self._noted:  # by a `torch.autograd.Function`, whose `apply` calls no function that a mode sees
            ledger.made(Made(self._noted, first, "apply", _outside_apply(frame, self._places)))
        if last != first:
            place = self._places.of(frame)
            ledger.made(Made(first, last, op, place))
        self._noted = last
        for tensor, version in zip(tensors, before, strict=True):
            if version_of(tensor) != version:
                place = place or self._places.of(frame)
                self._wrote(op, first, last, tensor, version, place)
        if kind.own_counter and result is not None:
            self._apart[result] = True
        if (
            type(result) is torch.Tensor
            and _base_of(result) is not None
            and not any(result is each for each in tensors)
        ):
            log = self._log(result)
            if len(log.views) < VIEWS:
                log.views[layout_of(result)] = place or self._places.of(frame)

    def _wrote(self, op: str, first: int, last: int, tensor: Any, before: int, place: Place | None) -> None:
        log, after = self._log(tensor), version_of(tensor)
        latest = log.writes[-1] if log.writes else None
        if latest is None or (latest.first, latest.after, latest.place) != (
            first,
            after,
            place,
        ):  # not by another alias
            layout = None if _base_of(tensor) is None else layout_of(tensor)
            if layout is None and not log.writes:
                log.shapes.add(tuple(tensor.shape))
            silent = (
                after == before or tensor in self._apart or (layout is not None and _base_of(tensor) in self._apart)
            )
            self._suspicious = self._suspicious or silent
            log.writes.append(Write(first, last, op, before, after, layout, place, silent))

    def _log(self, tensor: Any) -> StorageLog:
        storage = _Tensor.untyped_storage(tensor)
        return self._ledger.storage(storage._cdata, storage._weak_ref)

    def _runs_compiled(self) -> None:
        if _COMPILED not in self.remarks:
            self.remarks.append(_COMPILED)

    def _break(self, error: Exception) -> None:
        self._on = False
        self.remarks.append(_BROKEN.format(type(error).__name__))

    # ---- backward --------------------------------------------------------------------------------------------------------

    def run_pass(self, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Runs a backward pass for the program."""
        if not self._on or threading.get_ident() != self._thread:
            return run(*args, **kwargs)
        frame = sys._getframe(2)
        begun = _next_node()
        silent = self._silently_stale(args, kwargs, frame) if self._suspicious else []
        try:
            with in_force(self._mode):
                result = run(*args, **kwargs)
        except Exception as error:
            with torch._C.DisableTorchFunction():
                try:
                    self._explain(error, Asked.of(args, kwargs), self._places.of(frame), frame)
                except Exception as own:  # noqa: BLE001
                    self._break(own)
            raise
        self.failures += silent
        place, last = self._places.of(frame), _next_node()
        self._passes.append((begun, place))
        if last > max(begun, self._noted):  # with `create_graph=True`
            self._ledger.made(Made(max(begun, self._noted), last, "backward", place))
            self._noted = last
        return result

    def _silently_stale(self, args: Sequence[Any], kwargs: Mapping[str, Any], frame: Any) -> list[Failure]:
        """Returns what a pass will use that was overwritten without a new version."""
        try:
            with torch._C.DisableTorchFunction():
                roots = [node for each in Asked.of(args, kwargs).roots if (node := root_node(each)) is not None]
                found = [each for node in reachable(roots) for each in self._overwritten_silently(node, frame)]
        except Exception as error:  # noqa: BLE001
            self._break(error)
            return []
        return [Failure("silent", (0, ""), self._places.of(frame), [saved], wrong=wrong) for saved, wrong in found]

    def _overwritten_silently(self, node: Any, frame: Any) -> Iterator[tuple[Saved, tuple[str, ...]]]:
        """Yields what a node has saved and was overwritten without a new version, with the names of the leaves that it leads to."""
        number = node._sequence_nr()
        for name, kept in saved_by(node):
            data = kept.data
            if not issubclass(type(data), torch.Tensor) or data.layout is not torch.strided:
                continue
            if name in RUNNING and getattr(node, "_saved_training", True):  # it will not use them
                continue
            log, layout = self._ledger.find(_Tensor.untyped_storage(data)._cdata), layout_of(data)
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

    def _explain(self, error: Exception, asks: Asked, needed: Place | None, frame: Any) -> None:
        message = message_of(error)
        told, key = stale(message), (id(error), message)
        if any(each.error == key for each in self.failures):  # of a pass inside another one
            return
        roots = [node for each in asks.roots if (node := root_node(each)) is not None]
        if told is not None:
            ends = None if asks.inputs is None else [root_node(each) for each in asks.inputs]
            order = in_order(roots, ends, fills=asks.fills)
            found = list(self._candidates(order, told, frame))
            exact = [each for each in found if not each.unseen]
            saved, remarks = (exact or found)[:1], list(self.remarks)
            if not saved and not SHOWS_SAVED:
                saved = list(self._refusing(order, told))[:1]
            if not saved:
                saved = (self._in_copies(order, told) or self._by_versions(told))[:MOST]
                remarks.append(_HIDDEN)
            self.failures.append(Failure("stale", key, needed, saved, remarks=remarks))
        elif is_second_pass(message):
            self.failures.append(
                self._second_pass(key, needed, [each for each in reachable(roots) if _has_released(each)])
            )

    def _second_pass(self, key: tuple[int, str], needed: Place | None, released: Sequence[Any]) -> Failure:
        """Returns what is known of a pass that found a node that has released what it had saved.

        It may have run other nodes before, and released what they had saved. These were made after the earlier pass.
        """
        for node in sorted(released, key=lambda each: -each._sequence_nr()):
            earlier = [place for begun, place in self._passes if begun > node._sequence_nr()]
            if earlier:
                return Failure("again", key, needed, [self._of_node(node)], earlier[-1])
        return Failure("again", key, needed, [self._of_node(each) for each in released[:1]])

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
            for name in [each for each in dir(node) if each.startswith("_saved_")]:
                try:
                    getattr(node, name)
                except RuntimeError as error:
                    if stale(message_of(error)) != told:
                        continue
                    result = name.startswith(tuple(f"_saved_{each}" for each in RESULTS))
                    for log in self._ledger.logs():
                        found = self._fitting(log, told, node, is_result=result, checks_shape=False)
                        if found is not None:
                            yield replace(found, name=name.removeprefix("_saved_"), certain=True)

    def _saved(self, node: Any, name: str, data: Any, told: Stale, frame: Any, silent: Sequence[Write] = ()) -> Saved:
        storage = _Tensor.untyped_storage(data)
        log = self._ledger.find(storage._cdata)
        writes = (
            []
            if log is None
            else since(log, node._sequence_nr(), range(told.kept_at, told.found_at), is_result=name.startswith(RESULTS))
        )
        writes = writes or list(silent)
        made = self._ledger.maker(node._sequence_nr())
        names, of_view = _names(data, frame)
        return Saved(
            _shown(node), name, layout_of(data), dtype_name(data.dtype), told.kept_at, told.found_at,
            names, made.op if made else "", made.place if made else None,
            tuple(_overwritten(each, log, layout_of(data)) for each in writes),
            told.found_at - told.kept_at - sum(each.after - each.before for each in writes), is_view=of_view,
        )  # fmt: skip

    def _of_node(self, node: Any) -> Saved:
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


def _tensors(args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """Returns the tensors among the arguments of a call, also in lists and tuples: `out` first."""
    found: list[Any] = []
    if kwargs:
        found += _flat((kwargs.get("out"),))
        found += _flat([value for name, value in kwargs.items() if name != "out"])
    return [*found, *_flat(args)] if found else _flat(args)


def _flat(values: Sequence[Any]) -> list[Any]:
    found = []
    for value in values:
        kind = type(value)
        if kind is torch.Tensor or kind is torch.nn.Parameter:
            found.append(value)
        elif kind is list or kind is tuple:
            found += [each for each in value if issubclass(type(each), torch.Tensor)]
        elif issubclass(kind, torch.Tensor):
            found.append(value)
    return found


def _fits(data: Any, told: Stale) -> bool:
    return tuple(data.shape) == told.shape and not data.is_inference() and version_of(data) == told.found_at


def _written_silently(kind: Kind, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
    """Returns the tensors that a call writes without raising their versions."""
    if kind.name.startswith("_fused_"):
        return _flat(args[:1])
    trains = kwargs.get("training", kwargs.get("use_input_stats", len(args) > TRAINING and args[TRAINING]))
    return _flat(args[1:3]) if trains else ()


TRAINING = 5
"""The position of the argument of normalizations that says whether they train."""


def _shown(node: Any) -> str:
    return str(node.name()).rpartition("::")[2]


def _has_released(node: Any) -> bool:
    saved = [kept.data for _, kept in saved_by(node)]
    return bool(saved) and all(each is None for each in saved)


def _outside_apply(frame: Any, places: Places) -> Place | None:
    """Returns the place from which the `torch.autograd.Function` was called whose `forward` runs; None if none does."""
    found = None
    while frame is not None:
        if frame.f_code is _APPLY:
            found = frame.f_back
        frame = frame.f_back
    return None if found is None else places.of(found)


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
    address, layout = _Tensor.untyped_storage(data)._cdata, layout_of(data)
    named = bindings.look(scopes_of(frames), done=True) or ()
    sharing = [(tensor, names) for tensor, names in named if _address(tensor) == address]
    same = tuple(name for tensor, names in sharing if layout_of(tensor) == layout for name in names)
    whole = tuple(name for tensor, names in sharing if _base_of(tensor) is None for name in names)
    return same or whole, not same and bool(whole)


def _address(tensor: Any) -> int | None:
    return _Tensor.untyped_storage(tensor)._cdata if tensor.layout is torch.strided else None
