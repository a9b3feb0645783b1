"""Generates the ordinary variant: a result in a new storage."""

from __future__ import annotations

from collections.abc import Iterator

from inplacelab.ops.table.row import Row
from inplacelab.ops.template import parts


def lines(row: Row) -> Iterator[str]:
    """Yields the body of the function."""
    first, *others = row.inputs
    name = row.called or row.name
    if row.out:
        inputs, given = (
            ", ".join(row.inputs),
            ", ".join(f"{p.name}={p.name}" for p in row.parameters if p.name != "out"),
        )
        yield "if out is not None:"
        yield f"    return destinations.into({name!r}, out, ({inputs},), lambda: SELF({given}))"
    accepts = row.accepts_ordinary or row.accepts
    yield from parts.operands(row, name, accepts)
    yield from parts.checks(row, name, accepts)
    yield f"storage = {first}.storage"
    for other in others:
        yield f"if {other}.storage.device is not storage.device:"
        yield f"    operands.refuse_devices({name!r}, {first}, {other})"
    yield from parts.prepare(row)
    yield f"shape = {parts.result_shape(row)}"
    yield f"out = storage.device.empty(shape, {_dtype(row)})"
    yield from parts.plan(row, "out")
    yield from parts.launch(row, "out")
    yield "result = fresh(out, storage.device)"
    yield "mode = current_modes()"
    yield "node = None"
    if any(row.rules):
        yield "if mode.recording_history:"
        yield from ("    " + line for line in _history(row))
    yield "if mode.listeners:"
    yield f"    mode.notify({name!r}, 'ordinary', ({', '.join(row.inputs)},), result, node{parts.details(row, 'read')})"
    yield "return result"


def _dtype(row: Row) -> str:
    if row.dtype is None and len(row.inputs) > 1:
        alike = " is ".join(f"dtype{k}" for k in range(len(row.inputs)))
        return f"dtype0 if {alike} else {parts.result_dtype(row)}"
    return parts.result_dtype(row)


def _history(row: Row) -> Iterator[str]:
    edges = [f"e{k}" for k in range(len(row.inputs))]
    for k, name in enumerate(row.inputs):
        yield f"e{k} = None if {name}.base is None and {name}._stop else edge({name})"
    yield f"if {' or '.join(f'{e} is not None' for e in edges)}:"
    saved = {name: f"Saved({name!r}, a{k}, {name}.storage, e{k})" for k, name in enumerate(row.inputs)}
    yield from ("    " + line for line in parts.keep(row, saved))
    yield from ("    " + line for line in parts.metas(row))
    yield from ("    " + line for line in parts.node(row, edges, "kept"))
    yield "    result.node, result._stop = node, False"
    yield from ("    " + line for line in parts.keep_result(row, "Saved('out', out, result.storage, OUTPUT)"))
