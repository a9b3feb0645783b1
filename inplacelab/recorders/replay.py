"""Runs a recorded program again, to try fixes for it.

A program may do anything, so only one that does nothing but compute with this package's tensors runs again. It gets copies of the tensors
that it was given, and names, modes, random numbers and built-in functions of its own, so that nothing outside it changes. What it lacks, such
as `open` or an object of an earlier cell, makes it fail; then no fix is tried.
"""

from __future__ import annotations

import ast
import builtins
import sys
import time
import traceback
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from contextvars import Context
from types import CodeType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from inplacelab import backends, dtypes, observe
from inplacelab.autograd import copy_saved_before_write
from inplacelab.autograd.nodes import AccumulateNode
from inplacelab.installing import NAME
from inplacelab.ops.results import random_stream
from inplacelab.recorders import instrument
from inplacelab.recorders.backward_passes import reachable
from inplacelab.recorders.bindings import Watched
from inplacelab.recorders.fix_search import LOSS, Budget, Outcome, named
from inplacelab.recorders.program import Program
from inplacelab.recorders.static import message_of
from inplacelab.recorders.trial_data import OWN, InitialValues, OtherData
from inplacelab.recorders.updates import Updates
from inplacelab.recording.fixes.order import keeps_order
from inplacelab.recording.fixes.recorded import trails_of
from inplacelab.recording.fixes.spots import OF_ONE_FILE, changed
from inplacelab.recording.source_tree import root_of
from inplacelab.tensor import Parameter, Tensor

if TYPE_CHECKING:
    from inplacelab.recording.facts import EditFacts
    from inplacelab.recording.fixes.spots import Trail
    from inplacelab.recording.recording import Recording

FILENAME = "<replay>"
"""Programs that run again have this file name."""
SECONDS = 2.0
"""The trials of one program take no longer than this in processor time, and a little."""
TRIALS = 40
"""So many edited programs are run."""


class Recorded(Protocol):
    """A recorded run."""

    @property
    def began(self) -> list[tuple[int, int, int]]: ...

    def recording(self) -> Recording: ...


Record = Callable[[Program, CodeType, dict[str, Any]], Recorded]
"""Runs an instrumented program with these names, and records it."""


class Passes(observe.Observer):
    """Collects the losses and gradients that backward passes give."""

    def __init__(self) -> None:
        self.found: list[dict[str, Any]] = []
        self._running: list[tuple[dict[str, Any], list[Any]]] = []
        self._results: WeakKeyDictionary[Any, weakref.ref[Any]] = WeakKeyDictionary()  # the tensor that each node made

    def operation(self, *done: Any, **_: Any) -> None:
        output, node = done[3:5]
        if node is not None and isinstance(output, Tensor):
            self._results[node] = weakref.ref(output)

    def backward_begins(self, roots: Sequence[tuple[Any, Any]]) -> None:
        begin = [node for node, _ in roots]
        nodes = reachable(begin, lambda node: [each for each in node.edges if each is not None])
        tensors = [self._results.get(each, lambda: None)() for each in begin]
        losses = {LOSS.format(k): each.numpy() for k, each in enumerate(tensors) if each is not None}
        self._running.append((losses, [node.leaf for node in nodes if isinstance(node, AccumulateNode)]))

    def backward_ends(self) -> None:
        losses, leaves = self._running.pop()
        gradients = {str(k): None if each._grad is None else each._grad.numpy() for k, each in enumerate(leaves)}
        self.found.append(losses | gradients)

    def backward_fails(self) -> None:
        self._running.pop()

    def tensors_returned(self, tensors: Sequence[Any]) -> None:
        self.found.append({str(k): each.numpy() for k, each in enumerate(tensors) if isinstance(each, Tensor)})


class Updating(observe.Observer):
    """Collects the writes to leaves that need a gradient, each with the gradient at that time: those that the engine does not refuse update them."""

    def __init__(self) -> None:
        self.updates = Updates()
        self._passes = 0

    def backward_begins(self, _: Sequence[tuple[Any, Any]]) -> None:
        self._passes += 1  # it writes to gradients, which are no parameters

    def backward_ends(self) -> None:
        self._passes -= 1

    def backward_fails(self) -> None:
        self._passes -= 1

    def operation(self, *done: Any, **_: Any) -> None:
        category, output, node = done[1], done[3], done[4]
        # A gradient, which `clear_grad` fills with zeros, may need a gradient itself.
        is_known = isinstance(output, Parameter) or (isinstance(output, Tensor) and output._grad is not None)
        is_leaf = is_known and not output.stop_gradient and output.node is None
        if category == "in-place" and node is None and is_leaf and not self._passes and self.updates.has_room:
            self.updates.add([None if output._grad is None else output._grad.numpy().copy()], [output.array.copy()])


class Varied(observe.Observer):
    """Gives other values to the tensors that the program makes of numbers. Other observers only look; this one is for trials."""

    def __init__(self, data: OtherData) -> None:
        self._data = data

    def operation(self, *done: Any, **_: Any) -> None:
        category, output = done[1], done[3]
        if category == "create" and isinstance(output, Tensor) and output.storage.device is backends.CPU:
            array = output.array
            array[...] = self._data.values(array) if np.issubdtype(array.dtype, np.floating) else array


class Replay:
    """Runs variants of one recorded program (see `fix_search.Runner`).

    Args:
        source: the program.
        given: what it was given.
        record: records a run.
        watched: the classes of its tensors.
    """

    lines = staticmethod(OF_ONE_FILE)

    def __init__(self, source: str, given: InitialValues, record: Record, watched: Watched) -> None:
        self._source, self._given, self._record, self._classes = source, given, record, watched
        self.budget = Budget(trials=TRIALS, seconds=SECONDS, clock=time.thread_time)

    def read(self, _: str) -> str:
        """Returns the program's text: it has one file."""
        return self._source

    def run(self, edits: Sequence[EditFacts], *, reference: bool = False, number: int = OWN) -> Outcome:
        """Runs the program (see `fix_search.Runner`). What it cannot do here is an error, too."""
        outcome, data, text = Outcome(), OtherData(number), self._edited(edits)

        def runs(tree: ast.Module, names: dict[str, Any]) -> None:
            passes, updating, keeper = Passes(), Updating(), copy_saved_before_write() if reference else nullcontext()
            varied = observe.listening(Varied(data)) if number else nullcontext()
            with keeper as copies, varied, observe.listening(passes), observe.listening(updating):
                exec(_compiled(keeping(tree) if reference else tree), names)
            outcome.copies = 0 if copies is None else copies.nbytes
            outcome.passes = passes.found
            outcome.updates, outcome.has_all_updates = updating.updates.found, updating.updates.is_whole
            outcome.values = named(names, text, self._classes, Tensor.numpy)

        outcome.error = self._apart(text, runs, data)
        return outcome

    def trails(self, edits: Sequence[EditFacts], _: Outcome) -> Sequence[Trail]:
        """Records a run that fails, and returns what its pass would have found overwritten or released."""
        found = self._recorded(self._edited(edits))
        return () if found is None else trails_of(found.recording())

    def keeps_order(self, edits: Sequence[EditFacts]) -> bool:
        """Whether edits move no statement across one that depends on it, or on which it depends."""
        found = self._recorded(self._source, reference=True)
        return found is not None and keeps_order(found.recording(), found.began, edits)

    def _edited(self, edits: Sequence[EditFacts]) -> str:
        return changed(edits, self.read)[""][1] if edits else self._source

    def _recorded(self, text: str, *, reference: bool = False) -> Recorded | None:
        found: list[Recorded] = []

        def runs(tree: ast.Module, names: dict[str, Any]) -> None:
            program = Program.of(tree, text.rstrip("\n"), FILENAME)
            code = _compiled(instrument.instrumented(keeping(tree) if reference else tree))
            with copy_saved_before_write() if reference else nullcontext():
                found.append(self._record(program, code, names))

        self._apart(text, runs, OtherData())
        return found[0] if found else None

    def _apart(self, text: str, runs: Callable[[ast.Module, dict[str, Any]], None], data: OtherData) -> str:
        """Runs a program where it changes nothing outside. Returns its error."""
        ledger = backends.CPU.ledger
        peaks = ledger.peak, ledger.scratch
        dtype = dtypes.get_default_dtype()
        names: dict[str, Any] = {}
        try:
            if ledger.episodes:
                raise _CannotError  # another recording runs, which would count what this makes
            tree = ast.parse(text)
            _check(tree, self._given.outside)
            with random_stream.preserved():
                if data.number:
                    tree = _reseeded(tree, data)
                    random_stream.seed(data.seed(0))
                names |= {**self._given.names(data.values), "__builtins__": self._builtins(), "__name__": "__main__"}
                Context().run(runs, tree, names)
        except Exception as error:  # noqa: BLE001  # whatever a program raises is an outcome
            traceback.clear_frames(error.__traceback__)
            return f"{type(error).__name__}: {message_of(error)}"
        finally:
            names.clear()
            dtypes.set_default_dtype(dtype)
            ledger.peak, ledger.scratch = peaks
        return ""

    def _builtins(self) -> dict[str, Any]:
        found = {name: getattr(builtins, name) for name in _BUILTINS}
        found |= {
            name: each
            for name, each in vars(builtins).items()
            if isinstance(each, type) and issubclass(each, BaseException)
        }
        return {
            **found,
            "print": _nothing,
            "__import__": _imported,
            instrument.CALL: instrument.statement_begins,
            instrument.LOOP: instrument.loop_begins,
            _WATCHED: self._watched,
            _MORE: self._more,
        }

    def _watched(self, values: Iterable[Any]) -> Iterator[Any]:
        """Yields the values as long as there is time."""
        for value in values:
            self._more()
            yield value

    def _more(self) -> bool:
        if not self.budget.has_time:
            raise TimeoutError
        return True


_WATCHED, _MORE = "__inplacelab_watched__", "__inplacelab_more__"
_BUILTINS = (
    "__build_class__", "abs", "all", "any", "bool", "bytes", "callable", "classmethod", "complex", "dict", "divmod", "enumerate", "filter",
    "float", "format", "frozenset", "hash", "id", "int", "isinstance", "issubclass", "iter", "len", "list", "map", "max", "min", "next",
    "object", "pow", "property", "range", "repr", "reversed", "round", "set", "slice", "sorted", "staticmethod", "str", "sum", "super",
    "tuple", "type", "zip", "Ellipsis", "NotImplemented",
)  # fmt: skip
_ARRAYS = SimpleNamespace(**{
    name: getattr(np, name)
    for name in (
        "array", "asarray", "arange", "linspace", "zeros", "ones", "full", "eye", "float16", "float32", "float64", "int8", "int16", "int32",
        "int64", "uint8", "bool_", "complex64", "complex128", "allclose", "array_equal", "isnan", "inf", "nan", "pi", "newaxis",
    )
})  # fmt: skip
"""What a program finds in NumPy: nothing that reads or writes files, or draws random numbers."""
_ELSEWHERE = frozenset({
    "save", "load", "record", "explain", "advise", "set_device", "set_language", "set_printoptions", "tofile", "to_dlpack", "device",
    "cuda", "pin_memory", "io", "kernels", "lessons", "recorders", "frameworks", "cli", "diagnosis", "memory", "devices", "storage", "modes",
    "gi_frame", "cr_frame", "ag_frame", "tb_frame", "f_globals", "f_builtins", "f_locals",
})  # fmt: skip
"""Attributes through which a program would reach what is outside it."""


class _CannotError(Exception):
    """Raised for a program that may change something outside it."""


def _check(tree: ast.Module, outside: Iterable[str]) -> None:
    """Raises `_CannotError` if a program uses or sets something outside it.

    Args:
        tree: the program.
        outside: the names of modules, classes and functions that it was given.
    """
    nodes = list(ast.walk(tree))
    imported = (each for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for each in node.names)
    fixed = {*outside, *((each.asname or each.name).partition(".")[0] for each in imported), *_BUILTINS}
    for node in nodes:
        if isinstance(node, ast.Name) and _is_private(node.id):
            raise _CannotError
        if isinstance(node, ast.Attribute):
            sets = not isinstance(node.ctx, ast.Load) and root_of(node.value) in (*fixed, None)
            if sets or node.attr in _ELSEWHERE or _is_private(node.attr):
                raise _CannotError


def _compiled(tree: ast.Module) -> CodeType:
    """Compiles a program so that its loops end when its time is over."""
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension):
            node.iter = ast.copy_location(ast.Call(_name(_WATCHED, node.iter), [node.iter], []), node.iter)
        elif isinstance(node, ast.While):
            more = ast.copy_location(ast.Call(_name(_MORE, node.test), [], []), node.test)
            node.test = ast.copy_location(ast.BoolOp(ast.And(), [more, node.test]), node.test)
    return compile(tree, FILENAME, "exec", dont_inherit=True)


def keeping(tree: ast.Module) -> ast.Module:
    """Returns a program whose calls of `backward` and `grad` say `retain_graph=True`."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("backward", "grad")
        ):
            others = [each for each in node.keywords if each.arg != "retain_graph"]
            node.keywords = [*others, ast.keyword("retain_graph", ast.Constant(True))]
    return ast.fix_missing_locations(tree)


def _reseeded(tree: ast.Module, data: OtherData) -> ast.Module:
    """Returns a program whose calls of `seed` and `manual_seed` give other seeds."""
    for node in ast.walk(tree):
        called = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        if called in ("seed", "manual_seed"):
            assert isinstance(node, ast.Call)
            for each in node.args:
                if isinstance(each, ast.Constant):
                    each.value = data.seed(each.value)
    return tree


def _is_private(name: str) -> bool:
    return name.startswith("__") and name not in ("__init__", "__call__", "__name__")


def _name(name: str, place: ast.expr) -> ast.Name:
    return ast.copy_location(ast.Name(name, ast.Load()), place)


def _nothing(*_: object, **__: object) -> None:
    """Prints nothing."""


def _imported(name: str, _globals: object, _locals: object, fromlist: Sequence[str] | None = (), level: int = 0) -> Any:
    """Imports what a program may import."""
    top = name.partition(".")[0]
    if name == np.__name__:
        return _ARRAYS
    module = sys.modules.get(name) or sys.modules.get(top)
    if (
        level
        or module is None
        or module.__name__.partition(".")[0] not in (NAME, "math")
        or set(fromlist or ()) & _ELSEWHERE
    ):
        raise ImportError(name)
    return __import__(name, None, None, fromlist or ())
