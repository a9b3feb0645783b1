"""Parameter groups of an optimizer, which may have different learning rates, weight decays and clipping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.nn.gradient_clipping import Pairs
from inplacelab.regularizer import L2Decay
from inplacelab.tensor import Tensor

Clip = Callable[[Pairs], Pairs]
Decay = float | L2Decay | None

OPTIONS = ("params", "learning_rate", "weight_decay", "grad_clip")
"""The keys that a group may have."""


@dataclass(frozen=True)
class Group:
    """Parameters with the same options.

    Attributes:
        parameters: the tensors.
        factor: multiplies the optimizer's learning rate.
        weight_decay: a factor, a regularizer, or None.
        grad_clip: called with (parameter, gradient) pairs, returns such pairs; None for no clipping.
    """

    parameters: list[Tensor]
    factor: float
    weight_decay: Decay
    grad_clip: Clip | None

    def pairs(self) -> list[tuple[Tensor, Tensor]]:
        """Returns (parameter, gradient) for the parameters that are trained and have a gradient."""
        return [(p, p.grad) for p in self.parameters if not p.stop_gradient and p.grad is not None]

    def clipped(self) -> Pairs:
        """Returns the same pairs after clipping."""
        return self.pairs() if self.grad_clip is None else self.grad_clip(self.pairs())

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


def groups_of(parameters: Any, weight_decay: Decay, grad_clip: Clip | None) -> list[Group]:
    """Converts the argument `parameters` of an optimizer to groups.

    Args:
        parameters: a list of tensors, which becomes one group, or a list of dictionaries, each of which becomes a group.
        weight_decay: the decay of groups that have none.
        grad_clip: the clipping of groups that have none.

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
    groups = [_group(each, weight_decay, grad_clip) for each in given]
    seen: set[int] = set()
    for parameter in (parameter for group in groups for parameter in group.parameters):
        if id(parameter) in seen and len(groups) > 1:
            raise errors.in_two_groups(name=parameter.name)
        seen.add(id(parameter))
    return groups


def _group(given: Any, weight_decay: Decay, grad_clip: Clip | None) -> Group:
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
    decay, clip = given.get("weight_decay", weight_decay), given.get("grad_clip", grad_clip)
    check_options(decay, clip)
    return Group(listed, float(given.get("learning_rate", 1.0)), decay, clip)


def check_options(weight_decay: Any, grad_clip: Any) -> None:
    """Checks the types of the options of a group.

    Raises:
        OptionError: if `weight_decay` is not a number, a regularizer or None, or `grad_clip` is not a function or None.
    """
    if grad_clip is not None and not callable(grad_clip):
        raise errors.bad_optimizer_option(
            name="grad_clip", possible=Text("None or a function", "None 或函数"), given=grad_clip
        )
    if not isinstance(weight_decay, int | float | L2Decay | None):
        possible = Text("None, a number or a regularizer", "None、一个数或正则化项")
        raise errors.bad_optimizer_option(name="weight_decay", possible=possible, given=weight_decay)
