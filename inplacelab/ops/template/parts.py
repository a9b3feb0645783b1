"""Generates the lines that the variants of a row share: operands, the launch, the node."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from inplacelab import dtypes
from inplacelab.ops.table.row import Row, same


def name_of(row: Row, variant: str, alias: str = "") -> str:
    """Returns the name of a variant: the in-place ones end in an underscore."""
    if variant == "operator":
        return row.operator
    return (alias or row.name) + "_" * (variant in ("in-place", "relayout"))


def arguments(function: Callable[..., Any], known: dict[str, str]) -> str:
    """Returns the arguments of a shape or dtype rule, from the names of its parameters."""
    return ", ".join(known.get(p, p) for p in inspect.signature(function).parameters)


# ---- before the launch ----------------------------------------------------------------------------------------------------


def operands(row: Row, name: str, accepts: str) -> Iterator[str]:
    """Yields lines that convert the operands to tensors."""
    first = row.inputs[0]
    for k, each in enumerate(row.inputs):
        stored = row.dtype is same or row.kind != "elementwise" or not {*accepts} & {*"ib"}
        convert = "as_tensor" if each not in row.numbers else "as_operand" if stored else "as_promoted"
        like = f", {first}" if each in row.numbers else ""
        yield f"if type({each}) is not Tensor:"
        yield f"    {each} = operands.{convert}({name!r}, {each!r}, {k}, {each}{like})"


def windows(row: Row) -> Iterator[str]:
    """Yields lines that read the arrays and forms of the tensors."""
    for k, each in enumerate(row.inputs):
        yield f"a{k}, form{k} = {each}.array, {each}.form or known_form({each})"


def scalars(row: Row) -> Iterator[str]:
    """Yields lines that cast an operand if only one of two is floating-point and one has no axes."""
    if row.scalars:
        x, y = row.inputs
        yield "if form1 is not form0 and form1.kind != form0.kind:"
        yield f"    {x}, {y} = operands.with_scalar({x}, {y})"
        yield from ("    " + line for line in windows(row))


def checks(row: Row, name: str, accepts: str) -> Iterator[str]:
    """Yields the checks of dtypes, and those of the row.

    A kernel that names `special` needs a library that may be missing.
    """
    if set(accepts) < set("fibc"):
        kinds, others = kinds_of(accepts), range(1, len(row.inputs) if row.dtype is None else 1)
        differ = [f"form{k}.dtype is not form0.dtype" for k in others]
        yield f"if {' or '.join([f'form0.kind not in {kinds!r}', *differ])}:"
        yield f"    operands.check_dtype({name!r}, {kinds!r}, {', '.join(f'form{k}.dtype' for k in (0, *others))})"
    if row.kernel is not None and "special" in inspect.signature(row.kernel).parameters:
        yield f"special = {row.inputs[0]}.storage.device.special"
    plain = plainly(row, accepts)
    if plain:
        yield f"plain = {plain}"
    if row.validate is not None:
        known = {each: f"a{k}" for k, each in enumerate(row.inputs)}
        call = f"VALIDATE({arguments(row.validate, known)})"
        yield from ["if not plain:", f"    {call}"] if plain else [call]


def plainly(row: Row, accepts: str) -> str:
    """Returns the condition under which attributes need no preparation and a ufunc is enough; "" if nothing depends on it."""
    if row.kernel is None:
        return ""
    conditions = [row.plain] if row.plain else []
    if not set(accepts) <= set(row.plain_kinds):
        conditions.append(f"form0.kind in {kinds_of(row.plain_kinds)!r}")
    return " and ".join(conditions)


def kinds_of(accepts: str) -> str:
    """Returns NumPy's letters for kinds of dtypes in a row, whose i includes u."""
    return accepts.replace("i", "iu")


def prepare(row: Row, accepts: str) -> Iterator[str]:
    """Yields lines that convert attributes to the kernel's form."""
    unless = row.prepare and plainly(row, accepts)
    if unless:
        yield "if not plain:"
    for attribute in row.prepare:
        yield f"{'    ' * bool(unless)}{attribute} = PREPARE_{attribute}(a0, {attribute})"


# ---- the result -----------------------------------------------------------------------------------------------------------


def result_shape(row: Row) -> str:
    """Returns an expression for the shape of the result."""
    shapes = [f"form{k}.shape" for k in range(len(row.inputs))]
    if row.shape is same or (row.shape is None and len(row.inputs) == 1):
        return shapes[0]
    if row.shape is not None:
        return f"SHAPE({arguments(row.shape, dict(zip(row.inputs, shapes, strict=True)))})"
    together = f"operands.broadcast({row.name!r}, {', '.join(row.inputs)})"
    if len(shapes) == 2:  # (the common shape of two different ones is never (), which would be False here)
        together = f"common_shape({', '.join(shapes)}) or {together}"
    return f"{shapes[0]} if {' == '.join(shapes)} else {together}"


def result_dtype(row: Row, name: str = "") -> str:
    """Returns an expression for the dtype of the result, in which a refusal names the variant `name`."""
    known = {name: f"form{k}.dtype" for k, name in enumerate(row.inputs)}
    if row.dtype is same or (row.dtype is None and len(row.inputs) == 1):
        return "form0.dtype"
    if row.dtype is not None:
        return f"DTYPE({arguments(row.dtype, known)})"
    alike = " is ".join(known.values())
    return f"(form0.dtype if {alike} else operands.promoted({(name or row.name)!r}, {', '.join(known.values())}))"


def keeps_dtype(row: Row) -> bool:
    """Returns True if the result has the dtype of the only input, whichever the row accepts."""
    if row.dtype is None or tuple(inspect.signature(row.dtype).parameters) != row.inputs:
        return False
    return len(row.inputs) == 1 and all(
        row.dtype(each.numpy) == each.numpy for each in dtypes.ALL if each.numpy.kind in kinds_of(row.accepts)
    )


def same_form(row: Row) -> str:
    """Returns a condition under which the result has the form of the first input; "" if the row does not tell."""
    if row.shape not in (None, same) or row.dtype not in (None, same):
        return ""
    fixes = [row.shape is None, row.dtype is None]  # what the other inputs have a say in
    others = range(1, len(row.inputs) if any(fixes) else 1)
    return " and ".join(f"form{k} is form0" for k in others) or "True"


def _called_with(function: Callable[..., Any], row: Row, out: str) -> str:
    """The arguments of a kernel or a plan, which receives those that it names."""
    known = {name: f"a{k}" for k, name in enumerate(row.inputs)} | {"out": out, "device": "storage.device"}
    return arguments(function, known)


def plan(row: Row, out: str) -> Iterator[str]:
    """Yields the call of the plan, if the row has one."""
    if row.plan is not None:
        yield f"planned = PLAN({_called_with(row.plan, row, out)})"


def launch(row: Row, out: str, accepts: str) -> Iterator[str]:
    """Yields the call of the kernel: a ufunc writes into its last argument, a kernel receives the arguments that it names.

    NumPy warns (of a division by zero) after the loop, when all elements are written. If a filter turns warnings into errors,
    the operation has still done its work.

    A row with an expression in CUDA C has a CUDA kernel, which replaces both on a GPU (see `own_kernels`).
    """
    arrays = {name: f"a{k}" for k, name in enumerate(row.inputs)}
    plain = f"UFUNC({', '.join([*arrays.values(), out])})"
    lines = [plain]
    if row.ufunc is None or plainly(row, accepts):
        assert row.kernel is not None
        call = f"KERNEL({_called_with(row.kernel, row, out)})"
        lines = [call] if row.ufunc is None else ["if plain:", f"    {plain}", "else:", f"    {call}"]
    if row.cuda:
        lines = [f"if not (storage.device.launches and {_launched(row, out)}):", *("    " + line for line in lines)]
    yield from ["try:", *("    " + line for line in lines), "except RuntimeWarning:", "    pass"]


def _launched(row: Row, out: str) -> str:
    """An expression that is True if a CUDA kernel has computed the result."""
    first, *others = (f"a{k}" for k in range(len(row.inputs)))
    given = [f"({', '.join(row.inputs)},)", f"({', '.join([first, *others])},)"]
    given += [] if out == first else [out]
    return f"LAUNCHED({', '.join([*given, *(f'{p.name}={p.name}' for p in computed_with(row))])})"


def computed_with(row: Row) -> tuple[inspect.Parameter, ...]:
    """Returns the attributes that affect the result: those that the kernel names. Others are only for the history."""
    taken = () if row.kernel is None else inspect.signature(row.kernel).parameters
    return tuple(p for p in row.attributes if p.name in taken)


# ---- history --------------------------------------------------------------------------------------------------------------


def edge(x: str) -> str:
    """Returns an expression for the node that receives the gradient of `x`: what the function `edge` does, without a call for most."""
    return f"edge({x}) if {x}.base is not None else None if {x}._stop else {x}.node or accumulator({x})"


def node(row: Row, edges: list[str], kept: str) -> Iterator[str]:
    """Yields lines that make the node and number it, after the nodes on its edges. `kept` is what it has saved."""
    yield "node = new_node(OpNode)"
    yield f"node.row, node.edges, node.kept = ROW, ({', '.join(edges)},), {kept}"
    forms = "".join(f"form{k}, " for k in range(len(row.inputs)))
    yield f"node.forms, node.facts = ({forms}), {_facts(row)}"
    yield "node.serial, node.hooks, node.retained = next_serial(), None, None"


def _facts(row: Row) -> str:
    values = {f"{name}_meta": f"meta{k}" for k, name in enumerate(row.inputs)}
    return (
        "{" + ", ".join(f"{fact!r}: {values.get(fact, fact)}" for fact in row.facts) + "}" if row.facts else "NOTHING"
    )


def metas(row: Row) -> Iterator[str]:
    """Yields lines that get the metadata of inputs that a derivative needs."""
    for k, name in enumerate(row.inputs):
        if f"{name}_meta" in row.facts:
            yield f"meta{k} = meta({name})"


def keep(row: Row, saved: dict[str, str]) -> Iterator[str]:
    """Yields lines that save the tensors that the needed derivatives name. `saved` has an expression for each tensor.

    At least one gradient is needed, or there would be no node: a tensor that all derivatives name is always saved.
    """
    asked = [name for name in saved if row.needed_for(name)]
    if all(len(row.needed_for(name)) == len(row.inputs) for name in asked):
        yield f"kept: tuple[Saved, ...] = ({''.join(saved[name] + ', ' for name in asked)})"
        return
    yield "kept: tuple[Saved, ...] = ()"
    for name in asked:
        yield f"if {wanted(row, name)}:"
        yield f"    kept += ({saved[name]},)"


def keep_result(row: Row, saved: str) -> Iterator[str]:
    """Yields lines that save the result, after the launch, if a needed derivative names it."""
    if row.needed_for("out"):
        yield f"if {wanted(row, 'out')}:"
        yield f"    node.kept += ({saved},)"


def wanted(row: Row, name: str) -> str:
    """Returns a condition: a derivative that names `name` is needed."""
    return " or ".join(f"e{k} is not None" for k in row.needed_for(name))


# ---- reports --------------------------------------------------------------------------------------------------------------


def read(row: Row) -> str:
    """Returns further arguments of the report of an ordinary variant: what it reads, if not everything, and what it copies."""
    if row.selects:
        return f", read=slots_read(ROW, {row.inputs[0]}, {given(row)}, array.shape), copied=0"
    return f", copied={len(row.inputs) - 1}" * row.copies


def depends(row: Row, shape: str) -> str:
    """Returns an expression for how the result depends on the inputs, for the report."""
    return f"dependence(ROW, {given(row)}, {shape})"


def given(row: Row) -> str:
    """Returns an expression for the arrays and attributes of a call, by name, as the kernel receives them."""
    arrays = {name: f"a{k}" for k, name in enumerate(row.inputs)}
    return _dictionary(arrays | {p.name: p.name for p in row.attributes})


def _dictionary(values: dict[str, str]) -> str:
    return "{" + ", ".join(f"{name!r}: {value}" for name, value in values.items()) + "}"
