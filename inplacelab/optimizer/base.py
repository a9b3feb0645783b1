"""What all optimizers have in common: the parameters, the learning rate, and when to update what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inplacelab import errors
from inplacelab.autograd import modes
from inplacelab.language import Text
from inplacelab.tensor import Tensor

Pairs = Sequence[tuple[Tensor, Tensor]]
State = dict[str, Tensor]


class Optimizer:
    """The base of every optimizer. A method of its own says in `_update` how one parameter is updated.

    Args:
        learning_rate: how far to go in one step.
        parameters: the tensors to train. Those with `stop_gradient=True`, or without a gradient, are left as they are.
        weight_decay: this times the parameter is added to each gradient ("L2 decay"); None for nothing.
        grad_clip: called with a list of (parameter, gradient), returns such a list with other gradients; None for no clipping.
        name: for Paddle's sake; not used.

    Raises:
        MissingParametersError: if there are no parameters.
        OptionError: if an argument is of a kind that cannot be used.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/Optimizer_en.html
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        parameters: Sequence[Tensor] | None = None,
        weight_decay: float | None = None,
        grad_clip: Callable[[Pairs], Pairs] | None = None,
        *,
        name: str | None = None,
    ) -> None:
        if not isinstance(learning_rate, float):
            raise errors.bad_learning_rate(learning_rate)
        if grad_clip is not None and not callable(grad_clip):
            raise errors.bad_option("grad_clip", grad_clip, Text("None or a function", "None 或函数"))
        if not isinstance(weight_decay, int | float | None):
            raise errors.bad_option("weight_decay", weight_decay, Text("None or a number", "None 或一个数"))
        self._parameters = _checked(parameters)
        self._states: dict[int, State] = {}  # by the identity of the parameter, which is kept alive above
        self._learning_rate, self._weight_decay, self._grad_clip = learning_rate, weight_decay, grad_clip

    # ---- for each method to say -----------------------------------------------------------------------------------------

    def _update(self, parameter: Tensor, gradient: Tensor, state: State) -> None:
        """Write the parameter's new value, and what is remembered for the next step."""
        raise NotImplementedError(f"{type(self).__name__} defines no _update(): say there how a parameter is updated")

    def _new_state(self, parameter: Tensor) -> State:
        """What is remembered of a parameter between steps, as before the first one: names and tensors."""
        return {}

    # ---- training -----------------------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Update every parameter that has a gradient, in place: its version is raised."""
        with modes.no_grad():
            for parameter, gradient in self._clipped(self._pairs()):
                self._update(parameter, self._decayed(parameter, gradient), self._state(parameter))

    def minimize(self, loss: Tensor) -> tuple[list[Any], list[tuple[Tensor, Tensor]]]:
        """One step with the gradients that `loss.backward()` has left: what is returned are no operators, and the pairs of
        parameter and gradient, as in Paddle. Backward is not called here, in Paddle neither.
        """
        if not isinstance(loss, Tensor):
            raise errors.not_a_tensor("minimize", "loss", 0, loss)
        pairs = self._pairs()
        self.step()
        return [], pairs

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Fill the gradients with zeros in place, or drop them if `set_to_zero` is False."""
        for parameter in self._parameters:
            if not parameter.stop_gradient:
                parameter.clear_gradient(set_to_zero)

    clear_gradients = clear_grad

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients, or fill them with zeros if `set_to_none` is False."""
        self.clear_grad(set_to_zero=not set_to_none)

    def get_lr(self) -> float:
        """The learning rate."""
        return self._learning_rate

    def set_lr(self, value: float) -> None:
        """Go on with another learning rate.

        Raises:
            OptionError: if it is no number.
        """
        if not isinstance(value, int | float):
            raise errors.bad_option("value", value, Text("float", "浮点数"))
        self._learning_rate = float(value)

    # ---- what is remembered -------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Tensor]:
        """What is remembered between steps, by the parameter's name and what it is: empty before the first step."""
        return {
            _name(parameter, what): tensor
            for parameter in self._parameters
            for what, tensor in self._states.get(id(parameter), {}).items()
        }

    def set_state_dict(self, state_dict: Mapping[str, Tensor]) -> None:
        """Go on from what `state_dict` gave.

        Raises:
            ArgumentError: if something is missing; nothing is changed then.
        """
        wanted = [(each, what) for each in self._parameters for what in self._new_state(each)]
        for parameter, what in wanted:
            if _name(parameter, what) not in state_dict:
                raise errors.missing_state(_name(parameter, what))
        for parameter, what in wanted:
            self._state(parameter)[what].set_value(state_dict[_name(parameter, what)])

    # ---- the parts of a step ------------------------------------------------------------------------------------------------

    def _pairs(self) -> list[tuple[Tensor, Tensor]]:
        return [(p, p.grad) for p in self._parameters if not p.stop_gradient and p.grad is not None]

    def _clipped(self, pairs: Pairs) -> Pairs:
        return pairs if self._grad_clip is None else self._grad_clip(pairs)

    def _decayed(self, parameter: Tensor, gradient: Tensor) -> Tensor:
        """The gradient with the pull towards zero that weight decay adds."""
        return gradient.add(parameter, alpha=float(self._weight_decay)) if self._weight_decay else gradient

    def _state(self, parameter: Tensor) -> State:
        """What is remembered of a parameter; made when first asked for."""
        if id(parameter) not in self._states:
            with modes.no_grad():
                self._states[id(parameter)] = self._new_state(parameter)
        return self._states[id(parameter)]


def _checked(parameters: Any) -> list[Tensor]:
    """The parameters as a list."""
    if parameters is None:
        raise errors.no_parameters()
    if isinstance(parameters, Tensor | dict):
        raise errors.not_parameters(parameters)
    listed = list(parameters)
    if not listed:
        raise errors.no_parameters()
    for each in listed:
        if not isinstance(each, Tensor):
            raise errors.not_parameters(each)
    return listed


def _name(parameter: Tensor, what: str) -> str:
    """As Paddle calls what an optimizer remembers: "linear_0.w_0_velocity_0"."""
    return f"{parameter.name}_{what}_0"
