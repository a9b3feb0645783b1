"""One row of the table, written out as Python: a function for each variant, with everything specialised that the row fixes.

A generic `run(row, *args)` would look up in every call what never changes: how many inputs there are, which derivative
asks for what. So the path is written once, here, as a template, and each row fills it in. What comes out can be read:

    print(inplacelab.ops.template.source(row, "in-place"))

and tracebacks show it. The same path stands in `ops/run.py`'s first lines; names in capitals are the row's own objects.
"""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from inplacelab import observe
from inplacelab.autograd import modes
from inplacelab.autograd.history import check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import OpNode, next_serial
from inplacelab.autograd.saved import OUTPUT, Saved, save_copy
from inplacelab.ops import run
from inplacelab.ops.documentation import document
from inplacelab.ops.spec import Row, same
from inplacelab.tensor import Tensor, fresh

_SCOPE: dict[str, Any] = {
    "Tensor": Tensor, "Saved": Saved, "OUTPUT": OUTPUT, "OpNode": OpNode, "new": OpNode.__new__, "np": np, "run": run,
    "next_serial": next_serial, "save_copy": save_copy, "check_leaf": check_leaf, "edge": edge, "rebase": rebase,
    "refresh": refresh, "fresh": fresh, "modes": modes, "observe": observe, "NOTHING": {},
}  # fmt: skip


def function(row: Row, variant: str) -> Callable[..., Any]:
    """The function of a row. `variant` is "ordinary", "in-place", "view" or "relayout"."""
    name, text = name_of(row, variant), source(row, variant)
    filename = f"<inplacelab operation {name}>"
    scope = {
        **_SCOPE,
        "__name__": "inplacelab.operations",
        "ROW": row,
        "KERNEL": row.kernel,
        "UFUNC": row.ufunc,
        "SHAPE": row.shape,
        "DTYPE": row.dtype if variant != "ordinary" else row.dtype_ordinary or row.dtype,
        "LAYOUT": row.layout,
        "SHORTCUT": row.shortcut,
        "VALIDATE": row.validate,
    }
    scope.update({f"PREPARE_{attribute}": check for attribute, check in row.prepare.items()})
    if variant == "in-place" and row.ordinary:
        scope["ORDINARY"] = function(row, "ordinary")
    exec(compile(text, filename, "exec"), scope)
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    made = scope["SELF"] = scope[name]
    made.__module__, made.__qualname__, made.__doc__ = (
        "inplacelab",
        f"Tensor.{name}" if row.method else name,
        document(row, variant),
    )
    return made  # type: ignore[no-any-return]


def name_of(row: Row, variant: str) -> str:
    """The name of a variant: the in-place ones end in an underscore."""
    return row.name + "_" * (variant in ("in-place", "relayout"))


def signature(row: Row, variant: str) -> str:
    """The parameters, in Paddle's order; only a function that makes its result takes `out`."""
    kept = [p for p in row.parameters if p.name != "out" or variant == "ordinary"]
    return str(inspect.Signature(kept))[1:-1]


def source(row: Row, variant: str) -> str:
    """The Python text of one variant of a row."""
    body = {"ordinary": _ordinary, "in-place": _in_place, "view": _view, "relayout": _relayout}[variant]
    lines = [f"def {name_of(row, variant)}({signature(row, variant)}):", *("    " + line for line in body(row))]
    return "\n".join(lines) + "\n"


# ---- the parts that variants have in common -----------------------------------------------------------------------------


def _operands(row: Row, name: str, accepts: str) -> Iterator[str]:
    first = row.inputs[0]
    for k, each in enumerate(row.inputs):
        stored = row.dtype is same or row.kind != "elementwise" or not {*accepts} & {*"ib"}
        convert = "as_tensor" if each not in row.numbers else "as_operand" if stored else "as_met"
        like = f", {first}" if each in row.numbers else ""
        yield f"if type({each}) is not Tensor:"
        yield f"    {each} = run.{convert}({name!r}, {each!r}, {k}, {each}{like})"
    for k, each in enumerate(row.inputs):
        yield f"a{k} = {each}.array"
    if set(accepts) < set("fibc"):
        kinds, others = accepts.replace("i", "iu"), range(1, len(row.inputs) if row.dtype is None else 1)
        yield f"if {' or '.join([f'a0.dtype.kind not in {kinds!r}', *(f'a{k}.dtype is not a0.dtype' for k in others)])}:"
        yield f"    run.check_dtype({name!r}, {kinds!r}, {', '.join(f'a{k}.dtype' for k in (0, *others))})"
    if row.validate is not None:
        if row.plain:
            yield f"if not ({row.plain}):"
        known = {each: f"a{k}" for k, each in enumerate(row.inputs)}
        yield f"{'    ' * bool(row.plain)}VALIDATE({_call(row.validate, known)})"


def _prepare(row: Row) -> Iterator[str]:
    indent = "    " if row.plain else ""
    if row.plain and row.prepare:
        yield f"if not ({row.plain}):"
    for attribute in row.prepare:
        yield f"{indent}{attribute} = PREPARE_{attribute}(a0, {attribute})"


def _launch(row: Row, out: str) -> Iterator[str]:
    """The call of the kernel: a ufunc writes into its last argument, a kernel gets what its parameters are named after.

    NumPy's remarks on values (a division by zero) come after the loop, when all is written. Where a filter has made them
    errors, they must not keep the version from being raised.
    """
    arrays = {name: f"a{k}" for k, name in enumerate(row.inputs)}
    plain = f"UFUNC({', '.join([*arrays.values(), out])})"
    lines = [plain]
    if row.kernel is not None:
        known = {**arrays, "out": out, "device": "storage.device"}
        call = f"KERNEL({', '.join(known.get(p, p) for p in inspect.signature(row.kernel).parameters)})"
        lines = [f"if {row.plain}:", f"    {plain}", "else:", f"    {call}"] if row.plain else [call]
    yield from ["try:", *("    " + line for line in lines), "except RuntimeWarning:", "    pass"]


def _call(function: Callable[..., Any], known: dict[str, str]) -> str:
    """The arguments of a shape or dtype rule: what its parameters are named after."""
    return ", ".join(known.get(p, p) for p in inspect.signature(function).parameters)


def _result_dtype(row: Row) -> str:
    known = {name: f"a{k}.dtype" for k, name in enumerate(row.inputs)}
    if row.dtype is same or (row.dtype is None and len(row.inputs) == 1):
        return "a0.dtype"
    if row.dtype is not None:
        return f"DTYPE({_call(row.dtype, known)})"
    return f"run.promoted({row.name!r}, {', '.join(known.values())})"


def _node(row: Row, edges: list[str]) -> Iterator[str]:
    """Make the node and number it, after the nodes it leads to."""
    yield "node = new(OpNode)"
    yield f"node.row, node.edges, node.kept = ROW, ({', '.join(edges)},), kept"
    yield f"node.shapes, node.dtypes = ({_each(row, 'a{}.shape')},), ({_each(row, 'a{}.dtype')},)"
    yield f"node.facts = {_facts(row)}"
    yield "node.serial, node.hooks, node.retained = next_serial(), None, None"


def _each(row: Row, pattern: str) -> str:
    return ", ".join(pattern.format(k) for k in range(len(row.inputs)))


def _facts(row: Row) -> str:
    values = {f"{name}_meta": f"meta{k}" for k, name in enumerate(row.inputs)}
    return (
        "{" + ", ".join(f"{fact!r}: {values.get(fact, fact)}" for fact in row.facts) + "}" if row.facts else "NOTHING"
    )


def _nothing_kept(row: Row) -> str:
    """What is kept to begin with: a new dict only if something may come into it."""
    return "{}" if any(row.keeps(k) for k in range(len(row.inputs))) else "NOTHING"


def _metas(row: Row) -> Iterator[str]:
    for k, name in enumerate(row.inputs):
        if f"{name}_meta" in row.facts:
            yield f"meta{k} = run.meta({name})"


def _needed(row: Row, name: str, edges: list[str]) -> str:
    return " or ".join(f"{edges[k]} is not None" for k in row.needed_for(name))


# ---- a result of its own --------------------------------------------------------------------------------------------------


def _ordinary(row: Row) -> Iterator[str]:
    first, *others = row.inputs
    name = row.called or row.name
    if row.out:
        inputs, given = (
            ", ".join(row.inputs),
            ", ".join(f"{p.name}={p.name}" for p in row.parameters if p.name != "out"),
        )
        yield "if out is not None:"
        yield f"    return run.into({name!r}, out, ({inputs},), lambda: SELF({given}))"
    yield from _operands(row, name, row.accepts_ordinary or row.accepts)
    yield f"storage = {first}.storage"
    for other in others:
        yield f"if {other}.storage.device is not storage.device:"
        yield f"    run.refuse_devices({name!r}, {first}, {other})"
    yield from _prepare(row)
    yield f"shape = {_result_shape(row)}"
    yield f"out = storage.device.empty(shape, {_ordinary_dtype(row)})"
    yield from _launch(row, "out")
    yield "result = fresh(out, storage.device)"
    yield "node = None"
    if any(row.rules):
        yield "if modes.recording_history:"
        yield from ("    " + line for line in _ordinary_history(row))
    yield "if observe.listeners:"
    yield f"    observe.tell({name!r}, 'ordinary', ({', '.join(row.inputs)},), result, node)"
    yield "return result"


def _result_shape(row: Row) -> str:
    known = {name: f"a{k}.shape" for k, name in enumerate(row.inputs)}
    if row.shape is same or (row.shape is None and len(row.inputs) == 1):
        return "a0.shape"
    if row.shape is not None:
        return f"SHAPE({_call(row.shape, known)})"
    alike = " == ".join(known.values())
    return f"a0.shape if {alike} else run.broadcast({row.name!r}, {', '.join(row.inputs)})"


def _ordinary_dtype(row: Row) -> str:
    if row.dtype is None and len(row.inputs) > 1:
        alike = " is ".join(f"a{k}.dtype" for k in range(len(row.inputs)))
        return f"a0.dtype if {alike} else {_result_dtype(row)}"
    return _result_dtype(row)


def _ordinary_history(row: Row) -> Iterator[str]:
    edges = [f"e{k}" for k in range(len(row.inputs))]
    for k, name in enumerate(row.inputs):
        yield f"e{k} = None if {name}.base is None and {name}._stop else edge({name})"
    yield f"if {' or '.join(f'{e} is not None' for e in edges)}:"
    yield f"    kept = {_nothing_kept(row)}"
    for k, name in enumerate(row.inputs):
        if row.needed_for(name):
            yield f"    if {_needed(row, name, edges)}:"
            yield f"        kept[{name!r}] = Saved({name!r}, {name}, e{k})"
    yield from ("    " + line for line in _metas(row))
    yield from ("    " + line for line in _node(row, edges))
    yield "    result.node, result._stop = node, False"
    if row.needed_for("out"):
        yield f"    if {_needed(row, 'out', edges)}:"
        yield "        kept['out'] = Saved('out', result, OUTPUT)"


# ---- in place ---------------------------------------------------------------------------------------------------------------


def _in_place(row: Row) -> Iterator[str]:
    name = row.called or name_of(row, "in-place")
    x = row.inputs[0]
    yield from _operands(row, name, row.accepts)
    yield f"storage, base = {x}.storage, {x}.base"
    yield "if base is not None:"
    yield f"    refresh({x})"
    yield from _check_write(row, name)
    yield from _prepare(row)
    yield from _check_dtype(row, name)
    yield from _check_shape(row, name)
    yield "node = None"
    yield "if modes.recording_history:"
    yield from ("    " + line for line in _in_place_history(row, name))
    if row.reads_apart:
        yield from _read_apart(row)
    yield "if modes.keeper is not None:"
    yield f"    modes.keeper.before_write({x})"
    yield from _launch(row, "a0")
    if row.reads_apart:
        yield "finally:"
        yield "    storage.device.ledger.lent = 0"
    yield "storage.version += 1"
    yield "if modes.keeper is not None:"
    yield "    modes.keeper.after_write(storage)"
    yield from _rewrite(row)
    yield "if observe.listeners:"
    yield f"    observe.tell({name!r}, 'in-place', ({', '.join(row.inputs)},), {x}, node)"
    yield f"return {x}"


def _check_write(row: Row, name: str) -> Iterator[str]:
    x, *others = row.inputs
    yield f"if {x}.overlaps:"
    yield f"    run.refuse_self_overlap({name!r}, {x})"
    for k, other in enumerate(others, 1):
        yield f"if {other}.storage.device is not storage.device:"
        yield f"    run.refuse_devices({name!r}, {x}, {other})"
        if row.pointwise:
            yield f"if a{k}.shape != a0.shape:"
            yield f"    run.check_fits({name!r}, {x}, {other})"
        if not row.reads_apart:
            yield f"if {other}.storage is storage and {other} is not {x}:"
            yield f"    run.check_overlap({name!r}, {x}, {other})"


def _check_dtype(row: Row, name: str) -> Iterator[str]:
    """A result of another dtype cannot lie in the storage that is there: the operation is then in place in name only."""
    result = _result_dtype(row)
    if row.kind == "overwrite" or result == "a0.dtype":
        return
    differ = [f"a{k}.dtype is not a0.dtype" for k in range(1, len(row.inputs))]
    condition = f"({' or '.join(differ)}) and " if row.dtype is None else ""
    yield f"if {condition}{result} != a0.dtype:"
    yield from _reallocate(row, name)


def _check_shape(row: Row, name: str) -> Iterator[str]:
    """A result of another shape does not fit: it is refused, or the row says that it may have a storage of its own."""
    if row.kind == "overwrite" or row.shape in (None, same):
        return
    yield f"shape = {_result_shape(row)}"
    yield "if shape != a0.shape:"
    if row.resizes:
        yield from _reallocate(row, name)
    else:
        yield f"    run.refuse_growth({name!r}, {row.inputs[0]}, shape)"


def _reallocate(row: Row, name: str) -> Iterator[str]:
    given = {p.name: p.name for p in row.parameters if p.name not in {"name", "out"}}
    if row.dtype_ordinary is not None:  # left to itself, the ordinary variant would choose another
        given["dtype"] = _result_dtype(row)
    arguments = ", ".join(f"{name}={value}" for name, value in given.items())
    yield f"    return run.reallocate({name!r}, {row.inputs[0]}, lambda: ORDINARY({arguments}))"


def _read_apart(row: Row) -> Iterator[str]:
    """An operand that shows slots about to be written is read from a copy."""
    for k, other in enumerate(row.inputs[1:], 1):
        yield f"if {other}.storage is storage:"
        yield f"    a{k} = run.apart({row.inputs[0]}, {other})"


def _in_place_history(row: Row, name: str) -> Iterator[str]:
    x, *others = row.inputs
    edges = [f"e{k}" for k in range(len(row.inputs))]
    for k, other in enumerate(others, 1):
        yield f"e{k} = None if {other}.base is None and {other}._stop else edge({other})"
    tracked = [f"not {x}._stop", "(base is not None and not base._stop)", *(f"{e} is not None" for e in edges[1:])]
    yield f"if {' or '.join(tracked)}:"
    yield f"    if base is not None or {x}.node is None:"
    yield f"        check_leaf({name!r}, {x}{', setitem=True' if row.called == 'setitem' else ''})"
    yield f"    e0 = None if {x}._stop else {x}.node"
    yield f"    kept = {_nothing_kept(row)}"
    if row.needed_for(x):
        yield f"    if {_needed(row, x, edges)}:  # about to be overwritten"
        yield f"        kept[{x!r}] = save_copy({x!r}, {x}, e0)"
    for k, other in enumerate(others, 1):
        if row.needed_for(other):
            yield f"    if {_needed(row, other, edges)}:"
            yield f"        kept[{other!r}] = run.save_operand({other!r}, {other}, e{k}, {x})"
    yield from ("    " + line for line in _metas(row))
    yield from ("    " + line for line in _node(row, edges))


def _rewrite(row: Row) -> Iterator[str]:
    x = row.inputs[0]
    yield "if node is not None:"
    if row.needed_for("out"):
        edges = [f"e{k}" for k in range(len(row.inputs))]
        yield f"    if {_needed(row, 'out', edges)}:"
        yield f"        kept['out'] = Saved('out', {x}, OUTPUT)"
    yield "    if base is None:"
    yield f"        {x}.node, {x}._stop = node, False"
    yield "    else:"
    yield f"        rebase({x}, node)"


# ---- metadata ---------------------------------------------------------------------------------------------------------------


def _view(row: Row) -> Iterator[str]:
    yield from _metadata(row, row.name, "view")


def _relayout(row: Row) -> Iterator[str]:
    yield from _metadata(row, name_of(row, "relayout"), "relayout")


def _metadata(row: Row, name: str, change: str) -> Iterator[str]:
    """Find the new window, by NumPy's own way if there is one, and give it to another tensor or to the tensor itself."""
    x, attributes, facts = row.inputs[0], ", ".join(p.name for p in row.attributes), _facts_given(row)
    yield from _operands(row, name, row.accepts)
    yield from _prepare(row)
    if row.shortcut is not None:
        yield f"shown = SHORTCUT(a0, {attributes})"
        yield "if shown is not None:"
        yield f"    return run.{change}(ROW, {x}, shown, {facts})"
    yield f"before = {x}.layout"
    yield f"after = LAYOUT(before, {attributes})"
    if row.same_is_self:
        yield "if after is before:"
        yield f"    return {x}"
    if row.shape is not None:
        copied = f"run.copied(ROW, {x}, SHAPE({_call(row.shape, {x: 'a0.shape'})}), {facts})"
        yield "if after is None:"
        yield f"    return {copied if change == 'view' else f'run.reallocate({name!r}, {x}, lambda: {copied})'}"
    dtype = f", {_result_dtype(row)}" if row.dtype else ""
    yield f"return run.{change}(ROW, {x}, run.window({x}, after{dtype}), {facts}, after)"


def _facts_given(row: Row) -> str:
    return "{" + ", ".join(f"{p.name!r}: {p.name}" for p in row.attributes) + "}"
