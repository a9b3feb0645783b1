"""Replays a program while it runs, and compares its gradients (see the package)."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from contextvars import Context
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from inplacelab.autograd import copy_saved_before_write, grad
from inplacelab.autograd.nodes import AccumulateNode
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.explicit_views import as_strided
from inplacelab.recorders.guard import described
from inplacelab.recorders.judging.causes import Calls, Causes
from inplacelab.recorders.judging.judgement import Corrects, Difference, Engine, Gap, Judgement, Operand, Replayed
from inplacelab.recorders.judging.twins import (
    DTYPES,
    agree,
    copied_from,
    filled_in,
    is_close,
    kept,
    nodes_from,
    overwrite,
    replaced,
    same,
    size_of,
    tensors_in,
    values_of,
)
from inplacelab.tensor import Tensor

if TYPE_CHECKING:
    from inplacelab.place import Place
    from inplacelab.recorders.backward_passes import PassArguments
    from inplacelab.recorders.call_recorder import Call, CallRecorder
    from inplacelab.recorders.known_objects import KnownTensor

ROOM = 1 << 27
"""A program is replayed until its operations have computed so many elements."""


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
        corrects: see `Corrects`; None if the framework's gradients stay as they are.
        seconds: how long the replay may take.

    Attributes:
        judgement: what the comparison has shown.
    """

    def __init__(
        self, recorder: CallRecorder[Any], engine: Engine, corrects: Corrects | None = None, seconds: float = math.inf
    ) -> None:
        self.judgement = Judgement()
        self._recorder, self._engine, self._corrects, self._left = recorder, engine, corrects, seconds
        self._context = Context()
        self._context.run(copy_saved_before_write().__enter__)
        self._room = ROOM
        self._running: list[_Pass | None] = []
        self._hooked: WeakSet[Any] = WeakSet()
        self._hooked_leaves: set[int] = set()
        self._calls: Calls = WeakKeyDictionary()

    def told(self, what: str, *given: Any) -> None:
        """Calls a method. If that fails, the replay ends: the program goes on."""
        begun = time.perf_counter()
        try:
            getattr(self, what)(*given)
        except Exception as error:  # noqa: BLE001  # whatever it is
            self.judgement.failure = described(error)
            self._end()
        self._left -= time.perf_counter() - begun
        if self._left < 0 and not self.judgement.ended:
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
        self._room -= sum(size_of(known) for known, _ in (*made, *zip(given, call.tensors, strict=True)))
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
            call.kind.name, call.place, call.function, function, replaced(args, operands), replaced(kwargs, operands),
            getattr(call, "values", ()), [not each.twin.stop_gradient for each in call.known], [each.names for each in call.known],
        )  # fmt: skip

    def _ran(self, call: Replayed, twins: Sequence[Tensor], given: Sequence[KnownTensor]) -> list[Any]:
        """Runs a call on twins. Returns its results; nothing if the engine refuses it."""
        args, kwargs = filled_in(call.args, twins), filled_in(call.kwargs, twins)
        try:
            result = self._context.run(call.engine, *args, **kwargs)
        except Exception:  # noqa: BLE001  # whatever the engine says, it does not compute this
            return []
        return list(tensors_in(result))

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
            if same(twin.array, values_of(known)):
                known.twin = twin
                return True
        return False

    def _take(self, known: KnownTensor, twin: Tensor | None, given: Sequence[KnownTensor]) -> bool:
        """Takes a result of the engine as the twin of a tensor. Returns whether it is the same, within rounding."""
        values = values_of(known)
        if twin is None or values is None or not is_close(twin.array, values):
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
            written, values = known.twin, values_of(known)
            if values is not None and is_close(written.array, values):
                written.array[...] = values
                if replayed is not None and written.node is not None:
                    self._calls[written.node] = replayed, 0
            for other in list(known.storage.tensors.values()):
                if other.twin is None:
                    continue
                apart = other.twin.storage is not written.storage and not (
                    other.twin.stop_gradient and written.stop_gradient
                )
                if apart or not same(other.twin.array, values_of(other)):
                    object_ = other.alive()
                    self._leave_gap(other, object_, call.kind.name, call.place, (*behind, other.twin))

    # ---- twins -----------------------------------------------------------------------------------------------------------

    def _update(self, known: KnownTensor, tensor: Any) -> None:
        """Gives a twin the values that its tensor has now, or makes it."""
        values, twin = values_of(known), known.twin
        if values is None:
            known.twin = None
        elif twin is None or twin.array.shape != values.shape:
            self._leave_gap(known, tensor, "", None, None)
        elif not same(
            twin.array, values
        ):  # written without an operation that the engine has replayed: the history does not know of it
            self._context.run(overwrite, twin, values)
        if known.twin is not None and known.twin.node is None and "gap" not in vars(known.twin):
            self._set_flag(known, tensor)

    def _leave_gap(
        self, known: KnownTensor, tensor: Any, name: str, place: Place | None, behind: tuple[Tensor, ...] | None
    ) -> None:
        """Gives a tensor a twin without a history; with a gap if it has one."""
        values = values_of(known)
        if values is None:
            known.twin = None
            return
        has_history = tensor is not None and self._engine.has_history(tensor)
        twin = to_tensor(values.copy())
        if has_history or any(not each.stop_gradient for each in behind or ()):
            twin.stop_gradient = False
            twin.gap = Gap(name, place, behind)
        elif known.operand.dtype in DTYPES:
            twin.stop_gradient = not known.needs
        twin.number = known.number
        known.twin = twin

    def _set_flag(self, known: KnownTensor, tensor: Any) -> None:
        if known.operand.dtype in DTYPES and known.twin.stop_gradient == known.needs:
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
            known.number: None if known.grad is None else copied_from(known.grad)
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
        if under is None or self.judgement.ended:
            return
        if not under.roots:
            self.judgement.skipped += 1
            return
        self.judgement.passes += 1
        (self._compare_leaves if under.asks.inputs is None or under.asks.fills else self._compare_results)(
            under, result
        )

    def _compare_leaves(self, under: _Pass, _: Any) -> None:
        nodes = nodes_from([each.node for each in under.roots])
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
            before, found = under.before.get(number), None if known.grad is None else values_of(known.grad)
            if number not in expected and (found is None or (before is not None and same(before, found))):
                continue
            if unknown.has(number) or (known.grad is not None and found is None):
                self.judgement.left_out.setdefault(known.names, unknown.gap(number))
                continue
            meant = expected.get(number, 0) + (0 if before is None else before)
            if found is None and not np.any(meant):
                continue
            zero = np.zeros(known.operand.layout.shape, meant.dtype if hasattr(meant, "dtype") else known.operand.dtype)
            if found is not None and agree(found, zero + meant, scale, known.operand.dtype):
                self.judgement.compared += 1
            else:
                meant = zero + meant
                numbers.append(number)
                wrong.append(Difference(known.names, kept(found), kept(meant), under.place, self.judgement.passes))
                self._correct(known.alive(), meant)
        self._note(under, wrong, numbers)

    def _compare_results(self, under: _Pass, result: Any) -> None:
        objects = self._recorder.objects
        found = list(result) if isinstance(result, list | tuple) else [result]
        inputs = [objects.tensors.find(each) for each in under.asks.inputs or ()]
        twins = [None if each is None else each.twin for each in inputs]
        asked = [each for each in twins if each is not None and not each.stop_gradient]
        gradients = self._gradients(under, asked, creates=True)
        nodes = nodes_from([each.node for each in under.roots])
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
            values = None if held is None else values_of(held)
            if not is_known or twin is None or (held is not None and values is None):
                self.judgement.left_out.setdefault(known.names, gaps[0] if gaps else None)
                continue
            meant = np.zeros(known.operand.layout.shape) if gradient is None else gradient.array
            right = not meant.any() if values is None else agree(values, meant, scale, known.operand.dtype)
            if right:
                self.judgement.compared += 1
            else:
                numbers.append(known.number)
                wrong.append(Difference(known.names, kept(values), kept(meant), under.place, self.judgement.passes))
                right = self._correct(tensor, meant, is_returned=True)
            if right and held is not None and gradient is not None and self._engine.has_history(tensor):
                gradient.array[...] = values
                held.twin = gradient
        self._note(under, wrong, numbers)

    def _correct(self, tensor: Any, meant: Any, *, is_returned: bool = False) -> bool:
        """Has a wrong gradient corrected (see `Corrects`). Returns whether it was."""
        if self._corrects is not None and tensor is not None:
            return self._corrects(tensor, meant, is_returned=is_returned)
        self.judgement.left_wrong += 1
        return False

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
            nodes = nodes_from([each.node for each in gap.behind])
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
                for each in nodes_from([node]):
                    if isinstance(each, AccumulateNode):
                        found.numbers.setdefault(vars(each.leaf).get("number", -1), hook)
        return found

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
        nodes = nodes_from([each.node for each in under.roots])
        ends = [each.leaf for each in nodes if isinstance(each, AccumulateNode)]
        causes = Causes(
            self._calls, self._engine, self._context,
            lambda: grad(under.roots, ends, under.seeds, retain_graph=True, allow_unused=True),
        )  # fmt: skip
        for difference, number in new:
            mine = causes.calls_before(number)
            cause = next((found for node in mine for found in causes.of(node)), None)
            writes = [call.place for node in mine if _writes((call := self._calls[node][0]).name)]
            places = tuple(dict.fromkeys(each for each in writes if each is not None))
            self.judgement.differences.append(replace(difference, cause=cause, writes=places))


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
