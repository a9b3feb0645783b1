"""Refusals of optimizers: what they cannot train with."""

from __future__ import annotations

from typing import Any

from inplacelab.errors.kinds import (
    ArgumentError,
    AssertedArgumentError,
    MissingParametersError,
    OptionError,
    ScheduleError,
)
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
            "the learning rate is a Python float, or a scheduler that says which it is.",
            "学习率是 Python 浮点数，或给出学习率的调度器。",
        ),
        Text(
            "write `learning_rate=0.1`, and call `set_lr` to change it on the way; or give one of `paddle.optimizer.lr`.",
            "写成 `learning_rate=0.1`，训练途中可用 `set_lr` 修改；或传入 `paddle.optimizer.lr` 中的调度器。",
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


# ---- groups of parameters -----------------------------------------------------------------------------------------------


def no_group_option(option: str, known: tuple[str, ...]) -> ArgumentError:
    return ArgumentError(
        f"optimizer: a group of parameters has no option '{option}'",
        Text(
            "an option that is taken and not obeyed would be silently wrong.",
            "接受一个选项却不照做，就是悄悄地出错。",
        ),
        Text("possible: {known}.", "可用的选项：{known}。").format(known=", ".join(f"'{each}'" for each in known)),
    )


def in_two_groups(name: str) -> ArgumentError:
    return ArgumentError(
        "some parameters appear in more than one parameter group",
        Text("{name} would be updated twice in each step.", "每一步中 {name} 会被更新两次。").format(name=name),
        Text("name each parameter in one group only.", "每个参数只放进一个组。"),
    )


# ---- rates that change ------------------------------------------------------------------------------------------------------


def bad_rate(kind: str) -> OptionError:
    return OptionError(
        f"The type of learning rate must be float, but received {kind}",
        Text("a scheduler begins with a rate.", "调度器从一个学习率开始。"),
        Text("write a number: `0.1`.", "请写一个数：`0.1`。"),
    )


def bad_schedule(argument: str, given: Any, possible: Text) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) '{argument}' must be {possible.en}, but received {given!r}.",
        Text("no schedule follows from it.", "由它得不出学习率的变化规律。"),
        Text("give {possible}.", "请给出{possible}。").format(possible=possible),
    )


def missing_schedule(name: str) -> ScheduleError:
    return ScheduleError(
        f"Please check whether state_dict is correct for optimizer. Can't find [ {name} ] in state_dict",
        Text("the state that is loaded is not that of such a scheduler.", "要载入的状态不属于这种调度器。"),
        Text("load what its own `state_dict()` gave.", "请载入由它自己的 `state_dict()` 得到的状态。"),
    )


def rate_is_scheduled() -> ScheduleError:
    return ScheduleError(
        "optimizer's learning rate can't be LRScheduler when invoke this API, because this will lead to conflict.",
        Text(
            "the scheduler would say another rate at the next step, and yours would be lost.",
            "下一步时调度器会给出另一个学习率，你所设的会丢失。",
        ),
        Text(
            "make an optimizer with a plain number as its rate, or let the scheduler say it.",
            "创建优化器时用普通的数作学习率，或由调度器给出。",
        ),
    )


# ---- clipping -----------------------------------------------------------------------------------------------------------------


def no_range_to_clip(name: str, given: float) -> AssertedArgumentError:
    return AssertedArgumentError(
        f"(InvalidArgument) {name} must be greater than 0, but received {given}.",
        Text("no gradient is that short.", "没有哪个梯度会这样短。"),
        Text("give a positive number, or `min` and `max`.", "请给出正数，或同时给出 `min` 与 `max`。"),
    )


def no_length_to_clip(given: float) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) max_norm should be greater than 0. Received max_norm is {given:f}.",
        Text("a gradient of that length leads nowhere.", "这样长度的梯度不会带来任何更新。"),
        Text("give a positive number, such as 1.0.", "请给出正数，例如 1.0。"),
    )
