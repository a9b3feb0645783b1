"""Alternative keywords, separate numbers instead of a list, and options of creation: the data, and their resolution in a call.

PaddlePaddle 3.3.1 accepts PyTorch's keywords in addition to its own: `x.sum(dim=0)` is `x.sum(axis=0)`, and `x.reshape(6, 4)` is
`x.reshape([6, 4])`. Which function accepts which was measured on the real package (`tests/reference/keywords.py`); it is data
here, by the name of the function, also for the Tensor method. The parameters that `template` writes, the signatures that
`help` shows, the documentation and the stub are made from it.

A parameter that is given under two names is always refused here. PaddlePaddle mostly refuses, and sometimes takes one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, Signature, cleandoc, signature
from keyword import iskeyword
from numbers import Integral
from typing import Any, NamedTuple

from inplacelab import devices, errors, modes
from inplacelab.language import Text
from inplacelab.ops.results import destinations
from inplacelab.tensor import Tensor

CREATION_OPTIONS: Mapping[str, tuple[str, ...]] = {
    function: tuple(words.split())
    for words, functions in {
        "out device requires_grad pin_memory": "arange empty eye full ones rand randn randperm zeros",
        "out device requires_grad": "linspace standard_normal uniform",
        "device requires_grad pin_memory": "empty_like full_like ones_like zeros_like",
        "device requires_grad": "rand_like randn_like",
    }.items()
    for function in functions.split()
}
"""The options, and the functions that accept them: measured on PaddlePaddle 3.3.1."""

DEFAULTS: Mapping[str, Any] = {"out": None, "device": None, "requires_grad": False, "pin_memory": False}


# ---- options of the functions that create tensors: `device=`, `requires_grad=`, `pin_memory=`, `out=`, as in Paddle 3.3.1 ---


def device_for(like: Tensor | None = None) -> devices.Device:
    """Returns the device of a new tensor: that of the option `device=`, else that of `like`, else the current one."""
    chosen: devices.Device | None = modes.current().device_option
    return chosen or (devices.current() if like is None else like.storage.device)


class _MadeOn(modes.Block):
    """Makes tensors on the device of the option `device=`, if it is given."""

    def __init__(self, device: Any) -> None:
        self._device = None if device is None else devices.find(device)

    def change(self, modes: modes.Modes) -> None:
        modes.device_option = self._device


def with_options(op: str, make: Callable[..., Tensor], values: tuple[Any, ...], named: dict[str, Any]) -> Tensor:
    """Returns the tensor that `make` makes, with the options in `named` applied."""
    options = {word: named.pop(word, DEFAULTS[word]) for word in CREATION_OPTIONS[op]}

    def compute() -> Tensor:
        return modes.run_inside(_MadeOn(options["device"]), make, *values, **named)

    if options.get("out") is not None:
        return destinations.into(op, options["out"], (), compute)
    return finished(compute(), options["requires_grad"], options.get("pin_memory", False))


def finished(tensor: Tensor, requires_grad: bool, pin_memory: bool) -> Tensor:
    """Applies `requires_grad` and `pin_memory` to a new tensor."""
    if pin_memory:
        tensor = tensor.pin_memory()
    if requires_grad:
        tensor.stop_gradient = False
    return tensor


class _Absent:
    """The default of a parameter for which None is a valid argument."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<absent>"


ABSENT: Any = _Absent()


class Alias:
    """The default of an alternative keyword in a signature: `help` shows `dim=<axis>`."""

    __slots__ = ("parameter",)

    def __init__(self, parameter: str) -> None:
        self.parameter = parameter

    def __repr__(self) -> str:
        return f"<{self.parameter}>"


# ---- alternative keywords --------------------------------------------------------------------------------------------------

_SPELLED = {
    "input=x": "abs acos acosh asin atanh ceil clip cos cosh cumprod empty_like exp expm1 floor frac full_like is_complex "
               "is_floating_point isfinite isinf isnan log log10 log1p log2 logical_not masked_select multinomial narrow nonzero ones_like "
               "randn_like ravel round rsqrt sigmoid sign silu sin sinh slice softplus sqrt t t_ tanh trace tril triu zeros_like reshape transpose",
    "input=x other=y": "add bitwise_or bitwise_or_ divide divide_ equal expand_as floor_divide gcd gcd_ greater_equal greater_than isclose lcm "
                       "lcm_ less_equal less_than logical_and logical_or logical_xor maximum minimum multiply multiply_ not_equal remainder "
                       "subtract subtract_ where",
    "input=x dim=axis": "all amax amin any argsort chunk cumsum index_select logsumexp mean prod softmax squeeze sum topk unsqueeze var",
    "input=x dim=axis keepdims=keepdim": "argmax argmin",
    "input=x dim=axis source=value": "index_add index_add_",
    "input=x dim=axis sizes=shape": "unflatten",
    "input=x dim=axis indices_or_sections=num_or_indices indices=num_or_indices sections=num_or_indices": "tensor_split",
    "input=x A=x ord=p dim=axis": "norm",
    "input=x dim0=axis0 dim1=axis1": "swapaxes",
    "input=x dim1=axis1 dim2=axis2": "diagonal",
    "input=x start_dim=start_axis end_dim=stop_axis": "flatten",
    "input=x size=shape": "expand",
    "input=x exponent=y": "pow",
    "input=x mat2=y": "bmm",
    "input=x other=y mat2=y": "matmul",
    "input=x tensor=y": "dot",
    "input=x vec2=y": "outer",
    "input=x values=value": "index_put",
    "input=x dims=axis": "roll",
    "input=x dims=repeat_times": "tile",
    "input=arr dim=axis": "take_along_axis",
    "tensors=x dim=axis": "concat stack",
    "obj=x": "is_tensor",
    "other=y": "add_",
    "dim=axis": "unbind",
    "dimension=axis": "unfold",
    "values=value": "index_put_",
    "size=shape": "empty full normal ones rand randn zeros",
    "size=shape_or_dtype dtype=shape_or_dtype": "view",
    "n=num_rows m=num_columns": "eye",
    "end=stop steps=num": "linspace",
    "lambd=lam": "exponential_",
    "from=min to=max": "uniform_",
}  # fmt: skip
"""The alternative keywords, and the functions that accept them."""

ALIASES: Mapping[str, Mapping[str, str]] = {
    function: dict(pair.split("=") for pair in spelled.split())
    for spelled, functions in _SPELLED.items()
    for function in functions.split()
}
"""Function -> {alternative keyword: parameter}."""


EXCHANGED: Mapping[str, tuple[str, str, type]] = {
    "sum": ("dtype", "keepdim", bool),
    **dict.fromkeys(("index_add", "index_add_", "index_select"), ("index", "axis", int)),
}
"""Function -> two adjacent parameters, and the type of the first argument that shows that they are in PyTorch's order:
`x.sum(0, True)`, `x.index_add_(0, index, source)`."""


def aliases_of(name: str) -> Mapping[str, str]:
    """Returns the alternative keywords of a function: `aliases_of("sum")["dim"]` is "axis"."""
    return ALIASES.get(name, {})


def either(op: str, parameter: str, value: Any, alias: str, other: Any) -> Any:
    """Returns the argument for a parameter, given under its own name or an alternative one.

    Raises:
        KeywordError: if it was given under both.
    """
    if other is ABSENT:
        return value
    if value is not ABSENT:
        raise errors.given_twice(op=op, parameter=parameter, alias=alias)
    return other


def check_named(op: str, most: int, excess: Any) -> None:
    """Refuses a positional argument after the last positional parameter."""
    if excess is not ABSENT:
        raise errors.too_many_arguments(op=op, most=most)


def missing(op: str, parameter: str) -> None:
    """Refuses a call without a required argument."""
    raise errors.missing_argument(op=op, parameter=parameter)


def renamed(op: str, named: Mapping[str, Any], present: Sequence[str] = ()) -> dict[str, Any]:
    """Returns the keyword arguments under the parameters' own names.

    Args:
        op: the name of the function.
        named: the keyword arguments.
        present: the parameters that were given as positional arguments.

    Raises:
        KeywordError: if a parameter was given under two names.
    """
    aliases, found = aliases_of(op), {}
    for word, value in named.items():
        parameter = aliases.get(word, word)
        if parameter != word and (parameter in found or parameter in named or parameter in present):
            raise errors.given_twice(op=op, parameter=parameter, alias=word)
        found[parameter] = value
    return found


# ---- separate numbers -----------------------------------------------------------------------------------------------------


class Exchange(tuple[Any, ...]):
    """Two axes to exchange: `x.transpose(0, 2)`, as in PyTorch; an order of all axes is `x.transpose([2, 1, 0])`."""

    __slots__ = ()


class Separate(NamedTuple):
    """A parameter that may be given as separate numbers."""

    parameter: str
    says: Text
    read: Callable[[Sequence[Any]], Any] = list
    """The meaning of the numbers."""
    words: tuple[tuple[str, ...], ...] = ()
    """The keywords of the numbers."""


_SIZES = Text("The sizes need no brackets: `(6, 4)` is `([6, 4])`.", "各轴大小可以不加方括号：`(6, 4)` 即 `([6, 4])`。")
_AXES = Text(
    "Two numbers without brackets, also as `dim0` and `dim1` or `axis0` and `axis1`, exchange these two axes.",
    "两个不加方括号的数（也可写作 `dim0` 与 `dim1`，或 `axis0` 与 `axis1`）表示交换这两个轴。",
)

SEPARATE: Mapping[str, Separate] = {
    **dict.fromkeys(("reshape", "expand", "empty", "ones", "rand", "randn", "zeros"), Separate("shape", _SIZES)),
    "transpose": Separate("perm", _AXES, Exchange, (("dim0", "axis0"), ("dim1", "axis1"))),
}
"""The functions that accept separate numbers: `x.reshape(6, 4)`, `zeros(2, 3)`."""


def are_numbers(values: Iterable[Any]) -> bool:
    """Returns True for integers, also for those in tensors without axes."""
    return all(
        (isinstance(n, Integral) and not isinstance(n, bool)) or (isinstance(n, Tensor) and not n.ndim) for n in values
    )


def spelled(op: str, x: Any, value: Any, more: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, Any]:
    """Returns the two arguments of a function that accepts separate numbers: its tensor, and the numbers as one argument.

    Raises:
        KeywordError: if there are too many arguments, one is given under two names, or a keyword does not exist.
    """
    separate = SEPARATE[op]
    numbers = [] if value is ABSENT else [value]
    if more and are_numbers([value, *more]):
        numbers += more
    elif len(more) > 1 or not isinstance(next(iter(more), None), str | None):  # one more may be `name`
        raise errors.too_many_arguments(op=op, most=3)
    numbers += _named_numbers(op, separate, len(numbers), named)
    known = {word for words in separate.words for word in words}
    given = renamed(op, {word: each for word, each in named.items() if word not in known})
    x = either(op, "x", x, "input", given.pop("x", ABSENT))
    value = either(op, separate.parameter, value, "size", given.pop(separate.parameter, ABSENT))
    for word in given.keys() - {"name"}:
        raise errors.unknown_keyword(op=op, word=word)
    if len(numbers) < 2:
        return x, value
    if separate.words and len(numbers) != len(separate.words):
        raise errors.not_two_axes(op=op, count=len(numbers), numbers=numbers)
    return x, separate.read(numbers)


def _named_numbers(op: str, separate: Separate, present: int, named: Mapping[str, Any]) -> list[Any]:
    """The numbers that were given by keyword, after the positional ones."""
    found = []
    for words in separate.words[present:]:
        found += [named[word] for word in words if word in named][:1]
    taken = {word for words in separate.words for word in words if word in named}
    if len(taken) > len(found):
        raise errors.given_twice(op=op, parameter=separate.parameter, alias=min(taken))
    return found


# ---- functions without a row ------------------------------------------------------------------------------------------------


def public(given: Signature, op: str) -> Signature:
    """Returns a signature with the alternative keywords added."""
    shown = [
        (alias, p) for alias, p in aliases_of(op).items() if not iskeyword(alias)
    ]  # a signature cannot show `from`
    names = [Parameter(alias, Parameter.KEYWORD_ONLY, default=Alias(p)) for alias, p in shown]
    options = [Parameter(word, Parameter.KEYWORD_ONLY, default=DEFAULTS[word]) for word in CREATION_OPTIONS.get(op, ())]
    return given.replace(parameters=[*given.parameters.values(), *options, *names])


def notes_on_keywords(op: str) -> list[Text]:
    """Returns notes for the documentation on alternative keywords and separate numbers."""
    aliases = aliases_of(op).items()
    names = Text(
        "Other names: {en}.".format(en=", ".join(f"`{alias}` for `{parameter}`" for alias, parameter in aliases)),
        "别名：{zh}。".format(zh="，".join(f"`{alias}` 即 `{parameter}`" for alias, parameter in aliases)),
    )
    return [names] * bool(aliases) + ([SEPARATE[op].says] if op in SEPARATE else []) + _note_on_order(op)


def _note_on_order(op: str) -> list[Text]:
    if op not in EXCHANGED:
        return []
    first, second, _ = EXCHANGED[op]
    return [
        Text(
            "`{first}` and `{second}` may be given in PyTorch's order, too.",
            "`{first}` 与 `{second}` 也可以按 PyTorch 的次序给出。",
        ).format(first=first, second=second)
    ]


def takes_other_names(op: str) -> bool:
    """Returns True if in Paddle a function accepts alternative keywords, separate numbers, or options of creation."""
    return op in ALIASES or op in SEPARATE or op in CREATION_OPTIONS


def with_aliases(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function without a row accept alternative keywords and separate numbers."""
    op, given = function.__name__, signature(function)
    places = [p.name for p in given.parameters.values() if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
    separate, options = op in SEPARATE, frozenset(CREATION_OPTIONS.get(op, ()))

    @wraps(function)
    def call(*values: Any, **named: Any) -> Any:
        if named:
            named = renamed(op, named, places[: len(values)])
        if separate and len(values) > 1 and are_numbers(values):
            values = (list(values),)
        if named and not options.isdisjoint(named):
            return with_options(op, function, values, named)
        return function(*values, **named)

    words = "".join(f"\n{text.en}\n{text.zh}\n" for text in notes_on_keywords(op))
    call.__doc__ = f"{cleandoc(function.__doc__ or '')}\n{words}"
    call.__signature__ = public(given, op)  # type: ignore[attr-defined]
    return call
