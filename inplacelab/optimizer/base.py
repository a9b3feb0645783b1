"""What all optimizers have in common: the parameters, the learning rate, and when to update what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inplacelab import errors
from inplacelab.autograd import modes
from inplacelab.language import Text
from inplacelab.optimizer.groups import Clip, Decay, Group, groups_of
from inplacelab.optimizer.lr.base import LRScheduler
from inplacelab.tensor import Tensor

State = dict[str, Tensor]
Rate = float | LRScheduler
Parameters = Sequence[Tensor] | Sequence[dict[str, Any]] | None


class Optimizer:
    """The base of every optimizer. A method of its own says in `_update` how one parameter is updated.

    Args:
        learning_rate: how far to go in one step: a number, or a scheduler (see `optimizer.lr`).
        parameters: the tensors to train. Those with `stop_gradient=True`, or without a gradient, are left as they are. Or groups
            of them: dictionaries with "params", and what is particular about the group: "learning_rate" (a factor),
            "weight_decay", "grad_clip".
        weight_decay: this times the parameter is added to each gradient ("L2 decay"), or a regularizer; None for nothing.
        grad_clip: called with a list of (parameter, gradient), returns such a list with other gradients; None for no clipping.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        MissingParametersError: if there are no parameters.
        OptionError: if an argument is of a kind that cannot be used.
        ArgumentError: if a group has an option that there is not, or a parameter is in two groups.

    >>> import inplacelab as paddle
    >>> slow, fast = (paddle.to_tensor([1.], stop_gradient=False) for _ in range(2))
    >>> groups = [{"params": [slow], "learning_rate": 0.5}, {"params": [fast]}]
    >>> sgd = paddle.optimizer.SGD(0.25, parameters=groups)
    >>> (slow + fast).backward()
    >>> sgd.step()
    >>> slow.item(), fast.item()
    (0.875, 0.75)

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/Optimizer_en.html
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        parameters: Parameters = None,
        weight_decay: Decay = None,
        grad_clip: Clip | None = None,
        *,
        name: str | None = None,
    ) -> None:
        if not isinstance(learning_rate, float | LRScheduler):
            raise errors.bad_learning_rate(learning_rate)
        self._groups = groups_of(parameters, weight_decay, grad_clip)
        self._states: dict[int, State] = {}  # by the identity of the parameter, which is kept alive above
        self._learning_rate = learning_rate

    # ---- for each method to say -----------------------------------------------------------------------------------------

    def _update(self, parameter: Tensor, gradient: Tensor, state: State, rate: float, group: Group) -> None:
        """Write the parameter's new value, and what is remembered for the next step.

        Args:
            parameter: what is updated.
            gradient: clipped, and with the pull of weight decay.
            state: what is remembered of the parameter.
            rate: how far to go.
            group: the parameter's group.
        """
        raise NotImplementedError(f"{type(self).__name__} defines no _update(): say there how a parameter is updated")

    def _new_state(self, parameter: Tensor) -> State:
        """What is remembered of a parameter between steps, as before the first one: names and tensors."""
        return {}

    # ---- training -----------------------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Update every parameter that has a gradient, in place: its version is raised."""
        with modes.no_grad():
            for group in self._groups:
                rate = self.get_lr() * group.factor
                pairs = group.clipped()
                for parameter, gradient in pairs:
                    pulled = self._decayed(parameter, gradient, group)
                    self._update(parameter, pulled, self._state(parameter), rate, group)

    def minimize(self, loss: Tensor) -> tuple[list[Any], list[tuple[Tensor, Tensor]]]:
        """One step with the gradients that `loss.backward()` has left: what is returned are no operators, and the pairs of
        parameter and gradient, as in Paddle. Backward is not called here, in Paddle neither.
        """
        if not isinstance(loss, Tensor):
            raise errors.not_a_tensor("minimize", "loss", 0, loss)
        pairs = [pair for group in self._groups for pair in group.pairs()]
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
        """The learning rate that holds now."""
        return self._learning_rate() if isinstance(self._learning_rate, LRScheduler) else self._learning_rate

    def set_lr(self, value: float) -> None:
        """Go on with another learning rate.

        Raises:
            OptionError: if it is no number.
            ScheduleError: if a scheduler says the rate.
        """
        if not isinstance(value, int | float):
            raise errors.bad_option("value", value, Text("float", "浮点数"))
        if isinstance(self._learning_rate, LRScheduler):
            raise errors.rate_is_scheduled()
        self._learning_rate = float(value)

    def set_lr_scheduler(self, scheduler: LRScheduler) -> None:
        """Have a scheduler say the learning rate from now on.

        Raises:
            OptionError: if it is none.
        """
        if not isinstance(scheduler, LRScheduler):
            raise errors.bad_option("scheduler", scheduler, Text("LRScheduler", "LRScheduler"))
        self._learning_rate = scheduler

    # ---- what is remembered -------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """What is remembered between steps, by the parameter's name and what it is: nothing before the first step. The state of a
        scheduler is under "LR_Scheduler".
        """
        state: dict[str, Any] = {
            _name(parameter, what): tensor
            for parameter in self._parameters
            for what, tensor in self._states.get(id(parameter), {}).items()
        }
        if isinstance(self._learning_rate, LRScheduler):
            state["LR_Scheduler"] = self._learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from what `state_dict` gave.

        Raises:
            ArgumentError: if something is missing; nothing is changed then.
            ScheduleError: if there is a scheduler, and its state does not fit.
        """
        wanted = [(each, what) for each in self._parameters for what in self._new_state(each)]
        for parameter, what in wanted:
            if _name(parameter, what) not in state_dict:
                raise errors.missing_state(_name(parameter, what))
        if isinstance(self._learning_rate, LRScheduler) and "LR_Scheduler" in state_dict:
            self._learning_rate.set_state_dict(state_dict["LR_Scheduler"])
        for parameter, what in wanted:
            self._state(parameter)[what].set_value(state_dict[_name(parameter, what)])

    # ---- the parts of a step ------------------------------------------------------------------------------------------------

    def _decayed(self, parameter: Tensor, gradient: Tensor, group: Group) -> Tensor:
        """The gradient that the update sees."""
        return group.decayed(parameter, gradient)

    @property
    def _parameters(self) -> list[Tensor]:
        return [parameter for group in self._groups for parameter in group.parameters]

    def _state(self, parameter: Tensor) -> State:
        """What is remembered of a parameter; made when first asked for."""
        if id(parameter) not in self._states:
            with modes.no_grad():
                self._states[id(parameter)] = self._new_state(parameter)
        return self._states[id(parameter)]


def remembered(attributes: Mapping[Any, Any]) -> list[tuple[int, State]]:
    """What an optimizer with these attributes remembers, by the place of the parameter among all of them.

    Nothing before the first step, nor while it is being made. The optimizer itself is not asked: its class may be the program's
    own, and must not be run by whoever only looks.
    """
    groups, states = attributes.get("_groups", ()), attributes.get("_states")
    if not states:
        return []
    parameters = [id(parameter) for group in groups for parameter in group.parameters]
    return [(place, states[each]) for place, each in enumerate(parameters) if each in states]


def _name(parameter: Tensor, what: str) -> str:
    """As Paddle calls what an optimizer remembers: "linear_0.w_0_velocity_0"."""
    return f"{parameter.name}_{what}_0"
