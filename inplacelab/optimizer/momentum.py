"""Momentum: gradient descent with a velocity, a decaying sum of gradients."""

from __future__ import annotations

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.optimizer.base import Optimizer, Parameters, Rate, State
from inplacelab.optimizer.groups import Clip, Decay, Group
from inplacelab.tensor import Tensor


class Momentum(Optimizer):
    """Updates a parameter by `velocity = momentum * velocity + gradient; w -= learning_rate * velocity`.

    Args:
        learning_rate: the factor of one step: a number, or a scheduler (see `optimizer.lr`).
        momentum: the part of the velocity that each step keeps.
        parameters: the tensors to train, or groups of them; see `Optimizer`.
        use_nesterov: whether to use Nesterov momentum: `w -= learning_rate * (gradient + momentum * velocity)`.
        weight_decay: as in `Optimizer`.
        grad_clip: as in `Optimizer`.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        OptionError: if `momentum` is not a number.

    >>> import inplacelab as paddle
    >>> w = paddle.to_tensor([1.], stop_gradient=False)
    >>> optimizer = paddle.optimizer.Momentum(0.5, momentum=0.5, parameters=[w])
    >>> for _ in range(2):
    ...     w.sum().backward()
    ...     optimizer.step()                    # the velocity is 1, then 1.5
    ...     optimizer.clear_grad()
    >>> w.item()
    -0.25

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/Momentum_en.html
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        momentum: float = 0.9,
        parameters: Parameters = None,
        use_nesterov: bool = False,
        weight_decay: Decay = None,
        grad_clip: Clip | None = None,
        *,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name=name)
        if not isinstance(momentum, int | float):
            raise errors.bad_optimizer_option(name="momentum", possible=Text("float", "浮点数"), given=momentum)
        self._momentum, self._nesterov = float(momentum), use_nesterov

    def _new_state(self, parameter: Tensor) -> State:
        return {"velocity": parameter._zeros()}

    def _update(self, parameter: Tensor, gradient: Tensor, state: State, rate: float, group: Group) -> None:
        velocity = state["velocity"]
        velocity.scale_(self._momentum).add_(gradient)
        ahead = gradient.add(velocity, alpha=self._momentum) if self._nesterov else velocity
        parameter.subtract_(ahead, alpha=rate)
