"""Generates the body of each variant: a result in a new storage, the operator, a write in place, a view, a change of metadata.

Python may raise an interrupt at almost any instruction, and a kernel may fail after it has written. So in a write the order of the
lines after the checks matters, and needs no handler:

1. make the node, and give it to the tensor as one whose write is not finished: backward refuses it;
2. raise the version, so that saved tensors on the storage become stale;
3. launch the kernel;
4. finish the node: give it what it has saved.

At each point the slots are either untouched or known to be overwritten. The last line also notices a write by another thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from inplacelab.ops.table.depends import declared
from inplacelab.ops.table.row import Row, same
from inplacelab.ops.template import parts

# ---- a result in a new storage --------------------------------------------------------------------------------------------


def _ordinary(row: Row) -> Iterator[str]:
    name = row.called or row.name
    if row.out:
        inputs, given = (
            ", ".join(row.inputs),
            ", ".join(f"{p.name}={p.name}" for p in row.parameters if p.name != "out"),
        )
        yield "if out is not None:"
        yield f"    return destinations.into({name!r}, out, ({inputs},), lambda: SELF({given}))"
    yield from parts.operands(row, name, row.accepts_ordinary or row.accepts)
    yield from _lines(row)


def _operator(row: Row) -> Iterator[str]:
    """Yields the body of Python's operator for two tensors: the same without keywords and conversions. Its attributes are known."""
    attributes = {p.name: p.default for p in row.attributes}
    if row.plain and eval(row.plain, attributes.copy()):
        row = replace(row, plain="", prepare={})
    x, y = row.inputs
    yield f"if type({x}) is not Tensor or type({y}) is not Tensor:"
    yield f"    return OTHERWISE({x}, {y})"
    yield from (f"{name} = {value!r}" for name, value in attributes.items())
    yield from _lines(row)


def _lines(row: Row) -> Iterator[str]:
    first, *others = row.inputs
    name, accepts = row.called or row.name, row.accepts_ordinary or row.accepts
    yield from parts.windows(row)
    yield from parts.scalars(row)
    yield from parts.checks(row, name, accepts)
    yield f"storage = {first}.storage"
    for other in others:
        yield f"if {other}.storage.device is not storage.device:"
        yield f"    operands.refuse_devices({name!r}, {first}, {other})"
    yield from parts.prepare(row, accepts)
    yield from _compute(row, accepts)
    yield "result = fresh(array, storage.device, form)"
    yield "mode = current_modes()"
    yield "node = None"
    if any(row.rules):
        yield "if mode.recording_history:"
        yield from ("    " + line for line in _history_of_result(row))
    yield "if mode.listeners:"
    details = f"{parts.read(row)}, depends={parts.depends(row, 'array.shape')}"
    yield f"    mode.notify({name!r}, 'ordinary', ({', '.join(row.inputs)},), result, node{details})"
    yield "return result"


def _compute(row: Row, accepts: str) -> Iterator[str]:
    """Yields lines that allocate the result and launch the kernel.

    A ufunc of packed arrays may allocate its result: that is faster. (If a filter turns warnings into errors, the result is lost,
    and computed again. Without axes it would not be an array.)
    """
    alike = parts.same_form(row)
    shape, dtype = parts.result_shape(row), parts.result_dtype(row)
    form = {"": "None", "True": "form0"}.get(alike, f"form0 if {alike} else None")
    general = [f"form = {form}", f"array = storage.device.empty({shape}, {dtype})"]
    general += [*parts.plan(row, "array"), *parts.launch(row, "array", accepts)]
    if not alike or row.ufunc is None:
        yield from general
        return
    packed = [f"a{k} is {name}.storage.buffer" for k, name in enumerate(row.inputs)]
    conditions = [alike] * (alike != "True") + ["plain"] * bool(parts.plainly(row, accepts)) + packed
    yield "array: Any = None"
    yield f"if {' and '.join(conditions)} and form0.shape and not storage.device.launches:"
    yield "    form: Form | None = form0"
    yield "    try:"
    yield f"        array = UFUNC({', '.join(f'a{k}' for k in range(len(row.inputs)))})"
    yield "    except RuntimeWarning:"
    yield "        pass"
    yield "if array is None:"
    yield from ("    " + line for line in general)


def _history_of_result(row: Row) -> Iterator[str]:
    edges = [f"e{k}" for k in range(len(row.inputs))]
    for k, name in enumerate(row.inputs):
        yield f"e{k} = {parts.edge(name)}"
    yield f"if {' or '.join(f'{e} is not None' for e in edges)}:"
    saved = {name: f"save({name!r}, a{k}, {name}.storage, e{k})" for k, name in enumerate(row.inputs)}
    yield from ("    " + line for line in parts.keep(row, saved))
    yield from ("    " + line for line in parts.metas(row))
    yield from ("    " + line for line in parts.node(row, edges, "kept"))
    yield "    result.node, result._stop = node, False"
    yield from ("    " + line for line in parts.keep_result(row, "save('out', array, result.storage, OUTPUT)"))


# ---- a write in place -----------------------------------------------------------------------------------------------------


def _in_place(row: Row) -> Iterator[str]:
    underscore = row.name.startswith("_") and row.called != "setitem"  # `x[key] = y` is called without one
    name = row.called + "_" * underscore if row.called else parts.name_of(row, "in-place")
    x = row.inputs[0]
    yield from parts.operands(row, name, row.accepts)
    yield from parts.windows(row)
    yield f"storage, base = {x}.storage, {x}.base"
    yield "if base is not None:"
    yield f"    refresh({x})"
    yield from _check_write(row, name)
    yield from parts.checks(row, name, row.accepts)
    yield from parts.prepare(row, row.accepts)
    yield from _check_dtype(row, name)
    yield from _check_shape(row, name)
    yield "mode = current_modes()"
    yield "node = None"
    yield "if mode.recording_history:"
    yield from ("    " + line for line in _history_of_write(row, name))
    if row.writes_some:  # an index or a mask on the same storage is about to be overwritten
        yield f"touched = slots_touched(ROW, {x}, {parts.given(row)}) if mode.listeners else NOTHING"
    before = declared(row)
    if before is not None and before.before:
        yield f"depends = {parts.depends(row, 'a0.shape')} if mode.listeners else None"
    yield from (_with_copies(row) if row.reads_copies else _write(row))
    yield from _finish(row)
    yield "if mode.listeners:"
    depends = "depends" if before is not None and before.before else parts.depends(row, "a0.shape")
    details = f"{_touched(row)}, depends={depends}"
    yield f"    mode.notify({name!r}, 'in-place', ({', '.join(row.inputs)},), {x}, node{details})"
    yield f"return {x}"


def _touched(row: Row) -> str:
    """Further arguments of the report: which slots are written and read, where that is not all of the inputs."""
    if row.writes_some:
        return ", **touched"
    return ", read=()" * (row.kind == "overwrite") + f", copied={len(row.inputs) - 1}" * row.copies


def _check_write(row: Row, name: str) -> Iterator[str]:
    x, *others = row.inputs
    yield f"if {x}.overlaps:"
    yield f"    operands.refuse_self_overlap({name!r}, {x})"
    for k, other in enumerate(others, 1):
        yield f"storage{k} = {other}.storage"
        yield f"if storage{k}.device is not storage.device:"
        yield f"    operands.refuse_devices({name!r}, {x}, {other})"
        if row.pointwise:
            yield f"if form{k} is not form0 and form{k}.shape != form0.shape and common_shape(form0.shape, form{k}.shape) != form0.shape:"
            yield f"    operands.refuse_shape({name!r}, {x}, {other})"
        if not row.reads_copies:
            yield f"if storage{k} is storage and {other} is not {x}:"
            yield f"    operands.check_overlap({name!r}, {x}, {other})"


def _check_dtype(row: Row, name: str) -> Iterator[str]:
    """A result of another dtype does not fit into the storage: the operation is then in place in name only."""
    result = parts.result_dtype(row, name)
    if row.kind == "overwrite" or result == "form0.dtype" or parts.keeps_dtype(row):
        return
    if row.dtype is None:
        differ = [f"form{k} is not form0" for k in range(1, len(row.inputs))]
        yield f"if ({' or '.join(differ)}) and {result} != form0.dtype:"
    else:
        yield f"dtype = {result}"
        yield "if dtype is not form0.dtype and dtype != form0.dtype:"
    yield from _reallocate(row, name)


def _check_shape(row: Row, name: str) -> Iterator[str]:
    """A result of another shape does not fit: it is refused, unless the row allows a new storage."""
    if row.kind == "overwrite" or row.shape in (None, same):
        return
    yield f"shape = {parts.result_shape(row)}"
    yield "if shape != form0.shape:"
    if row.resizes:
        yield from _reallocate(row, name)
    else:
        yield f"    operands.refuse_growth({name!r}, {row.inputs[0]}, shape)"


def _reallocate(row: Row, name: str) -> Iterator[str]:
    given = {p.name: p.name for p in row.parameters if p.name not in {"name", "out"}}
    if row.dtype_ordinary is not None:  # otherwise the ordinary variant would choose another
        given["dtype"] = parts.result_dtype(row)
    arguments = ", ".join(f"{name}={value}" for name, value in given.items())
    others = f"({''.join(other + ', ' for other in row.inputs[1:])})"
    depends = f"lambda: {parts.depends(row, '()' if row.shape not in (None, same) else 'form0.shape')}"
    yield f"    return destinations.reallocate({name!r}, {row.inputs[0]}, lambda: ORDINARY({arguments}), {others}, {depends})"


def _write(row: Row) -> Iterator[str]:
    x = row.inputs[0]
    yield from parts.plan(row, "a0")
    yield "if mode.keeper is not None:"
    yield f"    mode.keeper.before_write({x})"
    yield from _attach(row)
    yield "storage.version += 1"
    yield "if mode.keeper is not None:"
    yield "    mode.keeper.after_write(storage)"
    yield from parts.launch(row, "a0", row.accepts)


def _with_copies(row: Row) -> Iterator[str]:
    """Reads an operand that overlaps the target from a copy, which is lent until the write has ended, even by an interrupt."""
    yield "try:"
    for k, other in enumerate(row.inputs[1:], 1):
        yield f"    if storage{k} is storage:"
        yield f"        a{k} = operands.copy_if_overlapping({row.inputs[0]}, {other})"
    yield from ("    " + line for line in _write(row))
    yield "    storage.device.ledger.lent = 0"
    yield "except BaseException:"
    yield "    storage.device.ledger.lent = 0"
    yield "    raise"


def _history_of_write(row: Row, name: str) -> Iterator[str]:
    x, *others = row.inputs
    edges = [f"e{k}" for k in range(len(row.inputs))]
    for k, other in enumerate(others, 1):
        yield f"e{k} = {parts.edge(other)}"
    tracked = [f"not {x}._stop", "(base is not None and not base._stop)", *(f"{e} is not None" for e in edges[1:])]
    yield f"if {' or '.join(tracked)}:"
    yield "    version = storage.version"
    yield f"    if base is not None or {x}.node is None:"
    yield f"        check_leaf({name!r}, {x}{', setitem=True' if row.called == 'setitem' else ''})"
    yield f"    e0 = None if {x}._stop else {x}.node"
    yield from ("    " + line for line in parts.keep(row, _saved(row)))
    yield from ("    " + line for line in parts.metas(row))
    yield from ("    " + line for line in parts.node(row, edges, "UNFINISHED"))


def _saved(row: Row) -> dict[str, str]:
    """A copy of the first input is saved, since it will be overwritten; perhaps also of an operand on the same storage."""
    x, *others = row.inputs
    saved = {x: f"save_copy({x!r}, a0, storage, e0)"}
    for k, other in enumerate(others, 1):
        apart = f"save({other!r}, a{k}, storage{k}, e{k})"
        saved[other] = f"{apart} if storage{k} is not storage else operands.save_operand({other!r}, {other}, e{k}, {x})"
    return saved


def _attach(row: Row) -> Iterator[str]:
    """Gives the tensor its new history."""
    x = row.inputs[0]
    known = ", selected" * any(p.name == "selected" for p in row.attributes)
    yield "if node is not None:"
    yield "    if base is None:"
    yield f"        {x}.node = node"
    yield f"        {x}._stop = False"
    yield "    else:"
    yield f"        rebase({x}, node{known})"


def _finish(row: Row) -> Iterator[str]:
    """Marks the write as finished, unless another thread wrote the storage meanwhile: then its history is unknown."""
    yield "if node is not None:"
    if row.needed_for("out"):
        yield f"    if {parts.wanted(row, 'out')}:"
        yield "        kept += (save('out', a0, storage, OUTPUT),)"
    yield "    if storage.version == version + 1:"
    yield "        node.kept = kept"


# ---- another window on the same bytes -------------------------------------------------------------------------------------


def _view(row: Row) -> Iterator[str]:
    """Yields the body of a function that returns another tensor."""
    yield from _metadata(row, row.name, "view")


def _relayout(row: Row) -> Iterator[str]:
    """Yields the body of a function that changes the tensor itself."""
    yield from _metadata(row, parts.name_of(row, "relayout"), "relayout")


def _metadata(row: Row, name: str, change: str) -> Iterator[str]:
    """Yields lines that make the new window, by NumPy's function if there is one, for another tensor or the tensor itself."""
    x = row.inputs[0]
    yield from parts.operands(row, name, row.accepts)
    rest = [*parts.checks(row, name, row.accepts), *parts.prepare(row, row.accepts), *_new_window(row, name, change)]
    yield from parts.windows(row) if any("form0" in line for line in rest) else (f"a0 = {x}.array",)
    yield from rest


def _new_window(row: Row, name: str, change: str) -> Iterator[str]:
    x, attributes, facts = row.inputs[0], ", ".join(p.name for p in row.attributes), _facts_given(row)
    if row.shortcut is not None:
        yield f"shown = SHORTCUT(a0, {attributes})"
        yield "if shown is not None:"
        yield f"    return metadata.{change}(ROW, {x}, shown, {facts})"
    yield f"before = {x}.layout"
    yield f"after = LAYOUT(before, {attributes})"
    if row.same_is_self:
        yield "if after is before:"
        yield f"    return {x}"
    if row.shape is not None:
        copied = f"metadata.copied(ROW, {x}, SHAPE({parts.arguments(row.shape, {x: 'form0.shape'})}), {facts})"
        yield "if after is None:"
        yield f"    return {copied if change == 'view' else f'destinations.reallocate({name!r}, {x}, lambda: {copied}, (), lambda: dependence(ROW, NOTHING, ()))'}"
    dtype = f", {parts.result_dtype(row)}" if row.dtype else ""
    yield f"return metadata.{change}(ROW, {x}, metadata.window({x}, after{dtype}), {facts}, after)"


def _facts_given(row: Row) -> str:
    return "{" + ", ".join(f"{p.name!r}: {p.name}" for p in row.attributes) + "}"


BODIES: Mapping[str, Callable[[Row], Iterator[str]]] = {
    "ordinary": _ordinary, "operator": _operator, "in-place": _in_place, "view": _view, "relayout": _relayout,
}  # fmt: skip
"""Yields the lines of a variant, after those that resolve keywords."""
