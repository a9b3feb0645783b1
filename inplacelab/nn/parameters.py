"""Attributes of a new parameter: its name, its first values, and whether it is trained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inplacelab import errors
from inplacelab.tensor import Parameter, Tensor, adopt

Initializer = Callable[[Tensor], object]
"""Writes the first values of a parameter, in place."""


class ParamAttr:
    """The attributes of a new parameter: `nn.Linear(2, 3, weight_attr=paddle.ParamAttr(initializer=...))`.

    Args:
        name: the name of the parameter; None for a generated one.
        initializer: writes its first values; see `nn.initializer`.
        learning_rate: must be 1.0: every parameter uses the optimizer's rate.
        regularizer: must be None.
        trainable: if False, the parameter has `stop_gradient=True`.
        do_model_average: accepted for compatibility with Paddle; ignored.
        need_clip: must be True.

    Raises:
        ArgumentError: if `learning_rate`, `regularizer` or `need_clip` has another value.

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
        unsupported = {
            "learning_rate": learning_rate != 1.0,
            "regularizer": regularizer is not None,
            "need_clip": not need_clip,
        }
        for option in (option for option, given in unsupported.items() if given):
            raise errors.unsupported_parameter_option(option=option)
        self.name, self.initializer, self.trainable = name, initializer, trainable


def attributes(given: Any) -> ParamAttr:
    """Converts the value of `weight_attr` or `bias_attr` to a `ParamAttr`.

    Args:
        given: a `ParamAttr`, a name, an initializer, None or True.

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
    """Makes a parameter that shares the storage of `values`."""
    parameter = object.__new__(Parameter)
    parameter._name = parameter._hooks = parameter._grad = None
    adopt(parameter, values)
    parameter._stop = False
    return parameter
