"""Runs a kernel on the CPU: g++ compiles the source with `cuda_on_cpu.h`, and ctypes calls it. A run can be traced: every access to
memory.

This is for study and for tests, not for speed: a million elements take a few milliseconds. Threads that wait at barriers take a
microsecond each, or some tens of microseconds on systems without contexts to switch between (macOS).
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.kernels.launch import C_TYPES, Dim3, Memory, by_value
from inplacelab.kernels.launching import packed_layout
from inplacelab.kernels.sources import HERE, Parameter, Source
from inplacelab.locking import CallLock

RECORD = np.dtype([
    ("block", "i8"), ("byte", "i8"), ("thread", "i4"), ("ordinal", "i4"), ("barriers", "i4"), ("operand", "i4"), ("bytes", "i4"),
    ("kind", "i4"),
])  # fmt: skip
"""One access: `struct Record` in cuda_on_cpu.h. `byte` is counted from the start of the operand's storage, `ordinal` is the number of
the access in its thread, and `barriers` the number of barriers that the block has passed.
"""

KINDS = ("reads", "writes", "adds")


class Trace:
    """Every access of a launch.

    Attributes:
        operands: the names of the operands.
        records: an array of `RECORD`s, in order of execution.
    """

    def __init__(self, operands: tuple[str, ...], records: np.ndarray[Any, Any]) -> None:
        self.operands, self.records = operands, records

    def __len__(self) -> int:
        return len(self.records)

    def bytes(self, kind: str) -> int:
        """Returns the number of bytes of one kind of access: "reads", "writes" or "adds"."""
        return int(self.records["bytes"][self.records["kind"] == KINDS.index(kind)].sum())


FLAGS = ("-std=c++17", "-O1", "-fPIC", "-shared", "-pthread", "-fwrapv", "-ffp-contract=off", "-w")
"""Integers wrap as on a GPU, and a product and a sum are rounded separately, as in NumPy."""

_one_at_a_time = CallLock()  # the state of the threads is in static variables


class _Slots(ctypes.Structure):
    _fields_ = [("first", ctypes.c_void_p), ("begin", ctypes.c_void_p), ("bytes", ctypes.c_int64)]


class _Call(ctypes.Structure):
    _fields_ = [
        ("grid", ctypes.c_uint32 * 3), ("block", ctypes.c_uint32 * 3), ("order", ctypes.c_void_p), ("trace", ctypes.c_int32),
        ("fault", ctypes.c_int32), ("operand", ctypes.c_int32), ("thread", ctypes.c_int32), ("at_block", ctypes.c_int64),
        ("byte", ctypes.c_int64), ("records", ctypes.c_void_p), ("count", ctypes.c_int64),
    ]  # fmt: skip


# ---- running --------------------------------------------------------------------------------------------------------------------


def run(
    source: Source, grid: Dim3, block: Dim3, arguments: Sequence[Any], *, order: str = "forward", trace: bool = False
) -> Trace:
    """Runs a kernel, one thread after another.

    Args:
        source: the kernel.
        grid: the number of blocks along x, y and z.
        block: the number of threads in a block.
        arguments: for each parameter a `Memory` (for slots; see `memory`), a `Layout` or a number. A kernel with layouts
            counts slots from the start of the storage, others from the first element.
        order: the order in which the threads of a block run between two barriers: "forward", "reversed" or "shuffled" (always
            the same permutation). A correct kernel has the same result in any order.
        trace: whether to record every access.

    Returns:
        The recorded accesses; an empty trace if `trace` is False.

    Raises:
        MissingLibraryError: if there is no C++ compiler.
        KernelTextError: if the source does not compile.
        KernelFaultError: if a thread accesses memory outside its operands, loads a pack that is not aligned, or waits at a
            barrier that not all threads of its block reach.
    """
    compile_together([source])
    threads = block[0] * block[1] * block[2]
    turns = _order(order, threads)
    kept = [_argument(source, p, a) for p, a in zip(source.parameters, arguments, strict=True)]
    addresses = (ctypes.addressof(each) if isinstance(each, _Slots) else int(each.ctypes.data) for each in kept)
    pointers = (ctypes.c_void_p * len(kept))(*addresses)
    call = _Call(grid=grid, block=block, order=turns.ctypes.data, trace=trace)
    found = _one_at_a_time.run(_launch, source, call, pointers)
    names = tuple(p.name for p in source.operands)
    if call.fault:
        raise _fault(source.name, call, names[call.operand] if call.operand >= 0 else "")
    return Trace(names, found)


_OUT_OF_BOUNDS, _MISALIGNED = 1, 2


def prepare(source: Source) -> None:
    """Compiles a kernel; raises what `run` raises if it cannot."""
    compile_together([source])


def _fault(name: str, call: _Call, operand: str) -> Exception:
    block, thread, byte = int(call.at_block), int(call.thread), int(call.byte)
    if call.fault == _OUT_OF_BOUNDS:
        return errors.kernel_out_of_bounds(name=name, thread=thread, block=block, byte=byte, operand=operand)
    if call.fault == _MISALIGNED:
        return errors.kernel_misaligned(name=name, thread=thread, block=block, byte=byte, operand=operand)
    return errors.barrier_not_reached(name=name, thread=thread, block=block)


def _order(order: str, threads: int) -> np.ndarray[Any, Any]:
    forward = np.arange(threads, dtype=np.int64)
    if order == "forward":
        return forward
    return forward[::-1].copy() if order == "reversed" else np.random.default_rng(0).permutation(forward)


def memory(array: np.ndarray[Any, Any], within: np.ndarray[Any, Any] | None = None) -> Memory:
    """Finds the addresses of an array, for an argument of `run`.

    Args:
        array: the array that the kernel uses.
        within: the array that owns the memory; None if it is `array` itself.
    """
    storage = array if within is None else within
    first, begin = (each.__array_interface__["data"][0] for each in (array, storage))
    return Memory(first, begin, storage.nbytes)


def _argument(source: Source, parameter: Parameter, given: Any) -> Any:
    """Converts an argument to an object whose address can be passed."""
    if parameter.kind == "layout":
        return packed_layout(given, source.bits, source.axes)
    if parameter.kind != "slots":
        return np.array(given, by_value(parameter.dtype))
    return _Slots(given.begin if source.kind == "strided" else given.first, given.begin, given.bytes)


def _launch(source: Source, call: _Call, pointers: Any) -> np.ndarray[Any, Any]:
    """Runs a compiled kernel, and returns the accesses that it recorded."""
    _ready[source](ctypes.byref(call), pointers)
    return _records(call)


def _records(call: _Call) -> np.ndarray[Any, Any]:
    if not call.count:
        return np.zeros(0, RECORD)
    raw = (ctypes.c_char * (call.count * RECORD.itemsize)).from_address(call.records)
    return np.frombuffer(raw, RECORD).copy()


# ---- compiling ------------------------------------------------------------------------------------------------------------------


def compiler() -> str:
    """Returns the path of a C++ compiler: the first that is found of the environment variable CXX, g++ and clang++.

    Raises:
        MissingLibraryError: if none is found; the message says what to install.
    """
    for name in filter(None, (os.environ.get("CXX"), "g++", "clang++")):
        found = shutil.which(name)
        if found:
            return found
    raise errors.compiler_missing()


_ready: dict[Source, Any] = {}


def compile_together(sources: Sequence[Source]) -> None:
    """Compiles some kernels in one run of the compiler, which is much faster than one by one.

    Args:
        sources: the kernels; those that are compiled already are skipped.

    Raises:
        MissingLibraryError: if there is no C++ compiler.
        KernelTextError: if a source does not compile.
    """
    missing = [source for source in sources if source not in _ready]
    if not missing:
        return
    text, command = cpp(missing), [compiler(), *FLAGS]
    name = sha256("\0".join([*command, text]).encode()).hexdigest()[:32]
    library = _folder() / f"{name}.so"
    if not library.exists():
        _compile(command, text, library)
    loaded = ctypes.CDLL(str(library))
    _ready.update((source, getattr(loaded, f"run_{source.name}")) for source in missing)


def _compile(command: Sequence[str], text: str, library: Path) -> None:
    """Compiles to a temporary name first: two processes may compile the same kernel at the same time."""
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        file, made = Path(folder) / "kernels.cpp", Path(folder) / "kernels.so"
        file.write_text(text, encoding="utf-8")
        done = subprocess.run([*command, "-o", str(made), str(file)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise errors.kernel_does_not_compile(log=done.stderr.replace(str(file), "kernels.cpp").strip())
        made.replace(library)


@cache
def _folder() -> Path:
    """The private folder of this user for compiled libraries. It must be private, because they are loaded into this process."""
    owner = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    folder = Path(tempfile.gettempdir()) / f"inplacelab-kernels-{owner}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    private = stat.S_ISDIR(found.st_mode) and (
        not hasattr(os, "getuid") or (found.st_uid == owner and not found.st_mode & 0o022)
    )
    return folder if private else Path(tempfile.mkdtemp(prefix="inplacelab-kernels-"))


def cpp(sources: Sequence[Source]) -> str:
    """Returns the C++ source of some kernels, each in a namespace, with a function that unpacks its arguments."""
    headers = [(HERE / name).read_text(encoding="utf-8") for name in ("fibers.h", "cuda_on_cpu.h")]
    return "\n".join([*headers, *(_wrapped(source) for source in sources)])


_SIGNATURE = re.compile(r"(__global__ void \w+\()(.*?)(\)\n\{)", re.DOTALL)
_POINTER = re.compile(r"((?:const )?[a-z ]+?) \*(\w+)")
_CAST = re.compile(r"\(\(((?:const )?Pack<[a-z ]+>) \*\)(\w+)\)")
_CONVERSION = re.compile(r'asm\("cvt\.(?:rn\.)?(\w+)\.(\w+) %0, %1;" : "=\w"\((\w+)\) : "\w"\((\w+)\)\);')


def _wrapped(source: Source) -> str:
    text = _SIGNATURE.sub(
        lambda found: found[1] + _POINTER.sub(r"cuda_on_cpu::Traced<\1> \2", found[2]) + found[3], source.text
    )
    text = _CAST.sub(r"cuda_on_cpu::packs<\1>(\2)", text)
    text = _CONVERSION.sub(r"\3 = cuda_on_cpu::cvt_\1_\2(\4);", text)
    unpacked, number = [], 0
    for k, parameter in enumerate(source.parameters):
        c = "Layout" if parameter.kind == "layout" else C_TYPES[by_value(parameter.dtype)].name
        if parameter.kind == "slots":
            const, c = "const " * (parameter.role == "reads"), C_TYPES[parameter.dtype].name
            unpacked.append(f"cuda_on_cpu::operand<{const}{c}>(args[{k}], {number})")
            number += 1
        else:
            unpacked.append(f"*({c} *)args[{k}]")
    return f"""namespace of_{source.name} {{
{text}
static void unpacked(void **args) {{ {source.name}({", ".join(unpacked)}); }}
extern "C" void run_{source.name}(cuda_on_cpu::Call *call, void **args)
{{
    cuda_on_cpu::launch(call, {str(source.waits).lower()}, unpacked, args);
}}
}}
"""
