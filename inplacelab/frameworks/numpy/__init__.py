"""Records programs that use NumPy alone."""

from inplacelab.language import Text
from inplacelab.supported import Framework, Terms

_SEEN = Text("writes seen by inplacelab", "inplacelab 观察到的写入次数")

FRAMEWORK = Framework(
    name="numpy",
    title="NumPy",
    rank=90,
    imports=("numpy",),
    alias="np",
    is_beside=True,
    recorder="inplacelab.frameworks.numpy.recorder:NumpyRecorder",
    reports_writes=False,
    # NumPy has no version counters: the number is ours.
    terms=Terms(
        flag="",
        words=(
            ("the temporary", "the temporary array"),
            ("the temporaries", "the temporary arrays"),
            ("a tensor", "an array"),
            ("tensor", "array"),
            ("Tensor", "Array"),
            ("张量", "数组"),
        ),
        moved=Text(
            "{head} gave {x} other memory: it is now in {place}.", "{head}更换了 {x} 的内存：数据现在位于{place}。"
        ),
        letter="w",
        version=_SEEN,
        versions=Text("Writes seen by inplacelab", _SEEN.zh),
        versions_and_bytes=Text("Writes seen and bytes", "写入次数与字节"),
        rose=Text(
            "Writes to {0} seen by inplacelab: {1} → {2}",
            "inplacelab 观察到的对 {0} 的写入次数：{1} → {2}",
        ),
        shared=Text("; what it holds is shared by {1}.", "；{0} 由 {1} 共享。"),
        written=Text(
            "{0} was written (writes seen by inplacelab: {1} → {2})",
            "{0} 被写入（inplacelab 观察到的写入次数：{1} → {2}）",
        ),
        of_each=Text(
            "Writes to each storage seen by inplacelab: {versions}.",
            "inplacelab 观察到的各存储的写入次数：{versions}。",
        ),
    ),
)
