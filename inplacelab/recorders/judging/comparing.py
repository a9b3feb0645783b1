"""Compares the gradients of a pass with those of the twins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass, field, replace
from types import CodeType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from inplacelab.autograd import PyLayer, grad
from inplacelab.autograd.custom_nodes import CustomNode
from inplacelab.autograd.nodes import AccumulateNode
from inplacelab.ops.creation import to_tensor
from inplacelab.recorders.judging.causes import Calls, Causes
from inplacelab.recorders.judging.judgment import Cause, Corrects, Difference, Engine, Gap, Judgment
from inplacelab.recorders.judging.observing import Observed, Observing
from inplacelab.recorders.judging.twins import copied_from, doubt, is_near, kept, nodes_from, same, shaken, values_of
from inplacelab.tensor import Tensor

if TYPE_CHECKING:
    from inplacelab.place import Place
    from inplacelab.recorders.backward_passes import PassArguments
    from inplacelab.recorders.call_recorder import CallRecorder
    from inplacelab.recorders.known_objects import KnownTensor

HOOK = "register_hook"


@dataclass
class _Pass:
    """A pass.

    Attributes:
        asks: what the program has asked of it.
        place: where it began.
        roots, seeds: the twins from which it began, and the gradients with which.
        before: the gradients of leaves before it, by number.
        is_known: whether these are all of its roots.
        observed: what functions of the program have received and returned in it.
        missed: where it is not known what they have returned.
        number: its number, from 1 on.
        outside: where other code has written memory of tensors since the pass before, the last first.
    """

    asks: PassArguments
    place: Place | None
    roots: list[Tensor]
    seeds: list[Tensor | None]
    before: dict[int, Any]
    is_known: bool
    observed: Observed = field(default_factory=Observed)
    missed: list[Gap] = field(default_factory=list)
    number: int = 0
    outside: tuple[Place, ...] = ()

    @property
    def nodes(self) -> list[Any]:
        return nodes_from([each.node for each in self.roots])

    def ends(self, nodes: Iterable[Any]) -> list[Tensor]:
        """Returns the leaves at which it ends: those of its nodes, and the roots that are leaves themselves."""
        leaves = [each.leaf for each in nodes if isinstance(each, AccumulateNode)]
        return list(
            {id(each): each for each in (*leaves, *(each for each in self.roots if each.node is None))}.values()
        )


@dataclass(frozen=True, eq=False)
class Custom:
    """A call of one of the program's own functions.

    Attributes:
        gap: the function, and what it was given.
        code: that of its `backward`.
    """

    gap: Gap
    code: CodeType | None


class _CustomNode(PyLayer):
    """Takes the place of such a function in the history of the twins."""

    @staticmethod
    def forward(ctx: Any, passes: Passes, custom: Custom, values: Sequence[Any], *_: Any) -> Any:
        ctx.answers = lambda gradients: passes.answers(custom, gradients)
        return tuple(to_tensor(each) for each in values)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return tuple(None if each is None else to_tensor(each) for each in ctx.answers(gradients))


class Passes:
    """The passes of a program.

    Args:
        recorder: its recorder.
        engine: how its calls are made on the engine.
        context: that of the engine.
        update: gives the twin of a tensor the values that this has now.
        corrects: see `Corrects`.
    """

    def __init__(
        self, recorder: CallRecorder[Any], engine: Engine, context: Context, update: Callable[[KnownTensor, Any], None],
        corrects: Corrects | None = None,
    ) -> None:  # fmt: skip
        self.judgment = Judgment()
        self.calls: Calls = WeakKeyDictionary()
        self.outside: list[Place] = []  # where other code has written memory of tensors since the last pass
        self._recorder, self._engine, self._context, self._update = recorder, engine, context, update
        self._corrects = corrects
        self._running: list[_Pass | None] = []
        self._observing = Observing(engine.array_of)
        self._hooks: WeakKeyDictionary[Any, list[CodeType | None]] = WeakKeyDictionary()
        self._leaf_hooks: dict[int, list[CodeType | None]] = {}
        self._under: _Pass | None = None

    # ---- functions of the program ----------------------------------------------------------------------------------------

    def hooked(self, known: KnownTensor, function: Any) -> None:
        """Notes that a tensor has got a hook."""
        code = self._observing.watch(function)
        if known.twin is not None and known.twin.node is not None:
            self._hooks.setdefault(known.twin.node, []).append(code)
        else:
            self._leaf_hooks.setdefault(known.number, []).append(code)

    def custom(self, backward: Any, gap: Gap, values: Sequence[Any]) -> Sequence[Tensor]:
        """Returns twins for the results of one of the program's own functions.

        Args:
            backward: its `backward`.
            gap: the function, and what it was given.
            values: the values of its results.
        """
        custom = Custom(gap, self._observing.watch(backward))
        found = self._context.run(_CustomNode.apply, self, custom, values, *(gap.behind or ()))
        return found if isinstance(found, tuple) else (found,)

    def answers(self, custom: Custom, gradients: Sequence[Any]) -> Sequence[Any]:
        """Returns what a custom function has returned in the pass when it received such gradients, or zeros if it is not known."""
        under, behind = self._under, custom.gap.behind or ()
        arrays = [each.array for each in gradients if each is not None]
        zeros = [np.zeros_like(each.array) for each in behind]
        if under is None or not any(each.any() for each in arrays):
            return zeros
        seen = under.observed.of(custom.code, arrays)
        returned = [] if seen is None else seen.returned
        if len(returned) > len(behind):  # PyTorch wants one for each argument, also for those that are no tensors
            returned = [each for each in returned if each is not None]
        if seen is not None and len(returned) == len(behind):
            return [z if r is None else r for r, z in zip(returned, zeros, strict=True)]
        under.missed.append(replace(custom.gap, never_ran=under.observed.never_ran(custom.code)))
        return zeros

    @contextmanager
    def _with_hooks(self, under: _Pass, *further: Callable[[Any], Any]) -> Iterator[None]:
        """Has the nodes of the twins call what the program's hooks have returned, and further functions."""
        under.missed.clear()
        self._under, nodes = under, under.nodes
        for node in nodes:
            codes = self._hooks.get(node, [])
            if isinstance(node, AccumulateNode):
                codes = self._leaf_hooks.get(vars(node.leaf).get("number", -1), [])
            found = [self._answering(under, node, code) for code in codes if not under.observed.never_ran(code)]
            if found or further:
                node.hooks = dict(enumerate((*found, *further)))
        try:
            yield
        finally:
            self._under = None
            for node in nodes:
                node.hooks = None

    def _answering(self, under: _Pass, node: Any, code: CodeType | None) -> Callable[[Any], Any]:
        leaf = [node.leaf] if isinstance(node, AccumulateNode) else []
        gap = Gap(HOOK, None, tuple(leaf), nodes=() if leaf else (node,))

        def hook(gradient: Any) -> Any:
            seen = under.observed.of(code, [gradient.array])
            if seen is None:
                under.missed.append(gap)
                return None
            returned = seen.returned[0] if seen.returned and seen.returned[0] is not None else seen.left[0]
            return to_tensor(returned)

        return hook

    def _is_changed(self, nodes: Iterable[Any]) -> bool:
        """Whether functions of the program give a pass its gradients, so that these have no history here."""
        leaves = [each.leaf for each in nodes if isinstance(each, AccumulateNode)]
        return any(each in self._hooks for each in nodes) or any(
            vars(each).get("number", -1) in self._leaf_hooks for each in leaves
        )

    # ---- passes ----------------------------------------------------------------------------------------------------------

    def begins(self, asks: PassArguments, place: Place | None) -> None:
        """Called when a pass begins."""
        if self.judgment.ended:
            self._running.append(None)
            return
        self.inside()
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
            seed = self._seed(given)
            is_known = is_known and (given is None or seed is not None)
            roots.append(known.twin)
            seeds.append(seed)
        before = {known.number: self._held(known, tensor) for tensor, known in objects.tensors.living() if known.needs}
        self._running.append(_Pass(asks, place, roots, seeds, before, is_known))
        self._observing.begins()

    def _held(self, known: KnownTensor, tensor: Any) -> Any:
        """Returns a copy of the gradient that a tensor holds; another thread may have filled it."""
        if self._engine.has_history(tensor):  # to ask it may warn
            return None if known.grad is None else copied_from(known.grad)
        return self._engine.array_of(self._recorder.read.gradient_held(tensor))

    def _seed(self, given: Any) -> Tensor | None:
        held = None if given is None else self._recorder.objects.tensor(given)
        if held is None:
            return None
        self._update(held, given)
        twin: Tensor | None = held.twin
        return twin

    def inside(self) -> None:
        """Called when a pass runs inside others, which may fill the same gradients: those are not compared."""
        for each in self._running:
            if each is not None:
                each.is_known = False

    def failed(self) -> None:
        """Called when a pass has raised."""
        if self._running.pop() is not None:
            self._observing.ends()

    def ended(self, result: Any) -> None:
        """Called when a pass has ended, with what it returns."""
        under = self._running.pop()
        outside, self.outside = self.outside, []
        if under is None:
            return
        under.outside = tuple(dict.fromkeys(reversed(outside)))
        under.observed = self._observing.ends()
        if self.judgment.ended:
            return
        if not under.roots:
            self.judgment.skipped += 1
            return
        self.judgment.passes += 1
        under.number = self.judgment.passes
        if under.asks.inputs is None or under.asks.fills:
            self._compare_leaves(under)
        else:
            self._compare_results(under, result)

    def _compare_leaves(self, under: _Pass) -> None:
        nodes = under.nodes
        leaves = under.ends(nodes)
        gradients = self._gradients(under, leaves)
        known_leaves = [each for each in leaves if "gap" not in vars(each)]
        expected = _summed(
            known_leaves, [g for each, g in zip(leaves, gradients, strict=True) if "gap" not in vars(each)]
        )
        gaps = [
            vars(leaf)["gap"]
            for leaf, gradient in zip(leaves, gradients, strict=True)
            if "gap" in vars(leaf) and gradient is not None and gradient.array.any()
        ]
        gaps += [] if under.is_known else [Gap("", None, None)]
        compared = _Compared(self, under, _behind((*gaps, *under.missed)), known_leaves, _after_custom(nodes))
        # The tensors are held until all is compared: a collection may free a layer that nobody has, and with it the gradients that are read.
        held = list(self._recorder.objects.tensors.living())
        living = {known.number: known for _, known in held}
        wanted = set(living)
        if under.asks.inputs is not None:
            found = (self._recorder.objects.tensors.find(each) for each in under.asks.inputs)
            wanted = {known.number for known in found if known is not None}
        for number in dict.fromkeys((*expected, *compared.unknown.numbers, *under.before)):
            if number in living and number in wanted:
                compared.leaf(living[number], expected.get(number), under.before.get(number))
        self._note(under, compared.wrong)

    def _compare_results(self, under: _Pass, result: Any) -> None:
        objects, nodes = self._recorder.objects, under.nodes
        found = list(result) if isinstance(result, list | tuple) else [result]
        inputs = [objects.tensors.find(each) for each in under.asks.inputs or ()]
        ends = under.ends(nodes)
        numbered = {vars(each).get("number", -1): each for each in ends if "gap" not in vars(each)}
        twins = [None if each is None else numbered.get(each.number, each.twin) for each in inputs]
        asked = [each for each in twins if each is not None and not each.stop_gradient]
        gradients = self._gradients(under, asked, creates=True)
        gaps = [gap for each in ends if (gap := vars(each).get("gap")) is not None]
        unknown = _behind((*gaps, *under.missed))
        unknown.all = (
            unknown.all or next(iter((*gaps, *under.missed)), None) or (None if under.is_known else Gap("", None, None))
        )
        compared = _Compared(self, under, unknown, asked)
        of_twin = {id(each): gradient for each, gradient in zip(asked, gradients, strict=True)}
        for known, twin, tensor in zip(inputs, twins, found, strict=False):
            if known is None:
                continue
            held = None if tensor is None else objects.tensors.find(tensor)
            gradient = of_twin.get(id(twin))
            is_known = twin is not None and not twin.stop_gradient and "gap" not in vars(twin)
            is_right = compared.result(known, held, gradient, tensor, is_known=is_known)
            if is_right and held is not None and gradient is not None and self._engine.has_history(tensor):
                if self._is_changed(nodes) or any(isinstance(each, CustomNode) for each in nodes):
                    continue
                gradient.array[...] = values_of(held)
                held.twin = gradient
        self._note(under, compared.wrong)

    def _gradients(
        self, under: _Pass, leaves: Sequence[Tensor], *further: Callable[[Any], Any], creates: bool = False
    ) -> list[Tensor | None]:
        """Returns the gradients of twins."""
        return self._context.run(self._walk, under, leaves, *further, creates=creates) if leaves else []

    def _walk(
        self, under: _Pass, leaves: Sequence[Tensor], *further: Callable[[Any], Any], creates: bool = False
    ) -> list[Tensor | None]:
        with self._with_hooks(under, *further):
            try:
                return grad(
                    under.roots, list(leaves), under.seeds, retain_graph=True, create_graph=creates, allow_unused=True
                )
            except Exception:  # noqa: BLE001  # whatever the engine says, it has no derivative for this
                under.is_known = False
                return [None] * len(leaves)

    def has_gradient(self, known: KnownTensor) -> bool:
        """Whether a tensor holds a gradient, even if its values cannot be read."""
        tensor = known.alive()
        if known.grad is not None or tensor is None or self._engine.has_history(tensor):
            return known.grad is not None
        return self._recorder.read.gradient_held(tensor) is not None

    def correct(self, tensor: Any, meant: Any, *, is_returned: bool) -> bool:
        """Has a wrong gradient corrected (see `Corrects`). Returns whether it was."""
        if self._corrects is not None and tensor is not None and meant is not None:
            return self._corrects(tensor, meant, is_returned=is_returned)
        self.judgment.left_wrong += 1
        return False

    def shaken(self, under: _Pass, leaves: Sequence[Tensor], dtype: str) -> list[Tensor | None]:
        """Returns gradients of twins, with errors such as rounding makes."""
        missed = list(under.missed)
        found = self._gradients(under, leaves, shaken(dtype))
        under.missed = missed
        return found

    def _note(self, under: _Pass, wrong: Sequence[tuple[Difference, int]]) -> None:
        """Notes gradients that differ, each with the operation that is to blame.

        Args:
            under: the pass.
            wrong: the gradients, and the numbers of the tensors that they belong to.
        """
        known = {(each.names, each.place) for each in self.judgment.differences}
        new = [(each, number) for each, number in wrong if (each.names, each.place) not in known]
        self.judgment.differences += [each for each, _ in new if each.cause is not None]
        new = [(each, number) for each, number in new if each.cause is None]
        if not new:
            return
        leaves = [each.leaf for each in under.nodes if isinstance(each, AccumulateNode)]
        causes = Causes(self.calls, self._engine, self._context, lambda: self._walk(under, leaves))
        for difference, number in new:
            mine = causes.calls_before(number)
            cause = next((found for node in mine for found in causes.of(node)), None)
            writes = [call.place for node in mine if _writes((call := self.calls[node][0]).name)]
            places = tuple(dict.fromkeys(each for each in writes if each is not None))
            self.judgment.differences.append(
                replace(difference, cause=cause, writes=places, outside=() if places else under.outside)
            )


def _summed(leaves: Sequence[Tensor], gradients: Sequence[Tensor | None]) -> dict[int, Any]:
    """Returns the gradients of leaves by their numbers: a tensor may have had several twins."""
    found: dict[int, Any] = {}
    for leaf, gradient in zip(leaves, gradients, strict=True):
        if gradient is not None:
            number = vars(leaf).get("number", -1)
            found[number] = found.get(number, 0) + gradient.array
    return found


@dataclass
class _Unknown:
    """The leaves whose gradients the engine does not know."""

    all: Gap | None = None
    numbers: dict[int, Gap] = field(default_factory=dict)

    def gap(self, number: int) -> Gap | None:
        return self.numbers.get(number) or self.all


def _behind(gaps: Iterable[Gap]) -> _Unknown:
    """Returns which leaves get a part of their gradient through gaps."""
    found, waiting, seen = _Unknown(), list(gaps), set[Gap]()
    while waiting:
        gap = waiting.pop()
        if gap.behind is None:
            found.all = found.all or gap
            continue
        nodes = nodes_from([*(each.node for each in gap.behind), *gap.nodes])
        leaves = [each.leaf for each in nodes if isinstance(each, AccumulateNode)]
        for leaf in (*leaves, *(each for each in gap.behind if each.node is None)):
            further = vars(leaf).get("gap")
            if further is not None and further not in seen:
                seen.add(further)
                waiting.append(further)
            number = vars(leaf).get("number", -1)
            if gap.never_ran or number not in found.numbers:
                found.numbers[number] = gap
    return found


def _after_custom(nodes: Iterable[Any]) -> frozenset[int]:
    """Returns the numbers of the leaves behind the program's own functions."""
    after = nodes_from([each for each in nodes if isinstance(each, CustomNode)])
    return frozenset(vars(each.leaf).get("number", -1) for each in after if isinstance(each, AccumulateNode))


@dataclass
class _Compared:
    """Compares gradients one by one.

    Attributes:
        passes, under: the passes, and the one whose gradients they are.
        unknown: which ones the engine does not know.
        twins: the twins that they belong to.
        told: the numbers of leaves whose gradients are computed from what functions of the program have returned.
        wrong: those that differ, with the numbers of the tensors that they belong to.
    """

    passes: Passes
    under: _Pass
    unknown: _Unknown
    twins: Sequence[Tensor]
    told: frozenset[int] = frozenset()
    wrong: list[tuple[Difference, int]] = field(default_factory=list)
    _shaken: dict[int, Any] | None = None

    def leaf(self, known: KnownTensor, expected: Any, before: Any) -> None:
        """Compares the gradient that a leaf holds.

        Args:
            known: the leaf.
            expected: what the pass should have added to its gradient; None for nothing.
            before: its gradient before the pass; None if it had none.
        """
        found = None if known.grad is None else values_of(known.grad)
        gap = self.unknown.gap(known.number)
        if expected is None and (gap is None or not gap.never_ran) and _is_unchanged(before, found):
            return
        if expected is None and gap is None and known.twin is not None and known.twin.node is not None:
            return  # that of what it was before it was overwritten, which needed none
        if gap is not None or (found is None and self.passes.has_gradient(known)):  # such as one of some rows
            self._leave_out(known, gap, found)
            return
        added = np.zeros(known.operand.layout.shape, known.operand.dtype) if expected is None else expected
        meant = added if before is None else before + added
        if not self._is_right(known, found, meant, added):
            self.passes.correct(known.alive(), meant, is_returned=False)

    def result(
        self, known: KnownTensor, held: KnownTensor | None, gradient: Tensor | None, returned: Any, *, is_known: bool
    ) -> bool:
        """Compares a gradient that a pass has returned. Returns whether it is right, or was corrected.

        Args:
            known: what it belongs to.
            held: the gradient; None if there is none.
            gradient: that of the twin.
            returned: the tensor that was returned.
            is_known: whether there is a twin.
        """
        found, gap = None if held is None else values_of(held), self.unknown.gap(known.number)
        if gap is not None or not is_known or (returned is not None and found is None):
            self._leave_out(known, gap, found)
            return False
        shape = known.operand.layout.shape
        meant = np.zeros(shape, known.operand.dtype) if gradient is None else gradient.array
        is_right = self._is_right(known, found, meant, meant)
        return is_right or self.passes.correct(returned, meant, is_returned=True)

    def _leave_out(self, known: KnownTensor, gap: Gap | None, found: Any) -> None:
        if gap is not None and gap.never_ran:
            cause = Cause(gap.name, gap.place, known.names, known.operand.dtype, None, None, how="not called")
            self._differs(known, found, None, cause)
            self.passes.correct(None, None, is_returned=False)
        else:
            self.passes.judgment.left_out.setdefault(known.names, gap)

    def _is_right(self, known: KnownTensor, found: Any, meant: Any, added: Any) -> bool:
        dtype = known.operand.dtype
        is_right = (not np.any(meant)) if found is None else is_near(found, meant, dtype)
        if not is_right:
            nothing = np.zeros_like(meant)
            is_right = is_near(
                nothing if found is None else found, meant, dtype, self._doubt(known.number, added, dtype)
            )
        if is_right:
            self.passes.judgment.compared += 1
            if known.number not in self.told:
                self.passes.judgment.equal.add((known.names, self.under.place))
        else:
            self._differs(known, found, meant, None)
        return is_right

    def _differs(self, known: KnownTensor, found: Any, meant: Any, cause: Cause | None) -> None:
        difference = Difference(known.names, kept(found), kept(meant), self.under.place, self.under.number, cause)
        self.wrong.append((difference, known.number))

    def _doubt(self, number: int, meant: Any, dtype: str) -> float:
        if self._shaken is None:
            self._shaken = _summed(self.twins, self.passes.shaken(self.under, self.twins, dtype))
        return doubt(self._shaken.get(number, meant), meant)


def _is_unchanged(before: Any, found: Any) -> bool:
    return found is None or (before is not None and same(before, found))


def _writes(name: str) -> bool:
    return name.endswith("_") or name == "setitem"
