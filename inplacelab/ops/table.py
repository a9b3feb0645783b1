"""The table: every operation there is, by name, and the ways to write a row.

The chapters (`elementwise.py`, `views.py`, ...) hold nothing but rows. Each call below adds one, and with it a function,
a method, an in-place variant, a derivative, documentation and a standard set of tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inplacelab import dtypes
from inplacelab.language import Text
from inplacelab.ops import template
from inplacelab.ops.spec import Row, Rule
from inplacelab.tensor import Tensor

ROWS: dict[str, Row] = {}
"""All rows by name."""

FUNCTIONS: dict[str, Callable[[], Callable[..., Any]]] = {}
"""The functions of the package's top level, by name, each made when it is first asked for."""


def _split(names: str) -> tuple[str, ...]:
    return tuple(n.strip() for n in names.split(","))


def _node_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_")) + "GradNode"


def add_row(kind: str, name: str, inputs: str, says: tuple[str, str], rules: dict[str, Any], **columns: Any) -> Row:
    """Add a row. `rules` are the arguments `d_x`, `d_y`, ...: a function, `ZERO`, or None."""
    named = _split(inputs)
    unknown = set(rules) - {f"d_{n}" for n in named}
    if unknown:
        raise TypeError(f"{name!r} has no inputs for {', '.join(sorted(unknown))}")
    given = [rules.get(f"d_{n}") for n in named]
    columns.setdefault("node", _node_name(name))
    row = Row(
        name=name, kind=kind, inputs=named, says=Text(*says),
        rules=tuple(r if r is None or isinstance(r, Rule) else Rule(r) for r in given), **columns,
    )  # fmt: skip
    ROWS[name] = row
    for variant in variants(row):
        _install(row, variant)
    return row


def variants(row: Row) -> tuple[str, ...]:
    """Which functions a row has."""
    if row.layout is not None:
        return ("view", "relayout") if row.in_place else ("view",)
    return ("ordinary",) * row.ordinary + ("in-place",) * row.in_place


def _install(row: Row, variant: str) -> None:
    made = Made(row, variant)
    suffix = "_" * (variant in ("in-place", "relayout"))
    for name in (row.name, *row.aliases):
        if row.method:
            setattr(Tensor, name + suffix, made)
        if row.function:
            FUNCTIONS[name + suffix] = made.function


class Made:
    """A method that is written out and compiled when it is first asked for, and then takes its own place.

    A session uses few of the rows, and importing the package should be quick.
    """

    def __init__(self, row: Row, variant: str) -> None:
        self._row, self._variant = row, variant
        self._made: Callable[..., Any] | None = None

    def function(self) -> Callable[..., Any]:
        """The function itself."""
        if self._made is None:
            self._made = template.function(self._row, self._variant)
            for plain in (self._row.name, *self._row.aliases):
                name = plain + "_" * (self._variant in ("in-place", "relayout"))
                if self._row.method and Tensor.__dict__.get(name) is self:
                    setattr(Tensor, name, self._made)
        return self._made

    def __get__(self, tensor: Tensor | None, owner: type) -> Any:
        made = self.function()
        return made if tensor is None else made.__get__(tensor, owner)


# ---- ways to write a row --------------------------------------------------------------------------------------------------


def elementwise(
    name: str, inputs: str, says: tuple[str, str], *, d_x: Any = None, d_y: Any = None, **columns: Any
) -> Row:
    """Each element of the result comes from the elements in the same place: so the result may lie where the first input does."""
    rules = {"d_x": d_x, "d_y": d_y} if "," in inputs else {"d_x": d_x}
    return add_row("elementwise", name, inputs, says, rules, **columns)


def transcendental(name: str, says: tuple[str, str], **columns: Any) -> Row:
    """An element-wise function of one input whose values are not integers: integers give floating-point results."""
    return elementwise(name, "x", says, dtype=dtypes.floating, **columns)


def reduction(name: str, says: tuple[str, str], *, d_x: Any, **columns: Any) -> Row:
    """Many elements make one: the result is smaller, so there is no in-place variant."""
    return add_row("reduction", name, "x", says, {"d_x": d_x}, in_place=False, **columns)


def contraction(name: str, inputs: str, says: tuple[str, str], *, d_x: Any, d_y: Any, **columns: Any) -> Row:
    """Every element of the result reads many of the inputs', so it cannot be written over them while it is computed."""
    return add_row("contraction", name, inputs, says, {"d_x": d_x, "d_y": d_y}, in_place=False, **columns)


def view(name: str, says: tuple[str, str], *, layout: Callable[..., Any], d_x: Any, **columns: Any) -> Row:
    """Other metadata on the same storage; the in-place variant gives them to the tensor itself."""
    return add_row("view", name, "x", says, {"d_x": d_x}, layout=layout, **columns)


def overwrite(name: str, inputs: str, says: tuple[str, str], *, d_x: Any, d_y: Any = None, **columns: Any) -> Row:
    """Writes values that do not depend on the old ones: in place only, and of the target's own dtype."""
    rules = {"d_x": d_x, "d_y": d_y} if "," in inputs else {"d_x": d_x}
    columns.setdefault("function", False)
    return add_row("overwrite", name, inputs, says, rules, ordinary=False, **columns)
