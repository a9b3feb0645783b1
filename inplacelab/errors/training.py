"""Refusals of optimizers: what they cannot train with."""

from __future__ import annotations

from typing import Any

from inplacelab.errors.kinds import ArgumentError, MissingParametersError, OptionError
from inplacelab.language import Text


def no_parameters() -> MissingParametersError:
    return MissingParametersError(
        "parameters argument given to the Optimizer should not be None in dygraph mode.",
        Text(
            "an optimizer updates the parameters that it is given; there are none.",
            "优化器只更新传给它的参数，而这里没有。",
        ),
        Text("write `parameters=net.parameters()`.", "写成 `parameters=net.parameters()`。"),
    )


def not_parameters(given: Any) -> OptionError:
    return OptionError(
        "`parameters` argument given to the optimizer should be an iterable of paddle Tensors, but got argument type is "
        f"`{type(given)}`.",
        Text(
            "the parameters are given as a list of tensors, also if there is only one.",
            "参数以张量列表的形式给出，只有一个时也是如此。",
        ),
        Text("write `parameters=[w]`.", "写成 `parameters=[w]`。"),
    )


def bad_learning_rate(given: Any) -> OptionError:
    return OptionError(
        f"learning rate should be float or LRScheduler, got {type(given)} here",
        Text(
            "the learning rate is a Python float; there are no schedulers here.",
            "学习率是 Python 浮点数；这里没有学习率调度器。",
        ),
        Text(
            "write `learning_rate=0.1`, and call `set_lr` to change it on the way.",
            "写成 `learning_rate=0.1`；训练途中可用 `set_lr` 修改。",
        ),
    )


def bad_option(name: str, given: Any, possible: Text) -> OptionError:
    return OptionError(
        f"The type of '{name}' in the optimizer must be {possible.en}, but received {type(given)}.",
        Text("the optimizer would not know what to do with it.", "优化器不知道如何使用它。"),
        Text("possible: {possible}.", "可用取值：{possible}。").format(possible=possible),
    )


def bad_coefficient(name: str, given: float) -> ArgumentError:
    return ArgumentError(
        f"Invalid value of {name}, expect {name} in [0,1).",
        Text(
            "{name} is the part of the old average that is kept; with {given} the average would not settle.",
            "{name} 是旧的平均值所保留的比例；取 {given} 时平均值不会趋于稳定。",
        ).format(name=name, given=given),
        Text("choose a number from 0 up to, but without, 1.", "请选取大于等于 0 且小于 1 的数。"),
    )


def bad_epsilon(given: float) -> ArgumentError:
    return ArgumentError(
        "Invalid value of epsilon, expect epsilon >= 0.",
        Text(
            "epsilon keeps the denominator away from zero; {given} would move it there.",
            "epsilon 用来使分母远离零；取 {given} 反而会使分母趋近零。",
        ).format(given=given),
        Text("choose a small positive number, such as 1e-8.", "请选取一个很小的正数，例如 1e-8。"),
    )


def missing_state(name: str) -> ArgumentError:
    return ArgumentError(
        f"optimizer Tensor {name} not found",
        Text("the state that is loaded has nothing under this name.", "要载入的状态中没有这个名字。"),
        Text(
            "load what `state_dict()` gave for parameters of the same names.",
            "请载入由同名参数的 `state_dict()` 得到的状态。",
        ),
    )
