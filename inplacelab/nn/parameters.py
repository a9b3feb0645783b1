"""Options of parameters: name, initializer, and whether it is trained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inplacelab import errors
from inplacelab.tensor import Parameter, Tensor, adopt

Initializer = Callable[[Tensor], object]
"""Writes the initial values into a parameter, in place."""


class ParamAttr:
    """Options of a parameter: `nn.Linear(2, 3, weight_attr=paddle.ParamAttr(initializer=...))`.

    Args:
        name: the parameter's name.
        initializer: writes its initial values; see `nn.initializer`.
        learning_rate: must be 1.0: every parameter has the optimizer's rate.
        regularizer: must be None.
        trainable: if False, the parameter needs no gradient.
        do_model_average: accepted for compatibility with Paddle; ignored.
        need_clip: must be True.

    Raises:
        ArgumentError: if an option has a value that this package does not support.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/ParamAttr_en.html
    """

    def __init__(
        self,
        name: str | None = None,
        initializer: Initializer | None = None,
        learning_rate: float = 1.0,
        regularizer: Any = None,
        trainable: bool = True,
        do_model_average: bool = True,
        need_clip: bool = True,
    ) -> None:
        absent = {
            "learning_rate": learning_rate != 1.0,
            "regularizer": regularizer is not None,
            "need_clip": not need_clip,
        }
        for option in (option for option, given in absent.items() if given):
            raise errors.unsupported_parameter_option(option=option)
        self.name, self.initializer, self.trainable = name, initializer, trainable


def attributes(given: Any) -> ParamAttr:
    """Returns a `ParamAttr` from an argument such as `weight_attr`: a `ParamAttr`, None, a name, or an initializer.

    Raises:
        ArgumentKindError: if it is none of these.
    """
    if given is None or given is True:
        return ParamAttr()
    if isinstance(given, ParamAttr):
        return given
    if isinstance(given, str):
        return ParamAttr(name=given)
    if callable(given):
        return ParamAttr(initializer=given)
    raise errors.not_param_attr(given=given)


def as_parameter(values: Tensor) -> Parameter:
    """Returns a parameter on the storage of `values`."""
    parameter = object.__new__(Parameter)
    parameter._name = parameter._hooks = parameter._grad = None
    adopt(parameter, values)
    parameter._stop = False
    return parameter
