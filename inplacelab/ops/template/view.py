"""Generates views and changes of a tensor's metadata: another window on the same bytes."""

from __future__ import annotations

from collections.abc import Iterator

from inplacelab.ops.table.row import Row
from inplacelab.ops.template import parts


def view(row: Row) -> Iterator[str]:
    """Yields the body of a function that returns another tensor."""
    yield from _metadata(row, row.name, "view")


def relayout(row: Row) -> Iterator[str]:
    """Yields the body of a function that changes the tensor itself."""
    yield from _metadata(row, parts.name_of(row, "relayout"), "relayout")


def _metadata(row: Row, name: str, change: str) -> Iterator[str]:
    """Yields lines that make the new window, by NumPy's function if there is one, for another tensor or the tensor itself."""
    x, attributes, facts = row.inputs[0], ", ".join(p.name for p in row.attributes), _facts_given(row)
    yield from parts.operands(row, name, row.accepts)
    yield from parts.windows(row)
    yield from parts.checks(row, name, row.accepts)
    yield from parts.prepare(row, row.accepts)
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
