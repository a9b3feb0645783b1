"""Watches a PyTorch program for hours: notes which lines make grad nodes and which write, and nothing else, until a pass fails.

Then the graph is still there. It tells what its nodes have saved, and at which version that is now. The version at which it was saved is
in the error's message. The number of a node tells which line has made it, and the writes noted since then tell the rest.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import wraps
from typing import Any

import torch
from torch.utils.weak import WeakIdKeyDictionary

from inplacelab.diagnosis.failures import Failure
from inplacelab.diagnosis.ledger import VIEWS, Ledger, Made, StorageLog, Write
from inplacelab.diagnosis.places import Place, Places
from inplacelab.diagnosis.torch_stale_values import StaleValues, has_released, storage_of
from inplacelab.language import Text
from inplacelab.recorders.stand_in import call_for
from inplacelab.recorders.static import message_of
from inplacelab.recorders.torch.calls import Kind, kind_of
from inplacelab.recorders.torch.overrides import Mode, caller_of, in_force, take_away
from inplacelab.recorders.torch.pass_order import Asked, is_second_pass, reachable, root_node, stale
from inplacelab.recorders.torch.patch import Patch
from inplacelab.recorders.torch.readings import layout_of, version_of

PASSES = 1 << 12
"""Of so many passes it is known where they began."""

FAILURES = 64
"""So many failures are kept: a program may handle the errors of its passes, and go on."""

_Tensor: Any = torch.Tensor
_Storage: Any = torch.UntypedStorage
_base_of: Callable[[Any], Any] = _Tensor._base.__get__
_next_node = torch._C._autograd._get_sequence_nr
_APPLY = torch.autograd.Function.apply.__func__.__code__

_HIDDEN = Text(
    "PyTorch does not show what the node that failed has saved, such as the one inside a CopySlices, or of a checkpoint. "
    "So this is judged by the versions and the shape in its message.",
    "PyTorch 不显示出错的节点保存了什么（例如 CopySlices 内部或 checkpoint 中的节点），因此以上是根据报错信息中的版本号和形状判断的。",
)
_BROKEN = Text("The watch stopped: {0} inside it.", "监视中止：其内部出现 {0}。")
_OTHER_THREADS = Text(
    "Backward passes of other threads were not watched. `with inplacelab.explain():` inside the function that a thread runs watches it.",
    "没有监视其他线程的反向传播。要监视，请在线程运行的函数内部使用 `with inplacelab.explain():`。",
)
_COMPILED = Text(
    "What functions compiled by `torch.compile` did was not watched.",
    "经 `torch.compile` 编译的函数，其中的操作没有监视。",
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
        self._depth = 0  # of passes inside others
        self._raised: Exception | None = None  # by a pass inside one that still runs
        self._silent_lines: set[Hashable] = set()
        self.remarks: list[Text] = []
        self._ledger = Ledger(_Storage._expired, _Storage._free_weak_ref)
        self._stale = StaleValues(self._ledger)
        self._places = Places()
        self._mode = Mode(self)
        self._patches = (
            Patch(torch.autograd, "_engine_run_backward", self.run_pass),
            Patch(torch, "compile", self._compiles),
        )
        self._passes: deque[tuple[int, Place | None]] = deque(maxlen=PASSES)
        self._thread = 0
        self._noted = 0  # nodes with lower numbers were made by operations that were noted, or before the watch
        self._on = False
        self._apart: Any = (
            WeakIdKeyDictionary()
        )  # tensors that count their versions apart from others on their storages
        self._some_apart = False
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
        for patch in self._patches:
            patch.begin()
        self._mode.__enter__()

    def end(self, error: BaseException | None = None) -> None:
        """Ends that. Of an error it knows from PyTorch's engine."""
        del error
        self._on = False
        take_away(self._mode)
        for patch in self._patches:
            patch.end()
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
        if [version_of(each) for each in tensors] != before:  # one comparison: most operations write nothing
            place = place or self._places.of(frame)
            self._note_writes(op, first, last, tensors, before, place)
        if kind.own_counter and result is not None:
            self._apart[result] = self._some_apart = True
        if (
            type(result) is torch.Tensor
            and _base_of(result) is not None
            and not any(result is each for each in tensors)
        ):
            log = self._log(result)
            if log is not None and len(log.views) < VIEWS:
                log.views[layout_of(result)] = place or self._places.of(frame)

    def _note_writes(
        self, op: str, first: int, last: int, tensors: Sequence[Any], before: Sequence[int], place: Place | None
    ) -> None:
        for tensor, version in zip(tensors, before, strict=True):
            if version_of(tensor) != version:
                self._wrote(op, first, last, tensor, version, place)

    def _wrote(self, op: str, first: int, last: int, tensor: Any, before: int, place: Place | None) -> None:
        log, after = self._log(tensor), version_of(tensor)
        if log is None:
            return
        latest = log.writes[-1] if log.writes else None
        if latest is None or (latest.first, latest.after, latest.place) != (
            first,
            after,
            place,
        ):  # not by another alias
            layout = None if _base_of(tensor) is None else layout_of(tensor)
            if layout is None and not log.writes:
                log.shapes.add(tuple(tensor.shape))
            silent = after == before or (self._some_apart and self._counts_apart(tensor))
            self._suspicious = self._suspicious or silent
            log.writes.append(Write(first, last, op, before, after, layout, place, silent))

    def _counts_apart(self, tensor: Any) -> bool:
        base = _base_of(tensor)
        return tensor in self._apart or (base is not None and base in self._apart)

    def _log(self, tensor: Any) -> StorageLog | None:
        storage = storage_of(tensor)
        return None if storage is None else self._ledger.storage(storage._cdata, storage._weak_ref)

    def _compiles(self, compiler: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Compiles a function or a module that runs without the mode, which PyTorch's compiler would trace."""
        compiled = compiler(*args, **kwargs)
        if not args and kwargs.get("model") is None:  # a decorator, which calls `torch.compile` again
            return compiled
        if isinstance(compiled, torch.nn.Module):
            compiled.forward = self._without_mode(compiled.forward)
            return compiled
        return self._without_mode(compiled)

    def _without_mode(self, compiled: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(compiled)
        def call(*args: Any, **kwargs: Any) -> Any:
            was_on = take_away(self._mode)
            if was_on:
                self._remark(_COMPILED)
            try:
                return compiled(*args, **kwargs)
            finally:
                if was_on:
                    self._mode.__enter__()

        return call

    def _remark(self, remark: Text) -> None:
        if remark not in self.remarks:
            self.remarks.append(remark)

    def _break(self, error: Exception) -> None:
        self._on = False
        self.remarks.append(_BROKEN.format(type(error).__name__))

    # ---- backward --------------------------------------------------------------------------------------------------------

    def run_pass(self, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Runs a backward pass for the program."""
        if not self._on:
            return run(*args, **kwargs)
        if threading.get_ident() != self._thread:
            self._remark(_OTHER_THREADS)
            return run(*args, **kwargs)
        self._depth += 1
        try:
            return self._run_watched(run, args, kwargs, sys._getframe(2))
        finally:
            self._depth -= 1
            if not self._depth:
                self._raised = None

    def _run_watched(self, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: Any) -> Any:
        begun = _next_node()
        silent = self._silently_stale(args, kwargs, frame) if self._suspicious else []
        try:
            with in_force(self._mode):
                result = run(*args, **kwargs)
        except Exception as error:
            if error is not self._raised:
                self._raised = error
                self._explain(error, Asked.of(args, kwargs), frame)
            raise
        for each in silent:
            self._found(each)
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
                found = [each for node in reachable(roots) for each in self._stale.silently(node, frame)]
        except Exception as error:  # noqa: BLE001
            self._break(error)
            return []
        return [Failure("silent", (0, ""), self._places.of(frame), [saved], wrong=wrong) for saved, wrong in found]

    def _found(self, failure: Failure) -> None:
        """Keeps a failure; of those that are silent and have the same lines only the first, of others the last ones."""
        if failure.kind == "silent":
            if failure.lines in self._silent_lines:
                return
            self._silent_lines.add(failure.lines)
        self.failures.append(failure)
        del self.failures[:-FAILURES]

    def _explain(self, error: Exception, asks: Asked, frame: Any) -> None:
        """Finds out why a pass has failed."""
        with torch._C.DisableTorchFunction():
            try:
                self._find_out(error, asks, self._places.of(frame), frame)
            except Exception as own:  # noqa: BLE001  # a failure of the watch must not reach the program
                self._break(own)

    def _find_out(self, error: Exception, asks: Asked, needed: Place | None, frame: Any) -> None:
        message = message_of(error)
        told, key = stale(message), (id(error), message)
        if told is not None:
            saved, certain = self._stale.found_by(asks, told, frame)
            remarks = self.remarks if certain else [*self.remarks, _HIDDEN]
            self._found(Failure("stale", key, needed, saved, remarks=list(remarks)))
        elif is_second_pass(message):
            roots = [node for each in asks.roots if (node := root_node(each)) is not None]
            self._found(self._second_pass(key, needed, [each for each in reachable(roots) if has_released(each)]))

    def _second_pass(self, key: tuple[int, str], needed: Place | None, released: Sequence[Any]) -> Failure:
        """Returns what is known of a pass that found a node that has released what it had saved.

        It may have run other nodes before, and released what they had saved. These were made after the earlier pass.
        """
        for node in sorted(released, key=lambda each: -each._sequence_nr()):
            earlier = [place for begun, place in self._passes if begun > node._sequence_nr()]
            if earlier:
                return Failure("again", key, needed, [self._stale.of_node(node)], earlier[-1])
        return Failure("again", key, needed, [self._stale.of_node(each) for each in released[:1]])


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


def _written_silently(kind: Kind, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
    """Returns the tensors that a call writes without raising their versions."""
    if kind.name.startswith("_fused_"):
        return _flat(args[:1])
    trains = kwargs.get("training", kwargs.get("use_input_stats", len(args) > TRAINING and args[TRAINING]))
    return _flat(args[1:3]) if trains else ()


TRAINING = 5
"""The position of the argument of normalizations that says whether they train."""


def _outside_apply(frame: Any, places: Places) -> Place | None:
    """Returns the place from which the `torch.autograd.Function` was called whose `forward` runs; None if none does."""
    found = None
    while frame is not None:
        if frame.f_code is _APPLY:
            found = frame.f_back
        frame = frame.f_back
    return None if found is None else places.of(found)
