"""The captions and column heads of the tables."""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab_widgets.words.history import MEMORY
from inplacelab_widgets.words.storages import OFFSET, SHAPE, STRIDES

TABLES = {
    "storages": Text("Storages", "存储"),
    "tensors": Text("Tensors", "张量"),
    "saved": Text("Kept for backward", "为反向传播保存的张量"),
    "nodes": Text("Grad nodes", "梯度节点"),
    "memory": MEMORY,
}
OF_GRADIENTS = (Text("{flag}", "{flag}"), Text("grad node", "梯度节点"))
"""The last columns of the tensors; omitted for a framework without gradients."""
COLUMNS = {
    "storages": (
        Text("storage", "存储"),
        Text("bytes", "字节"),
        Text("dtype", "数据类型"),
        Text("device", "设备"),
        Text("{version}", "{version}"),
        Text("values", "数值"),
    ),
    "tensors": (
        Text("tensor", "张量"),
        Text("storage", "存储"),
        SHAPE,
        STRIDES,
        OFFSET,
        Text("dtype", "数据类型"),
        Text("kind", "种类"),
        Text("made", "产生"),
        *OF_GRADIENTS,
    ),
    "saved": (Text("node", "节点"), Text("keeps", "保存"), Text("storage", "存储"), Text("state", "状态")),
    "nodes": (
        Text("node", "节点"),
        Text("line", "行号"),
        Text("passes gradients to", "把梯度传给"),
        Text("state", "状态"),
    ),
    "memory": (Text("bytes", "字节"), Text("size", "大小")),
}
