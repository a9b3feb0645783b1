"""What a recording of a PaddlePaddle program says about itself: what was not seen, and what Paddle does unnoticed.

What is said of several frameworks stands in `recorders/remarks.py`.
"""

from __future__ import annotations

from inplacelab.language import Text

REFUSED_LATE = Text(
    "Paddle refused `{0}`, but had changed the tensor already.", "Paddle 拒绝了 `{0}`，但在此之前已经改变了张量。"
)
A_TENSOR = Text("a tensor", "一个张量")
OUTDATED = Text(
    "Line {1} wrote {0} through another tensor. Paddle gives only that one a new grad node, so gradients through {0} are computed as if "
    "nothing had been written.",
    "第 {1} 行通过另一个张量写入了 {0}。Paddle 只给那个张量建立新的梯度节点，因此经过 {0} 的梯度是按没有写入来计算的。",
)
TOGETHER = Text(
    "`{0}` made a copy, but Paddle raises the versions of the tensor and of the copy together.",
    "`{0}` 得到的是副本，但 Paddle 把张量和副本的版本号一起增加。",
)
COMPILED = Text(
    "All that a function compiled by `to_static` does is shown as one operation, `run_program`.",
    "经 `to_static` 编译的函数，其中的全部操作记录为一个操作 `run_program`。",
)
INFERRED = Text(
    "Paddle does not show what grad nodes keep. It was inferred from their names, and is marked as inferred.",
    "Paddle 不显示梯度节点保存了什么。这部分由节点的名称推断得出，并注明是推断。",
)
UNKNOWN_SAVED = Text(
    "What `{0}` keeps is not known: Paddle does not show it.", "不知道 `{0}` 保存了什么：Paddle 不显示。"
)
UNOBSERVED = Text(
    "Tensors were also written by code that was not recorded: another thread, an operation that failed halfway, "
    "or code below Paddle's functions.",
    "还有未被记录的代码写入了张量：其他线程、中途失败的操作，或 Paddle 函数之下的代码。",
)
