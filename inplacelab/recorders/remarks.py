"""What recordings of several frameworks say about themselves: what was not seen, and what the framework does unnoticed."""

from __future__ import annotations

from inplacelab.language import Text

ELSEWHERE = Text("What other threads or coroutines did was left out.", "其他线程或协程中的操作没有记录。")
OUTSIDE = Text(
    "`{0}` gives direct access to a tensor's memory. Writes made that way raise no version and were not seen.",
    "`{0}` 直接给出张量的内存。由此进行的写入不增加版本号，也看不到。",
)
SILENT = Text(
    "`{0}` writes tensors without raising their versions: {1} does so, and backward would use the new values unnoticed.",
    "`{0}` 写入张量而不增加版本号：{1} 就是这样，所以反向传播会不加察觉地使用它们。",
)
ON_DEVICE = Text(
    "Values on {0} were not copied, because copying would wait for the device.",
    "没有复制 {0} 上的数值，因为那样需要等待设备。",
)
