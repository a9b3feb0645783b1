"""What a recording of a program of the engine says about itself: what was not seen."""

from __future__ import annotations

from inplacelab.language import Text

UNOBSERVED = Text(
    "Tensors were also written by code that was not recorded: another thread or coroutine, or an operation that failed halfway.",
    "还有未被记录的代码写入了张量：其他线程或协程，或中途失败的操作。",
)
ELSEWHERE = Text(
    "What other threads or coroutines did was left out, but bytes count their tensors, too.",
    "其他线程或协程中的操作没有记录，但字节数也包括它们的张量。",
)
