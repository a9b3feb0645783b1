"""Generates the ordinary variant: a result in a new storage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from inplacelab.ops.table.row import Row
from inplacelab.ops.template import parts


def function(row: Row) -> Iterator[str]:
    """Yields the body of the function."""
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


def operator(row: Row) -> Iterator[str]:
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
        yield from ("    " + line for line in _history(row))
    yield "if mode.listeners:"
    details = f"{parts.read(row)}{parts.attributes(row)}, depends={parts.depends(row, 'array.shape')}"
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


def _history(row: Row) -> Iterator[str]:
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
