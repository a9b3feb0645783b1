"""`nn.Module`: a function with parameters, buffers and modules inside."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Self

from inplacelab import modes
from inplacelab.autograd.grad_mode import is_grad_enabled, no_grad
from inplacelab.torch.autograd import Function
from inplacelab.torch.calls import speaking
from inplacelab.torch.described import check_device
from inplacelab.torch.dtypes import dtype as DType
from inplacelab.torch.refusals import missing, refuse
from inplacelab.torch.tensor import Parameter, RemovableHandle, Tensor

Gradients = tuple[Any, ...]


class BackwardHookFunction(Function):
    """Returns its tensors as they are. Backward calls `passing` with their gradients, which it may replace."""

    @staticmethod
    def forward(ctx: Any, passing: Callable[[Gradients], Gradients], *tensors: Any) -> Any:
        """Returns the tensors."""
        ctx.set_materialize_grads(False)
        ctx.passing = passing
        return tensors

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Returns what `passing` makes of the gradients."""
        return (None, *ctx.passing(gradients))


class Watched:
    """One call of a module with such hooks.

    Args:
        hooks: called with the module, the gradients of its inputs, and those of its outputs.
        module: the module.
    """

    def __init__(self, hooks: tuple[Any, ...], module: Any) -> None:
        self._hooks, self._module = hooks, module
        self._of_outputs: Gradients = ()
        self._places: list[int] = []
        self._count = 0

    def enter(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """Returns the inputs as the module gets them."""
        self._count = len(inputs)
        self._places = [k for k, each in enumerate(inputs) if isinstance(each, Tensor)]
        if not is_grad_enabled() or not any(inputs[k].requires_grad for k in self._places):
            self._places = []
            return inputs
        passed = dict(zip(self._places, _passed(self._leave_inputs, [inputs[k] for k in self._places]), strict=True))
        return tuple(passed.get(k, each) for k, each in enumerate(inputs))

    def leave(self, outputs: Any) -> Any:
        """Returns the outputs as the program gets them."""
        given = outputs if isinstance(outputs, tuple) else (outputs,)
        tensors = [each for each in given if isinstance(each, Tensor)]
        if not any(each.requires_grad for each in tensors):
            return outputs
        passed = iter(_passed(self._leave_outputs, tensors))
        results = tuple(next(passed) if isinstance(each, Tensor) else each for each in given)
        return results if isinstance(outputs, tuple) else results[0]

    def _leave_outputs(self, gradients: Gradients) -> Gradients:
        self._of_outputs = gradients
        if not self._places:
            self._called((None,) * self._count)
        return gradients

    def _leave_inputs(self, gradients: Gradients) -> Gradients:
        of_inputs = dict(zip(self._places, gradients, strict=True))
        found = self._called(tuple(of_inputs.get(k) for k in range(self._count)))
        return tuple(found[k] for k in self._places)

    def _called(self, of_inputs: Gradients) -> Gradients:
        for hook in self._hooks:
            changed = hook(self._module, of_inputs, self._of_outputs)
            if changed is not None:
                of_inputs = changed if isinstance(changed, tuple) else (changed,)
        return of_inputs


def _passed(passing: Callable[[Gradients], Gradients], tensors: list[Any]) -> tuple[Any, ...]:
    found = BackwardHookFunction.apply(passing, *tensors)
    return found if isinstance(found, tuple) else (found,)


_PARTS = ("_parameters", "_buffers", "_modules")
_NOT_HERE = frozenset((
    "bfloat16", "compile", "cuda", "get_buffer", "get_extra_state", "get_parameter", "get_submodule", "half", "ipu", "mtia",
    "register_backward_hook", "register_full_backward_pre_hook", "register_load_state_dict_post_hook",
    "register_load_state_dict_pre_hook", "register_state_dict_post_hook", "register_state_dict_pre_hook", "set_extra_state",
    "set_submodule", "share_memory", "to_empty", "type", "xpu",
))  # fmt: skip
"""PyTorch's methods of modules that are not here. (Any other name that is not there is a slip in the program, and told as Python tells it.)"""


class Keys(NamedTuple):
    """The names that did not fit in `load_state_dict`."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        return "<All keys matched successfully>" if not any(self) else tuple.__repr__(self)


class Module:
    """The base of every module: a subclass defines `forward`; a program calls the module.

    Attributes:
        training: True in training, False in evaluation.

    >>> import inplacelab.torch as torch
    >>> class Double(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x * 2
    >>> Double()(torch.ones(2))
    tensor([2., 2.])
    """

    training: bool

    def __init__(self) -> None:
        for part in _PARTS:
            self.__dict__[part] = {}
        self.__dict__["_transient"] = set()
        self.__dict__["_before"], self.__dict__["_after"], self.__dict__["_backward"] = {}, {}, {}
        self.training = True
        for each in modes.current().listeners:
            each.constructed(self)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Computes the outputs. Every subclass defines it."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        for hook in tuple(self._before.values()):
            changed = hook(self, inputs)
            if changed is not None:
                inputs = changed if isinstance(changed, tuple) else (changed,)
        watched = Watched(tuple(self._backward.values()), self) if self._backward else None
        if watched is not None:
            inputs = watched.enter(inputs)
        outputs = self.forward(*inputs, **kwargs)
        for hook in tuple(self._after.values()):
            changed = hook(self, inputs, outputs)
            outputs = outputs if changed is None else changed
        return outputs if watched is None else watched.leave(outputs)

    # ---- parts -----------------------------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        held = self.__dict__.get("_parameters")
        if isinstance(value, Parameter | Module):
            if held is None:
                what = "parameters" if isinstance(value, Parameter) else "module"
                raise speaking(refuse, "module_not_begun", what=what)
            self._drop(name)
            self.__dict__["_parameters" if isinstance(value, Parameter) else "_modules"][name] = value
            return
        for part in _PARTS:
            here = self.__dict__.get(part) or {}
            if name in here:
                if part == "_parameters" and value is not None:
                    kind = f"torch.{type(value).__name__}" if isinstance(value, Tensor) else type(value).__name__
                    raise refuse("parameter_replaced", name=name, given=kind)
                if value is None or isinstance(value, Tensor):
                    here[name] = value
                    return
                del here[name]
        object.__setattr__(self, name, value)

    def _drop(self, name: str) -> None:
        self.__dict__.pop(name, None)
        for part in _PARTS:
            self.__dict__[part].pop(name, None)

    def __getattr__(self, name: str) -> Any:
        for part in _PARTS:
            here = self.__dict__.get(part)
            if here is not None and name in here:
                return here[name]
        if name in _NOT_HERE:
            raise missing(f"torch.nn.{type(self).__name__}", name, type(self))
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __delattr__(self, name: str) -> None:
        for part in _PARTS:
            if self.__dict__[part].pop(name, self) is not self:
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for part in _PARTS for name in self.__dict__[part])})

    def register_parameter(self, name: str, param: Any) -> None:
        """Adds a parameter, or None in place of one."""
        self._drop(name)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Adds a tensor that is not trained; part of `state_dict()` if `persistent`."""
        self._drop(name)
        self._buffers[name] = tensor
        (self._transient.discard if persistent else self._transient.add)(name)

    def add_module(self, name: str, module: Any) -> None:
        """Adds a module."""
        if module is not None and not isinstance(module, Module):
            raise refuse("not_a_module", kind=f"{type(module).__module__}.{type(module).__name__}")
        self._drop(name)
        self._modules[name] = module

    register_module = add_module

    # ---- finding parts -------------------------------------------------------------------------------------------------------

    def named_modules(
        self, memo: set[int] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Yields this module and all inside as (dotted name, module)."""
        memo = set() if memo is None else memo
        if id(self) in memo:
            return
        if remove_duplicate:
            memo.add(id(self))
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, _join(prefix, name), remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """Yields this module and all inside."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yields the modules directly inside as (name, module)."""
        return ((name, module) for name, module in self._modules.items() if module is not None)

    def children(self) -> Iterator[Module]:
        """Yields the modules directly inside."""
        return (module for _, module in self.named_children())

    def _named(self, part: str, prefix: str, recurse: bool) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        for path, module in self.named_modules(prefix=prefix) if recurse else [(prefix, self)]:
            for name, value in module.__dict__[part].items():
                if value is not None and id(value) not in seen:
                    seen.add(id(value))
                    yield _join(path, name), value

    def named_parameters(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Any]]:
        """Yields the parameters as (dotted name, parameter), each once."""
        return self._named("_parameters", prefix, recurse)

    def parameters(self, recurse: bool = True) -> Iterator[Any]:
        """Yields the parameters."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Any]]:
        """Yields the buffers as (dotted name, buffer), each once."""
        return self._named("_buffers", prefix, recurse)

    def buffers(self, recurse: bool = True) -> Iterator[Any]:
        """Yields the buffers."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    # ---- state and modes -----------------------------------------------------------------------------------------------------

    def state_dict(self, prefix: str = "") -> OrderedDict[str, Any]:
        """Returns the parameters and persistent buffers by dotted name, without history; they share their storages."""
        found: OrderedDict[str, Any] = OrderedDict()
        for path, module in self.named_modules(prefix=prefix.removesuffix("."), remove_duplicate=False):
            for part in ("_parameters", "_buffers"):
                for name, value in module.__dict__[part].items():
                    if value is not None and name not in module._transient:
                        found[_join(path, name)] = value.detach()
        return found

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> Keys:
        """Writes values into the parameters and buffers, in place.

        Raises:
            RuntimeError: if a name or a shape does not fit. Nothing is written then.
        """
        mine = self.state_dict()
        absent, extra = [n for n in mine if n not in state_dict], [n for n in state_dict if n not in mine]
        problems = [f"size mismatch for {n}" for n in mine if n in state_dict and mine[n].shape != state_dict[n].shape]
        if strict:
            problems += [f"Missing key(s) in state_dict: {absent}"] * bool(absent)
            problems += [f"Unexpected key(s) in state_dict: {extra}"] * bool(extra)
        if problems:
            raise refuse("state_does_not_fit", module=type(self).__name__, problems="; ".join(problems))
        with no_grad():
            for name, tensor in mine.items():
                if name in state_dict:
                    tensor.copy_(state_dict[name])
        return Keys(absent, extra)

    def train(self, mode: bool = True) -> Self:
        """Switches to training, or to evaluation if `mode` is False."""
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """Switches to evaluation."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Sets `requires_grad` of every parameter."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Removes the gradients of the parameters, or fills them with zeros."""
        for parameter in self.parameters():
            clear(parameter, set_to_none)

    def apply(self, fn: Callable[[Module], object]) -> Self:
        """Calls `fn(module)` for all modules inside and then for this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def to(self, *given: Any, dtype: Any = None, device: Any = None, **_: Any) -> Self:
        """Converts the floating-point parameters and buffers to a dtype."""
        for each in given:
            if isinstance(each, DType):
                dtype = each
            else:
                check_device(each)
        check_device(device)
        if dtype is not None:
            with no_grad():
                for tensor in (*self.parameters(), *self.buffers()):
                    if tensor.is_floating_point():
                        tensor.data = tensor.detach().to(dtype)
        return self

    def double(self) -> Self:
        """Converts to float64."""
        from inplacelab.torch.dtypes import BY_NAME  # noqa: PLC0415

        return self.to(BY_NAME["float64"])

    def float(self) -> Self:
        """Converts to float32."""
        from inplacelab.torch.dtypes import BY_NAME  # noqa: PLC0415

        return self.to(BY_NAME["float32"])

    def cpu(self) -> Self:
        """Returns the module itself, which is on the CPU."""
        return self

    # ---- hooks, printing -------------------------------------------------------------------------------------------------------

    def register_forward_hook(self, hook: Callable[[Any, Any, Any], Any]) -> RemovableHandle:
        """Calls `hook(module, inputs, output)` after `forward`; what it returns replaces the output."""
        return _add(self._after, hook)

    def register_forward_pre_hook(self, hook: Callable[[Any, Any], Any]) -> RemovableHandle:
        """Calls `hook(module, inputs)` before `forward`; what it returns replaces the inputs."""
        return _add(self._before, hook)

    def register_full_backward_hook(self, hook: Callable[[Any, Any, Any], Any]) -> RemovableHandle:
        """Calls `hook(module, gradients of the inputs, gradients of the outputs)` in backward; what it returns replaces the former.

        The outputs of the module are views then, which may not be written in place.
        """
        return _add(self._backward, hook)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return ""

    def __repr__(self) -> str:
        inside = [f"({name}): {_indented(repr(module))}" for name, module in self._modules.items()]
        extra = self.extra_repr()
        if not inside:
            return f"{type(self).__name__}({extra})"
        return f"{type(self).__name__}(\n  " + "\n  ".join([*([extra] * bool(extra)), *inside]) + "\n)"


def clear(parameter: Any, set_to_none: bool) -> None:
    """Removes a gradient, or fills it with zeros in place."""
    if parameter.grad is None:
        return
    if set_to_none:
        parameter.grad = None
    else:
        gradient = parameter.grad
        with no_grad():
            gradient.requires_grad_(False) if gradient.grad_fn is None else gradient.detach_()
            gradient.zero_()


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def _add(hooks: dict[int, Any], hook: Any) -> RemovableHandle:
    key = max(hooks, default=-1) + 1
    hooks[key] = hook
    return RemovableHandle(lambda: hooks.pop(key, None))
