"""Watches a PyTorch program for hours: notes which lines make grad nodes and which write, and nothing else, until a pass fails.

Then the graph is still there. It tells what its nodes have saved, and at which version that is now. The version at which it was saved is
in the error's message. The number of a node tells which line has made it, and the writes noted since then tell the rest.

Threads that the program starts meanwhile are watched, too; processes are not. Whatever the watch meets that it did not expect is left out: the program goes on.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakSet, ref

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.utils.hooks import RemovableHandle
from torch.utils.weak import WeakIdKeyDictionary

from inplacelab.diagnosis.findings import Finding
from inplacelab.diagnosis.places import Place, Places, beginning
from inplacelab.diagnosis.watch_log import MARKS, Counter, Made, Pass, StorageLog, WatchLog, Write, addresses, packed
from inplacelab.frameworks.torch import interception
from inplacelab.frameworks.torch.interception import (
    CompilerPatch,
    Mode,
    Patch,
    TorchKind,
    in_force,
    is_off,
    kind_of,
    take_away,
)
from inplacelab.frameworks.torch.readings import (
    has_version,
    is_wrapped,
    layout_of,
    needs_gradient,
    node_of,
    shape_of,
    storage_of,
    version_of,
)
from inplacelab.frameworks.torch.steps import Step, step_of
from inplacelab.language import Text
from inplacelab.recorders.program import call_from
from inplacelab.recorders.static import class_name, message_of

if TYPE_CHECKING:
    from inplacelab.frameworks.torch.aliases import Aliases
    from inplacelab.frameworks.torch.stale_values import StaleValues
    from inplacelab.recording.facts import AliasFacts, FailureFacts, Sites

# What explains a failure is imported when there is one: most programs are healthy.

PASSES = 1 << 10
"""Of so many passes it is known where they began."""

FAILURES = 64
"""So many failures are kept: a program may handle the errors of its passes, and go on."""

NAMED = 4
"""So many operands of an operation are looked for among the names of its expression."""

USED = 1 << 16
"""So many storages are remembered that operations with nodes have used."""

FUNCTIONS = 1 << 12
"""So many nodes of the program's own functions are remembered that may not be reachable from the roots of a pass."""

_Tensor: Any = torch.Tensor
_Storage: Any = torch.UntypedStorage
_base_of: Callable[[Any], Any] = _Tensor._base.__get__
_storage: Callable[[Any], Any] = _Tensor.untyped_storage
_next_node = torch._C._autograd._get_sequence_nr
_unseen = torch._C.DisableTorchFunction

_LEFT_OUT = Text(
    "Something was not watched: {0} inside the watch. The program went on as it does unwatched.",
    "有些操作没有监视：监视内部出现 {0}。程序照常继续运行。",
)
_OTHER_THREADS = Text(
    "Backward passes of threads that had begun before were not watched. `with inplacelab.explain():` inside the function that a thread "
    "runs watches it.",
    "没有监视此前已经启动的线程的反向传播。要监视，请在线程运行的函数内部使用 `with inplacelab.explain():`。",
)
_CHILDREN = Text(
    "The program started child processes, which were not watched. `with inplacelab.explain():` inside the function that one runs watches it.",
    "程序启动了子进程，其中的操作没有监视。要监视，请在子进程运行的函数内部使用 `with inplacelab.explain():`。",
)
_COMPILED = Text(
    "What functions compiled by `torch.compile` did was not watched. With `TORCHDYNAMO_DISABLE=1` in the environment, PyTorch runs them uncompiled, and "
    "they are watched.",
    "经 `torch.compile` 编译的函数，其中的操作没有监视。设置环境变量 `TORCHDYNAMO_DISABLE=1` 后，PyTorch 不编译这些函数，其中的操作就能监视。",
)


@dataclass(slots=True, eq=False)
class _Function:
    """A `torch.autograd.Function` that runs.

    Attributes:
        made: the nodes that were made for it, before what its `forward` does.
        marked: what its `forward` has marked as written.
    """

    made: list[Made] = field(default_factory=list)
    marked: Sequence[Any] = ()


@dataclass(slots=True, eq=False)
class _Thread:
    """A thread that is watched. It numbers its nodes by itself.

    Attributes:
        noted: nodes with lower numbers were made by operations that were noted, or before the watch.
        functions: each `torch.autograd.Function` that runs.
        depth: how many passes run inside others.
        raised: the error of a pass inside one that still runs.
        passes: where passes began, the number of the next node then, and the tensors with which they began, if these are not gone.
        step: the step of an optimizer that runs without the mode.
        stepping: the address of the frame that runs it.
    """

    noted: int
    functions: list[_Function] = field(default_factory=list)
    depth: int = 0
    raised: Exception | None = None
    passes: deque[Pass] = field(default_factory=lambda: deque(maxlen=PASSES))
    step: Step | None = None
    stepping: int = 0


@dataclass(slots=True, eq=False)
class _Call:
    """A call of a function that is noted when it has ended: what is known of it before.

    Attributes:
        kind, frame: which function, and from where.
        first: the number of the next node.
        tensors, versions: its tensors, and their versions.
        moving: the tensor that will get another storage, with its counter.
        silent: what it writes without raising versions.
    """

    kind: TorchKind
    frame: Any
    first: int
    tensors: Sequence[Any]
    versions: Sequence[int]
    moving: tuple[Any, Counter] | None = None
    silent: Sequence[Any] = ()


class TorchWatch:
    """Watches the thread that calls `begin`, and the threads that it starts, until `end`.

    Attributes:
        failures: the backward passes that failed.
    """

    framework = "torch"

    def __init__(self) -> None:
        self.failures: list[Finding] = []
        self._aliases: Aliases | None = None  # collected only if asked for
        self._silent_lines: set[Hashable] = set()
        self._remarks: list[Text] = []
        self._ledger = WatchLog(_Storage._expired, _Storage._free_weak_ref)
        self._functions: deque[ref[Any]] = deque(maxlen=FUNCTIONS)
        self._places = Places()
        self._mode = Mode(self)
        single = torch.autograd.function._SingleLevelFunction  # whose `apply` every other one calls
        self._patches: tuple[Patch, ...] = (
            Patch(torch.autograd, "_engine_run_backward", self.run_pass),
            Patch(torch, "compile", self._compiles),
            Patch(torch.Tensor, "set_", self.called, unless=partial(is_off, self._mode)),
            Patch(torch.optim.Optimizer, "zero_grad", self._clears),
            Patch(torch.nn.Module, "zero_grad", self._clears),
            Patch(torch.autograd.profiler.record_function, "__exit__", self._leaves),
            Patch(single, "apply", self._applies),
            Patch(torch.autograd.function.FunctionCtx, "mark_dirty", self._marks),
            Patch(threading.Thread, "start", self._starts),
            Patch(threading.Thread, "_bootstrap_inner", self._runs_thread),
            Patch(BaseProcess, "start", self._starts_child),
            Patch(BaseProcess, "_bootstrap", self._runs_child),
        )
        self._hooks: tuple[RemovableHandle, ...] = ()  # of all optimizers
        self._compiler = CompilerPatch(self)  # of functions that were compiled before
        self._is_off = False  # the mode, while one of these runs
        self._threads = threading.local()
        self._started: WeakSet[threading.Thread] = WeakSet()
        self._on = False
        self._has_children = False
        # Tensors that are alive and count their versions apart from others on their storages.
        self._apart: Any = WeakIdKeyDictionary()
        self._refused: Finding | None = None  # the last call that PyTorch has refused
        # The addresses of storages that a node may have saved something of; whether nodes were made whose operands are not known.
        self._used: set[int] = set()
        self._all_used = False
        self._has_others = False  # nodes made before the watch, or by a pass
        self._suspicious = False  # a write may have made a saved value stale without a new version

    @property
    def remarks(self) -> Sequence[Text]:
        """What was not watched. If a pass has failed, child processes, which may only load data, are no matter."""
        return [*self._remarks, *([_CHILDREN] if self._has_children and not self.failures else [])]

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
        self._places.root = beginning()
        self._threads.here, self._on, self._has_others = _Thread(_next_node()), True, _next_node() > 0
        for patch in self._patches:
            patch.begin()
        self._compiler.begin("")
        interception.report_fast_modules(self)
        self._put_in_force()

    def end(self, error: BaseException | None = None) -> None:
        """Ends that; `error` is what the program raised, which may have been refused at once."""
        if error is not None and self._on:
            self.ended_by(error)
        self._on, self._places.root = False, None
        self._take_away()
        interception.end_reports(self)
        for patch in self._patches:
            patch.end()
        self._compiler.end()
        self._ledger.forget()

    def _put_in_force(self) -> None:
        interception.put_in_force(self._mode)
        self._hooks = (
            register_optimizer_step_pre_hook(self._step_begins),
            register_optimizer_step_post_hook(self._step_ended),
        )

    def _take_away(self) -> bool:
        for hook in self._hooks:
            hook.remove()
        self._hooks = ()
        return take_away(self._mode)

    def _here(self) -> _Thread | None:
        """Returns the thread that runs now; None if it is not watched."""
        return getattr(self._threads, "here", None) if self._on else None

    def _safely(self, do: Callable[..., Any], *args: Any) -> Any:
        """Calls a part of the watch. What fails there must not reach the program; nor does code of the program run there."""
        try:
            with _unseen():
                return do(*args)
        except Exception as error:  # noqa: BLE001
            self._remark(_LEFT_OUT.format(type(error).__name__))
            return None

    # ---- threads ---------------------------------------------------------------------------------------------------------

    def _starts(self, start: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], _: FrameType) -> Any:
        """Starts a thread for the program."""
        if self._here() is not None:
            self._started.add(args[0])
        return start(*args, **kwargs)

    def _runs_thread(
        self, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], _: FrameType
    ) -> Any:
        """Runs a thread, in itself."""
        if args[0] not in self._started or not self._on:
            return run(*args, **kwargs)
        self._threads.here = _Thread(_next_node())
        self._mode.__enter__()
        try:
            return run(*args, **kwargs)
        finally:
            take_away(self._mode)

    def _starts_child(
        self, start: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], _: FrameType
    ) -> Any:
        """Starts a process for the program."""
        self._has_children |= self._here() is not None
        return start(*args, **kwargs)

    def _runs_child(self, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], _: FrameType) -> Any:
        """Runs a process that was forked, in itself: nobody would read what the watch finds there."""
        self.end()
        return run(*args, **kwargs)

    def fast_begins(self, module: Any) -> bool:
        """Lets PyTorch compute a module as it does without a mode. Nothing in it needs a gradient."""
        return self._here() is not None and interception.has_fast_path(module) and take_away(self._mode)

    def fast_ended(self, result: Any) -> None:
        """Watches again."""
        del result
        if self._on:
            interception.put_in_force(self._mode)

    # ---- operations ------------------------------------------------------------------------------------------------------

    def called(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType) -> Any:
        """Calls a function of PyTorch for the program (see `interception.Caller`)."""
        kind, here = kind_of(function), getattr(self._threads, "here", None) if self._on else None
        if kind.quiet or here is None or (kind.idle and kind.name != "grad"):
            return function(*args, **kwargs)
        if kind.is_pass or kind.idle:  # which may warn
            return call_from(frame, function, args, kwargs)
        call = self._safely(self._before, kind, frame, args, kwargs)
        result = None
        try:
            result = call_from(frame, function, args, kwargs)
        except RuntimeError as error:
            self._safely(self._refused_call, error, kind.name, frame, args, kwargs)
            raise
        finally:
            if call is not None:
                self._safely(self._note, here, call, result)
                if self._aliases is not None:
                    self._safely(self._collect, self._aliases, call)
        return result

    def _before(self, kind: TorchKind, frame: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> _Call:
        self._places.runs(frame)
        tensors, versions = _counted(_tensors(args, kwargs))
        call = _Call(kind, frame, _next_node(), tensors, versions)
        if kind.moves and tensors:
            log = self._log(tensors[0])
            call.moving = None if log is None else (tensors[0], self._counter(tensors[0], log))
        if kind.is_silent:
            call.silent = _written_silently(kind, args, kwargs)
        return call

    def _note(self, here: _Thread, call: _Call, result: Any) -> None:
        ledger, last, first = self._ledger, _next_node(), call.first
        ledger.operations += 1
        moment, results = ledger.passes(), (result,) if type(result) is torch.Tensor else _flat((result,))
        now = [*map(version_of, call.tensors)]
        writes, views = now != call.versions or call.silent, [each for each in results if _base_of(each) is not None]
        if first > here.noted:
            self._note_others(here, first)
        made = None
        if last != first:
            made = self._made(call, last, results, now, moment, bool(views and not writes))
            ledger.made(here, made)
        here.noted = last
        if call.moving is not None:
            self._moved(*call.moving)
        if call.kind.own_counter or (call.kind.name == "detach" and self._apart):
            self._safely(self._counts_apart, call, results)
        if writes or views:  # which most operations neither do nor make
            place = self._places.of(call.frame) if made is None else made.place
            if writes:
                self._note_writes(call, now, moment, place)
            self._made_views(call, views, place)

    def _made_views(self, call: _Call, views: Sequence[Any], place: Place | None) -> None:
        given = [*map(id, call.tensors)] if views else ()
        for each in views:
            if type(each) is torch.Tensor and id(each) not in given and (log := self._log(each)) is not None:
                log.made_view(id(each), layout_of(each), place)

    def _made(  # what is known of it
        self, call: _Call, last: int, results: Sequence[Any], now: Sequence[int], moment: int, viewed: bool
    ) -> Made:
        """Returns an operation that has made nodes. If it has written nothing and returns views, it may have saved nothing."""
        if viewed and last - call.first == 1 and _are_new_views(results, call.tensors):
            return Made(call.first, last, call.kind.name, self._places.of(call.frame), moment)
        given = _at(call.tensors, call.versions)
        later = results if now == call.versions else [*results, *call.tensors]
        versions = given + _at(*_counted(later))
        self._uses(versions[::2], call.silent)
        named = call.tensors[:NAMED] if len(given) == 2 * len(call.tensors) else ()
        place, labels = self._places.operands(call.frame, named)
        operands = addresses(named) if labels else b""
        return Made(call.first, last, call.kind.name, place, moment, packed(versions), labels, operands)

    def _uses(self, storages: Sequence[int], silent: Sequence[Any]) -> None:
        """Notes the storages of which an operation may have saved something: a normalization that trains does not use the statistics that it writes."""
        statistics = _at(silent, [0] * len(silent))[::2] if silent else ()
        self._used.update([each for each in storages if each not in statistics] if statistics else storages)
        if len(self._used) > USED:
            self._used.clear()
            self._all_used = True

    def collect_aliases(self) -> None:
        """Collects what is read under one name after a write under another, too."""
        from inplacelab.frameworks.torch.aliases import Aliases  # noqa: PLC0415  # only if they are asked for

        self._aliases = Aliases(self._places)
        self._patches += (Patch(torch, "from_numpy", self._shares_array),)

    @property
    def aliases(self) -> Sequence[AliasFacts] | None:
        """What was collected; None if that was not asked for."""
        return None if self._aliases is None else self._aliases.found

    def _shares_array(
        self, share: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        """Makes a tensor of an array, which no mode sees."""
        result = share(*args, **kwargs)
        if self._aliases is not None and self._here() is not None:
            self._safely(self._aliases.shared, frame, result)
        return result

    def _collect(self, aliases: Aliases, call: _Call) -> None:
        before = zip(call.tensors, call.versions, strict=True)
        written = [*(each for each, version in before if version_of(each) != version), *call.silent]
        aliases.note(call.kind.name, call.frame, call.tensors, written)

    def _note_writes(self, call: _Call, now: Sequence[int], moment: int, place: Place | None) -> None:
        by: Literal["", "step", "own"] = ""
        if not torch.is_grad_enabled():
            by = "step" if _is_step(call.frame) else "own"
        for tensor, before, after in zip(call.tensors, call.versions, now, strict=True):
            if before != after:
                self._safely(self._wrote, call.kind.name, moment, tensor, before, after, place, by)
        for tensor in call.silent:
            self._safely(self._wrote, call.kind.name, moment, tensor, version_of(tensor), version_of(tensor), place, by)

    def _note_others(self, here: _Thread, first: int) -> None:
        """Notes nodes that were made since the last operation by something that was not seen, such as compiled code."""
        if first > here.noted:
            self._all_used = True
            made = Made(here.noted, first, "", None, self._ledger.moment)
            self._ledger.made(here, made)
            here.noted = first
            if here.functions:  # its own node, say
                here.functions[-1].made.append(made)

    def _wrote(  # what is known of it
        self, op: str, moment: int, tensor: Any, before: int, after: int, place: Place | None, by: Literal["", "step", "own"] = "",
    ) -> None:  # fmt: skip
        storage, update = storage_of(tensor), by if by and _is_parameter(tensor) else ""
        if storage is None or (by == "step" and not update and self._is_unsaved(storage._cdata)):
            return
        log = self._ledger.storage(storage._cdata, storage._weak_ref)
        counter = self._counter(tensor, log)
        latest = log.writes[-1] if log.writes else None
        if latest is not None and latest.moment == moment and latest.after == after and latest.counter is counter:
            return  # noted for another alias
        layout = None if _base_of(tensor) is None else layout_of(tensor)
        if layout is None and not log.writes:
            log.shapes.add(tuple(shape_of(tensor)))
        silent = after == before
        if (silent or counter.is_apart) and self._may_be_saved(log.address):
            self._suspicious = True
        made = None if layout is None else log.view(id(tensor), layout)
        write = Write(moment, op, before, after, layout, place, counter, silent, made, update)
        log.writes.append(write)
        if counter.home is not log:
            counter.home.writes.append(write)  # which raises the version of what was saved there

    def _is_unsaved(self, storage: int) -> bool:
        """Whether no node has saved anything of a storage, such as that of an average of Adam's."""
        return not (self._has_others or self._may_be_saved(storage))

    def _may_be_saved(self, storage: int) -> bool:
        """Whether a node may have saved something of a storage, given by its address."""
        return self._all_used or storage in self._used

    def _counter(self, tensor: Any, log: StorageLog) -> Counter:
        """Returns the counter of a tensor, given what is known of its storage."""
        return (self._own_counter(tensor) if log.counts_apart else None) or log

    def _own_counter(self, tensor: Any) -> Counter | None:
        if self._apart:
            for each in (tensor, _base_of(tensor)):
                if each is not None and (found := self._apart.get(each)) is not None:
                    return found  # type: ignore[no-any-return]
        return None

    def _home(self, tensor: Any) -> StorageLog | None:
        counter = self._own_counter(tensor)
        return None if counter is None else counter.home

    def _counts_apart(self, call: _Call, results: Sequence[Any]) -> None:
        """Notes with which counter the results of `.data` and of `detach()` count."""
        for result in results:
            log = self._log(result)
            if log is None:
                continue
            if call.kind.own_counter:
                self._counts_by(result, log, Counter(log, is_apart=True))
            elif call.tensors and (counter := self._counter(call.tensors[0], log)) is not log:
                self._counts_by(result, log, counter)

    def _moved(self, tensor: Any, counter: Counter) -> None:
        """Notes that a tensor has got another storage, but has kept its counter: `x.data = y`."""
        log = self._log(tensor)
        if log is not None and log is not counter:
            self._counts_by(tensor, log, counter)

    def _counts_by(self, tensor: Any, log: StorageLog, counter: Counter) -> None:
        self._apart[tensor], log.counts_apart = counter, True

    def _log(self, tensor: Any) -> StorageLog | None:
        storage = storage_of(tensor)
        return None if storage is None else self._ledger.storage(storage._cdata, storage._weak_ref)

    # ---- optimizers ------------------------------------------------------------------------------------------------------

    def _clears(self, clear: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], _: FrameType) -> Any:
        """Calls `zero_grad`, which writes nothing if it drops the gradients: then without the mode, which it would call for each of them."""
        drops = args[1] if len(args) > 1 else kwargs.get("set_to_none", True)
        here = self._here()
        if here is not None:
            self._end_step(here, None)  # one that has raised
        if here is None or not drops or not take_away(self._mode):
            return clear(*args, **kwargs)
        try:
            return clear(*args, **kwargs)
        finally:
            interception.put_in_force(self._mode)

    def _step_begins(self, optimizer: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Takes the mode away while an optimizer runs a step (see `steps`)."""
        here = self._here()
        if here is None:
            return
        self._end_step(here, None)  # one that has raised, or in which this one runs
        if self._aliases is not None:  # what it reads and writes is looked at one by one
            return
        step = self._safely(step_of, optimizer, args, kwargs)
        if step is not None and take_away(self._mode):
            here.step, here.stepping = step, id(sys._getframe(1))

    def _step_ended(self, optimizer: Any, _: Sequence[Any], __: Mapping[str, Any]) -> None:
        here = self._here()
        if here is not None and here.step is not None and here.step.optimizer is optimizer:
            self._end_step(here, sys._getframe(1))

    def _leaves(
        self, leave: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        """Leaves the block in which an optimizer's step runs, also if that has raised: then no hook is called."""
        here = self._here()
        if here is not None and here.step is not None and here.stepping == id(frame):
            self._end_step(here, frame)
        return leave(*args, **kwargs)

    def _end_step(self, here: _Thread, frame: FrameType | None) -> None:
        step, here.step = here.step, None
        if step is not None:
            interception.put_in_force(self._mode)
            self._safely(self._note_step, step, frame)

    def _note_step(self, step: Step, frame: FrameType | None) -> None:
        self._ledger.operations += 1
        moment, place = self._ledger.passes(), self._places.of(frame)
        for tensor, before in zip(step.tensors, step.versions, strict=True):
            if (after := version_of(tensor)) != before:
                self._wrote("step", moment, tensor, before, after, place, "step")

    # ---- functions of the program ----------------------------------------------------------------------------------------

    def _applies(
        self, apply: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        """Calls the `apply` of a `torch.autograd.Function`, of which a mode sees only what its `forward` does."""
        here = self._here()
        if here is None:
            return apply(*args, **kwargs)
        first = _next_node()
        self._note_others(here, first)
        here.functions.append(runs := _Function())
        result = None
        try:
            result = apply(*args, **kwargs)
        finally:
            self._note_others(here, _next_node())
            here.functions.pop()
            self._safely(self._note_function, here, runs, frame, _tensors(args, {}), result)
        return result

    def _note_function(self, here: _Thread, runs: _Function, frame: Any, tensors: Sequence[Any], result: Any) -> None:
        self._ledger.operations += 1
        moment, place, results = self._ledger.passes(), self._places.of(frame), _flat((result,))
        versions = packed(_at(*_counted([*results, *tensors])))
        for made in runs.made:
            self._ledger.remade(here, made, made._replace(op="apply", place=place, moment=moment, versions=versions))
        if result is not None:
            self._note_marks(runs.marked, moment, place)
        for each in results:
            if _base_of(each) is None:  # the node of a view may have to be made first
                self._remember(node_of(each))

    def _note_marks(self, marked: Sequence[Any], moment: int, place: Place | None) -> None:
        """Notes that PyTorch has raised a version once for each tensor that was marked as written."""
        by_version: dict[tuple[StorageLog, Counter, int], list[Any]] = {}
        for tensor in marked:
            log = self._log(tensor)
            if log is not None:
                by_version.setdefault((log, self._counter(tensor, log), version_of(tensor)), []).append(tensor)
        for (_, _, after), alike in by_version.items():
            self._wrote(MARKS, moment, alike[0], after - len(alike), after, place)

    def _marks(self, mark: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], _: FrameType) -> Any:
        """Calls `ctx.mark_dirty`."""
        here = self._here()
        if here is not None and here.functions:
            here.functions[-1].marked = args[1:]
            self._safely(self._remember, args[0])
        return mark(*args, **kwargs)

    def _remember(self, node: Any) -> None:
        """Remembers a node of a `torch.autograd.Function`, which may be inside of another node, or belong to a `checkpoint`."""
        if node is not None and issubclass(type(node), torch.autograd.function.BackwardCFunction):
            with suppress(TypeError):  # it takes no weak references
                self._functions.append(ref(node))

    def _compiles(
        self, compiler: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], _: FrameType
    ) -> Any:
        """Compiles a function or a module that runs without the mode, which PyTorch's compiler would trace."""
        compiled = compiler(*args, **kwargs)
        given = args[0] if args else kwargs.get("model")
        # A decorator, which calls `torch.compile` again; or the compiler is off.
        if given is None or compiled is given:
            return compiled
        if isinstance(compiled, torch.nn.Module):
            compiled.forward = self._without_mode(compiled.forward)
            return compiled
        return self._without_mode(compiled)

    def _without_mode(self, compiled: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(compiled)
        def call(*args: Any, **kwargs: Any) -> Any:
            was_on = not is_off(self._mode) and self._take_away()
            if was_on:
                self._remark(_COMPILED)
            try:
                return compiled(*args, **kwargs)
            finally:
                if was_on:
                    self._put_in_force()

        return call

    def compiled_begins(self) -> None:
        """Takes away what PyTorch's compiler would trace, while code runs that was compiled before the watch."""
        if self._here() is not None and not is_off(self._mode):
            self._is_off = self._take_away()
            self._remark(_COMPILED)

    def compiled_ended(self) -> None:
        """Puts it back."""
        if self._is_off and self._here() is not None:
            self._is_off = False
            self._put_in_force()

    def _remark(self, remark: Text) -> None:
        if remark not in self._remarks:
            self._remarks.append(remark)

    # ---- backward --------------------------------------------------------------------------------------------------------

    def run_pass(
        self, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        """Runs a backward pass for the program."""
        here = self._here()
        if here is None:
            if self._on:
                self._remark(_OTHER_THREADS)
            return run(*args, **kwargs)
        self._end_step(here, None)  # one that has raised
        here.depth += 1
        try:
            return self._run_watched(here, run, args, kwargs, frame)
        finally:
            here.depth -= 1
            if not here.depth:
                here.raised = None

    def _run_watched(
        self, here: _Thread, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: Any
    ) -> Any:
        begun = _next_node()
        silent = (self._safely(self._silently_stale, args, kwargs, frame) or ()) if self._suspicious else ()
        try:
            with in_force(self._mode):
                result = run(*args, **kwargs)
        except Exception as error:
            if error is not here.raised:
                here.raised = error
                self._safely(self._find_out, here, error, args, kwargs, frame)
            raise
        self._safely(self._ran, here, begun, silent, frame, args)
        return result

    def _ran(self, here: _Thread, begun: int, silent: Sequence[Finding], frame: Any, args: Sequence[Any]) -> None:
        for each in silent:
            self._found(each)
        place, last = self._places.of(frame), _next_node()
        roots = tuple(ref(each) for each in args[0] if isinstance(each, torch.Tensor))
        here.passes.append(Pass(begun, place, roots))
        if last > max(begun, here.noted):  # with `create_graph=True`
            self._has_others = True
            self._ledger.made(here, Made(max(begun, here.noted), last, "backward", place, self._ledger.moment))
            here.noted = last

    def _stale(self) -> StaleValues:
        from inplacelab.frameworks.torch.stale_values import StaleValues  # noqa: PLC0415

        return StaleValues(self._ledger, self._functions, self._home)

    def _silently_stale(self, args: Sequence[Any], kwargs: Mapping[str, Any], frame: Any) -> list[Finding]:
        """Returns what a pass will use that was overwritten without a new version."""
        return [
            self._finding(each) for each in self._stale().silent(args, kwargs, frame, _sites(self._places.of(frame)))
        ]

    def _found(self, failure: Finding) -> None:
        """Keeps a failure; of those that are silent and have the same lines only the first, of others the last ones."""
        if failure.facts.kind == "silent":
            of_writes = (frozenset(each.sites for each in value.writes) for value in failure.facts.values)
            lines = failure.facts.needed, failure.facts.values[0].sites, *of_writes
            if lines in self._silent_lines:
                return
            self._silent_lines.add(lines)
        self.failures.append(failure)
        del self.failures[:-FAILURES]

    def _find_out(
        self, here: _Thread, error: Exception, args: Sequence[Any], kwargs: Mapping[str, Any], frame: Any
    ) -> None:
        """Finds out why a pass has failed."""
        message, needed = message_of(error), _sites(self._places.of(frame))
        found = self._stale().failed(message, args, kwargs, frame, needed, here.passes)
        if found is not None:
            found = replace(found, remarks=(*self._remarks, *found.remarks)) if found.kind == "stale" else found
            self._found(self._finding(found, (class_name(type(error)), message), id(error)))

    # ---- what is refused at once -----------------------------------------------------------------------------------------

    def _refused_call(
        self, error: RuntimeError, op: str, frame: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        """Notes that PyTorch has refused a call. It is said of the error that ends the program: others were handled."""
        from inplacelab.frameworks.torch import refusals  # noqa: PLC0415
        from inplacelab.recording.refused_words import rule_in  # noqa: PLC0415

        message = message_of(error)
        if rule_in(message) is None or (self._refused is not None and self._refused.address == id(error)):
            return
        facts = refusals.refused(error, op, _tensors(args, kwargs), frame, self._places.of(frame), self._view_made)
        if facts is not None:
            self._refused = self._finding(facts, (class_name(type(error)), message), id(error))

    def ended_by(self, error: BaseException) -> None:
        """Finds out what was refused at once, if that has ended the program."""
        self._safely(self._find_refusal, error)

    def _find_refusal(self, error: BaseException) -> None:
        if any(each.address == id(error) for each in self.failures):
            return
        known, told = self._refused, (class_name(type(error)), message_of(error))
        if known is not None and known.address == id(error) and known.error == told:
            self._found(known)
            return
        from inplacelab.frameworks.torch import refusals  # noqa: PLC0415

        frame, place = self._places.of_error(error)
        facts = (
            None if frame is None or place is None else refusals.without_gradient(error, frame, place, self._node_made)
        )
        if facts is not None:
            self._found(self._finding(facts, told, id(error)))

    def _view_made(self, view: Any) -> Place | None:
        log = self._log(view)
        return None if log is None else log.view(id(view), layout_of(view))

    def _node_made(self, tensor: Any) -> Place | None:
        node = node_of(tensor)
        makers = [] if node is None else self._ledger.makers(node._sequence_nr())
        return makers[-1].place if makers else None

    def _finding(self, facts: FailureFacts, error: tuple[str, str] | None = None, address: int = 0) -> Finding:
        """Returns a finding, with what is to be said of the texts of its files."""
        from inplacelab.recording.trace import places_of  # noqa: PLC0415

        sources = self._places.sources
        remarks = (*facts.remarks, *sources.remarks(each.file for each in places_of(facts)))
        return Finding(replace(facts, remarks=remarks), error, address=address, is_complete=False, text_of=sources.text)


OUTWARD = 12
"""So many frames around an operation are looked at for an optimizer's step."""


def _is_step(frame: FrameType | None) -> bool:
    """Whether a frame runs inside the step of an optimizer."""
    for _ in range(OUTWARD):
        if frame is None:
            return False
        if frame.f_code.co_name == "step" and isinstance(frame.f_locals.get("self"), torch.optim.Optimizer):
            return True
        frame = frame.f_back
    return False


def _is_parameter(tensor: Any) -> bool:
    """Whether a tensor is a leaf that requires a gradient, or a view of one."""
    base = _base_of(tensor)
    whole = tensor if base is None else base
    return bool(whole.is_leaf and whole.requires_grad)


def _are_new_views(results: Sequence[Any], given: Sequence[Any]) -> bool:
    """Whether all results of a call are views with nodes, and none of its arguments."""
    known = [*map(id, given)]
    return all(_base_of(each) is not None and needs_gradient(each) and id(each) not in known for each in results)


def _sites(place: Place | None) -> Sites:
    return () if place is None else place.facts


def _counted(tensors: Sequence[Any]) -> tuple[Sequence[Any], list[int]]:
    """Returns the tensors that have a version, which inference tensors have not, and their versions."""
    try:
        return tensors, [*map(version_of, tensors)]
    except RuntimeError:
        counted = [each for each in tensors if has_version(each)]
        return counted, [version_of(each) for each in counted]


def _at(tensors: Sequence[Any], versions: Sequence[int]) -> list[int]:
    """Returns the address of each tensor's storage, followed by its version."""
    found: list[int] = []
    if not any(map(is_wrapped, tensors)):  # this runs at every operation
        try:
            for tensor, version in zip(tensors, versions, strict=True):
                found += _storage(tensor)._cdata, version
        except RuntimeError:  # such as a sparse tensor
            found = []
        else:
            return found
    for tensor, version in zip(tensors, versions, strict=True):
        with suppress(RuntimeError):
            storage = storage_of(tensor) if is_wrapped(tensor) else _storage(tensor)
            if storage is not None:
                found += storage._cdata, version
    return found


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


def _written_silently(kind: TorchKind, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
    """Returns the tensors that a call writes without raising their versions."""
    if kind.name.startswith("_fused_"):
        return _flat(args[:1])
    trains = kwargs.get("training", kwargs.get("use_input_stats", len(args) > TRAINING and args[TRAINING]))
    return _flat(args[1:3]) if trains else ()


TRAINING = 5
"""The position of the argument of normalizations that says whether they train."""
