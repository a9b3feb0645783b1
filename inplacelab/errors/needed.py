"""The two refusals that people mix up: to write a leaf, and to use a value that was overwritten while backward still needed it."""

from __future__ import annotations

from typing import Any

from inplacelab.errors.kinds import LeafWriteError, StaleSavedTensorError
from inplacelab.language import Text


def leaf_write(
    op: str, name: str, *, view: bool, setitem: bool = False, write: str = "", tensor: Any = None
) -> LeafWriteError:
    """The refusal to write a leaf that needs a gradient (`view`: through a view of it; `write`: how `y` is written instead)."""
    noun = "Tensor" if setitem else "Var"
    what = Text("a view of a leaf", "叶子张量的视图") if view else Text("a leaf", "叶子张量")
    return LeafWriteError(
        f"(InvalidArgument) Leaf {noun} ({name}) that doesn't stop gradient can't use inplace strategy.",
        Text(
            "`{op}` would overwrite {what}. Its gradient would be the same, but the optimizer would then update the "
            "overwritten value instead of the one you trained, and the tensor would no longer be a leaf.",
            "`{op}` 会覆盖{what}。梯度本身并不会变，但优化器随后更新的就是被覆盖后的值，而不是你要训练的值，而且该张量也不再是叶子。",
        ).format(op=op, what=what),
        Text(
            "write to the result of an operation on it (`y = x.clone(); {write}`), or, to change the parameter itself, "
            "write inside `with no_grad():` or use `set_value`.",
            "改为写入由它算出的张量（`y = x.clone(); {write}`）；若确实要修改参数本身，请在 `with no_grad():` 中写入，或使用 `set_value`。",
        ).format(write=write or ("y[...] = ..." if setitem else f"y.{op}(...)")),
        tensor=tensor,
    )


def stale_saved_tensor(
    node_name: str, saved_name: str, kept_at: int, found_at: int, **facts: Any
) -> StaleSavedTensorError:
    """The refusal to use a saved tensor whose storage has been written since it was kept."""
    return StaleSavedTensorError(
        f"(PermissionDenied) Tensor '' used in gradient computation has been modified by an inplace operation. "
        f"Its version is {found_at} but the expected version is {kept_at}.",
        Text(
            "{node} kept {saved} at version {kept_at} to compute its derivative; its storage is at version {found_at} now, "
            "so the kept value is stale. The write was allowed (a write to a leaf would not have been); using the value that "
            "it overwrote is not.",
            "{node} 在版本 {kept_at} 时保存了{saved}以便求导；它所在的存储现在是版本 {found_at}，保存的值已经过期。"
            "那次写入本身是允许的（若写的是叶子张量，当时就会被拒绝）；不允许的是继续使用被它覆盖的值。",
        ).format(node=node_name, saved=_called(saved_name), kept_at=kept_at, found_at=found_at),
        Text(
            "write after `backward()`, write to a copy (`x = x.clone()` before the in-place operation), or use the "
            "ordinary operation in place of the one that ends in an underscore.",
            "把写入放到 `backward()` 之后，或先复制再写（在原地操作之前 `x = x.clone()`），或改用不带下划线的普通操作。",
        ),
        hint="Expected tensor_version == wrapper_version_snapshot, but received "
        f"tensor_version:{found_at} != wrapper_version_snapshot:{kept_at}.",
        **facts,
    )


def _called(saved_name: str) -> Text:
    """What a derivative calls a saved tensor, so that it cannot be taken for a name of the program: those the engine does not know."""
    if saved_name == "out":
        return Text("its result", "它的结果")
    if not saved_name.isidentifier():  # `saved_tensor()[0]`
        return Text("`{name}`", " `{name}` ").format(name=saved_name)
    return Text("its operand `{name}`", "它的操作数 `{name}` ").format(name=saved_name)
