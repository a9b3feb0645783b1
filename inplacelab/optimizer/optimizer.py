"""The base of all optimizers: parameter groups, the learning rate, steps and the saved state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inplacelab import errors
from inplacelab.autograd.grad_mode import no_grad, without_history
from inplacelab.language import Text
from inplacelab.optimizer.lr import LRScheduler
from inplacelab.regularizer import L2Decay
from inplacelab.tensor import Tensor

Decay = float | L2Decay | None

OPTIONS = ("params", "learning_rate", "weight_decay")
"""The keys that a group may have."""


@dataclass(frozen=True)
class Group:
    """Parameters with the same options.

    Attributes:
        parameters: the tensors.
        factor: multiplies the optimizer's learning rate.
        weight_decay: a factor, a regularizer, or None.
    """

    parameters: list[Tensor]
    factor: float
    weight_decay: Decay

    def pairs(self) -> list[tuple[Tensor, Tensor]]:
        """Returns (parameter, gradient) for the parameters that are trained and have a gradient."""
        return [(p, p.grad) for p in self.parameters if not p.stop_gradient and p.grad is not None]

    def decayed(self, parameter: Tensor, gradient: Tensor) -> Tensor:
        """Adds the weight decay of the group.

        Args:
            parameter: a parameter of the group.
            gradient: its gradient, of the same shape.

        Returns:
            A new tensor, or `gradient` itself if there is no decay.
        """
        decay = self.weight_decay
        if not decay:
            return gradient
        return (decay if isinstance(decay, L2Decay) else L2Decay(decay))(parameter, gradient)


def groups_of(parameters: Any, weight_decay: Decay) -> list[Group]:
    """Converts the argument `parameters` of an optimizer to groups.

    Args:
        parameters: a list of tensors, which becomes one group, or a list of dictionaries, each of which becomes a group.
        weight_decay: the decay of groups that have none.

    Raises:
        MissingParametersError: if there are no parameters.
        OptionError: if a parameter is not a tensor, or an option has a wrong type.
        ArgumentError: if a group has an unknown option, or a parameter is in two groups.
    """
    if parameters is None:
        raise errors.no_parameters()
    if isinstance(parameters, Tensor | dict):
        raise errors.not_parameters(given=parameters)
    given = list(parameters)
    if not given or not isinstance(given[0], dict):
        given = [{"params": given}]
    groups = [_group(each, weight_decay) for each in given]
    seen: set[int] = set()
    for parameter in (parameter for group in groups for parameter in group.parameters):
        if id(parameter) in seen and len(groups) > 1:
            raise errors.in_two_groups(name=parameter.name)
        seen.add(id(parameter))
    return groups


def _group(given: Any, weight_decay: Decay) -> Group:
    if not isinstance(given, Mapping):
        raise errors.not_parameters(given=given)
    for option in given:
        if option not in OPTIONS:
            raise errors.unknown_group_option(option=option, known=list(map(repr, OPTIONS)))
    parameters = given.get("params", [])
    listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    if not listed:
        raise errors.no_parameters()
    for each in listed:
        if not isinstance(each, Tensor):
            raise errors.not_parameters(given=each)
    decay = given.get("weight_decay", weight_decay)
    if not isinstance(decay, int | float | L2Decay | None):
        possible = Text("None, a number or a regularizer", "None、一个数或正则化项")
        raise errors.bad_optimizer_option(name="weight_decay", possible=possible, given=decay)
    return Group(listed, float(given.get("learning_rate", 1.0)), decay)


State = dict[str, Tensor]
Rate = float | LRScheduler
Parameters = Sequence[Tensor] | Sequence[dict[str, Any]] | None


class Optimizer:
    """The base of every optimizer. A subclass defines `_update`, which updates one parameter.

    Args:
        learning_rate: the factor of one step: a number, or a scheduler (see `optimizer.lr`).
        parameters: the tensors to train. Those with `stop_gradient=True` or without a gradient do not change. Or groups:
            dictionaries with "params" and the options of the group: "learning_rate" (a factor of the optimizer's rate),
            "weight_decay".
        weight_decay: a number, which adds itself times the parameter to each gradient ("L2 decay"), or a regularizer; None
            for no decay.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        MissingParametersError: if there are no parameters.
        OptionError: if an argument has a wrong type.
        ArgumentError: if a group has an unknown option, or a parameter is in two groups.

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
        *,
        name: str | None = None,
    ) -> None:
        if not isinstance(learning_rate, float | LRScheduler):
            raise errors.bad_learning_rate(given=learning_rate)
        self._groups = groups_of(parameters, weight_decay)
        self._states: dict[int, State] = {}  # by the id of the parameter; the groups keep the parameters alive
        self._learning_rate = learning_rate

    # ---- what a subclass defines ----------------------------------------------------------------------------------------

    def _update(self, parameter: Tensor, gradient: Tensor, state: State, rate: float, group: Group) -> None:
        """Updates a parameter and its state, in place.

        Args:
            parameter: the parameter.
            gradient: its gradient, after weight decay.
            state: the tensors that the optimizer stores for the parameter.
            rate: the learning rate of its group.
            group: the parameter's group.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define _update(), which updates one parameter")

    def _new_state(self, parameter: Tensor) -> State:
        """Returns the tensors by name that the optimizer stores for a parameter, with their first values."""
        return {}

    # ---- training -----------------------------------------------------------------------------------------------------------

    @no_grad()
    def step(self) -> None:
        """Updates every parameter that has a gradient, in place, which raises its version."""
        for group in self._groups:
            rate = self.get_lr() * group.factor
            for parameter, gradient in group.pairs():
                decayed = self._decayed(parameter, gradient, group)
                self._update(parameter, decayed, self._state(parameter), rate, group)

    def minimize(self, loss: Tensor) -> tuple[list[Any], list[tuple[Tensor, Tensor]]]:
        """Runs one step with the gradients that `loss.backward()` has computed. As in Paddle, it does not call backward.

        Args:
            loss: the loss; only its type is checked.

        Returns:
            An empty list (Paddle's operators of a static graph), and the list of (parameter, gradient).

        Raises:
            OperandError, ArgumentKindError: if `loss` is not a tensor.
        """
        if not isinstance(loss, Tensor):
            raise errors.not_a_tensor("minimize", "loss", 0, loss)
        pairs = [pair for group in self._groups for pair in group.pairs()]
        self.step()
        return [], pairs

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Fills the gradients with zeros in place, or removes them if `set_to_zero` is False."""
        for parameter in self._parameters:
            if not parameter.stop_gradient:
                parameter.clear_gradient(set_to_zero)

    clear_gradients = clear_grad

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Removes the gradients, or fills them with zeros if `set_to_none` is False."""
        self.clear_grad(set_to_zero=not set_to_none)

    def get_lr(self) -> float:
        """Returns the current learning rate."""
        return self._learning_rate() if isinstance(self._learning_rate, LRScheduler) else self._learning_rate

    def set_lr(self, value: float) -> None:
        """Sets the learning rate.

        Args:
            value: the new rate.

        Raises:
            OptionError: if it is not a number.
            ScheduleError: if a scheduler determines the rate.
        """
        if not isinstance(value, int | float):
            raise errors.bad_optimizer_option(name="value", possible=Text("float", "浮点数"), given=value)
        if isinstance(self._learning_rate, LRScheduler):
            raise errors.rate_is_scheduled()
        self._learning_rate = float(value)

    def set_lr_scheduler(self, scheduler: LRScheduler) -> None:
        """Makes a scheduler determine the learning rate from now on.

        Args:
            scheduler: the scheduler.

        Raises:
            OptionError: if it is not an `LRScheduler`.
        """
        if not isinstance(scheduler, LRScheduler):
            raise errors.bad_optimizer_option(
                name="scheduler", possible=Text("LRScheduler", "LRScheduler"), given=scheduler
            )
        self._learning_rate = scheduler

    # ---- saved state --------------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Returns the state between steps, to save it or pass it to `set_state_dict`.

        Returns:
            The optimizer's tensors under names such as "linear_0.w_0_velocity_0" (none before the first step), and the state
            of the scheduler, if there is one, under "LR_Scheduler".
        """
        state: dict[str, Any] = {
            _name(parameter, kind): tensor
            for parameter in self._parameters
            for kind, tensor in self._states.get(id(parameter), {}).items()
        }
        if isinstance(self._learning_rate, LRScheduler):
            state["LR_Scheduler"] = self._learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Restores a state that `state_dict` returned.

        Args:
            state_dict: the state; other entries are ignored. One from before the first step has no tensors: an optimizer that has
                not made a step, either, stays as it is, except for its scheduler.

        Raises:
            ArgumentError: if a tensor is missing. Nothing is changed then.
            ScheduleError: if an entry of the scheduler's state is missing.
        """
        has_tensors = self._states or state_dict.keys() - {"LR_Scheduler"}
        parameters = self._parameters if has_tensors else []
        wanted = [(each, kind) for each in parameters for kind in self._new_state(each)]
        for parameter, kind in wanted:
            if _name(parameter, kind) not in state_dict:
                raise errors.missing_state(name=_name(parameter, kind))
        if isinstance(self._learning_rate, LRScheduler) and "LR_Scheduler" in state_dict:
            self._learning_rate.set_state_dict(state_dict["LR_Scheduler"])
        for parameter, kind in wanted:
            self._state(parameter)[kind].set_value(state_dict[_name(parameter, kind)])

    # ---- the parts of a step ------------------------------------------------------------------------------------------------

    def _decayed(self, parameter: Tensor, gradient: Tensor, group: Group) -> Tensor:
        """The gradient that `_update` gets: with weight decay."""
        return group.decayed(parameter, gradient)

    @property
    def _parameters(self) -> list[Tensor]:
        return [parameter for group in self._groups for parameter in group.parameters]

    def _state(self, parameter: Tensor) -> State:
        """The state of a parameter, created when it is first used."""
        if id(parameter) not in self._states:
            self._states[id(parameter)] = without_history(self._new_state, parameter)
        return self._states[id(parameter)]


def state_by_parameter(attributes: Mapping[Any, Any]) -> list[tuple[int, State]]:
    """Reads the state of an optimizer from its attributes, without calling the optimizer.

    A recorder uses it: the program may define the optimizer's class, and recording must not run the program's code.

    Args:
        attributes: the attributes of the optimizer by name.

    Returns:
        The number of each parameter that has a state, counted over all groups, with the state. Empty before the first step and
        during construction.
    """
    groups, states = attributes.get("_groups", ()), attributes.get("_states")
    if not states:
        return []
    parameters = [id(parameter) for group in groups for parameter in group.parameters]
    return [(place, states[each]) for place, each in enumerate(parameters) if each in states]


def _name(parameter: Tensor, kind: str) -> str:
    """Paddle's name of a tensor that an optimizer stores: "linear_0.w_0_velocity_0"."""
    return f"{parameter.name}_{kind}_0"
