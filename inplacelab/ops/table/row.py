"""What a row of the table says, and what follows from it.

A row names an operation's inputs and attributes, the kernel that computes it and the derivative with respect to each
input. **The parameter names of a derivative say what backward keeps**:

    g         the gradient of the result: costs nothing
    x         the input `x` as it was: a saved tensor, or a copy if the operation overwrites `x`
    out       the result: a saved tensor
    x_meta    the shape, strides and dtype of `x`: no bytes
    alpha     an attribute

so there is no second declaration that could go stale, and a misspelt name is refused when the table is read.

`ZERO` says that the derivative is zero, and that zero travels on (`x.zero_()` forgets what `x` was). `None` says that
there is no path for a gradient at all (`x > y`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from inplacelab import errors
from inplacelab.language import Text


def parameters_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a plain function's parameters, a hundred times faster than by `inspect.signature`."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


class Rule:
    """The derivative with respect to one input, and the names of what it asks for."""

    __slots__ = ("asks", "function")

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.asks = parameters_of(function)


class NoFormula(Rule):
    """There is a derivative, but no formula for it here: whoever asks for it is refused, and not given a zero."""

    __slots__ = ()

    def __init__(self, op: str, argument: str) -> None:
        def refuse(g: Any) -> Any:
            raise errors.derivative_not_implemented(op=op, argument=argument)

        super().__init__(refuse)


ZERO = Rule(lambda g: g._zeros())
"""The old value no longer matters: the derivative is zero, and the zero is handed on."""


def same(x: Any) -> Any:
    """The shape, or the dtype, of a result that has those of the first input."""
    return x


WRITING = ("scatter", "masking")
SELECTING = ("gather", "selection", *WRITING)
"""The kinds of row that read, or write, some elements only."""

SAYS_WHERE = ("index", "indices", "key", "mask")
"""The parameters of such a row that say which."""

POINTWISE = ("elementwise", "overwrite")
"""The kinds of row whose result at one place reads the inputs at that place only: inputs are broadcast against each other,
and an operand may be the very window that is written."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Row:
    """One operation.

    Attributes:
        name: Paddle's name, without underscore.
        kind: the chapter's word: "elementwise", "reduction", "contraction", "view", "overwrite", ...
        inputs: the names of the tensors it reads; the first is the one that an in-place variant writes.
        attrs: the other parameters, as they stand in a signature: "perm", "*, alpha=1".
        call: instead of `attrs`: all parameters, where Paddle mixes tensors and others: "x, index, axis, value".
        masks: those of the inputs that are truth values, whatever the others are.
        numbers: those of the inputs that may be given as plain numbers, which take the dtype of the first input.
        accepts: the kinds of dtype it is defined for, as NumPy's letters: f, i (with u), b, c.
        accepts_ordinary: the same for the ordinary variant, where that accepts more: it may convert integers first.
        validate: checks arrays and attributes, by name, before anything else happens.
        kernel: computes into `out`; its parameters are named after what it wants (out, inputs, attributes, device).
        ufunc: instead of a kernel: a NumPy ufunc, called as `ufunc(x, y, out)`.
        plain: with both: the condition on the attributes, and on the array `a0`, under which the ufunc alone will do.
        shape: the shape of the result, from the shapes of the inputs and the attributes it names.
        dtype: the dtype of the result, from those of the inputs and the attributes it names.
        dtype_ordinary: the same for the ordinary variant, where that differs: it may count small integers in int64.
        resizes: in place, a result of another shape is given a new storage; otherwise it is refused.
        prepare: for an attribute, a function (array, value) that checks it and brings it into the kernel's form.
        layout: for a view: the new layout, from the old one and the attributes; None where no view is possible.
        shortcut: for a view: NumPy's own way to the same window, from the array and the attributes; None where it has none.
        rules: the derivative with respect to each input.
        ordinary, in_place: which variants there are.
        method, function: whether there is a Tensor method and a function in the package's top level.
        functional: whether there is a function in `nn.functional`.
        out: whether the function takes `out=`, a tensor to write the result into.
        says: what it does, in one sentence.
        aliases: other names for the same thing.
        node: the name of its grad node.
        cuda: one element of the result, in CUDA C, from the names of inputs and attributes: "x > 0 ? x : 0"; `T` is the type
            of the elements. (An overwrite does not name its first input: it reads nothing of what was there.) For floating-point
            numbers, and for integers, which become such numbers first where the result is one; where these differ, or for truth
            values: by NumPy's letter, f, i, b. A row without one has no kernel of our own.
        by_argument: it is in place when `inplace=True` is given, and not by an underscore.
        called: what messages and observers call it, if not by its name.
        same_is_self: a view that changes nothing gives back the very tensor.
    """

    name: str
    kind: str
    inputs: tuple[str, ...]
    says: Text
    attrs: str = ""
    call: str = ""
    masks: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    accepts: str = "fibc"
    accepts_ordinary: str = ""
    validate: Callable[..., None] | None = None
    kernel: Callable[..., None] | None = None
    ufunc: Any = None
    plain: str = ""
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
    by_argument: bool = False
    called: str = ""
    same_is_self: bool = False

    def __post_init__(self) -> None:
        _check_names(self)

    @property
    def node_name(self) -> str:
        """As `grad_fn.name()` gives it: "MultiplyGradNode"."""
        return self.node

    @cached_property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        """All parameters in Paddle's order: tensors, attributes, `name`, and then those that must be named."""
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
    def empty(self) -> Callable[..., None]:
        """A function that has `call` or `attrs` as its parameters."""
        made: Callable[..., None] = eval(f"lambda {self.call or self.attrs}: None")
        return made

    @property
    def pointwise(self) -> bool:
        """True if the result at one place reads the inputs at that place only."""
        return self.kind in POINTWISE and self.shape is None

    @cached_property
    def selects(self) -> bool:
        """True if an argument says which elements of the first input are read or, in place, written: an index, a key, a mask."""
        return self.kind in SELECTING and any(p.name in SAYS_WHERE for p in self.parameters)

    @property
    def reads_apart(self) -> bool:
        """True if operands that show slots of the target are read from a copy: where the result at one place reads other
        places, and where values are only copied, so that nothing but the order of the loop would be in the way.
        """
        return len(self.inputs) > 1 and (not self.pointwise or self.kind == "overwrite")

    def needed_for(self, name: str) -> tuple[int, ...]:
        """The positions of the inputs whose derivative asks for `name`."""
        return tuple(k for k, rule in enumerate(self.rules) if rule and name in rule.asks)

    @cached_property
    def facts(self) -> tuple[str, ...]:
        """The attributes and metadata that some derivative asks for."""
        asked = {name for rule in self.rules if rule for name in rule.asks}
        return tuple(sorted(asked - {"g", "out", *self.inputs}))

    def keeps(self, position: int = 0) -> tuple[str, ...]:
        """What backward keeps to differentiate with respect to the input at `position`: names of tensors."""
        rule = self.rules[position]
        return tuple(n for n in rule.asks if n == "out" or n in self.inputs) if rule else ()


def _check_names(row: Row) -> None:
    """Refuse a derivative that asks for something that there is not."""
    known = {"g", "out", "out_meta", *row.inputs, *(f"{n}_meta" for n in row.inputs)}
    for argument, rule in zip(row.inputs, row.rules, strict=False):
        unknown = set(rule.asks) - known if rule else set()
        if unknown:  # until now only the attributes have not been looked at: to read them takes a while
            known.update(parameters_of(row.empty))
            unknown -= known
        if unknown:
            raise errors.unknown_derivative_names(
                row=row.name, argument=argument, asked=sorted(unknown), known=sorted(known)
            )
    if row.in_place and row.layout is None and row.dtype in (None, same) and row.rules[:1] == (None,):
        raise errors.written_without_derivative(row=row.name)
    if len(row.rules) != len(row.inputs):
        raise errors.derivative_count_differs(row=row.name, inputs=len(row.inputs), rules=len(row.rules))
