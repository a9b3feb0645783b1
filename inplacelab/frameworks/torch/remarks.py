"""What a recording of a PyTorch program says about itself: what was not seen, and what PyTorch does unnoticed.

What is said of several frameworks stands in `recorders/remarks.py`.
"""

from __future__ import annotations

from inplacelab.language import Text

NOT_SHOWN = Text(
    "PyTorch {0} does not show what grad nodes keep: that was left out. Newer versions do.",
    "PyTorch {0} 不显示梯度节点保存了什么，这部分没有记录；较新的版本可以显示。",
)
TRACED = Text(
    "What PyTorch traced (`torch.jit.trace`) was not recorded: the recorder would be traced, too.",
    "PyTorch 跟踪（`torch.jit.trace`）的部分没有记录，否则记录器也会被跟踪。",
)
UNOBSERVED = Text(
    "Tensors were also written by code that was not recorded: another thread, compiled code, an operation that failed halfway, "
    "a `torch.autograd.Function` that marks its input as dirty, or code below PyTorch's functions.",
    "还有未被记录的代码写入了张量：其他线程、编译后的代码、中途失败的操作、用 `mark_dirty` 标记了输入的 `torch.autograd.Function`，"
    "或 PyTorch 函数之下的代码。",
)
FAST = Text(
    "What `{0}` computes was not recorded: without gradients PyTorch has a fast path for it, which a recorder would switch off.",
    "`{0}` 的计算没有记录：不需要计算梯度时，PyTorch 会走一条快速路径，而记录器会使这条路径失效。",
)
COMPILED = Text(
    "What functions compiled by `torch.compile` do was not recorded.",
    "经 `torch.compile` 编译的函数，其中的操作没有记录。",
)
