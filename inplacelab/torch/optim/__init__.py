"""`torch.optim`: SGD, Adam and AdamW with PyTorch's options. Steps write the parameters in place, which raises their versions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from math import sqrt
from typing import Any, ClassVar

from inplacelab.autograd.grad_mode import enable_grad, no_grad
from inplacelab.torch.nn.module import clear
from inplacelab.torch.refusals import missing, refuse
from inplacelab.torch.tensor import Tensor

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]

State = dict[str, Any]


class Optimizer:
    """The base of every optimizer: a subclass defines `_update`, which updates one parameter.

    Args:
        params: the tensors to train, or groups: dictionaries with "params" and options.
        defaults: the options of groups that do not give their own.

    Attributes:
        param_groups: the groups with their options; a program may change `group["lr"]`.
        state: what is stored for each parameter.
    """

    _positive: ClassVar[dict[str, str]] = {
        "lr": "learning rate",
        "eps": "epsilon value",
        "weight_decay": "weight_decay value",
    }

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise refuse("not_parameters")
        given = list(params)
        if not given:
            raise refuse("empty_parameters")
        for name, called in self._positive.items():
            if defaults.get(name, 0) < 0:
                raise refuse("bad_rate", name=called, value=defaults[name])
        self.defaults = defaults
        self.param_groups: list[dict[str, Any]] = []
        self.state: dict[Any, State] = {}
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group of parameters with options of its own."""
        params = param_group["params"]
        listed = [params] if isinstance(params, Tensor) else list(params)
        for each in listed:
            if not each.is_leaf:
                raise refuse("not_a_leaf_parameter")
        self.param_groups.append({**self.defaults, **param_group, "params": listed})

    def _update(self, parameter: Any, gradient: Any, state: State, group: dict[str, Any]) -> None:
        raise NotImplementedError

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates every parameter that has a gradient, in place.

        Args:
            closure: computes the loss again, with gradients.

        Returns:
            What the closure returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    gradient = -parameter.grad if group.get("maximize") else parameter.grad
                    self._update(parameter, gradient, self.state.setdefault(parameter, {}), group)
        return loss

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Removes the gradients, or fills them with zeros in place."""
        for group in self.param_groups:
            for parameter in group["params"]:
                clear(parameter, set_to_none)

    def state_dict(self) -> dict[str, Any]:
        """Returns the state and the options, with numbers for parameters."""
        numbers = {id(p): k for k, p in enumerate(p for group in self.param_groups for p in group["params"])}
        groups = [{**group, "params": [numbers[id(p)] for p in group["params"]]} for group in self.param_groups]
        return {"state": {numbers[id(p)]: dict(each) for p, each in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores a state that `state_dict` returned."""
        parameters = [p for group in self.param_groups for p in group["params"]]
        self.state = {parameters[k]: dict(each) for k, each in state_dict["state"].items()}
        for group, saved in zip(self.param_groups, state_dict["param_groups"], strict=True):
            group.update({name: value for name, value in saved.items() if name != "params"})

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for k, group in enumerate(self.param_groups):
            lines += [f"Parameter Group {k}", *(f"    {n}: {group[n]}" for n in sorted(group) if n != "params")]
        return "\n".join([*lines, ")"])


class SGD(Optimizer):
    """Gradient descent, with momentum if asked for.

    >>> import inplacelab.torch as torch
    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> sgd = torch.optim.SGD([w], lr=0.5)
    >>> (w * w).sum().backward()
    >>> sgd.step()
    >>> w, w._version
    (tensor([0., 0.], requires_grad=True), 1)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        if momentum < 0:
            raise refuse("bad_rate", name="momentum value", value=momentum)
        options = {"momentum": momentum, "dampening": dampening, "nesterov": nesterov, "maximize": maximize}
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, **options})

    def _update(self, parameter: Any, gradient: Any, state: State, group: dict[str, Any]) -> None:
        if group["weight_decay"]:
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
        if group["momentum"]:
            if "momentum_buffer" not in state:
                state["momentum_buffer"] = gradient.clone()
            else:
                state["momentum_buffer"].mul_(group["momentum"]).add_(gradient, alpha=1 - group["dampening"])
            buffer = state["momentum_buffer"]
            gradient = gradient.add(buffer, alpha=group["momentum"]) if group["nesterov"] else buffer
        parameter.add_(gradient, alpha=-group["lr"])


class Adam(Optimizer):
    """Steps whose length does not depend on the scale of the gradients."""

    _apart = False

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        for k, beta in enumerate(betas):
            if not 0 <= beta < 1:
                raise refuse("bad_rate", name=f"beta parameter at index {k}", value=beta)
        options = {"betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad, "maximize": maximize}
        super().__init__(params, {"lr": lr, **options})

    def _update(self, parameter: Any, gradient: Any, state: State, group: dict[str, Any]) -> None:
        first, second = group["betas"]
        if not state:
            zeros = parameter.detach() * 0
            state.update(step=0, exp_avg=zeros, exp_avg_sq=zeros.clone())
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = zeros.clone()
        state["step"] += 1
        if group["weight_decay"]:
            if self._apart:
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
            else:
                gradient = gradient.add(parameter, alpha=group["weight_decay"])
        state["exp_avg"].lerp_(gradient, 1 - first)
        state["exp_avg_sq"].mul_(second).addcmul_(gradient, gradient, value=1 - second)
        square = state["exp_avg_sq"]
        if group["amsgrad"]:
            square = state["max_exp_avg_sq"].copy_(state["max_exp_avg_sq"].maximum(square))
        divisor = square.sqrt().div_(sqrt(1 - second ** state["step"])).add_(group["eps"])
        parameter.addcdiv_(state["exp_avg"], divisor, value=-group["lr"] / (1 - first ** state["step"]))


class AdamW(Adam):
    """Adam with a weight decay that does not enter the averages."""

    _apart = True

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)


class RMSprop(Optimizer):
    """Divides each gradient by the root of the mean of its squares."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
    ) -> None:
        super().__init__(
            params, {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay, "momentum": momentum}
        )

    def _update(self, parameter: Any, gradient: Any, state: State, group: dict[str, Any]) -> None:
        if not state:
            zeros = parameter.detach() * 0
            state.update(square_avg=zeros, momentum_buffer=zeros.clone())
        if group["weight_decay"]:
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
        state["square_avg"].mul_(group["alpha"]).addcmul_(gradient, gradient, value=1 - group["alpha"])
        divisor = state["square_avg"].sqrt().add_(group["eps"])
        if group["momentum"]:
            state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(gradient, divisor)
            parameter.add_(state["momentum_buffer"], alpha=-group["lr"])
        else:
            parameter.addcdiv_(gradient, divisor, value=-group["lr"])


def __getattr__(name: str) -> Any:
    if name == "lr_scheduler":
        return import_module("inplacelab.torch.optim.lr_scheduler")  # it imports this module
    raise missing("torch.optim", name, __all__)
