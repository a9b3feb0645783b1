"""`torch.Tensor`: PyTorch's methods and operators on a tensor of the engine.

`x += y` writes in place, as in PyTorch. Metadata, values and the history are those of the engine's tensor that it stands for; so a
tensor that a program also uses under Paddle's names (`torch.as_tensor(x)`) has one storage and one version counter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np

import inplacelab as engine
from inplacelab import modes, observe
from inplacelab.autograd.grad_mode import recording
from inplacelab.autograd.history import edge
from inplacelab.errors import Misspelled, is_foreign
from inplacelab.layout import is_basic
from inplacelab.nn.parameters import as_parameter
from inplacelab.tensor import Tensor as Engine
from inplacelab.tensor import over, show
from inplacelab.torch import dtypes, meanings
from inplacelab.torch.autograd import backward, hook_inside, retain
from inplacelab.torch.calls import KINDS, Shown, inward, outward, shown, spoken
from inplacelab.torch.described import Described, GradNode, RemovableHandle, Size, check_device, device
from inplacelab.torch.generate import line_named, made, names, write
from inplacelab.torch.refusals import foreign_tensor, missing, refuse


class Tensor(Described):
    """A tensor with PyTorch's methods. Made by `torch.tensor`, `torch.zeros`, `torch.randn`, ...

    >>> import inplacelab.torch as torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> y = x * 2
    >>> y += 1                        # in place
    >>> y
    tensor([3., 5.], grad_fn=<AddBackward0>)
    >>> y._version
    1
    """

    __slots__ = ()

    def __new__(cls, *data: Any) -> Any:
        """Returns a tensor of float32 with these sizes, or these values."""
        if data and all(isinstance(each, int) for each in data):
            return shown(engine.empty(list(data), "float32"))
        return shown(engine.to_tensor(inward(data[0]) if data else [], "float32"))

    def __iter__(self) -> Iterator[Any]:
        return iter(spoken(meanings.unbind)(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self._tensor.numpy(), self.requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if self.grad_fn is not None:
            raise refuse("deep_copy_of_a_result", tensor=self._tensor)
        if id(self) not in memo:
            copy = _rebuilt(type(self), self._tensor.numpy(), self.requires_grad)
            copy.grad = deepcopy(self.grad, memo)
            memo[id(self)] = copy
        return memo[id(self)]

    def __getattr__(self, name: str) -> Any:
        raise missing("Tensor", name, type(self))

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    # ---- the history ------------------------------------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """True if a gradient is computed for this tensor; settable for leaves."""
        return not self._tensor.stop_gradient

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        spoken(meanings.require)(self, wanted)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Sets `requires_grad`, and returns the tensor."""
        self.requires_grad = requires_grad
        return self

    @property
    def grad(self) -> Any:
        """The gradient that backward computed, or None; settable."""
        gradient = self._tensor.grad
        if gradient is not None and gradient.node is None:
            gradient._stop = True  # in Paddle it is a leaf that needs a gradient
        return outward(gradient)

    @grad.setter
    def grad(self, gradient: Any) -> None:
        spoken(Engine.grad.fset)(self, gradient)  # type: ignore[attr-defined]

    @property
    def grad_fn(self) -> GradNode | None:
        """The grad node that made the value, or None for a leaf."""
        node = spoken(edge)(self)
        return None if node is None or self._tensor.node is None else GradNode(node)

    @property
    def is_leaf(self) -> bool:
        """True if it is not the result of an operation in the history."""
        return self._tensor.is_leaf

    @property
    def output_nr(self) -> int:
        """Its number among the results of the function that made it."""
        return self._output

    @property
    def data(self) -> Any:
        """A tensor on the same storage, without history. Here it shares the version counter, so a write through it is noticed."""
        return self.detach()

    @data.setter
    def data(self, given: Any) -> None:
        spoken(_show_data)(self, given)

    def detach(self) -> Any:
        """Returns a tensor on the same storage, with the same version counter, without history."""
        return spoken(Engine.detach)(self)

    def detach_(self) -> Any:
        """Takes this tensor, which is no view, out of the history."""
        return spoken(meanings.leave)(self)

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        """Adds the gradients of this tensor to the `.grad` of every leaf that it depends on.

        Args:
            gradient: the gradient to start with; not needed for one element.
            retain_graph: keep what the nodes saved; the value of `create_graph` if None.
            create_graph: make the gradients differentiable.
            inputs: only these leaves get gradients.
        """
        backward([self], [gradient], retain_graph, create_graph, inputs)

    def retain_grad(self) -> None:
        """Makes backward keep the gradient of this tensor, although it is no leaf: of the value that it has then."""
        tensor = self._tensor
        if tensor.stop_gradient:
            raise refuse("retain_without_gradient", tensor=tensor)
        spoken(retain)(self)

    @property
    def retains_grad(self) -> bool:
        """Whether `retain_grad` was called."""
        return "_retains" in self._tensor.__dict__

    def register_hook(self, hook: Callable[[Any], Any]) -> RemovableHandle:
        """Calls `hook(gradient)` when the gradient of this tensor's present value is complete; it may return another."""
        if self._tensor.stop_gradient:
            raise refuse("hook_on_constant", tensor=self._tensor)
        handle = spoken(Engine.register_hook)(self, hook_inside(hook))
        return RemovableHandle(handle.remove)

    # ---- data types and devices -------------------------------------------------------------------------------------------------

    def to(self, *given: Any, dtype: Any = None, device: Any = None, copy: bool = False, **_: Any) -> Any:
        """Returns the tensor in another dtype; itself if it has that one."""
        for each in given:
            dtype = each if isinstance(each, dtypes.dtype) else each.dtype if isinstance(each, Tensor) else dtype
            if isinstance(each, str):
                check_device(each)
        check_device(device)
        wanted = self.dtype if dtype is None else dtype
        return spoken(_cast)(self, wanted, copy)

    def cpu(self) -> Any:
        """Returns the tensor itself."""
        return self

    def __getitem__(self, key: Any) -> Any:
        return _getitem(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        _setitem(self, key, value)


def _cast(x: Engine, dtype: Any, copy: bool) -> Engine:
    if x.dtype != dtype:
        return x.cast(dtype)
    return x.clone() if copy else x


def _caster(name: str) -> Callable[[Any], Any]:
    wanted = dtypes.BY_NAME[dtypes.SHORT.get(name, name)]

    def cast(self: Any) -> Any:
        return self.to(wanted)

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"Returns the tensor as {wanted}."
    return cast


def _index(x: Engine, key: Any) -> Any:
    key = _plain_key(key)
    result = x[key]
    if result.base is not None and "_several" in x.__dict__:
        result.__dict__["_several"] = x.__dict__["_several"]
    return meanings.named_by_key(result, key)


def _plain_key(key: Any) -> Any:
    """A key in the engine's form; what PyTorch refuses is refused. A list that contains more than numbers is a tuple, as in PyTorch."""
    if isinstance(key, list) and any(each is None or each is ... or isinstance(each, _NO_NUMBER) for each in key):
        key = tuple(key)
    if isinstance(key, tuple):
        return tuple(map(_plain_key, key))
    if isinstance(key, slice):
        if isinstance(key.step, int) and key.step <= 0:
            raise refuse(
                "step_not_positive",
                headline="step must be greater than zero" if key.step else "slice step cannot be zero",
            )
    elif isinstance(key, Engine):
        if key.array.dtype.kind not in "biu":
            raise refuse("key_of_no_integers")
        return bool(key) if key.array.dtype.kind == "b" and not key.array.ndim else key
    elif not (
        key is None or key is ... or isinstance(key, int | np.generic | np.ndarray | list | range)
    ) and not hasattr(key, "__index__"):
        raise refuse("not_a_key", kind=type(key).__name__)
    return key


_NO_NUMBER = (list, tuple, slice, Engine, np.ndarray)


def _assign(x: Engine, key: Any, value: Any) -> None:
    key = _plain_key(key)
    if isinstance(value, Engine) and value.storage is x.storage:
        if is_basic(key):
            written = modes.run_inside(recording(False), observe.silently, Engine.__getitem__, x, key).array
            meanings.check_overlap("setitem", x, value, written)
        else:
            meanings.check_apart("index_put_", x, value)
    if isinstance(value, Engine) and value.array.dtype != x.array.dtype:
        value = value.cast(x.dtype)
    x[key] = value
    meanings.named_by_write(x, key, value)


_getitem = spoken(_index)
_setitem = spoken(lambda x, key, value: write(x, partial(_assign, value=value), [key], {}))


def _show_data(x: Engine, given: Engine) -> None:
    """Makes a tensor show the storage of another one; its place in the history stays."""
    before = x.storage, x.array  # a recorder sees the old storage until it is told of the new one
    show(x, given.array, given.overlaps)
    x.storage = given.storage
    if modes.current().listeners:
        observe.notify("data", "reallocated", (x, given), x, x.node)
    del before


class Parameter(Tensor):
    """A tensor that a module trains.

    Args:
        data: its values, whose storage it shares.
        requires_grad: whether it needs a gradient.
    """

    __slots__ = ()

    def __new__(cls, data: Any, requires_grad: bool = True) -> Any:
        """Returns a parameter on the storage of `data`."""
        values = inward(data)
        parameter = as_parameter(over(values.array, values.storage))
        parameter._stop = not requires_grad
        if modes.current().listeners:
            observe.notify("Parameter", "view", (values,), parameter, None)
        return shown(parameter)

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


def _rebuilt(kind: type[Tensor], values: np.ndarray[Any, Any], requires_grad: bool) -> Any:
    made = shown(engine.to_tensor(values.copy()))
    if issubclass(kind, Parameter):
        return Parameter(made, requires_grad)
    return made.requires_grad_(requires_grad)


KINDS.update(tensor=Tensor, parameter=Parameter)


class _Method:
    """A method of the table, which is made on first use and then replaces this object."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, tensor: Any, owner: type) -> Any:
        line = line_named(self._name, method=True)
        assert line is not None
        function = made(line, self._name)
        setattr(Tensor, self._name, function)
        return function if tensor is None else function.__get__(tensor, owner)


_OPERATORS = {
    "__add__": "add", "__radd__": "add", "__iadd__": "add_", "__sub__": "sub", "__rsub__": "rsub", "__isub__": "sub_",
    "__mul__": "mul", "__rmul__": "mul", "__imul__": "mul_", "__truediv__": "div", "__itruediv__": "div_", "__pow__": "pow",
    "__ipow__": "pow_", "__floordiv__": "floor_divide", "__ifloordiv__": "floor_divide_", "__mod__": "remainder",
    "__imod__": "remainder_", "__matmul__": "matmul", "__neg__": "neg", "__abs__": "abs", "__invert__": "bitwise_not",
    "__eq__": "eq", "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge", "__and__": "bitwise_and",
    "__or__": "bitwise_or", "__xor__": "bitwise_xor", "__iand__": "bitwise_and_", "__ior__": "bitwise_or_",
    "__ixor__": "bitwise_xor_", "__rand__": "bitwise_and", "__ror__": "bitwise_or", "__rxor__": "bitwise_xor", "__lshift__": "bitwise_left_shift", "__rshift__": "bitwise_right_shift",
}  # fmt: skip
"""Operators, and the names of the functions that they call."""
_REFLECTED = {"__rtruediv__": "div", "__rpow__": "pow", "__rfloordiv__": "floor_divide", "__rmod__": "remainder"}


def _beside(x: Tensor, array: np.ndarray[Any, Any]) -> Any:
    """An array as the operand beside a tensor: NumPy has no history, so the tensor must have none."""
    if x.requires_grad:
        raise refuse("numpy_of_gradient", tensor=x._tensor)
    return shown(engine.to_tensor(array))


def _operator(name: str, *, reflected: bool = False) -> Callable[[Any, Any], Any]:
    def operator(self: Any, *others: Any) -> Any:
        if others and isinstance(others[0], np.ndarray):
            others = (_beside(self, others[0]),)
        elif others and not isinstance(others[0], Shown) and not meanings.is_number(others[0]):
            if is_foreign(others[0]) and name not in ("eq", "ne"):
                raise foreign_tensor(name, others[0])
            return NotImplemented
        function = getattr(Tensor, name)
        return function(*others, self) if reflected else function(self, *others)

    operator.__name__ = name
    return operator


for _name in names(methods=True):
    if _name not in Tensor.__dict__:
        setattr(Tensor, _name, _Method(_name))
for _name, _function in _OPERATORS.items():
    setattr(Tensor, _name, _operator(_function))
for _name, _function in _REFLECTED.items():
    setattr(Tensor, _name, _operator(_function, reflected=True))
for _name in (*dtypes.SHORT, "bool"):
    setattr(Tensor, _name, _caster(_name))
_FURTHER: dict[str, Any] = {
    "T": property(lambda self: self.permute(*range(self.ndim)[::-1]) if self.ndim > 1 else self),
    "mT": property(lambda self: self.transpose(-2, -1)),
    "__pos__": lambda self: self,
    "__array_priority__": 1000,
    "__array_ufunc__": None,
}
for _name, _member in _FURTHER.items():
    setattr(Tensor, _name, _member)
for _name in ("require_grad", "required_grad", "stop_gradient"):
    setattr(Tensor, _name, Misspelled(_name, "requires_grad"))

__all__ = ["GradNode", "Parameter", "RemovableHandle", "Size", "Tensor", "backward", "device"]
