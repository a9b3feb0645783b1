"""Rows of the table of operations, and properties computed from them.

A row names an operation's inputs and attributes, the kernel that computes it and the derivative with respect to each
input. **The parameter names of a derivative say what backward keeps**:

    g         the gradient of the result: costs nothing
    x         the old value of the input `x`: a saved tensor, or a copy if the operation overwrites `x`
    out       the result: a saved tensor
    x_form    the shape and dtype of `x`: no bytes
    x_meta    the same and its strides
    alpha     an attribute

So there is no second declaration that could become wrong, and a misspelled name is refused when the table is read.

`ZERO` means that the derivative is zero, and that zeros are passed on (`x.zero_()` discards the old `x`). `None` means that
there is no path for a gradient (`x > y`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from inplacelab import errors
from inplacelab.language import Text


def parameters_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Returns the names of a plain function's parameters, a hundred times faster than `inspect.signature`."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


class Rule:
    """The derivative with respect to one input, and the names of its parameters, of which `g` is the first."""

    __slots__ = ("asks", "function")

    factor: Callable[..., Any] | None = None

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.asks = parameters_of(function)


class Times(Rule):
    """The derivative `g * factor(...)`, where the factor is a tensor or a number. Backward can compute it in the memory of `g`."""

    __slots__ = ("factor",)

    def __init__(self, factor: Callable[..., Any]) -> None:
        self.asks, self.factor = ("g", *parameters_of(factor)), factor
        self.function = lambda g, *known: g * factor(*known)


class NoFormula(Rule):
    """A derivative that exists but has no formula here: backward refuses, instead of returning zero."""

    __slots__ = ()

    def __init__(self, op: str, argument: str) -> None:
        def refuse(g: Any) -> Any:
            raise errors.derivative_not_implemented(op=op, argument=argument)

        super().__init__(refuse)


ZERO = Rule(lambda g: g._zeros())
"""The result does not depend on the old value: the derivative is zero, and the zero is passed on."""


def same(x: Any) -> Any:
    """Returns the shape, or dtype, of the first input: for results that have the same."""
    return x


SELECTING = ("gather", "selection")
"""The kinds of rows whose result holds some of the elements of the first input."""

WRITING = ("scatter", "masking", "diagonal", "triangle")
"""The kinds of rows that write only some elements in place."""

INDEX_PARAMETERS = ("index", "indices", "key", "mask")
"""The parameters of such a row that select the elements."""

POINTWISE = ("elementwise", "overwrite")
"""The kinds of rows whose result at one position reads the inputs only at that position: inputs are broadcast against each
other, and an operand may have the same window as the target."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Row:
    """One operation.

    Attributes:
        name: Paddle's name, without underscore.
        kind: "elementwise", "reduction", "contraction", "view", "overwrite", ...
        inputs: the names of the tensors it reads; the first is the one that an in-place variant writes.
        attrs: the other parameters, as in a signature: "perm", "*, alpha=1".
        call: instead of `attrs`: all parameters, where Paddle mixes tensors and others: "x, index, axis, value".
        masks: the inputs that are bool, independent of the others.
        numbers: the inputs that may be plain numbers, which get the dtype of the first input.
        scalars: whether an integer or bool goes with a floating-point number if one of the two has no axes: it is cast first.
        accepts: the kinds of dtype it is defined for, as NumPy's letters: f, i (with u), b, c.
        accepts_ordinary: the same for the ordinary variant, where that accepts more: it may convert integers first.
        validate: checks arrays and attributes, by name, before anything else happens.
        kernel: computes into `out`; its parameters are names of out, inputs, attributes, device, special (the library of special functions).
        plan: called before anything is written, like a kernel: it may refuse, and the kernel may name its result `planned`.
        ufunc: instead of a kernel: a NumPy ufunc, called as `ufunc(x, y, out)`.
        plain: the condition on the attributes under which they are taken as they are, and the ufunc is enough if there is one.
        plain_kinds: the kinds of dtype of the first input to which that applies.
        shape: the shape of the result, from the shapes of the inputs and the attributes it names.
        dtype: the dtype of the result, from those of the inputs and the attributes it names.
        dtype_ordinary: the same for the ordinary variant, where that differs: it may count small integers in int64.
        resizes: in place, a result of another shape gets a new storage; otherwise it is refused.
        prepare: for an attribute, a function (array, value) that checks it and converts it to the kernel's form.
        layout: for a view: the new layout, from the old one and the attributes; None where no view is possible.
        shortcut: for a view: NumPy's function for the same window, from the array and the attributes; None where there is none.
        rules: the derivative with respect to each input.
        ordinary, in_place: which variants there are.
        method, function: whether there is a Tensor method and a function in the package's top level.
        functional: whether there is a function in `nn.functional`.
        out: whether the function takes `out=`, a tensor to write the result into.
        says: one sentence on what it does.
        aliases: other names of the operation.
        node: the name of its grad node.
        cuda: one element of the result, in CUDA C, from the names of inputs and attributes: "x > 0 ? x : 0"; `T` is the type
            of the elements. (An overwrite does not name its first input, which it does not read.) It applies to
            floating-point numbers, and to integers, which are first converted if the result is floating-point. Where these
            differ, and for bools: a dictionary by NumPy's letter, f, i, b, or by dtype where one needs another expression, or none: "".
            (Half precision is computed in single precision.) A row without an expression has no CUDA kernel.
        operator: the method of Python's operator that computes it for two tensors: `__add__`.
        by_argument: it is in place with the argument `inplace=True`, not with an underscore.
        called: its name for messages and observers, if another one.
        same_is_self: a view that changes nothing returns the tensor itself.
        copies: whether each element that it makes or writes is one of the last input, but for its dtype.
        depends: how elements of the result depend on those of the inputs (see `table/depends.py`), if its kind does not say it.
    """

    name: str
    kind: str
    inputs: tuple[str, ...]
    says: Text
    attrs: str = ""
    call: str = ""
    masks: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    scalars: bool = False
    accepts: str = "fibc"
    accepts_ordinary: str = ""
    validate: Callable[..., None] | None = None
    kernel: Callable[..., None] | None = None
    plan: Callable[..., Any] | None = None
    ufunc: Any = None
    plain: str = ""
    plain_kinds: str = "fibc"
    shape: Callable[..., tuple[int, ...]] | None = None
    dtype: Callable[..., Any] | None = None
    dtype_ordinary: Callable[..., Any] | None = None
    resizes: bool = False
    prepare: Mapping[str, Callable[[Any, Any], Any]] = field(default_factory=dict)
    layout: Callable[..., Any] | None = None
    shortcut: Callable[..., Any] | None = None
    rules: tuple[Rule | None, ...] = ()
    ordinary: bool = True
    in_place: bool = True
    method: bool = True
    function: bool = True
    functional: bool = False
    out: bool = False
    aliases: tuple[str, ...] = ()
    node: str = ""
    cuda: str | Mapping[str, str] = ""
    operator: str = ""
    by_argument: bool = False
    called: str = ""
    same_is_self: bool = False
    copies: bool = False
    depends: Any = None

    def __post_init__(self) -> None:
        _check_names(self)

    @property
    def node_name(self) -> str:
        """The name of its grad node, as `grad_fn.name()` returns it: "MultiplyGradNode"."""
        return self.node

    @cached_property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        """All parameters in Paddle's order: tensors, attributes, `name`, and then the keyword-only ones."""
        given = list(inspect.signature(self.empty).parameters.values())
        if not self.call:
            given = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in self.inputs] + given
        plain = [p for p in given if p.kind is not inspect.Parameter.KEYWORD_ONLY]
        named = [p for p in given if p.kind is inspect.Parameter.KEYWORD_ONLY]
        present = {p.name for p in given}
        if "name" not in present:
            plain.append(inspect.Parameter("name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None))
        if self.out and "out" not in present:
            named.append(inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None))
        return (*plain, *named)

    @cached_property
    def attributes(self) -> tuple[inspect.Parameter, ...]:
        """The parameters that are not tensors."""
        return tuple(p for p in self.parameters if p.name not in {*self.inputs, "name", "out"})

    @cached_property
    def attribute_names(self) -> tuple[str, ...]:
        """The names of the parameters that are not tensors."""
        return tuple(p.name for p in self.attributes)

    @cached_property
    def empty(self) -> Callable[..., None]:
        """A function with the parameters in `call` or `attrs`."""
        made: Callable[..., None] = eval(f"lambda {self.call or self.attrs}: None")
        return made

    def by_ufunc_alone(self, dtype: Any, attributes: Mapping[str, Any]) -> bool:
        """Returns True if the ufunc computes the result for a first input of this dtype, and these attributes."""
        kind = np.dtype(dtype).kind.replace("u", "i")
        return (
            self.ufunc is not None and kind in self.plain_kinds and (not self.plain or eval(self.plain, {**attributes}))
        )

    @property
    def pointwise(self) -> bool:
        """True if the result at one position reads the inputs only at that position."""
        return self.kind in POINTWISE and self.shape is None

    @cached_property
    def selects(self) -> bool:
        """True if an argument selects the elements of the first input that are read: an index, a key."""
        return self.kind in SELECTING and any(p.name in INDEX_PARAMETERS for p in self.parameters)

    @cached_property
    def writes_some(self) -> bool:
        """True if in place it may leave elements as they are: those that an index, a mask or a diagonal does not lead to.

        An overwrite of all elements has the derivative zero; one with another derivative passes old values on.
        """
        if self.kind == "overwrite":
            return self.rules[0] is not ZERO
        chooses = bool(self.masks) and len(self.inputs) > 1 + len(self.masks)
        picks = any(p.name in INDEX_PARAMETERS and p.name not in self.masks for p in self.parameters)
        return self.kind in WRITING or chooses or picks

    @property
    def reads_copies(self) -> bool:
        """True if operands that overlap the target are read from a copy: where the result at one position reads other positions,
        and where values are only copied, so that only the order of the loop matters.
        """
        return len(self.inputs) > 1 and (not self.pointwise or self.kind == "overwrite")

    def needed_for(self, name: str) -> tuple[int, ...]:
        """Returns the positions of the inputs whose derivative needs `name`."""
        return tuple(k for k, rule in enumerate(self.rules) if rule and name in rule.asks)

    @cached_property
    def facts(self) -> tuple[str, ...]:
        """The attributes and metadata that a derivative needs."""
        asked = {name for rule in self.rules if rule for name in rule.asks}
        return tuple(sorted(asked - {"g", "out", *self.inputs, *self.form_names}))

    @cached_property
    def form_names(self) -> tuple[str, ...]:
        """What derivatives call the forms of the inputs."""
        return tuple(f"{name}_form" for name in self.inputs)

    @cached_property
    def asks_for_strides(self) -> bool:
        """True if a derivative needs the strides of the input or of the result."""
        return any(name.endswith("_meta") for name in self.facts)

    def keeps(self, position: int = 0) -> tuple[str, ...]:
        """Returns the names of the tensors that backward keeps to differentiate with respect to the input at `position`."""
        rule = self.rules[position]
        return tuple(n for n in rule.asks if n == "out" or n in self.inputs) if rule else ()


BUILT_IN: dict[str, Row] = {}
"""The package's own rows, by name, once all of them are read. A learner's row of the same name does not replace one here."""

_T = TypeVar("_T")


def required(part: _T | None) -> _T:
    """Returns a part of a row that the row is known to have."""
    assert part is not None
    return part


def names_in(parameters: str) -> tuple[str, ...]:
    """Returns the names in a list of parameters, without compiling it. A comma in a default would add what is no name."""
    names = (each.partition("=")[0].strip(" *") for each in parameters.split(","))
    return tuple(name for name in names if name)


def _check_names(row: Row) -> None:
    """Refuses a derivative with a parameter that does not exist."""
    known = {"g", "out", "out_meta", *row.inputs, *row.form_names, *(f"{n}_meta" for n in row.inputs)}
    for argument, rule in zip(row.inputs, row.rules, strict=False):
        unknown = set(rule.asks) - known if rule else set()
        if unknown:
            known.update(names_in(row.call or row.attrs))
            unknown -= known
        if unknown:
            raise errors.unknown_derivative_names(
                row=row.name, argument=argument, asked=sorted(unknown), known=sorted(known)
            )
    if row.in_place and row.layout is None and row.dtype in (None, same) and row.rules[:1] == (None,):
        raise errors.written_without_derivative(row=row.name)
    if len(row.rules) != len(row.inputs):
        raise errors.derivative_count_differs(row=row.name, inputs=len(row.inputs), rules=len(row.rules))
