"""The table of all operations, by name, and the functions that add rows.

The chapters (`ops/arithmetic.py`, `ops/views.py`, ...) contain rows. Each call below adds one, and with it a function, a method, an
in-place variant, a derivative, documentation and a standard set of tests.

    row.py             what a row has                  depends.py            how elements of a result depend on elements of the inputs
    documentation.py   docstrings of operations        printed.py            `python -m inplacelab.ops.table`
    generate.py        `python -m inplacelab.ops.table.generate` writes `ops/generated/` and `tensor.pyi`
    views_and_copies.py   `python -m inplacelab.ops.table.views_and_copies`

A function that is no row is added with the decorators `as_function`, `as_functional` and `as_method`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from inplacelab import dtypes, errors
from inplacelab.language import Text
from inplacelab.ops import template
from inplacelab.ops.arguments.keywords import takes_other_names, with_aliases
from inplacelab.ops.results.kernel_tools import in_dtype_of_result
from inplacelab.ops.table.row import Row, Rule
from inplacelab.tensor import Tensor

_F = TypeVar("_F", bound=Callable[..., Any])


class Functions(dict[str, Callable[[], Callable[..., Any]]]):
    """Functions by name, each made on first use by a module, which keeps it until another one gets its name."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[str, dict[str, Any]] = {}

    def give(self, name: str, module: dict[str, Any]) -> Callable[..., Any]:
        """Makes a function, and stores it among the names of the module."""
        made = module[name] = self[name]()
        self._kept[name] = module
        return made

    def __setitem__(self, name: str, make: Callable[[], Callable[..., Any]]) -> None:
        super().__setitem__(name, make)
        self._kept.pop(name, {}).pop(name, None)


FUNCTIONS = Functions()
"""The functions of the package's top level, by name, each made on first use."""

FUNCTIONAL = Functions()
"""The functions of `nn.functional` that come from `ops`."""


@cache
def _exported(function: Callable[..., Any]) -> Callable[..., Any]:
    """The public function, which also accepts Paddle's alternative keywords."""
    return with_aliases(function) if takes_other_names(function.__name__) else function


def as_function(function: _F, name: str = "") -> _F:
    """Adds a function to the package's top level, under its own name or another."""
    FUNCTIONS[name or function.__name__] = lambda: _exported(function)
    return function


def as_functional(function: _F) -> _F:
    """Adds a function to `nn.functional`."""
    FUNCTIONAL[function.__name__] = lambda: _exported(function)
    return function


def as_method(function: _F, name: str = "") -> _F:
    """Makes a function a method of `Tensor`, under its own name or another."""
    name = name or function.__name__
    setattr(Tensor, name, LazyMethod(name, function) if takes_other_names(function.__name__) else function)
    return function


class LazyMethod:
    """A method that also accepts Paddle's alternative keywords. It is made on first use, and then replaces this object."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self._name, self._function = name, function

    def function(self) -> Callable[..., Any]:
        """Makes the function, and returns it."""
        made = _exported(self._function)
        if Tensor.__dict__.get(self._name) is self:
            setattr(Tensor, self._name, made)
        return made

    def __get__(self, tensor: Tensor | None, owner: type) -> Any:
        made = self.function()
        return made if tensor is None else made.__get__(tensor, owner)


def as_property(name: str, read: Callable[[Tensor], Any], write: Callable[[Tensor, Any], None] | None = None) -> None:
    """Adds a property to `Tensor`, documented by the function that reads it."""
    setattr(Tensor, name, property(read, write, doc=read.__doc__))


ROWS: dict[str, Row] = {}
"""All rows by name."""


TAKE_OUT = frozenset((
    "abs", "acos", "acosh", "add", "atanh", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "ceil", "clip", "concat", "cos", "cosh", "cumprod", "cumsum", "divide",
    "equal", "exp", "expm1", "floor", "floor_divide", "frac", "greater_equal", "greater_than", "index_add",
    "less_equal", "less_than", "log", "log10", "log1p", "log2", "logical_and", "logical_not", "logical_or",
    "logical_xor", "matmul", "maximum", "mean", "minimum", "multiply", "not_equal", "outer", "pow", "prod",
    "remainder", "round", "rsqrt", "scatter", "sigmoid", "sign", "sin", "sinh", "softmax", "sqrt", "stack",
    "subtract", "sum", "take_along_axis", "tanh", "tril", "triu", "where",
))  # fmt: skip
"""The functions that accept `out=`, as in PaddlePaddle 3.3.1."""


def _split(names: str) -> tuple[str, ...]:
    return tuple(n.strip() for n in names.split(","))


def _node_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_")) + "GradNode"


def add_row(kind: str, name: str, inputs: str, says: tuple[str, str], **columns: Any) -> Row:
    """Adds a row to the table, and its functions and methods to the package.

    Args:
        kind: the kind of operation: "elementwise", "reduction", ...
        name: Paddle's name, without underscore.
        inputs: the names of the tensors that it reads: "x, y".
        says: one sentence on what it does, in English and in Chinese.
        columns: attributes of `Row`; and `d_x`, `d_y`, ..., the derivatives with respect to the inputs: a function, `ZERO`,
            or None.

    Returns:
        The row.
    """
    named = _split(inputs)
    rules = {column: columns.pop(column) for column in tuple(columns) if column.startswith("d_")}
    unknown = set(rules) - {f"d_{n}" for n in named}
    if unknown:
        raise errors.derivative_of_no_input(row=name, named=sorted(unknown), possible=[f"d_{n}" for n in named])
    given = [rules.get(f"d_{n}") for n in named]
    columns.setdefault("node", _node_name(name))
    columns.setdefault("out", name in TAKE_OUT and columns.get("function", True))
    row = Row(
        name=name, kind=kind, inputs=named, says=Text(*says),
        rules=tuple(r if r is None or isinstance(r, Rule) else Rule(r) for r in given), **columns,
    )  # fmt: skip
    return add(row)


def add(row: Row) -> Row:
    """Adds a row that is complete."""
    ROWS[row.name] = row
    for variant in variants(row):
        _install(row, variant)
    return row


def variants(row: Row) -> tuple[str, ...]:
    """Returns the variants of a row: "ordinary", "in-place", "view", "relayout"."""
    if row.layout is not None:
        return ("view", "relayout") if row.in_place else ("view",)
    return ("ordinary",) * row.ordinary + ("in-place",) * row.in_place


def _install(row: Row, variant: str) -> None:
    made = LazyFunction(row, variant)
    suffix = "_" * (variant in ("in-place", "relayout"))
    for name in (row.name, *row.aliases):
        if row.method:
            setattr(Tensor, name + suffix, made)
        if row.function:
            FUNCTIONS[name + suffix] = made.function
        if row.functional:
            FUNCTIONAL[name + suffix] = made.function


class LazyFunction:
    """A method whose function is imported, or compiled, on first use, and then replaces it.

    A session uses few of the chapters, and importing the package should be quick.

    Attributes:
        made: the function; None before its first use.

    Args:
        row: the operation.
        variant: which of its functions.
    """

    def __init__(self, row: Row, variant: str) -> None:
        self._row, self._variant = row, variant
        self.made: Callable[..., Any] | None = None

    def function(self) -> Callable[..., Any]:
        """Imports or compiles the function, and returns it."""
        if self.made is None:
            self.made = template.function(self._row, self._variant)
            for plain in (self._row.name, *self._row.aliases):
                name = template.name_of(self._row, self._variant, plain)
                if self._row.method and Tensor.__dict__.get(name) is self:
                    setattr(Tensor, name, self.made)
        return self.made

    def __get__(self, tensor: Tensor | None, owner: type) -> Any:
        made = self.function()
        return made if tensor is None else made.__get__(tensor, owner)


# ---- kinds of rows --------------------------------------------------------------------------------------------------------


def elementwise(name: str, inputs: str, says: tuple[str, str], **columns: Any) -> Row:
    """Adds an element-wise row: each result reads only the elements at its position, so it may overwrite the first input."""
    return add_row("elementwise", name, inputs, says, **columns)


def transcendental(name: str, says: tuple[str, str], **columns: Any) -> Row:
    """Adds an element-wise function of one input with floating-point results. For integers there is only the ordinary variant,
    unless the row accepts them: floating-point results do not fit into the storage of the integers.
    """
    columns.setdefault("accepts", "fc")
    columns.setdefault("accepts_ordinary", columns["accepts"].replace("i", "") + "i")
    if "ufunc" in columns:
        columns.update(kernel=in_dtype_of_result(columns["ufunc"]), plain_kinds="fc")
    return elementwise(name, "x", says, dtype=dtypes.floating, **columns)


def reduction(name: str, says: tuple[str, str], **columns: Any) -> Row:
    """Adds a reduction: the result is smaller, so there is no in-place variant."""
    return add_row("reduction", name, "x", says, in_place=False, **columns)


def contraction(name: str, inputs: str, says: tuple[str, str], **columns: Any) -> Row:
    """Adds a contraction: every element of the result reads many elements of the inputs, so it cannot overwrite them."""
    return add_row("contraction", name, inputs, says, in_place=False, **columns)


def view(name: str, says: tuple[str, str], *, layout: Callable[..., Any], **columns: Any) -> Row:
    """Adds a view: other metadata on the same storage; the in-place variant changes those of the tensor itself."""
    return add_row("view", name, "x", says, layout=layout, **columns)


def overwrite(name: str, inputs: str, says: tuple[str, str], **columns: Any) -> Row:
    """Adds an overwrite: new values that do not depend on the old ones, in place only, in the target's dtype."""
    columns.setdefault("function", False)
    return add_row("overwrite", name, inputs, says, ordinary=False, **columns)
