"""What recordings of several frameworks say about themselves: what was not seen, and what the framework does unnoticed."""

from __future__ import annotations

from inplacelab.language import Text

UNTESTED = Text("This is {0} {1}; the recorder was tested with {2}.", "这里的 {0} 是 {1}；记录器是用 {2} 测试的。")
ELSEWHERE = Text("What other threads or coroutines did was left out.", "其他线程或协程中的操作没有记录。")
OUTSIDE = Text(
    "`{0}` leads to a tensor's memory itself. Writes from there raise no version, and were not seen.",
    "`{0}` 直接给出张量的内存。由此进行的写入不增加版本号，也看不到。",
)
SILENT = Text(
    "`{0}` writes tensors without raising their versions: {1} does so, and backward would use the new values unnoticed.",
    "`{0}` 写入张量而不增加版本号：{1} 就是这样，所以反向传播会不加察觉地使用它们。",
)
ON_DEVICE = Text(
    "Values on {0} were not copied: that would wait for the device.", "没有复制 {0} 上的数值，因为那样需要等待设备。"
)
