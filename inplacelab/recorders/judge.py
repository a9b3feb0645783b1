"""Replays a program of another framework on this package's engine while it runs, and compares the gradients.

Each tensor of the program has a *twin*: a tensor of the engine with the same values. After a call, the same operation runs on the twins of its
operands, and the twin of the result gets the framework's values, so rounding does not add up: only the history is the engine's. A result that
the engine computes otherwise, or an operation that it lacks, leaves a *gap*: gradients that pass through it are not compared. Nothing is
overwritten for the engine (`copy_saved_before_write`), so its gradients are those of what was computed.

When a backward pass has ended, the engine goes through the history of the twins, and each gradient that the framework has computed is compared
with the engine's. If they differ, the operations on the way are tried one by one in the framework, to find the one whose own gradient is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import Context
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from inplacelab import observe
from inplacelab.autograd import copy_saved_before_write, grad, no_grad
from inplacelab.autograd.nodes import AccumulateNode
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.explicit_views import as_strided
from inplacelab.recorders.backward_passes import reachable
from inplacelab.recorders.guard import described
from inplacelab.recorders.snapshots import BITS
from inplacelab.tensor import Tensor

if TYPE_CHECKING:
    from inplacelab.place import Place
    from inplacelab.recorders.backward_passes import PassArguments
    from inplacelab.recorders.call_recorder import Call, CallRecorder
    from inplacelab.recorders.known_objects import KnownStorage, KnownTensor

LARGEST = 1 << 22
"""Tensors with more elements have no twin."""
ROOM = 1 << 27
"""A program is replayed until its operations have computed so many elements."""
SHOWN = 16
"""Gradients of up to this many elements are kept with their values."""
_DTYPES = frozenset({"float32", "float64"})
_TOLERANCES = {"float32": (1e-3, 1e-4), "float64": (1e-7, 1e-9)}
"""By dtype: how far two gradients may be apart, as a part of the largest element of the gradient itself, and of all gradients of the pass."""


@dataclass(frozen=True, eq=False)
class Gap:
    """A place where the engine does not know how a value was computed.

    Attributes:
        name: the operation.
        place: where it ran.
        behind: the twins that the value was computed from; None if that is not known.
    """

    name: str
    place: Place | None
    behind: tuple[Tensor, ...] | None


@dataclass(frozen=True)
class Replayed:
    """A call that was replayed, with all that it takes to make it again.

    Attributes:
        name: the operation.
        place: where it ran.
        function: the framework's function.
        engine: the engine's.
        args, kwargs: its arguments, in which an `Operand` stands for each tensor.
        values: the values of the tensors before the call.
        needs: which of them needed a gradient.
        names: the program's names for them.
    """

    name: str
    place: Place | None
    function: Callable[..., Any]
    engine: Callable[..., Any]
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    values: Sequence[Any]
    needs: Sequence[bool]
    names: Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Operand:
    """Stands for a tensor among the arguments of a call."""

    number: int


@dataclass(frozen=True)
class Cause:
    """The operation whose own gradient is wrong.

    Attributes:
        name: the operation.
        place: where it ran.
        operand: the names of the operand that gets a wrong gradient.
        dtype: its dtype.
        found, expected: the gradients that the framework and the engine give it.
    """

    name: str
    place: Place | None
    operand: tuple[str, ...]
    dtype: str
    found: Any
    expected: Any


@dataclass(frozen=True)
class Difference:
    """A gradient that differs from that of the replayed operations.

    Attributes:
        names: the names of the leaf, or of the input of a pass that returns gradients.
        found: the framework's gradient, as an array; None if it gave none.
        expected: the engine's.
        place: where the pass began.
        number: the number of the pass, from 1 on.
        cause: the operation whose own gradient is wrong; None if each one's is right, so that the history is.
        writes: where the history passes writes, the last one first.
    """

    names: tuple[str, ...]
    found: Any
    expected: Any
    place: Place | None
    number: int
    cause: Cause | None = None
    writes: tuple[Place, ...] = ()


@dataclass
class Judgement:
    """What the comparison has shown.

    Attributes:
        compared: how many gradients were equal.
        differences: those that were not, once for each leaf and place.
        left_out: names of gradients that were not compared, with the gap that is to blame.
        passes: how many passes were compared.
        ended: whether the replay ended early, since the program computes too much, or the replay failed.
        failure: the error with which it failed.
    """

    compared: int = 0
    differences: list[Difference] = field(default_factory=list)
    left_out: dict[tuple[str, ...], Gap | None] = field(default_factory=dict)
    passes: int = 0
    ended: bool = False
    failure: str = ""


class Engine(Protocol):
    """How calls of a framework are made on the engine."""

    def function_for(self, call: Any) -> Callable[..., Any] | None:
        """Returns the engine's function for a call; it gets the arguments of the call, with twins. None if there is none."""

    def is_custom(self, call: Any) -> bool:
        """Whether a call is one of the program's own functions, with a `backward` of its own."""

    def has_history(self, tensor: Any) -> bool:
        """Whether a tensor was computed from others that need a gradient."""

    def tracks(self) -> bool:
        """Whether operations keep history now."""

    def gradients(
        self, function: Callable[..., Any], filled: Callable[[Sequence[Any]], tuple[Sequence[Any], Mapping[str, Any]]],
        values: Sequence[Any], needs: Sequence[bool], position: int, gradient: Any,
    ) -> Sequence[Any]:  # fmt: skip
        """Makes a call on new tensors in the framework. Returns the gradients of those that need one, as arrays or None."""


@dataclass
class _Pass:
    """A running pass."""

    asks: PassArguments
    place: Place | None
    roots: list[Tensor]
    seeds: list[Tensor | None]
    before: dict[int, Any]
    is_known: bool


class Judge:
    """Replays a program (see the module).

    Args:
        recorder: the recorder of the program.
        engine: how its calls are made on the engine.

    Attributes:
        judgement: what the comparison has shown.
    """

    def __init__(self, recorder: CallRecorder[Any], engine: Engine) -> None:
        self.judgement = Judgement()
        self._recorder, self._engine = recorder, engine
        self._context = Context()
        self._context.run(copy_saved_before_write().__enter__)
        self._room = ROOM
        self._running: list[_Pass | None] = []
        self._hooked: WeakSet[Any] = WeakSet()
        self._hooked_leaves: set[int] = set()
        self._calls: WeakKeyDictionary[Any, tuple[Replayed, int]] = WeakKeyDictionary()

    def told(self, what: str, *given: Any) -> None:
        """Calls a method. If that fails, the replay ends: the program goes on."""
        try:
            getattr(self, what)(*given)
        except Exception as error:  # noqa: BLE001  # whatever it is
            self.judgement.failure = described(error)
            self._end()

    # ---- calls -----------------------------------------------------------------------------------------------------------

    def call_begins(self, call: Call) -> None:
        """Called before an operation, when its operands are known: gives the twins the values that they have now."""
        if self.judgement.ended:
            return
        for known, tensor in zip(call.known, call.tensors, strict=True):
            self._update(known, tensor)
        if self._is_tracked(call):
            call.values = [None if each.twin is None else each.twin.array.copy() for each in call.known]

    def call_ended(self, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any], results: Sequence[Any]) -> None:
        """Called after an operation, when its results are known."""
        if self.judgement.ended:
            return
        name = call.kind.name
        if name == "register_hook":
            self._note_hook(call)
        if name in _SETS_FLAG and call.known and call.known[0].twin is not None:
            self._set_flag(call.known[0], call.tensors[0])
            return
        if not self._is_tracked(call):
            return
        objects = self._recorder.objects
        given = [known for known, _ in zip(call.known, call.tensors, strict=True)]
        new = [(objects.tensors.find(each), each) for each in results]
        made = [(known, each) for known, each in new if known is not None and known not in given]
        self._room -= sum(_size(known) for known, _ in (*made, *zip(given, call.tensors, strict=True)))
        if self._room < 0:
            self._end()
            return
        if name in _CUTS_HISTORY:
            return
        behind = tuple(each.twin for each in given if each.twin is not None)
        if self._engine.is_custom(call):
            for known, tensor in new:
                if known is not None:
                    self._leave_gap(known, tensor, name, call.place, behind)
            return
        if made and all(self._show(known, given) for known, _ in made):
            return
        replayed = self._replayed(call, args, kwargs)
        found = self._ran(replayed, behind, given) if replayed is not None else ()
        for position, ((known, tensor), twin) in enumerate(zip(made, [*found, *[None] * len(made)], strict=False)):
            if known.twin is None and not self._take(known, twin, given):
                self._leave_gap(known, tensor, name, call.place, behind)
            elif replayed is not None and known.twin is not None and known.twin.node is not None:
                self._calls[known.twin.node] = replayed, position
        self._follow_writes(call, given, behind, replayed)

    def _is_tracked(self, call: Call) -> bool:
        """Whether the history of a call's operands goes on with it."""
        needs = any(each.twin is not None and not each.twin.stop_gradient for each in call.known)
        return needs and self._engine.tracks()

    def _replayed(self, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Replayed | None:
        function = self._engine.function_for(call)
        if function is None or call.unknown or any(each.twin is None for each in call.known):
            return None
        operands = {id(each): Operand(k) for k, each in enumerate(call.tensors)}
        return Replayed(
            call.kind.name, call.place, call.function, function, _replaced(args, operands), _replaced(kwargs, operands),
            getattr(call, "values", ()), [not each.twin.stop_gradient for each in call.known], [each.names for each in call.known],
        )  # fmt: skip

    def _ran(self, call: Replayed, twins: Sequence[Tensor], given: Sequence[KnownTensor]) -> list[Any]:
        """Runs a call on twins. Returns its results; nothing if the engine refuses it."""
        args, kwargs = _with(call.args, twins), _with(call.kwargs, twins)
        try:
            result = self._context.run(call.engine, *args, **kwargs)
        except Exception:  # noqa: BLE001  # whatever the engine says, it does not compute this
            return []
        return list(_tensors(result))

    def _show(self, known: KnownTensor, given: Sequence[KnownTensor]) -> bool:
        """Makes the twin of a view, on the storage of the twin of its base. Returns whether it could."""
        for base in given:
            if base.storage is not known.storage or base.twin is None or base.operand.dtype != known.operand.dtype:
                continue
            if base.operand.layout.shape != tuple(base.twin.shape) or base.operand.layout != base.twin.layout:
                continue
            layout, item = known.operand.layout, base.twin.element_size()
            try:
                twin = self._context.run(
                    as_strided, base.twin, list(layout.shape), list(layout.strides), layout.offset * item
                )
            except Exception:  # noqa: BLE001  # the engine has no such view
                continue
            if _same(twin.array, _values(known)):
                known.twin = twin
                return True
        return False

    def _take(self, known: KnownTensor, twin: Tensor | None, given: Sequence[KnownTensor]) -> bool:
        """Takes a result of the engine as the twin of a tensor. Returns whether it is the same, within rounding."""
        values = _values(known)
        if twin is None or values is None or not _close(twin.array, values):
            return False
        if any(each.twin is not None and each.twin.storage is twin.storage for each in given):
            twin = self._context.run(twin.clone)  # a copy in the framework
        twin.array[...] = values
        known.twin = twin
        return True

    def _follow_writes(
        self, call: Call, given: Sequence[KnownTensor], behind: tuple[Tensor, ...], replayed: Replayed | None
    ) -> None:
        """Looks whether the engine has written what the framework has."""
        version_of = self._recorder.read.version_of
        for known, tensor, before in zip(given, call.tensors, call.versions, strict=True):
            if version_of(tensor) == before or known.twin is None:
                continue
            written, values = known.twin, _values(known)
            if values is not None and _close(written.array, values):
                written.array[...] = values
                if replayed is not None and written.node is not None:
                    self._calls[written.node] = replayed, 0
            for other in list(known.storage.tensors.values()):
                if other.twin is None:
                    continue
                apart = other.twin.storage is not written.storage and not (
                    other.twin.stop_gradient and written.stop_gradient
                )
                if apart or not _same(other.twin.array, _values(other)):
                    object_ = other.alive()
                    self._leave_gap(other, object_, call.kind.name, call.place, (*behind, other.twin))

    # ---- twins -----------------------------------------------------------------------------------------------------------

    def _update(self, known: KnownTensor, tensor: Any) -> None:
        """Gives a twin the values that its tensor has now, or makes it."""
        values, twin = _values(known), known.twin
        if values is None:
            known.twin = None
        elif twin is None or twin.array.shape != values.shape:
            self._leave_gap(known, tensor, "", None, None)
        elif not _same(
            twin.array, values
        ):  # written without an operation that the engine has replayed: the history does not know of it
            self._context.run(_overwrite, twin, values)
        if known.twin is not None and known.twin.node is None and "gap" not in vars(known.twin):
            self._set_flag(known, tensor)

    def _leave_gap(
        self, known: KnownTensor, tensor: Any, name: str, place: Place | None, behind: tuple[Tensor, ...] | None
    ) -> None:
        """Gives a tensor a twin without a history; with a gap if it has one."""
        values = _values(known)
        if values is None:
            known.twin = None
            return
        has_history = tensor is not None and self._engine.has_history(tensor)
        twin = to_tensor(values.copy())
        if has_history or any(not each.stop_gradient for each in behind or ()):
            twin.stop_gradient = False
            twin.gap = Gap(name, place, behind)
        elif known.operand.dtype in _DTYPES:
            twin.stop_gradient = not known.needs
        twin.number = known.number
        known.twin = twin

    def _set_flag(self, known: KnownTensor, tensor: Any) -> None:
        if known.operand.dtype in _DTYPES and known.twin.stop_gradient == known.needs:
            self._context.run(setattr, known.twin, "stop_gradient", not known.needs)

    def _note_hook(self, call: Call) -> None:
        for known in call.known[:1]:
            if known.twin is not None and known.twin.node is not None:
                self._hooked.add(known.twin.node)
            self._hooked_leaves.add(known.number)

    def _end(self) -> None:
        """Ends the replay: the program computes too much."""
        self.judgement.ended = True
        for _, known in self._recorder.objects.tensors.living():
            known.twin = None

    # ---- passes ----------------------------------------------------------------------------------------------------------

    def pass_begins(self, asks: PassArguments, place: Place | None) -> None:
        """Called when a pass begins."""
        if self.judgement.ended:
            self._running.append(None)
            return
        objects = self._recorder.objects
        roots: list[Tensor] = []
        seeds: list[Tensor | None] = []
        is_known = True
        for position, root in enumerate(asks.roots):
            known = objects.tensors.find(root)
            if known is None or known.twin is None or known.twin.stop_gradient:
                is_known = False
                continue
            given = asks.gradients[position] if position < len(asks.gradients) else None
            seed = None
            if given is not None:
                held = objects.tensor(given)
                if held is not None:
                    self._update(held, given)
                seed = None if held is None else held.twin
                is_known = is_known and seed is not None
            roots.append(known.twin)
            seeds.append(seed)
        before = {
            known.number: None if known.grad is None else _copied(known.grad)
            for _, known in objects.tensors.living()
            if known.needs
        }
        self._running.append(_Pass(asks, place, roots, seeds, before, is_known))

    def pass_failed(self) -> None:
        """Called when a pass has raised."""
        self._running.pop()

    def pass_ended(self, result: Any) -> None:
        """Called when a pass has ended, with what it returns."""
        under = self._running.pop()
        if under is None or self.judgement.ended or not under.roots:
            return
        self.judgement.passes += 1
        (self._compare_leaves if under.asks.inputs is None or under.asks.fills else self._compare_results)(
            under, result
        )

    def _compare_leaves(self, under: _Pass, _: Any) -> None:
        nodes = _nodes_from([each.node for each in under.roots])
        ends = {id(each.leaf): each.leaf for each in nodes if isinstance(each, AccumulateNode)}
        leaves = list(ends.values())
        gradients = self._gradients(under, leaves)
        living = {known.number: known for _, known in self._recorder.objects.tensors.living()}
        wanted = None
        if under.asks.inputs is not None:
            found = (self._recorder.objects.tensors.find(each) for each in under.asks.inputs)
            wanted = {known.number for known in found if known is not None}
        expected: dict[int, Any] = {}
        gaps: list[Gap] = [] if under.is_known else [Gap("", None, None)]
        for leaf, gradient in zip(leaves, gradients, strict=True):
            gap = vars(leaf).get("gap")
            if gap is not None:
                if gradient is not None and gradient.array.any():
                    gaps.append(gap)
            elif gradient is not None:
                number = vars(leaf).get("number", -1)
                expected[number] = expected.get(number, 0) + gradient.array
        unknown = self._behind(gaps) | self._past_hooks(nodes)
        scale = max((float(np.abs(each).max(initial=0)) for each in expected.values()), default=0.0)
        wrong: list[Difference] = []
        numbers: list[int] = []
        for number in dict.fromkeys((*expected, *under.before)):
            known = living.get(number)
            if known is None or (wanted is not None and number not in wanted):
                continue
            before, found = under.before.get(number), None if known.grad is None else _values(known.grad)
            if number not in expected and (found is None or (before is not None and _same(before, found))):
                continue
            if unknown.has(number) or (known.grad is not None and found is None):
                self.judgement.left_out.setdefault(known.names, unknown.gap(number))
                continue
            meant = expected.get(number, 0) + (0 if before is None else before)
            if found is None and not np.any(meant):
                continue
            zero = np.zeros(known.operand.layout.shape, meant.dtype if hasattr(meant, "dtype") else known.operand.dtype)
            if found is not None and _agree(found, zero + meant, scale, known.operand.dtype):
                self.judgement.compared += 1
            else:
                numbers.append(number)
                wrong.append(
                    Difference(known.names, _kept(found), _kept(zero + meant), under.place, self.judgement.passes)
                )
        self._note(under, wrong, numbers)

    def _compare_results(self, under: _Pass, result: Any) -> None:
        objects = self._recorder.objects
        found = list(result) if isinstance(result, list | tuple) else [result]
        inputs = [objects.tensors.find(each) for each in under.asks.inputs or ()]
        twins = [None if each is None else each.twin for each in inputs]
        asked = [each for each in twins if each is not None and not each.stop_gradient]
        gradients = self._gradients(under, asked, creates=True)
        nodes = _nodes_from([each.node for each in under.roots])
        ends = [each.leaf for each in nodes if isinstance(each, AccumulateNode)]
        gaps = [gap for each in ends if (gap := vars(each).get("gap")) is not None]
        is_known = under.is_known and not gaps and self._past_hooks(nodes).is_empty
        of_twin = {id(each): gradient for each, gradient in zip(asked, gradients, strict=True)}
        scale = max((float(np.abs(each.array).max(initial=0)) for each in gradients if each is not None), default=0.0)
        wrong: list[Difference] = []
        numbers: list[int] = []
        for known, twin, tensor in zip(inputs, twins, found, strict=False):
            held = None if tensor is None else objects.tensors.find(tensor)
            gradient = of_twin.get(id(twin))
            if known is None:
                continue
            values = None if held is None else _values(held)
            if not is_known or twin is None or (held is not None and values is None):
                self.judgement.left_out.setdefault(known.names, gaps[0] if gaps else None)
                continue
            meant = np.zeros(known.operand.layout.shape) if gradient is None else gradient.array
            if (values is None and not meant.any()) or (
                values is not None and _agree(values, meant, scale, known.operand.dtype)
            ):
                self.judgement.compared += 1
                if held is not None and gradient is not None and self._engine.has_history(tensor):
                    gradient.array[...] = values
                    held.twin = gradient
            else:
                numbers.append(known.number)
                wrong.append(Difference(known.names, _kept(values), _kept(meant), under.place, self.judgement.passes))
        self._note(under, wrong, numbers)

    def _gradients(self, under: _Pass, leaves: Sequence[Tensor], *, creates: bool = False) -> list[Tensor | None]:
        """Returns the gradients of twins."""
        if not leaves:
            return []
        return self._context.run(
            grad, under.roots, list(leaves), under.seeds, retain_graph=True, create_graph=creates, allow_unused=True
        )

    def _behind(self, gaps: Iterable[Gap]) -> _Unknown:
        """Returns which leaves get a part of their gradient through gaps."""
        found, waiting = _Unknown(), list(gaps)
        while waiting:
            gap = waiting.pop()
            if gap.behind is None:
                found.all = found.all or gap
                continue
            nodes = _nodes_from([each.node for each in gap.behind])
            leaves = [each.leaf for each in nodes if isinstance(each, AccumulateNode)]
            for leaf in (*leaves, *(each for each in gap.behind if each.node is None)):
                further = vars(leaf).get("gap")
                if further is not None and further not in found.seen:
                    found.seen.add(further)
                    waiting.append(further)
                found.numbers.setdefault(vars(leaf).get("number", -1), gap)
        return found

    def _past_hooks(self, nodes: Sequence[Any]) -> _Unknown:
        found = _Unknown()
        hook = Gap("register_hook", None, ())
        found.numbers.update(dict.fromkeys(self._hooked_leaves, hook))
        for node in nodes:
            if node in self._hooked:
                for each in _nodes_from([node]):
                    if isinstance(each, AccumulateNode):
                        found.numbers.setdefault(vars(each.leaf).get("number", -1), hook)
        return found

    # ---- causes ----------------------------------------------------------------------------------------------------------

    def _note(self, under: _Pass, wrong: Sequence[Difference], numbers: Sequence[int]) -> None:
        """Notes gradients that differ, each with the operation that is to blame.

        Args:
            under: the pass.
            wrong: the gradients.
            numbers: the numbers of the tensors that they belong to.
        """
        known = {(each.names, each.place) for each in self.judgement.differences}
        new = [
            (each, number) for each, number in zip(wrong, numbers, strict=True) if (each.names, each.place) not in known
        ]
        if not new:
            return
        arrived = _Arrived(self._calls)
        nodes = _nodes_from([each.node for each in under.roots])
        ends = [each.leaf for each in nodes if isinstance(each, AccumulateNode)]
        self._context.run(_observed, arrived, under, ends)
        tried: dict[int, list[Cause]] = {}
        for difference, number in new:
            mine = [
                node
                for node in sorted(arrived.gradients, key=lambda each: -each.serial)
                if self._leads_to(node, number)
            ]
            cause = next((found for node in mine for found in self._tried(node, arrived, tried)), None)
            writes = [self._calls[node][0].place for node in mine if _writes(self._calls[node][0].name)]
            self.judgement.differences.append(replace(
                difference, cause=cause, writes=tuple(dict.fromkeys(each for each in writes if each is not None)),
            ))  # fmt: skip

    def _leads_to(self, node: Any, number: int) -> bool:
        nodes = _nodes_from([node])
        return any(isinstance(each, AccumulateNode) and vars(each.leaf).get("number") == number for each in nodes)

    def _tried(self, node: Any, arrived: _Arrived, tried: dict[int, list[Cause]]) -> list[Cause]:
        """Returns the operands of the call that made a node to which the framework itself gives a wrong gradient."""
        if id(node) not in tried:
            call, position = self._calls[node]
            tried[id(node)] = list(self._wrong_operands(call, position, arrived.gradients[node]))
        return tried[id(node)]

    def _wrong_operands(self, call: Replayed, position: int, gradient: Any) -> Iterator[Cause]:
        def filled(tensors: Sequence[Any]) -> tuple[Sequence[Any], Mapping[str, Any]]:
            return _with(call.args, tensors), _with(call.kwargs, tensors)

        try:
            meant = self._context.run(_slopes, call, filled, position, gradient)
            found = self._engine.gradients(call.function, filled, call.values, call.needs, position, gradient)
        except Exception:  # noqa: BLE001  # a call that cannot be made alone is not to blame
            return
        for k, (mine, theirs) in enumerate(zip(meant, found, strict=True)):
            dtype = str(call.values[k].dtype)
            if not call.needs[k] or mine is None:
                continue
            scale = float(np.abs(mine).max(initial=0))
            if theirs is None or not _agree(theirs, mine, scale, dtype):
                yield Cause(call.name, call.place, call.names[k], dtype, _kept(theirs), _kept(mine))


class _Arrived(observe.Observer):
    """Collects the gradients that arrive at the nodes of replayed calls."""

    def __init__(self, calls: WeakKeyDictionary[Any, tuple[Replayed, int]]) -> None:
        self._calls = calls
        self.gradients: dict[Any, Any] = {}

    def node_begins(self, node: Any, gradient: Any) -> None:
        if node in self._calls and isinstance(gradient, Tensor):
            self.gradients[node] = gradient.array.copy()


def _observed(arrived: _Arrived, under: _Pass, ends: Sequence[Tensor]) -> None:
    with observe.listening(arrived):
        grad(under.roots, list(ends), under.seeds, retain_graph=True, allow_unused=True)


def _slopes(call: Replayed, filled: Callable[..., Any], position: int, gradient: Any) -> list[Any]:
    """Returns the gradients of the tensors of a call that is made on new ones."""
    leaves = []
    for values, needs in zip(call.values, call.needs, strict=True):
        leaf = to_tensor(values.copy())
        leaf.stop_gradient = not needs
        leaves.append(leaf)
    operands = [each.clone() if needs else each for each, needs in zip(leaves, call.needs, strict=True)]
    args, kwargs = filled(operands)
    results = list(_tensors(call.engine(*args, **kwargs)))
    result = results[position] if results else operands[0]
    asked = [each for each, needs in zip(leaves, call.needs, strict=True) if needs]
    found = iter(grad([result], asked, [to_tensor(gradient)], allow_unused=True))
    slopes = [next(found) if needs else None for needs in call.needs]
    return [None if each is None else each.array for each in slopes]


@dataclass
class _Unknown:
    """The leaves whose gradients the engine does not know."""

    all: Gap | None = None
    numbers: dict[int, Gap] = field(default_factory=dict)
    seen: set[Gap] = field(default_factory=set)

    def __or__(self, other: _Unknown) -> _Unknown:
        return _Unknown(self.all or other.all, other.numbers | self.numbers)

    @property
    def is_empty(self) -> bool:
        return self.all is None and not self.numbers

    def has(self, number: int) -> bool:
        return self.all is not None or number in self.numbers

    def gap(self, number: int) -> Gap | None:
        return self.numbers.get(number) or self.all


_SETS_FLAG = frozenset({"stop_gradient", "requires_grad_", "requires_grad"})
_CUTS_HISTORY = frozenset({"detach", "data", "detach_"})


def _writes(name: str) -> bool:
    return name.endswith("_") or name == "setitem"


def _size(known: KnownTensor) -> int:
    return int(np.prod(known.operand.layout.shape, dtype=int))


def _values(known: KnownTensor) -> Any:
    """Returns the values of a tensor as an array on its memory; None if they cannot be read, or are too many."""
    storage, layout = known.storage, known.operand.layout
    if known.operand.dtype != storage.dtype or storage.dtype in BITS or _size(known) > LARGEST:
        return None
    memory = storage.memory()
    if memory is None:
        return None if _size(known) else np.zeros(layout.shape, known.operand.dtype)
    steps = [each * memory.itemsize for each in layout.strides]
    return np.lib.stride_tricks.as_strided(memory[layout.offset :], layout.shape, steps, writeable=False)


def _copied(known: KnownTensor) -> Any:
    values = _values(known)
    return None if values is None else values.copy()


def _kept(array: Any) -> Any:
    return None if array is None else np.array(array)


def _same(array: Any, values: Any) -> bool:
    if values is None or array.shape != values.shape or array.dtype != values.dtype:
        return False
    return np.array_equal(array, values, equal_nan=array.dtype.kind in "fc")


def _close(array: Any, values: Any) -> bool:
    """Whether the engine has computed the same, within rounding."""
    if values is None or array.shape != values.shape or array.dtype != values.dtype:
        return False
    if array.dtype.kind != "f":
        return np.array_equal(array, values)
    finite = np.isfinite(values)
    scale = float(np.abs(values[finite]).max(initial=0))
    return np.allclose(array, values, rtol=1e-4, atol=1e-5 * scale, equal_nan=True)


def _agree(found: Any, meant: Any, scale: float, dtype: str) -> bool:
    """Whether two gradients are equal, within rounding.

    Args:
        found, meant: the gradients.
        scale: the largest element of all gradients of the pass.
        dtype: their dtype.
    """
    own, of_all = _TOLERANCES.get(dtype, (1e-2, 1e-2))
    if found.shape != np.shape(meant):
        return False
    limit = max(own * float(np.abs(meant)[np.isfinite(meant)].max(initial=0)), of_all * scale)
    return np.allclose(found, meant, rtol=own, atol=limit, equal_nan=True)


def _tensors(value: Any) -> Iterator[Tensor]:
    """Yields the tensors in what the engine returns."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _tensors(each)


def _nodes_from(roots: Iterable[Any]) -> list[Any]:
    return reachable(
        [each for each in roots if each is not None], lambda node: [each for each in node.edges if each is not None]
    )


def _overwrite(twin: Tensor, values: Any) -> None:
    with no_grad():
        twin.detach().copy_(to_tensor(values.copy()))


def _replaced(value: Any, by: Mapping[int, Any]) -> Any:
    """Returns arguments in which other objects stand for some, by their `id`."""
    if id(value) in by:
        return by[id(value)]
    if type(value) in (list, tuple):
        return type(value)(_replaced(each, by) for each in value)
    if isinstance(value, dict):
        return {key: _replaced(each, by) for key, each in value.items()}
    if type(value) is slice:
        return slice(*(_replaced(each, by) for each in (value.start, value.stop, value.step)))
    return value


def _with(value: Any, tensors: Sequence[Any]) -> Any:
    """Returns arguments in which tensors stand for operands."""
    if isinstance(value, Operand):
        return tensors[value.number]
    if type(value) in (list, tuple):
        return type(value)(_with(each, tensors) for each in value)
    if isinstance(value, dict):
        return {key: _with(each, tensors) for key, each in value.items()}
    if type(value) is slice:
        return slice(*(_with(each, tensors) for each in (value.start, value.stop, value.step)))
    return value
