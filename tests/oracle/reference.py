"""The reference interpreter: the meaning of programs, defined as simply as possible.

A storage is a flat row of jets; a tensor is a table of slots, one integer for each element. A view is another table on
the same storage, for any chain of slices and transposes, so aliasing needs no rules: a write puts jets into
slots, a read takes them out. Derivatives are carried forward with the values, so there is no history to rewrite. This is
the mathematics that an engine with a history has to reproduce.

Invalid statements are refused here too, before any write: a write to a leaf that needs a gradient (or a view of one) while
history is recorded, a write to slots that it reads at another position, growth by broadcasting. Overwritten saved tensors do
not matter to the reference: it has the gradient anyway.

Programs that leave the history on purpose (writing under `no_grad` or through `detach()` what needs a gradient, views made
under `no_grad`, switching `stop_gradient`) have no agreed gradient. They are marked as escapes; their values still count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from . import jets
from .functions import FUNCTIONS, RECIPROCAL, Function, power, scaling
from .jets import Array, Jet, Shape
from .memory import Memory, RefusedError, Storage, Tensor, World
from .program import Key, Statement, is_basic
from .tables import TABLES, has_strides


class Interpreter(World):
    """Runs statements one by one."""

    def execute(self, statement: Statement, *, force: bool = False) -> None:
        """Runs a statement. With `force`, even if it should be refused because of the history.

        Raises:
            RefusedError: if it has no meaning; then nothing has changed.
        """
        self.quiet, self.force = statement.quiet, force
        inputs = [self.names[name] for name in statement.inputs]
        if not (force or statement.quiet or statement.op in _READ_NO_HISTORY) and any(x.stale for x in inputs):
            raise RefusedError("left")
        try:
            with np.errstate(all="ignore"):
                result = self._result(statement, inputs)
        except (ValueError, IndexError):
            raise RefusedError("shape") from None
        if statement.op == "leaf":
            self.leaves[statement.out] = result
        if statement.out:
            self.names[statement.out] = result

    def _result(self, statement: Statement, inputs: list[Tensor]) -> Any:
        op, args = statement.op, statement.args
        name = op.removesuffix("_")
        if name in FUNCTIONS or name in _FAMILIES:
            function = FUNCTIONS[name] if name in FUNCTIONS else _FAMILIES[name](*args)
            return self._place(op, inputs, function(self.read(inputs[0])))
        if name in _ARITHMETIC:
            return self._place(op, inputs, self._binary(name, *inputs, *args))
        if name in TABLES:
            arranged = TABLES[name](inputs[0].slots, *args)
            if name in {"reshape", "t"} and _unchanged(name, inputs[0].slots, arranged):
                return inputs[0]
            return self._view(inputs[0], arranged) if op == name else self._relayout(inputs[0], arranged)
        return getattr(self, f"_do_{op if op == 'detach_' else name}")(*inputs, *args)

    def _place(self, op: str, inputs: list[Tensor], jet: Jet) -> Tensor:
        """The result as a new tensor, or in the first input if the operation has a `_`."""
        if not op.endswith("_"):
            return self.fresh(jet, *inputs)
        return self.write(inputs[0], inputs[0].slots, jet, inputs[1:])

    # ---- making ----------------------------------------------------------------------------------------------------

    def _do_buffer(self, values: Any, dtype: str = "float64") -> Tensor:
        array = np.array(_nested(values), dtype=dtype)
        return self.fresh(jets.constant(array, self.none))

    def _do_integers(self, values: Any) -> Tensor:
        return self._do_buffer(values, "int64")

    def _do_mask(self, values: Any) -> Tensor:
        return self._do_buffer(values, "bool")

    def _do_leaf(self, values: Any, dtype: str) -> Tensor:
        leaf = self._do_buffer(values, dtype)
        leaf.storage.needs = leaf.storage.leaf = True
        self.move_by_itself(leaf)
        return leaf

    def _do_clone(self, x: Tensor) -> Tensor:
        return self.fresh(self.read(x), x)

    def _do_alias(self, x: Tensor) -> Tensor:
        return x

    def _do_detach(self, x: Tensor) -> Tensor:
        return Tensor(x.storage, x.slots, tracked=False)

    def _do_cast(self, x: Tensor, dtype: str) -> Tensor:
        jet = self.read(x)
        return self.fresh(jet._replace(value=jet.value.astype(dtype)), x)

    # ---- arithmetic --------------------------------------------------------------------------------------------------

    def _binary(self, name: str, x: Tensor, y: Tensor, *args: Any) -> Jet:
        return _ARITHMETIC[name](self.read(x), self.read(y), *args)

    def _do_iadd(self, x: Tensor, y: Tensor) -> Tensor:
        return self.fresh(self._binary("add", x, y), x, y)

    def _do_greater(self, x: Tensor, than: float) -> Tensor:
        return self.fresh(jets.constant(np.asarray(x.value > than), self.none))

    def _do_sum(self, x: Tensor, axis: int | None) -> Tensor:
        return self.fresh(jets.total(self.read(x), _axes(x, axis)), x)

    def _do_mean(self, x: Tensor, axis: int | None) -> Tensor:
        count = prod(x.shape[k] for k in _axes(x, axis))
        total = self._do_sum(x, axis)
        return self.fresh(scaling(1 / count, 0.0)(self.read(total)), x)

    def _do_matmul(self, x: Tensor, y: Tensor) -> Tensor:
        if len(x.shape) != 2 or len(y.shape) != 2 or x.shape[1] != y.shape[0]:
            raise RefusedError("shape")
        return self.fresh(jets.matmul(self.read(x), self.read(y)), x, y)

    def _do_expand(self, x: Tensor, shape: Shape) -> Tensor:
        return self.fresh(jets.spread(self.read(x), shape), x)

    # ---- views and metadata ------------------------------------------------------------------------------------------

    def _view(self, x: Tensor, slots: Array) -> Tensor:
        """The same storage through another table; a copy where no strides could express the table."""
        if not has_strides(slots):
            return self._copied(x, slots)
        if self.quiet:
            self.escape |= any(each.needs for each in x.storage.memory.histories)
        return Tensor(x.storage, slots, tracked=x.tracked and not self.quiet, root=False)

    def _copied(self, x: Tensor, slots: Array) -> Tensor:
        return self.fresh(self.read(replace(x, slots=slots)), x)

    def _relayout(self, x: Tensor, slots: Array) -> Tensor:
        """Another table for the tensor itself; it leaves its storage where no strides could express the table."""
        self.check_write(x, x.slots, [])
        self.escape |= (self.quiet or not x.tracked) and x.storage.needs
        if not has_strides(slots):
            shown, size, axes = replace(x, slots=slots).jet, slots.size, slots.ndim
            rows = shown.map(lambda part: part.reshape((size, *part.shape[axes:])))
            memory = Memory(x.storage.version)
            x.storage, slots = replace(x.storage, jets=rows, memory=memory), np.arange(size).reshape(slots.shape)
        x.slots = slots
        x.storage.version += 1
        return x

    def _do_getitem(self, x: Tensor, key: Key) -> Tensor:
        try:
            slots = x.slots[self._numpy_key(key)]
        except IndexError:
            raise RefusedError("index") from None
        return self._view(x, np.asarray(slots)) if is_basic(key) else self._copied(x, slots)

    def _numpy_key(self, key: Key) -> tuple[Any, ...]:
        return tuple(
            self.names[item].value if isinstance(item, str) else list(item) if isinstance(item, tuple) else item
            for item in key
        )

    # ---- writes ----------------------------------------------------------------------------------------------------

    def _do_zero(self, x: Tensor) -> Tensor:
        return self._do_fill(x, 0.0)

    def _do_fill(self, x: Tensor, number: float) -> Tensor:
        return self.write(x, x.slots, jets.constant(np.full(x.shape, number), self.none), [])

    def _do_copy(self, x: Tensor, y: Tensor) -> Tensor:
        return self.write(x, x.slots, _fitted(self.read(y), x.shape), [y])

    def _do_setitem(self, x: Tensor, *given: Any) -> None:
        """`given` is a tensor and the key, or the key and a number."""
        sources = [each for each in given if isinstance(each, Tensor)]
        try:
            slots = np.asarray(x.slots[self._numpy_key(given[len(sources)])])
        except IndexError:
            raise RefusedError("index") from None
        jet = self.read(sources[0]) if sources else jets.constant(np.asarray(given[-1]), self.none)
        self.write(x, slots, _fitted(_without_leading_axes(jet, slots.ndim), slots.shape), sources)

    # ---- history -----------------------------------------------------------------------------------------------------

    def _do_hook(self, x: Tensor, factor: float) -> None:
        """A factor for every gradient that arrives at a value is a factor for every derivative of the value."""
        _check_history(x)
        x.storage.jets = x.storage.jets._replace(
            first=x.storage.jets.first * factor,
            second=None if x.storage.jets.second is None else x.storage.jets.second * factor,
        )

    def _do_retain(self, x: Tensor) -> None:
        _check_history(x)
        if x.directions is None:
            self.move_by_itself(x)
            x.retains = True

    def _do_backward(self, x: Tensor, _retain_graph: bool) -> None:
        _check_history(x)
        if not self.differentiate:
            return
        slopes = jets.gradient(self.read(x), np.ones(x.shape))
        for leaf in self.leaves.values():
            leaf.grad = leaf.own(slopes) + (0 if leaf.grad is None else leaf.grad)
        for tensor in self.names.values():
            if tensor.retains:  # zero may also mean that it is not on the way: a forward pass cannot tell
                gradient = tensor.own(slopes)
                tensor.grad = gradient if gradient.any() else None

    def _do_clear_grad(self, x: Tensor) -> None:
        x.grad = None

    def _do_detach_(self, x: Tensor) -> None:
        """A view becomes another tensor on the storage. Of other tensors the views stay where they are, in the history."""
        if not x.root:
            self.escape, x.tracked = True, False
        elif x.storage.leaf:
            self._do_stop(x, True)
        elif x.needs:
            before = x.storage
            before.left = before.version
            x.storage = Storage(jets.constant(before.jets.value, before.jets), memory=before.memory)

    _do_leave = _do_detach_

    def _do_set(self, x: Tensor, y: Tensor) -> None:
        """`x` becomes a view of `y`."""
        if x.dtype != y.dtype:
            raise RefusedError("dtype")
        if self.quiet and x.needs and x.shape != y.shape:
            raise RefusedError("shape")
        self.check_write(x, x.slots, [])
        self.escape |= (self.quiet or not x.tracked) and (x.storage.needs or y.storage.needs)
        version = max(x.storage.version, y.storage.version) + 1
        x.storage, x.slots, x.tracked, x.root = y.storage, y.slots, y.tracked, False
        x.storage.version = version

    def _do_stop(self, x: Tensor, stop: bool) -> None:
        self.escape = True
        x.storage.needs = x.storage.leaf = not stop


def _axes(x: Tensor, axis: int | None) -> Shape:
    """The axes of a reduction: all of them if there is none to choose from."""
    return tuple(range(len(x.shape))) if axis is None or not x.shape else (axis % len(x.shape),)


def _unchanged(name: str, before: Array, after: Array) -> bool:
    """As in PaddlePaddle, `reshape` to the same shape, and `t` of other tensors than matrices, return the tensor itself."""
    return before.shape == after.shape if name == "reshape" else before.ndim < 2


def _check_history(x: Tensor) -> None:
    if not x.needs:
        raise RefusedError("no history")


def _fitted(jet: Jet, shape: Shape) -> Jet:
    """Broadcast to exactly `shape`."""
    try:
        return jets.spread(jet, shape)
    except ValueError:
        raise RefusedError("growth") from None


def _without_leading_axes(jet: Jet, axes: int) -> Jet:
    """As `x[key] = value` takes it: leading axes of one element, more than the target has, are ignored."""
    extra = jet.value.ndim - axes
    if extra <= 0 or jet.value.shape[:extra] != (1,) * extra:
        return jet
    return jet.map(lambda part: part.reshape(part.shape[extra:]))


def _nested(values: Any) -> Any:
    return [_nested(each) for each in values] if isinstance(values, tuple) else values


_READ_NO_HISTORY = frozenset({"alias", "detach", "detach_", "leave", "greater"})
_FAMILIES: dict[str, Callable[..., Function]] = {"scale": scaling, "pow": power, "tripled": lambda: scaling(3.0, 0.0)}
_ARITHMETIC: dict[str, Callable[..., Jet]] = {
    "add": jets.add,
    "subtract": lambda x, y: jets.add(x, y, -1.0),
    "multiply": jets.multiply,
    "divide": lambda x, y: jets.multiply(x, RECIPROCAL(y)),
}
