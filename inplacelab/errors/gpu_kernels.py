"""Kernels that cannot be compiled or run here, and kernels that went wrong."""

from __future__ import annotations

from collections.abc import Iterable

from inplacelab.errors.kinds import (
    ArgumentError,
    KernelError,
    KernelFaultError,
    KernelTextError,
    MissingLibraryError,
    ShapeError,
)
from inplacelab.language import Text

# ---- what is missing ------------------------------------------------------------------------------------------------------


def no_compiler() -> MissingLibraryError:
    return MissingLibraryError(
        "No C++ compiler was found (looked for the one that CXX names, for g++ and for clang++).",
        Text(
            "without a GPU a kernel is compiled for the CPU, and run there thread by thread.",
            "没有 GPU 时，内核会被编译到 CPU 上，并在那里逐线程执行。",
        ),
        Text(
            "install g++ (Debian, Ubuntu: `apt-get install g++`; macOS: `xcode-select --install`; Windows: work in WSL, and "
            "install it there), or read the kernel with `kernels.source(...)`, which needs none.",
            "请安装 g++（Debian、Ubuntu：`apt-get install g++`；macOS：`xcode-select --install`；Windows：请在 WSL 中安装和使用）；"
            "若只想阅读内核，`kernels.source(...)` 不需要编译器。",
        ),
    )


def no_nvrtc() -> MissingLibraryError:
    return MissingLibraryError(
        "NVRTC, CUDA's run-time compiler, was not found.",
        Text(
            "a kernel is compiled for a GPU by NVRTC. That needs no GPU, but the library.",
            "内核由 NVRTC 编译到 GPU 上。这不需要 GPU，但需要该库。",
        ),
        Text("install it: `pip install inplacelab[nvrtc]`.", "安装它：`pip install inplacelab[nvrtc]`。"),
    )


def gpu_too_old(capability: int, least: int) -> KernelError:
    return KernelError(
        f"The kernel cannot be compiled for this GPU: its compute capability is {capability // 10}.{capability % 10}.",
        Text(
            "the NVRTC that is installed compiles for {major}.{minor} and later.",
            "已安装的 NVRTC 只能为 {major}.{minor} 及更新的计算能力编译。",
        ).format(major=least // 10, minor=least % 10),
        Text(
            'CUDA 12 knows older GPUs than CUDA 13: `pip uninstall cupy-cuda13x`, then `pip install "inplacelab[gpu12]"`.',
            'CUDA 12 支持的 GPU 比 CUDA 13 更旧：先 `pip uninstall cupy-cuda13x`，再 `pip install "inplacelab[gpu12]"`。',
        ),
    )


def kernel_does_not_compile(log: str) -> KernelTextError:
    return KernelTextError(
        "The kernel does not compile.",
        Text("the compiler says:\n{log}", "编译器报告：\n{log}").format(log=log.strip()),
        Text("fix the text at the line that it names.", "请按它指出的行修改代码。"),
    )


# ---- what went wrong ------------------------------------------------------------------------------------------------------


_OUT_OF_BOUNDS, _MISALIGNED = 1, 2


def kernel_fault(name: str, fault: int, operand: str, block: int, thread: int, byte: int) -> KernelFaultError:
    where = Text("thread {thread} of block {block}", "线程块 {block} 中的线程 {thread}").format(
        block=block, thread=thread
    )
    if fault == _OUT_OF_BOUNDS:
        return KernelFaultError(
            f"{name}: an illegal memory access was encountered.",
            Text(
                "{where} touches byte {byte} of the storage of `{operand}`, which it does not have.",
                "{where} 访问了 `{operand}` 的存储中并不存在的第 {byte} 个字节。",
            ).format(where=where, byte=byte, operand=operand),
            Text("compare the index with the size before it is used.", "在使用下标之前先与大小比较。"),
        )
    if fault == _MISALIGNED:
        return KernelFaultError(
            f"{name}: misaligned address.",
            Text(
                "{where} loads several elements of `{operand}` at once, from byte {byte}, which is not a multiple of their size.",
                "{where} 一次读取 `{operand}` 的多个元素，但起始的第 {byte} 个字节不是其总大小的整数倍。",
            ).format(where=where, byte=byte, operand=operand),
            Text(
                "start at an aligned slot, or load one element at a time.", "从对齐的槽位开始，或每次只读取一个元素。"
            ),
        )
    return KernelFaultError(
        f"{name}: a barrier was not reached by all threads.",
        Text(
            "{where} is not where the others of its block are: some wait at a `__syncthreads()`, which lets nobody pass before "
            "all have come. A GPU would hang, or compute something wrong.",
            "{where} 与同块的其他线程不在同一处：有的线程在等待 `__syncthreads()`，而它要等所有线程都到达才放行。"
            "在 GPU 上会挂起，或算出错误的结果。",
        ).format(where=where),
        Text("take the barrier out of the branch.", "把屏障移到分支之外。"),
    )


# ---- what there is not ----------------------------------------------------------------------------------------------------


def no_such_kernel(name: str, known: Iterable[str]) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) There is no kernel of our own for {name!r}.",
        Text(
            "a kernel is there for operations whose row of the table has an expression in CUDA C, and for: {others}.",
            "只有在操作表中带有 CUDA C 表达式的操作才有内核，此外还有：{others}。",
        ).format(others=", ".join(known)),
        Text("`kernels.available()` lists them all.", "`kernels.available()` 会全部列出。"),
    )


def no_kernel_for(name: str, dtype: str, known: Iterable[str]) -> KernelError:
    return KernelError(
        f"(NotFound) The kernel of {name!r} is not there for {dtype}.",
        Text("it is written for {known}.", "它适用于 {known}。").format(known=", ".join(known)),
        Text("cast the tensor first, or use the operation itself.", "请先转换数据类型，或直接使用该操作。"),
    )


def attribute_not_in_kernel(name: str, attribute: str, given: object) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) The kernel of {name!r} cannot take {attribute}={given!r}.",
        Text("its expression is that of the usual case.", "它的表达式只对应通常的情形。"),
        Text("leave the attribute out, or use the operation itself.", "省略该参数，或直接使用该操作。"),
    )


def kernel_in_place_only(name: str) -> KernelError:
    return KernelError(
        f"(InvalidArgument) The kernel of {name!r} cannot hold this result.",
        Text(
            "the result is of another data type or shape, and would need a storage of its own.",
            "结果的数据类型或形状不同，需要另一块存储。",
        ),
        Text(
            "use the operation itself, or the kernel without an underscore.",
            "请直接使用该操作，或使用不带下划线的内核。",
        ),
    )


def cannot_fuse(name: str) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) {name!r} cannot be a step of a fused kernel.",
        Text(
            "a step takes one element and makes one of the same data type, without looking at any other.",
            "一个步骤取一个元素，得到一个同样数据类型的元素，且不看其他元素。",
        ),
        Text("fuse element-wise operations.", "请融合逐元素操作。"),
    )


def kernel_needs_packed(name: str, what: Text) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) The kernel of {name!r} cannot work on this tensor.",
        Text("it needs {what}.", "它需要{what}。").format(what=what),
        Text(
            "use `contiguous()` or `reshape` first, or the operation itself.",
            "请先用 `contiguous()` 或 `reshape`，或直接使用该操作。",
        ),
    )
